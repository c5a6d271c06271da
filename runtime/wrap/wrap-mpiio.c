/* wrap-mpiio.c - wrappers of the MPI-IO calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/mpiio.h"
#include "wrap/wrap-mpiio.h"

#define N(name)

#include "wrap/mpiio.wrap"

/* In two steps, as for close: afterwards the handle is invalid. */
static const char pair_close;
DSN_REAL_DECL(int, MPI_File_close, (void *file))
DSN_REAL_DECL(int, PMPI_File_close, (void *file))

static void *release(struct dsn_span *s, const void *file)
{
    void *released;

    dsn__span_before(s);
    released = dsn__mpiio_release(file);
    dsn__span_close(s);
    return released;
}

static int closed(struct dsn_span *s, int ret, void *released)
{
    dsn__span_returned(s);
    dsn__mpiio_close(s, released);
    dsn__span_close(s);
    return ret;
}

static uintptr_t close_key(const void *file)
{
    uintptr_t handle; /* MPI_File is a pointer in every MPI */

    memcpy(&handle, file, sizeof handle);
    return dsn__call_key(&pair_close, handle);
}

DSN_EXPORT int DSN_SYM(MPI_File_close)(void *file);
DSN_EXPORT int DSN_SYM(MPI_File_close)(void *file)
{
    struct dsn_span s;
    void *released;
    uintptr_t outer;
    int place, ret;

    if (!DSN_REAL_FIND(MPI_File_close))
        return DSN_MPI_ERR_OTHER;
    if (!dsn__span_open(&s))
        return DSN_REAL(MPI_File_close)(file);
    released = release(&s, file);
    place = dsn__call_begins(close_key(file)); /* if the table is full, the inner call finds nothing to release */
    outer = dsn__outer_begins(&s);
    ret = DSN_REAL(MPI_File_close)(file);
    dsn__outer_ends(outer);
    dsn__call_ends(place);
    return closed(&s, ret, released);
}

DSN_EXPORT int DSN_SYM(PMPI_File_close)(void *file);
DSN_EXPORT int DSN_SYM(PMPI_File_close)(void *file)
{
    struct dsn_span s;
    void *released;
    uintptr_t outer;
    int ret;

    if (!DSN_REAL_FIND(PMPI_File_close))
        return DSN_MPI_ERR_OTHER;
    if (dsn__is_inner(close_key(file)) || !dsn__span_open(&s))
        return DSN_REAL(PMPI_File_close)(file);
    released = release(&s, file);
    outer = dsn__outer_begins(&s);
    ret = DSN_REAL(PMPI_File_close)(file);
    dsn__outer_ends(outer);
    return closed(&s, ret, released);
}

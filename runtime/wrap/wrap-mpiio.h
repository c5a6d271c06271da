/* wrap-mpiio.h - expands a row of mpiio.wrap to two wrappers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_X and PMPI_X are two functions, each with its own next one, so a profiler in between is called as if we were not
 * there. If it calls PMPI_X from MPI_X, the inner wrapper finds its pair in progress and does not count. None of this
 * is stored in the thread: the call may return on another one. */
#ifndef DSN_WRAP_WRAP_MPIIO_H
#define DSN_WRAP_WRAP_MPIIO_H

#include <string.h>

#include "base/mpi.h"
#include "module/mpiio.h"
#include "module/shared/dxt.h"
#include "record/inner.h"
#include "wrap/under-way.h"
#include "wrap/wrap.h"

#define IO(direction, counter) dsn__mpiio_io(&s, ret, DSN_##direction, fh, count, type, MPIIO_##counter)

/* `off` of accesses without a parameter of that name. */
static const dsn_offset off = DSN_AT_POSITION;

/* A constant expression: shared file pointer calls are recognised by name. */
#define IS_SHARED(name) (strstr(#name, "_shared") != NULL || strstr(#name, "_ordered") != NULL)

/* The handle that identifies a call in progress: MPI_File_open and MPI_File_delete have none yet. */
static const dsn_handle fh = 0;
#define FILE_KEY(row) dsn__call_key(row, _Generic((fh), dsn_handle : (uintptr_t)fh, default : 0))

/* If MPI_X and PMPI_X are the same function of MPI, no tool is in between, and nothing is entered. */
#define M_OUTER(name, row, p, args, before, note)                                                                      \
    DSN_EXPORT int DSN_SYM(MPI_##name) p;                                                                              \
    DSN_EXPORT int DSN_SYM(MPI_##name) p                                                                               \
    {                                                                                                                  \
        int ret, place = 0, is_marked;                                                                                 \
        struct dsn_span s;                                                                                             \
        uintptr_t outer;                                                                                               \
                                                                                                                       \
        if (!DSN_REAL_FIND(MPI_##name))                                                                                \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(MPI_##name) args;                                                                          \
        before;                                                                                                        \
        is_marked = !DSN_REAL_FIND(PMPI_##name) || DSN_REAL(MPI_##name) != DSN_REAL(PMPI_##name);                      \
        if (is_marked)                                                                                                 \
            place = dsn__call_begins(FILE_KEY(row));                                                                   \
        outer = dsn__outer_begins(&s);                                                                                 \
        ret = DSN_REAL(MPI_##name) args;                                                                               \
        dsn__outer_ends(outer);                                                                                        \
        if (is_marked)                                                                                                 \
            dsn__call_ends(place);                                                                                     \
        if (place == DSN_NO_ROOM)                                                                                      \
            return ret;                                                                                                \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

#define M_INNER(name, row, p, args, before, note)                                                                      \
    DSN_EXPORT int DSN_SYM(PMPI_##name) p;                                                                             \
    DSN_EXPORT int DSN_SYM(PMPI_##name) p                                                                              \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        uintptr_t outer;                                                                                               \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(PMPI_##name))                                                                               \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (dsn__is_inner(FILE_KEY(row)) || !dsn__span_open(&s))                                                       \
            return DSN_REAL(PMPI_##name) args;                                                                         \
        before;                                                                                                        \
        outer = dsn__outer_begins(&s);                                                                                 \
        ret = DSN_REAL(PMPI_##name) args;                                                                              \
        dsn__outer_ends(outer);                                                                                        \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

#define M_BOTH(name, p, args, before, note)                                                                            \
    static const char pair_##name;                                                                                     \
    DSN_REAL_DECL(int, MPI_##name, p)                                                                                  \
    DSN_REAL_DECL(int, PMPI_##name, p)                                                                                 \
    M_OUTER(name, &pair_##name, p, args, before, note)                                                                 \
    M_INNER(name, &pair_##name, p, args, before, note)

/* Before a traced access: determines its offset. */
#define PLACE(name)                                                                                                    \
    if (dsn__is_tracing(DSN_TRACE_MPIIO))                                                                              \
    dsn__mpiio_place(&s, fh, off, IS_SHARED(name))

#define M(name, p, args, note) M_BOTH(name, p, args, (void)0, note)
#define A(name, p, args, note) M_BOTH(name, p, args, PLACE(name), note)

#endif

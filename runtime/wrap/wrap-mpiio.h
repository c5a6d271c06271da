/* wrap-mpiio.h - how a row of mpiio.wrap becomes two wrappers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_X and PMPI_X are two functions, each with its own next one: a profiler in between is called as if we were not
 * there. When it goes on from MPI_X to PMPI_X the inner one finds that its pair is under way and does not count. */
#ifndef DSN_WRAP_MPIIO_H
#define DSN_WRAP_MPIIO_H

#include <string.h>

#include "module/dxt.h"
#include "module/mpiio.h"
#include "mpi/shim.h"
#include "wrap/wrap.h"

#define IO(direction, counter) dsn__mpiio_io(&s, ret, DSN_##direction, fh, count, type, MPIIO_##counter)

/* What `off` is in accesses that have no parameter of that name. */
static const dsn_offset off = DSN_AT_POSITION;

/* Known when it is compiled: calls at the shared file pointer are named so. */
#define IS_SHARED(name) (strstr(#name, "_shared") != NULL || strstr(#name, "_ordered") != NULL)

#define M_ONE(name, tag, p, args, before, note)                                                                        \
    DSN_REAL_DECL(int, name, p)                                                                                        \
    DSN_EXPORT int DSN_SYM(name) p;                                                                                    \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        const void *outer = dsn__thread.pair;                                                                          \
        const uintptr_t outer_frame = dsn__thread.pair_frame;                                                          \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (dsn__is_inner(tag, &s) || !dsn__span_open(&s))                                                             \
            return DSN_REAL(name) args;                                                                                \
        before;                                                                                                        \
        dsn__thread.pair = tag;                                                                                        \
        dsn__thread.pair_frame = (uintptr_t)&s;                                                                        \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__thread.pair = outer;                                                                                      \
        dsn__thread.pair_frame = outer_frame;                                                                          \
        dsn__span_real(&s);                                                                                            \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

#define M_BOTH(name, p, args, before, note)                                                                            \
    static const char pair_##name;                                                                                     \
    M_ONE(MPI_##name, &pair_##name, p, args, before, note)                                                             \
    M_ONE(PMPI_##name, &pair_##name, p, args, before, note)

/* Before an access that is traced: where it is going to be. */
#define PLACE(name)                                                                                                    \
    if (dsn__is_tracing(DSN_TRACE_MPIIO))                                                                              \
    dsn__mpiio_place(&s, fh, off, IS_SHARED(name))

#define M(name, p, args, note) M_BOTH(name, p, args, (void)0, note)
#define A(name, p, args, note) M_BOTH(name, p, args, PLACE(name), note)

#endif

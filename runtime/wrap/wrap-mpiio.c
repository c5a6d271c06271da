/* wrap-mpiio.c - wrappers of the MPI-IO calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/mpiio.h"
#include "wrap/wrap-mpiio.h"

#define N(name)

#include "wrap/mpiio.wrap"

/* In two steps, as close: the handle is gone afterwards. */
static const char pair_close;
#define CLOSE(name)                                                                                                    \
    DSN_REAL_DECL(int, name, (void *fh))                                                                               \
    DSN_EXPORT int DSN_SYM(name)(void *fh);                                                                            \
    DSN_EXPORT int DSN_SYM(name)(void *fh)                                                                             \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        const void *outer = dsn__thread.pair;                                                                          \
        const uintptr_t outer_frame = dsn__thread.pair_frame;                                                          \
        void *released;                                                                                                \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (dsn__is_inner(&pair_close, &s) || !dsn__span_open(&s))                                                     \
            return DSN_REAL(name)(fh);                                                                                 \
        dsn__span_before(&s);                                                                                          \
        released = dsn__mpiio_release(fh);                                                                             \
        dsn__span_close(&s);                                                                                           \
        dsn__thread.pair = &pair_close;                                                                                \
        dsn__thread.pair_frame = (uintptr_t)&s;                                                                        \
        ret = DSN_REAL(name)(fh);                                                                                      \
        dsn__thread.pair = outer;                                                                                      \
        dsn__thread.pair_frame = outer_frame;                                                                          \
        dsn__span_real(&s);                                                                                            \
        dsn__mpiio_close(&s, released);                                                                                \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

CLOSE(MPI_File_close)
CLOSE(PMPI_File_close)

/* wrap-mpi.c - MPI_Init and MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran arrives here too: its bindings end in the C functions, by one name or the other. */
#include <config.h>

#include "core/start.h"
#include "wrap/mpi-abi.h"
#include "wrap/wrap.h"

static const char pair_init, pair_finalize;

/* Whether this is the outer of MPI_X and PMPI_X; if so it is marked as under way. */
static int enter(const void *pair, const void *frame)
{
    if (dsn__is_inner(pair, frame))
        return 0;
    dsn__thread.pair = pair;
    dsn__thread.pair_frame = (uintptr_t)frame;
    return 1;
}

static int initialised(int outer, int ret, int *argc, char ***argv, void *real)
{
    if (!outer)
        return ret;
    dsn__thread.pair = NULL;
    if (ret == DSN_MPI_SUCCESS)
        dsn__start_mpi(argc && argv ? *argc : 0, argc && argv ? *argv : NULL, real);
    return ret;
}

#define INIT(name, parameters, arguments)                                                                              \
    DSN_REAL_DECL(int, name, parameters)                                                                               \
    DSN_EXPORT int DSN_SYM(name) parameters;                                                                           \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        int outer;                                                                                                     \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        outer = enter(&pair_init, &outer);                                                                             \
        return initialised(outer, DSN_REAL(name) arguments, argc, argv, (void *)DSN_REAL(name));                       \
    }

INIT(MPI_Init, (int *argc, char ***argv), (argc, argv))
INIT(PMPI_Init, (int *argc, char ***argv), (argc, argv))
INIT(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))
INIT(PMPI_Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))

#define FINALIZE(name)                                                                                                 \
    DSN_REAL_DECL(int, name, (void))                                                                                   \
    DSN_EXPORT int DSN_SYM(name)(void);                                                                                \
    DSN_EXPORT int DSN_SYM(name)(void)                                                                                 \
    {                                                                                                                  \
        int outer, ret;                                                                                                \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        outer = enter(&pair_finalize, &outer);                                                                         \
        if (outer)                                                                                                     \
            dsn__shutdown();                                                                                           \
        ret = DSN_REAL(name)();                                                                                        \
        if (outer)                                                                                                     \
            dsn__thread.pair = NULL;                                                                                   \
        return ret;                                                                                                    \
    }

FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

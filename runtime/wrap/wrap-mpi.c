/* wrap-mpi.c - MPI_Init and MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran programs arrive here, too: the bindings call the C functions, by one name or the other. */
#include <config.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "base/mpi-abi.h"
#include "life/arrival.h"
#include "life/events.h"
#include "life/start.h"
#include "wrap/wrap.h"

/* Another tool may call PMPI_X from MPI_X. Per process, not per thread: each is called once, and may return on another
 * thread. */
static atomic_int init_is_under_way, finalize_is_under_way;

/* Whether this is the outer call; marks it as in progress. */
static bool enter(atomic_int *is_under_way)
{
    return !atomic_exchange(is_under_way, 1);
}

static bool begin_init(void)
{
    const int outer = enter(&init_is_under_way);

    if (outer)
        dsn__arrival_show();
    return outer;
}

static int initialised(int outer, int ret, int *argc, char ***argv, void *real)
{
    if (!outer)
        return ret;
    atomic_store(&init_is_under_way, 0);
    if (ret == DSN_MPI_SUCCESS)
        dsn__start_mpi(argc && argv ? *argc : 0, argc && argv ? *argv : NULL, real);
    else
        dsn__arrival_end();
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
        outer = begin_init();                                                                                          \
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
        outer = enter(&finalize_is_under_way);                                                                         \
        if (outer)                                                                                                     \
            dsn__finalize_mpi();                                                                                       \
        ret = DSN_REAL(name)();                                                                                        \
        if (outer)                                                                                                     \
            atomic_store(&finalize_is_under_way, 0);                                                                   \
        return ret;                                                                                                    \
    }

FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

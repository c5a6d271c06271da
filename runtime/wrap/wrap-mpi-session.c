/* wrap-mpi-session.c - MPI_Session_init
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that uses MPI by sessions alone has no MPI_COMM_WORLD, and no end that all of its ranks come to: each
 * leaves what it has when it ends, as one that never comes to MPI_Finalize. Which ranks belong together, their launcher
 * says. */
#include <config.h>

#include "base/mpi-abi.h"
#include "life/start.h"
#include "wrap/wrap.h"

#define SESSION(name)                                                                                                  \
    DSN_REAL_DECL(int, name, (dsn_handle info, dsn_handle handler, void *session))                                     \
    DSN_EXPORT int DSN_SYM(name)(dsn_handle info, dsn_handle handler, void *session);                                  \
    DSN_EXPORT int DSN_SYM(name)(dsn_handle info, dsn_handle handler, void *session)                                   \
    {                                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        ret = DSN_REAL(name)(info, handler, session);                                                                  \
        if (ret == DSN_MPI_SUCCESS)                                                                                    \
            dsn__start_session((void *)DSN_REAL(name));                                                                \
        return ret;                                                                                                    \
    }

SESSION(MPI_Session_init)
SESSION(PMPI_Session_init)

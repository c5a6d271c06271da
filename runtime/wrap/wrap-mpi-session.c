/* wrap-mpi-session.c - MPI_Session_init
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that uses only MPI sessions has no MPI_COMM_WORLD, and no final call that all of its ranks make: each
 * leaves its records when it ends, as a rank does that never reaches MPI_Finalize. The launcher tells which ranks
 * belong together. */
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

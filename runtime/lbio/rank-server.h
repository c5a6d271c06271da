/* rank-server.h - a token server in rank 0 of an MPI program
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * If the options ask for it, all ranks agree on it after MPI_Init. If one does not take part, because it runs without the
 * library or with other options, the others wait for it for ten seconds, and then do without tokens. */
#ifndef LBIO_RANK_SERVER_H
#define LBIO_RANK_SERVER_H

#include "lbio/options.h"

/* After a successful MPI_Init; later calls do nothing. `o`: NULL if the library is not in use. `mpi_function`: any
 * function of the MPI library in use. */
void lbio__rank_server_start(const struct lbio_options *o, const void *mpi_function);

/* Whether the descriptor is the server's. */
int lbio__rank_server_owns(int fd);

/* In a child of fork. */
void lbio__rank_server_forget(void);

#endif

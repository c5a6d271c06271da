/* dead-peer.h - detects ranks of this node that will not reach MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that waits for another periodically checks whether that one can still arrive. Ranks that wait for each other
 * have exchanged their pids in MPI_Init (life/rendezvous.h), which is enough within a PID namespace. Otherwise the
 * directory of survival files shows whether the rank runs (survive/liveness.h), and whether it has left its records.
 * Nothing is known of ranks on other nodes. */
#ifndef DSN_SURVIVE_DEAD_PEER_H
#define DSN_SURVIVE_DEAD_PEER_H

#include <stdint.h>

#include "base/mpi.h"

/* Identity of a process for other processes on the same node. */
struct dsn_peer {
    uint64_t boot;             /* boot id of the machine; 0: unknown */
    int64_t space, pid, since; /* PID namespace, pid, and a time at which it existed: survive/liveness.h */
};

/* Identity of this process. */
void dsn__peer_self(struct dsn_peer *p);

/* Records which process a rank is. Room for as many as a rank has neighbours in the tree. */
void dsn__peer_note(int rank, const struct dsn_peer *p);

/* Whether this rank of the job has been killed, or has left its records, so that it sends nothing more. Both answers
 * only if they are certain. The directory is scanned less and less often; checking a survival file that was found is
 * cheap. */
enum dsn_peer_life dsn__rank_life(int rank);

#endif

/* dead-peer.h - ranks of this node that will not come to MPI_Finalize any more
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that waits for another one looks now and then whether that one can still come. Which process it is the ranks
 * that wait for each other have told each other in MPI_Init (life/rendezvous.h): that is enough where they see each
 * other's numbers. What it has counted lies in the directory of survival files, which says whether it runs
 * (survive/liveness.h), and whether it has left what it had. Of ranks of other nodes nothing is known: they are never
 * gone. */
#ifndef DSN_SURVIVE_DEAD_PEER_H
#define DSN_SURVIVE_DEAD_PEER_H

#include <stdint.h>

/* A process, as another one of the same node can look for it. */
struct dsn_peer {
    uint64_t boot;             /* of which start of which machine; 0: not known */
    int64_t space, pid, since; /* its numbers' space, its number, and when it was there for sure: survive/liveness.h */
};

/* This one. */
void dsn__peer_self(struct dsn_peer *p);

/* Which process a rank is. As many are kept as a rank may have neighbours in the tree. */
void dsn__peer_note(int rank, const struct dsn_peer *p);

/* Whether this rank of the job has been killed, or has left what it had counted, so that it sends nothing more. Only
 * what is known for sure makes it 1. The ranks' survival files are looked for less and less often; to ask again for one
 * that was found costs a look at it. */
int dsn__rank_is_dead(int rank);

#endif

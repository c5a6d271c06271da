/* rendezvous.c - one sweep up the tree, in which neighbours learn each other's identity, and one down
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/rendezvous.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reduce/tree.h"
#include "survive/dead-peer.h"

/* From a rank to its parent. */
struct coming {
    struct dsn_peer peer;
    int64_t recording; /* ranks of its subtree that record */
    int64_t waiting;   /* of those, the ranks that request barriers before collective calls */
};

/* From rank 0 to all. */
struct job {
    struct dsn_agreed common;
    int64_t recording;
    int64_t waits;
};

static bool receive(const struct dsn_mpi *mpi, void *out, size_t size, int peer, int64_t deadline)
{
    void *data = NULL;
    size_t got = 0;
    int ok;

    if (mpi->recv(&data, &got, peer, deadline) != 0)
        return false;
    ok = got == size;
    if (ok)
        memcpy(out, data, size);
    free(data);
    return ok;
}

static bool hear_children(const struct dsn_mpi *mpi, struct coming *own, int rank, int size, int64_t deadline)
{
    for (int step = 1; step < size && (rank & step) == 0; step *= 2) {
        struct coming child;

        if (rank + step >= size)
            continue;
        if (!receive(mpi, &child, sizeof child, rank + step, deadline) ||
            mpi->send(&own->peer, sizeof own->peer, rank + step, deadline) != 0)
            return false;
        dsn__peer_note(rank + step, &child.peer);
        own->recording += child.recording;
        own->waiting += child.waiting;
    }
    return true;
}

static bool hear_parent(const struct dsn_mpi *mpi, const struct coming *own, int rank, int64_t deadline)
{
    const int parent = rank & (rank - 1);
    struct dsn_peer peer;

    if (rank == 0)
        return true;
    if (mpi->send(own, sizeof *own, parent, deadline) != 0 || !receive(mpi, &peer, sizeof peer, parent, deadline))
        return false;
    dsn__peer_note(parent, &peer);
    return true;
}

int dsn__rendezvous(const struct dsn_mpi *mpi, int enabled, struct dsn_agreed *common, int *waits, int rank, int size,
                    int64_t deadline)
{
    struct dsn_rank_tree tree = { .mpi = mpi, .rank = rank, .size = size, .deadline = deadline };
    struct coming own = { .recording = enabled != 0, .waiting = *waits != 0 };
    struct job job;
    void *answer = &job;
    size_t answer_size = sizeof job;

    dsn__peer_self(&own.peer);
    if (!hear_children(mpi, &own, rank, size, deadline) || !hear_parent(mpi, &own, rank, deadline))
        return -1;
    mpi->watch(dsn__rank_life, 0, NULL, 0);
    job = (struct job){ .common = *common, .recording = own.recording, .waits = own.waiting == size };
    if (dsn__rank_tree_bcast(&tree, &answer, &answer_size) != 0)
        return -1;
    if (rank != 0) {
        if (answer_size == sizeof job)
            memcpy(&job, answer, sizeof job);
        free(answer);
    }
    *common = job.common;
    *waits = (int)job.waits;
    return (int)job.recording;
}

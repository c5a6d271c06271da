/* assign.c - assigns the next block: by rank, by a master, by a counter
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of P workers takes the first of R blocks by its rank. A master therefore exchanges R messages READY, R - P GO
 * and P STOP; a worker without any block sends none. */
#include <config.h>
#include "measure/sched/parts.h"

#include <sched.h>
#include <time.h>

enum { TAG_READY = 1, TAG_GO, TAG_STOP, TAG_LEAVE };

/* ------------------------------------------------------------------ by rank */

static int64_t next_of_rank(struct darshan_sched *s)
{
    return ++s->cycle * s->workers + s->rank;
}

/* ------------------------------------------------------------------ by a master */

/* A master needs no processor of its own: after a hundred polls without a message it polls every 20 µs. */
void dsn_sched_rest(unsigned *looks)
{
    const struct timespec t = { .tv_nsec = 20000 };

    if (++*looks < 100)
        sched_yield();
    else
        nanosleep(&t, NULL);
}

static int64_t next_of_master(struct darshan_sched *s)
{
    int64_t go[2] = { 0, 0 };
    MPI_Status status;
    unsigned looks = 0;
    int there = 0;

    MPI_Send(NULL, 0, MPI_INT64_T, s->workers, TAG_READY, s->comm);
    s->counts.ready++;
    while (MPI_Iprobe(s->workers, MPI_ANY_TAG, s->comm, &there, &status) == MPI_SUCCESS && !there)
        dsn_sched_rest(&looks);
    MPI_Recv(go, 2, MPI_INT64_T, s->workers, MPI_ANY_TAG, s->comm, &status);
    return status.MPI_TAG == TAG_GO ? go[0] / s->plan.per_block : s->blocks;
}

static void leave_master(struct darshan_sched *s)
{
    MPI_Send(NULL, 0, MPI_INT64_T, s->workers, TAG_LEAVE, s->comm);
}

static void answer(struct darshan_sched *s, int worker, int64_t *block)
{
    int64_t go[2] = { *block * s->plan.per_block, 0 };

    if (*block >= s->blocks) {
        MPI_Send(NULL, 0, MPI_INT64_T, worker, TAG_STOP, s->comm);
        s->counts.stop++;
        return;
    }
    go[1] = s->plan.records - go[0] < s->plan.per_block ? s->plan.records - go[0] : s->plan.per_block;
    MPI_Send(go, 2, MPI_INT64_T, worker, TAG_GO, s->comm);
    s->counts.go++;
    ++*block;
}

static void serve(struct darshan_sched *s)
{
    int64_t block = s->workers, there = s->workers < s->blocks ? s->workers : s->blocks;
    unsigned looks = 0;

    while (there > 0) {
        const int64_t before = s->counts.stop;
        MPI_Status status;
        int has_come = 0;

        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &has_come, &status);
        if (!has_come) {
            dsn_sched_rest(&looks);
            continue;
        }
        looks = 0;
        MPI_Recv(NULL, 0, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, s->comm, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == TAG_READY)
            answer(s, status.MPI_SOURCE, &block);
        there -= status.MPI_TAG == TAG_LEAVE || s->counts.stop > before;
    }
}

/* ------------------------------------------------------------------ by a counter */

static int start_counter(struct darshan_sched *s)
{
    const MPI_Aint bytes = s->rank == 0 ? (MPI_Aint)sizeof *s->counter : 0;

    if (!dsn_sched_mpi(s, MPI_Win_allocate(bytes, sizeof *s->counter, MPI_INFO_NULL, s->comm, &s->counter, &s->window),
                       "MPI_Win_allocate"))
        return 0;
    MPI_Win_lock_all(0, s->window);
    if (s->rank == 0) {
        *s->counter = s->workers;
        MPI_Win_sync(s->window);
    }
    MPI_Barrier(s->comm);
    return 1;
}

static int64_t next_of_counter(struct darshan_sched *s)
{
    const int64_t one = 1;
    int64_t block = s->blocks;

    s->counts.fetches++;
    if (MPI_Fetch_and_op(&one, &block, MPI_INT64_T, 0, 0, MPI_SUM, s->window) != MPI_SUCCESS)
        return s->blocks;
    MPI_Win_flush(0, s->window);
    return block;
}

static void end_counter(struct darshan_sched *s)
{
    if (s->window == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(s->window);
    MPI_Win_free(&s->window);
}

/* ------------------------------------------------------------------ all of them */

static const struct dsn_assignment assignments[DARSHAN_SCHED_NHOWS] = {
    [DARSHAN_SCHED_STATIC] = { .name = "static", .next = next_of_rank },
    [DARSHAN_SCHED_MASTER] = { .name = "master",
                               .has_master = 1,
                               .next = next_of_master,
                               .leave = leave_master,
                               .serve = serve },
    [DARSHAN_SCHED_COUNTER] = { .name = "counter",
                                .start = start_counter,
                                .next = next_of_counter,
                                .end = end_counter },
};

const struct dsn_assignment *dsn_sched_assignment(unsigned how)
{
    return how < DARSHAN_SCHED_NHOWS ? &assignments[how] : NULL;
}

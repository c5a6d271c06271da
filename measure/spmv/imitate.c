/* imitate.c - simulates a slow disk, slow work and a slow worker by sleeping
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/spmv/imitate.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

struct dsn_imitation {
    struct dsn_imitated what;
    MPI_Comm node;
    MPI_Win window;
    int64_t *free_at; /* in shared memory: when the disk completes its requests, in ns of CLOCK_MONOTONIC */
};

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct dsn_imitation *dsn_imitation_open(const struct dsn_imitated *what)
{
    struct dsn_imitation *i = calloc(1, sizeof *i);
    int ranks, mine, is_well, unit;
    MPI_Aint size;

    if (i)
        i->what = *what;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (i)
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &i->node);
    is_well = i != NULL;
    if (i) {
        MPI_Comm_size(i->node, &mine);
        is_well = mine == ranks;
    }
    MPI_Allreduce(MPI_IN_PLACE, &is_well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!i || !is_well) {
        if (i)
            MPI_Comm_free(&i->node);
        free(i);
        return NULL;
    }
    MPI_Comm_rank(i->node, &mine);
    MPI_Win_allocate_shared(mine == 0 ? sizeof *i->free_at : 0, 1, MPI_INFO_NULL, i->node, &i->free_at, &i->window);
    MPI_Win_shared_query(i->window, 0, &size, &unit, &i->free_at);
    if (mine == 0)
        __atomic_store_n(i->free_at, 0, __ATOMIC_RELEASE);
    prctl(PR_SET_TIMERSLACK, 1000); /* for precise wakeups */
    MPI_Barrier(MPI_COMM_WORLD);
    return i;
}

void dsn_imitation_close(struct dsn_imitation *i)
{
    if (!i)
        return;
    MPI_Win_free(&i->window);
    MPI_Comm_free(&i->node);
    free(i);
}

double dsn_imitated_read(void *imitation, int64_t bytes)
{
    const struct dsn_imitation *i = imitation;
    const int64_t took = (int64_t)(1e9 * (double)bytes / i->what.bytes_per_second), at = now();
    int64_t before = __atomic_load_n(i->free_at, __ATOMIC_ACQUIRE), end;

    do
        end = (before > at ? before : at) + took;
    while (!__atomic_compare_exchange_n(i->free_at, &before, end, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return MPI_Wtime() + 1e-9 * (double)(end - now());
}

void dsn_imitated_work(const struct dsn_imitation *i, int worker, double begin, double part, int vectors)
{
    const double took = MPI_Wtime() - begin;
    const double usual = i->what.work_seconds > 0 ? i->what.work_seconds * part * vectors : took;
    const double end = begin + usual * (worker == 0 ? 1 + i->what.slow : 1);
    double left;

    while ((left = end - MPI_Wtime()) > 0) {
        const struct timespec t = { .tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left)) };

        nanosleep(&t, NULL);
    }
}

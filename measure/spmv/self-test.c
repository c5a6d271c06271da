/* self-test.c - verifies the product and the messages for every way of reading and assigning
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <string.h>

#include "measure/spmv/spmv.h"

#define ROWS    500
#define ENTRIES 9000

/* The expected counts over all processes for R blocks; these correct the study's figure. */
static int counts_are_right(struct dsn_spmv *s, const struct dsn_spmv_result *r)
{
    const int64_t blocks = (s->rows - 1) / r->cell.per_block + 1, workers = r->cell.workers;
    const int64_t busy = workers < blocks ? workers : blocks;
    const int is_master = r->cell.how == DARSHAN_SCHED_MASTER, is_counter = r->cell.how == DARSHAN_SCHED_COUNTER;
    const int64_t ready = is_master ? blocks : 0, go = is_master ? blocks - busy : 0, stop = is_master ? busy : 0;
    const int64_t fetches = is_counter ? blocks : 0;

    if (r->blocks == blocks && r->ready == ready && r->go == go && r->stop == stop && r->fetches == fetches)
        return 1;
    return dsn_spmv_fail(
        &s->error,
        "%s, %s: %lld blocks, %lld READY, %lld GO, %lld STOP, %lld fetches, and have to be %lld, %lld, %lld, "
        "%lld, %lld",
        darshan_sched_mode_name(r->cell.mode), darshan_sched_how_name(r->cell.how), (long long)r->blocks,
        (long long)r->ready, (long long)r->go, (long long)r->stop, (long long)r->fetches, (long long)blocks,
        (long long)ready, (long long)go, (long long)stop, (long long)fetches);
}

static int test_cell(struct dsn_spmv *s, const struct dsn_spmv_cell *cell)
{
    struct dsn_spmv_result r = { .cell = *cell };
    int is_right;

    if (!dsn_spmv_run(s, &r, 1))
        return 0;
    is_right = s->rank != 0 || counts_are_right(s, &r);
    MPI_Bcast(&is_right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_right;
}

/* Blocks of one row, of some that do not divide the matrix, and of more than it has; fewer blocks than workers. */
static int test_mode(struct dsn_spmv *s, enum darshan_sched_how how, enum darshan_sched_mode mode, unsigned *n)
{
    static const int64_t sizes[] = { 7, 64, 300, 1000 };
    const int workers = s->ranks - (how == DARSHAN_SCHED_MASTER);

    for (size_t i = 0; workers > 0 && i < sizeof sizes / sizeof sizes[0]; i++)
        for (int buffers = 1; buffers <= 2; buffers++) {
            const struct dsn_spmv_cell cell = { how, mode, workers, 2, buffers, 0, sizes[i] };

            if (!test_cell(s, &cell))
                return 0;
            ++*n;
        }
    return 1;
}

int dsn_spmv_self_test(struct dsn_spmv *s, const char *directory, unsigned *n)
{
    static struct dsn_spmv_settings settings = { .repeats = 1 };
    struct dsn_sparse m = { .rows = 0 };
    int rank, rc;

    *n = 0;
    settings.directory = directory;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !dsn_sparse_generate(ROWS, ENTRIES, 0.5, &m, &s->error)) {
        fprintf(stderr, "darshan-spmv: %s\n", s->error.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    rc = dsn_spmv_open(s, &settings, &m);
    for (unsigned mode = 0; rc && mode < DARSHAN_SCHED_NMODES; mode++)
        for (unsigned how = 0; rc && how < DARSHAN_SCHED_NHOWS; how++)
            if (darshan_sched_fits(how, mode))
                rc = test_mode(s, how, mode, n);
    dsn_spmv_close(s);
    return rc;
}

/* spmv.h - products of a matrix in a file with vectors, by each schedule and each way to read
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. All functions are called by all processes of MPI_COMM_WORLD. */
#ifndef DSN_SPMV_SPMV_H
#define DSN_SPMV_SPMV_H

#include "util/sched/sched.h"
#include "util/spmv/imitate.h"
#include "util/spmv/matrix.h"

#define DSN_SPMV_MOST_CELLS 4096
#define DSN_SPMV_LIST       16

struct dsn_spmv_settings {
    const char *directory;                                                        /* where the file of rows is made */
    int64_t block[DSN_SPMV_LIST], vectors[DSN_SPMV_LIST], workers[DSN_SPMV_LIST]; /* blocks: in units of 64 KiB */
    unsigned nblock, nvectors, nworkers;
    unsigned hows, modes; /* bits */
    unsigned repeats;
    int buffers, is_cold;
    struct dsn_imitated imitated;
};

/* One schedule of one mode with so many workers, vectors and rows in a block: what is run. */
struct dsn_spmv_cell {
    enum darshan_sched_how how;
    enum darshan_sched_mode mode;
    int workers, vectors, buffers;
    int64_t kib, per_block;
};

/* What it took. Times in seconds: medians over its repetitions. */
struct dsn_spmv_result {
    struct dsn_spmv_cell cell;
    double seconds;    /* until the last worker had done its last row */
    double work;       /* of all workers, divided by their number */
    double read;       /* the same run without work: what reading alone takes */
    double begin;      /* until the next block is known and its read has begun, T_seek: of a mean worker */
    double read_begin; /* the same of the run without work, a part of `read` */
    double wait;       /* for data, of a mean worker */
    double longest;    /* work of one block */
    int64_t blocks, calls, ready, go, stop, fetches, bytes; /* of all processes, in one run */
};

struct dsn_spmv {
    const struct dsn_spmv_settings *settings;
    int rank, ranks;
    int64_t rows, columns, entries;
    char path[4352];
    int fd;                   /* rank 0's, of the file of rows */
    struct dsn_matrix matrix; /* rank 0's */
    struct dsn_imitation *imitation;
    double *y; /* of the last run, vector after vector: rank 0's */
    int64_t ny;
    struct dsn_error error;
};

/* The file of rows, out of rank 0's matrix; all return 0 with the same error if it cannot be made. It is removed by
 * dsn_spmv_close(), or by a signal that ends rank 0. */
int dsn_spmv_open(struct dsn_spmv *s, const struct dsn_spmv_settings *settings, struct dsn_matrix *matrix);
void dsn_spmv_close(struct dsn_spmv *s);

/* Rows of the study's unit of reading: as many as are nearest to so many times 64 KiB. */
int64_t dsn_spmv_rows_of(int64_t units, int64_t columns);

/* T = seek + max(work, read): the model, with two buffers; with one they are one after the other. */
double dsn_spmv_model(const struct dsn_spmv_result *r);

/* Graham's: no dynamic schedule takes longer than mean work and the longest block; a worker that reads ahead holds two of them.
 * Where reading takes longer than work, that instead of it. */
double dsn_spmv_bound(const struct dsn_spmv_result *r);

/* Runs a cell `repeats` times. Returns 0 with an error if it cannot be run or, on all ranks, a product is not that of the
 * matrix to the last bit. */
int dsn_spmv_run(struct dsn_spmv *s, struct dsn_spmv_result *cells, unsigned n);

/* Every schedule, mode, number of buffers and several sizes of blocks on a small matrix in that directory. Returns 1 if all
 * is exact; s->error says what differs. `*n`: schedules. */
int dsn_spmv_self_test(struct dsn_spmv *s, const char *directory, unsigned *n);

#endif

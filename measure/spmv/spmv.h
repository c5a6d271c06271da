/* spmv.h - products of a matrix in a file with vectors, for each schedule and way of reading
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. All functions are called by all processes of MPI_COMM_WORLD. */
#ifndef DSN_SPMV_SPMV_H
#define DSN_SPMV_SPMV_H

#include "measure/sched/sched.h"
#include "measure/spmv/imitate.h"
#include "measure/spmv/matrix.h"

#define DSN_SPMV_MOST_CELLS   4096
#define DSN_SPMV_LIST         16
#define DSN_SPMV_MOST_REPEATS 99

struct dsn_spmv_settings {
    const char *directory;                                                        /* of the file of rows */
    int64_t block[DSN_SPMV_LIST], vectors[DSN_SPMV_LIST], workers[DSN_SPMV_LIST]; /* blocks: in units of 64 KiB */
    unsigned nblock, nvectors, nworkers;
    unsigned hows, modes; /* bit masks */
    unsigned repeats;
    int buffers, is_cold;
    struct dsn_imitated imitated;
};

/* A configuration to run: schedule, mode, numbers of workers, vectors and rows per block. */
struct dsn_spmv_cell {
    enum darshan_sched_how how;
    enum darshan_sched_mode mode;
    int workers, vectors, buffers;
    int64_t kib, per_block;
};

/* Its results. Times in seconds: medians over the repetitions. */
struct dsn_spmv_result {
    struct dsn_spmv_cell cell;
    double seconds;    /* until the last worker has completed its last row */
    double work;       /* mean over workers */
    double read;       /* of the same run without work: reading alone */
    double begin;      /* until the next block is known and its read has started, T_seek: mean over workers */
    double read_begin; /* the same without work, included in `read` */
    double wait;       /* for data, mean over workers */
    double longest;    /* work of one block */
    /* By how many per cent the static schedule, run beside it, takes longer: median, least and most over the
     * repetitions. NaN if there is none, or this is it. */
    double gain, gain_least, gain_most;
    int64_t blocks, calls, ready, go, stop, fetches, bytes; /* of all processes, in one run */
};

struct dsn_spmv {
    const struct dsn_spmv_settings *settings;
    int rank, ranks;
    int64_t rows, columns, entries;
    char path[4352];
    int fd;                   /* rank 0's, of the file of rows */
    struct dsn_sparse matrix; /* rank 0's */
    struct dsn_imitation *imitation;
    double *y; /* of the last run, vector by vector: rank 0's */
    int64_t ny;
    struct dsn_error error;
};

/* Writes the file of rows from rank 0's matrix; all return 0 with the same error if that fails. The file is removed by
 * dsn_spmv_close(), or by a signal that ends rank 0. */
int dsn_spmv_open(struct dsn_spmv *s, const struct dsn_spmv_settings *settings, struct dsn_sparse *matrix);
void dsn_spmv_close(struct dsn_spmv *s);

/* Rows per block in the study's unit: the number closest to this many times 64 KiB. */
int64_t dsn_spmv_rows_of(int64_t units, int64_t columns);

/* T = seek + max(work, read): the model with two buffers; with one, the sum of both. */
double dsn_spmv_model(const struct dsn_spmv_result *r);

/* Graham's bound: no dynamic schedule takes longer than the mean work plus the longest block; a worker that reads ahead
 * holds two of them. If reading takes longer than work, reading instead. */
double dsn_spmv_bound(const struct dsn_spmv_result *r);

/* Runs a cell `repeats` times. Returns 0 with an error if it fails or, on all ranks, if a product differs from that of
 * the matrix in any bit. */
int dsn_spmv_run(struct dsn_spmv *s, struct dsn_spmv_result *cells, unsigned n);

/* Runs every schedule, mode, number of buffers and several sizes of blocks on a small matrix in this directory. Returns
 * 1 if all results are exact; otherwise s->error has the difference. `*n`: number of schedules. */
int dsn_spmv_self_test(struct dsn_spmv *s, const char *directory, unsigned *n);

#endif

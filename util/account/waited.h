/* waited.h - time that a log's ranks waited for I/O, and which ranks moved data, as in the job's report
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WAITED_H
#define DSN_WAITED_H

#include "util/lib/figures.h"
#include "util/lib/idmap.h"
#include "util/report/cufile.h"
#include "util/report/report.h"

#define DSN_NOTED_PATTERNS 20
#define DSN_NOTED_PHASES   20
#define DSN_NOTED_SITES    20

/* Files of a pattern (util/report/file-patterns.h). Numbers in its name are #, but in the suffix, so that patterns of several jobs are
 * the same. */
struct dsn_noted_pattern {
    char *name; /* to be freed */
    char file_system[32];
    int64_t files, opens;
    struct dsn_work work;
    double read_size, read_bytes; /* of files that were read, of which the size is known */
    double largest;
};

/* A phase that the program has named (util/report/phases.h). */
struct dsn_noted_phase {
    char *name; /* to be freed */
    int64_t entered, processes;
    struct dsn_work work;
    double time, longest, io_time, slowest;
};

/* A place in the program that makes calls (util/report/sites.h). */
struct dsn_noted_site {
    char where[400];
    int64_t files, metas;
    struct dsn_work work;
    double io_time;
};

struct dsn_waited {
    double time, wait, meta;          /* seconds in the highest layer called, summed over ranks; of these, waiting in
                                       * collective calls; in metadata calls */
    double slowest_at_least, slowest; /* of the slowest rank: lower and upper bound */
    double passed;                    /* that are known to have passed: slowest, or of processes one after another */
    int64_t busiest_bytes;            /* lower bound for the busiest rank */
    int64_t ranks_with_bytes;         /* approximate; -1: unknown */
    int is_tree;                      /* the processes are no ranks: they have started each other */
    int64_t width;                    /* most processes at one time */
    double process_seconds;           /* how long they ran, all together */
    const char *finding;              /* key of the most expensive finding; NULL: none */
    struct dsn_written written;       /* files opened for writing, by what the opens found; `all` 0: not told */
    struct dsn_mapped_file mapped;    /* sums over files that were mapped into memory */
    size_t mapped_files;
    struct dsn_cufile_file cufile; /* sums over files that cuFile has accessed */
    size_t cufile_files;
    double saves; /* seconds that it would save the slowest rank, or at most; -1: unknown */
    struct dsn_noted_pattern pattern[DSN_NOTED_PATTERNS]; /* those on whose files ranks spend most time */
    size_t npatterns;
    struct dsn_noted_phase phase[DSN_NOTED_PHASES]; /* those with most time in calls */
    size_t nphases;
    struct dsn_noted_site site[DSN_NOTED_SITES]; /* those with most time in calls */
    size_t nsites;
};

/* Reads them, and the figures, including damage of the log; adds to `not_counted` the files that are not among the
 * program's: what an MPI library makes for itself. Returns DSN_ERR_OK or MEMORY. */
int dsn_waited_read(struct darshan_reader *log, struct dsn_figures *figures, struct dsn_waited *out,
                    struct dsn__idmap *not_counted);

/* Frees the names of patterns and phases. */
void dsn_waited_free(struct dsn_waited *w);

/* Takes the thresholds of the site, so that a log's finding is what its report says. 0: they are not understood, which was
 * reported. */
int dsn_waited_thresholds(void);

#endif

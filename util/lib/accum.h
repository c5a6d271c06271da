/* accum.h - sums over all records of a module: totals, file categories, performance estimate
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Works for any module, through the roles of its table's rows. The rules are those of the original's printed figures
 * (spec parser-output.md 3 to 5). Memory: a few words for each rank with records, and for each file. */
#ifndef DSN_ACCUM_H
#define DSN_ACCUM_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/table.h"
#include "idtable.h"

/* What is computed; may be or'ed together. */
enum dsn_accum_what {
    DSN_ACCUM_TOTAL = 1,
    DSN_ACCUM_FILES = 2,
    DSN_ACCUM_PERF = 4,
    DSN_ACCUM_PROCESSES = 8 /* with both FILES and PERF: dsn_accum_processes; 8 bytes per record */
};

enum dsn_category {
    DSN_ALL_FILES,
    DSN_READ_ONLY,
    DSN_WRITE_ONLY,
    DSN_READ_WRITE,
    DSN_UNIQUE,        /* only one rank has a record */
    DSN_SHARED,        /* all ranks: there is a reduced record */
    DSN_PARTLY_SHARED, /* several, not all */
    DSN_NCATEGORIES
};

struct dsn_file_count {
    int64_t files;
    int64_t bytes; /* read and written */
    int64_t bytes_read, bytes_written;
    int64_t most_read, most_written; /* of one file */
    int64_t extent;                  /* highest offset; -1: unknown */
    int64_t extents;                 /* sum of the files' highest offsets; -1 if one is unknown */
};

struct dsn_perf {
    int64_t bytes;         /* read and written */
    double unique_io;      /* seconds of the rank that spent most on its own (not reduced) records */
    double unique_meta;    /* of that: in metadata calls */
    double unique_rw;      /* of that: reading and writing */
    int64_t unique_rank;   /* that rank */
    double shared_io;      /* sum over reduced records of their slowest rank's time */
    double io;             /* unique_io + shared_io or, if it is more, in_turn */
    double in_turn;        /* of processes one after another, as the commands of a script are; 0: there are none */
    double mib_per_second; /* 0 if no time was spent */
};

struct dsn_turn;

struct dsn_accum {
    const struct dsn_table *table;
    unsigned what;
    union dsn_any_rec total;
    int started; /* a record has been added */
    struct dsn__idtable files, ranks;
    struct dsn__accum_access *accesses; /* which rank has a record of which file; PROCESSES only */
    size_t naccesses, accesses_room;
    int64_t bytes;
    double shared_io;
    struct dsn__accum_rows {
        uint16_t at[8];
        unsigned n;
    } role[DSN_NROLES];
    struct dsn__accum_rows extremes, extreme_ranks, extreme_bytes; /* fastest and slowest time; whose; what it moved */
    struct dsn_step steps[DSN_MAX_VALUES];
    unsigned nsteps;
    uint16_t slowest; /* the extreme that is the slowest rank's time; nvalues: there is none */
};

void dsn_accum_init(struct dsn_accum *a, const struct dsn_table *t, unsigned what);
void dsn_accum_free(struct dsn_accum *a);

/* Adds a record. Returns DSN_ERR_OK or DSN_ERR_MEMORY. */
int dsn_accum_add(struct dsn_accum *a, const struct dsn_rec *r);

/* The same for the records of one file, into a zeroed record of the caller's: sums, extremes, and the fastest and
 * slowest rank. `first`: r is the first one. Id and rank of `total` are left alone. */
void dsn_accum_fold(const struct dsn_accum *a, const struct dsn_rec *r, struct dsn_rec *total, int first);

/* The total so far; all 0 without records. */
const struct dsn_rec *dsn_accum_total(const struct dsn_accum *a);

/* The files so far. */
void dsn_accum_files(const struct dsn_accum *a, struct dsn_file_count out[DSN_NCATEGORIES]);

/* `turns`: the n processes of the log that started each other (dsn_turns_make); NULL: it has none. Their seconds are set. */
void dsn_accum_perf(const struct dsn_accum *a, struct dsn_turn *turns, size_t n, struct dsn_perf *out);

/* Number of ranks with records of the files of each category; -1: all, there is a reduced record. Returns DSN_ERR_OK or
 * MEMORY. */
int dsn_accum_processes(const struct dsn_accum *a, int64_t out[DSN_NCATEGORIES]);

#endif

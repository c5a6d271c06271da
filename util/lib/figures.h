/* figures.h - the figures of a job's I/O that all reports use, computed in one pass over the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All reports use these figures, so that they agree. Bytes and times are those of the POSIX, STDIO and DFS modules (of
 * DAOS in logs without DFS), because the other layers call these, and of what cuFile moves without them. I/O times include reads, writes and metadata calls.
 * Definitions: spec analysis.md A8 and B1. */
#ifndef DSN_FIGURES_H
#define DSN_FIGURES_H

#include <stdint.h>

#include "log.h"

#define DSN_NSIZES 10 /* bins of dsn_size_bin() */
#define DSN_MOST_COUNT                                                                                                 \
    (INT64_C(1) << 55) /* of bytes or calls in a record; more, or less than 0, is damage and counts as 0 */

/* Where the number of compute nodes comes from. */
enum dsn_nodes_source { DSN_NODES_UNKNOWN, DSN_NODES_GIVEN, DSN_NODES_METADATA, DSN_NODES_EXTENSION };

/* Files with a record of these modules, of which dsn_is_counted(). */
struct dsn_file_kinds {
    int64_t total;
    int64_t read_only, write_only, read_write, untouched; /* by data moved; they add up to total */
    int64_t unique, partly_shared, shared;                /* by ranks: one, some, all; they add up to total */
};

/* The file on which one rank spent the most time. */
struct dsn_slowest_file {
    uint64_t id;
    int64_t rank;   /* the rank */
    double seconds; /* its time; 0: there is no such file */
};

struct dsn_figures {
    int64_t nprocs;  /* at least 1 */
    int64_t present; /* of these, processes whose records the log has: those of a node, or of a task, if it says so */
    int64_t nodes;   /* 0: unknown */
    enum dsn_nodes_source nodes_source;
    double runtime;    /* seconds; 0 or less: unknown */
    int whole_seconds; /* the log's version has no fractions of a second */

    int64_t bytes_read, bytes_written;
    int64_t reads, writes;                   /* calls */
    double read_time, write_time, meta_time; /* seconds, summed over all ranks, without what threads did at once */

    /* Standard streams, pipes, terminals and devices are not storage (kind.h). Their bytes and calls are included in the
     * figures above; their time is not, and dsn_figures_rate() excludes them. */
    int64_t elsewhere_bytes, elsewhere_calls;
    double elsewhere_time; /* seconds, summed over all ranks */

    int64_t
        untimed_bytes; /* of them, bytes that cuFile has queued, whose time nobody knows: not in dsn_figures_rate() */

    double unique_time;   /* maximum over ranks of the seconds on their own records */
    int64_t unique_rank;  /* that rank */
    double shared_time;   /* sum of the slowest ranks' seconds on each shared record */
    double open_to_last;  /* the same, from first open to last access of each shared record */
    int exact;            /* the log has per-rank totals, computed before shared records were reduced */
    int64_t slowest_rank; /* the rank with the most I/O time (exact only) */
    double slowest_read, slowest_write, slowest_meta; /* its seconds (exact only) */
    double
        slowest_time; /* seconds of the slowest rank: exact, or the upper bound unique_time + shared_time; no more than
                          * the run time */
    double
        passed; /* seconds that are known to have passed: slowest_time or, if it is more, the time of processes that ran one
                     * after another, as the commands of a script do (processes.h), which adds up. Rates are over it. */
    int is_bounded; /* the run time is what bounds it: concurrent threads, or parts of different ranks, add up to more */

    struct dsn_file_kinds files;
    struct dsn_slowest_file slowest_file;

    int64_t aggregated_opens, missed; /* opens counted in aggregated records; calls not counted (exact only) */
    int64_t aggregated_files;         /* different files among these; if not exact at least so many, -1: unknown */
    int aggregated_files_exact;
    int64_t limited;  /* of `aggregated_opens`, those due to MAX_RECORDS */
    int64_t untraced; /* operations missing from traces */
    double cpu_user,
        cpu_system;          /* CPU seconds of the processes that the log has it of, in the program and in the kernel */
    int64_t cpu_unknown;     /* ranks that it does not have it of: killed ones, and all of logs of earlier releases */
    struct dsn_timed_calls { /* metadata calls not in any record's metadata time, of all ranks (exact only) */
        int64_t calls;
        double time;
    } deletes, renames, other_metas, map_syncs; /* some renames are in records */
    struct dsn_times_apart {      /* parts of seconds of all ranks; all 0: the log does not have them, or has DFS */
        double open, close, meta; /* `meta` is the whole of the first two and other calls */
        double sync, write;       /* `write` the whole of the first */
    } apart;
    struct dsn_storage_traffic { /* of all processes that were not killed, for whatever they did */
        int known;               /* 0: the log does not tell of all ranks */
        int64_t faults;          /* page faults that waited for storage */
        int64_t read, dirtied;   /* bytes that the kernel read from storage, and of pages that were made dirty */
    } traffic;
    int64_t enough_memory;              /* bytes of DARSHAN_MODMEM, and MAX_RECORDS, with which approximately no file */
    int64_t enough_records;             /* would have been aggregated; 0: unknown, or not the reason */
    struct darshan_reader_error damage; /* the first damage that prevented something from being read */
};

/* How many calls of a rank were under way at a time, on average, at least 1: its seconds on files, at storage and elsewhere, by
 * the time in which it was in any call; in a log that does not say this, those at storage by the run time, if it is shorter.
 * `rank`: its totals; NULL: the log has none. */
double dsn_figures_overlap(const struct dsn_rec *rank, double runtime, double storage, double elsewhere);

/* Whether the log's volume and time are counted at this module. */
int dsn_figures_counts(const struct darshan_reader *log, unsigned module);

/* Reads `log` and makes its figures. `nodes`: number of compute nodes if the caller knows it, else 0. Returns
 * DSN_ERR_OK (also for a damaged log: see damage) or DSN_ERR_MEMORY. */
int dsn_figures_make(struct darshan_reader *log, int64_t nodes, struct dsn_figures *out);

/* The same for a caller that reads the log (opened with names) itself, and adds the records of all modules for which
 * dsn_figures_counts(), in the log's order; others are ignored. begin: NULL if out of memory. add: DSN_ERR_OK or
 * MEMORY. end: frees the pass, and returns the
 * same; `damage` is then that of opening the log only. */
struct dsn_figures_pass;
struct dsn_figures_pass *dsn_figures_begin(struct darshan_reader *log);
int dsn_figures_add(struct dsn_figures_pass *p, const struct dsn_table *t, const struct dsn_rec *r);
int dsn_figures_end(struct dsn_figures_pass *p, int64_t nodes, struct dsn_figures *out);

/* Bytes read and written, without those of standard streams, pipes and devices; and of these those that are in the rate. */
double dsn_figures_bytes(const struct dsn_figures *f);
double dsn_figures_timed_bytes(const struct dsn_figures *f);

/* MiB a second over the I/O time that passed; negative if no time was spent. */
double dsn_figures_rate(const struct dsn_figures *f);

/* The same a compute node (MiB/s/CN); negative if no time was spent or the number of nodes is unknown. */
double dsn_figures_rate_per_node(const struct dsn_figures *f);

/* Finds a line of the metadata. 0: there is none. */
int dsn_find_metadata(const struct darshan_reader *log, const char *key, struct darshan_reader_metadata *m);

/* Whether the job id is a process's, because no batch system gave one. */
int dsn_has_no_job(const struct darshan_reader *log);

#endif

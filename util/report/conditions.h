/* conditions.h - when a finding fires, and which part of a file's time it concerns
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_CONDITIONS_H
#define DSN_CONDITIONS_H

#include "finding.h"
#include "units.h"

/* How data is forced out: by fsync and fdatasync, by fflush to the kernel, or by each write, as it was demanded at the open. */
enum dsn_sync_way { DSN_BY_FSYNC, DSN_BY_FFLUSH, DSN_BY_OPEN, DSN_SYNC_WAYS };

/* Input common to all conditions. */
struct dsn__case {
    const struct dsn_report *r;
    double run;       /* seconds; 0: not known */
    double time;      /* seconds of the slowest rank at storage */
    double all, meta; /* seconds that the slowest rank waited or, if these parts are unknown for it, the mean rank; that
                       * in metadata calls without what a library itself does there, such as compressing at the end */
    double limit;     /* seconds: upper bound for the savings of a finding */
    int64_t slow_ost; /* a slow storage target; -1: none; and the median rate of all: */
    double median_rate;
    double read_rate, write_rate; /* bytes per second of a rank's large requests, and where they come from */
    enum dsn_rate_source read_rate_from, write_rate_from;
    int64_t active;              /* ranks that moved data */
    unsigned needs;              /* of the finding under examination: enum dsn_need */
    double small_files;          /* files that are read or written whole, see dsn__is_small_file() */
    int independent;             /* independent requests to shared files are numerous enough to be a finding */
    int has_postgresql;          /* there are files of a PostgreSQL server */
    enum dsn_sync_way forced_by; /* of the ways in which data is forced out, that which takes most time */
};

/* Seconds of a file that a finding concerns; negative: it does not concern the file, or its advice would not help
 * there. */
double dsn__concern(const struct dsn__case *c, double (*part)(const struct dsn__case *, const struct dsn_report_file *),
                    const struct dsn_report_file *f);

/* Adds a figure, seconds summed over all ranks, or a statement about them, to a finding. */
void dsn__fact(struct dsn_finding *f, const char *name, double value, enum dsn_fact_unit unit);
void dsn__seconds_of_all(struct dsn_finding *f, const char *name, double seconds);
void dsn__remark(struct dsn_finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Conditions that are about ranks, nodes and time. */
int dsn__one_rank(const struct dsn__case *c, struct dsn_finding *f);
int dsn__uneven(const struct dsn__case *c, struct dsn_finding *f);
int dsn__straggler(const struct dsn__case *c, struct dsn_finding *f);
int dsn__slow_node(const struct dsn__case *c, struct dsn_finding *f);
int dsn__few_aggregators(const struct dsn__case *c, struct dsn_finding *f);
int dsn__aggregation(const struct dsn__case *c, struct dsn_finding *f);
int dsn__waiting(const struct dsn__case *c, struct dsn_finding *f);
int dsn__open_waiting(const struct dsn__case *c, struct dsn_finding *f);
int dsn__library_work(const struct dsn__case *c, struct dsn_finding *f);
double dsn__library_work_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__open_waiting_part(const struct dsn__case *c, const struct dsn_report_file *f);
int dsn__burst(const struct dsn__case *c, struct dsn_finding *f);

/* Whether a file that several ranks use had requests through MPI-IO that were neither large nor collective. */
int dsn__is_independent(const struct dsn__case *c, const struct dsn_report_file *f);
/* Sets has_postgresql; forced_by. */
void dsn__find_postgresql(struct dsn__case *c);
void dsn__weigh_syncs(struct dsn__case *c);

/* Whether a file is small, and read or written whole with few calls at each open. */
int dsn__is_small_file(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether most of a file's write time is that of fsync or fflush. */
int dsn__is_synced(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether all ranks make collective calls on a file, beside at most few or large others, or these outnumber others. */
int dsn__is_collective_file(const struct dsn_report *r, const struct dsn_report_file *f);

/* Looks for a storage target that is slow. */
void dsn__find_slow_target(struct dsn__case *c);

/* Largest time that a rank is known to have spent at storage on files with collective calls. */
double dsn__collective_storage(const struct dsn_report *r);

/* Mean seconds per rank, at the highest layer, for files with collective calls; without waiting to open or close them. */
double dsn__collective_time(const struct dsn_report *r);

/* Whether a layout has one stripe only. */
int dsn__is_narrow(const struct dsn_report *r, const struct dsn_report_file *f);

/* Whether most bytes pass through collective calls, which leave storage access to a few ranks on purpose. */
int dsn__is_collective(const struct dsn_report *r);

#endif

/* conditions.h - whether there is a finding, its figures and sentence, and which part of a file's time it concerns
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
    double run;  /* seconds; 0: not known */
    double time; /* seconds that passed at storage: of the slowest rank, or of processes in turn (figures.h) */
    /* seconds that the slowest rank waited or, if these parts are unknown for it, the mean rank; those in metadata calls
     * without what a library itself does there, such as compressing at the end */
    double waited, meta;
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

/* Instead of seconds: the file is not concerned. */
#define DSN_UNCONCERNED (-1.0)

/* Seconds of a file that a finding concerns; DSN_UNCONCERNED: it does not concern the file, or its advice would not help there. */
double dsn__concern(const struct dsn__case *c, double (*part)(const struct dsn__case *, const struct dsn_report_file *),
                    const struct dsn_report_file *f);

/* Sums over the files that a finding concerns. */
struct dsn__sums {
    int64_t files;
    struct dsn_work work;
    double data_reads, extent, most_opens;
    double calls, opens, seeks, stats, syncs, small_reads, small_writes, random_reads, random_writes, unaligned;
    double mpi_independent, mpi_collective, read_extent, write_extent, mpi_bytes, flushes, mmaps;
};
struct dsn__sums dsn__sum_parts(const struct dsn__case *c,
                                double (*part)(const struct dsn__case *, const struct dsn_report_file *));

/* Adds a figure, seconds summed over all ranks, or a statement about them, to a finding. */
void dsn__fact(struct dsn_finding *f, const char *name, double value, enum dsn_fact_unit unit);
void dsn__seconds_of_all(struct dsn_finding *f, const char *name, double seconds);
void dsn__remark(struct dsn_finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ the functions of the rows */

/* Whether it is a finding, and its figures and sentence: see struct dsn_finding_row. */
int dsn__examine_one_rank(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_uneven(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_straggler(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_small_reads(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_small_writes(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_uncombined(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_independent(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_sieving(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_same_data(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_rereads(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_rewrites(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_random_reads(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_random_writes(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_unaligned(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_syncs(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_stdio(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_small_files(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_file_per_process(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_reopens(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_seeks(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_stats(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_untouched(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_names(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_library_meta(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_metadata(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_striping(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_slow_node(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_few_aggregators(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_aggregation(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_burst(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_waiting(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_open_waiting(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_library_work(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_slow_target(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_interpreter(const struct dsn__case *c, struct dsn_finding *f);
int dsn__examine_mapped(const struct dsn__case *c, struct dsn_finding *f);

/* Seconds of a file that it concerns. */
double dsn__time_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__small_reads_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__small_writes_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__uncombined_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__independent_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__sieving_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__same_data_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__rereads_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__rewrites_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__random_reads_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__random_writes_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__unaligned_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__syncs_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__stdio_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__small_files_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__file_per_process_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__reopens_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__seeks_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__stats_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__untouched_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__library_meta_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__metadata_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__striping_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__open_waiting_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__library_work_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__slow_target_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__interpreter_part(const struct dsn__case *c, const struct dsn_report_file *f);
double dsn__mapping_part(const struct dsn__case *c, const struct dsn_report_file *f);

/* ------------------------------------------------------------------ questions that several of them ask */

int dsn__is_shared(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether it is one of the files that a server of PostgreSQL makes for its own purposes: how many, and how they are opened, is not
 * in the hands of who uses it. */
int dsn__is_of_server(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether it is a journal or a table of a database; whether most of the seconds that a finding is about are a database's. */
int dsn__is_database(const struct dsn__case *c, const struct dsn_report_file *f);
int dsn__is_of_database(const struct dsn__case *c,
                        double (*part)(const struct dsn__case *, const struct dsn_report_file *));

/* Whether it was read below MPI-IO, although the program only wrote. */
int dsn__is_sieved(const struct dsn_report_file *f);

/* "over ", where files without a record of their own may be more of them. */
const char *dsn__over(const struct dsn__case *c, int at_start);

/* Seconds saved if `time` were spent at the rate of large requests. */
double dsn__excess(double time, double bytes, double rate);

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

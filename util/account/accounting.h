/* accounting.h - the parts of darshan-accounting, and their arguments
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every part returns the command's exit status: 0, 1 for bad data or a failure (reported on stderr), 2 for wrong
 * usage. */
#ifndef DSN_ACCOUNTING_H
#define DSN_ACCOUNTING_H

#include <stdint.h>

#include "db.h"

#define DSN_ACCOUNTING "darshan-accounting"

enum dsn_form { DSN_FORM_TEXT, DSN_FORM_CSV, DSN_FORM_JSON };

/* This process's rank among those of a launcher that ingest together (share.h). */
struct dsn_usage_share {
    int rank, size;
    char run[17]; /* identifies the run, if the launcher provides that */
};

struct dsn_accounting {
    const char *file; /* of the database, or its connection string: print dsn_db_name() instead */
    struct dsn_db *db;
    char *frozen;
    const char *known; /* opened by readers to check whether a log has been ingested */
    struct dsn_usage_share share;
    struct dsn_db *whole; /* if `db` is this rank's part: the database, read-only */
    char **arguments;     /* after the subcommand */
    int narguments;
    int64_t jobs;        /* reader threads */
    int64_t max_records; /* kept per log */
    int64_t keep_days;   /* -1: unchanged */
    int64_t every;       /* seconds */
    int64_t from, to;    /* seconds since 1970, from <= t < to */
    const char *machine; /* "": not given; all */
    const char *by;      /* query: column to order by; NULL: as the query does */
    int64_t top;         /* query: only the first programs of the ranking; 0: all; see top.h */
    int64_t min_procs;
    double min_mib, site_maximum;
    enum dsn_form form;
    int is_raw;          /* CSV: do not escape text that looks like a formula */
    int is_by_month;     /* export: compressed, by table and month */
    int force;           /* export: replace an existing one */
    const char *output;  /* output file of the report */
    const char *reports; /* directory beside it for reports of the jobs that it names; NULL: none */
    const char *key_file;
    struct dsn_anonym *anonym; /* NULL: do not replace names */
};

/* The time zone of days, months and times in answers: that of the command (TZ, else the system's). */
const char *dsn_zone(void);

/* Prints "<command>: <database>: <its first error>" on stderr. Returns 1. */
int dsn_db_complain(const struct dsn_accounting *a);

int dsn_ingest(struct dsn_accounting *a);
int dsn_watch(struct dsn_accounting *a);
int dsn_forget(struct dsn_accounting *a);
int dsn_check(struct dsn_accounting *a);
int dsn_query(struct dsn_accounting *a);
int dsn_study(struct dsn_accounting *a);
int dsn_report(struct dsn_accounting *a);
int dsn_export(struct dsn_accounting *a);
int dsn_import(struct dsn_accounting *a);

/* Checks the arguments of the query before the database is opened; NULL: valid. */
const char *dsn_query_misuse(const struct dsn_accounting *a);
const char *dsn_import_misuse(const struct dsn_accounting *a);
const char *dsn_export_misuse(const struct dsn_accounting *a);

#endif

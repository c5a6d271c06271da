/* accounting.h - darshan-accounting: what its parts are given, and the parts
 * SPDX-License-Identifier: BSD-3-Clause
 * Every part returns the command's exit status: 0, 1 for bad data or a failure (told on stderr), 2 for wrong usage. */
#ifndef DSN_ACCOUNTING_H
#define DSN_ACCOUNTING_H

#include <stdint.h>

#include "db.h"

#define DSN_ACCOUNTING "darshan-accounting"

enum dsn_form { DSN_FORM_TEXT, DSN_FORM_CSV, DSN_FORM_JSON };

/* This process among those of a launcher that ingest together (share.h). */
struct dsn_share {
    int rank, size;
    char run[17]; /* names the run, as far as the launcher does */
};

struct dsn_accounting {
    const char *file; /* of the database, or its connection string: not to be shown, but dsn_db_name() */
    struct dsn_db *db;
    char *frozen;
    const char *known; /* what readers open to look whether a log is there already */
    struct dsn_share share;
    struct dsn_db *whole; /* where `db` is this rank's part: the database, to look at */
    char **arguments;     /* behind the command's word */
    int narguments;
    int64_t jobs;        /* readers at once */
    int64_t max_records; /* kept of a log */
    int64_t keep_days;   /* -1: as it was */
    int64_t every;       /* seconds */
    int64_t from, to;    /* seconds since 1970: from <= t < to */
    int64_t min_procs;
    double min_mib, site_maximum;
    enum dsn_form form;
    int is_raw;         /* CSV: text that looks like a formula as it is */
    const char *output; /* file of the report */
    const char *key_file;
    struct dsn_anonym *anonym; /* NULL: names stay as they are */
};

/* "<command>: <database>: <its first error>" on stderr. Returns 1. */
int dsn_db_complain(const struct dsn_accounting *a);

int dsn_ingest(struct dsn_accounting *a);
int dsn_watch(struct dsn_accounting *a);
int dsn_check(struct dsn_accounting *a);
int dsn_query(struct dsn_accounting *a);
int dsn_study(struct dsn_accounting *a);
int dsn_report(struct dsn_accounting *a);
int dsn_export(struct dsn_accounting *a);
int dsn_import(struct dsn_accounting *a);

/* What is wrong with the arguments of the word, before anything is opened; NULL: nothing. */
const char *dsn_query_misuse(const struct dsn_accounting *a);
const char *dsn_import_misuse(const struct dsn_accounting *a);

#endif

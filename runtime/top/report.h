/* report.h - activity of processes, files, mounts and jobs, as rows: of this node, or of many
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOP_REPORT_H
#define DSN_TOP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "top/watch.h"

enum dsn_top_kind { DSN_TOP_PROCESSES, DSN_TOP_FILES, DSN_TOP_MOUNTS, DSN_TOP_JOBS, DSN_TOP_NKINDS };

/* A row. Strings belong to the watch, or to the JSON document; NULL: none. */
struct dsn_top_row {
    const char *node, *user, *program, *state, *layer, *file, *mount;
    int64_t job, pid, rank, processes, files;
    uint64_t key; /* rows with the same key, job and user are the same file or mount */
    double count[DSN_TOP_NCOUNTS], rate[DSN_TOP_NCOUNTS];
    double busy; /* mean number of processes in I/O over the interval: at most `processes` */
};

struct dsn_top_rows {
    struct dsn_top_row *row;
    size_t n, room;
};

struct dsn_top_report {
    char host[65];
    double time, interval; /* Unix time; duration in seconds */
    int64_t nodes;
    size_t unreadable, foreign, incomplete; /* processes */
    struct dsn_top_rows rows[DSN_TOP_NKINDS], past;
    struct json_t **texts; /* merged documents, which own the strings */
    size_t ntexts;
    struct dsn_mounts *mounts;
};

/* Names and types of a row's values, in JSON, CSV and on the screen. */
enum dsn_top_type { DSN_TOP_TEXT, DSN_TOP_INTEGER, DSN_TOP_NUMBER };
struct dsn_top_field {
    const char *key;
    enum dsn_top_type type;
    size_t at;      /* in struct dsn_top_row */
    unsigned kinds; /* bit mask of enum dsn_top_kind */
};
extern const struct dsn_top_field dsn__top_fields[];
extern const size_t dsn__top_nfields;
extern const char *const dsn__top_kinds[DSN_TOP_NKINDS]; /* "processes", ... */

/* Empties the report, keeping its memory. */
void dsn__top_report_clear(struct dsn_top_report *r);
void dsn__top_report_free(struct dsn_top_report *r);

/* Frees the documents: the rows read from them must not be used any more. */
void dsn__top_texts_free(struct dsn_top_report *r);

/* Adds a watch's sample. 0: no memory. */
int dsn__top_report_watch(struct dsn_top_report *r, const struct dsn_top_watch *w);

/* Fraction of the interval during which its processes were in I/O, 0 to 1. */
double dsn__top_share(const struct dsn_top_row *row);

/* Appends a row; NULL: no memory. */
struct dsn_top_row *dsn__top_add(struct dsn_top_rows *rows, const struct dsn_top_row *row);

/* Sorts by activity, descending. */
void dsn__top_sort_busiest(struct dsn_top_rows *rows);

/* Merges rows of the same job, user, file and mount, then sorts by activity, descending. */
void dsn__top_unite(struct dsn_top_rows *rows);

/* JSON. Written on one line, because launchers interleave the output of nodes by lines. Reading accepts one or several
 * concatenated documents, and appends their rows. `user`: whatever the document says, everything is this user's, on
 * this node; NULL: it may be of any user and node. `error`: what is wrong, without a full stop. 0: invalid. */
int dsn__top_write_json(FILE *to, const struct dsn_top_report *r);
int dsn__top_read_json(FILE *from, struct dsn_top_report *r, const char *user, char *error, size_t size);

/* A line of names, then a line per row of `kind`. */
int dsn__top_write_csv(FILE *to, const struct dsn_top_report *r, enum dsn_top_kind kind);

/* OpenMetrics; `most`: number of jobs, users and mounts with their own labels, the rest is "other". */
int dsn__top_write_metrics(FILE *to, const struct dsn_top_report *r, size_t most);

#endif

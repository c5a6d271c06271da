/* report.h - what processes, files, mounts and jobs do, in rows: of this node, or of many
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOP_REPORT_H
#define DSN_TOP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "top/watch.h"

enum dsn_top_kind { DSN_TOP_PROCESSES, DSN_TOP_FILES, DSN_TOP_MOUNTS, DSN_TOP_JOBS, DSN_TOP_NKINDS };

/* One line. Texts belong to the watch, or to what was read; NULL: it has none. */
struct dsn_top_row {
    const char *node, *user, *program, *state, *layer, *file, *mount;
    int64_t job, pid, rank, processes, files;
    uint64_t key; /* rows with the same one, job and user are of the same file or mount */
    double count[DSN_TOP_NCOUNTS], rate[DSN_TOP_NCOUNTS];
    double busy; /* processes that were in I/O, in the mean over the interval: at most `processes` */
};

struct dsn_top_rows {
    struct dsn_top_row *row;
    size_t n, room;
};

struct dsn_top_report {
    char host[65];
    double time, interval; /* Unix time; seconds */
    int64_t nodes;
    size_t unreadable, foreign, incomplete; /* processes */
    struct dsn_top_rows rows[DSN_TOP_NKINDS], past;
    struct json_t **texts; /* documents that were merged: texts are theirs */
    size_t ntexts;
    struct dsn_mounts *mounts;
};

/* How values of a row are called: in JSON and CSV, and as a column of the screen. */
enum dsn_top_type { DSN_TOP_TEXT, DSN_TOP_INTEGER, DSN_TOP_NUMBER };
struct dsn_top_field {
    const char *key;
    enum dsn_top_type type;
    size_t at;      /* in struct dsn_top_row */
    unsigned kinds; /* bit: enum dsn_top_kind */
};
extern const struct dsn_top_field dsn__top_fields[];
extern const size_t dsn__top_nfields;
extern const char *const dsn__top_kinds[DSN_TOP_NKINDS]; /* "processes", ... */

/* Begins with nothing, and is begun again with the memory that it has. */
void dsn__top_report_clear(struct dsn_top_report *r);
void dsn__top_report_free(struct dsn_top_report *r);

/* The documents that rows were read from: nothing of these rows is used any more. */
void dsn__top_texts_free(struct dsn_top_report *r);

/* Takes in what a watch has seen. 0: there is no memory. */
int dsn__top_report_watch(struct dsn_top_report *r, const struct dsn_top_watch *w);

/* Share of the interval in which its processes were in I/O, 0 to 1. */
double dsn__top_share(const struct dsn_top_row *row);

/* A row at the end; NULL: there is no memory. */
struct dsn_top_row *dsn__top_add(struct dsn_top_rows *rows, const struct dsn_top_row *row);

/* By what they do, most first. */
void dsn__top_sort_busiest(struct dsn_top_rows *rows);

/* Rows of one job, user, file and mount become one; then by what they do, most first. */
void dsn__top_unite(struct dsn_top_rows *rows);

/* JSON: written, a line, for launchers mix what several nodes say by lines; and read, of one document or of several behind
 * each other, whose rows are added to those there are. `user`: all of it is of this user, on this node, whatever it says;
 * NULL: it may be of anybody, on other nodes. `error`: what is wrong with it, a sentence without its end. 0: it is none of ours. */
int dsn__top_write_json(FILE *to, const struct dsn_top_report *r);
int dsn__top_read_json(FILE *from, struct dsn_top_report *r, const char *user, char *error, size_t size);

/* A line of names, and one for each row; of `kind`. */
int dsn__top_write_csv(FILE *to, const struct dsn_top_report *r, enum dsn_top_kind kind);

/* OpenMetrics; `most`: jobs, users and mounts that have labels of their own, the rest is "other". */
int dsn__top_write_metrics(FILE *to, const struct dsn_top_report *r, size_t most);

#endif

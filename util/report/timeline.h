/* timeline.h - which rank moved how much when: heat maps of a job, from HEATMAP records or from traces
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One line a layer that has data; of a layer that has both, the HEATMAP's, for it leaves nothing out. Beyond 512 ranks
 * a row stands for several. No module records when metadata calls were made; what is known of them is when each file
 * was first opened (`opens`), by records that belong to one rank. */
#ifndef DSN_TIMELINE_H
#define DSN_TIMELINE_H

#include <stdint.h>

#include "util/lib/log.h"
#include "util/report/matrix.h"
#include "util/report/report.h"

#define DSN_TIMELINE_ROWS 512
#define DSN_TIMELINE_BINS 200
#define DSN_MAX_TIMELINES 8

struct dsn_timeline {
    const char *layer;             /* "POSIX" */
    const char *source;            /* "HEATMAP", "DXT_POSIX" */
    double width;                  /* seconds per bin; bin 0 starts with the job */
    int64_t strays;                /* records of ranks outside of the job, which are left out */
    struct dsn_matrix read, write; /* bytes */
};

struct dsn_timelines {
    int64_t nprocs;        /* at least 1 */
    int64_t ranks_per_row; /* the last row may contain fewer */
    size_t rows;
    double runtime; /* seconds, 0: unknown */
    size_t n;
    struct dsn_timeline line[DSN_MAX_TIMELINES];
    double opens_width;
    struct dsn_matrix opens;            /* first opens of files, POSIX and STDIO; all 0 if the log does not have them */
    int64_t shared_opens;               /* shared records, for which the rank that opened them is unknown */
    struct darshan_reader_error damage; /* the first damage that prevented reading */
};

/* For the log that the report was made of. Returns DSN_ERR_OK (also for a damaged log) or DSN_ERR_MEMORY, in which case
 * nothing needs to be freed. */
int dsn_timelines_make(const struct dsn_report *r, struct dsn_timelines *out);
void dsn_timelines_free(struct dsn_timelines *t);

/* As JSON, matrices as dsn_matrix_write() has them. Lines with very many filled cells get fewer rows, each for
 * "ranks_per_row" ranks of their own; the matrices of *t are so changed. */
void dsn_timelines_write(struct dsn_text *out, struct dsn_timelines *t);

#endif

/* before-open.h - what was in files before they were opened for writing: created, overwritten, changed, and deleted ones
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of logs whose extension section has the part "files"; of others nothing is known. Source of the question: spec
 * analysis.md B9, B13b. */
#ifndef DSN_BEFORE_OPEN_H
#define DSN_BEFORE_OPEN_H

#include "report.h"

/* While reading: adds what the log tells beside a record of POSIX or STDIO. */
void dsn_before_open_note(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                          struct dsn_report_file *f);

/* When all records are read and files are placed: sums over the files that count, in `r->written`. */
void dsn_before_open_sum(struct dsn_report *r);

/* What the job did to the file: "created", "overwritten", "changed", "empty before", "perhaps created"; NULL: not
 * told, or not opened for writing. */
const char *dsn_before_open_word(enum dsn_before_open before);

/* Whether the job both created and deleted it, and did not create it again. */
static inline int dsn_file_is_temporary(const struct dsn_report_file *f)
{
    return f->before_open == DSN_BEFORE_NOTHING && f->deleted >= f->created && f->size_before <= 0 && f->renamed == 0;
}

/* Whether it had content, which the job read before it wrote to the file. */
static inline int dsn_file_is_read_first(const struct dsn_report_file *f)
{
    return f->before_open == DSN_BEFORE_CONTENT && f->first_read > 0 && f->first_write > 0 &&
           f->first_read < f->first_write;
}

#endif

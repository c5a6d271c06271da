/* compare.h - what changed from one run to another, for programs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_COMPARE_H
#define DSN_COMPARE_H

#include "many.h"
#include "units.h"

/* How figures are called and shown. */
struct dsn__brief_row {
    const char *key, *label;
    struct dsn_short_text (*text)(double v);
};
extern const struct dsn__brief_row dsn__brief_rows[DSN_NBRIEF];

/* A figure as text, "-" if it is not known. */
struct dsn_short_text dsn__brief_text(const struct dsn_brief *b, int figure);

/* Of at least two briefs: from the first to the last. */
json_t *dsn__comparison(const struct dsn_briefs *all);

#endif

/* compare.h - what changed from one run to another
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of at least two briefs: from the first to the last. */
#ifndef DSN_COMPARE_H
#define DSN_COMPARE_H

#include <jansson.h>

#include "brief.h"

/* Prints it on stdout, and which findings came and went. Lines are cut to 80 columns on a terminal only. */
void dsn_compare_print(const struct dsn_briefs *all, int is_terminal);

/* The same for programs. The caller has called dsn_document_begin(). */
json_t *dsn_comparison(const struct dsn_briefs *all);

/* Whether all of them ran the same program, as far as logs tell. */
int dsn_is_same_program(const struct dsn_briefs *all);

/* "+50 %", "x 12"; empty if there is no change, or it is unknown. */
struct dsn_short_text dsn_change_text(double from, double to, struct dsn_short_text (*unit)(double));

#endif

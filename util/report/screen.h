/* screen.h - a report for a terminal: the answer, what to do, and the facts behind both
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is longer than 80 columns. Without `verbose` all of it fits in 24 lines: what matters least is left out, and
 * --verbose is named if a finding is. Names and commands out of a log are shown without control characters. */
#ifndef DSN_SCREEN_H
#define DSN_SCREEN_H

#include "findings.h"

struct dsn_screen_style {
    int verbose;
    int colour; /* colours and bars: for terminals only */
};

/* Prints on stdout. Returns DSN_ERR_OK or MEMORY. */
int dsn_screen_print(const struct dsn_report *r, const struct dsn_findings *f, const struct dsn_screen_style *style);

/* Prints what the log tells of a phase that the program has named. Returns 1, 0 if there is none of that name, or -1 without
 * memory. */
int dsn_screen_phase(const struct dsn_report *r, const char *name, int colour);

#endif

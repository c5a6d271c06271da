/* thresholds.h - numbers from which something is a finding, and sentences with them
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_THRESHOLDS_H
#define DSN_THRESHOLDS_H

#include <stddef.h>

/* Thresholds of all conditions. */
struct dsn_thresholds {
#define THRESHOLD(name, kind, value, doc) double name;
#include "thresholds.def"
#undef THRESHOLD
};
extern struct dsn_thresholds dsn_thresholds; /* constant once reports are made */

/* Reads those that a site has set: the file $DARSHAN_THRESHOLDS, or one of the installation if it is there. Returns its name;
 * `error`: what is wrong with it, or "". */
const char *dsn_thresholds_of_site(char *error, size_t n);

/* The file that has been read; NULL: none. */
const char *dsn_thresholds_file(void);

/* The sentence of a condition in findings.def, with the threshold for each {name}, and 1 minus it for each {-name}: "at least
 * {calls} reads" becomes "at least 1,000 reads". Returns `to`. */
#define DSN_CONDITION_MAX 512
const char *dsn_condition_text(const char *sentence, char to[DSN_CONDITION_MAX]);

#endif

/* value.h - values of settings, from text
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pure functions. Each takes all of the text or fails: no blanks, signs, exponents or trailing characters. Locales do
 * not matter. */
#ifndef DSN_CONFIG_VALUE_H
#define DSN_CONFIG_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* A number of bytes: in `unit` bytes each, or with a suffix K, M, G or T (powers of 1,024; "B" or "iB" may follow) in
 * these; with a fraction, unless these are single bytes. Returns 0 if it is none, or does not fit an int64_t. */
int dsn__parse_bytes(const char *s, int64_t unit, int64_t *out);

/* A whole number, or a number with an optional fraction. */
int dsn__parse_whole(const char *s, int64_t *out);
int dsn__parse_share(const char *s, double *out);

/* A rank (n), a range of them, both ends included (a:b, a:, :b, :), or all (*); `len` bytes. Where no end is given
 * *last is INT64_MAX. */
int dsn__parse_ranks(const char *s, size_t len, int64_t *first, int64_t *last);

/* About how many nodes a POSIX extended regular expression has once it is compiled: "+" and intervals copy what
 * stands before them, in nested ones each time, so that a few bytes may ask for all memory. At most 1,000,000 is
 * returned, also for groups in more than 50 others. */
long dsn__expression_cost(const char *expression);

/* The bit of the module whose printed name is `len` bytes at `s`; all bits for "*"; 0 if there is none. */
uint64_t dsn__parse_module(const char *s, size_t len);

/* The next of the items that commas separate: its length, with its begin in *item; *list goes on behind it. Empty ones
 * are passed over; 0 at the end. */
size_t dsn__next_item(const char **list, const char **item);

/* Whether `rank` is on a list of ranks. */
int dsn__is_rank_listed(const char *list, int64_t rank);

#endif

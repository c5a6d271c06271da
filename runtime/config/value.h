/* value.h - parses values of settings
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pure functions, independent of the locale. Each consumes all of the text or fails: no blanks, signs, exponents or
 * trailing characters. */
#ifndef DSN_CONFIG_VALUE_H
#define DSN_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a size: a number of `unit` bytes, or with a suffix K, M, G or T (powers of 1,024; "B" or "iB" may follow); may
 * have a fraction unless the unit is a byte. Returns false if the text is invalid or the result exceeds int64_t. */
bool dsn__parse_bytes(const char *s, int64_t unit, int64_t *out);

/* Parses an integer; a number with an optional fraction. */
bool dsn__parse_whole(const char *s, int64_t *out);
bool dsn__parse_share(const char *s, double *out);

/* Parses `len` bytes as a rank (n), an inclusive range (a:b, a:, :b, :), or all (*). *last is INT64_MAX if there is no
 * upper bound. */
bool dsn__parse_ranks(const char *s, size_t len, int64_t *first, int64_t *last);

/* Estimates the number of nodes of a POSIX extended regular expression once compiled: "+" and intervals copy what
 * precedes them, nested ones repeatedly, so a few bytes may exhaust memory. Returns at most 1,000,000, also for groups
 * nested more than 50 deep. */
long dsn__expression_cost(const char *expression);

/* Matches `n` bytes of an extended regular expression that is nothing but a word: behind "^" or "(^|/)" or nothing,
 * before "$" or nothing. Returns 1 or 0, as regexec finds it or not; -1: regcomp is needed. regcomp leaves what it has
 * freed in the heap that the program will begin with, and programs exist that rely on a heap of zeros. */
int dsn__match_plain(const char *expression, size_t n, const char *word);

/* Bit of the module whose printed name is the `len` bytes at `s`; all bits for "*"; 0 if there is none. */
uint64_t dsn__parse_module(const char *s, size_t len);

/* Splits a comma-separated list: returns the next item's length, with its start in *item, and advances *list. Skips
 * empty items; 0 at the end. */
size_t dsn__next_item(const char **list, const char **item);

/* Whether `rank` is in a list of ranks. */
bool dsn__is_rank_listed(const char *list, int64_t rank);

#endif

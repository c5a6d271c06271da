/* pattern.h - the name of the record in which files of one kind are counted together
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_PATTERN_H
#define DSN_RECORD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* "/data/run7/train/img0001.jpg" becomes "/data/run7/train/<*.jpg>": a suffix has letters, and at most eight characters, else it
 * is "<*>". Beyond the first `fixed` bytes of the directory's path numbers become '#': "/data/run#/train/<*.jpg>" with 5. What is
 * a pattern already stays as it is. Returns false if it does not fit, or `name` is no path. */
bool dsn__pattern_of(const char *name, size_t fixed, char *out, size_t size);

bool dsn__is_pattern(const char *name);

#endif

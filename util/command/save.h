/* save.h - a file that a command writes, whole or not at all
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_H
#define DSN_SAVE_H

#include "util/lib/text.h"

/* Writes a file, which may be there already, with what `write` puts out; that returns 0 if it has no memory. Returns 0 or
 * an errno; then no part of a file is left behind. */
int dsn_save(const char *path, int (*write)(struct dsn_text *out, const void *context), const void *context);

#endif

/* save.h - writes a file atomically
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_H
#define DSN_SAVE_H

#include "util/lib/text.h"

/* Writes or replaces a file with the output of `write`, which returns 0 if out of memory. Returns 0 or an errno; then
 * no partial file is left behind. */
int dsn_save(const char *path, int (*write)(struct dsn_text *out, const void *context), const void *context);

#endif

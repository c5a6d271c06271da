/* save.h - new files that appear under their names only when they are complete
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_H
#define DSN_SAVE_H

#include "util/lib/text.h"

/* A file that is being written. What had its name before keeps it, unchanged, until dsn_file_end(). */
struct dsn_new_file {
    int fd;
    char *path;      /* without symbolic links */
    char *temporary; /* beside it; NULL if what is written is not a regular file, or its directory cannot be written */
};

/* Begins a file. A device or a pipe is written at once, and so is a file in a directory where none can be created. A
 * file that is replaced keeps its mode. Returns 0 or an errno; then there is nothing to end. */
int dsn_file_begin(struct dsn_new_file *f, const char *path);

/* Closes the file (unless fd is -1 by now) and gives it its name; if `error` (an errno), or anything here, went wrong, removes it instead. Returns 0 or
 * the errno. */
int dsn_file_end(struct dsn_new_file *f, int error);

/* Writes or replaces a file with the output of `write`, which returns 0 if out of memory. Returns 0 or an errno; then
 * no partial file is left behind. */
int dsn_save(const char *path, int (*write)(struct dsn_text *out, const void *context), const void *context);

#endif

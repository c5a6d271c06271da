/* config-file.h - reads lines of text from files that may not be text
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_CONFIG_FILE_H
#define DSN_CONFIG_CONFIG_FILE_H

#include <stddef.h>

/* Callbacks: one for each line, counted from 1, NUL-terminated and writable; one for errors in a line, or in the file
 * as a whole (line 0). */
struct dsn_line_callbacks {
    void (*line)(void *context, unsigned number, char *text);
    void (*wrong)(void *context, unsigned number, const char *why);
    void *context;
};

/* Passes the lines of a regular file of up to 1 MiB to the callbacks. Other types are not opened: that might block or
 * have side effects. Lines of more than 4,095 bytes are skipped; a file with a NUL byte is rejected as not text. */
void dsn__lines_of_file(const char *path, const struct dsn_line_callbacks *to);

/* The same for `n` bytes in memory. */
void dsn__lines_of_text(const char *text, size_t n, const struct dsn_line_callbacks *to);

#endif

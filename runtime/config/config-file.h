/* config-file.h - the lines of a file that people wrote, or did not
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_CONFIG_FILE_H
#define DSN_CONFIG_CONFIG_FILE_H

#include <stddef.h>

/* Who takes them: each line, counted from 1, NUL-terminated and free to be changed; and what is wrong with one, or with
 * the file as a whole (line 0). */
struct dsn_lines {
    void (*line)(void *context, unsigned number, char *text);
    void (*wrong)(void *context, unsigned number, const char *why);
    void *context;
};

/* Hands over the lines of a regular file of up to 1 MiB: nothing else is opened, so that nothing can hang or be changed
 * by it. Lines of more than 4,095 bytes are passed over, what has a NUL in it is no text at all. */
void dsn__lines_of_file(const char *path, const struct dsn_lines *to);

/* The same of `n` bytes. */
void dsn__lines_of_text(const char *text, size_t n, const struct dsn_lines *to);

#endif

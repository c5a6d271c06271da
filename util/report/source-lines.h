/* source-lines.h - which function and which line of its source an address in a program or library is in
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From debugging information, in the file itself or apart from it where the system keeps such files (/usr/lib/debug, by build
 * id); nothing is fetched from a network. A log may name any file: only regular ones are opened, by root only those of root,
 * and what they hold is parsed by libdw of elfutils. Without that, nothing is known. */
#ifndef DSN_SOURCE_LINES_H
#define DSN_SOURCE_LINES_H

#include <stdint.h>

enum dsn_source_known {
    DSN_SOURCE_LINE,     /* function, file and line */
    DSN_SOURCE_FUNCTION, /* the function alone: it was compiled without -g */
    DSN_SOURCE_NOTHING,  /* not even that: it is stripped */
    DSN_SOURCE_CHANGED,  /* the file is another one than the one that ran */
    DSN_SOURCE_MISSING   /* there is no such file, it may not be read, or this program was built without libdw */
};

struct dsn_source_place {
    enum dsn_source_known known;
    char function[96]; /* without namespace and arguments, if it is known by debugging information */
    uint64_t offset;   /* in it, if the line is not known */
    char file[256];    /* as the compiler was called */
    int line;
};

/* Files that have been opened. NULL: no memory. */
struct dsn_source;
struct dsn_source *dsn_source_new(void);
void dsn_source_free(struct dsn_source *s);

/* `offset`: a return address, relative to where the file says that it is to be loaded; `build_id` in hexadecimal, "" if it had
 * none. What is inlined from a header of the system counts as where it is called. */
void dsn_source_find(struct dsn_source *s, const char *path, const char *build_id, uint64_t offset,
                     struct dsn_source_place *place);

#endif

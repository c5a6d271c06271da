/* texts.h - a table of distinct, numbered strings
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_TEXTS_H
#define DSN_TRACE_TEXTS_H

#include "pairmap.h"

struct dsn__texts {
    struct dsn__pairmap index;
    char **texts;
    size_t room;
};

#define DSN__NO_TEXT UINT32_MAX

void dsn__texts_init(struct dsn__texts *n);
void dsn__texts_free(struct dsn__texts *n);

/* The number of a text of `length` bytes, or DSN__NO_TEXT: no memory. Texts are valid as long as the table. */
uint32_t dsn__texts_add(struct dsn__texts *n, const char *text, size_t length);

/* A text; NULL for DSN__NO_TEXT. */
const char *dsn__texts_text(const struct dsn__texts *n, uint32_t number);

/* Replaces each number in a name by `mark`: names of files that differ in numbers only become the same. Returns the
 * length. */
size_t dsn__mark_numbers(char *name, char mark);

#endif

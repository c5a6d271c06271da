/* tell.h - what reached devices as text and as JSON
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_TELL_H
#define DSN_BLOCK_TELL_H

#include <jansson.h>

#include "calls.h"
#include "util/lib/text.h"

#define DSN_BLOCK_FILES 100 /* listed */

struct dsn_block_report {
    const struct dsn_block *run, *idle; /* idle NULL: no baseline */
    const char *file;
    struct dsn_block_sector hottest[DSN_BLOCK_HOTTEST];
    size_t nhottest;
    char *owner[DSN_BLOCK_HOTTEST]; /* files that have these sectors; NULL: not known */
    struct dsn_block_file *files;   /* with requests, most bytes first */
    size_t nfiles;
    const struct dsn_block_calls *calls; /* NULL: no log was given */
};

void dsn_block_text(struct dsn_text *out, const struct dsn_block_report *r);
json_t *dsn_block_document(const struct dsn_block_report *r); /* NULL: there is no memory */

/* The report as a page. Returns 0 if there is no memory. */
int dsn_block_page(struct dsn_text *out, const void *report);

#endif

/* tell.h - device requests as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to measure/block and its command. */
#ifndef DSN_BLOCK_TELL_H
#define DSN_BLOCK_TELL_H

#include <jansson.h>

#include "calls.h"
#include "util/lib/text.h"

#define DSN_BLOCK_FILES 100 /* listed */

struct dsn_block_report {
    const struct dsn_block *run, *idle; /* idle NULL: no baseline */
    struct dsn_block_sector hottest[DSN_BLOCK_HOTTEST];
    size_t nhottest;
    char *owner[DSN_BLOCK_HOTTEST]; /* owning files of these sectors; NULL: unknown */
    struct dsn_block_file *files;   /* those with requests, descending by bytes */
    size_t nfiles;
    const struct dsn_block_calls *calls; /* NULL: no log was given */
};

void dsn_block_text(struct dsn_text *out, const struct dsn_block_report *r);
json_t *dsn_block_document(const struct dsn_block_report *r); /* NULL: no memory */

/* Writes the report as an HTML page. Returns 0 if out of memory. */
int dsn_block_page(struct dsn_text *out, const void *report);

#endif

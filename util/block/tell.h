/* tell.h - what reached devices as text and as JSON
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_TELL_H
#define DSN_BLOCK_TELL_H

#include <jansson.h>

#include "count.h"
#include "util/lib/text.h"

struct dsn_block_report {
    const struct dsn_block *run, *idle; /* idle NULL: no baseline */
    const char *file;
    struct dsn_block_sector hottest[DSN_BLOCK_HOTTEST];
    size_t nhottest;
    char *owner[DSN_BLOCK_HOTTEST]; /* files that have these sectors; NULL: not known */
    int has_log;
    double asked[2]; /* bytes that programs read and wrote, by the job's log */
};

void dsn_block_text(struct dsn_text *out, const struct dsn_block_report *r);
json_t *dsn_block_document(const struct dsn_block_report *r); /* NULL: there is no memory */

#endif

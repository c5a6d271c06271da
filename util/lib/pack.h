/* pack.h - segments of a trace, held in memory in a quarter of their size
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A segment mostly begins where the last one ended, in the file and in time: what is kept of it are the differences, 10
 * to 13 bytes as a rule, 41 at most. Nothing is lost.
 * Private to util/lib. */
#ifndef DSN_PACK_H
#define DSN_PACK_H

#include "darshan-log-format/varying.h"

#define DSN_PACK_LEAST 3 /* bytes that a segment takes at least */

struct dsn__pack {
    unsigned char *bytes; /* NULL: not made yet */
    size_t size, used;
    struct dsn_dxt_segment last; /* that was put in or taken out */
};

/* Makes room for `size` bytes, of which only those cost memory that get used. Returns 0 if there is no memory. */
int dsn__pack_init(struct dsn__pack *p, size_t size);
void dsn__pack_free(struct dsn__pack *p);

/* To put in from the beginning, or to take out from there. */
void dsn__pack_rewind(struct dsn__pack *p);

/* 0: no room for all of them. */
int dsn__pack_put(struct dsn__pack *p, const struct dsn_dxt_segment *s, size_t n);

/* As many as have been put in, no more. */
void dsn__pack_take(struct dsn__pack *p, struct dsn_dxt_segment *out, size_t n);

#endif

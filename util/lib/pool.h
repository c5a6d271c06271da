/* pool.h - many texts that are alike, each kept as what it does not share with the one before
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of a job's files differ in a few characters, so that they take a quarter of their length. Texts are numbered as
 * they come. To look them up in that order, or nearly so, is fastest.
 * Private to util/lib. */
#ifndef DSN_POOL_H
#define DSN_POOL_H

#include <stddef.h>
#include <stdint.h>

struct dsn__pool {
    unsigned char *bytes; /* of each text: length of the shared beginning, then the rest and a NUL */
    size_t used, room;
    size_t *start; /* of every DSN_POOL_GROUP-th text, which shares nothing */
    size_t n;
    char *text;                                           /* the one that was added or looked up last: */
    size_t text_room, text_length, text_number, text_end; /* text_end: where the next one begins in `bytes` */
};

#define DSN_POOL_GROUP 16

/* An empty pool is all zeros. */
void dsn__pool_free(struct dsn__pool *p);

/* Adds a text without NULs: it gets the number p->n. Returns 0 if there is no memory; the pool is as before then. */
int dsn__pool_add(struct dsn__pool *p, const char *text, size_t length);

/* Text number i (less than p->n), valid until the next call with this pool. */
const char *dsn__pool_get(struct dsn__pool *p, size_t i);

#endif

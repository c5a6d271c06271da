/* bigmap.h - elements of a fixed size by record id, any number of them in a fixed amount of memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements stand in memory up to DSN_BIGMAP_MOST. When these are full, all of them go to a temporary file, by the hash
 * of their ids, and a new table begins: an id may so have several elements, which are merged when they are read, part
 * by part. If there can be no temporary file all of them stay in memory. Private to util/lib. */
#ifndef DSN_BIGMAP_H
#define DSN_BIGMAP_H

#include "idmap.h"
#include "spill.h"

#define DSN_BIGMAP_MOST  49151 /* an idmap of 2^16 slots grows when it has one more */
#define DSN_BIGMAP_PARTS 256   /* by the upper eight bits of the hash */

/* Adds what `later` says to `into`, an element of the same id that is older. */
typedef void dsn__bigmap_merge(void *into, const void *later, void *context);

struct dsn__bag {
    struct dsn__idmap index;
    unsigned char *bytes;
    size_t n, room;
};

struct dsn__bigmap {
    size_t size; /* of an element; the id comes first */
    dsn__bigmap_merge *merge;
    void *context;
    struct dsn__bag now, part; /* being filled; last read */
    struct dsn__spill file;
    uint64_t blocks; /* in the file */
    int stays;       /* nothing more can be written */
    uint32_t *order; /* elements of `now` by part; those of part p begin at start[p] */
    uint32_t start[DSN_BIGMAP_PARTS + 1];
};

/* Allocates nothing. */
void dsn__bigmap_init(struct dsn__bigmap *m, size_t size, dsn__bigmap_merge *merge, void *context);
void dsn__bigmap_free(struct dsn__bigmap *m);

/* The element of `id` to be changed, valid until the next call; *fresh: it is new, and zeros but for its id. NULL: no
 * memory. What is new may be known from long ago, which merging finds out. */
void *dsn__bigmap_element(struct dsn__bigmap *m, uint64_t id, int *fresh);

/* Elements come in this many parts, each id once, in one part; in a single part they stand as they came. */
unsigned dsn__bigmap_parts(const struct dsn__bigmap *m);

/* Part p, to be read in ascending order; again from 0 as often as one likes, also after more has been added. Valid
 * until the next call. Returns DSN_ERR_OK, MEMORY, or READ if the temporary file cannot be read. */
int dsn__bigmap_read(struct dsn__bigmap *m, unsigned p, void **elements, size_t *n);

/* The part and, in its lower bits, the place of an id in any table. */
uint64_t dsn__bigmap_hash(const struct dsn__bigmap *m, uint64_t id);

#endif

/* pages.h - the page cache of a node: cached and dirty blocks, read-ahead
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Has no clock: times are arguments; durations are computed by the machine. Both reads and writes add blocks, and a
 * policy chooses those that are evicted; dirty blocks are written in the order in which they became dirty, contiguous
 * ones together. Read-ahead is that of Linux (mm/readahead.c, as documented there): a window for a sequential stream,
 * which doubles up to its limit; one of its blocks is marked, and when that is read, the next window is fetched
 * asynchronously. A nonsequential read preceded by cached blocks is treated as a stream, and reads ahead; so do marks
 * of other, and former, streams. Windows fetched asynchronously use increasingly large folios, each marked as a whole.
 * Private to util/simulate. */
#ifndef DSN_SIMULATE_PAGES_H
#define DSN_SIMULATE_PAGES_H

#include "policy.h"

struct dsn_pages {
    uint64_t block; /* bytes */
    struct dsn_blocks map;
    struct dsn_cache cache;
    struct dsn_page {
        uint32_t newer, older; /* in the list of dirty ones */
        double since;          /* dirty since */
        uint64_t key;
        uint8_t dirty;
        uint16_t marked; /* reading it fetches the next window: its index in its folio, plus 1; 0: not marked */
    } * page;
    uint32_t newest, oldest; /* dirty ones */
    uint64_t ndirty;
    int failed; /* out of memory: the state is invalid */
};

/* Read position of a process in a file. */
struct dsn_stream {
    uint64_t next;                         /* offset at which a sequential read would start */
    uint64_t first, size;                  /* blocks of the current window */
    uint64_t later;                        /* of these, from the marked one on */
    unsigned order;                        /* fetched in aligned folios of 2^order blocks */
    uint64_t arriving_first, arriving_end; /* blocks being fetched */
    uint32_t arriving;                     /* number of the request that fetches them, plus 1; 0: none */
};

/* I/O needed for a read or a write, in blocks. */
struct dsn_page_plan {
    uint64_t hits, misses;
    uint64_t fetch; /* to be fetched now; the reader waits */
    uint64_t ahead; /* to be fetched asynchronously: so many from ahead_first to ahead_end */
    uint64_t ahead_first, ahead_end;
    uint64_t dirty_out; /* evicted dirty blocks, to be written */
};

/* An empty cache for this number of blocks of `block` bytes. Allocates nothing. */
void dsn_pages_begin(struct dsn_pages *p, const struct dsn_policy *policy, uint64_t block, uint64_t blocks);
void dsn_pages_free(struct dsn_pages *p);

/* The number of a block, for which there is an entry in p->page afterwards. DSN_BLOCK_NONE: no memory, see
 * p->failed. */
uint32_t dsn_pages_number(struct dsn_pages *p, uint64_t key);

/* Reads blocks [first, end) of a file of `extent` blocks whose first block has the key `base`. `window`: limit of
 * read-ahead in blocks, 0: none. */
struct dsn_page_plan dsn_pages_read(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent,
                                    uint64_t offset, uint64_t length, uint64_t window);

/* Writes bytes: their blocks become dirty. */
struct dsn_page_plan dsn_pages_write(struct dsn_pages *p, uint64_t base, uint64_t offset, uint64_t length, double now);

/* Cleans the oldest dirty blocks, including contiguous ones up to `most`. Returns their number. */
uint64_t dsn_pages_clean(struct dsn_pages *p, uint64_t most);

/* Time since which the oldest dirty block is dirty; infinity if there is none. */
double dsn_pages_oldest(const struct dsn_pages *p);

#endif

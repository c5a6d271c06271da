/* pages.h - the page cache of a node: which blocks it has, which are dirty, what is read ahead
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Knows time only as its arguments; durations are the machine's. Reads and writes both bring blocks in, of a policy's
 * choice others go; dirty blocks are written in the order in which they became dirty, contiguous ones together.
 * Read-ahead is that of Linux (mm/readahead.c as its documentation describes it): a window of a stream that reads on
 * where it was, which doubles up to its limit; a block of it is marked, and when somebody reads that one, the next
 * window is fetched asynchronously. A read elsewhere that finds the blocks before it cached looks like one of a stream,
 * and some more are fetched with it; so do marks of other streams, and of former ones, when somebody comes upon them.
 * Windows fetched behind the reader's back come in larger and larger folios, each of which is marked as a whole.
 * Private to util/simulate. */
#ifndef DSN_SIMULATE_PAGES_H
#define DSN_SIMULATE_PAGES_H

#include "policy.h"

struct dsn_pages {
    uint64_t block; /* bytes */
    struct dsn_blocks map;
    struct dsn_cache cache;
    struct dsn_page {
        uint32_t newer, older; /* of the dirty ones */
        double since;          /* dirty since */
        uint64_t key;
        uint8_t dirty;
        uint16_t marked; /* reading it fetches what follows: its place in its folio, plus 1; 0: it does not */
    } * page;
    uint32_t newest, oldest; /* dirty ones */
    uint64_t ndirty;
    int failed; /* there was not enough memory: it is of no use any more */
};

/* Where a process reads in a file. */
struct dsn_stream {
    uint64_t next;                         /* byte that a sequential read would begin with */
    uint64_t first, size;                  /* blocks of the present window */
    uint64_t later;                        /* of them, those from the marked one on */
    unsigned order;                        /* it comes in folios of 2^order blocks, as far as they are aligned */
    uint64_t arriving_first, arriving_end; /* blocks that are on their way */
    uint32_t arriving;                     /* the number of the request that brings them, plus 1; 0: none is */
};

/* What a read or a write needs. Blocks. */
struct dsn_page_plan {
    uint64_t hits, misses;
    uint64_t fetch; /* to be fetched now; the reader waits for it */
    uint64_t ahead; /* to be fetched behind its back: so many of those from ahead_first to ahead_end */
    uint64_t ahead_first, ahead_end;
    uint64_t dirty_out; /* dirty ones that went for others: to be written */
};

/* An empty cache of so many blocks of `block` bytes. Allocates nothing. */
void dsn_pages_begin(struct dsn_pages *p, const struct dsn_policy *policy, uint64_t block, uint64_t blocks);
void dsn_pages_free(struct dsn_pages *p);

/* The number of a block, which has an entry in p->page from now on. DSN_BLOCK_NONE: there is no memory, see
 * p->failed. */
uint32_t dsn_pages_number(struct dsn_pages *p, uint64_t key);

/* Blocks [first, end) of a file whose first block has the key `base`, which has `extent` blocks, are read. `window`:
 * the limit of read-ahead in blocks, 0: none. */
struct dsn_page_plan dsn_pages_read(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent,
                                    uint64_t offset, uint64_t length, uint64_t window);

/* Bytes are written: their blocks are dirty now. */
struct dsn_page_plan dsn_pages_write(struct dsn_pages *p, uint64_t base, uint64_t offset, uint64_t length, double now);

/* Takes the oldest dirty blocks, contiguous ones up to `most`: they are clean. Returns how many. */
uint64_t dsn_pages_clean(struct dsn_pages *p, uint64_t most);

/* Since when the oldest dirty block is dirty; infinity if none is. */
double dsn_pages_oldest(const struct dsn_pages *p);

#endif

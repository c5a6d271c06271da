/* region.h - what some ranks add to the log: region by region, first what is compressed, then what is not yet
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions over bytes, without communication. On the way to the rank that writes, the regions of neighbouring ranks are
 * joined; records stay as they are until there are enough of them to be worth a stream. So a job of which each rank
 * has little compresses it in few pieces, smaller and faster than piece by piece, and ranks that have much compress it
 * all at the same time. The regions of a log may be any number of streams. A name that several of the joined ranks have
 * stands there once, unless it is compressed already. */
#ifndef DSN_LOG_REGION_H
#define DSN_LOG_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/module.h"

/* Numbers of regions: names, then modules by ascending id, of which the header has maps, then parts of the extension
 * section. */
#define DSN_REGION_NAMES    0
#define DSN_NHEADER_REGIONS (1 + (int)DSN_INDEX_PHASE)
#define DSN_REGION_RANKS    DSN_NHEADER_REGIONS    /* the table of ranks */
#define DSN_REGION_STAMPS   (1 + DSN_REGION_RANKS) /* CPU times beside traces */
#define DSN_REGION_LBIO     (2 + DSN_REGION_RANKS) /* figures of log-based I/O */
#define DSN_REGION_FILES    (3 + DSN_REGION_RANKS) /* what opens found, and times apart */
#define DSN_REGION_PHASES   (4 + DSN_REGION_RANKS) /* phases that the program has named */
#define DSN_REGION_MAPPED   (5 + DSN_REGION_RANKS) /* files that were mapped into memory */
#define DSN_REGION_SITES    (6 + DSN_REGION_RANKS) /* places in the program that call I/O functions */
#define DSN_REGION_STACKS   (7 + DSN_REGION_RANKS) /* the chains of calls that these are */
#define DSN_REGION_CUFILE   (8 + DSN_REGION_RANKS) /* files that cuFile has accessed */
#define DSN_NREGIONS        (9 + DSN_REGION_RANKS)
#define DSN_WORTH_A_STREAM  ((size_t)64 << 10) /* bytes that are worth a stream of their own */
#define DSN_NAMES_UNCOMPRESSED                                                                                         \
    ((size_t)256 << 10) /* bytes of names of several ranks: kept uncompressed longer, to detect duplicates */

static inline int dsn__region_of(enum dsn_module_index module)
{
    switch (module) {
    case DSN_INDEX_PHASE:
        return DSN_REGION_PHASES;
    case DSN_INDEX_MAPPED:
        return DSN_REGION_MAPPED;
    case DSN_INDEX_SITE:
        return DSN_REGION_SITES;
    case DSN_INDEX_CUFILE:
        return DSN_REGION_CUFILE;
    default:
        return 1 + (int)module;
    }
}

static inline enum dsn_module_index dsn__module_of_region(int region)
{
    return (enum dsn_module_index)(region - 1);
}

struct dsn_regions {
    struct dsn_region {
        char *bytes; /* dsn__pages; the first `packed` bytes are zlib streams, `raw` ones follow */
        size_t packed, raw, room;
        size_t whole; /* what all of it decompresses to; of names it is not known */
    } of[DSN_NREGIONS];
    int64_t took[DSN_NHEADER_REGIONS]; /* ns to make each of them, the maximum over ranks */
    struct dsn_seen {                  /* Set of the ids, plus 1, of names that are not compressed; open addressing. */
        uint64_t *id;                  /* dsn__pages; 0: a free slot */
        size_t n, room;                /* room is a power of two */
    } seen;
};

/* Where a result is false or NULL, there was no memory. */

/* Room for `size` more bytes of a region; they count once dsn__region_added() is called with the number used. */
char *dsn__region_room(struct dsn_regions *r, int region, size_t size);
bool dsn__region_added(struct dsn_regions *r, int region, size_t size);

/* Appends a stream (dsn__pages) that was compressed elsewhere, of `whole` bytes, and frees it. */
bool dsn__region_packed(struct dsn_regions *r, int region, char *stream, size_t packed, size_t whole);

/* Compresses everything in a region; in all regions. */
bool dsn__region_flush(struct dsn_regions *r, int region);
bool dsn__regions_flush(struct dsn_regions *r);

/* Builds a message: `nbefore` bytes of the caller's, then the regions from `first` on. `before` (or NULL) is grown to
 * it. NULL if there is no memory; `before` is then unchanged. */
typedef void *(*dsn_grow)(void *block, size_t size);
char *dsn__regions_message(const struct dsn_regions *r, int first, char *before, size_t nbefore, dsn_grow grow,
                           size_t *size);

/* Appends the regions of a message (after the caller's bytes). */
bool dsn__regions_join(struct dsn_regions *r, const void *message, size_t size);

/* The same for regions that are not in a message; `theirs`, whose memory may be exchanged for that of `r`, can only be
 * emptied or freed then. */
bool dsn__regions_append(struct dsn_regions *r, struct dsn_regions *theirs);

/* Empties the regions but keeps their memory. */
void dsn__regions_empty(struct dsn_regions *r);

void dsn__regions_free(struct dsn_regions *r);

#endif

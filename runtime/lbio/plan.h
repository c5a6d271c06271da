/* plan.h - which logged writes are sent to the file system as one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes of a batch become runs: ranges of files, in the order in which they are to be sent. What the bytes of a run are
 * the tree says, so that of writes that overlap the last one wins; here it is only decided which belong together. */
#ifndef LBIO_PLAN_H
#define LBIO_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum lbio_merge {
    LBIO_MERGE_OFF,   /* each write is a run */
    LBIO_MERGE_FIFO,  /* a write that continues or overlaps the one before it joins it */
    LBIO_MERGE_WINDOW /* it may join an earlier run, if no run between them overlaps either */
};

struct lbio_run {
    const void *file; /* which; compared only */
    int64_t off, len;
};

#define LBIO_BATCH 256 /* writes that are looked at together */

/* Makes runs of at most `largest` bytes (a single write may be longer) of `n` writes, in their place. Returns how many. */
size_t lbio__plan(struct lbio_run *run, size_t n, enum lbio_merge how, int64_t largest);

#endif

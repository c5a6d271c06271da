/* plan.h - merges logged writes into larger ones for the file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The writes of a batch become runs: ranges of files, in the order in which they are to be sent. The content of a run
 * is taken from the tree, so that the last of overlapping writes wins; this only decides which writes belong
 * together. */
#ifndef LBIO_PLAN_H
#define LBIO_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum lbio_merge {
    LBIO_MERGE_OFF,   /* each write is a run */
    LBIO_MERGE_FIFO,  /* a write that continues or overlaps the previous one joins it */
    LBIO_MERGE_WINDOW /* it may join an earlier run if it does not overlap a run in between */
};

struct lbio_run {
    const void *file; /* only compared */
    int64_t off, len;
};

#define LBIO_BATCH 256 /* writes that are planned together */

/* Merges `n` writes in place into runs of at most `largest` bytes (a single write may be longer). Returns the number of
 * runs. */
size_t lbio__plan(struct lbio_run *run, size_t n, enum lbio_merge how, int64_t largest);

#endif

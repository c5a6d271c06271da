/* counts.h - what a process has done so far
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_COUNTS_H
#define LBIO_COUNTS_H

#include <stdint.h>

/* Seconds are those of the callers (visible) and of the replay thread. */
struct lbio_counts {
    uint64_t writes, bytes;                   /* logged */
    uint64_t reads_logged, reads_remote;      /* pieces of reads from the log, and from the file */
    uint64_t replayed_writes, replayed_bytes; /* sent; what was written over before was not */
    uint64_t waits;                           /* writes that waited for room in the log */
    uint64_t direct_files, direct_writes;
    uint64_t errors;
    int64_t log_high; /* most bytes that the log ever held */
    double visible_seconds, replay_seconds, wait_seconds, token_seconds, drain_seconds;
};

#endif

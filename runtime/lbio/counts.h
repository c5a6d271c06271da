/* counts.h - statistics of a process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_COUNTS_H
#define LBIO_COUNTS_H

#include <stdint.h>

/* Why a file is written directly. */
enum lbio_reason {
    LBIO_IS_LOGGED, /* it is not */
    LBIO_IS_SHARED,
    LBIO_OPENED_SO,
    LBIO_IS_STANDARD,
    LBIO_IS_MAPPED,
    LBIO_IS_LOCKED,
    LBIO_BY_STREAM,
    LBIO_BY_ASYNC,
    LBIO_IS_REMOVED,
    LBIO_NO_ROOM,
    LBIO_REASONS,
    LBIO_HAS_ENDED = LBIO_REASONS /* logging has; not counted */
};

/* Seconds are those of callers (visible) and of the replay thread. */
struct lbio_counts {
    uint64_t files;                              /* logged; again if written again after being complete and closed */
    uint64_t writes, bytes;                      /* logged */
    uint64_t reads_logged, reads_remote;         /* parts of reads served by the log, and by the file */
    uint64_t replayed_writes, replayed_bytes;    /* written to the files; overwritten data is not */
    uint64_t waits;                              /* writes that waited for space in the log */
    uint64_t opens_saved;                        /* served with replay's descriptor */
    uint64_t direct_files, direct[LBIO_REASONS]; /* of the first, for each reason */
    uint64_t tokens;                             /* acquired by replay */
    uint64_t without_token;                      /* batches replayed without the token that the options ask for */
    uint64_t errors;
    uint64_t incomplete_files; /* after the last drain */
    int64_t log_high;          /* maximum size of the log in bytes */
    double write_seconds;      /* of visible: in logged writes */
    double write_squares;      /* sum of the squares of their durations; s^2 */
    double longest_write;      /* seconds */
    double visible_seconds, replay_seconds, wait_seconds, token_seconds, drain_seconds;
};

#endif

/* parts.h - the steps in which a rhythm is found
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/rhythm. */
#ifndef DSN_RHYTHM_PARTS_H
#define DSN_RHYTHM_PARTS_H

#include "gather.h"

#define DSN__THRESHOLDS 6

/* Operations of one kind that follow each other, or all of one kind in a burst. */
struct dsn__run {
    uint32_t key;
    uint64_t n, bytes;
};

/* Operations being looked at, of the job or of one process. Arrays are made once for all attempts. */
struct dsn__look {
    const struct dsn_rhythm_input *in;
    const struct dsn_rhythm_op *ops; /* by their start */
    size_t n;
    uint64_t *gap;         /* ns: the pause before each */
    struct dsn__run *runs; /* of all bursts, one after the other; n + 1 */
    size_t *run_of;        /* the first of each burst's; n + 2 */
    uint32_t *next;        /* the next burst of another signature with the same hash; 0: none */
};

/* Sorts by `start`. 0: there is no memory. */
int dsn__order_by_time(struct dsn_rhythm_op *ops, size_t n);

/* 0: there is no memory; dsn__look_end() is to follow all the same. */
int dsn__look_begin(struct dsn__look *l, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops, size_t n);
void dsn__look_end(struct dsn__look *l);

/* Pauses that could separate bursts, in ns, the most likely first. Returns how many; -1: there is no memory. */
int dsn__find_thresholds(const struct dsn__look *l, uint64_t threshold[DSN__THRESHOLDS]);

/* Bursts that are separated by pauses of `threshold` and more; 0: there is one. 0: there is no memory. */
int dsn__find_bursts(const struct dsn__look *l, uint64_t threshold, struct dsn_rhythm_part *p);

/* Which bursts are like which. 0: there is no memory. */
int dsn__find_signatures(struct dsn__look *l, enum dsn_rhythm_likeness likeness, struct dsn_rhythm_part *p);

/* Cycles, and what follows of them. 0: there is no memory. */
int dsn__find_cycles(struct dsn_rhythm_part *p, int is_well_separated);
int dsn__find_anchors(const struct dsn__look *l, struct dsn_rhythm_part *p);

/* The chance that `n` intervals at random vary by as little as `variation` (deviation over mean); at most 1. */
double dsn__chance_of_steps(size_t n, double variation);

/* Amounts of equal bins, `width` seconds each; all of them is time that the program ran. 0: there is no memory. */
int dsn__find_spectrum(const double *bins, size_t n, double width, struct dsn_rhythm_spectrum *out);

/* Adds the bytes of the operations to `n` bins of `width` ns, spread over the time that each took. 0: there is no memory. */
int dsn__spread_bytes(const struct dsn__look *l, double width, double *bins, size_t n);

#endif

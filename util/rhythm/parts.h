/* parts.h - the steps of finding a rhythm
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/rhythm. */
#ifndef DSN_RHYTHM_PARTS_H
#define DSN_RHYTHM_PARTS_H

#include "gather.h"

#define DSN__THRESHOLDS 6
#define DSN__VALLEYS    3
#define DSN__STEADY     0.3 /* maximum deviation over mean of a rhythm's period */
#define DSN__PERIODS    12  /* from which events are followed: six, with and without passing others over */

/* Consecutive operations of one kind, or all of one kind in a burst. */
struct dsn__run {
    uint32_t key;
    uint64_t n, bytes;
};

/* Operations of the job or of one process, with arrays that are used by all attempts. */
struct dsn__look {
    const struct dsn_rhythm_input *in;
    const struct dsn_rhythm_op *ops; /* sorted by start */
    size_t n;
    uint64_t *gap;         /* ns: the pause before each */
    struct dsn__run *runs; /* of all bursts; n + 1 */
    size_t *run_of;        /* index of each burst's first; n + 2 */
    uint32_t *next;        /* the next burst with another signature, but the same hash; 0: none */
};

/* Sorts by `start`. 0: no memory. */
int dsn__order_by_time(struct dsn_rhythm_op *ops, size_t n);

/* 0: no memory; call dsn__look_end() in any case. */
int dsn__look_begin(struct dsn__look *l, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops, size_t n);
void dsn__look_end(struct dsn__look *l);

/* Pauses in ns that may separate bursts, by descending likelihood. Returns their number; -1: no memory. */
int dsn__find_thresholds(const struct dsn__look *l, uint64_t threshold[DSN__THRESHOLDS]);

/* More of them, for noisy pauses: only for bursts that are the same, because similar ones would be found by chance. */
int dsn__find_valleys(const struct dsn__look *l, const uint64_t *threshold, int n, uint64_t valley[DSN__VALLEYS]);

/* Separates bursts at pauses of at least `threshold`; 0: there is only one. 0: no memory. */
int dsn__find_bursts(const struct dsn__look *l, uint64_t threshold, struct dsn_rhythm_part *p);

/* Finds similar bursts. 0: no memory. */
int dsn__find_signatures(struct dsn__look *l, enum dsn_rhythm_likeness likeness, struct dsn_rhythm_part *p);

/* How events recur. */
struct dsn__steps {
    size_t used, missing, strangers; /* steps; periods without an event; events that come between */
    double mean, deviation;          /* seconds; around the trend, if there is one */
    double trend[2];                 /* the first period, and the one that is next; 0: no trend */
    double log_chance;               /* logarithm of the probability that random events look like this */
    int is_steady;
};

/* `time`: ascending, in seconds, no more exact than `resolution`. `step`: room for 2 n; the steps used are left in it.
 * `fits`: whether each event belongs. */
struct dsn__steps dsn__fit_steps(const double *time, size_t n, double resolution, double *step, unsigned char *fits);

/* What a cycle is: a sequence of bursts that recurs, or bursts of one signature, whatever comes between. */
enum dsn__method { DSN__SEQUENCES, DSN__CLASSES };

/* Finds cycles, and their figures. `resolution`: of the times, in seconds. 0: no memory. */
int dsn__find_cycles(struct dsn_rhythm_part *p, enum dsn__method method, double resolution);

/* Finds which cycles nest, and what all of them have of the part. 0: no memory. */
int dsn__add_up(struct dsn_rhythm_part *p);
int dsn__find_anchors(const struct dsn__look *l, struct dsn_rhythm_part *p);

/* Orders doubles, for qsort(). */
int dsn__by_value(const void *a, const void *b);

/* Logarithm of the number of ways to choose `k` of `n`. */
double dsn__log_choose(size_t n, size_t k);

/* The probability that `n` random intervals have at most this `variation` (deviation over mean); at most 1. */
double dsn__chance_of_steps(size_t n, double variation);

/* Analyses amounts in bins of `width` seconds, which cover the run time. 0: no memory. */
int dsn__find_spectrum(const double *bins, size_t n, double width, struct dsn_rhythm_spectrum *out);

/* Adds the bytes of the operations to `n` bins of `width` ns, distributed over each one's duration. 0: no memory. */
int dsn__spread_bytes(const struct dsn__look *l, double width, double *bins, size_t n);

#endif

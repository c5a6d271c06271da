/* verdict.h - what samples say of a file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was not swept, or does not say, is 0 or NAN. Private to util/sweep. */
#ifndef DSN_SWEEP_VERDICT_H
#define DSN_SWEEP_VERDICT_H

#include "estimate.h"

enum dsn_yes_or_no { DSN_NOT_KNOWN, DSN_NO, DSN_YES };

/* A cache, as a curve over file sizes shows it. */
struct dsn_cache_found {
    uint64_t bytes;      /* the largest file that is as fast as smaller ones; 0: the curve does not fall */
    uint64_t next;       /* the first after it that is certain not to be; 0: none is */
    uint64_t at_least;   /* the largest file that was tried, where the curve does not fall */
    int scatters;        /* it seems to fall, by less than the spread of the samples: nothing is reported */
    double upper, lower; /* bytes a second before and behind */
};

struct dsn_way_found {
    uint64_t best_request, peak_request; /* the smallest that has 95 % of the peak; the peak */
    double peak;                         /* bytes a second */
    double latency, byte, off;           /* seconds; relative error of that model */
    unsigned best_workers[2];            /* of one file, of a file each */
    double best_rate[2], efficiency[2];  /* with so many; B(P) / (P B(1)) */
    double total;                        /* bytes a second: the most of any number of workers */
    unsigned best_mode, like_best;       /* bits of modes whose intervals reach into that of the best */
    double best_mode_rate;
};

struct dsn_verdict {
    struct dsn_rate_curve curve[DSN_NSWEEPS];
    struct dsn_way_found way[2]; /* reads, writes */
    struct dsn_cache_found read_cache, write_cache;
    enum dsn_yes_or_no write_behind;
    double write_behind_gain; /* rate of what nobody waits for to that of what is synced, while it fits */
    enum dsn_yes_or_no reads_ahead;
    uint64_t ahead_bytes;              /* most that were there before they were asked for */
    double ahead_gain;                 /* rate in order to that at random */
    enum dsn_yes_or_no keeps;          /* a file that was read stays in memory */
    enum dsn_yes_or_no whole_only;     /* and is of use only if all of it fits */
    double warm_gain, warm_gain_large; /* of the second reading to the first: of what fits, of what does not */
    double
        read_write_handle; /* rate through a handle for reading and writing to that of one for reading, median over sizes */
    enum dsn_yes_or_no is_proved; /* nothing of the files was in the page cache where it must not be */
    double worst_resident;        /* the largest share that was */
};

/* Returns 0 if there is no memory. */
int dsn_verdict_make(const struct dsn_samples *s, struct dsn_verdict *out);

/* The request size for what is not about request size: the best one of reads, or of writes, or 1 MiB. */
uint64_t dsn_verdict_request(const struct dsn_samples *s);

#endif

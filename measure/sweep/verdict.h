/* verdict.h - results from the samples of a file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was not measured, or is unknown, is 0 or NAN. Private to measure/sweep. */
#ifndef DSN_SWEEP_VERDICT_H
#define DSN_SWEEP_VERDICT_H

#include "estimate.h"

enum dsn_yes_or_no { DSN_NOT_KNOWN, DSN_NO, DSN_YES };

/* A cache, from a curve over file sizes. */
struct dsn_cache_found {
    uint64_t bytes;      /* the largest file that is as fast as smaller ones; 0: the curve does not fall */
    uint64_t next;       /* the first after it that is certainly slower; 0: none */
    uint64_t at_least;   /* the largest file measured, if the curve does not fall */
    int scatters;        /* it seems to fall, but within the spread of the samples: not reported */
    double upper, lower; /* bytes per second before and after */
};

/* Why a result that was measured is not given. */
enum dsn_withheld { DSN_GIVEN, DSN_OF_THE_CACHE, DSN_OF_MEMORY };

struct dsn_way_found {
    enum dsn_withheld requests_withheld, workers_withheld, mode_withheld;
    uint64_t best_request, peak_request; /* the smallest with 95 % of the peak; the peak */
    double peak;                         /* bytes per second */
    double latency, byte, off;           /* seconds; relative error of this model */
    unsigned best_workers[2];            /* for one shared file, and a file per worker */
    double best_rate[2], efficiency[2];  /* with that number; B(P) / (P B(1)); NAN: samples scatter */
    unsigned cached_workers[2];          /* the same for a file that is in the page cache */
    double cached_rate[2], cached_efficiency[2];
    double total;                  /* bytes per second: maximum over numbers of workers */
    unsigned best_mode, like_best; /* bit mask of the modes whose intervals overlap that of the best */
    double best_mode_rate;
};

/* What processes on all nodes reach together, as requests vary, and as processes do. */
struct dsn_nodes_found {
    enum dsn_withheld withheld;
    size_t withheld_by;                  /* index of the host because of which it is */
    uint64_t best_request, peak_request; /* as above */
    double peak;
    unsigned best[2]; /* processes, for one file and a file each */
    double best_rate[2], efficiency[2];
};

/* What a host contributed to a point of a sweep of nodes. */
struct dsn_node_share {
    unsigned sweep, host; /* index */
    uint64_t x;
    double rate, resident; /* bytes per second, the median; the largest share of a file in its page cache */
};

struct dsn_verdict {
    const struct dsn_samples *samples; /* of which it is; for the names of hosts */
    struct dsn_node_share *share;      /* sorted by sweep, host and x */
    size_t nshares;
    enum dsn_withheld (*of_host)[2]; /* of each host: why its reads, and its writes, are not told */
    struct dsn_rate_curve curve[DSN_NSWEEPS];
    struct dsn_way_found way[2];     /* reads, writes */
    struct dsn_nodes_found nodes[2]; /* the same */
    struct dsn_cache_found read_cache, write_cache;
    enum dsn_withheld caches_withheld, ahead_withheld, keeps_withheld;
    enum dsn_yes_or_no write_behind;
    double write_behind_gain; /* ratio of the rates of buffered and of synced writes, while the data fits */
    enum dsn_yes_or_no reads_ahead;
    uint64_t ahead_bytes;              /* maximum number of bytes read ahead */
    double ahead_gain;                 /* ratio of sequential to random rate */
    enum dsn_yes_or_no keeps;          /* a file that was read remains cached */
    enum dsn_yes_or_no whole_only;     /* which is only useful if all of it fits */
    double warm_gain, warm_gain_large; /* ratio of second reads to first: for files that fit, and that do not */
    double
        read_write_handle; /* ratio of the rate through a descriptor for reading and writing to that of a read-only one,
                            * median over sizes */
    enum dsn_yes_or_no is_proved; /* nothing was in the page cache when it must not be */
    double worst_resident;        /* the largest share that was */
};

/* The samples must last as long as the verdict. `in_memory`: the file system is: then nothing is known of a device, of caches before it, or of requests that bypass
 * them. Returns 0 if out of memory; to be freed in any case. */
int dsn_verdict_make(const struct dsn_samples *s, int in_memory, struct dsn_verdict *out);

void dsn_verdict_free(struct dsn_verdict *v);

/* The share of a host in a sweep of nodes at x. NULL: it had none. */
const struct dsn_node_share *dsn_verdict_share(const struct dsn_verdict *v, unsigned sweep, size_t host, uint64_t x);

/* The request size for a sweep that does not vary it: the best one of reads, or of writes, or 1 MiB; of nodes the best of
 * theirs. */
uint64_t dsn_verdict_request(const struct dsn_samples *s, unsigned sweep);

#endif

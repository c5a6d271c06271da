/* sweep.h - a sweep: its points, their samples, and the results
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A point is measured n times, in rounds over all points of its sweep, so that other activity of the machine affects
 * all of them. A sample is the mean rate of m calls; a point's result is the median of its samples, with the 95 %
 * confidence interval. Private to util. */
#ifndef DSN_SWEEP_H
#define DSN_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum dsn_sweep_id {
#define SWEEP(symbol, ...) DSN_SWEEP_##symbol,
#include "sweeps.def"
#undef SWEEP
    DSN_NSWEEPS
};

enum dsn_factor { DSN_BY_REQUEST, DSN_BY_SMALL, DSN_BY_FILE, DSN_BY_WRITERS, DSN_BY_PLANE, DSN_BY_MODE };
enum dsn_operation { DSN_OP_READ, DSN_OP_WRITE, DSN_OP_REREAD };
enum dsn_cache_state { DSN_CACHE_PAST, DSN_CACHE_WARM, DSN_CACHE_COLD, DSN_CACHE_BEHIND, DSN_CACHE_SYNCED };

struct dsn_sweep_row {
    const char *name, *what;
    enum dsn_factor factor;
    enum dsn_operation operation;
    enum dsn_cache_state cache;
    int is_each, is_random, is_nodes;
};
const struct dsn_sweep_row *dsn_sweep_row(unsigned id);
int dsn_sweep_is_write(unsigned id);

/* Access modes. The first ones are measured here, the others by an MPI program. */
struct dsn_mode_row {
    const char *name, *what;
    int is_mpi;
};
enum { DSN_MODE_BUFFERED, DSN_MODE_DIRECT, DSN_MODE_DSYNC, DSN_MODE_MAPPED, DSN_NMODES_POSIX };
#define DSN_NMODES 10
const struct dsn_mode_row *dsn_mode_row(unsigned mode); /* NULL: no more */

/* What is measured at a point. */
struct dsn_point {
    unsigned sweep;
    uint64_t x; /* the varied value: bytes, workers, or a mode; of a plane the size of the file, beside its request */
    uint64_t request, size;
    unsigned workers, mode;
};

/* A sample. `resident`: share of the file in the page cache, before reads and after writes, according to mincore(2);
 * negative: unknown. `ahead`: bytes in the cache in excess of those read, after some small sequential reads. */
struct dsn_sample {
    unsigned sweep;
    unsigned host; /* 0: all of it; else 1 + index of the host whose share of such a sample this is */
    uint64_t x, request;
    double bytes, seconds, resident, ahead;
};

/* A node on which --mpi has started processes. */
struct dsn_sweep_host {
    char name[65], type[32]; /* of the file system that the directory is on there */
    unsigned processes;
};

struct dsn_samples {
    struct dsn_sample *sample;
    size_t n, room;
    struct dsn_sweep_host *host;
    size_t nhosts, host_room;
};
/* Both return 0 if there is no memory. */
int dsn_samples_add(struct dsn_samples *s, const struct dsn_sample *one);
int dsn_samples_add_host(struct dsn_samples *s, const struct dsn_sweep_host *one);
void dsn_samples_free(struct dsn_samples *s);
/* Index of a host of this name. -1: none. */
long dsn_samples_host(const struct dsn_samples *s, const char *name);
size_t dsn_samples_count(const struct dsn_samples *s, unsigned sweep, uint64_t x, uint64_t request);

/* Whether a sample is of the same point, and of the same host or all of it: in a plane requests tell points apart,
 * elsewhere x does. */
int dsn_sample_is_like(const struct dsn_sample *one, const struct dsn_sample *other);

/* What to measure. */
struct dsn_sweep_settings {
    const char *directory;
    uint64_t limit;   /* total bytes of files */
    uint64_t reserve; /* bytes to be left free in the file system */
    uint64_t request; /* 0: the best one found */
    uint64_t file;    /* bytes: size of the file, if not varied */
    uint64_t least_request, most_request, least_file;
    unsigned writers;          /* maximum */
    unsigned fine;             /* points per power of two for file sizes */
    unsigned samples;          /* per point */
    double seconds;            /* maximum per sample, but at least 10 calls; passes over a file are always complete */
    unsigned wanted;           /* a bit per sweep */
    const char *mpi;           /* command that starts MPI programs; NULL: without their modes, and without nodes */
    unsigned processes, hosts; /* that it starts; 0: not known yet */
};

/* A process of all nodes has a part of the file of its own, and at least so many requests in it. */
#define DSN_SWEEP_PART_CALLS 4

/* The points of a sweep: up to `room`. Returns their number: none of nodes as long as their processes are not known. */
#define DSN_SWEEP_POINTS 128
size_t dsn_sweep_points(const struct dsn_sweep_settings *s, unsigned sweep, uint64_t request, struct dsn_point *out,
                        size_t room);

#endif

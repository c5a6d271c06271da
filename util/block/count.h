/* count.h - what the requests to devices amount to: sizes, kinds, places, times, an idle baseline
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests are events of libdarshan-trace, from whatever format. 32 bytes of each are kept, and as many more while they are put in
 * order. Private to util/block and its command. */
#ifndef DSN_BLOCK_COUNT_H
#define DSN_BLOCK_COUNT_H

#include "notes.h"
#include "util/trace/pairmap.h"
#include "util/trace/trace.h"

#define DSN_BLOCK_CLASSES 4
#define DSN_BLOCK_BAND    100000 /* sectors */
#define DSN_BLOCK_SECTOR  512
#define DSN_BLOCK_LATENCY 1024 /* bins: 16 in each doubling of a nanosecond */
#define DSN_BLOCK_SHARES  4
#define DSN_BLOCK_SERIES  100
#define DSN_BLOCK_HOTTEST 10
#define DSN_BLOCK_LONGEST ((uint64_t)1 << 17) /* 64 MiB: no kernel makes larger requests */

/* Small requests are those for blocks of a file system, large ones those that caches gather. */
struct dsn_block_edges {
    uint64_t small, page, large; /* bytes: at most, exactly, at least */
};
const char *dsn_block_class_name(unsigned i);

struct dsn_block_sums {
    uint64_t requests, bytes;
};

struct dsn_block_sector {
    uint64_t device, sector, accesses, first, last; /* times in ns */
};

struct dsn_block_device {
    uint64_t device;
    struct dsn_block_sums sums[2];
    uint64_t last_sector; /* that it has or, where its size is not known, that was touched */
    int has_size;
};

/* A request, as it is kept. */
struct dsn_block_request {
    uint64_t start, end, sector; /* ns */
    uint32_t bytes, where;       /* where: twice the number of the device, and 1 of a write */
};

/* A stretch of the time in which requests come at about the same rate. */
struct dsn_block_phase {
    unsigned first, bins; /* of the series */
    struct dsn_block_sums sums[2];
};

struct dsn_block {
    struct dsn_block_edges edges;
    double seconds; /* of the recording, or from the first request to the end of the last */
    uint64_t epoch; /* ns since 1970 at time 0; 0: not known */
    struct dsn_block_notes notes;
    uint64_t begin, end, others, failed, calls; /* flushes and discards; not of devices */
    struct dsn_block_sums total[2], of_class[2][DSN_BLOCK_CLASSES], of_kind[2][DARSHAN_TRACE_NCLASSES];
    uint64_t latency[2][DSN_BLOCK_LATENCY];
    double busy;      /* durations, summed */
    uint64_t longest; /* sectors of the largest request, DSN_BLOCK_LONGEST at most */
    uint64_t deepest;

    struct dsn_block_device *devices;
    size_t ndevices;
    struct dsn_block_request *requests; /* by device and sector after dsn_block_read() */
    size_t nrequests;
    struct dsn_block_band {
        size_t device;
        uint64_t first, requests; /* first: sector */
    } * bands;                    /* that have requests, in order */
    size_t nbands, all_bands;
    double share_of_bands[DSN_BLOCK_SHARES]; /* that hold 50, 80, 90 and 99 % of the requests, of all the disks have */
    size_t concentrated[DSN_BLOCK_SHARES];   /* how many these are */
    double interval; /* seconds between accesses to one sector, mean over all of them; NAN: none */
    struct dsn_block_sums series[2][DSN_BLOCK_SERIES]; /* over the time from begin to end */
    double depths[DSN_BLOCK_SERIES];                   /* requests under way, mean of each part of it */
    struct dsn_block_phase phases[DSN_BLOCK_SERIES];
    size_t nphases;

    /* while it is made */
    struct dsn__pairmap device_map;
    uint32_t device;      /* of the request before */
    uint64_t all_sectors; /* of each disk; 0: not known */
    size_t device_room, request_room, band_room;
};
extern const double dsn_block_shares[DSN_BLOCK_SHARES];

/* Reads a trace. `sectors`: of each disk; 0: what the recording says, else up to the last one touched. Returns 0 with `err`. To be freed in any case. */
int dsn_block_read(const char *path, const char *format, const struct dsn_block_edges *edges, double seconds,
                   uint64_t sectors, struct dsn_block *out, struct darshan_trace_error *err);
void dsn_block_free(struct dsn_block *b);

/* Figures of all requests, once they are there: series, depths and phases; the requests in order, bands, intervals. Return 0 if there
 * is no memory. */
int dsn__block_times(struct dsn_block *b);
int dsn__block_places(struct dsn_block *b);

/* Seconds that so much of the requests take at most, within 5 %. 0: there are none. */
double dsn_block_latency(const struct dsn_block *b, int is_write, double share);

/* What requests of a bin of b->latency take, about: its middle, in seconds. */
double dsn_block_latency_of(unsigned bin);

/* The part of the series that a time (ns) is in. */
unsigned dsn_block_part(const struct dsn_block *b, uint64_t time);

/* The requests to a device that begin in sectors [from, to): the first of them, and *end behind the last. */
size_t dsn_block_range(const struct dsn_block *b, uint64_t device, uint64_t from, uint64_t to, size_t *end);

/* How often the sector is accessed that requests[first] begins at, and when. Returns the first request of the next one. */
size_t dsn_block_sector(const struct dsn_block *b, size_t first, struct dsn_block_sector *out);

/* The sectors with most accesses, most first; up to `room`. Returns how many. */
size_t dsn_block_hottest(const struct dsn_block *b, struct dsn_block_sector *out, size_t room);

/* Requests beyond those of an idle machine: N - rate T, which noise may make negative, and twice its standard deviation. */
struct dsn_block_net {
    double raw, net, error;
};
struct dsn_block_net dsn_block_net(uint64_t requests, double seconds, uint64_t idle_requests, double idle_seconds);

#endif

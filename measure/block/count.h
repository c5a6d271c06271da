/* count.h - statistics of device requests: sizes, kinds, places, times, compared with an idle machine
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests are events of libdarshan-trace, in any format, of one recording or of several, which are of several nodes. 32
 * bytes of each are kept, twice that during sorting. Private to measure/block and its command. */
#ifndef DSN_BLOCK_COUNT_H
#define DSN_BLOCK_COUNT_H

#include "notes.h"
#include "util/trace/pairmap.h"
#include "util/trace/texts.h"
#include "util/trace/trace.h"

#define DSN_BLOCK_CLASSES 4
#define DSN_BLOCK_BAND    100000 /* sectors */
#define DSN_BLOCK_SECTOR  512
#define DSN_BLOCK_LATENCY 1024 /* bins: 16 per power of two nanoseconds */
#define DSN_BLOCK_SHARES  4
#define DSN_BLOCK_SERIES  100
#define DSN_BLOCK_HOTTEST 10
#define DSN_BLOCK_LABEL   256
#define DSN_BLOCK_LONGEST ((uint64_t)1 << 17) /* 64 MiB: no kernel issues larger requests */

/* Small requests are those for file system blocks, large ones are merged by caches. */
struct dsn_block_edges {
    uint64_t small, page, large; /* bytes: at most, exactly, at least */
};
const char *dsn_block_class_name(unsigned i);

struct dsn_block_sums {
    uint64_t requests, bytes;
};

struct dsn_block_sector {
    size_t device;                          /* index */
    uint64_t sector, accesses, first, last; /* times in ns */
};

struct dsn_block_source {
    const char *path;
    struct dsn_block_notes notes;
    double seconds;    /* of the recording, or from its first request to the end of its last */
    uint64_t epoch;    /* ns since 1970 at its time 0; 0: unknown */
    size_t first, end; /* requests, before they are sorted */
};

/* Devices of different recordings, or of different hosts in one, may have the same number. */
struct dsn_block_device {
    uint64_t device;
    size_t source;
    uint32_t host; /* text of `hosts`; DSN__NO_TEXT: the recording does not name it */
    struct dsn_block_sums sums[2];
    uint64_t last_sector; /* last sector of the disk or, if its size is unknown, last one accessed */
    int has_size;
};

/* A request. */
struct dsn_block_request {
    uint64_t start, end, sector; /* ns */
    uint32_t bytes, where;       /* where: twice the device's index, plus 1 for a write */
};

/* A period of time with about the same rate of requests. */
struct dsn_block_phase {
    unsigned first, bins; /* of the series */
    struct dsn_block_sums sums[2];
};

struct dsn_block {
    struct dsn_block_edges edges;
    struct dsn_block_source *sources; /* recordings */
    size_t nsources;
    double seconds; /* of a recording: in the mean over devices, so that rates are those of all of them */
    uint64_t epoch; /* ns since 1970 at time 0; 0: unknown, and recordings begin together */
    uint64_t lost;  /* events */
    int knows_lost; /* otherwise not all recordings tell */
    uint64_t begin, end, others, failed, calls; /* flushes and discards; not of devices */
    struct dsn_block_sums total[2], of_class[2][DSN_BLOCK_CLASSES], of_kind[2][DARSHAN_TRACE_NCLASSES];
    uint64_t latency[2][DSN_BLOCK_LATENCY];
    double busy;      /* sum of durations */
    uint64_t longest; /* sectors of the largest request, at most DSN_BLOCK_LONGEST */
    uint64_t deepest;

    struct dsn_block_device *devices;
    size_t ndevices;
    struct dsn_block_request *requests; /* sorted by device and sector after dsn_block_read() */
    size_t nrequests;
    struct dsn_block_band {
        size_t device;
        uint64_t first, requests; /* first: sector */
    } * bands;                    /* those with requests, in order */
    size_t nbands, all_bands;
    double share_of_bands[DSN_BLOCK_SHARES];           /* fraction of all bands that contain 50, 80, 90 and 99 % of the
                                              * requests */
    size_t concentrated[DSN_BLOCK_SHARES];             /* number of these */
    double interval;                                   /* mean seconds between accesses to the same sector; NAN: none */
    struct dsn_block_sums series[2][DSN_BLOCK_SERIES]; /* over the time from begin to end */
    double depths[DSN_BLOCK_SERIES];                   /* mean number of requests in flight, per part of it */
    struct dsn_block_phase phases[DSN_BLOCK_SERIES];
    size_t nphases;

    /* during construction */
    struct dsn__pairmap device_map;
    struct dsn__texts hosts;
    uint32_t device;      /* of the previous request */
    uint64_t all_sectors; /* of each disk; 0: unknown */
    size_t device_room, request_room, band_room;
};
extern const double dsn_block_shares[DSN_BLOCK_SHARES];

/* Reads traces, whose paths must stay. `sectors`: size of each disk; 0: from the recording, otherwise up to the last one
 * accessed. If all recordings have a date, their times are those of one clock. Returns 0 with `err`, and *wrong is the path
 * of the one that is. Free it in any case. */
int dsn_block_read(const char *const *paths, size_t n, const char *format, const struct dsn_block_edges *edges,
                   double seconds, uint64_t sectors, struct dsn_block *out, const char **wrong,
                   struct darshan_trace_error *err);
void dsn_block_free(struct dsn_block *b);

/* Compute figures from all requests: series, depths and phases; sorted requests, bands, intervals. Return 0 if out of
 * memory. */
int dsn__block_times(struct dsn_block *b);
int dsn__block_places(struct dsn_block *b);

/* Quantile of the request latency in seconds, accurate to 5 %. 0: no requests. */
double dsn_block_latency(const struct dsn_block *b, int is_write, double share);

/* The middle of a bin of b->latency, in seconds. */
double dsn_block_latency_of(unsigned bin);

/* The part of the series at a time in ns. */
unsigned dsn_block_part(const struct dsn_block *b, uint64_t time);

/* A device as people call it: "sda", "8,0" or, if there are several recordings or hosts, "run.node1:sda". Returns its
 * length. */
size_t dsn_block_label(const struct dsn_block *b, size_t device, char *out, size_t room);

/* The disk in the notes of a device's recording; NULL: it has none. */
const struct dsn_block_disk *dsn_block_disk_of(const struct dsn_block *b, const struct dsn_block_device *d);

/* The requests to a device that start in sectors [from, to): index of the first, and *end after the last. */
size_t dsn_block_range(const struct dsn_block *b, size_t device, uint64_t from, uint64_t to, size_t *end);

/* Number and times of the accesses to the sector at which requests[first] starts. Returns the index of the next
 * sector's first request. */
size_t dsn_block_sector(const struct dsn_block *b, size_t first, struct dsn_block_sector *out);

/* The sectors with the most accesses, in descending order; up to `room`. Returns their number. */
size_t dsn_block_hottest(const struct dsn_block *b, struct dsn_block_sector *out, size_t room);

/* Requests in excess of those of an idle machine: N - rate T, which may be negative due to noise, and twice its
 * standard deviation. */
struct dsn_block_net {
    double raw, net, error;
};
struct dsn_block_net dsn_block_net(uint64_t requests, double seconds, uint64_t idle_requests, double idle_seconds);

#endif

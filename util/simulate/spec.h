/* spec.h - description of a machine: "bb=400GiB/node,2GB/s; drain=1GB/s"
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts separated by semicolons; sizes with KiB, MiB, GiB, TiB (2^10, ...), KB, MB, GB, TB (10^3, ...) or B; rates are
 * a size and /s; times with s, ms or us. Values per node may be followed by /node. Private to util/simulate.
 *
 *     bb=SIZE,RATE        a burst buffer per node; SIZE may be unlimited
 *     drain=RATE          its drain rate per node, or in total: RATE/job
 *     bb-latency=TIME     per request to it
 *     stage-in            data that is read is in it initially
 *     pin=PATTERN         matching files are always in it; may be repeated
 *     cache=SIZE[,POLICY] page cache per node
 *     dirty=N%,N%         with the cache: writes end in it, up to this share of dirty blocks
 *     expiry=TIME         older dirty blocks are written (30 s)
 *     read-ahead=SIZE     limit of the read-ahead window
 *     fs=RATE[,RATE]      the file system: bytes per second of a single request, and in total
 *     fs-latency=TIME     per request to it
 *     link=RATE           a node's connection to it
 *     stripes=N[/M][,SIZE] files on N targets instead of M, or of those in the log; SIZE: bytes per stripe */
#ifndef DSN_SIMULATE_SPEC_H
#define DSN_SIMULATE_SPEC_H

#include "machine.h"

enum dsn_spec_part {
    DSN_SPEC_BUFFER = 1,
    DSN_SPEC_DRAIN = 2,
    DSN_SPEC_LATENCY = 4,
    DSN_SPEC_STAGE = 8,
    DSN_SPEC_PIN = 16,
    DSN_SPEC_CACHE = 32,
    DSN_SPEC_DIRTY = 64,
    DSN_SPEC_AHEAD = 128,
    DSN_SPEC_FS = 256,
    DSN_SPEC_FS_LATENCY = 512,
    DSN_SPEC_LINK = 1024,
    DSN_SPEC_STRIPES = 2048,
    DSN_SPEC_EXPIRY = 4096
};

#define DSN_SPEC_PINS 16

struct dsn_spec {
    unsigned has; /* of enum dsn_spec_part */
    double buffer_size, buffer_rate, drain, buffer_latency;
    int drain_of_job;
    double cache, dirty[2], expiry, ahead;
    const struct dsn_policy *policy;
    double fs_rate, fs_total, fs_latency, link;
    double stripes;
    double stripes_were; /* 0: as in the log */
    double stripe_size;  /* 0: unchanged */
    char *pin[DSN_SPEC_PINS];
    size_t npins;
    const char *why; /* during parsing */
    char error[250]; /* error message */
};

/* Returns 0 with s->error. Free it in any case. */
int dsn_spec_parse(const char *text, struct dsn_spec *s);
void dsn_spec_free(struct dsn_spec *s);

/* Applies the description to a machine; `pinned`: room for a byte per file, to which the machine refers. */
void dsn_spec_apply(const struct dsn_spec *s, const struct dsn_load *load, struct dsn_machine *m,
                    unsigned char *pinned);

/* A single size, or a number of bytes. Returns 0 if it is invalid. */
int dsn_spec_bytes(const char *text, double *out);

/* Formats a size: "64 GiB". */
const char *dsn_spec_size(double bytes, char *to, size_t n);
const char *dsn_spec_rate(double bytes, char *to, size_t n);

#endif

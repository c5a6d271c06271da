/* spec.h - what a machine is said to have: "bb=400GiB/node,2GB/s; drain=1GB/s"
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts between semicolons; sizes with KiB, MiB, GiB, TiB (2^10, ...), KB, MB, GB, TB (10^3, ...) or B; rates are
 * such a size and /s; times with s, ms or us. What is a node's may say so: /node. Private to util/simulate.
 *
 *     bb=SIZE,RATE        a burst buffer a node; SIZE may be unlimited
 *     drain=RATE          its drain rate of a node, or of all together: RATE/job
 *     bb-latency=TIME     of a request to it
 *     stage-in            what is read is in it at first
 *     pin=PATTERN         files of that name are always in it; may be said several times
 *     cache=SIZE[,POLICY] page cache of a node that knows the run's blocks
 *     dirty=N%,N%         with the cache: writes are done when they are in it, until so much of it is dirty
 *     expiry=TIME         dirty blocks older than this are written (30 s)
 *     read-ahead=SIZE     limit of the window that is read ahead
 *     fs=RATE[,RATE]      the file system: bytes a second of one request alone, of all together
 *     fs-latency=TIME     of a request to it
 *     link=RATE           a node's connection to it
 *     stripes=N[/M][,SIZE] files on N targets instead of M, or of what the log says; SIZE: bytes of a stripe */
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
    double stripes_were; /* 0: as the log says */
    double stripe_size;  /* 0: as it is */
    char *pin[DSN_SPEC_PINS];
    size_t npins;
    const char *why; /* while it is read */
    char error[250]; /* what is wrong with it */
};

/* Returns 0 with s->error. To be freed in any case. */
int dsn_spec_parse(const char *text, struct dsn_spec *s);
void dsn_spec_free(struct dsn_spec *s);

/* The machine with what the spec says; `pinned`: room for a byte a file, which the machine refers to. */
void dsn_spec_apply(const struct dsn_spec *s, const struct dsn_load *load, struct dsn_machine *m,
                    unsigned char *pinned);

/* A size alone, which may also be a number of bytes. Returns 0 if it is none. */
int dsn_spec_bytes(const char *text, double *out);

/* A size as people say it: "64 GiB". */
const char *dsn_spec_size(double bytes, char *to, size_t n);
const char *dsn_spec_rate(double bytes, char *to, size_t n);

#endif

/* gen.h - the applications of the study, made anew: what they did as far as it was published
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. */
#ifndef DSN_TRACE_GEN_H
#define DSN_TRACE_GEN_H

#include "trace.h"

struct dsn_trace_application {
    const char *name;
    unsigned seconds, cycles, files, reads, writes, read_blocks, write_blocks, data_blocks;
    int once;         /* reads at its beginning, writes at the ends of cycles; else both in every cycle */
    int asynchronous; /* does not wait for its I/O */
};

/* Application i = 0, 1, ...; NULL when there are no more. */
const struct dsn_trace_application *dsn_trace_application(size_t i);

/* How it is made. */
struct dsn_trace_making {
    unsigned burst;  /* a cycle's burst is 1/burst of it (5) */
    int mix;         /* reads and writes take turns in a burst */
    unsigned copies; /* of the program, beginning together (1) */
    uint64_t pid;    /* of the first (1) */
    unsigned scale;  /* operations and data are 1/scale (1) */
};

struct dsn_trace_generator;

/* NULL: there is no memory. */
struct dsn_trace_generator *dsn_trace_generator_new(const struct dsn_trace_application *a,
                                                    const struct dsn_trace_making *m);
void dsn_trace_generator_free(struct dsn_trace_generator *g);

/* The next event, in the order of their start. Returns 0 at the end. */
int dsn_trace_generate(struct dsn_trace_generator *g, struct darshan_trace_event *e);

#endif

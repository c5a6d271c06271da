/* gen.h - synthetic traces of the study's applications, from their published figures
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. */
#ifndef DSN_TRACE_GEN_H
#define DSN_TRACE_GEN_H

#include "trace.h"

struct dsn_trace_application {
    const char *name;
    unsigned seconds, cycles, files, reads, writes, read_blocks, write_blocks, data_blocks;
    int once;         /* reads at the start, writes at the ends of cycles; otherwise both in every cycle */
    int asynchronous; /* does not wait for its I/O */
};

/* Application i = 0, 1, ...; NULL at the end. */
const struct dsn_trace_application *dsn_trace_application(size_t i);

/* Parameters of the generator. */
struct dsn_trace_making {
    unsigned burst;  /* a burst takes 1/burst of a cycle (5) */
    int mix;         /* reads and writes alternate in a burst */
    unsigned copies; /* of the program, started together (1) */
    uint64_t pid;    /* of the first (1) */
    unsigned scale;  /* divisor of operations and data (1) */
};

struct dsn_trace_generator;

/* NULL: no memory. */
struct dsn_trace_generator *dsn_trace_generator_new(const struct dsn_trace_application *a,
                                                    const struct dsn_trace_making *m);
void dsn_trace_generator_free(struct dsn_trace_generator *g);

/* The next event, in order of start. Returns 0 at the end. */
int dsn_trace_generate(struct dsn_trace_generator *g, struct darshan_trace_event *e);

#endif

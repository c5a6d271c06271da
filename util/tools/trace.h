/* trace.h - what the parts of darshan-trace share
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_TRACE_H
#define DSN_TOOLS_TRACE_H

#include "util/trace/trace.h"

/* Options of all of them; each takes some only. */
struct dsn_trace_arguments {
    struct darshan_trace_options open; /* --from, --base, --tick-us, --fig1, --memory */
    const char *to, *prefix;           /* --to, --output */
    int json, zstd;
    uint64_t large;                /* --large-files: bytes */
    double flops_per_second, mips; /* of the processors */
    int files;                     /* rows of the table of files; -1: all */
    char **operands;
    int noperands;
};

/* Opens operand traces, one or several as one. Returns 0 if that cannot be done, which it says. */
int dsn_trace_open(const struct dsn_trace_arguments *a, struct darshan_trace **out);

/* "command: file: text" on stderr; of one operand its name, of several none. */
void dsn_trace_warn(const struct dsn_trace_arguments *a, const char *text);

/* Prints the notes of a trace that was read, and closes it. */
void dsn_trace_done(const struct dsn_trace_arguments *a, struct darshan_trace *t);

/* Prints statistics of the operand. Returns the exit status. */
int dsn_trace_stat(const struct dsn_trace_arguments *a);

#endif

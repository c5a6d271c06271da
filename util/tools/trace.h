/* trace.h - shared by the parts of darshan-trace
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_TRACE_H
#define DSN_TOOLS_TRACE_H

#include "util/lib/text.h"
#include "util/trace/stat.h"
#include "util/trace/trace.h"

/* Options of all subcommands; each uses some of them. */
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

/* Opens the operand traces, several of them merged. Returns 0 on an error, which is reported. */
int dsn_trace_open(const struct dsn_trace_arguments *a, struct darshan_trace **out);

/* Prints "command: file: text" on stderr; the file only if there is one operand. */
void dsn_trace_warn(const struct dsn_trace_arguments *a, const char *text);

/* Prints the notes of a trace after reading it, and closes it. */
void dsn_trace_done(const struct dsn_trace_arguments *a, struct darshan_trace *t);

/* Prints statistics of the operand. Returns the exit status. */
int dsn_trace_stat(const struct dsn_trace_arguments *a);

/* Writes them as JSON. */
void dsn_trace_stat_json(struct dsn_text *out, const struct dsn_trace_arguments *a,
                         const struct darshan_trace_info *info, const struct dsn_trace_stat *t);

/* Writes a page of the operands to a->prefix. Returns the exit status. */
int dsn_trace_page(const struct dsn_trace_arguments *a);

#endif

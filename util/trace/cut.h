/* cut.h - filters for events
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. */
#ifndef DSN_TRACE_CUT_H
#define DSN_TRACE_CUT_H

#include "trace.h"

/* All zeros: every event. Each kind of condition that is given must hold; of several conditions of a kind, one. */
struct dsn_trace_cut {
    int has_from, has_to;
    uint64_t from, to; /* ns: from <= start < to */
    struct dsn_trace_range {
        uint64_t first, last;
    } * processes;
    size_t nprocesses;
    const char **files; /* as given, owned by the caller */
    size_t nfiles;
    unsigned classes, ops; /* bit masks; 0: any */
    unsigned layers;       /* 1: logical, 2: physical */
};

/* Each parses an argument of the user. Returns 0 if it is invalid. */
int dsn_trace_cut_time(struct dsn_trace_cut *c, const char *text);      /* "1.5-20", "3-", "-7": seconds */
int dsn_trace_cut_processes(struct dsn_trace_cut *c, const char *text); /* "0,4-7" */
int dsn_trace_cut_file(struct dsn_trace_cut *c, const char *text);      /* an id, or a pattern of names */
int dsn_trace_cut_class(struct dsn_trace_cut *c, const char *text);
int dsn_trace_cut_op(struct dsn_trace_cut *c, const char *text);
void dsn_trace_cut_free(struct dsn_trace_cut *c);

int dsn_trace_passes(const struct dsn_trace_cut *c, const struct darshan_trace_event *e);

#endif

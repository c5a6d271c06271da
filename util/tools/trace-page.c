/* trace-page.c - darshan-trace page: a trace as an HTML page, with the figures of the studies of 1992 and 1994
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page has three documents: what stat prints, what darshan-cycles prints, and idle times of the machine of the 1992
 * study by size of its cache. Each of them reads the trace. */
#include <config.h>
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/command/common.h"
#include "util/command/save.h"
#include "util/lib/emit.h"
#include "util/page/shell.h"
#include "util/rhythm/rhythm.h"
#include "util/simulate/cray-ymp.h"

#define COMMAND  "darshan-trace"
#define MIB      1048576.0
#define POWERS   64
#define CACHES   7       /* sizes that are simulated, the last of which has room for all data */
#define LEAST    4.0     /* MiB */
#define MOST_OPS 3000000 /* that are simulated: more would take minutes */
#define POLICIES 2       /* without and with write-behind */

/* Requests by size, in powers of two. */
struct size {
    uint64_t requests[2], bytes[2];
};

struct page {
    const struct dsn_trace_arguments *a;
    const struct darshan_trace_info *info;
    const struct dsn_trace_stat *stat;
    struct size sizes[POWERS];
    struct dsn_rhythm rhythm;
    const char *not_simulated; /* why; NULL: it was */
    double cache[CACHES];      /* MiB */
    size_t ncaches;
    struct dsn_cray_ymp_result result[POLICIES][CACHES];
};

static void write_stat(struct dsn_text *out, const void *context)
{
    const struct page *p = context;

    dsn_trace_stat_json(out, p->a, p->info, p->stat);
}

static void write_rhythm(struct dsn_text *out, const void *context)
{
    const struct page *p = context;

    dsn_text_string(out, "{");
    dsn_rhythm_write(out, &p->rhythm, 1);
    dsn_text_string(out, "}");
}

static void write_more(struct dsn_text *out, const void *context)
{
    const struct page *p = context;

    dsn_text_string(out, "{\"sizes\":[");
    for (unsigned i = 0, n = 0; i < POWERS; i++)
        if (p->sizes[i].requests[0] + p->sizes[i].requests[1] > 0)
            dsn_text_printf(out,
                            "%s{\"from\":%" PRIu64 ",\"reads\":%" PRIu64 ",\"writes\":%" PRIu64
                            ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64 "}",
                            n++ ? "," : "", i > 0 ? (uint64_t)1 << i : 0, p->sizes[i].requests[0],
                            p->sizes[i].requests[1], p->sizes[i].bytes[0], p->sizes[i].bytes[1]);
    dsn_text_string(out, "],\"traces\":[");
    for (int i = 0; i < p->a->noperands; i++) {
        dsn_text_string(out, i ? "," : "");
        dsn_emit_quoted(out, DSN_EMIT_JSON, p->a->operands[i], strlen(p->a->operands[i]));
    }
    dsn_text_string(out, "],\"not_simulated\":");
    if (p->not_simulated)
        dsn_text_printf(out, "\"%s\"", p->not_simulated);
    else
        dsn_text_string(out, "null");
    dsn_text_string(out, ",\"simulated\":[");
    for (size_t i = 0; i < p->ncaches; i++)
        dsn_text_printf(out,
                        "%s{\"cache_bytes\":%.0f,\"idle\":%.6f,\"idle_write_behind\":%.6f,\"elapsed\":%.6f,"
                        "\"disk_reads\":%" PRIu64 ",\"disk_writes\":%" PRIu64 "}",
                        i ? "," : "", p->cache[i] * MIB, p->result[0][i].idle, p->result[1][i].idle,
                        p->result[1][i].elapsed, p->result[1][i].disk_reads, p->result[1][i].disk_writes);
    dsn_text_string(out, "]}");
}

static int write_page(struct dsn_text *out, const void *context)
{
    int ok;

    dsn_page_begin(out, &dsn_trace_page_js, "A trace of I/O",
                   "This page is drawn by a script in this file. Without scripts, use darshan-trace stat and "
                   "darshan-cycles on a terminal.");
    ok = dsn_page_data(out, "stat", write_stat, context) && dsn_page_data(out, "rhythm", write_rhythm, context) &&
         dsn_page_data(out, "more", write_more, context);
    dsn_page_end(out, &dsn_trace_page_js);
    return ok;
}

/* Counts all events. A trace that is damaged is shown up to there, with *status 1. Returns 0 after reporting an error. */
static int count_events(struct page *p, struct darshan_trace *t, struct dsn_trace_counting *counting, int *status)
{
    struct darshan_trace_error err;
    struct darshan_trace_event e;
    int rc, ok = 1;

    while ((rc = darshan_trace_next(t, &e, &err)) > 0 && (ok = dsn_trace_count(counting, &e)) != 0)
        if (e.op <= DARSHAN_TRACE_WRITE && !(e.flags & DARSHAN_TRACE_FAILED)) {
            struct size *s = &p->sizes[e.length > 1 ? 63 - __builtin_clzll(e.length) : 0];

            s->requests[e.op == DARSHAN_TRACE_WRITE]++;
            s->bytes[e.op == DARSHAN_TRACE_WRITE] += e.length;
        }
    if (rc < 0) {
        dsn_trace_warn(p->a, err.text);
        *status = 1;
    }
    p->info = darshan_trace_info(t);
    if (ok && (p->stat = dsn_trace_counted(counting, p->a->large)) != NULL)
        return 1;
    dsn_trace_warn(p->a, "does not fit into memory");
    return 0;
}

static int find_rhythm(struct page *p, struct dsn_rhythm_input *in)
{
    struct darshan_trace_error err;
    struct darshan_trace *t;
    int ok;

    if (!dsn_trace_open(p->a, &t))
        return 0;
    ok = dsn_rhythm_take_trace(in, t, &err) != 0 && dsn_rhythm_find(in, NULL, &p->rhythm); /* damage was reported */
    darshan_trace_close(t);
    if (!ok)
        dsn_trace_warn(p->a, "does not fit into memory");
    return ok;
}

/* The machine of the 1992 study with caches up to one for all data. Returns 0 after reporting an error. */
static int simulate(struct page *p)
{
    struct dsn_cray_ymp_options o = dsn_cray_ymp_defaults;
    const double data = (double)p->stat->total.extent / MIB;
    struct darshan_trace *t;
    struct dsn_load job;
    double size = LEAST;
    int ok;

    if (p->stat->total.ios[0] + p->stat->total.ios[1] > MOST_OPS)
        p->not_simulated = "the trace has more than three million requests; darshan-simulate takes it";
    else if (p->info->thinned)
        p->not_simulated = "the trace lacks operations";
    else if (p->info->cpu == DARSHAN_TRACE_CPU_NONE)
        p->not_simulated = "the trace has no CPU times";
    if (p->not_simulated)
        return 1;
    if (!dsn_trace_open(p->a, &t))
        return 0;
    dsn_load_init(&job);
    ok = dsn_load_take(&job, t, 0, 1);
    darshan_trace_close(t);
    if (!ok || job.nops == 0) {
        p->not_simulated = ok ? "the trace has no reads and writes of programs" : "the trace is damaged, or too large";
        dsn_load_free(&job);
        return 1;
    }
    ok = dsn_load_end(&job);
    while (size * (1 << (CACHES - 1)) < data)
        size *= 2;
    for (; ok && p->ncaches < CACHES; size *= 2) {
        o.cache = p->cache[p->ncaches] = size;
        for (int k = 0; ok && k < POLICIES; k++) {
            o.write_behind = k;
            ok = dsn_cray_ymp_run(&job, &o, &p->result[k][p->ncaches]);
        }
        p->ncaches++;
        if (size >= data)
            break;
    }
    if (!ok) {
        p->not_simulated = "a request of the trace is larger than the smallest cache";
        for (size_t i = 0; i < POLICIES * CACHES; i++)
            dsn_cray_ymp_free(&p->result[i / CACHES][i % CACHES]);
        memset(p->result, 0, sizeof p->result);
        p->ncaches = 0;
    }
    dsn_load_free(&job);
    return 1;
}

int dsn_trace_page(const struct dsn_trace_arguments *a)
{
    struct page *p = calloc(1, sizeof *p);
    struct dsn_trace_counting *counting = dsn_trace_counting_new();
    struct dsn_rhythm_input *rhythm = dsn_rhythm_input_new(0);
    struct darshan_trace *t = NULL;
    int status = 0, error, is_made = 0;

    if (!p || !counting || !rhythm) {
        dsn_trace_warn(a, "does not fit into memory");
    } else if (dsn_trace_open(a, &t)) {
        p->a = a;
        is_made = count_events(p, t, counting, &status) && find_rhythm(p, rhythm);
        if (is_made && simulate(p) && (error = dsn_save(a->prefix, write_page, p)) != 0) {
            dsn_warn(COMMAND, a->prefix,
                     "cannot write the page: %s; choose a file in a writable directory with free space",
                     strerror(error));
            status = 1;
        }
        if (is_made)
            dsn_rhythm_free(&p->rhythm);
        for (size_t i = 0; i < POLICIES * CACHES; i++)
            dsn_cray_ymp_free(&p->result[i / CACHES][i % CACHES]);
        dsn_trace_done(a, t);
    }
    dsn_rhythm_input_free(rhythm);
    dsn_trace_counting_free(counting);
    free(p);
    return status || !is_made;
}

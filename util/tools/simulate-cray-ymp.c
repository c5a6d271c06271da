/* simulate-cray-ymp.c - darshan-simulate --machine cray-ymp-1992: the machine of the 1992 study, as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "simulate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The traces that match --warm; NULL, with a line on stderr, if none does. */
static unsigned char *warm_traces(const struct dsn_simulate_arguments *a)
{
    unsigned char *warm = calloc((size_t)a->noperands, 1);
    int found = 0;

    if (!warm) {
        dsn_simulate_complain(a, "does not fit into memory");
        return NULL;
    }
    for (int i = 0; i < a->noperands; i++) {
        warm[i] = strcmp(base_name(a->operands[i]), a->warm) == 0 || strcmp(a->operands[i], a->warm) == 0;
        found |= warm[i];
    }
    if (found)
        return warm;
    dsn_warn(DSN_SIMULATE, a->warm, "is not the name of a trace given; --warm takes one of these");
    free(warm);
    return NULL;
}

static void put_series(struct dsn_text *out, const struct dsn_cray_ymp_result *r)
{
    static const char *const names[] = { "asked_read_bytes", "asked_write_bytes", "disk_read_bytes",
                                         "disk_write_bytes" };

    dsn_text_printf(
        out, ", \"asked_bytes\": [%" PRIu64 ", %" PRIu64 "], \"disk_bytes\": [%" PRIu64 ", %" PRIu64 "], \"finish\": [",
        r->asked_bytes[0], r->asked_bytes[1], r->disk_bytes[0], r->disk_bytes[1]);
    for (size_t i = 0; i < r->nfinish; i++)
        dsn_text_printf(out, "%s%.3f", i ? ", " : "", r->finish[i]);
    dsn_text_string(out, "], \"seconds\": {");
    for (size_t k = 0; k < 4; k++) {
        dsn_text_printf(out, "%s\"%s\": [", k ? ", " : "", names[k]);
        for (size_t i = 0; i < r->nseconds; i++)
            dsn_text_printf(out, "%s%" PRIu64, i ? ", " : "",
                            k < 2 ? r->seconds[i].asked[k] : r->seconds[i].disk[k - 2]);
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "}");
}

static void put_json(struct dsn_text *out, const struct dsn_cray_ymp_result *r, int series)
{
    dsn_text_printf(out,
                    "{\"elapsed\": %.3f, \"idle\": %.3f, \"system\": %.3f, \"user\": %.3f, \"utilisation\": %.5f, "
                    "\"disk_reads\": %" PRIu64 ", \"disk_writes\": %" PRIu64 ", \"hits\": %" PRIu64
                    ", \"misses\": %" PRIu64 ", \"read_ahead\": %" PRIu64,
                    r->elapsed, r->idle, r->system, r->user, r->utilisation, r->disk_reads, r->disk_writes, r->hits,
                    r->misses, r->read_ahead);
    if (series)
        put_series(out, r);
    dsn_text_string(out, "}\n");
}

static void put_text(struct dsn_text *out, const struct dsn_simulate_arguments *a, const struct dsn_load *job,
                     const struct dsn_cray_ymp_result *r)
{
    const double mib = 1048576;

    dsn_text_printf(out,
                    "The processor is idle for %.3f s of %.3f s: used %.2f %%, %.3f s by programs and %.3f s by the "
                    "system.\n\n",
                    r->idle, r->elapsed, 100 * r->utilisation, r->user, r->system);
    dsn_text_printf(out, "%-24s %14s %14s\n", "", "reads", "writes");
    dsn_text_printf(out, "%-24s %14.1f %14.1f\n", "MiB asked for", (double)r->asked_bytes[0] / mib,
                    (double)r->asked_bytes[1] / mib);
    dsn_text_printf(out, "%-24s %14.1f %14.1f\n", "MiB at the disks", (double)r->disk_bytes[0] / mib,
                    (double)r->disk_bytes[1] / mib);
    dsn_text_printf(out, "%-24s %14" PRIu64 " %14" PRIu64 "\n", "requests to the disks", r->disk_reads, r->disk_writes);
    dsn_text_printf(out, "%-24s %14" PRIu64 "\n%-24s %14" PRIu64 "\n%-24s %14" PRIu64 "\n", "ahead", r->read_ahead,
                    "hits", r->hits, "misses", r->misses);
    dsn_text_string(out, "\nprogram                          ends after\n");
    for (size_t i = 0; i < r->nfinish; i++) {
        char name[64];

        dsn_text_fit(name, sizeof name, 32, 16, base_name(a->operands[job->processes[i].trace]));
        dsn_text_printf(out, "%-32s %10.3f s\n", name, r->finish[i]);
    }
}

/* What the figures rest on that is not in the trace, or that their names do not say. */
static void put_caveats(struct dsn_text *out, const struct dsn_load *job)
{
    if (job->cpu == DARSHAN_TRACE_CPU_ESTIMATED)
        dsn_text_string(out,
                        "\nCPU times are estimated as the time between calls, in which the program may have waited for "
                        "something else.\n");
    else if (job->cpu == DARSHAN_TRACE_CPU_NONE)
        dsn_text_string(out, "\nThe trace has no CPU times: programs are taken to compute nothing.\n");
    dsn_text_string(out,
                    "\nA read is a hit if all of its blocks are in the cache or on their way to it: a program may wait "
                    "for a hit, too.\n");
}

/* Idle time by size of the cache. */
static void put_sizes(struct dsn_text *out, const struct dsn_simulate_arguments *a, const struct dsn_cray_ymp_result *r)
{
    dsn_text_printf(out, "%9s %12s %12s %8s %12s %12s %12s %12s\n", "cache MiB", "idle s", "elapsed s", "used %",
                    "disk reads", "disk writes", "hits", "misses");
    for (int i = 0; i < a->nsizes; i++)
        dsn_text_printf(out, "%9g %12.3f %12.3f %8.2f %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
                        a->sizes[i], r[i].idle, r[i].elapsed, 100 * r[i].utilisation, r[i].disk_reads, r[i].disk_writes,
                        r[i].hits, r[i].misses);
}

static int print(const struct dsn_simulate_arguments *a, const struct dsn_load *job,
                 const struct dsn_cray_ymp_result *r)
{
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return dsn_simulate_complain(a, "does not fit into memory");
    if (a->json && a->nsizes > 1) {
        dsn_text_string(&out, "[");
        for (int i = 0; i < a->nsizes; i++) {
            dsn_text_printf(&out, "%s{\"cache_mib\": %g, \"result\": ", i ? "," : "", a->sizes[i]);
            put_json(&out, &r[i], a->machine.series);
            dsn_text_string(&out, "}");
        }
        dsn_text_string(&out, "]\n");
    } else if (a->json) {
        put_json(&out, r, a->machine.series);
    } else {
        if (a->nsizes > 1)
            put_sizes(&out, a, r);
        else
            put_text(&out, a, job, r);
        put_caveats(&out, job);
    }
    rc = dsn_end_output(&out, DSN_SIMULATE);
    dsn_text_free(&out);
    return rc;
}

int dsn_simulate_cray_ymp(const struct dsn_simulate_arguments *a)
{
    struct dsn_cray_ymp_options o = a->machine;
    const int n = a->nsizes > 0 ? a->nsizes : 1;
    struct dsn_cray_ymp_result *r = calloc((size_t)n, sizeof *r);
    struct dsn_load job;
    unsigned char *warm = NULL;
    int rc, done = 0;

    if (!r)
        return dsn_simulate_complain(a, "does not fit into memory");
    if (a->warm && !(warm = warm_traces(a))) {
        free(r);
        return 1;
    }
    o.warm = warm;
    rc = !dsn_simulate_read(a, &job, 1);
    while (!rc && done < n) {
        o.cache = a->nsizes > 0 ? a->sizes[done] : o.cache;
        if (!dsn_cray_ymp_run(&job, &o, &r[done]))
            rc = dsn_simulate_complain(a, r[done].err.text);
        done++;
    }
    if (!rc)
        rc = print(a, &job, r);
    for (int i = 0; i < done; i++)
        dsn_cray_ymp_free(&r[i]);
    dsn_load_free(&job);
    free(warm);
    free(r);
    return rc;
}

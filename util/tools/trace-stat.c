/* trace-stat.c - darshan-trace stat: prints statistics of a trace as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A MB in the study's tables is 2^20 bytes, and its rates are per second of CPU time. */
#include <config.h>
#include "trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/emit.h"
#include "util/command/common.h"
#include "util/trace/stat.h"

#define COMMAND       "darshan-trace"
#define MIB           1048576.0
#define PROCESS_ROWS  20
#define SHORTEST_DISK 50e-6 /* seconds: with a mean outside of this range it was not one of the study's disks */
#define LONGEST_DISK  10.0

struct report {
    const struct dsn_trace_arguments *a;
    const struct darshan_trace_info *info;
    const struct dsn_trace_stat *t;
    struct dsn_text *out;
};

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static uint64_t both(const uint64_t v[2])
{
    return v[0] + v[1];
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* The time that rates refer to: CPU time, if there is any. */
static double base(const struct report *r)
{
    return r->t->cpu > 0 ? seconds(r->t->cpu) : seconds(r->t->end - r->t->begin);
}

static const char *base_name(const struct report *r)
{
    return r->t->cpu > 0 ? "CPU second" : "second";
}

static double mbit(const struct report *r)
{
    return ratio((double)both(r->t->total.bytes) * 8 / 1e6, base(r));
}

/* Share of the requests to the n busiest files. */
static double busiest(const struct dsn_trace_stat *t, size_t n)
{
    uint64_t ios = 0;

    for (size_t i = 0; i < n && i < t->nfiles; i++)
        ios += both(t->files[i].sums.ios);
    return ratio((double)ios, (double)both(t->total.ios));
}

struct rates {
    double mean, peak;
    size_t silent, n; /* bins */
};

static struct rates rates_of(const struct dsn_trace_series *s)
{
    struct rates r = { .n = s->n };

    if (s->n > 1 && s->end <= (double)(s->n - 1) * s->width) /* the last one has no duration */
        r.n--;
    for (size_t i = 0; i < s->n; i++) {
        const double rate = (double)(s->bytes[i][0] + s->bytes[i][1]) / MIB / s->width;

        r.mean += rate / (double)r.n;
        r.peak = rate > r.peak ? rate : r.peak;
        r.silent += rate == 0;
    }
    return r;
}

/* ------------------------------------------------------------------ JSON */

static void number(struct dsn_text *out, const char *name, double v)
{
    if (isfinite(v))
        dsn_text_printf(out, "\"%s\": %.9g", name, v);
    else
        dsn_text_printf(out, "\"%s\": null", name);
}

static void direction_json(struct dsn_text *out, const char *name, const struct dsn_trace_sums *s, int i, double per)
{
    dsn_text_printf(out, "\"%s\": {\"ios\": %" PRIu64 ", \"bytes\": %" PRIu64 ", ", name, s->ios[i], s->bytes[i]);
    number(out, "mean_bytes", ratio((double)s->bytes[i], (double)s->ios[i]));
    dsn_text_string(out, ", ");
    number(out, "mib_per_second", ratio((double)s->bytes[i] / MIB, per));
    dsn_text_string(out, ", ");
    number(out, "ios_per_second", ratio((double)s->ios[i], per));
    dsn_text_printf(out, ", \"seconds\": %.9g, ", seconds(s->time[i]));
    number(out, "sequential_share", ratio((double)s->sequential[i], (double)s->ios[i]));
    dsn_text_string(out, ", ");
    number(out, "same_size_share", ratio((double)s->same_size[i], (double)s->ios[i]));
    dsn_text_string(out, "}");
}

static void sums_json(struct dsn_text *out, const struct dsn_trace_sums *s, double per)
{
    dsn_text_printf(out, "\"data_bytes\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"ios\": %" PRIu64 ", ", s->extent,
                    both(s->bytes), both(s->ios));
    number(out, "mean_bytes", ratio((double)both(s->bytes), (double)both(s->ios)));
    dsn_text_string(out, ", ");
    number(out, "mib_per_second", ratio((double)both(s->bytes) / MIB, per));
    dsn_text_string(out, ", ");
    number(out, "ios_per_second", ratio((double)both(s->ios), per));
    dsn_text_string(out, ", ");
    number(out, "read_write_ratio", ratio((double)s->bytes[0], (double)s->bytes[1]));
    dsn_text_string(out, ", ");
    number(out, "sequential_share", ratio((double)both(s->sequential), (double)both(s->ios)));
    dsn_text_string(out, ", ");
    number(out, "same_size_share", ratio((double)both(s->same_size), (double)both(s->ios)));
    dsn_text_string(out, ", ");
    number(out, "asynchronous_share", ratio((double)(both(s->ios) - s->waits), (double)both(s->ios)));
    dsn_text_string(out, ",\n    ");
    direction_json(out, "read", s, 0, per);
    dsn_text_string(out, ",\n    ");
    direction_json(out, "write", s, 1, per);
    dsn_text_string(out, ",\n    \"purpose_bytes\": {");
    for (unsigned i = 0; i < DSN_NPURPOSES; i++)
        dsn_text_printf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", dsn_trace_purpose_name(i), s->purposes[i]);
    dsn_text_string(out, "}");
}

static void text_or_null(struct dsn_text *out, const char *text)
{
    if (text && *text)
        dsn_emit_quoted(out, DSN_EMIT_JSON, text, strlen(text));
    else
        dsn_text_string(out, "null");
}

static void trace_json(struct report *r)
{
    static const char *const cpu[] = { "null", "\"recorded\"", "\"estimated\"" };
    const struct darshan_trace_info *i = r->info;

    dsn_text_printf(r->out,
                    "{\n  \"format\": \"" COMMAND " 1\",\n  \"trace\": {\"format\": \"%s\", \"records\": %" PRIu64
                    ", \"bytes\": %" PRIu64 ", ",
                    i->format, r->t->events, i->bytes);
    number(r->out, "bytes_per_record", ratio((double)i->bytes, (double)r->t->events));
    dsn_text_printf(r->out,
                    ", \"cpu\": %s, \"epoch\": %" PRIu64 ".%09" PRIu64 ", \"thinned\": %s, \"left_out\": %" PRIu64
                    ", \"failed\": %" PRIu64 ", \"without_data\": %" PRIu64 ", \"without_place\": %" PRIu64 "},\n",
                    cpu[i->cpu < 3 ? i->cpu : 0], i->epoch / 1000000000, i->epoch % 1000000000,
                    i->thinned ? "true" : "false", i->left_out, r->t->failed, r->t->others, r->t->nowhere);
}

static void total_json(struct report *r)
{
    struct dsn_text *out = r->out;

    dsn_text_printf(out, "  \"total\": {\"cpu_seconds\": %.9g, \"wall_seconds\": %.9g, \"rates_per\": \"%s\", ",
                    seconds(r->t->cpu), seconds(r->t->end - r->t->begin), r->t->cpu > 0 ? "cpu" : "wall");
    sums_json(out, &r->t->total, base(r));
    dsn_text_string(out, ",\n    ");
    number(out, "mbit_per_second", mbit(r));
    dsn_text_string(out, ", ");
    number(out, "amdahl_ratio", mbit(r) / r->a->mips);
    dsn_text_string(out, ", ");
    number(out, "bytes_per_flop",
           r->a->flops_per_second > 0 ? ratio((double)both(r->t->total.bytes), base(r)) / r->a->flops_per_second : NAN);
    dsn_text_string(out, ",\n    \"busiest_files_share\": {");
    for (size_t n = 1; n <= 8; n *= 2) {
        char name[8];

        snprintf(name, sizeof name, "%zu", n);
        dsn_text_string(out, n > 1 ? ", " : "");
        number(out, name, busiest(r->t, n));
    }
    dsn_text_string(out, "}},\n");
}

static void processes_json(struct report *r)
{
    struct dsn_text *out = r->out;

    dsn_text_string(out, "  \"processes\": [");
    for (size_t i = 0; i < r->t->nprocesses; i++) {
        const struct dsn_trace_process_sums *p = &r->t->processes[i];
        const double per = p->cpu > 0 ? seconds(p->cpu) : seconds(p->end - p->begin);

        dsn_text_printf(out, "%s\n   {\"process\": %" PRIu64 ", \"host\": ", i ? "," : "", p->id);
        text_or_null(out, p->host);
        dsn_text_printf(out, ", \"cpu_seconds\": %.9g, \"wall_seconds\": %.9g, ", seconds(p->cpu),
                        seconds(p->end - p->begin));
        sums_json(out, &p->sums, per);
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "],\n");
}

static size_t file_rows(const struct report *r)
{
    return r->a->files < 0 || (size_t)r->a->files > r->t->nfiles ? r->t->nfiles : (size_t)r->a->files;
}

static void files_json(struct report *r)
{
    struct dsn_text *out = r->out;

    dsn_text_printf(out, "  \"nfiles\": %zu,\n  \"files\": [", r->t->nfiles);
    for (size_t i = 0; i < file_rows(r); i++) {
        const struct dsn_trace_file_sums *f = &r->t->files[i];

        dsn_text_printf(out, "%s\n   {\"file\": %" PRIu64 ", \"process\": ", i ? "," : "", f->id);
        if (f->shared)
            dsn_text_string(out, "null");
        else
            dsn_text_printf(out, "%" PRIu64, f->process);
        dsn_text_printf(out, ", \"device\": %s, \"path\": ", f->device ? "true" : "false");
        text_or_null(out, f->path);
        dsn_text_string(out, ", ");
        sums_json(out, &f->sums, base(r));
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "],\n");
}

static void series_json(struct report *r)
{
    const struct dsn_trace_series *s = &r->t->series;
    const struct rates rates = rates_of(s);

    dsn_text_printf(r->out, "  \"series\": {\"over\": \"%s\", \"bin_seconds\": %.9g, ", s->of_cpu ? "cpu" : "wall",
                    s->width);
    number(r->out, "mean_mib_per_second", rates.mean);
    dsn_text_string(r->out, ", ");
    number(r->out, "peak_mib_per_second", rates.peak);
    dsn_text_printf(r->out, ", \"silent_bins\": %zu", rates.silent);
    for (int k = 0; k < 2; k++) {
        dsn_text_printf(r->out, ",\n    \"%s_bytes\": [", k ? "write" : "read");
        for (size_t i = 0; i < s->n; i++)
            dsn_text_printf(r->out, "%s%" PRIu64, i ? ", " : "", s->bytes[i][k]);
        dsn_text_string(r->out, "]");
    }
    dsn_text_string(r->out, "}\n}\n");
}

static void print_json(struct report *r)
{
    trace_json(r);
    total_json(r);
    processes_json(r);
    files_json(r);
    series_json(r);
}

/* ------------------------------------------------------------------ text */

/* A figure in a column, or blanks. */
static void cell(struct dsn_text *out, double v, int decimals)
{
    char text[48];

    if (!isfinite(v))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.*f", decimals, v);
    dsn_text_printf(out, " %14s", text);
}

static void line(struct dsn_text *out, const char *name, double all, double read, double written, int decimals)
{
    dsn_text_printf(out, "  %-32s", name);
    cell(out, all, decimals);
    cell(out, read, decimals);
    cell(out, written, decimals);
    dsn_text_string(out, "\n");
}

static void table(struct report *r)
{
    const struct dsn_trace_sums *s = &r->t->total;
    const double n = (double)both(s->ios), n0 = (double)s->ios[0], n1 = (double)s->ios[1], per = base(r);
    const double b = (double)both(s->bytes), b0 = (double)s->bytes[0], b1 = (double)s->bytes[1];
    char name[48];

    dsn_text_printf(r->out, "\n  %-32s %14s %14s %14s\n", "", "all", "read", "written");
    line(r->out, "requests", n, n0, n1, 0);
    line(r->out, "MiB", b / MIB, b0 / MIB, b1 / MIB, 1);
    line(r->out, "KiB per request", ratio(b, n) / 1024, ratio(b0, n0) / 1024, ratio(b1, n1) / 1024, 1);
    snprintf(name, sizeof name, "MiB per %s", base_name(r));
    line(r->out, name, ratio(b, per) / MIB, ratio(b0, per) / MIB, ratio(b1, per) / MIB, 4);
    snprintf(name, sizeof name, "requests per %s", base_name(r));
    line(r->out, name, ratio(n, per), ratio(n0, per), ratio(n1, per), 2);
    line(r->out, "sum of durations, seconds", seconds(both(s->time)), seconds(s->time[0]), seconds(s->time[1]), 2);
    line(r->out, "% continue where the last one ended", 100 * ratio((double)both(s->sequential), n),
         100 * ratio((double)s->sequential[0], n0), 100 * ratio((double)s->sequential[1], n1), 1);
    line(r->out, "% have the last one's size", 100 * ratio((double)both(s->same_size), n),
         100 * ratio((double)s->same_size[0], n0), 100 * ratio((double)s->same_size[1], n1), 1);
}

static void heading(struct report *r)
{
    static const char *const cpu[] = { "no CPU times", "CPU times as recorded",
                                       "CPU times estimated: the time between calls" };
    const struct darshan_trace_info *i = r->info;

    dsn_text_printf(r->out, "%s, %" PRIu64 " records", i->format, r->t->events);
    if (i->bytes > 0 && r->t->events > 0)
        dsn_text_printf(r->out, " in %" PRIu64 " bytes (%.1f per record)", i->bytes,
                        ratio((double)i->bytes, (double)r->t->events));
    dsn_text_printf(r->out, "; %s\n", cpu[i->cpu < 3 ? i->cpu : 0]);
    if (r->t->others + r->t->failed + r->t->nowhere > 0)
        dsn_text_printf(r->out,
                        "%" PRIu64 " of them move no data, %" PRIu64 " failed, %" PRIu64 " have no offset in a file\n",
                        r->t->others, r->t->failed, r->t->nowhere);
    dsn_text_printf(r->out, "%zu process%s, %.2f s of CPU time, %.2f s from the first request to the end of the last\n",
                    r->t->nprocesses, r->t->nprocesses == 1 ? "" : "es", seconds(r->t->cpu),
                    seconds(r->t->end - r->t->begin));
}

static void purposes(struct report *r)
{
    static const char *const what[DSN_NPURPOSES] = { "each byte once", "read again, never written before",
                                                     "overwritten, never read back", "written and read back" };
    const struct dsn_trace_sums *s = &r->t->total;
    double all = 0;

    for (int i = 0; i < DSN_NPURPOSES; i++)
        all += (double)s->purposes[i];
    if (!(all > 0))
        return;
    dsn_text_string(r->out, "\nPurpose of the bytes\n");
    for (unsigned i = 0; i < DSN_NPURPOSES; i++)
        dsn_text_printf(r->out, "  %-11s %14.1f MiB %6.2f %%  %10.4f MiB per %s  %s\n", dsn_trace_purpose_name(i),
                        (double)s->purposes[i] / MIB, 100 * (double)s->purposes[i] / all,
                        ratio((double)s->purposes[i] / MIB, base(r)), base_name(r), what[i]);
}

static void summary(struct report *r)
{
    const struct dsn_trace_sums *s = &r->t->total;
    const struct rates rates = rates_of(&r->t->series);

    dsn_text_printf(r->out, "\n%.1f MiB of data in %zu file%s", (double)s->extent / MIB, r->t->nfiles,
                    r->t->nfiles == 1 ? "" : "s");
    if (s->extent > 0)
        dsn_text_printf(r->out, ", moved %.1f times", (double)both(s->bytes) / (double)s->extent);
    if (s->bytes[1] > 0)
        dsn_text_printf(r->out, "; read/written %.3f", ratio((double)s->bytes[0], (double)s->bytes[1]));
    dsn_text_printf(r->out, "\n");
    if (r->t->nfiles > 1)
        dsn_text_printf(r->out, "Requests to the busiest file %.1f %%, the busiest 4 %.1f %%\n", 100 * busiest(r->t, 1),
                        100 * busiest(r->t, 4));
    if (isfinite(mbit(r)))
        dsn_text_printf(r->out, "%.1f Mbit of I/O per %s: Amdahl's ratio is 1 at %.1f MIPS, %.3f at %.0f\n", mbit(r),
                        base_name(r), mbit(r), mbit(r) / r->a->mips, r->a->mips);
    if (r->a->flops_per_second > 0)
        dsn_text_printf(r->out, "%.6f bytes of I/O per FLOP\n",
                        ratio((double)both(s->bytes), base(r)) / r->a->flops_per_second);
    if (rates.n > 0 && r->a->large == 0)
        dsn_text_printf(r->out, "Over %s in bins of %g s: mean %.1f, peak %.1f MiB/s, %zu of %zu bins without any\n",
                        r->t->series.of_cpu ? "CPU time" : "time", r->t->series.width, rates.mean, rates.peak,
                        rates.silent, rates.n);
}

static void print_processes(struct report *r)
{
    if (r->t->nprocesses < 2)
        return;
    dsn_text_printf(r->out, "\n  %10s %12s %12s %12s %14s %14s\n", "process", "CPU s", "reads", "writes", "MiB read",
                    "MiB written");
    for (size_t i = 0; i < r->t->nprocesses && i < PROCESS_ROWS; i++) {
        const struct dsn_trace_process_sums *p = &r->t->processes[i];

        dsn_text_printf(r->out, "  %10" PRIu64 " %12.2f %12" PRIu64 " %12" PRIu64 " %14.1f %14.1f\n", p->id,
                        seconds(p->cpu), p->sums.ios[0], p->sums.ios[1], (double)p->sums.bytes[0] / MIB,
                        (double)p->sums.bytes[1] / MIB);
    }
    if (r->t->nprocesses > PROCESS_ROWS)
        dsn_text_printf(r->out, "  and %zu others, listed by --json\n", r->t->nprocesses - PROCESS_ROWS);
}

static void print_files(struct report *r)
{
    char name[160];

    if (file_rows(r) == 0)
        return;
    dsn_text_printf(r->out, "\n  %10s %12s %12s %14s %14s %12s\n", "file", "reads", "writes", "MiB read", "MiB written",
                    "MiB long");
    for (size_t i = 0; i < file_rows(r); i++) {
        const struct dsn_trace_file_sums *f = &r->t->files[i];

        dsn_text_fit(name, sizeof name, 60, 20, f->path ? f->path : "");
        dsn_text_printf(r->out, "  %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %14.1f %14.1f %12.1f%s%s\n", f->id,
                        f->sums.ios[0], f->sums.ios[1], (double)f->sums.bytes[0] / MIB, (double)f->sums.bytes[1] / MIB,
                        (double)f->sums.extent / MIB, *name ? "  " : "", name);
    }
    if (r->t->nfiles > file_rows(r))
        dsn_text_printf(r->out, "  and %zu others, listed by --files %zu\n", r->t->nfiles - file_rows(r), r->t->nfiles);
}

static void print_text(struct report *r)
{
    heading(r);
    if (both(r->t->total.ios) == 0) {
        dsn_text_string(r->out, "No data was transferred.\n");
        return;
    }
    table(r);
    summary(r);
    purposes(r);
    print_processes(r);
    print_files(r);
}

/* ------------------------------------------------------------------ all of it */

/* A wrong unit of time shows in the duration of disk requests. */
static void warn_of_ticks(const struct report *r)
{
    const double mean = ratio(seconds(r->t->disk_time), (double)r->t->disk_requests);
    char text[160];

    if (strcmp(r->info->format, "miller") != 0 || !(mean < SHORTEST_DISK || mean > LONGEST_DISK))
        return;
    snprintf(text, sizeof text,
             "disks take %.3g s per request, with a unit of time of %" PRIu32 " us; if that is wrong, use --tick-us",
             mean, r->info->tick_us);
    dsn_trace_warn(r->a, text);
}

static int print(const struct report *told)
{
    struct dsn_text out;
    struct report whole = *told, *const r = &whole;
    int rc;

    whole.out = &out;
    if (!dsn_text_init(&out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": out of memory\n");
        return 1;
    }
    if (r->a->json)
        print_json(r);
    else
        print_text(r);
    rc = dsn_end_output(r->out, COMMAND);
    dsn_text_free(r->out);
    warn_of_ticks(r);
    return rc;
}

void dsn_trace_stat_json(struct dsn_text *out, const struct dsn_trace_arguments *a,
                         const struct darshan_trace_info *info, const struct dsn_trace_stat *t)
{
    struct report r = { .a = a, .info = info, .t = t, .out = out };

    print_json(&r);
}

int dsn_trace_stat(const struct dsn_trace_arguments *a)
{
    struct report r = { .a = a };
    struct dsn_trace_counting *counting = dsn_trace_counting_new();
    struct darshan_trace *t;
    struct darshan_trace_event e;
    struct darshan_trace_error err = { "out of memory" };
    int rc = 1, status = 1;

    if (!counting)
        dsn_trace_warn(a, err.text);
    if (!counting || !dsn_trace_open(a, &t)) {
        dsn_trace_counting_free(counting);
        return 1;
    }
    while ((rc = darshan_trace_next(t, &e, &err)) > 0 && dsn_trace_count(counting, &e))
        ;
    r.info = darshan_trace_info(t);
    r.t = dsn_trace_counted(counting, a->large);
    if (r.t)
        status = print(&r);
    if (rc != 0) { /* damaged, or no memory */
        dsn_trace_warn(a, rc < 0 ? err.text : "does not fit into memory, because of its files");
        status = 1;
    }
    dsn_trace_done(a, t);
    dsn_trace_counting_free(counting);
    return status;
}

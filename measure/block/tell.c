/* tell.c - device requests as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "tell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/report/json.h"

#define MIB 1048576.0

static const char *const ways[] = { "read", "write" };
static const double percentiles[] = { 0.5, 0.9, 0.99 };

static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void print_device(struct dsn_text *out, const struct dsn_block *b, size_t device, size_t width)
{
    char label[DSN_BLOCK_LABEL];
    size_t n = dsn_block_label(b, device, label, sizeof label);

    dsn_text_string(out, "  ");
    dsn_text_untrusted(out, label, n);
    for (; n < width; n++)
        dsn_text_string(out, " ");
}

/* Of the column of devices. */
static size_t device_width(const struct dsn_block *b)
{
    char label[DSN_BLOCK_LABEL];
    size_t most = 10;

    for (size_t i = 0; i < b->ndevices; i++) {
        const size_t n = dsn_block_label(b, i, label, sizeof label);

        most = n > most ? n : most;
    }
    return most;
}

static uint64_t all_requests(const struct dsn_block *b)
{
    return b->total[0].requests + b->total[1].requests;
}

static double depth(const struct dsn_block *b)
{
    return share(b->busy, (double)(b->end - b->begin) * 1e-9);
}

/* ------------------------------------------------------------------ text */

static void row(struct dsn_text *out, const char *name, const struct dsn_block_sums *s, double all)
{
    dsn_text_printf(out, "  %-12s %12" PRIu64 " %7.2f%% %14.3f\n", name, s->requests,
                    100 * share((double)s->requests, all), (double)s->bytes / MIB);
}

static void print_classes(struct dsn_text *out, const struct dsn_block *b)
{
    const double all = (double)all_requests(b);

    for (int k = 0; k < 2; k++) {
        if (b->total[k].requests == 0) {
            dsn_text_printf(out, "\n  No %ss\n", ways[k]);
            continue;
        }
        dsn_text_printf(out, "\n  %-12s %12s %8s %14s\n", k ? "Writes" : "Reads", "requests", "of all", "MiB");
        row(out, "all", &b->total[k], all);
        for (unsigned i = 0; i < DSN_BLOCK_CLASSES; i++)
            row(out, dsn_block_class_name(i), &b->of_class[k][i], all);
        for (unsigned i = 0; i < DARSHAN_TRACE_NCLASSES; i++)
            row(out, darshan_trace_class_name(i), &b->of_kind[k][i], all);
    }
    dsn_text_printf(out, "  small: up to %" PRIu64 " B; page: %" PRIu64 " B; large: from %" PRIu64 " B on\n",
                    b->edges.small, b->edges.page, b->edges.large);
}

static void print_net(struct dsn_text *out, const struct dsn_block *b, const struct dsn_block *idle)
{
    const double disks = (double)b->ndevices;

    dsn_text_printf(out, "\nRequests beyond the idle baseline of %.2f requests/s (+- two standard deviations)\n",
                    share((double)all_requests(idle), idle->seconds));
    dsn_text_printf(out, "  %-12s %12s %12s %10s %12s\n", "", "counted", "net", "+-", "before clamp");
    for (int k = 0; k < 2; k++)
        for (unsigned i = 0; i <= DSN_BLOCK_CLASSES; i++) {
            const uint64_t n = i ? b->of_class[k][i - 1].requests : b->total[k].requests;
            const uint64_t of_idle = i ? idle->of_class[k][i - 1].requests : idle->total[k].requests;
            const struct dsn_block_net net = dsn_block_net(n, b->seconds, of_idle, idle->seconds);

            dsn_text_printf(out, "  %-5s %-6s %12" PRIu64 " %12.1f %10.1f %12.1f%s\n", ways[k],
                            i ? dsn_block_class_name(i - 1) : "all", n, net.net, net.error, net.raw,
                            fabs(net.raw) <= net.error ? "  within two standard deviations of the baseline" : "");
            if (i == 0 && b->ndevices > 1)
                dsn_text_printf(out, "  %-5s %-6s %12.1f %12.1f %10.1f %12.1f\n", ways[k], "a disk", (double)n / disks,
                                net.net / disks, net.error / disks, net.raw / disks);
        }
}

/* Whether the sizes of the disks are known. */
static int has_sizes(const struct dsn_block *b)
{
    for (size_t i = 0; i < b->ndevices; i++)
        if (!b->devices[i].has_size)
            return 0;
    return 1;
}

static void print_places(struct dsn_text *out, const struct dsn_block_report *r)
{
    const struct dsn_block_sector *hot = r->hottest;
    const struct dsn_block *b = r->run;
    const size_t width = device_width(b);

    dsn_text_printf(out, "\nPlaces: bands of %d sectors, %zu of %zu have requests%s\n", DSN_BLOCK_BAND, b->nbands,
                    b->all_bands,
                    has_sizes(b) ? "" : "; disks end at the last sector touched, unless --sectors says more");
    for (int i = 0; i < DSN_BLOCK_SHARES; i++)
        dsn_text_printf(out, "  %2.0f %% of the requests are in %zu, %.2f %% of the disk%s\n",
                        100 * dsn_block_shares[i], b->concentrated[i], 100 * b->share_of_bands[i],
                        b->ndevices > 1 ? "s" : "");
    if (!isfinite(b->interval)) {
        dsn_text_string(out, "No sector was accessed again\n");
        return;
    }
    dsn_text_printf(out, "Between accesses to one sector: %.3f s in the mean\n", b->interval);
    dsn_text_printf(out, "  %-*s %14s %10s %12s\n", (int)width, "device", "sector", "accesses", "a second");
    for (size_t i = 0; i < r->nhottest && hot[i].accesses > 1; i++) {
        print_device(out, b, hot[i].device, width);
        dsn_text_printf(out, " %14" PRIu64 " %10" PRIu64 " %12.4f", hot[i].sector, hot[i].accesses,
                        share((double)hot[i].accesses, b->seconds));
        if (r->owner[i]) {
            dsn_text_string(out, "  ");
            dsn_text_untrusted(out, r->owner[i], strlen(r->owner[i]));
        }
        dsn_text_string(out, "\n");
    }
}

static void print_times(struct dsn_text *out, const struct dsn_block *b)
{
    dsn_text_printf(out, "\nQueue depth: %.2f in the mean, %" PRIu64 " at most\n", depth(b), b->deepest);
    for (int k = 0; k < 2; k++)
        if (b->total[k].requests > 0)
            dsn_text_printf(out, "A %s takes %.1f us in the median, %.1f at 90 %%, %.1f at 99 %%\n", ways[k],
                            1e6 * dsn_block_latency(b, k, percentiles[0]),
                            1e6 * dsn_block_latency(b, k, percentiles[1]),
                            1e6 * dsn_block_latency(b, k, percentiles[2]));
}

static double from_begin(const struct dsn_block *b, unsigned part)
{
    return (double)(b->end - b->begin) * 1e-9 * part / DSN_BLOCK_SERIES;
}

static double phase_seconds(const struct dsn_block *b, const struct dsn_block_phase *p)
{
    return from_begin(b, p->first + p->bins) - from_begin(b, p->first);
}

static double asked_in(const struct dsn_block_calls *c, const struct dsn_block_phase *p, int k)
{
    double sum = 0;

    for (unsigned i = p->first; i < p->first + p->bins; i++)
        sum += c->series[k][i];
    return sum;
}

static void print_callers(struct dsn_text *out, const struct dsn_block_calls *c, size_t phase)
{
    for (size_t i = 0; i < c->ncallers[phase]; i++) {
        const struct dsn_block_caller *one = &c->callers[phase][i];

        dsn_text_printf(out, "    %" PRIu64 " %ss, %.3f MiB: ", one->sums.requests, ways[one->is_write],
                        (double)one->sums.bytes / MIB);
        dsn_text_untrusted(out, one->path ? one->path : "?", one->path ? strlen(one->path) : 1);
        dsn_text_string(out, "\n");
    }
}

static void print_phases(struct dsn_text *out, const struct dsn_block_report *r)
{
    const struct dsn_block *b = r->run;
    const int asked = r->calls && r->calls->has_series;

    dsn_text_string(out, "\nPhases: ");
    if (b->nphases > 1)
        dsn_text_printf(out, "the rate of requests changes %zu time%s\n", b->nphases - 1, b->nphases > 2 ? "s" : "");
    else
        dsn_text_string(out, "the rate of requests does not change\n");
    dsn_text_printf(out, "  %12s %12s %12s %12s %12s%s\n", "from s", "to s", "requests/s", "MiB/s read", "written",
                    asked ? "   MiB/s asked to read      to write" : "");
    for (size_t i = 0; i < b->nphases; i++) {
        const struct dsn_block_phase *p = &b->phases[i];
        const double s = phase_seconds(b, p);

        dsn_text_printf(out, "  %12.3f %12.3f %12.1f %12.3f %12.3f", from_begin(b, p->first),
                        from_begin(b, p->first + p->bins),
                        share((double)(p->sums[0].requests + p->sums[1].requests), s),
                        share((double)p->sums[0].bytes / MIB, s), share((double)p->sums[1].bytes / MIB, s));
        if (asked)
            dsn_text_printf(out, " %21.3f %13.3f", share(asked_in(r->calls, p, 0) / MIB, s),
                            share(asked_in(r->calls, p, 1) / MIB, s));
        dsn_text_string(out, "\n");
        if (r->calls)
            print_callers(out, r->calls, i);
    }
}

static void print_files(struct dsn_text *out, const struct dsn_block_report *r)
{
    dsn_text_printf(out, "\n  %14s %14s %14s %14s  file\n", "MiB read", "asked for", "MiB written", "asked for");
    for (size_t i = 0; i < r->nfiles && i < DSN_BLOCK_HOTTEST; i++) {
        const struct dsn_block_file *f = &r->files[i];

        for (int k = 0; k < 2; k++) {
            dsn_text_printf(out, "%s%14.3f", k ? " " : "  ", (double)f->sums[k].bytes / MIB);
            if (f->is_asked)
                dsn_text_printf(out, " %14.3f", f->asked[k] / MIB);
            else
                dsn_text_printf(out, " %14s", "-");
        }
        dsn_text_string(out, "  ");
        dsn_text_untrusted(out, f->path, strlen(f->path));
        dsn_text_string(out, "\n");
    }
    if (r->nfiles > DSN_BLOCK_HOTTEST)
        dsn_text_printf(out, "  and %zu more files\n", r->nfiles - DSN_BLOCK_HOTTEST);
}

static void print_devices(struct dsn_text *out, const struct dsn_block *b)
{
    const double n = (double)b->ndevices;
    const size_t width = device_width(b);

    if (b->ndevices < 2)
        return;
    dsn_text_printf(out, "\n  %-*s %12s %12s %14s %14s %12s\n", (int)width, "device", "reads", "writes", "MiB read",
                    "MiB written", "requests/s");
    for (size_t i = 0; i < b->ndevices; i++) {
        const struct dsn_block_device *d = &b->devices[i];

        print_device(out, b, i, width);
        dsn_text_printf(out, " %12" PRIu64 " %12" PRIu64 " %14.3f %14.3f %12.2f\n", d->sums[0].requests,
                        d->sums[1].requests, (double)d->sums[0].bytes / MIB, (double)d->sums[1].bytes / MIB,
                        share((double)(d->sums[0].requests + d->sums[1].requests), b->sources[d->source].seconds));
    }
    dsn_text_printf(out, "  %-*s %12.1f %12.1f %14.3f %14.3f %12.2f\n", (int)width, "average",
                    (double)b->total[0].requests / n, (double)b->total[1].requests / n,
                    (double)b->total[0].bytes / MIB / n, (double)b->total[1].bytes / MIB / n,
                    share((double)all_requests(b), b->seconds) / n);
}

static void print_amplification(struct dsn_text *out, const struct dsn_block_report *r)
{
    static const char *const what[] = { "read", "written" };

    dsn_text_string(out, "\n");
    for (int k = 0; k < 2; k++) {
        const double bytes = (double)r->run->total[k].bytes;

        dsn_text_printf(out,
                        "Bytes %s: %.3f MiB by the programs of the log on all file systems, %.3f MiB at the device",
                        what[k], r->calls->bytes[k] / MIB, bytes / MIB);
        if (r->calls->bytes[k] > 0)
            dsn_text_printf(out, ", %.3f times as many", bytes / r->calls->bytes[k]);
        dsn_text_string(out, "\n");
    }
}

void dsn_block_text(struct dsn_text *out, const struct dsn_block_report *r)
{
    const struct dsn_block *b = r->run;

    if (b->nsources == 1)
        dsn_text_untrusted(out, b->sources[0].path, strlen(b->sources[0].path));
    else
        dsn_text_printf(out, "%zu recordings of %zu disks%s", b->nsources, b->ndevices,
                        b->epoch ? "" : ", which begin together, since not all have a date");
    dsn_text_printf(out,
                    ": %" PRIu64 " requests in %.3f s, %.2f a second, %.0f/%.0f %% reads and writes; %" PRIu64
                    " flushes and others\n",
                    all_requests(b), b->seconds, share((double)all_requests(b), b->seconds),
                    100 * share((double)b->total[0].requests, (double)all_requests(b)),
                    100 * share((double)b->total[1].requests, (double)all_requests(b)), b->others);
    if (b->knows_lost)
        dsn_text_printf(out, "Events lost: %" PRIu64 "%s\n", b->lost, b->lost ? "; record with a larger --buffer" : "");
    else
        dsn_text_string(out, "Events lost: unknown\n");
    if (all_requests(b) > 0)
        print_classes(out, b);
    if (r->idle)
        print_net(out, b, r->idle);
    if (all_requests(b) > 0) {
        print_places(out, r);
        print_times(out, b);
        print_phases(out, r);
        print_devices(out, b);
    }
    if (r->nfiles > 0)
        print_files(out, r);
    if (r->calls)
        print_amplification(out, r);
}

/* ------------------------------------------------------------------ JSON */

static void set(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(o, key, value);
}

static json_t *count(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *sums(const struct dsn_block_sums *s)
{
    return json_pack("{s:o, s:o}", "requests", count(s->requests), "bytes", count(s->bytes));
}

static json_t *label_of(const struct dsn_block *b, size_t device)
{
    char label[DSN_BLOCK_LABEL];

    dsn_block_label(b, device, label, sizeof label);
    return dsn_json_text(label);
}

static json_t *device(const struct dsn_block *b, size_t i)
{
    const struct dsn_block_device *d = &b->devices[i];
    const struct dsn_block_disk *disk = dsn_block_disk_of(b, d);
    const char *host = d->host != DSN__NO_TEXT ? dsn__texts_text(&b->hosts, d->host) : NULL;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "disk", label_of(b, i), "recording",
                     dsn_json_text(b->sources[d->source].path), "host", dsn_json_text(host), "device", count(d->device),
                     "name", dsn_json_text(disk ? disk->name : NULL), "read", sums(&d->sums[0]), "write",
                     sums(&d->sums[1]));
}

static json_t *recordings(const struct dsn_block *b)
{
    json_t *list = json_array();

    for (size_t i = 0; i < b->nsources; i++) {
        const struct dsn_block_source *s = &b->sources[i];

        json_array_append_new(list,
                              json_pack("{s:o, s:f, s:o, s:o}", "file", dsn_json_text(s->path), "seconds", s->seconds,
                                        "lost", s->notes.is_there ? count(s->notes.lost) : json_null(), "requests",
                                        count(s->end - s->first)));
    }
    return list;
}

static json_t *net(uint64_t n, double seconds, uint64_t idle, double idle_seconds)
{
    const struct dsn_block_net v = dsn_block_net(n, seconds, idle, idle_seconds);

    return json_pack("{s:f, s:f, s:f}", "raw", v.raw, "net", v.net, "error", v.error);
}

static json_t *reals(const double *series)
{
    json_t *list = json_array();

    for (int i = 0; i < DSN_BLOCK_SERIES; i++)
        json_array_append_new(list, json_real(series[i]));
    return list;
}

static json_t *way(const struct dsn_block_report *r, int k)
{
    const struct dsn_block *b = r->run;
    json_t *o = sums(&b->total[k]), *classes = json_object(), *kinds = json_object(), *series = json_array(),
           *counts = json_array(), *latencies = json_array();

    for (unsigned i = 0; i < DSN_BLOCK_CLASSES; i++) {
        json_t *of = sums(&b->of_class[k][i]);

        if (r->idle)
            set(of, "beyond_baseline",
                net(b->of_class[k][i].requests, b->seconds, r->idle->of_class[k][i].requests, r->idle->seconds));
        set(classes, dsn_block_class_name(i), of);
    }
    for (unsigned i = 0; i < DARSHAN_TRACE_NCLASSES; i++)
        set(kinds, darshan_trace_class_name(i), sums(&b->of_kind[k][i]));
    for (int i = 0; i < DSN_BLOCK_SERIES; i++)
        json_array_append_new(series, count(b->series[k][i].bytes));
    for (int i = 0; i < DSN_BLOCK_SERIES; i++)
        json_array_append_new(counts, count(b->series[k][i].requests));
    for (unsigned i = 0; i < DSN_BLOCK_LATENCY; i++)
        if (b->latency[k][i] > 0)
            json_array_append_new(latencies, json_pack("[f, o]", dsn_block_latency_of(i), count(b->latency[k][i])));
    set(o, "classes", classes);
    set(o, "kinds", kinds);
    if (r->idle)
        set(o, "beyond_baseline", net(b->total[k].requests, b->seconds, r->idle->total[k].requests, r->idle->seconds));
    set(o, "latency_seconds",
        json_pack("{s:f, s:f, s:f}", "50", dsn_block_latency(b, k, percentiles[0]), "90",
                  dsn_block_latency(b, k, percentiles[1]), "99", dsn_block_latency(b, k, percentiles[2])));
    set(o, "latencies", latencies);
    set(o, "bytes_over_time", series);
    set(o, "requests_over_time", counts);
    if (r->calls) {
        set(o, "asked_bytes", json_real(r->calls->bytes[k]));
        set(o, "amplification",
            dsn_json_f64(r->calls->bytes[k] > 0 ? (double)b->total[k].bytes / r->calls->bytes[k] : NAN));
        set(o, "asked_over_time", r->calls->has_series ? reals(r->calls->series[k]) : json_null());
    }
    return o;
}

static json_t *places(const struct dsn_block_report *r)
{
    const struct dsn_block_sector *hot = r->hottest;
    const struct dsn_block *b = r->run;
    json_t *o = json_object(), *shares = json_array(), *sectors = json_array();

    for (int i = 0; i < DSN_BLOCK_SHARES; i++)
        json_array_append_new(shares,
                              json_pack("{s:f, s:o, s:o}", "of_requests", dsn_block_shares[i], "bands",
                                        count(b->concentrated[i]), "of_disk", dsn_json_f64(b->share_of_bands[i])));
    for (size_t i = 0; i < r->nhottest; i++)
        json_array_append_new(sectors,
                              json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "file", dsn_json_text(r->owner[i]), "disk",
                                        label_of(b, hot[i].device), "device", count(b->devices[hot[i].device].device),
                                        "sector", count(hot[i].sector), "accesses", count(hot[i].accesses),
                                        "per_second", share((double)hot[i].accesses, b->seconds)));
    set(o, "band_sectors", count(DSN_BLOCK_BAND));
    set(o, "bands", count(b->all_bands));
    set(o, "bands_used", count(b->nbands));
    set(o, "concentration", shares);
    set(o, "seconds_between_accesses", dsn_json_f64(b->interval));
    set(o, "hottest", sectors);
    return o;
}

static json_t *callers(const struct dsn_block_calls *c, size_t phase)
{
    json_t *list = json_array();

    for (size_t i = 0; c && i < c->ncallers[phase]; i++) {
        const struct dsn_block_caller *one = &c->callers[phase][i];

        json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o}", "file", dsn_json_text(one->path), "operation",
                                              ways[one->is_write], "calls", count(one->sums.requests), "bytes",
                                              count(one->sums.bytes)));
    }
    return list;
}

static json_t *phases(const struct dsn_block_report *r)
{
    const struct dsn_block *b = r->run;
    json_t *list = json_array();

    for (size_t i = 0; i < b->nphases; i++) {
        const struct dsn_block_phase *p = &b->phases[i];
        json_t *o = json_pack("{s:f, s:f, s:o, s:o, s:o}", "from", from_begin(b, p->first), "to",
                              from_begin(b, p->first + p->bins), "read", sums(&p->sums[0]), "write", sums(&p->sums[1]),
                              "calls", callers(r->calls, i));

        for (int k = 0; k < 2 && r->calls && r->calls->has_series; k++)
            set(json_object_get(o, ways[k]), "asked_bytes", json_real(asked_in(r->calls, p, k)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *files(const struct dsn_block_report *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->nfiles && i < DSN_BLOCK_FILES; i++) {
        const struct dsn_block_file *f = &r->files[i];
        json_t *o = json_pack("{s:o}", "file", dsn_json_text(f->path));

        for (int k = 0; k < 2; k++) {
            json_t *of = sums(&f->sums[k]);

            if (f->is_asked) {
                set(of, "asked_bytes", json_real(f->asked[k]));
                set(of, "amplification", dsn_json_f64(f->asked[k] > 0 ? (double)f->sums[k].bytes / f->asked[k] : NAN));
            }
            set(o, ways[k], of);
        }
        json_array_append_new(list, o);
    }
    return list;
}

json_t *dsn_block_document(const struct dsn_block_report *r)
{
    const struct dsn_block *b = r->run;
    json_t *o, *devices = json_array();

    dsn_document_begin();
    o = json_pack("{s:s, s:o}", "format", "darshan-block 1", "file",
                  dsn_json_text(b->nsources == 1 ? b->sources[0].path : NULL));
    for (size_t i = 0; i < b->ndevices; i++)
        json_array_append_new(devices, device(b, i));
    set(o, "recordings", recordings(b));
    set(o, "seconds", json_real(b->seconds));
    set(o, "seconds_of_series", json_real((double)(b->end - b->begin) * 1e-9));
    set(o, "lost", b->knows_lost ? count(b->lost) : json_null());
    set(o, "others", count(b->others));
    set(o, "failed", count(b->failed));
    for (int k = 0; k < 2; k++)
        set(o, ways[k], way(r, k));
    set(o, "places", places(r));
    set(o, "depth",
        json_pack("{s:f, s:o, s:o}", "mean", depth(b), "most", count(b->deepest), "over_time", reals(b->depths)));
    set(o, "phases", phases(r));
    set(o, "files", files(r));
    set(o, "devices", devices);
    if (r->idle)
        set(o, "baseline",
            json_pack("{s:f, s:o}", "seconds", r->idle->seconds, "requests", count(all_requests(r->idle))));
    if (!o || dsn_document_failed()) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* text.c - a sweep as text: results, then curves
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/simulate/spec.h"

#define MIB           1048576.0
#define NO_DIFFERENCE 0.8 /* ratio of rates: smaller differences vary from sweep to sweep */

struct short_text {
    char s[48];
};

static struct short_text rate(double v)
{
    struct short_text t;

    if (!(v > 0))
        snprintf(t.s, sizeof t.s, "-");
    else
        snprintf(t.s, sizeof t.s, v >= 100 * MIB ? "%.0f MiB/s" : v >= MIB ? "%.1f MiB/s" : "%.3f MiB/s", v / MIB);
    return t;
}

static struct short_text size(uint64_t v)
{
    struct short_text t;

    dsn_spec_size((double)v, t.s, sizeof t.s);
    return t;
}

static void line(struct dsn_text *out, const char *name, const char *text)
{
    dsn_text_printf(out, "%-22s%s\n", name, text);
}

/* Says why a result is not given. */
static int is_withheld(struct dsn_text *out, const char *name, enum dsn_withheld why)
{
    if (why == DSN_OF_MEMORY)
        line(out, name, "not told: the file system is in memory, which is no storage behind a cache");
    else if (why == DSN_OF_THE_CACHE)
        line(out, name, "not told: the page cache was not bypassed, and it is what was measured");
    return why != DSN_GIVEN;
}

static void say_requests(struct dsn_text *out, const char *name, const struct dsn_way_found *w)
{
    char text[256];

    if (is_withheld(out, name, w->requests_withheld) || !(w->peak > 0))
        return;
    snprintf(text, sizeof text, "%s: the smallest with 95 %% of the peak, which is %s at %s", size(w->best_request).s,
             rate(w->peak).s, size(w->peak_request).s);
    line(out, name, text);
    if (!(w->byte > 0))
        return;
    snprintf(text, sizeof text, "%.1f us, then its bytes at %s; off by up to %.0f %%", 1e6 * w->latency,
             rate(1 / w->byte).s, 100 * w->off);
    line(out, "  a request takes", text);
}

static void say_cache(struct dsn_text *out, const char *name, const struct dsn_cache_found *c)
{
    char text[256];

    if (c->bytes)
        snprintf(text, sizeof text, "%s%s%s: %s up to there, %s beyond", size(c->bytes).s,
                 c->next ? ", less than " : "", c->next ? size(c->next).s : "", rate(c->upper).s, rate(c->lower).s);
    else if (c->at_least)
        snprintf(text, sizeof text, "not full with files of up to %s; a larger --limit goes further",
                 size(c->at_least).s);
    else if (c->scatters)
        snprintf(text, sizeof text,
                 "unknown: the rate may fall from %s to %s, but samples differ by more; use more --samples",
                 rate(c->upper).s, rate(c->lower).s);
    else
        return;
    line(out, name, text);
}

static void say_behind(struct dsn_text *out, const struct dsn_verdict *v)
{
    char text[256];

    if (is_withheld(out, "Caches, write-behind", v->caches_withheld) || v->write_behind == DSN_NOT_KNOWN)
        return;
    snprintf(text, sizeof text, "%s: buffered writes are %.1f times as fast as with fsync",
             v->write_behind == DSN_YES ? "yes" : "no", v->write_behind_gain);
    line(out, "Write-behind", text);
}

static void say_ahead(struct dsn_text *out, const struct dsn_verdict *v)
{
    char text[256];

    if (is_withheld(out, "Read-ahead", v->ahead_withheld) || v->reads_ahead == DSN_NOT_KNOWN)
        return;
    if (v->ahead_bytes)
        snprintf(text, sizeof text, "yes: up to %s are read ahead; small sequential reads are %.1f times as fast",
                 size(v->ahead_bytes).s, v->ahead_gain);
    else
        snprintf(text, sizeof text, "%s: small sequential reads are %.1f times as fast as random ones",
                 v->reads_ahead == DSN_YES ? "yes" : "no", v->ahead_gain);
    line(out, "Read-ahead", text);
}

static void say_retention(struct dsn_text *out, const struct dsn_verdict *v)
{
    char text[256];

    if (is_withheld(out, "Keeps what was read", v->keeps_withheld) || v->keeps == DSN_NOT_KNOWN)
        return;
    if (v->whole_only == DSN_NOT_KNOWN)
        snprintf(text, sizeof text, "%s: a second reading is %.1f times as fast", v->keeps == DSN_YES ? "yes" : "no",
                 v->warm_gain);
    else
        snprintf(text, sizeof text, "%s: a second reading is %.1f times as fast if the file fits, %.1f times if not",
                 v->whole_only == DSN_YES ? "whole files only" : "yes, also parts", v->warm_gain, v->warm_gain_large);
    line(out, "Keeps what was read", text);
    if (v->read_write_handle > 0) {
        snprintf(text, sizeof text, "reads are %.2f times as fast as through a read-only one%s", v->read_write_handle,
                 v->read_write_handle > NO_DIFFERENCE && v->read_write_handle < 1 / NO_DIFFERENCE ? ": no difference"
                                                                                                  : "");
        line(out, "Read-write handles", text);
    }
}

static void say_mode(struct dsn_text *out, const struct dsn_way_found *w, const char *what)
{
    const char *between = "; not significantly different: ";
    char text[512], name[64];
    size_t n;

    n = (size_t)snprintf(text, sizeof text, "%s (%s): %s", dsn_mode_row(w->best_mode)->name,
                         dsn_mode_row(w->best_mode)->what, rate(w->best_mode_rate).s);
    for (unsigned mode = 0; dsn_mode_row(mode); mode++)
        if (w->like_best & 1u << mode) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", between, dsn_mode_row(mode)->name);
            between = ", ";
        }
    snprintf(name, sizeof name, "%s, access mode", what);
    line(out, name, text);
}

static void say_best_workers(struct dsn_text *out, const char *what, const char *files, unsigned workers, double best,
                             double efficiency)
{
    char text[256], name[64];
    int n;

    if (workers == 0)
        return;
    snprintf(name, sizeof name, "%s, %s", what, files);
    n = snprintf(text, sizeof text, "%u worker%s: %s; efficiency ", workers, workers == 1 ? "" : "s", rate(best).s);
    if (isfinite(efficiency))
        snprintf(text + n, sizeof text - (size_t)n, "%.2f", efficiency);
    else
        snprintf(text + n, sizeof text - (size_t)n, "unknown, samples differ by more; use more --samples");
    line(out, name, text);
}

static void say_workers(struct dsn_text *out, const struct dsn_way_found *w, const char *what)
{
    static const char *const files[] = { "one file", "a file each" }, *const of_cached[] = { "a cached file",
                                                                                             "cached files" };
    char name[64];

    snprintf(name, sizeof name, "%s, workers", what);
    if (!is_withheld(out, name, w->workers_withheld))
        for (int i = 0; i < 2; i++)
            say_best_workers(out, what, files[i], w->best_workers[i], w->best_rate[i], w->efficiency[i]);
    for (int i = 0; i < 2; i++)
        say_best_workers(out, what, of_cached[i], w->cached_workers[i], w->cached_rate[i], w->cached_efficiency[i]);
    snprintf(name, sizeof name, "%s, access mode", what);
    if (!is_withheld(out, name, w->mode_withheld) && w->best_mode_rate > 0)
        say_mode(out, w, what);
}

/* The rates of nodes at a point: of up to this many each, of more the slowest and the fastest. */
#define MAX_NODES_SAID 8

static void say_shares(struct dsn_text *out, const struct dsn_verdict *v, int is_write, unsigned sweep, uint64_t x)
{
    const struct dsn_sweep_host *host = v->samples->host;
    const struct dsn_node_share *slowest = NULL, *fastest = NULL;
    size_t n = 0;

    if (v->samples->nhosts == 1)
        return; /* all of it, as said */
    for (size_t i = 0; i < v->samples->nhosts; i++) {
        const struct dsn_node_share *s = dsn_verdict_share(v, sweep, i, x);

        if (!s)
            continue;
        if (v->samples->nhosts <= MAX_NODES_SAID)
            dsn_text_printf(out, "%-*s%s %s", n == 0 ? 22 : 2, n == 0 ? "    each node" : ",", host[i].name,
                            v->of_host[i][is_write] ? "not told" : rate(s->rate).s);
        n++;
        if (v->of_host[i][is_write] != DSN_GIVEN)
            continue;
        slowest = slowest && slowest->rate <= s->rate ? slowest : s;
        fastest = fastest && fastest->rate >= s->rate ? fastest : s;
    }
    if (v->samples->nhosts > MAX_NODES_SAID && slowest)
        dsn_text_printf(out, "%-22sfrom %s (%s) to %s (%s); --json has all %zu", "    each node", rate(slowest->rate).s,
                        host[slowest->host].name, rate(fastest->rate).s, host[fastest->host].name, n);
    if (v->samples->nhosts <= MAX_NODES_SAID ? n > 0 : slowest != NULL)
        dsn_text_string(out, "\n");
}

static unsigned hosts_at(const struct dsn_verdict *v, unsigned sweep, uint64_t x)
{
    unsigned n = 0;

    for (size_t i = 0; i < v->samples->nhosts; i++)
        n += dsn_verdict_share(v, sweep, i, x) != NULL;
    return n;
}

static void say_nodes(struct dsn_text *out, const struct dsn_verdict *v)
{
    static const unsigned of[2][2] = { { DSN_SWEEP_NODES_ONE_READ, DSN_SWEEP_NODES_EACH_READ },
                                       { DSN_SWEEP_NODES_ONE_WRITE, DSN_SWEEP_NODES_EACH_WRITE } };
    static const char *const names[] = { "Nodes, reads", "Nodes, writes" }, *const files[] = { "  one file",
                                                                                               "  a file each" };
    const size_t hosts = v->samples->nhosts;

    if (hosts == 0)
        return;
    dsn_text_printf(out, "%-22s%zu", "Nodes", hosts);
    for (size_t i = 0; i < hosts && i < MAX_NODES_SAID; i++)
        dsn_text_printf(out, "%s%s (%u process%s)", i == 0 ? ": " : ", ", v->samples->host[i].name,
                        v->samples->host[i].processes, v->samples->host[i].processes == 1 ? "" : "es");
    dsn_text_string(out, hosts > MAX_NODES_SAID ? ", ...; --json has all of them\n" : "\n");
    for (int k = 0; k < 2; k++) {
        const struct dsn_nodes_found *f = &v->nodes[k];
        char text[256];

        if (f->withheld) {
            const struct dsn_sweep_host *host = &v->samples->host[f->withheld_by];

            dsn_text_printf(out,
                            f->withheld == DSN_OF_MEMORY
                                ? "%-22snot told: on %s the file system (%s) is in memory\n"
                                : "%-22snot told: on %s (%s) the page cache was not bypassed\n",
                            names[k], host->name, host->type);
        } else if (f->peak > 0) {
            snprintf(text, sizeof text, "best in requests of %s: the smallest with 95 %% of the peak, %s at %s",
                     size(f->best_request).s, rate(f->peak).s, size(f->peak_request).s);
            line(out, names[k], text);
        }
        for (int i = 0; i < 2; i++) {
            const struct dsn_rate_curve *c = &v->curve[of[k][i]];
            const uint64_t x = f->best[i] ? f->best[i] : c->n ? c->point[c->n - 1].x : 0;
            const unsigned nodes = hosts_at(v, of[k][i], x);

            if (x == 0)
                continue;
            if (f->withheld)
                snprintf(text, sizeof text, "%" PRIu64 " process%s on %u node%s", x, x == 1 ? "" : "es", nodes,
                         nodes == 1 ? "" : "s");
            else
                snprintf(text, sizeof text,
                         isfinite(f->efficiency[i])
                             ? "%u process%s on %u node%s: %s; efficiency %.2f"
                             : "%u process%s on %u node%s: %s; efficiency unknown, samples differ by more; use more "
                               "--samples",
                         f->best[i], f->best[i] == 1 ? "" : "es", nodes, nodes == 1 ? "" : "s", rate(f->best_rate[i]).s,
                         f->efficiency[i]);
            line(out, files[i], text);
            say_shares(out, v, k, of[k][i], x);
        }
    }
}

static void say_proof(struct dsn_text *out, const struct dsn_verdict *v)
{
    char text[256];

    if (v->is_proved == DSN_NOT_KNOWN)
        return;
    if (v->is_proved == DSN_YES)
        snprintf(text, sizeof text, "yes: mincore(2) found nothing of the files in the page cache (at most %.2f %%)",
                 100 * v->worst_resident);
    else
        snprintf(text, sizeof text,
                 "NO: mincore(2) found up to %.0f %% of a file in the page cache before it was read past it",
                 100 * v->worst_resident);
    line(out, "Cache bypassed", text);
}

/* Medians of a plane: a line for each size of files, a column for each of requests. */
static void print_plane(struct dsn_text *out, const struct dsn_verdict *v, unsigned sweep)
{
    const struct dsn_rate_curve *c = &v->curve[sweep];
    const struct dsn_sweep_row *row = dsn_sweep_row(sweep);
    uint64_t column[DSN_SWEEP_POINTS];
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        size_t at = 0, same;

        while (at < n && column[at] < c->point[i].request)
            at++;
        same = at < n && column[at] == c->point[i].request;
        if (same)
            continue;
        memmove(column + at + 1, column + at, (n++ - at) * sizeof *column);
        column[at] = c->point[i].request;
    }
    dsn_text_printf(out, "\n%s (%s), in MiB/s\n  %-10s", row->what, row->name, "file");
    for (size_t k = 0; k < n; k++)
        dsn_text_printf(out, " %10s", size(column[k]).s);
    for (size_t i = 0; i < c->n;) {
        const uint64_t x = c->point[i].x;

        dsn_text_printf(out, "\n  %-10s", size(x).s);
        for (size_t k = 0; k < n; k++)
            if (i < c->n && c->point[i].x == x && c->point[i].request == column[k])
                dsn_text_printf(out, " %10.3f", c->point[i++].rate.median / MIB);
            else
                dsn_text_printf(out, " %10s", "-");
    }
    dsn_text_string(out, "\n");
}

static void print_curve(struct dsn_text *out, const struct dsn_verdict *v, unsigned sweep)
{
    const struct dsn_rate_curve *c = &v->curve[sweep];
    static const char *const heads[] = { "request", "request", "file", "workers", "file", "mode" };
    const struct dsn_sweep_row *row = dsn_sweep_row(sweep);

    dsn_text_printf(out, "\n%s (%s)\n  %-16s %12s %12s %12s %8s %8s %9s\n", row->what, row->name,
                    row->is_nodes && row->factor == DSN_BY_WRITERS ? "processes" : heads[row->factor], "MiB/s", "from",
                    "to", "samples", "conf. %", "in cache");
    for (size_t i = 0; i < c->n; i++) {
        const struct dsn_curve_point *p = &c->point[i];
        char x[48];

        if (row->factor == DSN_BY_MODE)
            snprintf(x, sizeof x, "%s", dsn_mode_row((unsigned)p->x)->name);
        else if (row->factor == DSN_BY_WRITERS && row->is_nodes)
            snprintf(x, sizeof x, "%" PRIu64 " on %u node%s", p->x, hosts_at(v, sweep, p->x),
                     hosts_at(v, sweep, p->x) == 1 ? "" : "s");
        else if (row->factor == DSN_BY_WRITERS)
            snprintf(x, sizeof x, "%" PRIu64, p->x);
        else
            snprintf(x, sizeof x, "%s", size(p->x).s);
        dsn_text_printf(out, "  %-16s %12.3f %12.3f %12.3f %8zu %8.1f ", x, p->rate.median / MIB, p->rate.low / MIB,
                        p->rate.high / MIB, p->rate.n, 100 * p->rate.confidence);
        if (p->resident_most >= 0)
            dsn_text_printf(out, "%8.1f%%\n", 100 * p->resident_most);
        else
            dsn_text_printf(out, "%9s\n", "-");
    }
}

void dsn_sweep_text(struct dsn_text *out, const struct dsn_sweep_record *r, const struct dsn_verdict *v, int is_partial)
{
    dsn_text_untrusted(out, r->directory, strlen(r->directory));
    dsn_text_printf(out, " (%s), files of up to %s, %u samples per point%s\n\n", r->type, size(r->settings.limit).s,
                    r->settings.samples, is_partial ? "; NOT ALL of it was measured" : "");
    say_requests(out, "Best request, reads", &v->way[0]);
    say_requests(out, "Best request, writes", &v->way[1]);
    say_cache(out, "Effective read cache", &v->read_cache);
    say_cache(out, "Effective write cache", &v->write_cache);
    say_behind(out, v);
    say_ahead(out, v);
    say_retention(out, v);
    say_workers(out, &v->way[0], "Reads");
    say_workers(out, &v->way[1], "Writes");
    say_nodes(out, v);
    say_proof(out, v);
    for (unsigned i = 0; i < DSN_NSWEEPS; i++)
        if (v->curve[i].n > 0)
            (dsn_sweep_row(i)->factor == DSN_BY_PLANE ? print_plane : print_curve)(out, v, i);
}

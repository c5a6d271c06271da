/* screen-phases.c - text report: phases that the program has named
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/shown.h"
#include "phases.h"
#include "screen-parts.h"
#include "screen.h"
#include "units.h"

#define SHOWN 3
#define SOME  0.01 /* of the bytes or calls of all phases: what is in none, if it is shown */
#define NAME  20   /* columns */

static void add_line(struct dsn_lines *l, const char *label, const char *name, const char *time, const char *share,
                     const struct dsn_work *w)
{
    char shown[4 * NAME + 1];
    const size_t columns = dsn_text_fit(shown, sizeof shown, NAME - 1, NAME - 6, name);

    dsn_lines_add(l, DSN_FAINT, label, "%s%*s%9s%8s%10s%10s%9" PRId64, shown, (int)(NAME - columns), "", time, share,
                  dsn_bytes_text((double)w->bytes_read).s, dsn_bytes_text((double)w->bytes_written).s,
                  w->reads + w->writes);
}

/* ------------------------------------------------------------------ one phase */

static void add_layers(struct dsn_lines *l, const struct dsn_phase *p)
{
    dsn_lines_block(l, 0);
    dsn_lines_add(l, DSN_FAINT, "Layers", "%-8s%10s%10s%10s%10s%10s", "", "reads", "writes", "metadata", "read",
                  "written");
    for (int i = 0; i < DSN_PHASE_LAYERS; i++)
        if (p->at[i].reads + p->at[i].writes + p->metas[i] > 0)
            dsn_lines_add(l, DSN_FAINT, "", "%-8s%10" PRId64 "%10" PRId64 "%10" PRId64 "%10s%10s",
                          dsn_phase_layer_name((enum dsn_phase_of)i), p->at[i].reads, p->at[i].writes, p->metas[i],
                          dsn_bytes_text((double)p->at[i].bytes_read).s,
                          dsn_bytes_text((double)p->at[i].bytes_written).s);
    dsn_lines_add(l, DSN_FAINT, "Time", "%-8s%10s%10s%10s", "in calls", "reads", "writes", "metadata");
    for (int i = 0; i < DSN_PHASE_LAYERS; i++)
        if (p->at[i].reads + p->at[i].writes + p->metas[i] > 0 || dsn_work_time(&p->at[i]) > 0)
            dsn_lines_add(l, DSN_FAINT, "", "%-8s%10s%10s%10s", dsn_phase_layer_name((enum dsn_phase_of)i),
                          dsn_seconds_text(p->at[i].read).s, dsn_seconds_text(p->at[i].write).s,
                          dsn_seconds_text(p->at[i].meta).s);
}

/* The run, as wide as the screen, with a mark where the process was in the phase. */
static void add_when(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_phase *p)
{
    char strip[DSN_COLUMNS - DSN_LABEL + 1];
    const unsigned n = sizeof strip - 1;
    int any = 0;

    memset(strip, '.', n);
    strip[n] = '\0';
    for (unsigned i = 0; i < 512 && r->f.runtime > 0; i++) {
        const double each = p->step / r->f.runtime * n;

        for (double at = i * each; dsn_phase_was(p, i) && at < n && at < (i + 1) * each; at++)
            strip[(unsigned)at] = '#', any = 1;
    }
    if (any)
        dsn_lines_add(l, DSN_FAINT, "When", "%s", strip);
}

static void add_share(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_phase *p)
{
    const struct dsn_work *w = &p->work;

    if (w->reads > 0)
        dsn_lines_add(l, DSN_FAINT, "Read", "%s in %" PRId64 " call%s, %s each, %s of the job's bytes",
                      dsn_bytes_text((double)w->bytes_read).s, w->reads, w->reads == 1 ? "" : "s",
                      dsn_bytes_text((double)w->bytes_read / (double)w->reads).s,
                      dsn_share_text(r->f.bytes_read > 0 ? (double)w->bytes_read / (double)r->f.bytes_read : 0).s);
    if (w->writes > 0)
        dsn_lines_add(
            l, DSN_FAINT, "Written", "%s in %" PRId64 " call%s, %s each, %s of the job's bytes",
            dsn_bytes_text((double)w->bytes_written).s, w->writes, w->writes == 1 ? "" : "s",
            dsn_bytes_text((double)w->bytes_written / (double)w->writes).s,
            dsn_share_text(r->f.bytes_written > 0 ? (double)w->bytes_written / (double)r->f.bytes_written : 0).s);
}

static void add_phase(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_phase *p)
{
    const char *who = r->is_tree ? "process" : "rank";
    char name[4 * DSN_COLUMNS + 1];

    dsn_text_fit(name, sizeof name, DSN_COLUMNS - DSN_LABEL, DSN_COLUMNS - DSN_LABEL - 6, p->name);
    dsn_lines_block(l, 0);
    dsn_lines_add(l, DSN_BOLD, "Phase", "%s", name);
    dsn_lines_add(l, DSN_FAINT, "", "begun %" PRId64 " time%s, in %" PRId64 " of %" PRId64 " %s%s", p->entered,
                  p->entered == 1 ? "" : "s", p->processes, r->f.nprocs, who,
                  r->f.nprocs == 1 ? ""
                  : r->is_tree     ? "es"
                                   : "s");
    dsn_lines_add(l, DSN_FAINT, "", "%s, %s of the run%s", dsn_seconds_text(p->longest).s,
                  dsn_share_text(r->f.runtime > 0 ? p->longest / r->f.runtime : -1).s,
                  r->f.nprocs > 1 ? ", where it took longest" : "");
    dsn_lines_add(l, DSN_FAINT, "I/O", "%s of its time", dsn_share_text(dsn_phase_share(p)).s);
    if (r->f.nprocs > 1 && p->slowest > 0)
        dsn_lines_add(l, DSN_FAINT, "", "slowest at storage: %s %" PRId64 ", %s", who, p->slowest_rank,
                      dsn_seconds_text(p->slowest).s);
    add_share(l, r, p);
    add_layers(l, p);
    add_when(l, r, p);
    dsn_lines_add(l, DSN_FAINT, "", "times are sums over threads; the log tells no files of a phase");
}

int dsn_screen_phase(const struct dsn_report *r, const char *name, int colour)
{
    struct dsn_lines *l = calloc(1, sizeof *l);
    struct dsn_phases all;
    int found = -1;

    if (!l || dsn_phases_make(r, &all) != DSN_ERR_OK) {
        free(l);
        return -1;
    }
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.list[i].name, name) == 0)
            found = (int)i;
    if (found >= 0) {
        l->colour = colour;
        add_phase(l, r, &all.list[found]);
        dsn_lines_print(l);
    }
    dsn_phases_free(&all);
    free(l);
    return found >= 0;
}

/* ------------------------------------------------------------------ all of them */

void dsn__screen_phases(struct dsn_lines *l, const struct dsn_report *r, int weight, int many)
{
    struct dsn_phases all;
    struct dsn_work left = { 0 }, in = { 0 };
    size_t shown;

    if (dsn_phases_make(r, &all) != DSN_ERR_OK || all.n == 0)
        return;
    shown = many || all.n <= SHOWN + 1 ? all.n : SHOWN;
    dsn_lines_block(l, weight);
    dsn_lines_add(l, DSN_FAINT, "Phases", "%*s%9s%8s%10s%10s%9s", NAME, "", r->f.nprocs > 1 ? "longest" : "time",
                  "in I/O", "read", "written", "calls");
    for (size_t i = 0; i < shown; i++)
        add_line(l, "", all.list[i].name, dsn_seconds_text(all.list[i].longest).s,
                 dsn_share_text(dsn_phase_share(&all.list[i])).s, &all.list[i].work);
    for (size_t i = 0; i < all.n; i++) {
        dsn_work_add(&in, &all.list[i].work);
        if (i >= shown)
            dsn_work_add(&left, &all.list[i].work);
    }
    if (shown < all.n) {
        char name[32];

        snprintf(name, sizeof name, "%zu others", all.n - shown);
        add_line(l, "", name, "", "", &left);
    }
    if (many ? all.outside.reads + all.outside.writes > 0
             : dsn_work_bytes(&all.outside) > SOME * dsn_work_bytes(&in) ||
                   (double)(all.outside.reads + all.outside.writes) > SOME * (double)(in.reads + in.writes))
        add_line(l, "", "in none", "", "", &all.outside);
    dsn_phases_free(&all);
}

/* screen.c - a report for a terminal: the answer, what to do, and the facts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions add_... collect lines in blocks; when all are there, and those are dropped that do not fit, lines.c prints them. */
#include "screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer.h"
#include "before-open.h"
#include "cufile.h"
#include "mapped.h"
#include "lines.h"
#include "screen-parts.h"
#include "sites.h"
#include "special.h"
#include "trust.h"
#include "turns.h"
#include "units.h"
#include "waits.h"
#include "util/lib/text.h"

#define NAME_BYTES (4 * DSN_COLUMNS)
#define MOST_KINDS 3 /* of files that share a record */

/* What a block weighs: if there is no room for all, the lightest are left out first. */
enum weight {
    WEIGHT_MORE_PATTERNS,
    WEIGHT_INTERFACES,
    WEIGHT_KINDS,
    WEIGHT_SLOWEST_FILE,
    WEIGHT_MAIN_PATTERN,
    WEIGHT_SIZES,
    WEIGHT_JOB_MORE,
    WEIGHT_FILES,
    WEIGHT_DATA,
    WEIGHT_THIRD,
    WEIGHT_PHASES,
    WEIGHT_SITES,
    WEIGHT_SECOND,
    WEIGHT_TIME,
    WEIGHT_NOTES,
    WEIGHT_JOB,
    WEIGHT_RATE,
    WEIGHT_FIRST,
    WEIGHT_TRUST,
    WEIGHT_ANSWER
};

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* ------------------------------------------------------------------ the answer */

/* The least saving that is worth a line of its own: of short runs an absolute one. */
static struct dsn_short_text least_saving(const struct dsn_report *r)
{
    struct dsn_short_text t;

    if (dsn_thresholds.warning * r->f.runtime < dsn_thresholds.seconds)
        snprintf(t.s, sizeof t.s, "%g s", dsn_thresholds.seconds);
    else
        snprintf(t.s, sizeof t.s, "%g %% of the run time", 100 * dsn_thresholds.warning);
    return t;
}

/* A script that is slow without waiting for files usually starts programs: each takes milliseconds. */
static int starts_many(const struct dsn_report *r)
{
    return !dsn_has_ranks(r) && r->f.nprocs >= 100 && (double)r->f.nprocs > 20 * r->f.runtime && r->f.runtime > 0;
}

static void add_verdict(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_findings *f)
{
    const double mean = dsn_has_ranks(r) ? r->waits.all / (double)r->f.present : dsn_io_passed(r);
    size_t wrong = 0;

    for (size_t i = 0; i < f->n; i++)
        wrong += dsn_severity_is_problem(f->list[i].severity);
    if (dsn_worst(f))
        dsn_lines_add(l, DSN_PLAIN, NULL, "%s",
                      dsn_has_ranks(r) ? "What would save time, and how much of the slowest rank's:"
                                       : "What would save time:");
    else if (dsn_is_idle(r) || !f->healthy)
        return;
    else if (f->bound == DSN_BOUND_IDLE && starts_many(r))
        dsn_lines_add(l, DSN_PLAIN, NULL,
                      "Healthy: the job does not wait for I/O; it started %" PRId64 " processes, %.0f a second.",
                      r->f.nprocs, (double)r->f.nprocs / r->f.runtime);
    else if (f->bound == DSN_BOUND_IDLE)
        dsn_lines_add(l, DSN_PLAIN, NULL, "Healthy: the job does not wait for I/O.");
    else if (wrong > 0 && mean > dsn_thresholds.half * r->f.runtime)
        dsn_lines_add(l, DSN_PLAIN, NULL, "It is most of the run, but nothing was found that would save time.");
    else if (mean > dsn_thresholds.half * r->f.runtime)
        dsn_lines_add(l, DSN_PLAIN, NULL,
                      "It is most of the run, but nothing was found that is wrong with how it is done.");
    else if (wrong > 0)
        dsn_lines_add(l, DSN_PLAIN, NULL, "Nothing was found that would save %s.", least_saving(r).s);
    else
        dsn_lines_add(l, DSN_PLAIN, NULL, "Healthy: nothing was found that is wrong with it.");
}

/* "about 250 s, 34 %": of the run time, if that is known. */
static void cost_text(const struct dsn_report *r, const struct dsn_finding *f, char *to, size_t n)
{
    const double seconds = f->saveable >= 0 ? f->saveable : f->at_most;
    const int is_estimate = f->saveable < 0 || f->confidence != DSN_EXACT;
    const char *about = f->saveable < 0 ? "at most " : is_estimate ? "about " : "";
    const struct dsn_short_text cost = is_estimate ? dsn_about_text(seconds) : dsn_seconds_text(seconds);

    if (!(f->at_most > 0))
        snprintf(to, n, "no cost");
    else if (r->f.runtime > 0)
        snprintf(to, n, "%s%s, %s", about, cost.s, dsn_share_text(seconds / r->f.runtime).s);
    else
        snprintf(to, n, "%s%s", about, cost.s);
}

static void add_file(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_finding *f, size_t i)
{
    char name[NAME_BYTES + 1], room[DSN_NAME_ROOM];
    const char *known = dsn_report_name(r, f->file[i], room);

    if (known)
        dsn_text_fit(name, sizeof name, DSN_COLUMNS - 10, (DSN_COLUMNS - 10) / 3, known);
    else
        snprintf(name, sizeof name, "(record %" PRIu64 ", whose name the log does not have)", f->file[i]->id);
    if (i == 0 && f->files > 1 && f->nfiles == 1)
        dsn_lines_add(l, DSN_FAINT, NULL, "   %s, and %" PRId64 " more", name, f->files - 1);
    else
        dsn_lines_add(l, DSN_FAINT, NULL, "   %s", name);
}

static struct dsn_short_text fact_text(const struct dsn_fact *f)
{
    struct dsn_short_text t;

    if (f->unit == DSN_FACT_SECONDS)
        return dsn_seconds_text(f->value);
    if (f->unit == DSN_FACT_SHARE)
        return dsn_share_text(f->value);
    if (f->unit == DSN_FACT_COUNT || f->unit == DSN_FACT_RANK)
        return dsn_number_text(f->value);
    t = dsn_bytes_text(f->value);
    if (f->unit == DSN_FACT_RATE)
        snprintf(t.s + strlen(t.s), sizeof t.s - strlen(t.s), "/s");
    return t;
}

static void add_evidence(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_finding *f)
{
    for (size_t i = 0; i < f->nfacts; i++)
        dsn_lines_add(l, DSN_PLAIN, NULL, "  %14s  %s%s", fact_text(&f->fact[i]).s, f->fact[i].name,
                      f->fact[i].is_of_all ? dsn_of_all(r) : "");
}

static void add_finding(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *sites,
                        const struct dsn_finding *f, size_t number, int verbose)
{
    static const enum dsn_look look[] = { DSN_RED, DSN_YELLOW, DSN_BOLD, DSN_BOLD };
    char cost[128], condition[DSN_CONDITION_MAX];

    cost_text(r, f, cost, sizeof cost);
    dsn_lines_add(l, look[f->severity], NULL, "%zu. %s (%s)", number, f->title, cost);
    dsn_lines_wrap(l, 3, "", f->text);
    dsn__screen_blame(l, r, sites, f);
    if (verbose)
        add_evidence(l, r, f);
    for (size_t i = 0; verbose && i < f->nfiles && i < 5; i++)
        add_file(l, r, f, i);
    if (dsn_severity_is_problem(f->severity) || verbose)
        dsn_lines_wrap(l, 6, "-> ", f->advice);
    if (verbose) {
        if (f->at_most > 0)
            dsn_lines_wrap(l, 16, "   rests on:    ", f->basis);
        dsn_lines_wrap(l, 16, "   reported if: ", dsn_condition_text(f->row->condition, condition));
        dsn_lines_wrap(l, 16, "   read more: ", f->row->reference);
    }
}

/* Weights of the findings that are shown, unless --verbose. */
static const enum weight finding_weight[] = { WEIGHT_FIRST, WEIGHT_SECOND, WEIGHT_THIRD };
#define SHOWN (sizeof finding_weight / sizeof finding_weight[0])

/* That there are findings beyond those shown: the others, from the most expensive to the cheapest, follow these. */
static void add_number_of_others(struct dsn_lines *l, const struct dsn_findings *f, size_t shown)
{
    const size_t left = f->n - shown;

    if (left > 0)
        dsn_lines_add(l, DSN_FAINT, NULL, "%zu %sfinding%s%s: see --verbose", left, shown ? "more " : "",
                      plural((int64_t)left), dsn_severity_matters(f->list[shown].severity) ? "" : " of less weight");
}

/* Adds up to `most` of the findings that matter, with --verbose all. Returns their number. */
static size_t add_findings(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *sites,
                           const struct dsn_findings *f, size_t most, int verbose)
{
    size_t shown = 0;

    while (shown < f->n && (verbose || (dsn_severity_matters(f->list[shown].severity) && shown < most))) {
        dsn_lines_block(l, verbose ? WEIGHT_ANSWER : finding_weight[shown]);
        add_finding(l, r, sites, &f->list[shown], shown + 1, verbose);
        shown++;
    }
    dsn_lines_block(l, WEIGHT_ANSWER);
    add_number_of_others(l, f, shown);
    return shown;
}

/* Findings whose lines are still there. */
static size_t count_findings(const struct dsn_lines *l)
{
    size_t n = 0;

    while (n < SHOWN && dsn_lines_has(l, finding_weight[n]))
        n++;
    return n;
}

/* Whether the log has only bounds of the slowest rank's time, so far apart that neither can stand for it. */
static int is_vague(const struct dsn_report *r)
{
    return r->waits.most > 1.1 * r->waits.least && r->waits.most - r->waits.least >= 0.01 * r->f.runtime;
}

/* "1.5-6.2 s"; the unit once, if it is the same. */
static struct dsn_short_text between(struct dsn_short_text low, const struct dsn_short_text *high)
{
    char *unit = strchr(low.s, ' '), *theirs = strchr(high->s, ' ');
    struct dsn_short_text t;

    if (unit && theirs && strcmp(unit, theirs) == 0)
        *unit = '\0';
    snprintf(t.s, sizeof t.s, "%.20s-%.20s", low.s, high->s);
    return t;
}

static struct dsn_short_text slowest_seconds(const struct dsn_report *r)
{
    const struct dsn_short_text most = dsn_about_text(r->waits.most);

    return is_vague(r) ? between(dsn_about_text(r->waits.least), &most) : dsn_seconds_text(r->waits.most);
}

static struct dsn_short_text asked_rate(const struct dsn_report *r, double mib)
{
    const struct dsn_short_text most = dsn_rate_text(mib / r->waits.least), least = dsn_rate_text(mib / r->waits.most);

    return is_vague(r) ? between(least, &most) : least;
}

/* What the program got, where it waited longer than for the storage alone, or other bytes moved than it asked for. */
static void add_asked(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const double asked = (double)w->asked_read + (double)w->asked_written;

    if (!(r->nstacks > 0 && asked > 0 && w->least > 1.1 * r->f.slowest_time))
        return;
    if (is_vague(r)) /* the line of I/O time has the bounds */
        dsn_lines_add(l, DSN_FAINT, "", "%s as the program sees it: %s asked for", asked_rate(r, asked / (1 << 20)).s,
                      dsn_bytes_text(asked).s);
    else
        dsn_lines_add(l, DSN_FAINT, "", "%s as the program sees it: %s asked for, in %s",
                      asked_rate(r, asked / (1 << 20)).s, dsn_bytes_text(asked).s, dsn_seconds_text(w->most).s);
}

static void add_rate(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const double rate = dsn_figures_rate(&r->f), per_node = dsn_figures_rate_per_node(&r->f);
    const struct dsn_short_text moved = dsn_bytes_text(dsn_figures_timed_bytes(f));

    if (rate < 0)
        dsn_lines_add(l, DSN_FAINT, "MiB/s/CN", "%s", f->damage.code == DSN_ERR_OK ? "no I/O" : "unknown");
    else if (dsn_figures_bytes(f) <= 0)
        dsn_lines_add(l, DSN_FAINT, "MiB/s/CN", "none: no data moved to or from storage");
    else if (dsn_figures_timed_bytes(f) <= 0)
        dsn_lines_add(l, DSN_FAINT, "MiB/s/CN", "unknown: all data moved in streams and batches of the GPU");
    else if (per_node < 0)
        dsn_lines_add(l, DSN_FAINT, "MiB/s", "%s at storage (%s in %s); a node: give --nodes N", dsn_rate_text(rate).s,
                      moved.s, dsn_seconds_text(r->f.passed).s);
    else
        dsn_lines_add(l, DSN_FAINT, "MiB/s/CN", "%s at storage (%s in %s on %" PRId64 " node%s: %s MiB/s)",
                      dsn_rate_text(per_node).s, moved.s, dsn_seconds_text(r->f.passed).s, f->nodes, plural(f->nodes),
                      dsn_rate_text(rate).s);
}

/* ------------------------------------------------------------------ the facts */

static void add_job(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_job *job = darshan_reader_job(r->log);
    const struct dsn_figures *f = &r->f;
    const time_t start = (time_t)job->start_sec;
    const char *what = dsn_has_ranks(r) ? "rank" : "process";
    const char *id = dsn_has_no_job(r->log) ? "no job, id" : "job";
    const char *several = r->is_tree && f->nprocs > 1 ? "es" : plural(f->nprocs);
    char exe[NAME_BYTES + 1], when[64];
    struct tm tm;

    if (!localtime_r(&start, &tm) || strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %Z", &tm) == 0)
        snprintf(when, sizeof when, "unknown");
    dsn_text_fit(exe, sizeof exe, DSN_COLUMNS - DSN_LABEL, DSN_COLUMNS - DSN_LABEL - 3, darshan_reader_exe(r->log));
    dsn_lines_block(l, WEIGHT_JOB);
    dsn_lines_add(l, DSN_FAINT, "Job", "%s", *exe ? exe : "(command line unknown)");
    dsn_lines_block(l, WEIGHT_JOB_MORE);
    if (f->nodes > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%" PRId64 " %s%s on %" PRId64 " node%s, %s %" PRId64 ", user %" PRId64,
                      f->nprocs, what, several, f->nodes, plural(f->nodes), id, job->jobid, job->uid);
    else
        dsn_lines_add(l, DSN_FAINT, "", "%" PRId64 " %s%s, %s %" PRId64 ", user %" PRId64, f->nprocs, what, several, id,
                      job->jobid, job->uid);
    if (f->runtime <= 0)
        dsn_lines_add(l, DSN_FAINT, "", "ran an unknown time from %s", when);
    else if (f->whole_seconds)
        dsn_lines_add(l, DSN_FAINT, "", "ran %.0f s (to the second) from %s", f->runtime, when);
    else
        dsn_lines_add(l, DSN_FAINT, "", "ran %s from %s", dsn_seconds_text(f->runtime).s, when);
}

#define BAR 36

/* Shares of the run time; the first is of the others together. */
struct shares {
    double all, wait, read, write, meta;
};

/* The run time of the slowest rank: c waiting in collective calls, r reading, w writing, m metadata; # where it is not
 * known with what. */
static void add_bar(struct dsn_lines *l, const struct shares *s, int parts_known)
{
    static const char kinds[] = "crwm";
    const double share[4] = { s->wait, s->read, s->write, s->meta };
    char bar[BAR + 1];
    double end = 0;
    int at = 0;

    memset(bar, '.', BAR);
    bar[BAR] = '\0';
    while (!parts_known && at < BAR && at + 0.5 < BAR * s->all)
        bar[at++] = '#';
    for (int k = 0; parts_known && k < 4; k++) {
        end += share[k] > 0 ? share[k] : 0;
        while (at < BAR && at + 0.5 < BAR * end)
            bar[at++] = kinds[k];
    }
    dsn_lines_add(l, DSN_FAINT, "", "[%s]%s", bar, parts_known ? " c wait, r, w, m metadata" : " slowest rank");
}

static struct dsn_short_text part_text(double share, int known)
{
    return known ? dsn_share_text(share) : (struct dsn_short_text){ "-" };
}

/* Ranges of bounds may need more columns than a number; the blanks before the next column are fewer then. */
static void add_time_line(struct dsn_lines *l, const char *who, const char *seconds, const char *all,
                          const struct shares *s, int parts_known)
{
    const int share = strlen(all) < 8 ? 8 : (int)strlen(all) + 1, name = (int)strlen(who) + 1;
    char line[96];
    const int n = snprintf(line, sizeof line, "%-*s%*s%*s", name, who, 32 - share - name, seconds, share, all);

    dsn_lines_add(l, DSN_FAINT, "", "%s%*s%8s%8s%10s", line, 40 - n, part_text(s->wait, parts_known).s,
                  part_text(s->read, parts_known).s, part_text(s->write, parts_known).s,
                  part_text(s->meta, parts_known).s);
}

static struct shares shares_of(double run, double all, double wait, double read, double write, double meta)
{
    if (!(run > 0))
        return (struct shares){ -1, -1, -1, -1, -1 };
    return (struct shares){ all / run, wait / run, read / run, write / run, meta / run };
}

static struct dsn_short_text slowest_share(const struct dsn_report *r)
{
    const double run = r->f.runtime, share = run > 0 ? r->waits.most / run : -1;

    return is_vague(r) && run > 0 ? dsn_slowest_text(r) : dsn_share_text(share);
}

/* Which calls the metadata time and the write time are of, if that is most of what they are, or much of all. */
static void add_times_apart(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_times_apart *t = &r->f.apart;
    const double all = r->f.read_time + r->f.write_time + r->f.meta_time, much = 0.1;
    char text[2 * DSN_COLUMNS] = "";
    int at = 0;

    if (t->meta > 0 && r->f.meta_time > much * all)
        at = snprintf(text, sizeof text, "metadata: %s opens, %s closes", dsn_share_text(t->open / t->meta).s,
                      dsn_share_text(t->close / t->meta).s);
    if (t->write > 0 && t->sync > much * t->write && r->f.write_time > much * all)
        at += snprintf(text + at, sizeof text - (size_t)at, "%swriting: %s syncs", at > 0 ? "; " : "",
                       dsn_share_text(t->sync / t->write).s);
    if (at > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%s", text);
}

static void add_time(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const double n = (double)r->f.present, run = r->f.runtime;
    const struct shares slowest =
        shares_of(run, w->most, w->slowest.wait, w->slowest.read, w->slowest.write, w->slowest.meta);
    const struct shares mean = shares_of(run, w->all / n, dsn_waiting(w) / n, w->read / n, w->write / n, w->meta / n);
    const struct dsn_wait_parts *p = &r->turns.parts;
    const struct shares in_turn = shares_of(run, r->turns.seconds, p->wait, p->read, p->write, p->meta);
    char who[40] = "slowest rank";

    dsn_lines_block(l, WEIGHT_TIME);
    dsn_lines_add(l, DSN_FAINT, "I/O time", "%-16s%8s%8s%8s%8s%8s%10s", "of the run time:", "", "all", "waiting",
                  "read", "write", "metadata");
    if (r->is_tree)
        snprintf(who, sizeof who, "busiest process");
    else if (w->rank >= 0)
        snprintf(who, sizeof who, "rank %" PRId64, w->rank);
    if (r->turns.n > 0)
        add_time_line(l, "in turn", dsn_seconds_text(r->turns.seconds).s, dsn_share_text(r->turns.seconds / run).s,
                      &in_turn, 1);
    if (r->f.nprocs > 1)
        add_time_line(l, who, slowest_seconds(r).s, slowest_share(r).s, &slowest, w->parts_known);
    add_time_line(l,
                  r->f.nprocs == 1 ? "the process"
                  : w->is_bounded  ? "mean, at most"
                  : r->is_tree     ? "mean of them"
                                   : "mean over ranks",
                  dsn_seconds_text(w->all / n).s, dsn_share_text(mean.all).s, &mean, 1);
    if (l->colour)
        add_bar(l, r->f.nprocs == 1 ? &mean : &slowest, w->parts_known);
    add_times_apart(l, r);
}

/* Loads and stores are no calls: only bounds are known of them. */
static void add_mapped(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_mapped_file *all = &r->mapped.all;
    const int64_t n = (int64_t)r->mapped.n;
    const int may_be_most = dsn_mapped_may_be_most(r);
    const enum dsn_look look = may_be_most ? DSN_YELLOW : DSN_FAINT;

    dsn_lines_add(l, look, "", "mapped: %" PRId64 " file%s, %s; at most %s accessed", n, plural(n),
                  dsn_bytes_text((double)all->bytes).s, dsn_bytes_text((double)all->touched).s);
    if (all->writable > 0 && all->dirty == 0)
        dsn_lines_add(l, look, "", "stores: at most %s changed", dsn_bytes_text((double)all->writable).s);
    else if (all->writable > 0)
        dsn_lines_add(l, look, "", "stores: at least %s to be written back, at most %s changed",
                      dsn_bytes_text((double)all->dirty).s, dsn_bytes_text((double)all->writable).s);
    if (r->f.traffic.known && r->f.traffic.faults > 0)
        dsn_lines_add(l, look, "", "%" PRId64 " page fault%s waited for storage", r->f.traffic.faults,
                      plural(r->f.traffic.faults));
    if (may_be_most)
        dsn_lines_add(l, look, "", "so bytes of calls are not all: mappings may have moved more");
}

/* GPUDirect Storage. That it is in compatibility mode, so that data goes through memory of the host, is seldom known. */
static void add_cufile(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_cufile *c = &r->cufile;
    const int64_t all = dsn_cufile_bytes(&c->all), by_posix = dsn_cufile_by_posix(&c->all);

    dsn_lines_add(l, DSN_FAINT, "", "GPUDirect Storage: %s in %" PRId64 " file%s, %s beside POSIX calls",
                  dsn_bytes_text((double)all).s, (int64_t)c->n, plural((int64_t)c->n),
                  dsn_bytes_text((double)(all - by_posix)).s);
    if (by_posix > 0)
        dsn_lines_add(l, DSN_YELLOW, "", "%s: %s%s of %s went by POSIX calls",
                      dsn_cufile_is_compatible(r) ? "in compatibility mode" : "perhaps in compatibility mode",
                      dsn_cufile_is_compatible(r) ? "" : "at most ", dsn_bytes_text((double)by_posix).s,
                      dsn_bytes_text((double)all).s);
    if (r->f.untimed_bytes > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%s in streams and batches, whose time is not known: not in the rate",
                      dsn_bytes_text((double)r->f.untimed_bytes).s);
    if (dsn_cufile_unseen(&c->all) > 0)
        dsn_lines_add(l, DSN_FAINT, "", "of these %s were asked for, and perhaps not all moved",
                      dsn_bytes_text((double)dsn_cufile_unseen(&c->all)).s);
    if (c->all.failed > 0)
        dsn_lines_add(l, DSN_YELLOW, "", "%" PRId64 " call%s of cuFile failed", c->all.failed, plural(c->all.failed));
}

static void add_data(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    int64_t mapped = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        mapped += r->files[i].mmaps > 0 && r->files[i].kind == DSN_FILE_DATA;
    dsn_lines_block(l, WEIGHT_DATA);
    dsn_lines_add(l, DSN_FAINT, "Data", "%s read in %" PRId64 " call%s, %s written in %" PRId64 " call%s",
                  dsn_bytes_text((double)f->bytes_read).s, f->reads, plural(f->reads),
                  dsn_bytes_text((double)f->bytes_written).s, f->writes, plural(f->writes));
    if (f->elsewhere_bytes > 0 &&
        (10 * (double)f->elsewhere_bytes >= (double)f->bytes_read + (double)f->bytes_written ||
         10 * (double)f->elsewhere_calls >= (double)f->reads + (double)f->writes))
        dsn_lines_add(l, DSN_FAINT, "", "%s in %" PRId64 " of these calls: streams and pipes, not storage",
                      dsn_bytes_text((double)f->elsewhere_bytes).s, f->elsewhere_calls);
    if (darshan_reader_cufile(r->log) > 0)
        add_cufile(l, r);
    if (r->mapped.n > 0)
        add_mapped(l, r);
    else if (mapped > 0)
        dsn_lines_add(l, DSN_YELLOW, "", "and what moved through mappings of %" PRId64 " file%s, which nobody counts",
                      mapped, plural(mapped));
}

/* "93 % 1-4 MiB": the bin that has most, and its share of all. 0: there is nothing. */
static int dominating(char *to, size_t n, const double v[DSN_NSIZES])
{
    int first = 0;
    double all = 0;

    for (int i = 0; i < DSN_NSIZES; i++) {
        all += v[i];
        first = v[i] > v[first] ? i : first;
    }
    if (all <= 0)
        return 0;
    snprintf(to, n, "%s %s", dsn_share_text(v[first] / all).s, dsn_size_label(first));
    return 1;
}

/* The bin with most calls and that with most bytes are seldom the same. `empty`: calls that found the end of the file. Returns
 * whether a line was added. */
static int add_direction(struct dsn_lines *l, const char *label, const char *what, const struct dsn_sizes *s,
                         double empty)
{
    double calls[DSN_NSIZES];
    char by_calls[64], by_bytes[64] = "none";

    for (int i = 0; i < DSN_NSIZES; i++)
        calls[i] = (double)s->calls[i];
    calls[0] = fmax(calls[0] - empty, 0);
    if (!dominating(by_calls, sizeof by_calls, calls))
        return 0;
    dominating(by_bytes, sizeof by_bytes, s->bytes);
    dsn_lines_add(l, DSN_FAINT, label, "%s calls %s, bytes %s", what, by_calls, by_bytes);
    return 1;
}

/* A stream's buffer as glibc makes it: calls that are smaller on average are mostly answered from it. */
enum { STREAM_BUFFER = 4096 };

static struct dsn_work streams_of(const struct dsn_report *r)
{
    struct dsn_work w = { 0 };

    for (size_t i = 0; i < r->nfiles; i++)
        if (r->files[i].kind == DSN_FILE_DATA)
            dsn_work_add(&w, &r->files[i].streams);
    return w;
}

static double calls_of(const struct dsn_work *w)
{
    return (double)w->reads + (double)w->writes;
}

/* What goes through streams: the sizes are those that the program asks for, not those that reach the system. */
static void add_streams(struct dsn_lines *l, const struct dsn_work *w, const char *label)
{
    const double mean = dsn_work_bytes(w) / calls_of(w);

    if (calls_of(w) > 0)
        dsn_lines_add(l, DSN_FAINT, label, "stdio: %" PRId64 " calls, %s, mean %s%s", w->reads + w->writes,
                      dsn_bytes_text(dsn_work_bytes(w)).s, dsn_bytes_text(mean).s,
                      mean < STREAM_BUFFER ? ", most from the buffer" : "");
}

/* The layer of POSIX calls; NULL: there is none, or next to nothing in it beside what goes through streams: the shell reads its
 * script, and the rest is fread(). */
static const struct dsn_report_layer *notable_posix(const struct dsn_report *r, const struct dsn_work *streams)
{
    const struct dsn_report_layer *posix = dsn_report_layer(r, DSN_POSIX_MODULE);

    return posix && (100 * dsn_work_bytes(&posix->work) >= dsn_work_bytes(streams) ||
                     100 * calls_of(&posix->work) >= calls_of(streams))
               ? posix
               : NULL;
}

/* The i-th most frequent size: to the byte where it would look like one of the others that are shown. */
static struct dsn_short_text size_text(const struct dsn_report_layer *l, size_t i)
{
    struct dsn_short_text t = dsn_bytes_text((double)l->common[i].size);

    for (size_t k = 0; k < 3 && k < l->ncommon; k++)
        if (k != i && strcmp(dsn_bytes_text((double)l->common[k].size).s, t.s) == 0) {
            snprintf(t.s, sizeof t.s, "%" PRId64 " B", l->common[i].size);
            break;
        }
    return t;
}

static void add_sizes(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_work streams = streams_of(r);
    const struct dsn_report_layer *posix = notable_posix(r, &streams);
    const char *label = "Sizes";
    char text[160];
    double empty = 0;
    size_t used = 0;

    dsn_lines_block(l, WEIGHT_SIZES);
    for (size_t i = 0; i < r->nfiles; i++)
        empty += (double)r->files[i].reads_at_end;
    if (posix && add_direction(l, label, "POSIX read", &posix->read_sizes, empty))
        label = "";
    if (posix && add_direction(l, label, "POSIX write", &posix->write_sizes, 0))
        label = "";
    for (size_t i = 0; posix && i < 3 && i < posix->ncommon; i++) {
        const struct dsn_common_size *c = &posix->common[i];
        const int64_t calls = c->reads + c->writes + c->either;

        if (calls > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64 " x %s", used ? ", " : "", calls,
                                     size_text(posix, i).s);
    }
    if (used > 0)
        dsn_lines_add(l, DSN_FAINT, label, "most frequent: %s", text);
    add_streams(l, &streams, used > 0 ? "" : label);
}

/* Share of the bytes that files of all ranks have. */
static double shared_bytes(const struct dsn_report *r)
{
    double shared = 0, all = 0;

    for (size_t i = 0; i < r->nfiles; i++) {
        if (dsn_is_standard(&r->files[i]))
            continue;
        all += dsn_work_bytes(&r->files[i].work);
        shared += dsn_file_sharing(r, &r->files[i]) != DSN_OF_ONE_RANK ? dsn_work_bytes(&r->files[i].work) : 0;
    }
    return all > 0 ? shared / all : 0;
}

/* Files that share a record: the kinds that moved most, and how many there are. */
static void add_kinds(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_report_file **order, size_t n)
{
    const struct dsn_figures *f = &r->f;
    char name[DSN_NAME_ROOM];
    size_t kinds = 0, shown = 0;

    for (size_t i = 0; i < n; i++)
        kinds += order[i]->is_aggregated;
    if (kinds == 0)
        return;
    if (f->aggregated_files > 0 && f->nprocs == 1)
        dsn_lines_add(l, DSN_FAINT, "",
                      "%s%" PRId64 " of them are counted by kind:", f->aggregated_files_exact ? "" : "at least ",
                      f->aggregated_files);
    else if (f->aggregated_files > 0) /* other ranks may have a record of them */
        dsn_lines_add(l, DSN_FAINT, "", "%" PRId64 " files%s of a rank are counted by kind:", f->aggregated_files,
                      f->aggregated_files_exact ? "" : " or more");
    else
        dsn_lines_add(l, DSN_FAINT, "", "further ones are counted by kind:");
    for (size_t i = 0; i < n && shown < MOST_KINDS; i++)
        if (order[i]->is_aggregated) {
            dsn_lines_add(l, DSN_FAINT, "", "%s", dsn_report_name(r, order[i], name));
            dsn_lines_add(l, DSN_FAINT, "", "  %" PRId64 " opens, %s read, %s written", order[i]->opens,
                          dsn_bytes_text((double)order[i]->work.bytes_read).s,
                          dsn_bytes_text((double)order[i]->work.bytes_written).s);
            if (order[i]->opens > 0 && dsn_extent(order[i]) > 0)
                dsn_lines_add(l, DSN_FAINT, "", "  %s an open on average, and up to %s of a file",
                              dsn_bytes_text(dsn_work_bytes(&order[i]->work) / (double)order[i]->opens).s,
                              dsn_bytes_text(dsn_extent(order[i])).s);
            shown++;
        }
    if (shown < kinds)
        dsn_lines_add(l, DSN_FAINT, "", "and %zu more kinds", kinds - shown);
}

/* What became of the files that were opened for writing: only what there is. */
static void add_written(struct dsn_lines *l, const struct dsn_report *r)
{
    static const enum dsn_before_open order[] = { DSN_BEFORE_NOTHING, DSN_BEFORE_DROPPED, DSN_BEFORE_CONTENT,
                                                  DSN_BEFORE_EMPTY, DSN_BEFORE_UNKNOWN };
    const struct dsn_written *w = &r->written;
    char text[2 * DSN_COLUMNS] = "";
    int at = 0;

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (w->files[order[i]] > 0)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%" PRId64 " %s", at > 0 ? ", " : "",
                           w->files[order[i]], dsn_before_open_word(order[i]));
    if (at == 0)
        return;
    dsn_lines_add(l, DSN_FAINT, "", "opened for writing%s: %s", w->aggregated_opens > 0 ? ", some again" : "", text);
    if (w->read_first > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%" PRId64 " read before %s changed", w->read_first,
                      w->read_first == 1 ? "it was" : "they were");
    if (w->temporary > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%" PRId64 " temporary: created, %s written, %s read, deleted", w->temporary,
                      dsn_bytes_text((double)w->temporary_written).s, dsn_bytes_text((double)w->temporary_read).s);
}

static void add_files(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_file_kinds *k = &f->files;
    const struct dsn_header *header = darshan_reader_header(r->log);
    const uint64_t counted = (uint64_t)1 << DSN_POSIX_MODULE | (uint64_t)1 << DSN_STDIO_MODULE;
    const int all_known = f->nprocs == 1 && f->aggregated_files_exact; /* of several ranks some may be the same */
    const struct dsn_report_file **order;
    size_t n;

    if (k->total == 0)
        return;
    dsn_lines_block(l, WEIGHT_FILES);
    dsn_lines_add(
        l, DSN_FAINT, "Files",
        "%s%" PRId64 ": %" PRId64 " only read, %" PRId64 " only written, %" PRId64 " both, %" PRId64 " without data",
        (f->aggregated_opens > 0 || header->partial & counted) && !all_known ? "over " : "",
        k->total + (all_known ? f->aggregated_files : 0), k->read_only, k->write_only, k->read_write, k->untouched);
    add_written(l, r);
    dsn_lines_block(l, WEIGHT_KINDS);
    order = dsn_report_order(r, &n);
    if (order)
        add_kinds(l, r, order, n);
    free(order);
    if (r->movers > 0 && r->movers < f->nprocs && dsn_has_ranks(r))
        dsn_lines_add(l, DSN_FAINT, "", "%s%" PRId64 " of %" PRId64 " ranks touch%s storage",
                      r->movers_confidence == DSN_EXACT ? "" : "about ", r->movers, f->nprocs,
                      r->movers == 1 ? "es" : "");
    if (dsn_has_ranks(r))
        dsn_lines_add(l, DSN_FAINT, "",
                      "%" PRId64 " shared by all ranks, %" PRId64 " by some: %s of bytes; %" PRId64 " of one rank",
                      k->shared, k->partly_shared, dsn_share_text(shared_bytes(r)).s, k->unique);
}

/* Neither what a device takes nor what an MPI library makes for itself, nor the sum of several files. */
static int may_be_slowest(const struct dsn_report_file *f)
{
    return !dsn_file_is_elsewhere(f) && f->kind != DSN_FILE_PROBE && !f->is_aggregated;
}

/* Seconds of the process that spent most on it, or of all that ran one after the other. */
static double seconds_on(const struct dsn_report *r, const struct dsn_report_file *f)
{
    return r->turns.n > 0 ? fmin(dsn_work_time(&f->work), r->turns.seconds) : f->slowest;
}

/* That of the figures, or else the slowest that may be. NULL: none of which the report has data. */
static const struct dsn_report_file *slowest_file(const struct dsn_report *r)
{
    const uint32_t at = dsn__idmap_get(&r->file_index, r->f.slowest_file.id);
    const struct dsn_report_file *slowest = NULL;

    if (at == DSN_IDMAP_NONE || (may_be_slowest(&r->files[at]) && r->turns.n == 0))
        return at == DSN_IDMAP_NONE ? NULL : &r->files[at];
    for (size_t i = 0; i < r->nfiles; i++)
        if (may_be_slowest(&r->files[i]) && seconds_on(r, &r->files[i]) > (slowest ? seconds_on(r, slowest) : 0))
            slowest = &r->files[i];
    return slowest;
}

static void add_slowest_file(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_report_file *file = slowest_file(r);
    struct dsn_slowest_file s = f->slowest_file;

    if (file && (file->id != s.id || r->turns.n > 0))
        s = (struct dsn_slowest_file){ file->id, file->slowest_rank, seconds_on(r, file) };
    else if (s.seconds <= 0 || (!file && dsn__idmap_get(&r->file_index, s.id) != DSN_IDMAP_NONE))
        return;

    const double storage = fmax(f->slowest_time, s.seconds);
    const struct dsn_stack *stack = r->f.nprocs == 1 && file ? dsn_stack_of(r, s.id) : NULL;
    const char *known = darshan_reader_name(r->log, s.id);
    char name[NAME_BYTES + 1];

    if (known && *known)
        dsn_text_fit(name, sizeof name, DSN_COLUMNS - DSN_LABEL, (DSN_COLUMNS - DSN_LABEL) / 3, known);
    else
        snprintf(name, sizeof name, "(record %" PRIu64 ", whose name the log does not have)", s.id);
    if (stack) /* with what the layers above spend on it */
        s.seconds = fmin(dsn_stack_time(stack, &file->work), r->waits.most);
    dsn_lines_block(l, WEIGHT_SLOWEST_FILE);
    dsn_lines_add(l, DSN_FAINT, "Slowest file", "%s", name);
    if (dsn_has_ranks(r))
        dsn_lines_add(l, DSN_FAINT, "", "%s of rank %" PRId64 " at storage, %s of the slowest rank's",
                      dsn_seconds_text(s.seconds).s, s.rank, dsn_share_text(s.seconds / storage).s);
    else if (r->turns.n > 0)
        dsn_lines_add(l, DSN_FAINT, "", "%s, %s of the I/O time in turn", dsn_seconds_text(s.seconds).s,
                      dsn_share_text(fmin(s.seconds / r->turns.seconds, 1)).s);
    else if (r->is_tree && s.rank != r->waits.rank)
        dsn_lines_add(l, DSN_FAINT, "", "%s in one process; the busiest spends %s on I/O",
                      dsn_seconds_text(s.seconds).s, dsn_seconds_text(fmax(r->waits.most, s.seconds)).s);
    else
        dsn_lines_add(l, DSN_FAINT, "", "%s, %s of the %sI/O time", dsn_seconds_text(s.seconds).s,
                      dsn_share_text(s.seconds > 0 ? s.seconds / fmax(r->waits.most, s.seconds) : 0).s,
                      r->is_tree ? "busiest process's " : "");
}

/* Of a file that ranks share: who moved data, and the two kinds of calls that its slowest rank spent most time in. */
static void add_movers(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_report_file *f = slowest_file(r);
    const double all = f ? f->slowest_read + f->slowest_write + f->slowest_meta : 0;
    char parts[DSN_COLUMNS] = "";
    int at_end = 0;

    if (!f || f->ranks < 2 || f->readers < 0 || f->writers < 0 || f->slowest_read < 0 || !(all > 0) ||
        !dsn_has_ranks(r))
        return;
    const double share[] = { f->slowest_read / all, f->slowest_write / all, f->slowest_meta / all };
    static const char *const kind[] = { "read", "write", "metadata" };
    const double least = fmin(share[0], fmin(share[1], share[2]));

    for (int i = 0; i < 3; i++)
        if (share[i] >= 0.01 && share[i] > least)
            at_end += snprintf(parts + at_end, sizeof parts - (size_t)at_end, "%s %s %s",
                               at_end ? "," : "; time:", dsn_share_text(share[i]).s, kind[i]);
    dsn_lines_add(l, DSN_FAINT, "", "ranks: %" PRId64 " read, %" PRId64 " write%s", f->readers, f->writers, parts);
}

/* Layers that the job used, as far as modules with data tell. */
static void add_interfaces(struct dsn_lines *l, struct darshan_reader *log)
{
    static const struct {
        unsigned module;
        const char *name;
    } layer[] = {
        { DSN_POSIX_MODULE, "POSIX" }, { DSN_STDIO_MODULE, "STDIO" },          { DSN_MPIIO_MODULE, "MPI-IO" },
        { DSN_H5F_MODULE, "HDF5" },    { DSN_PNETCDF_FILE_MODULE, "PnetCDF" }, { DSN_DFS_MODULE, "DFS" },
        { DSN_DAOS_MODULE, "DAOS" },   { DSN_MDHIM_MODULE, "MDHIM" },
    };
    const struct dsn_header *h = darshan_reader_header(log);
    char text[DSN_COLUMNS] = "";

    for (size_t i = 0; i < sizeof layer / sizeof layer[0]; i++) {
        const size_t used = strlen(text);

        if (h->mod[layer[i].module].len > 0)
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", layer[i].name);
    }
    if (darshan_reader_cufile(log) > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%scuFile", *text ? ", " : "");
    dsn_lines_block(l, WEIGHT_INTERFACES);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "Interfaces", "%s", text);
}

static void add_lbio(struct dsn_lines *l, const struct dsn_report *r)
{
    static void (*const texts[])(const struct dsn_report *,
                                 char[DSN_SPECIAL_TEXT]) = { dsn__lbio_calls_text,  dsn__lbio_replay_text,
                                                             dsn__lbio_waits_text,  dsn__lbio_log_text,
                                                             dsn__lbio_direct_text, dsn__lbio_errors_text };
    const char *label = "LBIO";
    char text[DSN_SPECIAL_TEXT];

    dsn_lines_block(l, WEIGHT_FILES);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        texts[i](r, text);
        if (*text)
            dsn_lines_add(l, DSN_FAINT, label, "%s", text);
        label = *text ? "" : label;
    }
}

static void add_special(struct dsn_lines *l, const struct dsn_report *r)
{
    char text[DSN_SPECIAL_TEXT];

    dsn__communication_text(r, text);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "MPI", "%s", text);
    dsn__messages_text(r, text);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "", "%s", text);
    dsn__most_text(r, text);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "", "%s", text);
    dsn__store_text(r, text);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "MDHIM", "%s", text);
    dsn__partition_text(r, text);
    if (*text)
        dsn_lines_add(l, DSN_FAINT, "Blue Gene/Q", "%s", text);
}

/* ------------------------------------------------------------------ all of it */

/* Adds the lines of all blocks, of at most `most` findings unless --verbose. Returns how many findings these are. */
static size_t add_blocks(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *sites,
                         const struct dsn_findings *f, size_t most, int verbose)
{
    char answer[DSN_ANSWER_MAX];
    size_t shown;

    dsn_answer(r, answer);
    dsn_lines_block(l, WEIGHT_TRUST); /* before anything else is believed */
    dsn__screen_selection(l, r);
    dsn__screen_trust(l, r);
    dsn_lines_block(l, WEIGHT_ANSWER);
    dsn_lines_add(l, DSN_BOLD, NULL, "%s", answer);
    dsn_lines_block(l, WEIGHT_TRUST);
    dsn__screen_incomplete(l, r);
    dsn_lines_block(l, WEIGHT_ANSWER);
    add_verdict(l, r, f);
    shown = add_findings(l, r, sites, f, most, verbose);
    dsn_lines_block(l, WEIGHT_ANSWER);
    dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
    dsn_lines_block(l, WEIGHT_RATE);
    add_rate(l, r);
    add_asked(l, r);
    add_job(l, r);
    if (!dsn_is_idle(r)) {
        add_time(l, r);
        add_data(l, r);
        add_sizes(l, r);
    }
    dsn__screen_phases(l, r, WEIGHT_PHASES, verbose);
    dsn__screen_sites(l, r, sites, WEIGHT_SITES, verbose);
    add_files(l, r);
    dsn__screen_patterns(l, r, WEIGHT_MAIN_PATTERN, WEIGHT_MORE_PATTERNS, verbose);
    add_slowest_file(l, r);
    add_movers(l, r);
    add_lbio(l, r);
    add_interfaces(l, r->log);
    add_special(l, r);
    dsn_lines_block(l, WEIGHT_NOTES);
    dsn__screen_notes(l, r);
    if (verbose) {
        dsn_lines_block(l, WEIGHT_NOTES);
        dsn__screen_tables(l, r);
    }
    return shown;
}

int dsn_screen_print(const struct dsn_report *r, const struct dsn_findings *f, const struct dsn_screen_style *style)
{
    struct dsn_lines *l = malloc(sizeof *l);
    struct dsn_sites sites;
    size_t most = SHOWN, added;

    if (!l || dsn_sites_make(r, DSN_AS_LINES, &sites) != DSN_ERR_OK) {
        free(l);
        return DSN_ERR_MEMORY;
    }
    do { /* again, if there is no room for a finding: it is counted among those that are not shown */
        memset(l, 0, sizeof *l);
        l->colour = style->colour;
        added = add_blocks(l, r, &sites, f, most, style->verbose);
        if (!style->verbose)
            dsn_lines_fit(l, DSN_ROWS);
        most = count_findings(l);
    } while (!style->verbose && most < added);
    dsn_lines_print(l);
    dsn_sites_free(&sites);
    free(l);
    return DSN_ERR_OK;
}

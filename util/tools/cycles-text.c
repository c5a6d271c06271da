/* cycles-text.c - prints a rhythm as text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "cycles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MOST_CYCLES    8
#define FEW_CYCLES     2 /* if there is no rhythm */
#define MOST_MEMBERS   8
#define MOST_ITEMS     8
#define MOST_PROCESSES 10

static void heading(struct dsn_text *out, const char *name)
{
    dsn_text_printf(out, "%-12s", name);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "12.0 MiB read, 576 KiB written" */
static void amounts(struct dsn_text *out, double read, double written)
{
    char text[32];

    if (read > 0 || written == 0)
        dsn_text_printf(out, "%s read%s", dsn_rhythm_bytes(text, read), written > 0 ? ", " : "");
    if (written > 0)
        dsn_text_printf(out, "%s written", dsn_rhythm_bytes(text, written));
}

static void answer(struct dsn_text *out, const struct dsn_rhythm *r)
{
    char text[DSN_RHYTHM_SENTENCE];

    dsn_rhythm_say(r, text);
    dsn_text_printf(out, "%s.\n\n", text);
}

/* ------------------------------------------------------------------ what it was found in */

static void source(struct dsn_text *out, const struct dsn_rhythm *r)
{
    static const char *const recorded[] = { "", ", as recorded", ", estimated: time outside of operations" };
    const char *why = r->cpu != DARSHAN_TRACE_CPU_RECORDED ? " (no CPU times were recorded)" : "";
    char seconds[32], share[64] = "";

    if (r->cpu == DARSHAN_TRACE_CPU_RECORDED && r->cpu_share > 0) {
        snprintf(share, sizeof share,
                 r->clock == DSN_CLOCK_CPU ? " (%.3g %% of the run time)" : " (CPU time is %.3g %% of it)",
                 100 * r->cpu_share);
        why = share;
    }

    heading(out, "Source");
    if (r->resolution > 0)
        dsn_text_printf(out, "heat map, %zu process%s, bins of %s: no cycle more exact than that\n", r->nprocesses,
                        r->nprocesses == 1 ? "" : "es", dsn_rhythm_seconds(seconds, r->resolution));
    else
        dsn_text_printf(out, "%s, %" PRIu64 " read%s and write%s of %zu process%s\n", r->source, r->job.ops,
                        plural(r->job.ops), plural(r->job.ops), r->nprocesses, r->nprocesses == 1 ? "" : "es");
    heading(out, "Clock");
    if (r->clock == DSN_CLOCK_CPU)
        dsn_text_printf(out, "CPU time%s%s%s\n", recorded[r->cpu >= 0 && r->cpu < 3 ? r->cpu : 0], share,
                        r->is_by_other ? ", because run time shows no rhythm" : "");
    else
        dsn_text_printf(out, "run time%s%s\n", why, r->is_by_other ? ", because CPU time shows no rhythm" : "");
}

/* ------------------------------------------------------------------ cycles */

static void print_items(struct dsn_text *out, const struct dsn_rhythm_input *in, enum dsn_rhythm_likeness likeness,
                        const struct dsn_rhythm_item *items, size_t n)
{
    for (size_t i = 0; i < n && i < MOST_ITEMS; i++) {
        char size[32], name[DSN_RHYTHM_NAME];

        dsn_rhythm_item_name(in, &items[i], likeness >= DSN_LIKE_NAMES, name);
        dsn_text_printf(out, "%14s%8" PRIu64 " x %-5s ", "", items[i].n, items[i].is_write ? "write" : "read");
        if (items[i].size == UINT64_MAX)
            dsn_text_printf(out, "%10s in all", dsn_rhythm_bytes(size, (double)items[i].bytes));
        else
            dsn_text_printf(out, "%10s", dsn_rhythm_bytes(size, (double)items[i].size));
        dsn_text_printf(out, "  %s", name);
        if (items[i].files > 1)
            dsn_text_printf(out, " (%zu files)", items[i].files);
        dsn_text_string(out, "\n");
    }
    if (n > MOST_ITEMS)
        dsn_text_printf(out, "%14s%8zu other kinds of operations\n", "", n - MOST_ITEMS);
}

static int print_member(struct dsn_text *out, const struct dsn_rhythm *r, const struct dsn_rhythm_op *ops,
                        const struct dsn_rhythm_part *p, uint32_t cycle, size_t place)
{
    const struct dsn_rhythm_member m = dsn_rhythm_member(p, cycle, place);
    struct dsn_rhythm_item items[MOST_ITEMS] = { { .n = 0 } };
    const size_t n = dsn_rhythm_items(r->input, ops, p, p->cycles[cycle - 1].first + place, items, MOST_ITEMS);
    const int by_cpu = r->clock == DSN_CLOCK_CPU && r->nprocesses == 1;
    const double between = by_cpu && m.ops > 1 ? m.takes / (m.ops - 1) : m.between;
    char seconds[32], deviation[32];

    if (n == SIZE_MAX)
        return 0;
    dsn_text_printf(out, "%12sburst %zu: ", "", place + 1);
    if (isfinite(m.pause))
        dsn_text_printf(out, "after a pause of %s (+- %s), ", dsn_rhythm_seconds(seconds, m.pause),
                        dsn_rhythm_seconds(deviation, m.pause_deviation));
    if (by_cpu)
        dsn_text_printf(out, "takes %s of run time, ", dsn_rhythm_seconds(seconds, m.takes));
    else if (m.lasts > 0)
        dsn_text_printf(out, "lasts %s, ", dsn_rhythm_seconds(seconds, m.lasts));
    amounts(out, m.bytes[0], m.bytes[1]);
    if (m.ops > 1 && between > 0 && !(r->resolution > 0))
        dsn_text_printf(out, ", an operation every %s", dsn_rhythm_seconds(seconds, between));
    dsn_text_string(out, "\n");
    if (!(r->resolution > 0))
        print_items(out, r->input, p->cycles[cycle - 1].likeness, items, n);
    return 1;
}

static int print_cycle(struct dsn_text *out, const struct dsn_rhythm *r, const struct dsn_rhythm_op *ops,
                       const struct dsn_rhythm_part *p, uint32_t number)
{
    const struct dsn_rhythm_cycle *c = &p->cycles[number - 1];
    char seconds[32], variation[32], name[32], next[32];
    size_t largest = 0;

    snprintf(name, sizeof name, "Cycle %" PRIu32, number);
    heading(out, name);
    dsn_text_printf(out, "%s%s (+- %s), %zu times from %.6g to %.6g s",
                    c->is_regular ? "every " : "irregular, on average every ", dsn_rhythm_seconds(seconds, c->mean),
                    dsn_rhythm_variation(variation, c->deviation, c->mean), c->repeats, (double)c->start / 1e9,
                    (double)c->end / 1e9);
    if (c->missing > 0)
        dsn_text_printf(out, ", missing %zu time%s", c->missing, plural(c->missing));
    if (c->interruptions > 0)
        dsn_text_printf(out, ", interrupted %zu time%s", c->interruptions, plural(c->interruptions));
    if (c->trend[0] > 0)
        dsn_text_printf(out, ", %s from %s to %s", c->trend[1] > c->trend[0] ? "growing" : "shrinking",
                        dsn_rhythm_seconds(seconds, c->trend[0]), dsn_rhythm_seconds(next, c->trend[1]));
    if (c->inside > 0)
        dsn_text_printf(out, ", %zu time%s within each cycle %" PRIu32, c->per, plural(c->per), c->inside);
    dsn_text_printf(out, "\n%12s%zu burst%s each time: ", "", c->period, plural(c->period));
    amounts(out, (double)c->own_bytes[0] / (double)c->repeats, (double)c->own_bytes[1] / (double)c->repeats);
    dsn_text_printf(out, "; %s by chance\n",
                    c->chance < 1e-6   ? "less than 1 in a million"
                    : c->chance < 0.01 ? "less than 1 in 100"
                                       : "up to 1 in 10");
    for (size_t i = 1; i < c->period && c->first + i < p->nbursts; i++)
        if (p->bursts[c->first + i].bytes[0] + p->bursts[c->first + i].bytes[1] >
            p->bursts[c->first + largest].bytes[0] + p->bursts[c->first + largest].bytes[1])
            largest = i;
    for (size_t i = 0; i < c->period; i++)
        if ((i < MOST_MEMBERS || i == largest) && !print_member(out, r, ops, p, number, i))
            return 0;
    if (c->period > MOST_MEMBERS + (largest >= MOST_MEMBERS))
        dsn_text_printf(out, "%12sand %zu more bursts, none of which is larger\n", "",
                        c->period - MOST_MEMBERS - (largest >= MOST_MEMBERS));
    return 1;
}

static int print_part(struct dsn_text *out, const struct dsn_rhythm *r, const struct dsn_rhythm_op *ops,
                      const struct dsn_rhythm_part *p)
{
    static const char *const alike[DSN_NLIKENESSES] = {
        "the same operations, files and sizes in the same order", "the same operations, files and sizes",
        "the same operations and sizes on files whose names differ in numbers only",
        "about as many bytes read and written", "whatever they move"
    };
    const size_t most = p->rhythm > 0 ? MOST_CYCLES : FEW_CYCLES;
    char seconds[32];

    heading(out, "Bursts");
    dsn_text_printf(out, "%zu", p->nbursts);
    if (p->nbursts > 1 && p->threshold > 0)
        dsn_text_printf(out, ", separated by pauses of %s and more", dsn_rhythm_seconds(seconds, p->threshold));
    if (p->nstreams > 0)
        dsn_text_printf(out, ", of %zu kinds of files each by itself", p->nstreams);
    if (p->ncycles > 0)
        dsn_text_printf(out, "; alike: %s", alike[p->likeness]);
    dsn_text_string(out, "\n");
    if (p->anchors > 1) {
        heading(out, "Largest");
        dsn_text_printf(out, "the largest piece of work is done %zu times, typically every %s\n", p->anchors,
                        dsn_rhythm_seconds(seconds, p->interval));
    }
    if (p->ncycles > 0) {
        heading(out, "In cycles");
        dsn_text_printf(out, "%.4g %% of the operations\n", 100 * p->regularity);
    }
    for (uint32_t i = 1; i <= p->ncycles && i <= most; i++)
        if (!print_cycle(out, r, ops, p, i))
            return 0;
    if (p->ncycles > most)
        dsn_text_printf(out, "%12sand %zu more cycles: --json\n", "", p->ncycles - most);
    return 1;
}

/* ------------------------------------------------------------------ the rest */

static void print_next(struct dsn_text *out, const struct dsn_rhythm *r)
{
    const struct dsn_rhythm_part *p = r->verdict == DSN_RHYTHM_OF_PROCESSES ? &r->process : &r->job;
    char text[DSN_RHYTHM_SENTENCE], date[32];
    const time_t at = (time_t)((double)r->epoch / 1e9 + p->next);
    struct tm tm;

    dsn_rhythm_say_next(r, text);
    if (!*text)
        return;
    heading(out, "Next burst");
    dsn_text_string(out, text);
    if (p->next_known && r->verdict <= DSN_RHYTHM_OF_PROCESSES && r->epoch > 0 && p->next < 1e9 && gmtime_r(&at, &tm) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm) > 0)
        dsn_text_printf(out, ": %s", date);
    if (p->next_known && p->rhythm > 0 && p->cycles[p->rhythm - 1].period > 1)
        dsn_text_printf(out, " (burst %" PRIu32 ")", p->next_place + 1);
    dsn_text_string(out, "\n");
}

static void print_spectrum(struct dsn_text *out, const struct dsn_rhythm *r)
{
    const struct dsn_rhythm_spectrum *s = &r->spectrum;
    char seconds[32], width[32];

    if (r->job.ops < 2)
        return;
    heading(out, "Spectrum");
    if (s->is_known)
        dsn_text_printf(out, "a period of %s, confidence %.0f %%: peak %.1f times the mean power, autocorrelation %.2f",
                        dsn_rhythm_seconds(seconds, s->period), 100 * s->confidence, s->strength, s->correlation);
    else
        dsn_text_printf(out, "no period that stands out");
    if (s->is_known && s->from > (double)r->job.start / 1e9 + s->width)
        dsn_text_printf(out, ", from %.4g s on", s->from);
    dsn_text_printf(out, " (bins of %s)\n", dsn_rhythm_seconds(width, s->width));
}

static void print_processes(struct dsn_text *out, const struct dsn_rhythm *r)
{
    char seconds[32], bytes[32], variation[32];

    if (r->nlooked_at == 0)
        return;
    heading(out, "Processes");
    dsn_text_printf(out, "%zu of %zu have the same period\n", r->nagreeing, r->nlooked_at);
    for (size_t i = 0; i < r->nlooked_at && i < MOST_PROCESSES; i++) {
        const struct dsn_rhythm_process *p = &r->processes[i];

        dsn_text_printf(out, "%12sprocess %-8" PRIu64 " %10s in %8" PRIu64 " operations: ", "", p->id,
                        dsn_rhythm_bytes(bytes, (double)p->bytes), p->ops);
        if (p->period > 0)
            dsn_text_printf(out, "every %s (+- %s), %zu times\n", dsn_rhythm_seconds(seconds, p->period),
                            dsn_rhythm_variation(variation, p->deviation, p->period), p->repeats);
        else
            dsn_text_string(out, "no rhythm\n");
    }
    if (r->nlooked_at > MOST_PROCESSES)
        dsn_text_printf(out, "%12sand %zu more: --json\n", "", r->nlooked_at - MOST_PROCESSES);
}

int dsn_cycles_print(struct dsn_text *out, const struct dsn_rhythm *r)
{
    const int of_process = r->verdict == DSN_RHYTHM_OF_PROCESSES;

    answer(out, r);
    source(out, r);
    if (r->job.ops == 0)
        return 1;
    if (of_process) {
        heading(out, "Process");
        dsn_text_printf(out, "%" PRIu64 ", and the others are similar; details below\n", r->process_id);
    }
    if (!print_part(out, r, of_process ? r->process_ops : r->ops, of_process ? &r->process : &r->job))
        return 0;
    print_next(out, r);
    print_spectrum(out, r);
    print_processes(out, r);
    return 1;
}

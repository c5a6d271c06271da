/* describe.c - describes a cycle's operations, and the result in words
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/lib/text.h"

#define ITEMS         32
#define MANY_BURSTS   3   /* of a cycle whose files are named */
#define MOST_OF_BYTES 0.9 /* that those have */
#define MOST_OF_IT    0.9 /* share of the bytes from which on they are called the I/O */

/* ------------------------------------------------------------------ numbers */

const char *dsn_rhythm_bytes(char to[32], double bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    size_t i = 0;

    while (bytes >= 1000 && i + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1024;
        i++;
    }
    snprintf(to, 32,
             bytes >= 99.95 || bytes == floor(bytes) ? "%.0f %s"
             : bytes >= 9.995                        ? "%.1f %s"
                                                     : "%.2f %s",
             bytes, units[i]);
    return to;
}

const char *dsn_rhythm_seconds(char to[32], double seconds)
{
    if (seconds >= 1 || seconds == 0)
        snprintf(to, 32, seconds >= 10000 ? "%.0f s" : "%.4g s", seconds);
    else if (seconds >= 1e-3)
        snprintf(to, 32, "%.4g ms", seconds * 1e3);
    else
        snprintf(to, 32, "%.3g us", seconds * 1e6);
    return to;
}

/* ------------------------------------------------------------------ what a cycle is made of */

struct dsn_rhythm_member dsn_rhythm_member(const struct dsn_rhythm_part *p, uint32_t cycle, size_t place)
{
    const struct dsn_rhythm_cycle *c = &p->cycles[cycle - 1];
    struct dsn_rhythm_member m = { .pause = NAN };
    double pauses = 0, squares = 0, n = 0, npauses = 0, within = 0, nwithin = 0;

    for (size_t i = c->first; i <= c->last; i++) {
        const struct dsn_rhythm_burst *b = &p->bursts[i];
        const double lasts = (double)(b->end - b->start) / 1e9;

        if (b->cycle != cycle || b->place != place)
            continue;
        n++;
        m.lasts += lasts;
        m.takes += (double)b->takes / 1e9;
        m.ops += (double)b->ops;
        m.bytes[0] += (double)b->bytes[0];
        m.bytes[1] += (double)b->bytes[1];
        within += lasts;
        nwithin += (double)b->ops - 1;
        if (i > c->first && b[-1].cycle == cycle && b->start > b[-1].end) {
            const double pause = (double)(b->start - b[-1].end) / 1e9;

            pauses += pause;
            squares += pause * pause;
            npauses++;
        }
    }
    if (n == 0)
        return m;
    m.lasts /= n;
    m.takes /= n;
    m.ops /= n;
    m.bytes[0] /= n;
    m.bytes[1] /= n;
    m.between = nwithin > 0 ? within / nwithin : 0;
    if (npauses > 0) {
        m.pause = pauses / npauses;
        squares = squares / npauses - m.pause * m.pause;
        m.pause_deviation = squares > 0 ? sqrt(squares) : 0;
    }
    return m;
}

size_t dsn_rhythm_items(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                        const struct dsn_rhythm_part *p, size_t burst, struct dsn_rhythm_item *items, size_t room)
{
    const struct dsn_rhythm_burst *b = &p->bursts[burst];
    const enum dsn_rhythm_likeness likeness = b->cycle ? p->cycles[b->cycle - 1].likeness : p->likeness;
    const int by_name = likeness >= DSN_LIKE_NAMES, by_size = likeness < DSN_LIKE_BYTES;
    struct dsn__pairmap kinds, files;
    size_t n = 0;

    dsn__pairmap_init(&kinds);
    dsn__pairmap_init(&files);
    for (size_t i = b->first; i < b->first + b->n && n < SIZE_MAX; i++) {
        const struct dsn_rhythm_kind *kind = &in->kinds[ops[i].kind];
        const uint64_t file = by_name ? in->files[kind->file].name : kind->file, size = by_size ? kind->size : 0;
        const uint32_t at = dsn__pairmap_add(&kinds, file << 1 | kind->is_write, size, 0);
        const size_t nfiles = files.used;

        if (at == DSN__PAIR_NONE || dsn__pairmap_add(&files, at, kind->file, 0) == DSN__PAIR_NONE) {
            n = SIZE_MAX;
            break;
        }
        n = kinds.used;
        if (at >= room)
            continue;
        if (files.used > nfiles && !items[at].n)
            items[at] = (struct dsn_rhythm_item){ 0, kind->size, 0, 0, kind->is_write, kind->file };
        items[at].files += files.used > nfiles;
        items[at].n += ops[i].n;
        items[at].bytes =
            dsn_rhythm_sum(items[at].bytes, kind->size > INT64_MAX / ops[i].n ? INT64_MAX : kind->size * ops[i].n);
        items[at].size = items[at].size == kind->size ? kind->size : UINT64_MAX;
    }
    dsn__pairmap_free(&kinds);
    dsn__pairmap_free(&files);
    return n;
}

void dsn_rhythm_item_name(const struct dsn_rhythm_input *in, const struct dsn_rhythm_item *item, int by_name,
                          char to[DSN_RHYTHM_NAME])
{
    const struct dsn_rhythm_file *f = &in->files[item->file];
    char name[8192];
    size_t n;

    if (in->is_heat) {
        snprintf(to, DSN_RHYTHM_NAME, "all files");
        return;
    }
    if (!f->path) {
        snprintf(to, DSN_RHYTHM_NAME, "%s %" PRIu64, f->is_device ? "device" : "file", f->id);
        return;
    }
    n = strlen(f->path) < sizeof name - 1 ? strlen(f->path) : sizeof name - 1;
    memcpy(name, f->path, n);
    name[n] = '\0';
    if (item->files > 1 || by_name)
        dsn__mark_numbers(name, '#');
    dsn_text_fit(to, DSN_RHYTHM_NAME, 70, 20, name);
}

/* ------------------------------------------------------------------ the answer */

const char *dsn_rhythm_verdict_name(enum dsn_rhythm_verdict verdict)
{
    static const char *const names[] = { "exact",         "processes", "spectral",   "nothing",
                                         "one operation", "one burst", "two bursts", "stream",
                                         "brief",         "unsteady",  "unlike" };

    return (size_t)verdict < sizeof names / sizeof names[0] ? names[verdict] : NULL;
}

const char *dsn_rhythm_variation(char to[32], double deviation, double mean)
{
    const double percent = mean > 0 ? 100 * deviation / mean : 0;

    snprintf(to, 32, "%.1f %%", percent);
    return to;
}

/* "every 22.14 s of run time (+- 0.2 %), 30 times from 182.3 to 846.2 s" */
static void say_cycle(const struct dsn_rhythm *r, const struct dsn_rhythm_cycle *c, char *to, size_t room)
{
    char period[32], variation[32], missing[64] = "", first[32], next[32], trend[96] = "";

    if (c->missing > 0)
        snprintf(missing, sizeof missing, " (%zu more missing)", c->missing);
    if (c->trend[0] > 0)
        snprintf(trend, sizeof trend, ", %s from %s to %s", c->trend[1] > c->trend[0] ? "growing" : "shrinking",
                 dsn_rhythm_seconds(first, c->trend[0]), dsn_rhythm_seconds(next, c->trend[1]));
    snprintf(to, room, "every %s of %s%s (+- %s), %zu times%s from %.4g to %.4g s", dsn_rhythm_seconds(period, c->mean),
             r->clock == DSN_CLOCK_CPU ? "CPU time" : "run time", trend,
             dsn_rhythm_variation(variation, c->deviation, c->mean), c->repeats, missing, (double)c->start / 1e9,
             (double)c->end / 1e9);
}

/* "11.8 MiB read and 576 KiB written" */
static void say_amounts(const struct dsn_rhythm_cycle *c, char *to, size_t room)
{
    char amounts[2][48] = { "", "" }, bytes[32];

    for (int k = 0; k < 2; k++)
        if (c->own_bytes[k] > 0)
            snprintf(amounts[k], sizeof amounts[k], "%s %s",
                     dsn_rhythm_bytes(bytes, (double)c->own_bytes[k] / (double)c->repeats), k ? "written" : "read");
    snprintf(to, room, "%s%s%s", amounts[0], *amounts[0] && *amounts[1] ? " and " : "", amounts[1]);
}

void dsn_rhythm_cycle_files(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                            const struct dsn_rhythm_part *p, uint32_t cycle, char to[DSN_RHYTHM_NAME])
{
    const struct dsn_rhythm_cycle *c = &p->cycles[cycle - 1];
    struct dsn_rhythm_item items[ITEMS] = { { .n = 0 } };
    double most = 0;
    size_t n, best = 0, burst = c->first;

    for (size_t i = c->first; i <= c->last; i++) {
        const double bytes = (double)p->bursts[i].bytes[0] + (double)p->bursts[i].bytes[1];

        if (p->bursts[i].cycle == cycle && !p->bursts[i].is_partial && bytes > most) {
            most = bytes;
            burst = i;
        }
    }
    *to = '\0';
    n = in->is_heat ? 0 : dsn_rhythm_items(in, ops, p, burst, items, ITEMS);
    for (size_t i = 1; i < n && n != SIZE_MAX && i < ITEMS; i++)
        best = items[i].bytes > items[best].bytes ? i : best;
    if (n > 0 && n != SIZE_MAX && in->files[items[best].file].path)
        dsn_rhythm_item_name(in, &items[best], c->likeness >= DSN_LIKE_NAMES, to);
}

/* The one or two files, or kinds of files, that have most of the bytes of a sequence: " of a and b", ", mostly of a"; "" if more
 * are needed. */
static void name_files(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                       const struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, char *to, size_t room)
{
    const int by_name = c->likeness >= DSN_LIKE_NAMES;
    struct dsn_rhythm_item files[ITEMS] = { { .n = 0 } }, rest = { .n = 0 };
    char one[DSN_RHYTHM_NAME], other[DSN_RHYTHM_NAME] = "";
    double all = 0;
    size_t nfiles = 0;

    *to = '\0';
    for (size_t i = c->first; i < c->first + c->period; i++) { /* the first repeat is complete */
        struct dsn_rhythm_item items[ITEMS] = { { .n = 0 } };
        const size_t n = dsn_rhythm_items(in, ops, p, i, items, ITEMS);

        for (size_t k = 0; n != SIZE_MAX && k < n && k < ITEMS; k++) {
            const struct dsn_rhythm_file *file = &in->files[items[k].file];
            struct dsn_rhythm_item *of = &rest;

            for (size_t m = 0; m < nfiles; m++)
                if (by_name ? in->files[files[m].file].name == file->name : files[m].file == items[k].file)
                    of = &files[m];
            if (of == &rest && nfiles < ITEMS) {
                of = &files[nfiles++];
                *of = (struct dsn_rhythm_item){ .file = items[k].file };
            }
            of->files += items[k].files;
            of->bytes = dsn_rhythm_sum(of->bytes, items[k].bytes);
            all += (double)items[k].bytes;
        }
    }
    for (int k = 0; k < 2; k++) /* the largest two come first */
        for (size_t m = (size_t)k + 1; m < nfiles; m++)
            if (files[m].bytes > files[k].bytes) {
                rest = files[k];
                files[k] = files[m];
                files[m] = rest;
            }
    if (nfiles == 0 || all <= 0)
        return;
    dsn_rhythm_item_name(in, &files[0], by_name, one);
    if ((double)files[0].bytes < MOST_OF_BYTES * all) {
        if (nfiles < 2 || (double)files[0].bytes + (double)files[1].bytes < MOST_OF_BYTES * all)
            return;
        dsn_rhythm_item_name(in, &files[1], by_name, other);
    }
    snprintf(to, room, "%s of %s%s%s",
             (double)files[0].bytes + (*other ? (double)files[1].bytes : 0) < all ? ", mostly" : "", one,
             *other ? " and " : "", other);
}

static const char *ordinal_end(size_t n)
{
    return n / 10 % 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* Cycles inside this one, or the one around it, or others that go on beside it. */
static void say_others(const struct dsn_rhythm *r, const struct dsn_rhythm_part *p, const struct dsn_rhythm_op *ops,
                       char *to, size_t room)
{
    const struct dsn_rhythm_cycle *c = &p->cycles[p->rhythm - 1], *other = NULL;
    char seconds[32], amounts[112], name[DSN_RHYTHM_NAME];
    size_t regular = 0, inside = 0;

    *to = '\0';
    for (size_t i = 0; i < p->ncycles; i++) {
        const struct dsn_rhythm_cycle *o = &p->cycles[i];
        const int is_in = o->inside == p->rhythm;

        if (o == c || !o->is_regular || o->is_stream)
            continue;
        if (!is_in && o->inside)
            continue;
        if (!other || (is_in && !inside) || ((is_in || !inside) && o->even_bytes > other->even_bytes))
            other = o;
        inside += (size_t)is_in;
        regular++;
    }
    if (!other)
        return;
    say_amounts(other, amounts, sizeof amounts);
    dsn_rhythm_cycle_files(r->input, ops, p, (uint32_t)(other - p->cycles) + 1, name);
    dsn_rhythm_seconds(seconds, other->mean);
    if (inside > 0)
        snprintf(to, room, "; besides, %zu time%s within each, %s%s%s", other->per, other->per == 1 ? "" : "s",
                 *amounts ? amounts : "no bytes", *name ? " of " : "", name);
    else if (c->inside == (uint32_t)(other - p->cycles) + 1)
        snprintf(to, room, "; every %zu%s time also %s%s%s", c->per, ordinal_end(c->per),
                 *amounts ? amounts : "no bytes", *name ? " of " : "", name);
    else if (other->start < c->end && c->start < other->end)
        snprintf(to, room, ". At the same time %s%s%s every %s, %zu times", *amounts ? amounts : "no bytes",
                 *name ? " of " : "", name, seconds, other->repeats);
    else
        snprintf(to, room, ". %s that every %s, %zu times", other->start < c->start ? "Before" : "After", seconds,
                 other->repeats);
    if (regular > 1 && strlen(to) + 64 < room)
        snprintf(to + strlen(to), room - strlen(to), "; %zu other cycle%s regular, too", regular - 1,
                 regular == 2 ? " is" : "s are");
}

static void say_part(const struct dsn_rhythm *r, const struct dsn_rhythm_part *p, const struct dsn_rhythm_op *ops,
                     const char *who, char *to, size_t room)
{
    char cycle[256], amounts[112], others[512], resolution[64] = "", seconds[32], name[DSN_RHYTHM_NAME],
                                                of[2 * DSN_RHYTHM_NAME + 32] = "";
    const struct dsn_rhythm_cycle *c = &p->cycles[p->rhythm - 1];

    say_cycle(r, c, cycle, sizeof cycle);
    say_amounts(c, amounts, sizeof amounts);
    say_others(r, p, ops, others, sizeof others);
    if (p->nstreams) {
        dsn_rhythm_cycle_files(r->input, ops, p, p->rhythm, name);
        snprintf(of, sizeof of, "%s%s", *name ? " of " : "", name);
    } else if (c->period >= MANY_BURSTS && r->resolution <= 0) {
        name_files(r->input, ops, p, c, of, sizeof of);
    }
    if (r->resolution > 0)
        snprintf(resolution, sizeof resolution, ", as far as bins of %s tell",
                 dsn_rhythm_seconds(seconds, r->resolution));
    snprintf(to, room, "%s %s%s%s%s%s%s", who, cycle, *amounts ? ", each time " : "", amounts, *amounts ? of : "",
             resolution, others);
}

/* What is done again and again, without a rhythm. */
static void say_recurring(const struct dsn_rhythm_part *p, char *to, size_t room)
{
    const struct dsn_rhythm_cycle *c = &p->cycles[p->recurring - 1];
    uint64_t from = 0, last = 0;
    char seconds[32], amounts[112];
    size_t n = 0;

    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == p->recurring && p->bursts[i].place == 0) {
            from = n++ == 0 ? p->bursts[i].start : from;
            last = p->bursts[i].start;
        }
    say_amounts(c, amounts, sizeof amounts);
    snprintf(to, room,
             "No rhythm, but %zu burst%s in the same order %zu times%s%s: at irregular intervals, %s on average",
             c->period, c->period == 1 ? " recurs" : "s recur", c->repeats, *amounts ? ", each time " : "", amounts,
             dsn_rhythm_seconds(seconds, n > 1 ? (double)(last - from) / 1e9 / (double)(n - 1) : 0));
}

static void say_why_not(const struct dsn_rhythm *r, char *to, size_t room)
{
    const struct dsn_rhythm_part *p = &r->job;
    const struct dsn_rhythm_cycle *c = p->cycles;
    char seconds[32];

    for (size_t i = 1; i < p->ncycles; i++)
        if (p->cycles[i].ops > c->ops)
            c = &p->cycles[i];
    switch (r->verdict) {
    case DSN_RHYTHM_NOTHING:
        snprintf(to, room, "No rhythm: there are no reads and writes");
        break;
    case DSN_RHYTHM_ONE_OPERATION:
        snprintf(to, room, "No rhythm: there is one operation only");
        break;
    case DSN_RHYTHM_ONE_BURST:
        if (r->resolution > 0)
            snprintf(to, room, "No rhythm: the I/O is a single burst, as far as bins of %s tell",
                     dsn_rhythm_seconds(seconds, r->resolution));
        else
            snprintf(to, room, "No rhythm: the I/O is a single burst, not divided by longer pauses");
        break;
    case DSN_RHYTHM_TWO_BURSTS:
        snprintf(to, room, "No rhythm: there are two bursts, and a rhythm requires at least three");
        break;
    case DSN_RHYTHM_STREAM:
        if (c && (double)c->ops < 1.5 * (double)c->repeats * (double)c->period)
            snprintf(to, room, "No rhythm: a steady stream of single operations, one every %s",
                     dsn_rhythm_seconds(seconds, c->mean / (double)c->period));
        else
            snprintf(to, room, "No rhythm: a steady stream of operations, almost without pauses");
        break;
    case DSN_RHYTHM_BRIEF:
        snprintf(to, room,
                 "No rhythm of the whole run: regular cycles take %.2g %% of the time, with %.2g %% of the I/O",
                 100 * p->span, 100 * p->steadiness);
        break;
    case DSN_RHYTHM_UNSTEADY:
        if (p->recurring) {
            say_recurring(p, to, room);
            break;
        }
        snprintf(to, room, "No rhythm: of %zu bursts %zu are similar, but they come at irregular intervals", p->nbursts,
                 p->alike);
        break;
    default:
        snprintf(to, room, "No rhythm: there are %zu bursts, and no sequence of them recurs three times", p->nbursts);
    }
}

void dsn_rhythm_say(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE])
{
    const struct dsn_rhythm_part *p = &r->job;
    char who[96], seconds[32];

    switch (r->verdict) {
    case DSN_RHYTHM_EXACT: {
        const struct dsn_rhythm_cycle *c = &p->cycles[p->rhythm - 1];
        const double all = (double)p->bytes[0] + (double)p->bytes[1],
                     share = all > 0 ? ((double)c->bytes[0] + (double)c->bytes[1]) / all : 1;

        snprintf(who, sizeof who, "%.2g %% of the bytes recur", 100 * share);
        say_part(r, p, r->ops, share < MOST_OF_IT ? who : "The I/O recurs", to, DSN_RHYTHM_SENTENCE);
        break;
    }
    case DSN_RHYTHM_OF_PROCESSES:
        snprintf(who, sizeof who, "Process by process, the I/O of %zu of %zu recurs", r->nagreeing, r->nprocesses);
        say_part(r, &r->process, r->process_ops, who, to, DSN_RHYTHM_SENTENCE);
        break;
    case DSN_RHYTHM_SPECTRAL:
        snprintf(
            to, DSN_RHYTHM_SENTENCE,
            "No burst recurs exactly, but the amount of I/O rises and falls about every %s of %s (by its spectrum, "
            "confidence %.0f %%)",
            dsn_rhythm_seconds(seconds, r->spectrum.period), r->clock == DSN_CLOCK_CPU ? "CPU time" : "run time",
            100 * r->spectrum.confidence);
        break;
    default:
        say_why_not(r, to, DSN_RHYTHM_SENTENCE);
    }
}

void dsn_rhythm_say_next(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE])
{
    const struct dsn_rhythm_part *p = r->verdict == DSN_RHYTHM_OF_PROCESSES ? &r->process : &r->job;
    char within[32];

    *to = '\0';
    if (r->verdict == DSN_RHYTHM_SPECTRAL)
        snprintf(to, DSN_RHYTHM_SENTENCE, "about %.4g s, if it had continued", r->spectrum.next);
    else if (r->verdict <= DSN_RHYTHM_OF_PROCESSES && p->next_known)
        snprintf(to, DSN_RHYTHM_SENTENCE, "at %.6g s (+- %s), if it had continued", p->next,
                 dsn_rhythm_seconds(within, p->next_within));
    else if (r->verdict <= DSN_RHYTHM_OF_PROCESSES)
        snprintf(to, DSN_RHYTHM_SENTENCE, "not expected: the cycle ended before the I/O did");
}

/* spec.c - parses the description of a machine
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "spec.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_BYTES    1152921504606846976. /* also for rates */
#define MOST_SECONDS  1e6
#define MOST_AHEAD    1073741824. /* bytes */
#define MOST_TARGETS  2000.       /* Lustre's maximum stripe count */
#define USUAL_LATENCY 50e-6       /* seconds per request to a burst buffer */

/* Sets the reason why a part is invalid, if there is more to say than its form. Returns 0. */
static int refuse(struct dsn_spec *s, const char *why)
{
    if (s)
        s->why = why;
    return 0;
}

/* Parses a decimal number of at most `most`, and advances *text. */
static int number(struct dsn_spec *s, const char **text, double most, double *out)
{
    char *stop;

    if (**text == '-')
        return refuse(s, "values are not negative");
    if ((!(**text >= '0' && **text <= '9') && **text != '.') || strncasecmp(*text, "0x", 2) == 0)
        return 0;
    *out = strtod(*text, &stop);
    if (stop == *text)
        return 0;
    *text = stop;
    return *out <= most || refuse(s, "a number is too large");
}

static int skip(const char **text, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(*text, word, n) != 0)
        return 0;
    *text += n;
    return 1;
}

/* The factor of a unit; 0: there is none. */
static double unit(const char **text)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = { { "KiB", 1024. },
                  { "MiB", 1048576. },
                  { "GiB", 1073741824. },
                  { "TiB", 1099511627776. },
                  { "PiB", 1125899906842624. },
                  { "KB", 1e3 },
                  { "kB", 1e3 },
                  { "MB", 1e6 },
                  { "GB", 1e9 },
                  { "TB", 1e12 },
                  { "PB", 1e15 },
                  { "B", 1. },
                  { "K", 1024. },
                  { "M", 1048576. },
                  { "G", 1073741824. },
                  { "T", 1099511627776. } };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (skip(text, units[i].name))
            return units[i].bytes;
    return 0;
}

/* A size with its unit; above 0, except for read-ahead. */
static int size(struct dsn_spec *s, const char **text, double *out)
{
    double scale;

    if (!number(s, text, MOST_BYTES, out))
        return 0;
    scale = unit(text);
    *out *= scale;
    if (scale <= 0)
        return refuse(s, "a size needs a unit, such as GiB, and a rate one such as GB/s");
    return *out <= MOST_BYTES || refuse(s, "a size is too large");
}

static int some(struct dsn_spec *s, const char **text, double *out)
{
    return size(s, text, out) && (*out > 0 || refuse(s, "a size or rate must not be 0"));
}

int dsn_spec_bytes(const char *text, double *out)
{
    double scale;

    if (!number(NULL, &text, MOST_BYTES, out))
        return 0;
    if (*text == '\0')
        return 1;
    scale = unit(&text);
    *out *= scale;
    return scale > 0 && *text == '\0';
}

static int rate(struct dsn_spec *s, const char **text, double *out)
{
    return some(s, text, out) && (skip(text, "/s") || refuse(s, "a rate ends with /s"));
}

static int duration(struct dsn_spec *s, const char **text, double *out)
{
    if (!number(s, text, MOST_SECONDS, out))
        return 0;
    if (skip(text, "ms"))
        *out *= 1e-3;
    else if (skip(text, "us"))
        *out *= 1e-6;
    else
        return skip(text, "s") || refuse(s, "a time needs a unit: s, ms or us");
    return 1;
}

static int a_node(const char **text)
{
    skip(text, "/node");
    return 1;
}

/* ------------------------------------------------------------------ parts: each takes what stands behind its = */

static int take_buffer(struct dsn_spec *s, const char **t)
{
    if (skip(t, "unlimited"))
        s->buffer_size = INFINITY;
    else if (!some(s, t, &s->buffer_size))
        return 0;
    return a_node(t) && skip(t, ",") && rate(s, t, &s->buffer_rate) && a_node(t);
}

static int take_drain(struct dsn_spec *s, const char **t)
{
    if (!rate(s, t, &s->drain))
        return 0;
    s->drain_of_job = skip(t, "/job");
    return s->drain_of_job || a_node(t);
}

static int take_latency(struct dsn_spec *s, const char **t)
{
    return duration(s, t, &s->buffer_latency);
}

static int take_stage(struct dsn_spec *s, const char **t)
{
    (void)s;
    (void)t;
    return 1;
}

static int take_pin(struct dsn_spec *s, const char **t)
{
    const size_t n = strcspn(*t, ";");

    if (n == 0 || s->npins == DSN_SPEC_PINS || !(s->pin[s->npins] = strndup(*t, n)))
        return 0;
    s->npins++;
    *t += n;
    return 1;
}

static int take_cache(struct dsn_spec *s, const char **t)
{
    char name[16] = "";
    size_t n;

    if (!some(s, t, &s->cache) || !a_node(t))
        return 0;
    if (!skip(t, ","))
        return 1;
    n = strcspn(*t, "; ");
    if (n >= sizeof name)
        return 0;
    memcpy(name, *t, n);
    s->policy = dsn_policy_named(name);
    *t += n;
    return s->policy && !s->policy->needs_future;
}

static int percent(struct dsn_spec *s, const char **t, double *out)
{
    if (!number(s, t, 100, out))
        return 0;
    *out /= 100;
    return skip(t, "%");
}

static int take_dirty(struct dsn_spec *s, const char **t)
{
    return percent(s, t, &s->dirty[0]) && skip(t, ",") && percent(s, t, &s->dirty[1]) && s->dirty[1] >= s->dirty[0] &&
           s->dirty[1] > 0;
}

static int take_expiry(struct dsn_spec *s, const char **t)
{
    return duration(s, t, &s->expiry);
}

static int take_ahead(struct dsn_spec *s, const char **t)
{
    return size(s, t, &s->ahead) && (s->ahead <= MOST_AHEAD || refuse(s, "a size is too large"));
}

static int take_fs(struct dsn_spec *s, const char **t)
{
    if (!rate(s, t, &s->fs_rate))
        return 0;
    if (!skip(t, ","))
        return 1;
    return rate(s, t, &s->fs_total) &&
           (s->fs_total >= s->fs_rate || refuse(s, "the total is not less than that of one request"));
}

static int take_fs_latency(struct dsn_spec *s, const char **t)
{
    return duration(s, t, &s->fs_latency);
}

static int take_link(struct dsn_spec *s, const char **t)
{
    return rate(s, t, &s->link) && a_node(t);
}

static int targets(struct dsn_spec *s, const char **t, double *out)
{
    return number(s, t, MOST_TARGETS, out) &&
           ((*out >= 1 && *out == floor(*out)) || refuse(s, "the number of targets is an integer of at least 1"));
}

static int take_stripes(struct dsn_spec *s, const char **t)
{
    if (!targets(s, t, &s->stripes) || (skip(t, "/") && !targets(s, t, &s->stripes_were)))
        return 0;
    return !skip(t, ",") || some(s, t, &s->stripe_size);
}

static const struct part {
    const char *name;
    unsigned bit;
    int several;
    const char *form;
    int (*take)(struct dsn_spec *s, const char **text);
} parts[] = {
    { "bb=", DSN_SPEC_BUFFER, 0, "bb=SIZE/node,RATE such as bb=400GiB/node,2GB/s", take_buffer },
    { "drain=", DSN_SPEC_DRAIN, 0, "drain=RATE such as drain=1GB/s", take_drain },
    { "bb-latency=", DSN_SPEC_LATENCY, 0, "bb-latency=TIME such as bb-latency=50us", take_latency },
    { "stage-in", DSN_SPEC_STAGE, 0, "stage-in, without a value", take_stage },
    { "pin=", DSN_SPEC_PIN, 1, "pin=PATTERN such as pin=/scratch/tmp/*, 16 at most", take_pin },
    { "cache=", DSN_SPEC_CACHE, 0, "cache=SIZE/node[,POLICY], of lru, clock, arc and s3fifo", take_cache },
    { "dirty=", DSN_SPEC_DIRTY, 0, "dirty=N%,N% such as dirty=10%,20%", take_dirty },
    { "expiry=", DSN_SPEC_EXPIRY, 0, "expiry=TIME such as expiry=30s", take_expiry },
    { "read-ahead=", DSN_SPEC_AHEAD, 0, "read-ahead=SIZE such as read-ahead=128KiB, 1GiB at most", take_ahead },
    { "fs=", DSN_SPEC_FS, 0, "fs=RATE[,RATE] such as fs=1GB/s,100GB/s, for one request and in total", take_fs },
    { "fs-latency=", DSN_SPEC_FS_LATENCY, 0, "fs-latency=TIME such as fs-latency=500us", take_fs_latency },
    { "link=", DSN_SPEC_LINK, 0, "link=RATE such as link=10GB/s", take_link },
    { "stripes=", DSN_SPEC_STRIPES, 0,
      "stripes=N or stripes=N/M such as stripes=8 or stripes=8/1, targets that files are to have and have",
      take_stripes },
    { "stripe=", DSN_SPEC_STRIPES, 0, "stripe=N or stripe=N/M, as stripes=", take_stripes },
};
#define NPARTS (sizeof parts / sizeof parts[0])

/* Reports that the part at `part` is invalid, and its form. */
static int wrong(struct dsn_spec *s, const char *part, const char *form)
{
    const size_t n = strcspn(part, ";");

    snprintf(s->error, sizeof s->error, "%.*s%s: %s%sit should be %s", (int)(n < 60 ? n : 60), part,
             n > 60 ? "..." : "", s->why ? s->why : "", s->why ? "; " : "", form);
    return 0;
}

static int says(struct dsn_spec *s, const char *what)
{
    snprintf(s->error, sizeof s->error, "%s", what);
    return 0;
}

int dsn_spec_parse(const char *text, struct dsn_spec *s)
{
    const char *t = text, *begin;

    *s = (struct dsn_spec){ .policy = dsn_policy(0), .expiry = 30 };
    while (*(t += strspn(t, " ;")) != '\0') {
        const struct part *p = parts;

        begin = t;
        while (p < parts + NPARTS && !skip(&t, p->name))
            p++;
        if (p == parts + NPARTS)
            return wrong(s, begin,
                         "one of bb=, drain=, bb-latency=, stage-in, pin=, cache=, dirty=, expiry=, read-ahead=, fs=, "
                         "fs-latency=, link= and stripes=");
        if (s->has & p->bit && !p->several)
            return wrong(s, begin, "said once");
        s->has |= p->bit;
        if (!p->take(s, &t))
            return wrong(s, begin, p->form);
        t += strspn(t, " ");
        if (*t != '\0' && *t != ';')
            return wrong(s, begin, p->form);
    }
    if (s->has == 0)
        return says(s, "it is empty; an example is bb=400GiB/node,2GB/s; drain=1GB/s");
    if (s->has & (DSN_SPEC_DRAIN | DSN_SPEC_LATENCY | DSN_SPEC_STAGE | DSN_SPEC_PIN) && !(s->has & DSN_SPEC_BUFFER))
        return says(s,
                    "drain, bb-latency, stage-in and pin are of a burst buffer, which needs bb=SIZE/node,RATE such as "
                    "bb=400GiB/node,2GB/s");
    if (s->has & DSN_SPEC_DIRTY && !(s->has & DSN_SPEC_CACHE))
        return says(s, "dirty is of a page cache, which needs cache=SIZE/node");
    if (s->has & DSN_SPEC_EXPIRY && !(s->has & DSN_SPEC_DIRTY))
        return says(s, "expiry is of dirty blocks, which need cache=SIZE/node and dirty=N%,N%");
    return 1;
}

void dsn_spec_free(struct dsn_spec *s)
{
    for (size_t i = 0; i < s->npins; i++)
        free(s->pin[i]);
    s->npins = 0;
}

/* ------------------------------------------------------------------ the machine */

static void apply_buffer(const struct dsn_spec *s, const struct dsn_load *load, struct dsn_machine *m)
{
    m->buffer.size = s->buffer_size;
    m->buffer.rate = s->buffer_rate;
    m->buffer.stage_in = (s->has & DSN_SPEC_STAGE) != 0;
    for (int d = 0; d < 2; d++) /* not more than what it replaces */
        m->buffer.latency[d] = s->has & DSN_SPEC_LATENCY ? s->buffer_latency : fmin(USUAL_LATENCY, m->fs.latency[d]);
    if (!(s->has & DSN_SPEC_DRAIN)) /* as fast as a node's writes */
        m->buffer.drain = fmin(m->fs.byte[1] > 0 ? 1 / m->fs.byte[1] : s->buffer_rate, s->buffer_rate);
    else
        m->buffer.drain = s->drain_of_job ? s->drain / fmax(1, load->nnodes) : s->drain;
}

static void apply_fs(const struct dsn_spec *s, struct dsn_machine *m)
{
    for (int d = 0; d < 2; d++) {
        if (s->has & DSN_SPEC_FS)
            m->fs.byte[d] = 1 / s->fs_rate;
        if (s->has & DSN_SPEC_FS && s->fs_total > 0)
            m->fs.crowd[d] = s->fs_rate / s->fs_total;
        if (s->has & DSN_SPEC_FS_LATENCY)
            m->fs.latency[d] = s->fs_latency;
    }
    if (s->has & DSN_SPEC_LINK)
        m->fs.link = s->link;
}

void dsn_spec_apply(const struct dsn_spec *s, const struct dsn_load *load, struct dsn_machine *m, unsigned char *pinned)
{
    apply_fs(s, m);
    if (s->has & DSN_SPEC_BUFFER)
        apply_buffer(s, load, m);
    if (s->npins > 0) {
        for (size_t f = 0; f < load->nfiles; f++)
            for (size_t i = 0; i < s->npins; i++)
                pinned[f] |= load->files[f].path && fnmatch(s->pin[i], load->files[f].path, 0) == 0;
        m->pinned = pinned;
    }
    if (s->has & DSN_SPEC_CACHE) {
        m->cache.size = s->cache;
        m->cache.policy = s->policy;
        m->cache.write_back = (s->has & DSN_SPEC_DIRTY) != 0;
        m->cache.background = s->dirty[0];
        m->cache.limit = s->dirty[1];
        m->cache.expiry = s->expiry;
    }
    if (s->has & DSN_SPEC_AHEAD) {
        m->cache.ahead = s->ahead;
        if (m->cache.size <= 0) { /* only room for the windows of the node's processes */
            m->cache.size = 4 * fmax(s->ahead, m->block) * (double)load->nprocesses / fmax(1, load->nnodes);
            m->cache.reads_only = 1;
        }
    }
}

/* ------------------------------------------------------------------ as people say it */

static const char *said(double v, double step, const char *const *units, int n, char *to, size_t room)
{
    int i = 0;

    if (!(v < INFINITY))
        return "unlimited";
    while (v >= step * .9995 && i + 1 < n) {
        v /= step;
        i++;
    }
    snprintf(to, room, v >= 99.95 || v == floor(v) ? "%.0f %s" : v >= 9.995 ? "%.1f %s" : "%.2g %s", v, units[i]);
    return to;
}

const char *dsn_spec_size(double bytes, char *to, size_t n)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

    return said(bytes, 1024, units, 7, to, n);
}

const char *dsn_spec_rate(double bytes, char *to, size_t n)
{
    static const char *const units[] = { "B/s", "KB/s", "MB/s", "GB/s", "TB/s", "PB/s" };

    return said(bytes, 1000, units, 6, to, n);
}

/* units.c - short text for figures
 * SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/lib/figures.h"

struct dsn_short_text dsn_bytes_text(double bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    struct dsn_short_text t;
    double v = bytes;
    size_t i = 0;

    for (; v >= 1023.95 && i + 1 < sizeof unit / sizeof unit[0]; i++)
        v /= 1024;
    snprintf(t.s, sizeof t.s, i == 0 || v >= 100 ? "%.0f %s" : v >= 10 ? "%.1f %s" : "%.2f %s", v, unit[i]);
    return t;
}

struct dsn_short_text dsn_seconds_text(double s)
{
    struct dsn_short_text t;

    if (s == 0)
        snprintf(t.s, sizeof t.s, "0 s");
    else if (s >= 1e9 || s <= -1e9) /* damage; it would have too many digits */
        snprintf(t.s, sizeof t.s, "%.2g s", s);
    else if (s >= 100000)
        snprintf(t.s, sizeof t.s, "%.1f h", s / 3600);
    else if (s > 0 && s < 0.001)
        snprintf(t.s, sizeof t.s, "%.0f us", 1e6 * s);
    else
        snprintf(t.s, sizeof t.s, s >= 100 ? "%.0f s" : s >= 1 ? "%.2f s" : "%.4f s", s);
    return t;
}

struct dsn_short_text dsn_about_text(double s)
{
    const double unit = s > 0 ? pow(10, floor(log10(s)) - 1) : 1, v = floor(s / unit + 0.5) * unit;
    struct dsn_short_text t;

    if (!(v >= 0.001 && v < 100000))
        return dsn_seconds_text(v);
    snprintf(t.s, sizeof t.s, v >= 9.95 ? "%.0f s" : v >= 0.995 ? "%.1f s" : "%.2g s", v);
    return t;
}

struct dsn_short_text dsn_large_rate_text(double bytes_per_second, enum dsn_rate_source from)
{
    static const char *const whose[] = { "this job's own", "the storage profile's", "an assumed" };
    struct dsn_short_text t;

    snprintf(t.s, sizeof t.s, "%s %.12s MiB/s", whose[from], dsn_rate_text(bytes_per_second / (1 << 20)).s);
    return t;
}

struct dsn_short_text dsn_share_text(double share)
{
    struct dsn_short_text t;

    if (share < 0)
        snprintf(t.s, sizeof t.s, "unknown");
    else if (share == 0)
        snprintf(t.s, sizeof t.s, "0 %%");
    else if (share > 0 && share < 0.0005)
        snprintf(t.s, sizeof t.s, "< 0.1 %%");
    else if (share >= 0.995 && share < 1)
        snprintf(t.s, sizeof t.s, "> 99 %%");
    else
        snprintf(t.s, sizeof t.s, share > 1000 ? "%.2g %%" : share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
    return t;
}

struct dsn_short_text dsn_rate_text(double rate)
{
    struct dsn_short_text t;

    snprintf(t.s, sizeof t.s, rate >= 100 ? "%.0f" : rate >= 10 ? "%.1f" : rate >= 0.01 ? "%.2f" : "%.2g", rate);
    return t;
}

struct dsn_short_text dsn_number_text(double v)
{
    struct dsn_short_text t;

    snprintf(t.s, sizeof t.s, v >= 1e15 ? "%.3g" : v < 100 && v != (double)(long long)v ? "%.1f" : "%.0f", v);
    return t;
}

static void add_calls(char to[96], const struct dsn_timed_calls *c, const char *what)
{
    const size_t used = strlen(to);

    if (c->calls > 0)
        snprintf(to + used, 96 - used, "%s%lld %s%s %s", used ? ", " : "", (long long)c->calls, what,
                 c->calls == 1 ? "" : "s", dsn_seconds_text(c->time).s);
}

void dsn_names_text(const struct dsn_figures *f, char to[96])
{
    *to = '\0';
    add_calls(to, &f->deletes, "delete");
    add_calls(to, &f->renames, "rename");
}

const char *dsn_size_label(int bin)
{
    static const char *const label[] = { "up to 100 B", "100 B-1 KiB", "1-10 KiB",   "10-100 KiB",    "100 KiB-1 MiB",
                                         "1-4 MiB",     "4-10 MiB",    "10-100 MiB", "100 MiB-1 GiB", "over 1 GiB" };

    return label[bin];
}

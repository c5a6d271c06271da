/* units.c - figures as short text
 * SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <stdio.h>
#include <string.h>

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

    if (s >= 1e9 || s <= -1e9) /* damage; its digits would fill the screen */
        snprintf(t.s, sizeof t.s, "%.2g s", s);
    else if (s >= 100000)
        snprintf(t.s, sizeof t.s, "%.1f h", s / 3600);
    else if (s > 0 && s < 0.001)
        snprintf(t.s, sizeof t.s, "%.0f us", 1e6 * s);
    else
        snprintf(t.s, sizeof t.s, s >= 100 ? "%.0f s" : s >= 1 ? "%.2f s" : "%.4f s", s);
    return t;
}

struct dsn_short_text dsn_share_text(double share)
{
    struct dsn_short_text t;

    if (share < 0)
        snprintf(t.s, sizeof t.s, "unknown");
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

struct dsn_short_text dsn_count_text(double count)
{
    struct dsn_short_text t;
    char digits[32];
    const int n = snprintf(digits, sizeof digits, "%.0f", count);
    size_t used = 0;

    for (int i = 0; i < n && n < (int)sizeof digits && used + 2 < sizeof t.s; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
            t.s[used++] = ',';
        t.s[used++] = digits[i];
    }
    t.s[used] = '\0';
    return t;
}

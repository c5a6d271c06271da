/* thresholds.c - thresholds of findings: those of thresholds.def, or of the site
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "thresholds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dsn_thresholds dsn_thresholds = {
#define THRESHOLD(name, kind, value, doc) .name = value,
#include "thresholds.def"
#undef THRESHOLD
};
static const char *site_file;

enum kind { SHARE, COUNT, TIMES, BYTES, SECONDS };

struct threshold {
    const char *name;
    enum kind kind;
    double *value;
};

/* NULL: there is none of that name. */
static const struct threshold *threshold_of(const char *name, size_t n)
{
    static const struct threshold all[] = {
#define THRESHOLD(name, kind, value, doc) { #name, kind, &dsn_thresholds.name },
#include "thresholds.def"
#undef THRESHOLD
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strlen(all[i].name) == n && memcmp(all[i].name, name, n) == 0)
            return &all[i];
    return NULL;
}

/* Sets one; 0: there is none of that name, or that is no value. */
static int set_threshold(const char *name, const char *text)
{
    const struct threshold *t = threshold_of(name, strlen(name));
    char *end;
    const double value = strtod(text, &end);

    if (!t || end == text || end[strspn(end, " \t\r\n")] != '\0' || !(value >= 0) || !(value < HUGE_VAL))
        return 0;
    *t->value = value;
    return 1;
}

const char *dsn_thresholds_of_site(char *error, size_t n)
{
    const char *named = getenv("DARSHAN_THRESHOLDS"), *path = named && *named ? named : DSN_SITE_THRESHOLDS;
    FILE *f = fopen(path, "re");
    char line[256], name[64];
    int number = 0, at;

    *error = '\0';
    if (!f && named && *named)
        snprintf(error, n, "%s", strerror(errno));
    while (f && !*error && fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (sscanf(line, " %63[a-z_] %n", name, &at) != 1 || !set_threshold(name, line + at + (line[at] == '=')))
            snprintf(error, n, "line %d: NAME VALUE is wanted, with the name of a threshold", number);
    }
    if (f)
        fclose(f);
    site_file = f && !*error ? path : NULL;
    return path;
}

const char *dsn_thresholds_file(void)
{
    return site_file;
}

/* ------------------------------------------------------------------ sentences */

/* "a tenth", "12 %". */
static void share_text(char *to, size_t n, double v)
{
    static const struct {
        double of; /* 1 / share */
        const char *word;
    } words[] = { { 2, "half" },     { 3, "a third" },      { 4, "a quarter" },    { 5, "a fifth" },
                  { 10, "a tenth" }, { 20, "a twentieth" }, { 100, "a hundredth" } };

    snprintf(to, n, "%g %%", 100 * v);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (fabs(v * words[i].of - 1) < 1e-9)
            snprintf(to, n, "%s", words[i].word);
}

/* "1,000". */
static void count_text(char *to, size_t n, double v)
{
    if (v < 1000 || v >= 1e6 || v != floor(v))
        snprintf(to, n, "%g", v);
    else
        snprintf(to, n, "%d,%03d", (int)v / 1000, (int)v % 1000);
}

/* "100 KiB". */
static void size_text(char *to, size_t n, double v)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB" };
    int i = 0;

    for (; v >= 1024 && i < 3; i++)
        v /= 1024;
    snprintf(to, n, "%g %s", v, unit[i]);
}

static void threshold_text(char *to, size_t n, enum kind kind, double v)
{
    switch (kind) {
    case SHARE:
        share_text(to, n, v);
        return;
    case COUNT:
        count_text(to, n, v);
        return;
    case TIMES:
        snprintf(to, n, v == 2 ? "twice" : "%g times", v);
        return;
    case BYTES:
        size_text(to, n, v);
        return;
    case SECONDS:
        snprintf(to, n, v < 0.01 ? "%g ms" : "%g s", v < 0.01 ? 1000 * v : v);
        return;
    }
}

const char *dsn_condition_text(const char *sentence, char to[DSN_CONDITION_MAX])
{
    size_t used = 0;

    for (const char *p = sentence; *p && used < DSN_CONDITION_MAX - 1;) {
        const int is_rest = p[0] == '{' && p[1] == '-';
        const char *name = p + 1 + is_rest;
        const size_t n = *p == '{' ? strcspn(name, "}") : 0;
        const struct threshold *t = n > 0 ? threshold_of(name, n) : NULL;

        if (!t) {
            to[used++] = *p++;
            continue;
        }
        threshold_text(to + used, DSN_CONDITION_MAX - used, t->kind, is_rest ? 1 - *t->value : *t->value);
        used += strlen(to + used);
        p = name + n + 1;
    }
    to[used] = '\0';
    return to;
}

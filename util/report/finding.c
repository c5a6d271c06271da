/* finding.c - thresholds of findings, and classes of their values
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "finding.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dsn_thresholds dsn_thresholds = {
#define THRESHOLD(name, value, doc) .name = value,
#include "thresholds.def"
#undef THRESHOLD
};
static const char *site_file;

/* Sets one; 0: there is none of that name, or that is no value. */
static int set_threshold(const char *of, const char *text)
{
    static const struct {
        const char *name;
        double *value;
    } all[] = {
#define THRESHOLD(name, value, doc) { #name, &dsn_thresholds.name },
#include "thresholds.def"
#undef THRESHOLD
    };
    char *end;
    const double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, of) == 0 && end != text && end[strspn(end, " \t\r\n")] == '\0' && value >= 0 &&
            value < HUGE_VAL) {
            *all[i].value = value;
            return 1;
        }
    return 0;
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

const char *dsn_severity_name(enum dsn_severity s)
{
    static const char *const name[] = { "high", "warning", "minor", "note" };

    return name[s];
}

const char *dsn_fact_unit_name(enum dsn_fact_unit u)
{
    static const char *const name[] = { "seconds", "bytes", "count", "share", "bytes/second", "rank" };

    return name[u];
}

const char *dsn_need_text(unsigned bit)
{
    static const char *const text[DSN_NNEEDS] = {
#define NEED(symbol, bit, words) [bit] = words,
#include "needs.def"
#undef NEED
    };

    return text[bit];
}

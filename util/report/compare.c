/* compare.c - differences between two runs: figures, and findings that are new or gone
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "lines.h"
#include "units.h"
#include "util/lib/text.h"

struct dsn_short_text dsn_change_text(double from, double to, struct dsn_short_text (*unit)(double))
{
    struct dsn_short_text t = { "" };

    if (from < 0 || to < 0 || from == to)
        return t;
    if (unit == dsn_share_text) { /* of shares the difference, in percentage points */
        snprintf(t.s, sizeof t.s, "%+.*f points", fabs(to - from) < 0.0995 ? 1 : 0, 100 * (to - from));
        return t;
    }
    if (from > 0 && to / from >= 10)
        snprintf(t.s, sizeof t.s, "x %.0f", to / from);
    else if (from > 0)
        snprintf(t.s, sizeof t.s, "%+.*f %%", fabs(to / from - 1) < 0.0995 ? 1 : 0, 100 * (to / from - 1));
    return t;
}

/* ------------------------------------------------------------------ what kind of runs they are */

int dsn_is_same_program(const struct dsn_briefs *all)
{
    for (size_t i = 1; i < all->n; i++)
        if (strcmp(all->list[i].program, all->list[0].program) != 0)
            return 0;
    return *all->list[0].program != '\0';
}

/* The same volume within a tenth, at numbers of ranks that differ by a factor of at least 4. Source: spec analysis.md,
 * case detectors. */
static int is_strong_scaling(const struct dsn_briefs *all)
{
    double least = INFINITY, most = 0, few = INFINITY, many = 0;

    for (size_t i = 0; i < all->n; i++) {
        const double *f = all->list[i].figure, bytes = f[DSN_BRIEF_BYTES_READ] + f[DSN_BRIEF_BYTES_WRITTEN];

        least = fmin(least, bytes);
        most = fmax(most, bytes);
        few = fmin(few, f[DSN_BRIEF_RANKS]);
        many = fmax(many, f[DSN_BRIEF_RANKS]);
    }
    return dsn_is_same_program(all) && least > 0 && most <= 1.1 * least && many >= 4 * few;
}

/* ------------------------------------------------------------------ as text */

static void print_findings(const struct dsn_brief *a, const struct dsn_brief *b)
{
    int any = 0;

    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_brief_finding *x = &a->finding[i], *y = &b->finding[i];
        const int was = x->there && dsn_severity_matters(x->severity),
                  is = y->there && dsn_severity_matters(y->severity);
        const char *title = dsn_finding_row((enum dsn_finding_id)i)->title;

        if (!was && !is)
            continue;
        if (!any++)
            printf("\nFindings, and their cost in seconds:\n");
        if (was && is)
            printf("  stayed  %s: %s, then %s\n", title, dsn_seconds_text(x->seconds).s,
                   dsn_seconds_text(y->seconds).s);
        else if (was)
            printf("  went    %s: %s\n", title, dsn_seconds_text(x->seconds).s);
        else
            printf("  came    %s: %s\n", title, dsn_seconds_text(y->seconds).s);
    }
    if (!any)
        printf("\nNo significant finding, neither before nor now.\n");
}

static void print_runs(const struct dsn_briefs *all)
{
    printf("%-3s %-16s %7s %9s %9s %8s %8s  %s\n", "", "start", "ranks", "run time", "I/O time", "of run", "MiB/s",
           "finding");
    for (size_t i = 0; i < all->n; i++) {
        const struct dsn_brief *b = &all->list[i];
        const time_t start = (time_t)b->start;
        char when[32] = "unknown";
        struct tm tm;

        if (localtime_r(&start, &tm))
            strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
        printf("%-3zu %-16s %7s %9s %9s %8s %8s  %s\n", i + 1, when, dsn_brief_text(b, DSN_BRIEF_RANKS).s,
               dsn_brief_text(b, DSN_BRIEF_RUN).s, dsn_brief_text(b, DSN_BRIEF_TIME).s,
               dsn_brief_text(b, DSN_BRIEF_SHARE).s, dsn_brief_text(b, DSN_BRIEF_RATE).s,
               b->worst >= 0 ? dsn_finding_row((enum dsn_finding_id)b->worst)->id
               : b->healthy  ? "healthy"
                             : "-");
    }
    printf("\nThe first run and the last:\n");
}

static void print_name(const char *label, const struct dsn_brief *b, int is_terminal)
{
    char name[1024];

    dsn_text_fit(name, sizeof name, is_terminal ? DSN_COLUMNS - 10 : 250, 30, b->file);
    printf("%-9s %s\n", label, name);
}

void dsn_compare_print(const struct dsn_briefs *all, int is_terminal)
{
    const struct dsn_brief *a = &all->list[0], *b = &all->list[all->n - 1];
    char program[128];

    dsn_text_fit(program, sizeof program, 40, 20, a->program);
    if (dsn_is_same_program(all))
        printf("%zu runs of %s%s.\n", all->n, program,
               is_strong_scaling(all) ? ": strong scaling, the same bytes on more ranks" : "");
    else
        printf("%zu runs, not of the same program.\n", all->n);
    if (all->left_out > 0)
        printf("%zu log%s of other programs %s left out.\n", all->left_out, all->left_out == 1 ? "" : "s",
               all->left_out == 1 ? "is" : "are");
    if (all->n > 2)
        print_runs(all);
    print_name("before:", a, is_terminal);
    print_name("now:", b, is_terminal);
    printf("\n%-26s%16s%16s%12s\n", "", "before", "now", "change");
    for (int i = 0; i < DSN_NBRIEF; i++) {
        const double x = a->figure[i], y = b->figure[i];

        const struct dsn_short_text change = dsn_change_text(x, y, dsn_brief_rows[i].text);

        if (x >= 0 || y >= 0)
            printf("%-26s%16s%16s%*s\n", dsn_brief_rows[i].label, dsn_brief_text(a, i).s, dsn_brief_text(b, i).s,
                   *change.s ? 12 : 0, change.s);
    }
    print_findings(a, b);
}

/* ------------------------------------------------------------------ for programs */

static json_t *changes_of(const struct dsn_brief *a, const struct dsn_brief *b)
{
    json_t *list = json_array();

    for (int i = 0; i < DSN_NBRIEF; i++) {
        const double x = a->figure[i], y = b->figure[i];

        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "figure", dsn_brief_rows[i].key, "before",
                                              dsn_json_known(x), "now", dsn_json_known(y), "ratio",
                                              dsn_json_known(x > 0 && y >= 0 ? y / x : -1)));
    }
    return list;
}

static json_t *finding_changes(const struct dsn_brief *a, const struct dsn_brief *b)
{
    json_t *list = json_array();

    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_brief_finding *x = &a->finding[i], *y = &b->finding[i];

        if (x->there || y->there)
            json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "id",
                                                  dsn_finding_row((enum dsn_finding_id)i)->id, "what",
                                                  x->there && y->there ? "stayed"
                                                  : x->there           ? "went"
                                                                       : "came",
                                                  "before", dsn_json_known(x->there ? x->seconds : -1), "now",
                                                  dsn_json_known(y->there ? y->seconds : -1)));
    }
    return list;
}

json_t *dsn_comparison(const struct dsn_briefs *all)
{
    const struct dsn_brief *a = &all->list[0], *b = &all->list[all->n - 1];

    return json_pack("{s:I, s:b, s:b, s:o, s:o}", "left_out", (json_int_t)all->left_out, "same_program",
                     dsn_is_same_program(all), "strong_scaling", is_strong_scaling(all), "changes", changes_of(a, b),
                     "findings", finding_changes(a, b));
}

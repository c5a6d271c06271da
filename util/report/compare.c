/* compare.c - what changed from one run to another, and which findings came and went
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "document.h"
#include "lines.h"
#include "units.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ figures */

/* A figure that is compared; negative: not known. */
struct figure {
    const char *key, *label;
    double (*of)(const struct dsn_brief *b);
    struct dsn_short_text (*text)(double v);
};

#define OF(name, value)                                                                                                \
    static double of_##name(const struct dsn_brief *b)                                                                 \
    {                                                                                                                  \
        return (double)(value);                                                                                        \
    }
/* clang-format off */
OF(ranks, b->ranks)
OF(nodes, b->nodes > 0 ? b->nodes : -1)
OF(run, b->run > 0 ? b->run : -1)
OF(time, b->time)
OF(share, b->run > 0 ? b->time / b->run : -1)
OF(read, b->mean_read)
OF(write, b->mean_write)
OF(meta, b->mean_meta)
OF(bytes_read, b->bytes_read)
OF(bytes_written, b->bytes_written)
OF(reads, b->reads)
OF(writes, b->writes)
OF(files, b->files)
OF(rate, b->rate)
OF(rate_per_node, b->rate_per_node)
/* clang-format on */

static const struct figure figures[] = {
    { "run_seconds", "run time", of_run, dsn_seconds_text },
    { "slowest_seconds", "I/O time, slowest rank", of_time, dsn_seconds_text },
    { "share_of_run_time", "of its run time", of_share, dsn_share_text },
    { "mean_read_seconds", "reading, mean of ranks", of_read, dsn_seconds_text },
    { "mean_write_seconds", "writing, mean of ranks", of_write, dsn_seconds_text },
    { "mean_metadata_seconds", "metadata, mean of ranks", of_meta, dsn_seconds_text },
    { "bytes_read", "bytes read", of_bytes_read, dsn_bytes_text },
    { "bytes_written", "bytes written", of_bytes_written, dsn_bytes_text },
    { "reads", "reads", of_reads, dsn_number_text },
    { "writes", "writes", of_writes, dsn_number_text },
    { "files", "files", of_files, dsn_number_text },
    { "mib_per_second", "MiB/s", of_rate, dsn_rate_text },
    { "mib_per_second_per_node", "MiB/s/CN", of_rate_per_node, dsn_rate_text },
    { "ranks", "ranks", of_ranks, dsn_number_text },
    { "nodes", "compute nodes", of_nodes, dsn_number_text },
};
#define NFIGURES (sizeof figures / sizeof figures[0])

/* "+50 %", "x 12"; nothing if there is no change, or it cannot be told. */
static struct dsn_short_text change_text(double from, double to)
{
    struct dsn_short_text t = { "" };

    if (from < 0 || to < 0 || from == to)
        return t;
    if (from > 0 && to / from >= 10)
        snprintf(t.s, sizeof t.s, "x %.0f", to / from);
    else if (from > 0)
        snprintf(t.s, sizeof t.s, "%+.*f %%", fabs(to / from - 1) < 0.0995 ? 1 : 0, 100 * (to / from - 1));
    return t;
}

/* ------------------------------------------------------------------ what kind of runs they are */

static int is_same_program(const struct dsn_briefs *all)
{
    for (size_t i = 1; i < all->n; i++)
        if (strcmp(all->list[i].program, all->list[0].program) != 0)
            return 0;
    return *all->list[0].program != '\0';
}

/* The same bytes within a tenth, on numbers of ranks that differ at least by a factor of 4. Source: spec analysis.md,
 * case detectors. */
static int is_strong_scaling(const struct dsn_briefs *all)
{
    double least = INFINITY, most = 0, few = INFINITY, many = 0;

    for (size_t i = 0; i < all->n; i++) {
        const double bytes = (double)all->list[i].bytes_read + (double)all->list[i].bytes_written;

        least = fmin(least, bytes);
        most = fmax(most, bytes);
        few = fmin(few, (double)all->list[i].ranks);
        many = fmax(many, (double)all->list[i].ranks);
    }
    return is_same_program(all) && least > 0 && most <= 1.1 * least && many >= 4 * few;
}

/* ------------------------------------------------------------------ as text */

static void print_findings(const struct dsn_brief *a, const struct dsn_brief *b)
{
    int any = 0;

    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_brief_finding *x = &a->finding[i], *y = &b->finding[i];
        const int was = x->there && x->severity <= DSN_WARNING, is = y->there && y->severity <= DSN_WARNING;
        const char *title = dsn_finding_row((enum dsn_finding_id)i)->title;

        if (!was && !is)
            continue;
        if (!any++)
            printf("\nFindings, and the seconds that they cost:\n");
        if (was && is)
            printf("  stayed  %s: %s, then %s\n", title, dsn_seconds_text(x->seconds).s,
                   dsn_seconds_text(y->seconds).s);
        else if (was)
            printf("  went    %s: %s\n", title, dsn_seconds_text(x->seconds).s);
        else
            printf("  came    %s: %s\n", title, dsn_seconds_text(y->seconds).s);
    }
    if (!any)
        printf("\nNo finding that matters, neither before nor now.\n");
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
        printf("%-3zu %-16s %7" PRId64 " %9s %9s %8s %8s  %s\n", i + 1, when, b->ranks,
               b->run > 0 ? dsn_seconds_text(b->run).s : "-", dsn_seconds_text(b->time).s,
               dsn_share_text(of_share(b)).s, b->rate < 0 ? "-" : dsn_rate_text(b->rate).s,
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

void dsn_many_compare(const struct dsn_briefs *all, int is_terminal)
{
    const struct dsn_brief *a = &all->list[0], *b = &all->list[all->n - 1];
    char program[128];

    dsn_text_fit(program, sizeof program, 40, 20, a->program);
    if (is_same_program(all))
        printf("%zu runs of %s%s.\n", all->n, program,
               is_strong_scaling(all) ? ": strong scaling, the same bytes on more ranks" : "");
    else
        printf("%zu runs, not of the same program.\n", all->n);
    if (all->n > 2)
        print_runs(all);
    print_name("before:", a, is_terminal);
    print_name("now:", b, is_terminal);
    printf("\n%-26s%16s%16s%12s\n", "", "before", "now", "change");
    for (size_t i = 0; i < NFIGURES; i++) {
        const double x = figures[i].of(a), y = figures[i].of(b);

        const struct dsn_short_text change = change_text(x, y);

        if (x >= 0 || y >= 0)
            printf("%-26s%16s%16s%*s\n", figures[i].label, x < 0 ? "-" : figures[i].text(x).s,
                   y < 0 ? "-" : figures[i].text(y).s, *change.s ? 12 : 0, change.s);
    }
    print_findings(a, b);
}

/* ------------------------------------------------------------------ for programs */

static json_t *changes_of(const struct dsn_brief *a, const struct dsn_brief *b)
{
    json_t *list = json_array();

    for (size_t i = 0; i < NFIGURES; i++) {
        const double x = figures[i].of(a), y = figures[i].of(b);

        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "figure", figures[i].key, "before",
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

json_t *dsn__comparison(const struct dsn_briefs *all)
{
    const struct dsn_brief *a = &all->list[0], *b = &all->list[all->n - 1];

    return json_pack("{s:b, s:b, s:o, s:o}", "same_program", is_same_program(all), "strong_scaling",
                     is_strong_scaling(all), "changes", changes_of(a, b), "findings", finding_changes(a, b));
}

/* many.c - comparison of several logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include "many.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "json.h"
#include "lines.h"
#include "units.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ as text */

/* The log's file name without directories, safe to display. */
static void shown_name(const char *file, size_t columns, char *to, size_t n)
{
    const char *slash = strrchr(file, '/');

    dsn_text_fit(to, n, columns, columns / 2, slash && slash[1] ? slash + 1 : file);
}

static void print_log(const struct dsn_brief *b, int is_terminal)
{
    const double run = b->figure[DSN_BRIEF_RUN];
    struct dsn_short_text saves = { "-" }, of = { "-" };
    const char *what = b->healthy ? "healthy" : "-";
    char name[1024];

    if (b->worst >= 0) {
        const struct dsn_brief_finding *f = &b->finding[b->worst];

        snprintf(saves.s, sizeof saves.s, "%s%.40s", f->at_most ? "< " : "", dsn_seconds_text(f->seconds).s);
        of = run > 0 ? dsn_share_text(f->seconds / run) : of;
        what = dsn_finding_row((enum dsn_finding_id)b->worst)->id;
    }
    shown_name(b->file, is_terminal ? 11 : 250, name, sizeof name);
    printf("%10s %6s %7s %7s %6s %8s %-18s %s\n", saves.s, of.s, dsn_brief_text(b, DSN_BRIEF_SHARE).s,
           dsn_brief_text(b, DSN_BRIEF_RATE).s, dsn_brief_text(b, DSN_BRIEF_RANKS).s,
           dsn_brief_text(b, DSN_BRIEF_RUN).s, what, name);
}

/* Orders logs by job id, to count distinct ones. */
static int by_job(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Returns 0 if there is no memory, or no log. */
static size_t count_jobs(const struct dsn_briefs *all)
{
    int64_t *ids = malloc((all->n + 1) * sizeof *ids);
    size_t n = 0;

    if (!ids)
        return 0;
    for (size_t i = 0; i < all->n; i++)
        ids[i] = all->list[i].jobid;
    if (all->n > 0)
        qsort(ids, all->n, sizeof *ids, by_job);
    for (size_t i = 0; i < all->n; i++)
        n += i == 0 || ids[i] != ids[i - 1];
    free(ids);
    return n;
}

int dsn_many_print(const struct dsn_briefs *all, int is_terminal)
{
    double time = 0, run = 0, bytes = 0;
    const size_t jobs = count_jobs(all);

    if (jobs == 0)
        return all->n > 0 ? DSN_ERR_MEMORY : DSN_ERR_OK;
    for (size_t i = 0; i < all->n; i++) {
        const double *f = all->list[i].figure;

        time += f[DSN_BRIEF_MEAN] * f[DSN_BRIEF_RANKS];
        run += f[DSN_BRIEF_RUN] > 0 ? f[DSN_BRIEF_RUN] * f[DSN_BRIEF_RANKS] : 0;
        bytes += f[DSN_BRIEF_BYTES_READ] + f[DSN_BRIEF_BYTES_WRITTEN];
    }
    printf("%zu log%s of %zu job%s: %s moved", all->n, all->n == 1 ? "" : "s", jobs, jobs == 1 ? "" : "s",
           dsn_bytes_text(bytes).s);
    if (run > 0)
        printf("; %s of the time of all ranks is I/O", dsn_share_text(time / run).s);
    printf(".\n\n%10s %6s %7s %7s %6s %8s %-18s %s\n", "could save", "of run", "I/O", "MiB/s", "ranks", "run time",
           "by fixing", "log");
    for (size_t i = 0; i < all->n; i++)
        print_log(&all->list[i], is_terminal);
    return DSN_ERR_OK;
}

void dsn_list_print(const struct dsn_briefs *all, int is_terminal)
{
    printf("%-16s %8s %-18s %6s %8s %7s %s\n", "began", "job", "program", "ranks", "ran", "I/O", "log");
    for (size_t i = all->n; i > 0; i--) {
        const struct dsn_brief *b = &all->list[i - 1];
        const time_t start = (time_t)b->start;
        char began[32] = "-", program[64], name[1024];
        struct tm tm;

        if (localtime_r(&start, &tm))
            strftime(began, sizeof began, "%Y-%m-%d %H:%M", &tm);
        dsn_text_fit(program, sizeof program, 18, 9, b->program[0] ? b->program : "-");
        shown_name(b->file, is_terminal ? 11 : 250, name, sizeof name);
        printf("%-16s %8lld %-18s %6s %8s %7s %s\n", began, (long long)b->jobid, program,
               dsn_brief_text(b, DSN_BRIEF_RANKS).s, dsn_brief_text(b, DSN_BRIEF_RUN).s,
               dsn_brief_text(b, DSN_BRIEF_SHARE).s, name);
    }
}

/* ------------------------------------------------------------------ for programs */

static json_t *findings_of(const struct dsn_brief *b)
{
    json_t *list = json_array();

    for (int i = 0; i < DSN_NFINDINGS; i++)
        if (b->finding[i].there)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:o, s:b}", "id", dsn_finding_row((enum dsn_finding_id)i)->id,
                                            "severity", dsn_severity_name(b->finding[i].severity), "seconds",
                                            dsn_json_f64(b->finding[i].seconds), "at_most", b->finding[i].at_most));
    return list;
}

static json_t *log_of(const struct dsn_brief *b)
{
    json_t *figures = json_object();

    for (int i = 0; i < DSN_NBRIEF; i++)
        json_object_set_new(figures, dsn_brief_rows[i].key, dsn_json_known(b->figure[i]));
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:s, s:b, s:o, s:o}", "file", dsn_json_text(b->file), "program",
                     dsn_json_text(b->program), "job", (json_int_t)b->jobid, "user", (json_int_t)b->uid, "start",
                     (json_int_t)b->start, "figures", figures, "bound", dsn_bound_name(b->bound), "healthy", b->healthy,
                     "worst",
                     b->worst >= 0 ? json_string(dsn_finding_row((enum dsn_finding_id)b->worst)->id) : json_null(),
                     "findings", findings_of(b));
}

json_t *dsn_many_document(const struct dsn_briefs *all, int compare)
{
    json_t *logs = json_array();

    for (size_t i = 0; i < all->n; i++)
        json_array_append_new(logs, log_of(&all->list[i]));
    return json_pack("{s:s, s:o, s:I, s:o}", "schema", DSN_MANY_SCHEMA, "logs", logs, "unreadable",
                     (json_int_t)all->unreadable, "comparison", compare ? dsn_comparison(all) : json_null());
}

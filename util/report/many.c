/* many.c - several logs side by side
 * SPDX-License-Identifier: BSD-3-Clause */
#include "many.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer.h"
#include "compare.h"
#include "document.h"
#include "lines.h"
#include "units.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ briefs */

void dsn_briefs_free(struct dsn_briefs *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->list[i].file);
    free(all->list);
}

/* The first word of a command line, without its folder. */
static void take_program(const char *command, char to[64])
{
    const size_t n = strcspn(command, " ");
    size_t first = n;

    while (first > 0 && command[first - 1] != '/')
        first--;
    snprintf(to, 64, "%.*s", (int)(n - first < 63 ? n - first : 63), command + first);
}

static void take_findings(struct dsn_brief *b, const struct dsn_findings *f)
{
    const struct dsn_finding *worst = dsn_worst(f);

    b->bound = f->bound;
    b->healthy = f->healthy;
    b->worst = worst ? (int)worst->id : -1;
    for (size_t i = 0; i < f->n; i++)
        b->finding[f->list[i].id] =
            (struct dsn_brief_finding){ .there = 1,
                                        .severity = f->list[i].severity,
                                        .seconds = f->list[i].saveable >= 0 ? f->list[i].saveable : f->list[i].at_most,
                                        .at_most = f->list[i].saveable < 0 };
}

static void take_figures(struct dsn_brief *b, const struct dsn_report *r)
{
    const struct dsn_figures *g = &r->f;
    const struct dsn_waits *w = &r->waits;
    const double n = (double)g->nprocs;

    b->figure[DSN_BRIEF_RUN] = g->runtime > 0 ? g->runtime : -1;
    b->figure[DSN_BRIEF_TIME] = w->most;
    b->figure[DSN_BRIEF_SHARE] = g->runtime > 0 ? w->most / g->runtime : -1;
    b->figure[DSN_BRIEF_MEAN] = w->all / n;
    b->figure[DSN_BRIEF_WAIT] = (w->wait_read + w->wait_write) / n;
    b->figure[DSN_BRIEF_READ] = w->read / n;
    b->figure[DSN_BRIEF_WRITE] = w->write / n;
    b->figure[DSN_BRIEF_META] = w->meta / n;
    b->figure[DSN_BRIEF_BYTES_READ] = (double)g->bytes_read;
    b->figure[DSN_BRIEF_BYTES_WRITTEN] = (double)g->bytes_written;
    b->figure[DSN_BRIEF_READS] = (double)g->reads;
    b->figure[DSN_BRIEF_WRITES] = (double)g->writes;
    b->figure[DSN_BRIEF_FILES] = (double)g->files.total;
    b->figure[DSN_BRIEF_RATE] = dsn_figures_rate(g);
    b->figure[DSN_BRIEF_NODE_RATE] = dsn_figures_rate_per_node(g);
    b->figure[DSN_BRIEF_RANKS] = n;
    b->figure[DSN_BRIEF_NODES] = g->nodes > 0 ? (double)g->nodes : -1;
}

int dsn_briefs_add(struct dsn_briefs *all, const struct dsn_report *r, const struct dsn_findings *f, const char *file)
{
    const struct dsn_job *job = darshan_reader_job(r->log);
    struct dsn_brief *b;

    if (all->n == all->room) {
        const size_t room = all->room ? 2 * all->room : 16;
        void *bigger = realloc(all->list, room * sizeof *all->list);

        if (!bigger)
            return DSN_ERR_MEMORY;
        all->list = bigger;
        all->room = room;
    }
    b = &all->list[all->n];
    *b = (struct dsn_brief){ .file = strdup(file), .jobid = job->jobid, .uid = job->uid, .start = job->start_sec };
    take_figures(b, r);
    if (!b->file)
        return DSN_ERR_MEMORY;
    take_program(darshan_reader_exe(r->log), b->program);
    take_findings(b, f);
    all->n++;
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ order */

static double weight(const struct dsn_brief *b)
{
    return b->worst >= 0 ? b->finding[b->worst].seconds : 0;
}

static int by_weight(const void *a, const void *b)
{
    const struct dsn_brief *x = a, *y = b;

    if (weight(x) != weight(y))
        return (weight(x) < weight(y)) - (weight(x) > weight(y));
    if (x->figure[DSN_BRIEF_TIME] != y->figure[DSN_BRIEF_TIME])
        return x->figure[DSN_BRIEF_TIME] < y->figure[DSN_BRIEF_TIME] ? 1 : -1;
    return strcmp(x->file, y->file);
}

static int by_start(const void *a, const void *b)
{
    const struct dsn_brief *x = a, *y = b;

    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : strcmp(x->file, y->file);
}

void dsn_briefs_rank(struct dsn_briefs *all)
{
    if (all->n > 0)
        qsort(all->list, all->n, sizeof *all->list, by_weight);
}

void dsn_briefs_by_start(struct dsn_briefs *all)
{
    if (all->n > 0)
        qsort(all->list, all->n, sizeof *all->list, by_start);
}

void dsn_briefs_of_last_program(struct dsn_briefs *all)
{
    size_t kept = 0;
    char program[64] = "";

    if (all->n > 0)
        snprintf(program, sizeof program, "%s", all->list[all->n - 1].program);
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->list[i].program, program) == 0)
            all->list[kept++] = all->list[i];
        else
            free(all->list[i].file);
    all->left_out += all->n - kept;
    all->n = kept;
}

/* ------------------------------------------------------------------ as text */

/* The log's name without its folder, made safe to show. */
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
    printf("%10s %6s %7s %7s %6s %8s %-18s %s\n", saves.s, of.s, dsn__brief_text(b, DSN_BRIEF_SHARE).s,
           dsn__brief_text(b, DSN_BRIEF_RATE).s, dsn__brief_text(b, DSN_BRIEF_RANKS).s,
           dsn__brief_text(b, DSN_BRIEF_RUN).s, what, name);
}

/* Distinct job ids, by which logs are ordered for that. */
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
           "by mending", "log");
    for (size_t i = 0; i < all->n; i++)
        print_log(&all->list[i], is_terminal);
    return DSN_ERR_OK;
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
        json_object_set_new(figures, dsn__brief_rows[i].key, dsn_json_known(b->figure[i]));
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
                     (json_int_t)all->unreadable, "comparison", compare ? dsn__comparison(all) : json_null());
}

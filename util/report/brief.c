/* brief.c - summary of a log, for comparison with others
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/lib/grow.h"
#include "brief.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "program.h"
#include "turns.h"

const struct dsn_brief_row dsn_brief_rows[DSN_NBRIEF] = {
#define FIGURE(symbol, key, label, text) [DSN_BRIEF_##symbol] = { key, label, text },
#include "figures.def"
#undef FIGURE
};

struct dsn_short_text dsn_brief_text(const struct dsn_brief *b, int figure)
{
    return b->figure[figure] < 0 ? (struct dsn_short_text){ "-" } : dsn_brief_rows[figure].text(b->figure[figure]);
}

/* ------------------------------------------------------------------ briefs */

static void free_brief(struct dsn_brief *b)
{
    free(b->file);
    free(b->page);
}

void dsn_briefs_free(struct dsn_briefs *all)
{
    for (size_t i = 0; i < all->n; i++)
        free_brief(&all->list[i]);
    free(all->list);
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
    const double n = (double)g->present;

    b->figure[DSN_BRIEF_RUN] = g->runtime > 0 ? g->runtime : -1;
    b->figure[DSN_BRIEF_TIME] = dsn_io_passed(r);
    b->figure[DSN_BRIEF_SHARE] = g->runtime > 0 ? dsn_io_passed(r) / g->runtime : -1;
    b->figure[DSN_BRIEF_MEAN] = w->all / n;
    b->figure[DSN_BRIEF_WAIT] = dsn_waiting(w) / n;
    b->figure[DSN_BRIEF_READ] = w->read / n;
    b->figure[DSN_BRIEF_WRITE] = w->write / n;
    b->figure[DSN_BRIEF_META] = w->meta / n;
    b->figure[DSN_BRIEF_BYTES_READ] = (double)g->bytes_read;
    b->figure[DSN_BRIEF_BYTES_WRITTEN] = (double)g->bytes_written;
    b->figure[DSN_BRIEF_READS] = (double)g->reads;
    b->figure[DSN_BRIEF_WRITES] = (double)g->writes;
    b->figure[DSN_BRIEF_FILES] = (double)g->files.total;
    b->figure[DSN_BRIEF_RATE] = dsn_figures_rate(&r->f);
    b->figure[DSN_BRIEF_NODE_RATE] = dsn_figures_rate_per_node(&r->f);
    b->figure[DSN_BRIEF_RANKS] = (double)g->nprocs;
    b->figure[DSN_BRIEF_NODES] = g->nodes > 0 ? (double)g->nodes : -1;
}

int dsn_briefs_add(struct dsn_briefs *all, const struct dsn_report *r, const struct dsn_findings *f, const char *file)
{
    const struct dsn_job *job = darshan_reader_job(r->log);
    struct dsn_brief *b;

    if (!dsn_grow(&all->list, &all->room, sizeof *all->list, all->n))
        return DSN_ERR_MEMORY;
    b = &all->list[all->n];
    *b = (struct dsn_brief){ .file = strdup(file), .jobid = job->jobid, .uid = job->uid, .start = job->start_sec };
    take_figures(b, r);
    if (!b->file)
        return DSN_ERR_MEMORY;
    dsn_program_name(darshan_reader_exe(r->log), b->program);
    take_findings(b, f);
    all->n++;
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ order */

/* An upper bound counts half, as in the order of findings. */
static double weight(const struct dsn_brief *b)
{
    const struct dsn_brief_finding *f = b->worst >= 0 ? &b->finding[b->worst] : NULL;

    return !f ? 0 : f->at_most ? f->seconds / 2 : f->seconds;
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
    char program[DSN_PROGRAM_NAME] = "";

    if (all->n > 0)
        snprintf(program, sizeof program, "%s", all->list[all->n - 1].program);
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->list[i].program, program) == 0)
            all->list[kept++] = all->list[i];
        else
            free_brief(&all->list[i]);
    all->left_out += all->n - kept;
    all->n = kept;
}

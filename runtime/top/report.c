/* report.c - activity of processes, files, mounts and jobs, as rows
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "config/job.h"
#include "config/mounts.h"
#include "darshan-log-format/hash.h"

#define P     (1 << DSN_TOP_PROCESSES)
#define F     (1 << DSN_TOP_FILES)
#define M     (1 << DSN_TOP_MOUNTS)
#define J     (1 << DSN_TOP_JOBS)
#define AT(f) offsetof(struct dsn_top_row, f)

/* clang-format off */
const struct dsn_top_field dsn__top_fields[] = {
    { "node",                   DSN_TOP_TEXT,    AT(node),                    P },
    { "job",                    DSN_TOP_INTEGER, AT(job),                     P | F | M | J },
    { "user",                   DSN_TOP_TEXT,    AT(user),                    P | F | M | J },
    { "pid",                    DSN_TOP_INTEGER, AT(pid),                     P },
    { "rank",                   DSN_TOP_INTEGER, AT(rank),                    P },
    { "program",                DSN_TOP_TEXT,    AT(program),                 P | J },
    { "state",                  DSN_TOP_TEXT,    AT(state),                   P },
    { "mount",                  DSN_TOP_TEXT,    AT(mount),                   F | M },
    { "file",                   DSN_TOP_TEXT,    AT(file),                    F },
    { "layer",                  DSN_TOP_TEXT,    AT(layer),                   F },
    { "processes",              DSN_TOP_INTEGER, AT(processes),               F | M | J },
    { "files",                  DSN_TOP_INTEGER, AT(files),                   P | M | J },
    { "read_bytes_per_second",  DSN_TOP_NUMBER,  AT(rate[DSN_TOP_READ]),      P | F | M | J },
    { "write_bytes_per_second", DSN_TOP_NUMBER,  AT(rate[DSN_TOP_WRITTEN]),   P | F | M | J },
    { "reads_per_second",       DSN_TOP_NUMBER,  AT(rate[DSN_TOP_READS]),     P | F | M | J },
    { "writes_per_second",      DSN_TOP_NUMBER,  AT(rate[DSN_TOP_WRITES]),    P | F | M | J },
    { "metadata_per_second",    DSN_TOP_NUMBER,  AT(rate[DSN_TOP_METADATA]),  P | F | M | J },
    { "processes_in_io",        DSN_TOP_NUMBER,  AT(busy),                    P | F | M | J },
    { "bytes_read",             DSN_TOP_NUMBER,  AT(count[DSN_TOP_READ]),     P | F | M | J },
    { "bytes_written",          DSN_TOP_NUMBER,  AT(count[DSN_TOP_WRITTEN]),  P | F | M | J },
    { "reads",                  DSN_TOP_NUMBER,  AT(count[DSN_TOP_READS]),    P | F | M | J },
    { "writes",                 DSN_TOP_NUMBER,  AT(count[DSN_TOP_WRITES]),   P | F | M | J },
    { "metadata",               DSN_TOP_NUMBER,  AT(count[DSN_TOP_METADATA]), P | F | M | J },
    { "io_seconds",             DSN_TOP_NUMBER,  AT(count[DSN_TOP_SECONDS]),  P | F | M | J },
};
/* clang-format on */
const size_t dsn__top_nfields = sizeof dsn__top_fields / sizeof dsn__top_fields[0];
const char *const dsn__top_kinds[DSN_TOP_NKINDS] = { "processes", "files", "mounts", "jobs" };

double dsn__top_share(const struct dsn_top_row *row)
{
    return row->processes > 0 ? row->busy / (double)row->processes : 0;
}

struct dsn_top_row *dsn__top_add(struct dsn_top_rows *rows, const struct dsn_top_row *row)
{
    if (rows->n == rows->room) {
        const size_t room = rows->room ? 2 * rows->room : 64;
        struct dsn_top_row *grown = realloc(rows->row, room * sizeof *grown);

        if (!grown)
            return NULL;
        rows->row = grown;
        rows->room = room;
    }
    rows->row[rows->n] = *row;
    return &rows->row[rows->n++];
}

/* ------------------------------------------------------------------ rows that become one */

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int same_first(const void *a, const void *b)
{
    const struct dsn_top_row *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return text_order(x->user, y->user);
}

/* By bytes in both directions, then calls. */
static int most_first(const void *a, const void *b)
{
    const struct dsn_top_row *x = a, *y = b;
    const double p[3] = { x->rate[DSN_TOP_READ] + x->rate[DSN_TOP_WRITTEN], x->busy,
                          x->count[DSN_TOP_READ] + x->count[DSN_TOP_WRITTEN] },
                 q[3] = { y->rate[DSN_TOP_READ] + y->rate[DSN_TOP_WRITTEN], y->busy,
                          y->count[DSN_TOP_READ] + y->count[DSN_TOP_WRITTEN] };

    for (int i = 0; i < 3; i++)
        if (p[i] > q[i] || p[i] < q[i])
            return p[i] > q[i] ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

void dsn__top_sort_busiest(struct dsn_top_rows *rows)
{
    if (rows->n > 0)
        qsort(rows->row, rows->n, sizeof *rows->row, most_first);
}

static void add_row(struct dsn_top_row *to, const struct dsn_top_row *from)
{
    for (int i = 0; i < DSN_TOP_NCOUNTS; i++) {
        to->count[i] += from->count[i];
        to->rate[i] += from->rate[i];
    }
    to->busy += from->busy;
    to->processes += from->processes;
    to->files += from->files;
    if (text_order(to->program, from->program) != 0)
        to->program = "*";
}

void dsn__top_unite(struct dsn_top_rows *rows)
{
    size_t n = 0;

    if (rows->n == 0)
        return;
    qsort(rows->row, rows->n, sizeof *rows->row, same_first);
    for (size_t i = 1; i < rows->n; i++)
        if (same_first(&rows->row[n], &rows->row[i]) == 0)
            add_row(&rows->row[n], &rows->row[i]);
        else
            rows->row[++n] = rows->row[i];
    rows->n = n + 1;
    dsn__top_sort_busiest(rows);
}

/* ------------------------------------------------------------------ what a watch has seen */

static void add_flow(struct dsn_top_row *to, const double count[DSN_TOP_NCOUNTS], const double rate[DSN_TOP_NCOUNTS])
{
    for (int i = 0; i < DSN_TOP_NCOUNTS; i++) {
        to->count[i] += count[i];
        to->rate[i] += rate[i];
    }
}

/* Busy fraction of a process, at most 1 for all threads together. */
static void set_busy(struct dsn_top_row *row)
{
    row->busy = row->rate[DSN_TOP_SECONDS] < 1 ? row->rate[DSN_TOP_SECONDS] : 1;
    row->processes = 1;
}

static int add_mount(struct dsn_top_report *r, const struct dsn_top_row *file, struct dsn_top_row *mine, size_t *nmine)
{
    size_t i = 0;

    while (i < *nmine && mine[i].key != dsn_hash(file->mount, strlen(file->mount), 0))
        i++;
    if (i == *nmine) {
        if (*nmine > r->mounts->n)
            return 0;
        mine[(*nmine)++] = (struct dsn_top_row){ .user = file->user,
                                                 .job = file->job,
                                                 .mount = file->mount,
                                                 .key = dsn_hash(file->mount, strlen(file->mount), 0) };
    }
    add_flow(&mine[i], file->count, file->rate);
    mine[i].files++;
    return 1;
}

/* Adds a process's files, a row each, and their mounts, unless it could not be sampled; `all` is the sum. */
static int add_files(struct dsn_top_report *r, const struct dsn_top_process *p, struct dsn_top_row *all)
{
    struct dsn_top_row mount[DSN_MAX_MOUNTS + 1], row;
    size_t nmounts = 0;

    for (int64_t i = 0, end; i < p->nflow; i = end) {
        const struct dsn_top_record *first = &p->flow[i].now;
        const bool is_path = first->name && first->module != DSN_INDEX_DFS && first->module != DSN_INDEX_DAOS;
        const struct dsn_mount *on = is_path ? dsn__mount_of(r->mounts, first->name) : NULL;

        row = (struct dsn_top_row){ .user = all->user, .job = all->job, .key = first->file, .file = first->name };
        row.mount = on ? on->path : "";
        for (end = i; end < p->nflow && p->flow[end].now.file == first->file; end++)
            if (p->flow[end].now.is_shown) {
                add_flow(&row, p->flow[end].now.count, p->flow[end].rate);
                row.layer = p->flow[end].now.layer;
            }
        set_busy(&row);
        add_flow(all, row.count, row.rate);
        all->files++;
        if (!p->salvage.head)
            continue;
        add_mount(r, &row, mount, &nmounts);
        if (!dsn__top_add(&r->rows[DSN_TOP_FILES], &row))
            return 0;
    }
    for (size_t i = 0; i < nmounts; i++) {
        set_busy(&mount[i]);
        if (!dsn__top_add(&r->rows[DSN_TOP_MOUNTS], &mount[i]))
            return 0;
    }
    return 1;
}

static int add_process(struct dsn_top_report *r, const struct dsn_top_process *p)
{
    struct dsn_top_row row = { .node = r->host,
                               .user = p->user,
                               .program = p->program,
                               .state = dsn__top_event(p->event),
                               .job = p->jobid,
                               .pid = p->pid,
                               .rank = p->rank };

    if (!add_files(r, p, &row))
        return 0;
    add_flow(&row, p->beside, p->beside_rate);
    set_busy(&row);
    r->incomplete += (size_t)p->is_incomplete;
    return dsn__top_add(&r->rows[DSN_TOP_PROCESSES], &row) && dsn__top_add(&r->rows[DSN_TOP_JOBS], &row);
}

int dsn__top_report_watch(struct dsn_top_report *r, const struct dsn_top_watch *w)
{
    struct timespec now;
    int ok;

    if (!r->mounts)
        r->mounts = calloc(1, sizeof *r->mounts);
    if (!r->mounts)
        return 0;
    dsn__mounts_load(r->mounts);
    if (!r->host[0])
        dsn__host_name(r->host, sizeof r->host);
    clock_gettime(CLOCK_REALTIME, &now);
    r->time = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    r->interval = (double)w->interval * 1e-9;
    r->nodes = 1;
    r->unreadable = w->unreadable;
    r->foreign = w->foreign;
    ok = 1;
    for (size_t i = 0; ok && i < w->n; i++)
        ok = (w->job && w->process[i]->jobid != w->job) || add_process(r, w->process[i]);
    for (size_t i = 0; ok && i < w->npast; i++) {
        const struct dsn_top_past *g = &w->past[i];
        const struct dsn_top_row row = { .node = r->host,
                                         .user = g->user,
                                         .program = g->program,
                                         .state = dsn__top_event(g->event),
                                         .job = g->jobid,
                                         .pid = g->pid,
                                         .rank = g->rank };

        ok = (w->job && g->jobid != w->job) || dsn__top_add(&r->past, &row) != NULL;
    }
    for (int kind = DSN_TOP_FILES; kind < DSN_TOP_NKINDS; kind++)
        dsn__top_unite(&r->rows[kind]);
    dsn__top_sort_busiest(&r->rows[DSN_TOP_PROCESSES]);
    return ok;
}

void dsn__top_report_clear(struct dsn_top_report *r)
{
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        r->rows[kind].n = 0;
    dsn__top_texts_free(r);
    r->past.n = 0;
    r->incomplete = 0;
}

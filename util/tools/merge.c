/* merge.c - darshan-merge: merges several logs of a job into one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options and results: spec parser-output.md 10. The logs are read in several passes (job and names; then each module),
 * because a job may have too many for memory or descriptors. */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "darshan-log-format/hash.h"
#include "merge-apmpi.h"
#include "merge-shared.h"
#include "util/command/options.h"
#include "rewrite.h"

#define COMMAND  "darshan-merge"
#define MAX_OPEN 64 /* logs kept open between passes */

enum { OPT_OUTPUT = 256, OPT_REDUX, OPT_EXACT, OPT_END };

static const struct dsn_option options[] = {
    { "output", "NEW_LOG", "the log to write (required)", OPT_OUTPUT },
    { "shared-redux", NULL, "reduce records of files that all ranks have to one record", OPT_REDUX },
    { "exact", NULL, "with --shared-redux: use the rules of the runtime, instead of those of printed totals",
      OPT_EXACT },
    { "job-end-time", "SECONDS", "end of the job, in seconds since 1970 (default: from the logs)", OPT_END },
};

static const struct dsn_command command = {
    COMMAND, "--output NEW_LOG [options] LOG...", "Merges several logs of one job.",
    options, sizeof options / sizeof options[0],
};

struct input {
    const char *path;
    uint64_t modules;           /* bit mask of the modules with data */
    struct darshan_reader *log; /* if it is kept open */
};

struct name {
    uint64_t id;
    char *text;
};

/* A growing array. */
struct list {
    void *items;
    size_t n, room;
};

struct run {
    const char *out;
    int redux, exact, has_end;
    int64_t end;
    struct input *inputs;
    size_t ninputs;
    const char *at; /* file name of the current log, for errors */
    struct dsn_job job;
    uint64_t partial, modules;
    struct list names; /* struct name, in the order of first occurrence */
    struct dsn__idmap name_index;
    struct list nodes; /* char *: compute nodes, in the order of first occurrence */
    struct dsn__idmap node_index;
    struct list ranks;  /* packed records of dsn_rank_table */
    struct list shared; /* and of dsn_sharing_table */
    struct list lbio;   /* and of dsn_lbio_table */
    struct list stamps; /* struct dsn_cpu_stamp */
    struct dsn__idmap rank_index;
    int no_nodes, no_ranks; /* unknown for the merged log */
    struct darshan_writer *w;
    struct darshan_reader_error err;
};

static int fail(struct run *run, int code, const char *text)
{
    run->err.code = code;
    snprintf(run->err.text, sizeof run->err.text, "%s", text ? text : dsn_err_text(code));
    return code;
}

static void *append(struct list *l, size_t size)
{
    if (l->n == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        void *bigger = realloc(l->items, room * size);

        if (!bigger)
            return NULL;
        l->items = bigger;
        l->room = room;
    }
    return (char *)l->items + l->n++ * size;
}

/* ------------------------------------------------------------------ logs */

static struct darshan_reader *borrow(struct run *run, size_t i)
{
    struct input *in = &run->inputs[i];
    struct darshan_reader *log = in->log;

    run->at = in->path;
    if (log || darshan_reader_open(in->path, &log, &run->err) != DSN_ERR_OK)
        return log;
    if (darshan_reader_damage(log, &run->err) != DSN_ERR_OK) {
        darshan_reader_close(log);
        return NULL;
    }
    if (i < MAX_OPEN)
        in->log = log;
    return log;
}

static void give_back(struct run *run, size_t i, struct darshan_reader *log)
{
    if (!run->inputs[i].log)
        darshan_reader_close(log);
}

/* ------------------------------------------------------------------ job */

static int later(int64_t sec, int64_t nsec, int64_t than_sec, int64_t than_nsec)
{
    return sec > than_sec || (sec == than_sec && nsec > than_nsec);
}

static void add_times(struct dsn_job *sum, const struct dsn_job *job)
{
    if (later(sum->start_sec, sum->start_nsec, job->start_sec, job->start_nsec)) {
        sum->start_sec = job->start_sec;
        sum->start_nsec = job->start_nsec;
    }
    if (later(job->end_sec, job->end_nsec, sum->end_sec, sum->end_nsec)) {
        sum->end_sec = job->end_sec;
        sum->end_nsec = job->end_nsec;
    }
}

/* The metadata line "nnodes=" counts the first log's nodes: replaced by the number of all. */
static void set_nnodes(struct dsn_job *job, size_t n)
{
    char text[DSN_METADATA_MAX], *line = job->metadata;
    int head, size;

    while (*line && strncmp(line, "nnodes=", 7) != 0)
        line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    if (!*line)
        return;
    head = (int)(line - job->metadata);
    size = snprintf(text, sizeof text, "%.*snnodes=%zu%s", head, job->metadata, n, line + strcspn(line, "\n"));
    if (size > 0 && (size_t)size < sizeof text)
        memcpy(job->metadata, text, (size_t)size + 1);
}

/* ------------------------------------------------------------------ names */

static int add_name(struct run *run, uint64_t id, const char *text)
{
    const uint32_t at = dsn__idmap_add(&run->name_index, id, (uint32_t)run->names.n);
    struct name *known;

    if (at == DSN_IDMAP_NONE)
        return fail(run, DSN_ERR_MEMORY, NULL);
    if (at == run->names.n) {
        known = append(&run->names, sizeof *known);
        if (!known)
            return fail(run, DSN_ERR_MEMORY, NULL);
        known->id = id;
        known->text = strdup(text);
        return known->text ? DSN_ERR_OK : fail(run, DSN_ERR_MEMORY, NULL);
    }
    known = (struct name *)run->names.items + at;
    if (*text == '\0' || strcmp(known->text, text) == 0)
        return DSN_ERR_OK;
    if (*known->text != '\0') {
        char what[100];

        snprintf(what, sizeof what, "has another name for record %" PRIu64 " than an earlier log: not the same job",
                 id);
        return fail(run, DSN_ERR_NAMES, what);
    }
    free(known->text);
    known->text = strdup(text);
    return known->text ? DSN_ERR_OK : fail(run, DSN_ERR_MEMORY, NULL);
}

static int add_names(struct run *run, const struct darshan_reader *log)
{
    const size_t n = darshan_reader_names(log);
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < n && rc == DSN_ERR_OK; i++) {
        uint64_t id;
        const char *text = darshan_reader_name_at(log, i, &id);

        rc = add_name(run, id, text);
    }
    return rc;
}

static int write_names(struct run *run)
{
    const struct name *name = run->names.items;
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < run->names.n && rc == DSN_ERR_OK; i++)
        rc = darshan_writer_name(run->w, name[i].id, name[i].text);
    return rc;
}

/* ------------------------------------------------------------------ extension section */

/* The index of a compute node in the merged log; DSN_IDMAP_NONE: no memory. */
static uint32_t node_number(struct run *run, const char *name)
{
    const uint32_t at = dsn__idmap_add(&run->node_index, dsn_hash(name, strlen(name), 0), (uint32_t)run->nodes.n);
    char **node;

    if (at != run->nodes.n)
        return at;
    node = append(&run->nodes, sizeof *node);
    if (!node)
        return DSN_IDMAP_NONE;
    *node = strdup(name);
    return *node ? at : DSN_IDMAP_NONE;
}

/* Whether a rank has no activity: logs of ranks launched without MPI contain such rows for the other ranks. */
static int is_idle(const struct dsn_rec *r)
{
    for (unsigned i = 0; i < dsn_rank_table.nvalues; i++)
        if (i != RANK_NODE && r->v[i].i > 0) /* -1: the log is too old */
            return 0;
    return 1;
}

/* Adds a rank's totals of one log. If a rank is active in several, its totals are unknown, because files may be the
 * same. */
static int add_rank(struct run *run, const struct dsn_rec *r, const char *node)
{
    const size_t size = dsn_rec_size(&dsn_rank_table);
    const uint32_t at = dsn__idmap_add(&run->rank_index, (uint64_t)r->rank, (uint32_t)run->ranks.n);
    struct dsn_rec *known;

    if (at == DSN_IDMAP_NONE)
        return fail(run, DSN_ERR_MEMORY, NULL);
    if (at < run->ranks.n) {
        known = (struct dsn_rec *)(void *)((char *)run->ranks.items + at * size);
        run->no_ranks |= !is_idle(known) && !is_idle(r);
        if (!is_idle(known))
            return DSN_ERR_OK;
    } else {
        known = append(&run->ranks, size);
        if (!known)
            return fail(run, DSN_ERR_MEMORY, NULL);
    }
    memcpy(known, r, size);
    known->v[RANK_NODE].i = node_number(run, node);
    return DSN_ERR_OK;
}

static int add_ranks(struct run *run, const struct darshan_reader *log)
{
    const size_t n = darshan_reader_ranks(log);
    const char *const *nodes;
    const size_t nnodes = darshan_reader_nodes(log, &nodes);
    int rc = DSN_ERR_OK;

    run->no_ranks |= n == 0;
    for (size_t i = 0; i < n && !run->no_ranks && rc == DSN_ERR_OK; i++) {
        const struct dsn_rec *r = darshan_reader_rank(log, i);
        const int64_t node = r->v[RANK_NODE].i;

        if (node >= 0 && (uint64_t)node < nnodes)
            rc = add_rank(run, r, nodes[node]);
        else
            run->no_ranks = 1;
    }
    return rc;
}

static int add_nodes(struct run *run, const struct darshan_reader *log)
{
    const char *const *nodes;
    const size_t n = darshan_reader_nodes(log, &nodes);

    run->no_nodes |= n == 0;
    for (size_t i = 0; i < n; i++)
        if (node_number(run, nodes[i]) == DSN_IDMAP_NONE)
            return fail(run, DSN_ERR_MEMORY, NULL);
    return DSN_ERR_OK;
}

static int add_stamps(struct run *run, const struct darshan_reader *log)
{
    darshan_cpu_stamp *stamps;
    size_t n;
    const int rc = darshan_reader_cpu_stamps(log, &stamps, &n, &run->err);

    for (size_t i = 0; i < n; i++) {
        darshan_cpu_stamp *one = append(&run->stamps, sizeof *one);

        if (!one) {
            free(stamps);
            return fail(run, DSN_ERR_MEMORY, NULL);
        }
        *one = stamps[i];
    }
    free(stamps);
    return rc;
}

static int add_lbio(struct run *run, const struct dsn_rec *row)
{
    const size_t size = dsn_rec_size(&dsn_lbio_table);
    void *to = append(&run->lbio, size);

    if (!to)
        return fail(run, DSN_ERR_MEMORY, NULL);
    memcpy(to, row, size);
    return DSN_ERR_OK;
}

static int by_rank(const void *a, const void *b)
{
    const int64_t x = ((const struct dsn_rec *)a)->rank, y = ((const struct dsn_rec *)b)->rank;

    return x < y ? -1 : x > y;
}

/* Totals are only written if all ranks 0, 1, ... have them. */
static void write_ranks(struct run *run)
{
    const size_t size = dsn_rec_size(&dsn_rank_table);
    char *records = run->ranks.items;

    if (run->no_nodes || run->no_ranks || run->ranks.n == 0)
        return;
    qsort(records, run->ranks.n, size, by_rank);
    for (size_t i = 0; i < run->ranks.n; i++)
        if (((const struct dsn_rec *)(void *)(records + i * size))->rank != (int64_t)i)
            return;
    darshan_writer_extension(run->w, DSN_EXT_RANKS, dsn_rank_table.version, records, run->ranks.n * size);
}

/* A rank may be in several logs, which are of different parts of its program. */
static void write_lbio(struct run *run)
{
    const size_t size = dsn_rec_size(&dsn_lbio_table);
    char *rows = run->lbio.items;
    size_t last = 0;

    if (run->lbio.n == 0)
        return;
    qsort(rows, run->lbio.n, size, by_rank);
    for (size_t i = 1; i < run->lbio.n; i++) {
        struct dsn_rec *to = (struct dsn_rec *)(void *)(rows + last * size);
        const struct dsn_rec *from = (const struct dsn_rec *)(const void *)(rows + i * size);

        if (by_rank(to, from) == 0)
            dsn_rec_reduce(&dsn_lbio_table, from, 1, to, 1, DSN_TOP_MERGE);
        else
            memmove(rows + ++last * size, from, size);
    }
    darshan_writer_extension(run->w, DSN_EXT_LBIO, dsn_lbio_table.version, rows, (last + 1) * size);
}

static int add_shared(struct run *run, const struct dsn_rec *row)
{
    const size_t size = dsn_rec_size(&dsn_sharing_table);
    void *to = append(&run->shared, size);

    if (!to)
        return fail(run, DSN_ERR_MEMORY, NULL);
    memcpy(to, row, size);
    return DSN_ERR_OK;
}

static int by_module_and_id(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->v[SHARED_MODULE].i != y->v[SHARED_MODULE].i)
        return x->v[SHARED_MODULE].i < y->v[SHARED_MODULE].i ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* A file shared in several logs was accessed by the ranks of all of them. */
static void write_shared_rows(struct run *run)
{
    const size_t size = dsn_rec_size(&dsn_sharing_table);
    char *rows = run->shared.items;
    size_t last = 0;

    if (run->shared.n == 0)
        return;
    qsort(rows, run->shared.n, size, by_module_and_id);
    for (size_t i = 1; i < run->shared.n; i++) {
        struct dsn_rec *to = (struct dsn_rec *)(void *)(rows + last * size);
        const struct dsn_rec *from = (const struct dsn_rec *)(const void *)(rows + i * size);

        if (by_module_and_id(to, from) == 0)
            dsn_rec_reduce(&dsn_sharing_table, from, 1, to, 1, DSN_TOP_MERGE);
        else
            memmove(rows + ++last * size, from, size);
    }
    darshan_writer_extension(run->w, DSN_EXT_SHARED, dsn_sharing_table.version, rows, (last + 1) * size);
}

static int write_nodes(struct run *run)
{
    char **node = run->nodes.items, *text, *p;
    size_t size = 0;

    if (run->no_nodes || run->nodes.n == 0)
        return DSN_ERR_OK;
    for (size_t i = 0; i < run->nodes.n; i++)
        size += strlen(node[i]) + 1;
    p = text = malloc(size);
    if (!text)
        return fail(run, DSN_ERR_MEMORY, NULL);
    for (size_t i = 0; i < run->nodes.n; i++) {
        const size_t n = strlen(node[i]) + 1;

        memcpy(p, node[i], n);
        p += n;
    }
    darshan_writer_extension(run->w, DSN_EXT_NODES, 1, text, size);
    free(text);
    return darshan_writer_error(run->w, &run->err);
}

static int write_extension(struct run *run)
{
    const int rc = write_nodes(run);

    if (rc != DSN_ERR_OK)
        return rc;
    write_ranks(run);
    write_shared_rows(run);
    write_lbio(run);
    if (run->stamps.n > 0)
        darshan_writer_extension(run->w, DSN_EXT_CPU, 1, run->stamps.items, run->stamps.n * sizeof(darshan_cpu_stamp));
    return darshan_writer_error(run->w, &run->err);
}

/* ------------------------------------------------------------------ first pass */

static int look_at(struct run *run, size_t i)
{
    struct darshan_reader *log = borrow(run, i);
    const struct dsn_header *h;
    int rc;

    if (!log)
        return run->err.code;
    h = darshan_reader_header(log);
    if (i == 0)
        run->job = *darshan_reader_job(log);
    add_times(&run->job, darshan_reader_job(log));
    run->partial |= h->partial;
    for (unsigned m = 0; m < DSN_MODULE_SLOTS; m++)
        if (h->mod[m].len > 0 && dsn_rewrite_can(m))
            run->inputs[i].modules |= (uint64_t)1 << m;
    run->modules |= run->inputs[i].modules;
    rc = add_names(run, log);
    if (rc == DSN_ERR_OK)
        rc = add_nodes(run, log);
    if (rc == DSN_ERR_OK)
        rc = add_ranks(run, log);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_shared(log); k++)
        rc = add_shared(run, darshan_reader_shared_row(log, k));
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_lbio(log); k++)
        rc = add_lbio(run, darshan_reader_lbio_row(log, k));
    if (rc == DSN_ERR_OK)
        rc = add_stamps(run, log);
    give_back(run, i, log);
    return rc;
}

/* Job, command line and mounts are the first log's. As in the original, the mask of partial modules contains bit 0; the
 * logs' masks are added. */
static int write_job(struct run *run)
{
    const struct darshan_reader_mount *mounts = NULL;
    struct darshan_reader *log = NULL;
    size_t nmounts = 0;

    if (run->ninputs > 0) {
        log = borrow(run, 0);
        if (!log)
            return run->err.code;
        nmounts = darshan_reader_mounts(log, &mounts);
    }
    if (run->has_end) {
        run->job.end_sec = run->end;
        run->job.end_nsec = 0;
    }
    if (!run->no_nodes && run->ninputs > 1)
        set_nnodes(&run->job, run->nodes.n);
    darshan_writer_partial(run->w, run->partial | 1);
    darshan_writer_job(run->w, &run->job, log ? darshan_reader_exe(log) : "", mounts, nmounts);
    if (log)
        give_back(run, 0, log);
    return darshan_writer_error(run->w, &run->err);
}

/* ------------------------------------------------------------------ modules */

/* Calls `visit` for every log with data of the module, until that returns an error. Returns that error. */
static int visit_logs(struct run *run, unsigned module,
                      int (*visit)(struct run *run, struct darshan_reader *log, void *context), void *context)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < run->ninputs && rc == DSN_ERR_OK; i++) {
        struct darshan_reader *log;

        if (!(run->inputs[i].modules >> module & 1))
            continue;
        log = borrow(run, i);
        rc = log ? visit(run, log, context) : run->err.code;
        if (log)
            give_back(run, i, log);
    }
    return rc;
}

/* State of copying a module. */
struct passage {
    unsigned module;
    struct dsn_shared *shared; /* the current pass over shared records: look, or add */
    int adds;
    struct dsn_rewrite how;
};

static int show(struct run *run, struct darshan_reader *log, void *context)
{
    const struct passage *p = context;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(log, p->module, &it, &run->err);

    if (rc != DSN_ERR_OK)
        return rc;
    while (rc == DSN_ERR_OK && (r = darshan_reader_next(it, &run->err)) != NULL)
        rc = p->adds ? dsn_shared_add(p->shared, r, darshan_reader_tail(it)) : dsn_shared_look(p->shared, r);
    darshan_reader_end(it);
    return rc == DSN_ERR_OK ? run->err.code : fail(run, rc, NULL);
}

/* Finds the records that all ranks have, and writes the reduced ones. */
static int write_shared(struct run *run, struct passage *p)
{
    for (p->adds = 0; p->adds < 2; p->adds++) {
        const int rc = visit_logs(run, p->module, show, p);

        if (rc != DSN_ERR_OK)
            return rc;
    }
    if (dsn_shared_decide(p->shared, run->job.nprocs) != DSN_ERR_OK)
        return fail(run, DSN_ERR_MEMORY, NULL);
    for (size_t i = 0; i < p->shared->n; i++) {
        const struct dsn_rec *row = dsn_shared_ranks(p->shared, i);

        if (row && add_shared(run, row) != DSN_ERR_OK)
            return run->err.code;
    }
    return dsn_shared_write(p->shared, run->w) == DSN_ERR_OK ? DSN_ERR_OK : darshan_writer_error(run->w, &run->err);
}

static int copy(struct run *run, struct darshan_reader *log, void *context)
{
    struct passage *p = context;

    return dsn_rewrite_module(log, p->module, &p->how, run->w, &run->err);
}

static int add_apmpi(struct run *run, struct darshan_reader *log, void *context)
{
    return dsn_apmpi_merge_add(context, log, &run->err);
}

/* All records, after one header. */
static int write_apmpi(struct run *run)
{
    struct passage p = { .module = DSN_APMPI_MODULE };
    struct dsn_apmpi_merge headers = { .nlogs = 0 };
    const int rc = visit_logs(run, p.module, add_apmpi, &headers);

    p.how.header = dsn_apmpi_merge_header(&headers);
    return rc == DSN_ERR_OK ? visit_logs(run, p.module, copy, &p) : rc;
}

static int write_module(struct run *run, unsigned module)
{
    struct passage p = { .module = module };
    struct dsn_shared shared;
    int rc;

    if (module == DSN_APMPI_MODULE)
        return write_apmpi(run);
    if (!run->redux || !dsn_shared_can(module))
        return visit_logs(run, module, copy, &p);
    dsn_shared_init(&shared, module);
    shared.exact = run->exact;
    p.shared = &shared;
    p.how.leave_out = &shared.ids;
    rc = write_shared(run, &p);
    if (rc == DSN_ERR_OK)
        rc = visit_logs(run, module, copy, &p);
    dsn_shared_free(&shared);
    return rc;
}

/* ------------------------------------------------------------------ main */

static int write_all(struct run *run)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < run->ninputs && rc == DSN_ERR_OK; i++)
        rc = look_at(run, i);
    if (rc != DSN_ERR_OK)
        return rc;
    run->at = run->out;
    rc = darshan_writer_create(run->out, DSN_ZLIB, &run->w, &run->err);
    if (rc == DSN_ERR_OK)
        rc = write_job(run);
    if (rc == DSN_ERR_OK && write_names(run) != DSN_ERR_OK)
        rc = darshan_writer_error(run->w, &run->err);
    for (unsigned m = 0; m < DSN_MODULE_SLOTS && rc == DSN_ERR_OK; m++)
        if (run->modules >> m & 1)
            rc = write_module(run, m);
    if (rc != DSN_ERR_OK)
        return rc;
    run->at = run->out;
    return write_extension(run);
}

static int merge(struct run *run)
{
    int rc = write_all(run);

    if (rc == DSN_ERR_OK) {
        rc = darshan_writer_finish(run->w, &run->err);
        run->w = NULL;
    }
    if (rc != DSN_ERR_OK)
        dsn_rewrite_complain(COMMAND, run->at, run->out, run->w, &run->err);
    darshan_writer_abandon(run->w);
    return rc != DSN_ERR_OK;
}

static void release(struct run *run)
{
    struct name *name = run->names.items;
    char **node = run->nodes.items;

    for (size_t i = 0; i < run->ninputs; i++)
        darshan_reader_close(run->inputs[i].log);
    for (size_t i = 0; i < run->names.n; i++)
        free(name[i].text);
    for (size_t i = 0; i < run->nodes.n; i++)
        free(node[i]);
    free(run->inputs);
    free(run->names.items);
    free(run->nodes.items);
    free(run->stamps.items);
    free(run->ranks.items);
    free(run->shared.items);
    free(run->lbio.items);
    dsn__idmap_free(&run->name_index);
    dsn__idmap_free(&run->node_index);
    dsn__idmap_free(&run->rank_index);
}

static int take_option(void *context, int value, const char *argument)
{
    struct run *run = context;

    switch (value) {
    case OPT_OUTPUT:
        run->out = argument;
        return 1;
    case OPT_REDUX:
        run->redux = 1;
        return 1;
    case OPT_EXACT:
        run->exact = 1;
        return 1;
    default:
        run->has_end = 1;
        return dsn_number(argument, INT64_MIN, &run->end);
    }
}

int main(int argc, char **argv)
{
    struct run run = { .out = NULL };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &run);
    if (rc >= 0)
        return rc;
    if (!run.out)
        return dsn_usage(&command, "--output is required");
    if (optind >= argc)
        return dsn_usage(&command, "no logs to merge given");
    run.ninputs = (size_t)(argc - optind);
    run.inputs = calloc(run.ninputs + 1, sizeof *run.inputs);
    if (!run.inputs) {
        fprintf(stderr, COMMAND ": %s\n", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    for (size_t i = 0; i < run.ninputs; i++)
        run.inputs[i].path = argv[optind + (int)i];
    dsn__idmap_init(&run.name_index);
    dsn__idmap_init(&run.node_index);
    dsn__idmap_init(&run.rank_index);
    rc = merge(&run);
    release(&run);
    return rc;
}

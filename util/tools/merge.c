/* merge.c - darshan-merge: merges several logs of a job into one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options: spec parser-output.md 10. The logs are read in several passes (job and ranks; names and extension section; then
 * each module), because a job may have too many for memory or descriptors.
 *
 * Which log is what part of the job is decided first. Logs of tasks or nodes of one run of a program have the number of
 * processes of the whole run, and only their ranks: such logs are one group, and their ranks keep their numbers. Any
 * other log is a group of its own. The processes of the new log are those of the groups, one after the other. Times of a
 * log count from its own start, and are moved to the start of the first. */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "darshan-log-format/hash.h"
#include "merge-apmpi.h"
#include "merge-heat.h"
#include "merge-shared.h"
#include "command-line/options.h"
#include "util/lib/figures.h"
#include "util/lib/grow.h"
#include "rewrite.h"

#define COMMAND  "darshan-merge"
#define MAX_OPEN 64 /* logs kept open between passes */

enum { OPT_OUTPUT = 'o', OPT_REDUX = 256, OPT_EXACT, OPT_END, OPT_FORCE };

static const struct dsn_option options[] = {
    { "output", "NEW_LOG", "the log to write (required)", OPT_OUTPUT },
    { "shared-redux", NULL, "reduce records of files that all ranks have to one record", OPT_REDUX },
    { "exact", NULL, "with --shared-redux: use the rules of the runtime, instead of those of printed totals",
      OPT_EXACT },
    { "force", NULL, "merge logs of different jobs, or of several runs of a requeued job", OPT_FORCE },
    { "job-end-time", "SECONDS", "end of the job, in seconds since 1970 (default: from the logs)", OPT_END },
};

static const struct dsn_command command = {
    COMMAND, "--output NEW_LOG [options] LOG...", "Merges several logs of one job.",
    options, sizeof options / sizeof options[0],  NULL,
};

struct input {
    const char *path;
    uint64_t modules;           /* bit mask of the modules with data */
    struct darshan_reader *log; /* if it is kept open */
    double later;               /* seconds that it starts after the first of all */
    size_t group;
};

/* What a log says about the job that it is of. */
struct facts {
    int64_t uid, jobid, nprocs;
    int64_t step, restart; /* Slurm's; -1 and 0 where nothing is said */
    int64_t present;       /* ranks in the log; -1: it does not say that some are missing */
    uint64_t exe, run;     /* hash; dsn__run_of() of the runtime, 0: unknown */
    int is_scheduled;      /* `jobid` may be a scheduler's */
    int is_tree;           /* its ranks are the processes of a program without MPI */
    int is_whole;          /* it has records of all ranks at once */
};

/* Logs of one run of a program. */
struct group {
    size_t input;            /* its first log */
    struct facts is;         /* of that log; `present` of all of them */
    int64_t before;          /* ranks of the groups before it */
    struct dsn__idmap ranks; /* that have records */
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
    int redux, exact, has_end, force;
    int64_t end;
    struct input *inputs;
    size_t ninputs;
    const char *at; /* file name of the current log, for errors */
    int is_refused; /* and said so */
    struct dsn_job job;
    struct list groups;         /* struct group */
    int64_t recovered, running; /* processes; -1: no log has such a line */
    struct list processes;      /* char: lines of the part "processes" */
    uint64_t processes_version;
    int no_processes; /* a log does not have it */
    uint64_t partial, modules;
    struct list names; /* struct name, in the order of first occurrence */
    struct dsn__idmap name_index;
    struct list nodes; /* char *: compute nodes, in the order of first occurrence */
    struct dsn__idmap node_index;
    struct list ranks;  /* packed records of dsn_rank_table */
    struct list shared; /* and of dsn_sharing_table */
    struct list files;  /* and of dsn_files_table */
    struct list mapped; /* and of dsn_mapped_table */
    struct list cufile; /* and of dsn_cufile_table */
    struct list lbio;   /* and of dsn_lbio_table */
    struct list phases; /* and of dsn_phases_table */
    struct list sites;  /* and of dsn_sites_table */
    struct list stacks; /* bytes of the part of that name */
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
    return dsn_grow(&l->items, &l->room, size, l->n) ? (char *)l->items + l->n++ * size : NULL;
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

/* Replaces a line of the metadata, or removes it (NULL). One that does not fit is left out. */
static void set_line(struct dsn_job *job, const char *key, const char *value)
{
    char text[DSN_METADATA_MAX], *line = job->metadata;
    const size_t n = strlen(key);
    size_t head, rest;
    int size = 0;

    while (*line && (strncmp(line, key, n) != 0 || line[n] != '='))
        line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    head = (size_t)(line - job->metadata);
    rest = strcspn(line, "\n");
    rest += line[rest] == '\n';
    if (value)
        size = snprintf(text, sizeof text, "%.*s%s=%s\n%s", (int)head, job->metadata, key, value, line + rest);
    else
        size = snprintf(text, sizeof text, "%.*s%s", (int)head, job->metadata, line + rest);
    if (size >= 0 && (size_t)size < sizeof text)
        memcpy(job->metadata, text, (size_t)size + 1);
}

static void set_number(struct dsn_job *job, const char *key, int64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, n);
    set_line(job, key, text);
}

/* ------------------------------------------------------------------ which part of the job a log is */

static int is_key(const struct darshan_reader_metadata *m, const char *key)
{
    return m->key_length == strlen(key) && memcmp(m->key, key, m->key_length) == 0;
}

/* A value that begins with a number; -1 otherwise. */
static int64_t number_in(const struct darshan_reader_metadata *m, int base)
{
    char text[32] = "", *end;
    int64_t n;

    memcpy(text, m->value, m->value_length < sizeof text - 1 ? m->value_length : sizeof text - 1);
    n = (int64_t)strtoull(text, &end, base);
    return end == text || *text == '-' || (base == 10 && n < 0) ? -1 : n;
}

static int has_part(const struct darshan_reader *log, const char *name)
{
    for (size_t i = 0; i < darshan_reader_parts(log); i++)
        if (strcmp(darshan_reader_part(log, i)->name, name) == 0)
            return 1;
    return 0;
}

static struct facts facts_of(const struct darshan_reader *log)
{
    const struct dsn_job *job = darshan_reader_job(log);
    const char *exe = darshan_reader_exe(log);
    struct facts f = { .uid = job->uid,
                       .jobid = job->jobid,
                       .nprocs = job->nprocs > 0 ? job->nprocs : 1,
                       .step = -1,
                       .present = -1,
                       .exe = dsn_hash(exe, strlen(exe), 0),
                       .is_scheduled = !dsn_has_no_job(log) };
    struct darshan_reader_metadata m;
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, &m)) {
        if (is_key(&m, "step"))
            f.step = number_in(&m, 10);
        else if (is_key(&m, "restart"))
            f.restart = number_in(&m, 10);
        else if (is_key(&m, "ranks"))
            f.present = number_in(&m, 10);
        else if (is_key(&m, "run"))
            f.run = (uint64_t)number_in(&m, 16);
    }
    f.is_tree = f.run == 0 && has_part(log, DSN_EXT_PROCESSES);
    return f;
}

/* Adds the ranks that have records; a shared record is of all. */
static int add_ranks_of(struct run *run, struct darshan_reader *log, unsigned module, struct dsn__idmap *ranks,
                        int *is_whole)
{
    struct darshan_reader_records *it = NULL;
    struct darshan_dxt *dxt = NULL;
    const struct dsn_dxt_head *head = NULL;
    const struct dsn_rec *r = NULL;
    const int has_table = dsn_table(module) != NULL;
    int rc =
        has_table ? darshan_reader_begin(log, module, &it, &run->err) : darshan_dxt_begin(log, module, &dxt, &run->err);

    while (rc == DSN_ERR_OK && (has_table ? (r = darshan_reader_next(it, &run->err)) != NULL
                                          : (head = darshan_dxt_next(dxt, &run->err)) != NULL)) {
        const int64_t rank = r ? r->rank : head->rank;

        *is_whole |= rank < 0;
        if (rank >= 0 && dsn__idmap_add(ranks, (uint64_t)rank, 0) == DSN_IDMAP_NONE)
            rc = fail(run, DSN_ERR_MEMORY, NULL);
    }
    darshan_reader_end(it);
    darshan_dxt_end(dxt);
    return rc == DSN_ERR_OK ? run->err.code : rc;
}

static int overlaps(const struct dsn__idmap *a, const struct dsn__idmap *b)
{
    for (size_t i = 0; i < b->used; i++)
        if (dsn__idmap_get(a, b->keys[i]) != DSN_IDMAP_NONE)
            return 1;
    return 0;
}

static int refuse(struct run *run, const struct group *g, const char *what)
{
    dsn_warn(COMMAND, run->at, "%s %s; nothing was written (--force merges them)", what, run->inputs[g->input].path);
    run->is_refused = 1;
    return fail(run, DSN_ERR_USE, NULL);
}

/* Whether they may be of one job. Without a scheduler a job's number is a pid, which says nothing. */
static int is_same_job(const struct facts *a, const struct facts *b)
{
    if (a->run != 0 && a->run == b->run) /* a heterogeneous job has a number for each part */
        return 1;
    return a->uid == b->uid && a->is_scheduled == b->is_scheduled && (!a->is_scheduled || a->jobid == b->jobid);
}

/* Whether the same program, or step, ran twice: a job that was requeued has the same number again. */
static int is_run_again(const struct group *g, const struct facts *f, int is_apart)
{
    return g->is.jobid == f->jobid && g->is.is_scheduled && f->is_scheduled &&
           (g->is.restart != f->restart ||
            (!is_apart && f->nprocs > 1 && g->is.nprocs == f->nprocs && g->is.exe == f->exe && g->is.step == f->step &&
             !g->is.is_tree && !f->is_tree));
}

/* Finds the group of a log, or makes one. Takes `ranks`. */
static int join_group(struct run *run, size_t input, const struct facts *f, struct dsn__idmap *ranks)
{
    struct group *g = run->groups.items, *to = NULL;
    const struct group *last = run->groups.n > 0 ? &g[run->groups.n - 1] : NULL;
    const int64_t before = last ? last->before + last->is.nprocs : 0;

    for (size_t i = 0; i < run->groups.n && !to; i++) {
        const int is_apart = !g[i].is.is_whole && !f->is_whole && !overlaps(&g[i].ranks, ranks);

        if (!run->force && !is_same_job(&g[i].is, f))
            return refuse(run, &g[i], "is of another job than");
        if (!run->force && is_run_again(&g[i], f, is_apart))
            return refuse(run, &g[i], "is of another run of the same job than");
        if (is_apart && f->nprocs > 1 && g[i].is.nprocs == f->nprocs && g[i].is.run == f->run &&
            is_same_job(&g[i].is, f))
            to = &g[i];
    }
    if (to) {
        for (size_t i = 0; i < ranks->used; i++)
            if (dsn__idmap_add(&to->ranks, ranks->keys[i], 0) == DSN_IDMAP_NONE)
                return fail(run, DSN_ERR_MEMORY, NULL);
        if (to->is.present >= 0)
            to->is.present = f->present >= 0 ? dsn_plus(to->is.present, f->present) : -1;
    } else {
        if (before > INT64_MAX - f->nprocs)
            return fail(run, DSN_ERR_JOB, NULL);
        to = append(&run->groups, sizeof *to);
        if (!to)
            return fail(run, DSN_ERR_MEMORY, NULL);
        *to = (struct group){ .input = input, .is = *f, .before = before, .ranks = *ranks };
        dsn__idmap_init(ranks);
    }
    run->inputs[input].group = (size_t)(to - (struct group *)run->groups.items);
    return DSN_ERR_OK;
}

static int find_group(struct run *run, size_t input, struct darshan_reader *log)
{
    struct facts f = facts_of(log);
    struct dsn__idmap ranks;
    int rc = DSN_ERR_OK;

    dsn__idmap_init(&ranks);
    for (unsigned m = 0; m < DSN_MODULE_SLOTS && f.nprocs > 1 && run->ninputs > 1 && rc == DSN_ERR_OK; m++)
        if (run->inputs[input].modules >> m & 1)
            rc = add_ranks_of(run, log, m, &ranks, &f.is_whole);
    if (rc == DSN_ERR_OK)
        rc = join_group(run, input, &f, &ranks);
    dsn__idmap_free(&ranks);
    return rc;
}

static const struct group *group_of(const struct run *run, size_t input)
{
    return (const struct group *)run->groups.items + run->inputs[input].group;
}

/* Lines that count something in each log. */
static void add_counts(struct run *run, const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, &m)) {
        int64_t *sum = is_key(&m, "recovered") ? &run->recovered : is_key(&m, "running") ? &run->running : NULL;
        const int64_t n = number_in(&m, 10);

        if (sum && n >= 0)
            *sum = (*sum < 0 ? 0 : *sum) + (n < INT32_MAX ? n : INT32_MAX);
    }
}

/* What the first log's metadata say of itself is said of all of them. */
static void set_metadata(struct run *run)
{
    const struct group *g = run->groups.items;
    int64_t all = 0, present = 0;
    int is_missing = 0;
    char text[64];

    for (size_t i = 0; i < run->groups.n; i++) {
        const int64_t n = g[i].is.present >= 0 && g[i].is.present < g[i].is.nprocs ? g[i].is.present : g[i].is.nprocs;

        all += g[i].is.nprocs;
        present += n;
        is_missing |= n < g[i].is.nprocs;
        if (g[i].is.run != g[0].is.run)
            set_line(&run->job, "run", NULL);
        if (g[i].is.step != g[0].is.step)
            set_line(&run->job, "step", NULL);
    }
    snprintf(text, sizeof text, "%" PRId64 " of %" PRId64, present, all);
    set_line(&run->job, "ranks", is_missing ? text : NULL);
    snprintf(text, sizeof text, "%" PRId64 " of %" PRId64, all - present, all);
    set_line(&run->job, "missing_ranks", is_missing && run->recovered >= 0 ? text : NULL);
    set_line(&run->job, "node", NULL);
    if (run->no_nodes)
        set_line(&run->job, "nnodes", NULL);
    else
        set_number(&run->job, "nnodes", (int64_t)run->nodes.n);
    if (run->recovered >= 0)
        set_number(&run->job, "recovered", run->recovered);
    if (run->running >= 0)
        set_number(&run->job, "running", run->running);
    run->job.nprocs = all;
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

static int add_ranks(struct run *run, const struct darshan_reader *log, int64_t before)
{
    const size_t n = darshan_reader_ranks(log);
    const char *const *nodes;
    const size_t nnodes = darshan_reader_nodes(log, &nodes);
    int rc = DSN_ERR_OK;

    run->no_ranks |= n == 0;
    for (size_t i = 0; i < n && !run->no_ranks && rc == DSN_ERR_OK; i++) {
        union dsn_any_rec r;
        int64_t node;

        memcpy(&r, darshan_reader_rank(log, i), dsn_rec_size(&dsn_rank_table));
        r.rec.rank = dsn_plus(r.rec.rank, before);
        node = r.rec.v[RANK_NODE].i;
        if (node >= 0 && (uint64_t)node < nnodes)
            rc = add_rank(run, &r.rec, nodes[node]);
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

static int add_stamps(struct run *run, const struct darshan_reader *log, double later, int64_t before)
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
        one->rank = one->rank >= 0 ? dsn_plus(one->rank, before) : one->rank;
        one->time += later;
    }
    free(stamps);
    return rc;
}

/* A row of a table of the extension section. */
static int add_row(struct run *run, struct list *rows, const struct dsn_table *t, const struct dsn_rec *row,
                   double later, int64_t before)
{
    const size_t size = dsn_rec_size(t);
    void *to = append(rows, size);

    if (!to)
        return fail(run, DSN_ERR_MEMORY, NULL);
    memcpy(to, row, size);
    dsn_rewrite_move(t, later, before, to);
    return DSN_ERR_OK;
}

static int by_rank(const void *a, const void *b)
{
    const int64_t x = ((const struct dsn_rec *)a)->rank, y = ((const struct dsn_rec *)b)->rank;

    return x < y ? -1 : x > y;
}

/* When a phase was counts from the start of its log: of one that began steps later it is not known any more. */
static int add_phase(struct run *run, const struct dsn_rec *row, double later, int64_t before)
{
    union dsn_any_rec phase;

    memcpy(&phase, row, dsn_rec_size(&dsn_phases_table));
    if (!(later < row->v[PHASE_F_STEP].f))
        memset(&phase.rec.v[PHASE_WHEN], 0, (PHASE_WHEN_7 + 1 - PHASE_WHEN) * sizeof phase.rec.v[0]);
    return add_row(run, &run->phases, &dsn_phases_table, &phase.rec, later, before);
}

static int append_bytes(struct list *l, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *to = append(l, 1);

        if (!to)
            return 0;
        *to = ((const char *)bytes)[i];
    }
    return 1;
}

static int add_sites(struct run *run, struct darshan_reader *log, int64_t before)
{
    const darshan_log_stack *stacks;
    const size_t n = darshan_reader_stacks(log, &stacks);
    int rc = DSN_ERR_OK;

    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_sites(log); k++)
        rc = add_row(run, &run->sites, &dsn_sites_table, darshan_reader_site(log, k), 0, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < n; k++) {
        if (!append_bytes(&run->stacks, &stacks[k].id, sizeof stacks[k].id) ||
            !append_bytes(&run->stacks, stacks[k].text, strlen(stacks[k].text) + 1))
            return fail(run, DSN_ERR_MEMORY, NULL);
    }
    return rc;
}

/* The lines of the part "processes" (darshan-log-format/extension.h), with the ranks of the new log. */
static int add_processes(struct run *run, const struct darshan_reader *log, int64_t before)
{
    size_t i = 0, n;
    void *bytes;
    int rc;

    while (i < darshan_reader_parts(log) && strcmp(darshan_reader_part(log, i)->name, DSN_EXT_PROCESSES) != 0)
        i++;
    run->no_processes |= i == darshan_reader_parts(log);
    if (!run->no_processes && run->processes.n == 0)
        run->processes_version = darshan_reader_part(log, i)->version;
    run->no_processes |= !run->no_processes && darshan_reader_part(log, i)->version != run->processes_version;
    if (run->no_processes)
        return DSN_ERR_OK;
    n = (size_t)darshan_reader_part(log, i)->raw;
    rc = darshan_reader_part_bytes(log, i, &bytes, &run->err);
    for (const char *p = bytes, *end = p + n; rc == DSN_ERR_OK && p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p)), *tab = memchr(p, '\t', (size_t)((eol ? eol : end) - p));
        char rank[24] = "";

        eol = eol ? eol + 1 : end;
        if (tab && tab - p < (ptrdiff_t)sizeof rank) {
            memcpy(rank, p, (size_t)(tab - p));
            snprintf(rank, sizeof rank, "%" PRId64, dsn_plus(strtoll(rank, NULL, 10), before));
            p = tab;
        }
        for (const char *c = rank; rc == DSN_ERR_OK && (*c || p < eol);) {
            char *to = append(&run->processes, 1);

            if (!to)
                rc = fail(run, DSN_ERR_MEMORY, NULL);
            else
                *to = *c ? *c++ : *p++;
        }
    }
    free(bytes);
    return rc;
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
    if (run->ninputs > 1 && (int64_t)run->ranks.n != run->job.nprocs)
        return;
    darshan_writer_extension(run->w, DSN_EXT_RANKS, dsn_rank_table.version, records, run->ranks.n * size);
}

static int by_module_and_id(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->v[SHARED_MODULE].i != y->v[SHARED_MODULE].i)
        return x->v[SHARED_MODULE].i < y->v[SHARED_MODULE].i ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_module_id_and_rank(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->v[FILE_MODULE].i != y->v[FILE_MODULE].i)
        return x->v[FILE_MODULE].i < y->v[FILE_MODULE].i ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return by_rank(a, b);
}

static int by_id_and_rank(const void *a, const void *b)
{
    const uint64_t x = ((const struct dsn_rec *)a)->id, y = ((const struct dsn_rec *)b)->id;

    return x == y ? by_rank(a, b) : x < y ? -1 : 1;
}

/* Rows of several logs that are of the same thing are added: a file that the ranks of all of them shared; a rank that is in
 * several, which are of different parts of its program. */
static void write_rows(struct run *run, struct list *rows, const struct dsn_table *t, const char *part,
                       int (*by_what)(const void *, const void *))
{
    const size_t size = dsn_rec_size(t);
    char *row = rows->items;
    size_t last = 0;

    if (rows->n == 0)
        return;
    qsort(row, rows->n, size, by_what);
    for (size_t i = 1; i < rows->n; i++) {
        struct dsn_rec *to = (struct dsn_rec *)(void *)(row + last * size);
        const struct dsn_rec *from = (const struct dsn_rec *)(const void *)(row + i * size);

        if (by_what(to, from) == 0)
            dsn_rec_reduce(t, from, 1, to, 1, DSN_TOP_MERGE);
        else
            memmove(row + ++last * size, from, size);
    }
    darshan_writer_extension(run->w, part, t->version, row, (last + 1) * size);
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
    write_rows(run, &run->shared, &dsn_sharing_table, DSN_EXT_SHARED, by_module_and_id);
    write_rows(run, &run->files, &dsn_files_table, DSN_EXT_FILES, by_module_id_and_rank);
    write_rows(run, &run->mapped, &dsn_mapped_table, DSN_EXT_MAPPED, by_id_and_rank);
    write_rows(run, &run->cufile, &dsn_cufile_table, DSN_EXT_CUFILE, by_id_and_rank);
    write_rows(run, &run->lbio, &dsn_lbio_table, DSN_EXT_LBIO, by_rank);
    write_rows(run, &run->phases, &dsn_phases_table, DSN_EXT_PHASES, by_id_and_rank);
    write_rows(run, &run->sites, &dsn_sites_table, DSN_EXT_SITES, by_id_and_rank);
    if (run->stacks.n > 0)
        darshan_writer_extension(run->w, DSN_EXT_STACKS, 1, run->stacks.items, run->stacks.n);
    if (!run->no_processes && run->processes.n > 0)
        darshan_writer_extension(run->w, DSN_EXT_PROCESSES, run->processes_version, run->processes.items,
                                 run->processes.n);
    if (run->stamps.n > 0)
        darshan_writer_extension(run->w, DSN_EXT_CPU, 1, run->stamps.items, run->stamps.n * sizeof(darshan_cpu_stamp));
    return darshan_writer_error(run->w, &run->err);
}

/* ------------------------------------------------------------------ first pass */

static int look_at(struct run *run, size_t i)
{
    struct darshan_reader *log = borrow(run, i);
    const struct dsn_header *h;
    const struct dsn_job *job;
    int rc;

    if (!log)
        return run->err.code;
    h = darshan_reader_header(log);
    job = darshan_reader_job(log);
    if (job->start_nsec < 0 || job->start_nsec >= 1000000000) { /* no time can be moved to that of another log */
        give_back(run, i, log);
        return fail(run, DSN_ERR_JOB, NULL);
    }
    if (i == 0)
        run->job = *job;
    add_times(&run->job, job);
    run->partial |= h->partial;
    for (unsigned m = 0; m < DSN_MODULE_SLOTS; m++)
        if (h->mod[m].len > 0 && dsn_rewrite_can(m))
            run->inputs[i].modules |= (uint64_t)1 << m;
    run->modules |= run->inputs[i].modules;
    add_counts(run, log);
    rc = find_group(run, i, log);
    give_back(run, i, log);
    return rc;
}

/* Names and extension section, after all jobs are known. */
static int gather(struct run *run, size_t i)
{
    struct darshan_reader *log = borrow(run, i);
    const struct dsn_job *job;
    int64_t before;
    int rc;

    if (!log)
        return run->err.code;
    job = darshan_reader_job(log);
    before = group_of(run, i)->before;
    run->inputs[i].later =
        (double)job->start_sec - (double)run->job.start_sec + (double)(job->start_nsec - run->job.start_nsec) * 1e-9;
    rc = add_names(run, log);
    if (rc == DSN_ERR_OK)
        rc = add_nodes(run, log);
    if (rc == DSN_ERR_OK)
        rc = add_ranks(run, log, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_shared(log); k++)
        rc = add_row(run, &run->shared, &dsn_sharing_table, darshan_reader_shared_row(log, k), 0, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_files(log); k++)
        rc = add_row(run, &run->files, &dsn_files_table, darshan_reader_file_row(log, k), run->inputs[i].later, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_mapped(log); k++)
        rc = add_row(run, &run->mapped, &dsn_mapped_table, darshan_reader_mapped_row(log, k), 0, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_cufile(log); k++)
        rc = add_row(run, &run->cufile, &dsn_cufile_table, darshan_reader_cufile_row(log, k), 0, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_lbio(log); k++)
        rc = add_row(run, &run->lbio, &dsn_lbio_table, darshan_reader_lbio_row(log, k), 0, before);
    for (size_t k = 0; rc == DSN_ERR_OK && k < darshan_reader_phases(log); k++)
        rc = add_phase(run, darshan_reader_phase(log, k), run->inputs[i].later, before);
    if (rc == DSN_ERR_OK)
        rc = add_sites(run, log, before);
    if (rc == DSN_ERR_OK)
        rc = add_processes(run, log, before);
    if (rc == DSN_ERR_OK)
        rc = add_stamps(run, log, run->inputs[i].later, before);
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
    if (run->ninputs > 1)
        set_metadata(run);
    darshan_writer_partial(run->w, run->partial | 1);
    darshan_writer_job(run->w, &run->job, log ? darshan_reader_exe(log) : "", mounts, nmounts);
    if (log)
        give_back(run, 0, log);
    return darshan_writer_error(run->w, &run->err);
}

/* ------------------------------------------------------------------ modules */

/* Calls `visit` for every log with data of the module, until that returns an error. Returns that error. */
static int visit_logs(struct run *run, unsigned module,
                      int (*visit)(struct run *run, size_t i, struct darshan_reader *log, void *context), void *context)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < run->ninputs && rc == DSN_ERR_OK; i++) {
        struct darshan_reader *log;

        if (!(run->inputs[i].modules >> module & 1))
            continue;
        log = borrow(run, i);
        rc = log ? visit(run, i, log, context) : run->err.code;
        if (log)
            give_back(run, i, log);
    }
    return rc;
}

/* State of copying a module. */
struct passage {
    unsigned module;
    struct dsn_shared *shared; /* the current pass over records that are to be shared: look, or add */
    int adds;
    struct dsn_whole *whole; /* or over those that are */
    struct dsn_rewrite how;
};

static int show(struct run *run, size_t i, struct darshan_reader *log, void *context)
{
    const struct passage *p = context;
    const struct group *g = group_of(run, i);
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(log, p->module, &it, &run->err);

    if (rc != DSN_ERR_OK)
        return rc;
    while (rc == DSN_ERR_OK && (r = darshan_reader_next(it, &run->err)) != NULL) {
        union dsn_any_rec moved;

        memcpy(&moved, r, dsn_rec_size(dsn_table(p->module)));
        dsn_rewrite_move(dsn_table(p->module), run->inputs[i].later, g->before, &moved.rec);
        if (p->whole)
            rc = r->rank < 0 ? dsn_whole_add(p->whole, &moved.rec, g->is.nprocs) : DSN_ERR_OK;
        else
            rc = p->adds ? dsn_shared_add(p->shared, &moved.rec, darshan_reader_tail(it))
                         : dsn_shared_look(p->shared, &moved.rec);
    }
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

        if (row && add_row(run, &run->shared, &dsn_sharing_table, row, 0, 0) != DSN_ERR_OK)
            return run->err.code;
    }
    return dsn_shared_write(p->shared, run->w) == DSN_ERR_OK ? DSN_ERR_OK : darshan_writer_error(run->w, &run->err);
}

static int copy(struct run *run, size_t i, struct darshan_reader *log, void *context)
{
    struct passage *p = context;

    p->how.later = run->inputs[i].later;
    p->how.ranks_before = group_of(run, i)->before;
    return dsn_rewrite_module(log, p->module, &p->how, run->w, &run->err);
}

static int add_apmpi(struct run *run, size_t i, struct darshan_reader *log, void *context)
{
    (void)i;
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

static int look_at_heat(struct run *run, size_t i, struct darshan_reader *log, void *context)
{
    return dsn_heat_look(context, log, run->inputs[i].later, &run->err);
}

static int write_heat(struct run *run, size_t i, struct darshan_reader *log, void *context)
{
    return dsn_heat_write(context, log, run->inputs[i].later, group_of(run, i)->before, run->w, &run->err);
}

static int write_heats(struct run *run)
{
    struct dsn_heat_scale scale = { 0 };
    const int rc = visit_logs(run, DSN_HEATMAP_MODULE, look_at_heat, &scale);

    return rc == DSN_ERR_OK ? visit_logs(run, DSN_HEATMAP_MODULE, write_heat, &scale) : rc;
}

/* Shared records first: those of several logs, then those that become shared, then all others. */
static int write_module(struct run *run, unsigned module)
{
    struct passage p = { .module = module };
    struct dsn_shared shared;
    struct dsn_whole whole;
    int rc = DSN_ERR_OK;

    if (module == DSN_APMPI_MODULE)
        return write_apmpi(run);
    if (module == DSN_HEATMAP_MODULE && run->ninputs > 1)
        return write_heats(run);
    if (run->ninputs > 1 && dsn_whole_can(module)) {
        dsn_whole_init(&whole, module);
        p.whole = &whole;
        rc = visit_logs(run, module, show, &p);
        if (rc == DSN_ERR_OK && dsn_whole_write(&whole, run->w) != DSN_ERR_OK)
            rc = darshan_writer_error(run->w, &run->err);
        p.how.leave_shared = &whole.several;
        p.whole = NULL;
    }
    if (run->redux && dsn_shared_can(module)) {
        dsn_shared_init(&shared, module);
        shared.exact = run->exact;
        p.shared = &shared;
        p.how.leave_out = &shared.ids;
        rc = rc == DSN_ERR_OK ? write_shared(run, &p) : rc;
    }
    if (rc == DSN_ERR_OK)
        rc = visit_logs(run, module, copy, &p);
    if (p.shared)
        dsn_shared_free(&shared);
    if (p.how.leave_shared)
        dsn_whole_free(&whole);
    return rc;
}

/* ------------------------------------------------------------------ main */

static int write_all(struct run *run)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < run->ninputs && rc == DSN_ERR_OK; i++)
        rc = look_at(run, i);
    for (size_t i = 0; i < run->ninputs && rc == DSN_ERR_OK; i++)
        rc = gather(run, i);
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
    if (rc != DSN_ERR_OK && !run->is_refused)
        dsn_rewrite_complain(COMMAND, run->at, run->out, run->w, &run->err);
    darshan_writer_abandon(run->w);
    return rc != DSN_ERR_OK;
}

static void release(struct run *run)
{
    struct name *name = run->names.items;
    struct group *g = run->groups.items;
    char **node = run->nodes.items;

    for (size_t i = 0; i < run->groups.n; i++)
        dsn__idmap_free(&g[i].ranks);
    for (size_t i = 0; i < run->ninputs; i++)
        darshan_reader_close(run->inputs[i].log);
    for (size_t i = 0; i < run->names.n; i++)
        free(name[i].text);
    for (size_t i = 0; i < run->nodes.n; i++)
        free(node[i]);
    free(run->inputs);
    free(run->groups.items);
    free(run->processes.items);
    free(run->names.items);
    free(run->nodes.items);
    free(run->stamps.items);
    free(run->ranks.items);
    free(run->shared.items);
    free(run->files.items);
    free(run->mapped.items);
    free(run->cufile.items);
    free(run->lbio.items);
    free(run->phases.items);
    free(run->sites.items);
    free(run->stacks.items);
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
    case OPT_FORCE:
        run->force = 1;
        return 1;
    default:
        run->has_end = 1;
        return dsn_number(argument, INT64_MIN, &run->end);
    }
}

int main(int argc, char **argv)
{
    struct run run = { .out = NULL, .recovered = -1, .running = -1 };
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

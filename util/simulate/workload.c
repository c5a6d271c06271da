/* workload.c - converts a trace for the simulators
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "workload.h"
#include "util/lib/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dsn_load_init(struct dsn_load *j)
{
    *j = (struct dsn_load){ .cpu = DARSHAN_TRACE_CPU_RECORDED };
    dsn__pairmap_init(&j->process_map);
    dsn__pairmap_init(&j->file_map);
    dsn__pairmap_init(&j->node_map);
    dsn_layouts_init(&j->layouts);
}

static void free_maps(struct dsn_load *j)
{
    dsn__pairmap_free(&j->process_map);
    dsn__pairmap_free(&j->file_map);
    dsn__pairmap_free(&j->node_map);
    free(j->process_of);
    j->process_of = NULL;
}

void dsn_load_free(struct dsn_load *j)
{
    free_maps(j);
    for (size_t i = 0; i < j->nfiles; i++)
        free(j->files[i].path);
    free(j->files);
    dsn_layouts_free(&j->layouts);
    free(j->processes);
    free(j->ops);
    free(j->order);
    *j = (struct dsn_load){ 0 };
}

static int no_memory(struct dsn_load *j)
{
    snprintf(j->err.text, sizeof j->err.text, "does not fit into memory");
    return 0;
}

/* FNV-1a of a name, with different initial values for the two halves of 128 bits: names are considered equal if both
 * are. */
static uint64_t hash_of(const char *text, uint64_t h)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

#define FIRST_HALF  0xcbf29ce484222325u
#define SECOND_HALF 0x9ae16a3b2f90404fu

enum { BY_NAME, BY_ID }; /* how files are identified */

static uint32_t node_of(struct dsn_load *j, const char *host)
{
    if (!host)
        return dsn__pairmap_add(&j->node_map, 0, 0, BY_ID);
    j->hosts_known = 1;
    return dsn__pairmap_add(&j->node_map, hash_of(host, FIRST_HALF), hash_of(host, SECOND_HALF), BY_NAME);
}

static struct dsn_load_process *process_of(struct dsn_load *j, const struct darshan_trace_event *e, uint32_t which,
                                           uint32_t *number)
{
    struct dsn_load_process *p;

    *number = dsn__pairmap_add(&j->process_map, e->process, which, 0);
    if (*number == DSN__PAIR_NONE || !dsn_grow_zeroed(&j->processes, &j->process_room, sizeof *j->processes, *number))
        return NULL;
    p = &j->processes[*number];
    if (*number == j->nprocesses) {
        j->nprocesses++;
        p->id = e->process;
        p->trace = which;
        p->node = node_of(j, e->host);
        if (p->node == DSN__PAIR_NONE)
            return NULL;
    }
    return p;
}

/* Files are the same if their names are, or in Darshan logs their records; otherwise an id belongs to a process. */
static struct dsn_load_file *file_of(struct dsn_load *j, const struct darshan_trace_event *e, uint32_t owner,
                                     int global, uint32_t *number)
{
    struct dsn_load_file *f;

    if (e->path)
        *number = dsn__pairmap_add(&j->file_map, hash_of(e->path, FIRST_HALF), hash_of(e->path, SECOND_HALF) + owner,
                                   BY_NAME);
    else
        *number = dsn__pairmap_add(&j->file_map, e->file, global ? UINT64_MAX : owner, BY_ID);
    if (*number == DSN__PAIR_NONE || !dsn_grow_zeroed(&j->files, &j->file_room, sizeof *j->files, *number))
        return NULL;
    f = &j->files[*number];
    if (*number == j->nfiles) {
        j->nfiles++;
        f->id = e->file;
        f->path = e->path ? strdup(e->path) : NULL;
        if (e->path && !f->path)
            return NULL;
    }
    return f;
}

static int is_wanted(const struct darshan_trace_event *e)
{
    return (e->op == DARSHAN_TRACE_READ || e->op == DARSHAN_TRACE_WRITE || e->op == DARSHAN_TRACE_SYNC) &&
           e->kind == DARSHAN_TRACE_DATA &&
           !(e->flags & (DARSHAN_TRACE_PHYSICAL | DARSHAN_TRACE_FAILED | DARSHAN_TRACE_UNFINISHED));
}

/* Room for one more operation. */
static int grow(struct dsn_load *j)
{
    size_t ops = j->room, processes = j->room;

    if (!dsn_grow(&j->ops, &ops, sizeof *j->ops, j->nops) ||
        !dsn_grow(&j->process_of, &processes, sizeof *j->process_of, j->nops))
        return 0;
    j->room = ops;
    return 1;
}

static int take_event(struct dsn_load *j, const struct darshan_trace_event *e, uint32_t which, int apart, int global)
{
    struct dsn_load_process *p;
    struct dsn_load_file *f;
    struct dsn_load_op *op;
    uint32_t process, file;

    if (e->offset > DSN_LOAD_REACH || e->length > DSN_LOAD_REACH - e->offset) {
        snprintf(j->err.text, sizeof j->err.text, "has an operation that reaches beyond 2^60 bytes");
        return 0;
    }
    p = process_of(j, e, which, &process);
    /* of programs that run apart, each has its own files: processes of one share those that have a name */
    f = p ? file_of(j, e, !apart ? 0 : e->path ? which : process, global && !apart, &file) : NULL;
    if (!f || !grow(j))
        return no_memory(j);
    op = &j->ops[j->nops];
    *op = (struct dsn_load_op){ .start = e->start,
                                .duration = e->duration,
                                .cpu = e->cpu > p->cpu ? e->cpu - p->cpu : 0,
                                .offset = e->offset,
                                .length = e->length,
                                .file = file };
    op->flags = (uint16_t)((e->op == DARSHAN_TRACE_WRITE ? DSN_LOAD_WRITE : 0) |
                           (e->op == DARSHAN_TRACE_SYNC ? DSN_LOAD_SYNC : 0) |
                           (e->flags & DARSHAN_TRACE_ASYNC ? DSN_LOAD_ASYNC : 0) |
                           (e->flags & DARSHAN_TRACE_NO_OFFSET ? DSN_LOAD_NO_OFFSET : 0));
    p->cpu = e->cpu;
    p->n++;
    f->bytes += (double)e->length;
    if (e->offset + e->length > f->extent)
        f->extent = e->offset + e->length;
    if (e->start + e->duration > j->last_end)
        j->last_end = e->start + e->duration;
    j->process_of[j->nops++] = process;
    return 1;
}

int dsn_load_take(struct dsn_load *j, struct darshan_trace *t, uint32_t which, int apart)
{
    const struct darshan_trace_info *info = darshan_trace_info(t);
    const int global = strcmp(info->format, "dxt") == 0;
    struct darshan_trace_event e;
    int rc;

    while ((rc = darshan_trace_next(t, &e, &j->err)) > 0) {
        if (e.op != DARSHAN_TRACE_READ && e.op != DARSHAN_TRACE_WRITE && e.op != DARSHAN_TRACE_SYNC)
            continue;
        if (!is_wanted(&e))
            j->requests++;
        else if (!take_event(j, &e, which, apart, global))
            return 0;
    }
    if (info->cpu != DARSHAN_TRACE_CPU_RECORDED)
        j->cpu = info->cpu;
    j->thinned |= info->thinned;
    j->left_out += info->left_out;
    return rc == 0;
}

/* ------------------------------------------------------------------ layouts of files */

struct named {
    const char *path;
    size_t file;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->path, ((const struct named *)b)->path);
}

/* Finds the layouts of files: traces and records of Lustre have the same names. */
static void find_records(struct dsn_load *j, const struct darshan_reader *log, const struct named *names, size_t n)
{
    for (size_t i = 0; n > 0 && i < darshan_reader_names(log); i++) {
        uint64_t id;
        const struct named key = { darshan_reader_name_at(log, i, &id), 0 };
        const struct named *found = key.path ? bsearch(&key, names, n, sizeof *names, by_path) : NULL;

        if (found && dsn_layouts_get(&j->layouts, id)) {
            j->files[found->file].record = id;
            j->files[found->file].is_striped = 1;
        }
    }
}

int dsn_load_layouts(struct dsn_load *j, const char *name)
{
    struct darshan_reader *log;
    struct darshan_reader_error err;
    struct named *names;
    size_t n = 0;

    if (strcmp(name, "-") == 0 || darshan_reader_open(name, &log, &err) != DSN_ERR_OK)
        return 1;
    names = malloc((j->nfiles + 1) * sizeof *names);
    if (names && dsn_layouts_read(&j->layouts, log, &err) != DSN_ERR_MEMORY) {
        for (size_t i = 0; i < j->nfiles; i++)
            if (j->files[i].path)
                names[n++] = (struct named){ j->files[i].path, i };
        qsort(names, n, sizeof *names, by_path);
        find_records(j, log, names, n);
    }
    darshan_reader_close(log);
    free(names);
    return names != NULL || no_memory(j);
}

int dsn_load_end(struct dsn_load *j)
{
    struct dsn_load_op *sorted;
    size_t at = 0;

    if (j->nops == 0) {
        snprintf(j->err.text, sizeof j->err.text, "%s",
                 j->requests > 0 ? "has only requests to devices, or calls that failed: no reads and writes of programs"
                                 : "has no reads or writes");
        return 0;
    }
    sorted = malloc(j->nops * sizeof *sorted);
    j->order = malloc(j->nops * sizeof *j->order);
    if (!sorted || !j->order) {
        free(sorted);
        return no_memory(j);
    }
    for (size_t i = 0; i < j->nprocesses; i++) {
        j->processes[i].first = at;
        at += j->processes[i].n;
    }
    for (size_t i = 0; i < j->nops; i++) {
        struct dsn_load_process *p = &j->processes[j->process_of[i]];

        j->order[i] = p->first + p->spare++;
        sorted[j->order[i]] = j->ops[i];
        if (!(j->ops[i].flags & DSN_LOAD_SYNC))
            j->bytes[(j->ops[i].flags & DSN_LOAD_WRITE) != 0] += j->ops[i].length;
    }
    free(j->ops);
    j->ops = sorted;
    j->nnodes = (uint32_t)j->node_map.used;
    free_maps(j);
    return 1;
}

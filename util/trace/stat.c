/* stat.c - statistics of a trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The purpose of a file's requests is derived from its regions, at most REGIONS of equal size: how often each was
 * written, read, and read after it was written. Regions grow with the file. Files whose names differ in numbers, and
 * that are written one after another at intervals, are checkpoints though each is written once. */
#include <config.h>
#include "stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "pairmap.h"
#include "texts.h"

#define REGIONS      1024
#define FIRST_REGION 4096u /* bytes */
#define BINS         65536
#define FIRST_BIN    1000000000u /* ns */
#define LEAST_SAVED  3           /* files */
#define LEAST_PAUSE  100000000u  /* ns between two of them: files that are unpacked come faster */
#define ALIKE        0.1         /* difference of their sizes from the median */

struct region {
    uint64_t bytes[2];
    uint64_t low[2], high[2];
    int back; /* read after it was written */
};

struct file {
    struct dsn_trace_file_sums told;
    uint64_t extent;
    uint64_t region_size;
    struct region *regions;
    size_t nregions;
    uint64_t first, last; /* ns: start of the first write, end of the last */
    int was_read, is_numbered;
};

/* A file, per open of a process. */
struct use {
    uint64_t next[2], length[2];
    int any[2];
    uint32_t share;
};

/* A file, per process. */
struct share {
    uint32_t process, file;
    struct dsn_trace_sums sums;
};

struct bins {
    uint64_t (*bytes)[2];
    size_t n, room;
    uint64_t width, last; /* ns */
};

struct dsn_trace_counting {
    struct dsn_trace_stat stat;
    struct dsn__idmap process_index;
    struct dsn_trace_process_sums *processes;
    size_t processes_room;
    struct dsn__pairmap use_index; /* (process, file id) */
    struct use *uses;
    size_t uses_room;
    struct dsn__texts paths;
    struct dsn__pairmap file_index; /* (number of the path, 1), or (process, id) */
    struct file *files;
    size_t files_room;
    struct dsn__pairmap share_index; /* (number of the process, of the file) */
    struct share *shares;
    size_t shares_room;
    struct bins over_cpu, over_time;
    struct dsn_trace_file_sums *listed;
};

const char *dsn_trace_purpose_name(unsigned purpose)
{
    static const char *const names[DSN_NPURPOSES] = { "required", "reread", "checkpoint", "swap" };

    return purpose < DSN_NPURPOSES ? names[purpose] : NULL;
}

struct dsn_trace_counting *dsn_trace_counting_new(void)
{
    struct dsn_trace_counting *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    dsn__idmap_init(&c->process_index);
    dsn__pairmap_init(&c->use_index);
    dsn__pairmap_init(&c->file_index);
    dsn__pairmap_init(&c->share_index);
    dsn__texts_init(&c->paths);
    c->over_cpu.width = c->over_time.width = FIRST_BIN;
    c->stat.begin = UINT64_MAX;
    return c;
}

void dsn_trace_counting_free(struct dsn_trace_counting *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->file_index.used && i < c->files_room; i++)
        free(c->files[i].regions);
    dsn__idmap_free(&c->process_index);
    dsn__pairmap_free(&c->use_index);
    dsn__pairmap_free(&c->file_index);
    dsn__pairmap_free(&c->share_index);
    dsn__texts_free(&c->paths);
    free(c->processes);
    free(c->uses);
    free(c->files);
    free(c->shares);
    free(c->over_cpu.bytes);
    free(c->over_time.bytes);
    free(c->listed);
    free(c);
}

/* ------------------------------------------------------------------ who and what */

static struct dsn_trace_process_sums *process_of(struct dsn_trace_counting *c, const struct darshan_trace_event *e,
                                                 uint32_t *number)
{
    const size_t before = c->process_index.used;
    const uint32_t at = dsn__idmap_add(&c->process_index, e->process, (uint32_t)before);

    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&c->processes, &c->processes_room, sizeof *c->processes, at))
        return NULL;
    if (at == before) {
        c->processes[at].id = e->process;
        c->processes[at].begin = e->start;
        if (e->host)
            strncpy(c->processes[at].host, e->host, sizeof c->processes[at].host - 1);
    }
    *number = at;
    return &c->processes[at];
}

/* A file is identified by its name, or by its id within the process. */
static struct file *file_of(struct dsn_trace_counting *c, const struct darshan_trace_event *e, uint32_t *number)
{
    const int device = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    const uint32_t path = e->path ? dsn__texts_add(&c->paths, e->path, strlen(e->path)) : DSN__NO_TEXT;
    const size_t before = c->file_index.used;
    uint32_t at;

    if (e->path && path == DSN__NO_TEXT)
        return NULL;
    at = device    ? dsn__pairmap_add(&c->file_index, e->file, 0, 2)
         : e->path ? dsn__pairmap_add(&c->file_index, path, 0, 1)
                   : dsn__pairmap_add(&c->file_index, e->process, e->file, 0);
    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&c->files, &c->files_room, sizeof *c->files, at))
        return NULL;
    if (at == before)
        c->files[at] = (struct file){ .told = { .id = e->file,
                                                .process = e->process,
                                                .device = device,
                                                .path = dsn__texts_text(&c->paths, path) },
                                      .region_size = FIRST_REGION };
    if (c->files[at].told.process != e->process)
        c->files[at].told.shared = 1;
    *number = at;
    return &c->files[at];
}

static struct share *share_of(struct dsn_trace_counting *c, uint32_t process, uint32_t file, uint32_t *number)
{
    const uint32_t at = dsn__pairmap_add(&c->share_index, process, file, 0);

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&c->shares, &c->shares_room, sizeof *c->shares, at))
        return NULL;
    c->shares[at].process = process;
    c->shares[at].file = file;
    *number = at;
    return &c->shares[at];
}

static struct use *use_of(struct dsn_trace_counting *c, const struct darshan_trace_event *e)
{
    const uint32_t at = dsn__pairmap_add(&c->use_index, e->process, e->file, (e->flags & DARSHAN_TRACE_PHYSICAL) != 0);

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&c->uses, &c->uses_room, sizeof *c->uses, at))
        return NULL;
    return &c->uses[at];
}

/* ------------------------------------------------------------------ regions of a file */

static void unite(struct region *to, const struct region *from)
{
    for (int i = 0; i < 2; i++) {
        if (from->bytes[i] == 0)
            continue;
        to->low[i] = to->bytes[i] == 0 || from->low[i] < to->low[i] ? from->low[i] : to->low[i];
        to->high[i] = from->high[i] > to->high[i] ? from->high[i] : to->high[i];
        to->bytes[i] += from->bytes[i];
    }
    to->back |= from->back;
}

/* Doubles the size of the regions. */
static void coarsen(struct file *f)
{
    size_t n = (f->nregions + 1) / 2;

    for (size_t i = 0; i < n; i++) {
        f->regions[i] = f->regions[2 * i];
        if (2 * i + 1 < f->nregions)
            unite(&f->regions[i], &f->regions[2 * i + 1]);
    }
    memset(f->regions + n, 0, (f->nregions - n) * sizeof *f->regions);
    f->nregions = n;
    f->region_size *= 2;
}

static int reach(struct file *f, uint64_t last)
{
    size_t n;

    while (last / f->region_size >= REGIONS) {
        if (f->nregions > 0)
            coarsen(f);
        else
            f->region_size *= 2;
    }
    n = (size_t)(last / f->region_size) + 1;
    if (n <= f->nregions)
        return 1;
    if (!dsn_resize(&f->regions, n, sizeof *f->regions))
        return 0;
    memset(f->regions + f->nregions, 0, (n - f->nregions) * sizeof *f->regions);
    f->nregions = n;
    return 1;
}

/* Returns 0 if out of memory. */
static int touch(struct file *f, int write, uint64_t offset, uint64_t length)
{
    uint64_t end = offset + length;

    if (!reach(f, end - 1))
        return 0;
    while (offset < end) {
        struct region *r = &f->regions[offset / f->region_size];
        const uint64_t border = (offset / f->region_size + 1) * f->region_size;
        const uint64_t to = border < end && border > offset ? border : end;

        if (!write && r->bytes[1] > 0 && offset < r->high[1] && to > r->low[1])
            r->back = 1;
        unite(r, &(struct region){ .bytes = { write ? 0 : to - offset, write ? to - offset : 0 },
                                   .low = { offset, offset },
                                   .high = { to, to } });
        offset = to;
    }
    return 1;
}

/* Whether more than once, allowing for partially covered regions at the ends. */
static int again(const struct region *r, int i)
{
    return r->bytes[i] > (r->high[i] - r->low[i]) / 2 * 3;
}

static void judge(const struct file *f, uint64_t purposes[DSN_NPURPOSES])
{
    for (size_t i = 0; i < f->nregions && !f->told.device; i++) { /* a device contains many files */
        const struct region *r = &f->regions[i];

        if (f->is_numbered) {
            purposes[DSN_CHECKPOINT] += r->bytes[1];
            continue;
        }
        if (r->back) {
            purposes[DSN_SWAP] += r->bytes[0] + r->bytes[1];
            continue;
        }
        purposes[again(r, 0) ? DSN_REREAD : DSN_REQUIRED] += r->bytes[0];
        purposes[again(r, 1) ? DSN_CHECKPOINT : DSN_REQUIRED] += r->bytes[1];
    }
}

/* ------------------------------------------------------------------ numbered checkpoints */

struct saved {
    char *kind; /* the name with # for each number */
    uint64_t process;
    struct file *file;
};

static int by_kind(const void *a, const void *b)
{
    const struct saved *x = a, *y = b;
    const int order = strcmp(x->kind, y->kind);

    if (order != 0)
        return order;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->file->first > y->file->first) - (x->file->first < y->file->first);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint64_t median(uint64_t *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return v[n / 2];
}

/* Whether files of one kind, in order, are of about one size, each written after the one before, and pauses between them
 * are longer than they take. `v`: room for n numbers. */
static int are_checkpoints(const struct saved *s, size_t n, uint64_t *v)
{
    uint64_t pause, writing, size;

    for (size_t i = 0; i + 1 < n; i++) {
        if (s[i + 1].file->first < s[i].file->last)
            return 0;
        v[i] = s[i + 1].file->first - s[i].file->last;
    }
    pause = median(v, n - 1);
    for (size_t i = 0; i < n; i++)
        v[i] = s[i].file->last - s[i].file->first;
    writing = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = s[i].file->extent;
    size = median(v, n);
    for (size_t i = 0; i < n; i++)
        if (fabs((double)s[i].file->extent - (double)size) > ALIKE * (double)size)
            return 0;
    return pause >= LEAST_PAUSE && pause > writing;
}

/* A process's files, or those that several wrote. Returns 0 if out of memory. */
static int find_numbered(struct dsn_trace_counting *c)
{
    const size_t most = c->file_index.used;
    struct saved *saved = calloc(most + 1, sizeof *saved);
    uint64_t *v = calloc(most + 1, sizeof *v);
    size_t n = 0;
    int ok = saved && v;

    for (size_t i = 0; ok && i < most; i++) {
        struct file *f = &c->files[i];

        if (f->told.device || f->was_read || f->last == 0 || !f->told.path || !strpbrk(f->told.path, "0123456789"))
            continue;
        saved[n] = (struct saved){ strdup(f->told.path), f->told.shared ? UINT64_MAX : f->told.process, f };
        ok = saved[n].kind != NULL;
        if (ok)
            dsn__mark_numbers(saved[n++].kind, '#');
    }
    if (ok)
        qsort(saved, n, sizeof *saved, by_kind);
    for (size_t i = 0, end; ok && i < n; i = end) {
        end = i + 1;
        while (end < n && saved[end].process == saved[i].process && strcmp(saved[end].kind, saved[i].kind) == 0)
            end++;
        if (end - i >= LEAST_SAVED && are_checkpoints(saved + i, end - i, v))
            for (size_t k = i; k < end; k++)
                saved[k].file->is_numbered = 1;
    }
    for (size_t i = 0; i < n; i++)
        free(saved[i].kind);
    free(saved);
    free(v);
    return ok;
}

/* ------------------------------------------------------------------ bytes over time */

static void widen(struct bins *b)
{
    for (size_t i = 0; i < b->n; i += 2)
        for (int k = 0; k < 2; k++)
            b->bytes[i / 2][k] = b->bytes[i][k] + (i + 1 < b->n ? b->bytes[i + 1][k] : 0);
    b->n = (b->n + 1) / 2;
    if (b->bytes)
        memset(b->bytes + b->n, 0, (b->room - b->n) * sizeof *b->bytes);
    b->width *= 2;
}

static int put_bin(struct bins *b, uint64_t at, int write, uint64_t bytes)
{
    while (at / b->width >= BINS)
        widen(b);
    if (!dsn_grow_zeroed(&b->bytes, &b->room, sizeof *b->bytes, (size_t)(at / b->width)))
        return 0;
    if (at / b->width >= b->n)
        b->n = (size_t)(at / b->width) + 1;
    b->bytes[at / b->width][write] += bytes;
    b->last = at > b->last ? at : b->last;
    return 1;
}

/* ------------------------------------------------------------------ events */

static void add_sums(struct dsn_trace_sums *to, const struct dsn_trace_sums *from)
{
    for (int i = 0; i < 2; i++) {
        to->ios[i] += from->ios[i];
        to->bytes[i] += from->bytes[i];
        to->time[i] += from->time[i];
        to->sequential[i] += from->sequential[i];
        to->same_size[i] += from->same_size[i];
    }
    to->waits += from->waits;
    to->extent += from->extent;
    for (int i = 0; i < DSN_NPURPOSES; i++)
        to->purposes[i] += from->purposes[i];
}

static void count_request(struct dsn_trace_sums *s, struct use *u, const struct darshan_trace_event *e)
{
    const int write = e->op == DARSHAN_TRACE_WRITE;
    const int placed = !(e->flags & DARSHAN_TRACE_NO_OFFSET);

    s->ios[write]++;
    s->bytes[write] += e->length;
    s->time[write] += e->duration;
    s->waits += !(e->flags & DARSHAN_TRACE_ASYNC);
    if (u->any[write]) {
        s->sequential[write] += placed && e->offset == u->next[write];
        s->same_size[write] += e->length == u->length[write];
    }
    if (placed && e->length > 0 && e->offset + e->length > s->extent)
        s->extent = e->offset + e->length;
    u->any[write] = 1;
    u->next[write] = e->offset + e->length;
    u->length[write] = e->length;
}

static int count_place(struct dsn_trace_counting *c, struct file *f, const struct darshan_trace_event *e)
{
    if (e->flags & DARSHAN_TRACE_NO_OFFSET) {
        c->stat.nowhere++;
        return 1;
    }
    if (e->length == 0 || e->offset > INT64_MAX - e->length) /* no file is so large */
        return 1;
    if (e->offset + e->length > f->extent)
        f->extent = e->offset + e->length;
    if (e->op == DARSHAN_TRACE_WRITE) {
        f->first = f->last == 0 ? e->start : f->first;
        f->last = e->start + e->duration + 1 > f->last ? e->start + e->duration + 1 : f->last; /* never 0 */
    } else {
        f->was_read = 1;
    }
    return f->told.device || touch(f, e->op == DARSHAN_TRACE_WRITE, e->offset, e->length);
}

int dsn_trace_count(struct dsn_trace_counting *c, const struct darshan_trace_event *e)
{
    struct dsn_trace_process_sums *process;
    struct file *file;
    struct share *share;
    struct use *use;
    uint32_t p = 0, f = 0, s = 0;
    const int write = e->op == DARSHAN_TRACE_WRITE;

    c->stat.events++;
    if (e->op > DARSHAN_TRACE_WRITE || e->flags & DARSHAN_TRACE_FAILED) {
        c->stat.others += e->op > DARSHAN_TRACE_WRITE;
        c->stat.failed += (e->flags & DARSHAN_TRACE_FAILED) != 0;
        return 1;
    }
    process = process_of(c, e, &p);
    file = file_of(c, e, &f);
    share = process && file ? share_of(c, p, f, &s) : NULL;
    use = share ? use_of(c, e) : NULL;
    if (!use || !count_place(c, file, e) || !put_bin(&c->over_cpu, e->cpu, write, e->length) ||
        !put_bin(&c->over_time, e->start, write, e->length))
        return 0;
    count_request(&share->sums, use, e);
    if (e->cpu > process->cpu)
        process->cpu = e->cpu;
    if (e->start + e->duration > process->end)
        process->end = e->start + e->duration;
    if (e->flags & (DARSHAN_TRACE_PHYSICAL | DARSHAN_TRACE_MISS)) {
        c->stat.disk_requests++;
        c->stat.disk_time += e->duration;
    }
    c->stat.begin = e->start < c->stat.begin ? e->start : c->stat.begin;
    c->stat.end = process->end > c->stat.end ? process->end : c->stat.end;
    return 1;
}

/* ------------------------------------------------------------------ sums */

static int most_requests(const void *a, const void *b)
{
    const struct dsn_trace_file_sums *x = a, *y = b;
    const uint64_t n = x->sums.ios[0] + x->sums.ios[1], m = y->sums.ios[0] + y->sums.ios[1];

    if (n != m)
        return n > m ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Adds what a process did to a file, with its share of the file's purposes. A hostile trace may have more bytes than 64
 * bits can count. */
static void add_share(struct dsn_trace_counting *c, struct share *s)
{
    struct file *f = &c->files[s->file];
    const double bytes = (double)s->sums.bytes[0] + (double)s->sums.bytes[1];
    struct dsn_trace_sums sums = s->sums;
    double all = 0;

    for (int i = 0; i < DSN_NPURPOSES; i++)
        all += (double)f->told.sums.purposes[i];
    for (int i = 0; i < DSN_NPURPOSES && all > 0; i++) {
        const double part = (double)f->told.sums.purposes[i] / all * bytes + .5;

        sums.purposes[i] = part < 0x1p64 ? (uint64_t)part : UINT64_MAX;
    }
    add_sums(&c->processes[s->process].sums, &sums);
    sums = s->sums;
    sums.extent = 0;
    memset(sums.purposes, 0, sizeof sums.purposes);
    add_sums(&f->told.sums, &sums);
}

const struct dsn_trace_stat *dsn_trace_counted(struct dsn_trace_counting *c, uint64_t large)
{
    struct dsn_trace_stat *t = &c->stat;
    const int alone = c->process_index.used == 1 && c->processes[0].cpu > 0;
    const struct bins *b = alone ? &c->over_cpu : &c->over_time;

    if (!find_numbered(c))
        return NULL;
    for (size_t i = 0; i < c->file_index.used; i++) {
        c->files[i].told.sums.extent = c->files[i].extent;
        judge(&c->files[i], c->files[i].told.sums.purposes);
    }
    for (size_t i = 0; i < c->share_index.used; i++)
        if (c->files[c->shares[i].file].extent >= large)
            add_share(c, &c->shares[i]);
    c->listed = calloc(c->file_index.used + 1, sizeof *c->listed);
    if (!c->listed)
        return NULL;
    for (size_t i = 0; i < c->file_index.used; i++)
        if (c->files[i].extent >= large) {
            c->listed[t->nfiles++] = c->files[i].told;
            add_sums(&t->total, &c->files[i].told.sums);
        }
    qsort(c->listed, t->nfiles, sizeof *c->listed, most_requests);
    for (size_t i = 0; i < c->process_index.used; i++)
        t->cpu += c->processes[i].cpu;
    t->begin = t->end == 0 ? 0 : t->begin;
    t->processes = c->processes;
    t->nprocesses = c->process_index.used;
    t->files = c->listed;
    t->series = (struct dsn_trace_series){ (double)b->width / 1e9, alone, b->n, (double)b->last / 1e9,
                                           (const uint64_t(*)[2])b->bytes };
    return t;
}

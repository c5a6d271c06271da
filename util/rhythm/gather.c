/* gather.c - collects the operations of a trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory is bounded: if there are too many operations, consecutive ones of one kind and process are merged, at first
 * those less than a microsecond apart, then ten, and so on. Pauses between bursts are longer. */
#include <config.h>
#include "darshan-log-format/index.h"
#include "gather.h"
#include "util/lib/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CLOSEST 1000u          /* ns */
#define LAST_CLOSEST  1000000000000u /* if there are too many bursts even with pauses of 1000 s, they are not bursts */
#define LONGEST_NAME  4096           /* the rest of a longer one is ignored */

struct dsn_rhythm_input *dsn_rhythm_input_new(size_t most)
{
    struct dsn_rhythm_input *in = calloc(1, sizeof *in);

    if (!in)
        return NULL;
    in->most = most ? most : DSN_RHYTHM_MOST;
    dsn__pairmap_init(&in->process_index);
    dsn__pairmap_init(&in->use_index);
    dsn__pairmap_init(&in->file_index);
    dsn__pairmap_init(&in->kind_index);
    dsn__pairmap_init(&in->like_index);
    dsn__texts_init(&in->paths);
    dsn__texts_init(&in->names);
    return in;
}

void dsn_rhythm_input_free(struct dsn_rhythm_input *in)
{
    if (!in)
        return;
    dsn__pairmap_free(&in->process_index);
    dsn__pairmap_free(&in->use_index);
    dsn__pairmap_free(&in->file_index);
    dsn__pairmap_free(&in->kind_index);
    dsn__pairmap_free(&in->like_index);
    dsn__texts_free(&in->paths);
    dsn__texts_free(&in->names);
    free(in->ops);
    free(in->use_file);
    free(in->use_text);
    free(in->files);
    free(in->kinds);
    free(in->like);
    free(in);
}

/* ------------------------------------------------------------------ files and kinds */

/* "/scratch/step-0001.h5" and "/scratch/step-0002.h5" have the same. */
static uint32_t name_without_numbers(struct dsn_rhythm_input *in, const char *path)
{
    char name[LONGEST_NAME + 1];

    snprintf(name, sizeof name, "%s", path);
    return dsn__texts_add(&in->names, name, dsn__mark_numbers(name, '\1'));
}

/* Files without a name are considered the same in all processes if they have the same id. */
static uint32_t name_of_id(struct dsn_rhythm_input *in, uint64_t id, int is_device)
{
    char name[12] = { '\2', is_device ? 'd' : 'f' };

    memcpy(name + 2, &id, sizeof id);
    return dsn__texts_add(&in->names, name, 2 + sizeof id);
}

/* DSN__PAIR_NONE: no memory. */
static uint32_t add_file(struct dsn_rhythm_input *in, const struct darshan_trace_event *e, uint32_t path)
{
    const int is_device = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    const size_t before = in->file_index.used;
    uint32_t at;

    at = is_device ? dsn__pairmap_add(&in->file_index, e->file, 0, 2)
         : e->path ? dsn__pairmap_add(&in->file_index, path, 0, 1)
                   : dsn__pairmap_add(&in->file_index, e->process, e->file, 0);
    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&in->files, &in->files_room, sizeof *in->files, at))
        return DSN__PAIR_NONE;
    if (at == before) {
        struct dsn_rhythm_file *f = &in->files[at];

        *f = (struct dsn_rhythm_file){
            .path = dsn__texts_text(&in->paths, path), .id = e->file, .process = e->process, .is_device = is_device
        };
        f->name = f->path && !is_device ? name_without_numbers(in, f->path) : name_of_id(in, f->id, is_device);
        if (f->name == DSN__NO_TEXT)
            return DSN__PAIR_NONE;
    }
    return at;
}

/* Consecutive operations usually access the same file: the name is only looked up if it changes. */
static uint32_t file_of(struct dsn_rhythm_input *in, const struct darshan_trace_event *e)
{
    const int is_device = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    const size_t before = in->use_index.used;
    const uint32_t use = dsn__pairmap_add(&in->use_index, e->process, e->file, (uint32_t)is_device);
    uint32_t path = DSN__NO_TEXT;

    if (use == DSN__PAIR_NONE || !dsn_grow_zeroed(&in->use_file, &in->use_file_room, sizeof *in->use_file, use))
        return DSN__PAIR_NONE;
    if (!dsn_grow_zeroed(&in->use_text, &in->use_text_room, sizeof *in->use_text, use))
        return DSN__PAIR_NONE;
    if (use < before) {
        const char *known = dsn__texts_text(&in->paths, in->use_text[use]);

        if (is_device || (!known && !e->path) || (known && e->path && strcmp(known, e->path) == 0))
            return in->use_file[use];
    }
    if (e->path && (path = dsn__texts_add(&in->paths, e->path, strlen(e->path))) == DSN__NO_TEXT)
        return DSN__PAIR_NONE;
    in->use_text[use] = path;
    in->use_file[use] = add_file(in, e, path);
    return in->use_file[use];
}

static uint32_t kind_of(struct dsn_rhythm_input *in, uint32_t file, int is_write, uint64_t size)
{
    const size_t before = in->kind_index.used;
    const uint32_t at = dsn__pairmap_add(&in->kind_index, (uint64_t)file << 1 | (uint64_t)is_write, size, 0);

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&in->kinds, &in->kinds_room, sizeof *in->kinds, at))
        return DSN__PAIR_NONE;
    if (!dsn_grow_zeroed(&in->like, &in->like_room, sizeof *in->like, at))
        return DSN__PAIR_NONE;
    if (at == before) {
        in->kinds[at] = (struct dsn_rhythm_kind){ size, file, (uint8_t)is_write };
        in->like[at] =
            dsn__pairmap_add(&in->like_index, (uint64_t)in->files[file].name << 1 | (uint64_t)is_write, size, 0);
        if (in->like[at] == DSN__PAIR_NONE)
            return DSN__PAIR_NONE;
    }
    return at;
}

/* ------------------------------------------------------------------ operations */

/* Merges operations of the same kind and process that are closer than in->closest. `last`: by process, index of its
 * last operation. */
static void put_together(struct dsn_rhythm_input *in, uint32_t *last)
{
    size_t n = 0;

    memset(last, 0xff, in->process_index.used * sizeof *last);
    for (size_t i = 0; i < in->n; i++) {
        const struct dsn_rhythm_op *op = &in->ops[i];
        struct dsn_rhythm_op *before = last[op->process] == UINT32_MAX ? NULL : &in->ops[last[op->process]];

        if (before && before->kind == op->kind && op->start <= before->end + in->closest &&
            before->start <= op->end + in->closest && before->n <= UINT32_MAX - op->n) {
            before->n += op->n;
            before->start = op->start < before->start ? op->start : before->start;
            before->other_end = op->other_end > before->other_end ? op->other_end : before->other_end;
            before->end = op->end > before->end ? op->end : before->end;
        } else {
            last[op->process] = (uint32_t)n;
            in->ops[n++] = *op;
        }
    }
    in->n = n;
}

/* 0: no memory. */
static int make_room(struct dsn_rhythm_input *in)
{
    uint32_t *last;

    if (in->n < in->room)
        return 1;
    if (in->n < in->most) {
        size_t room = in->room ? 2 * in->room : 1024;

        room = room < in->most ? room : in->most;
        if (!dsn_resize(&in->ops, room, sizeof *in->ops))
            return 0;
        in->room = room;
        return 1;
    }
    last = malloc(in->process_index.used * sizeof *last);
    if (!last)
        return 0;
    for (put_together(in, last); in->n > in->most / 4 * 3 && in->closest < LAST_CLOSEST; put_together(in, last))
        in->closest = in->closest ? 10 * in->closest : FIRST_CLOSEST;
    in->is_full = in->n > in->most / 4 * 3;
    free(last);
    return 1;
}

/* What a program prints is no I/O of files: the lines have a rhythm of their own. */
static int is_terminal(const char *path)
{
    static const char *const names[] = { "<STD", "/dev/pts/", "/dev/tty", "pipe:[", "socket:[" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

void dsn_rhythm_only(struct dsn_rhythm_input *in, const struct dsn_rec *phase)
{
    const double step = phase->v[PHASE_F_STEP].f * 1e9;

    in->only.step = step >= 1 && step < 1e18 ? (uint64_t)step : 1;
    for (int i = 0; i < 8; i++)
        in->only.when[i] = (uint64_t)phase->v[PHASE_WHEN + i].i;
}

static int is_taken(const struct dsn_rhythm_input *in, const struct darshan_trace_event *e)
{
    const uint64_t at = in->only.step > 0 ? e->start / in->only.step : 0;

    return in->only.step == 0 || (at < 512 && (in->only.when[at / 64] >> at % 64 & 1));
}

int dsn_rhythm_take(struct dsn_rhythm_input *in, const struct darshan_trace_event *e)
{
    uint32_t process, file, kind;
    uint64_t end, cpu;

    if (!is_taken(in, e))
        return 1;
    if (e->op > DARSHAN_TRACE_WRITE || e->flags & DARSHAN_TRACE_FAILED || (e->path && is_terminal(e->path))) {
        in->failed += (e->flags & DARSHAN_TRACE_FAILED) != 0;
        in->others += !(e->flags & DARSHAN_TRACE_FAILED);
        return 1;
    }
    if (in->is_full) {
        in->left_out++;
        return 1;
    }
    process = dsn__pairmap_add(&in->process_index, e->process, 0, 0);
    file = process == DSN__PAIR_NONE ? DSN__PAIR_NONE : file_of(in, e);
    kind = file == DSN__PAIR_NONE ? DSN__PAIR_NONE : kind_of(in, file, e->op == DARSHAN_TRACE_WRITE, e->length);
    if (kind == DSN__PAIR_NONE || !make_room(in))
        return 0;
    if (in->is_full) {
        in->left_out++;
        return 1;
    }
    end = e->duration > UINT64_MAX - e->start ? UINT64_MAX : e->start + e->duration;
    cpu = in->has_no_cpu ? 0 : e->cpu;
    in->ops[in->n++] = (struct dsn_rhythm_op){ e->start, end, cpu, cpu, kind, process, 1 };
    return 1;
}

int dsn_rhythm_take_trace(struct dsn_rhythm_input *in, struct darshan_trace *t, struct darshan_trace_error *err)
{
    const struct darshan_trace_info *info = darshan_trace_info(t);
    struct darshan_trace_event e;
    int rc;

    while ((rc = darshan_trace_next(t, &e, err)) > 0)
        if (!dsn_rhythm_take(in, &e))
            return 0;
    in->source = info->format;
    in->cpu = in->has_no_cpu ? DARSHAN_TRACE_CPU_NONE : info->cpu;
    in->epoch = info->epoch;
    return rc < 0 ? -1 : 1;
}

/* ------------------------------------------------------------------ what is known of them */

size_t dsn_rhythm_taken(const struct dsn_rhythm_input *in)
{
    return in->n;
}

const struct dsn_rhythm_kind *dsn_rhythm_kind(const struct dsn_rhythm_input *in, uint32_t number)
{
    return &in->kinds[number];
}

const struct dsn_rhythm_file *dsn_rhythm_file(const struct dsn_rhythm_input *in, uint32_t number)
{
    return &in->files[number];
}

uint64_t dsn_rhythm_process_id(const struct dsn_rhythm_input *in, uint32_t number)
{
    return in->process_index.pairs[number].a;
}

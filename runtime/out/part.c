/* part.c - records and names of this rank as they stand in the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/part.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/pages.h"
#include "core/state.h"
#include "darshan-log-format/extension.h"
#include "module/dxt.h"
#include "out/deflate.h"

char *dsn__pack(const void *bytes, size_t size, size_t stride, size_t *packed)
{
    struct dsn_deflate *work = dsn__pages(sizeof *work);
    char *out = work ? dsn__pages(dsn__deflate_bound(size)) : NULL;

    if (out)
        *packed = dsn__deflate(work, bytes, size, stride, out);
    dsn__pages_free(work);
    return out;
}

/* ------------------------------------------------------------------ facts */

static int is_standard_stream(uint64_t id)
{
    for (int i = 0; i < 3; i++)
        if (id == dsn__state.standard_id[i])
            return 1;
    return 0;
}

/* Bytes are counted at the level of POSIX and STDIO only: those of MPI-IO reach POSIX underneath. */
static void add_totals(union dsn_val *sum, enum dsn_slot slot)
{
    const struct dsn_table *t = dsn_table(dsn__slots[slot]->id);

    for (const struct dsn_live *l = dsn__state.names.live_first[slot]; l; l = l->next) {
        sum[RANK_BYTES_READ].i += dsn_rec_role_i64(t, l->rec, DSN_R_BYTES);
        sum[RANK_BYTES_WRITTEN].i += dsn_rec_role_i64(t, l->rec, DSN_W_BYTES);
        sum[RANK_F_READ_TIME].f += dsn_rec_role_f64(t, l->rec, DSN_R_TIME);
        sum[RANK_F_WRITE_TIME].f += dsn_rec_role_f64(t, l->rec, DSN_W_TIME);
        sum[RANK_F_META_TIME].f += dsn_rec_role_f64(t, l->rec, DSN_M_TIME);
    }
}

static int64_t count_files(void)
{
    int64_t n = 0;

    for (const struct dsn_file *f = dsn__state.names.first; f; f = f->next)
        n += (f->live[DSN_SLOT_POSIX] || f->live[DSN_SLOT_STDIO]) && !is_standard_stream(f->id);
    return n;
}

void dsn__part_facts(struct dsn_part *p, int participates)
{
    const struct dsn_state *s = &dsn__state;
    struct dsn_part_row *row = &p->row;
    struct timespec now;

    memset(p, 0, sizeof *p);
    row->participates = participates;
    gethostname(row->host, sizeof row->host);
    row->host[sizeof row->host - 1] = '\0';
    row->totals.rank = s->rank;
    if (!participates)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    row->start_sec = s->start_sec;
    row->start_nsec = s->start_nsec;
    row->end_sec = now.tv_sec;
    row->end_nsec = now.tv_nsec;
    row->took_init = s->took_init;
    row->partial = atomic_load(&s->partial);
    for (int i = 0; i < DSN_NSLOTS; i++)
        row->active |= s->names.live_first[i] || row->partial >> dsn__slots[i]->id & 1 ? (uint64_t)1 << i : 0;
    add_totals(row->totals.v, DSN_SLOT_POSIX);
    add_totals(row->totals.v, DSN_SLOT_STDIO);
    row->totals.v[RANK_FILES].i = count_files();
    row->totals.v[RANK_FOLDED].i = atomic_load(&s->folded);
    row->totals.v[RANK_MISSED].i = atomic_load(&s->missed);
    row->totals.v[RANK_LIMITED].i = s->lacking.limited;
    row->totals.v[RANK_ENOUGH_MEMORY].i = dsn__folded_memory(&s->lacking, s->config.record_memory);
    row->totals.v[RANK_ENOUGH_RECORDS].i = dsn__folded_records(&s->lacking);
    row->totals.v[RANK_UNTRACED].i = dsn__trace_left_out();
}

/* ------------------------------------------------------------------ parts */

/* Appends a compressed part; nothing at all where there are no bytes. */
static int append(struct dsn_part *p, int part, const void *bytes, size_t size, size_t stride)
{
    size_t packed = 0;
    char *stream, *grown;

    if (size == 0)
        return 1;
    stream = dsn__pack(bytes, size, stride, &packed);
    grown = stream ? dsn__pages(p->size + packed) : NULL;
    if (!grown) {
        dsn__pages_free(stream);
        return 0;
    }
    if (p->size > 0)
        memcpy(grown, p->bytes, p->size);
    memcpy(grown + p->size, stream, packed);
    dsn__pages_free(stream);
    dsn__pages_free(p->bytes);
    p->bytes = grown;
    p->size += packed;
    p->row.length[part] = packed;
    return 1;
}

/* Rank 0 names all its files, the others only those that are not shared by all ranks. */
static int append_names(struct dsn_part *p, const struct dsn_agreement *a)
{
    size_t size = 0;
    char *bytes, *to;
    int ok;

    for (const struct dsn_file *f = dsn__state.names.first; f; f = f->next)
        size += sizeof f->id + strlen(f->name) + 1;
    to = bytes = dsn__pages(size + 1);
    if (!bytes)
        return 0;
    for (const struct dsn_file *f = dsn__state.names.first; f; f = f->next) {
        const size_t n = strlen(f->name) + 1;

        if (dsn__state.rank > 0 && dsn__shared_slots(a, f->id))
            continue;
        memcpy(to, &f->id, sizeof f->id);
        memcpy(to + sizeof f->id, f->name, n);
        to += sizeof f->id + n;
    }
    ok = append(p, 0, bytes, (size_t)(to - bytes), 0);
    dsn__pages_free(bytes);
    return ok;
}

static int by_record_id(const void *a, const void *b)
{
    const struct dsn_live *x = *(struct dsn_live *const *)a, *y = *(struct dsn_live *const *)b;

    return x->rec->id < y->rec->id ? -1 : x->rec->id > y->rec->id;
}

/* Whether this rank writes its own record; where one record of all ranks is, it becomes that. */
static int is_own(enum dsn_slot slot, const struct dsn_agreement *a, struct dsn_rec *rec)
{
    if (dsn__slots[slot]->wanted && !dsn__slots[slot]->wanted(rec))
        return 0;
    if (!a->head.reduce || dsn__slots[slot]->sharing == DSN_ALL_RANKS || !(dsn__shared_slots(a, rec->id) >> slot & 1))
        return 1;
    if (dsn__slots[slot]->sharing == DSN_REDUCED || dsn__state.rank != 0)
        return 0; /* it is in the block, or rank 0's */
    rec->rank = -1;
    return 1;
}

/* This rank's own records of a module (its shared ones are in the block), in the order of the format: by id if the
 * module has shared records, else as they were made. Returns how many. */
static size_t own_records(enum dsn_slot slot, const struct dsn_agreement *a, size_t nshared, struct dsn_live **out)
{
    size_t n = 0;

    for (struct dsn_live *l = dsn__state.names.live_first[slot]; l; l = l->next) {
        if (dsn__slots[slot]->agreed)
            dsn__slots[slot]->agreed(l);
        if (is_own(slot, a, l->rec))
            out[n++] = l;
    }
    if (nshared > 0)
        qsort(out, n, sizeof out[0], by_record_id);
    return n;
}

static size_t tail_of(enum dsn_slot slot, const struct dsn_live *live, void *out)
{
    return dsn__slots[slot]->tail ? dsn__slots[slot]->tail(live, out) : 0;
}

/* Shared records go behind rank 0's own ones. */
static char *put_shared(enum dsn_slot slot, const char *block, size_t n, char *to)
{
    const size_t each = dsn__record_size(slot);

    for (size_t i = 0; dsn__state.rank == 0 && i < n; i++, block += each) {
        if (dsn__slots[slot]->wanted && !dsn__slots[slot]->wanted((const struct dsn_rec *)block))
            continue;
        memcpy(to, block, each);
        to += each;
    }
    return to;
}

static int append_module(struct dsn_part *p, enum dsn_slot slot, const struct dsn_agreement *a,
                         const struct dsn_block *shared)
{
    const size_t each = dsn__record_size(slot);
    const size_t count = dsn__state.names.count[slot];
    size_t nshared = 0, n, size = 1;
    const char *block = shared ? dsn__block_slot(a, shared, slot, &nshared) : NULL;
    struct dsn_live **own = dsn__pages((count + 1) * sizeof own[0]);
    char *bytes, *to;
    int ok;

    n = own ? own_records(slot, a, nshared, own) : 0;
    for (size_t i = 0; i < n; i++)
        size += each + tail_of(slot, own[i], NULL);
    to = bytes = own ? dsn__pages(size + nshared * each) : NULL;
    for (size_t i = 0; bytes && i < n; i++) {
        memcpy(to, own[i]->rec, each);
        to += each + tail_of(slot, own[i], to + each);
    }
    if (bytes)
        to = put_shared(slot, block, nshared, to);
    ok = bytes && append(p, 1 + (int)slot, bytes, (size_t)(to - bytes), each);
    dsn__pages_free(own);
    dsn__pages_free(bytes);
    return ok;
}

int dsn__part_make(struct dsn_part *p, const struct dsn_agreement *a, const struct dsn_block *shared)
{
    int64_t before = dsn__now(), now;

    for (int part = 0; part < DSN_NPARTS; part++, before = now) {
        if (!(part == 0 ? append_names(p, a) : append_module(p, part - 1, a, shared)))
            return 0;
        now = dsn__now();
        p->row.took[part] = now - before;
    }
    return 1;
}

/* counted.c - records of one process, and of two that become one
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/counted.h"

#include <string.h>

#include "base/pages.h"
#include "base/sort.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"

void dsn__counted_of(struct dsn_counted *s, const struct dsn_recording *r)
{
    *s = (struct dsn_counted){ .of = r,
                               .first = r->names->first,
                               .rank = r->run->rank,
                               .lives = r->arena->base,
                               .lives_end = r->arena->base + r->arena->size,
                               .is_in_file = 1,
                               .leads = r->run->rank == 0 };
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        s->live_first[slot] = r->names->live_first[slot];
}

static int by_id(const void *a, const void *b)
{
    const struct dsn_file *x = *(struct dsn_file *const *)a, *y = *(struct dsn_file *const *)b;

    return x->id < y->id ? -1 : x->id > y->id;
}

int dsn__counted_index(struct dsn_counted *s, struct dsn_bump *memory)
{
    size_t n = 0;

    for (const struct dsn_file *f = s->first; f; f = f->next)
        n++;
    if (n > s->by_id_room || !s->by_id) {
        s->by_id_room = n + n / 2 + 1;
        s->by_id = dsn__bump(memory, s->by_id_room * sizeof s->by_id[0]);
    }
    if (!s->by_id)
        return 0;
    s->nby_id = 0;
    for (struct dsn_file *f = s->first; f; f = f->next)
        s->by_id[s->nby_id++] = f;
    dsn__sort(s->by_id, n, sizeof s->by_id[0], by_id);
    return 1;
}

struct dsn_file *dsn__counted_find(const struct dsn_counted *s, uint64_t id)
{
    size_t low = 0, high = s->nby_id;

    if (!s->by_id)
        return dsn__file_by_id(id);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->by_id[middle]->id == id)
            return s->by_id[middle];
        if (s->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ------------------------------------------------------------------ a copy */

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static int copy_names(struct dsn_counted *s, struct dsn_bump *memory)
{
    struct dsn_file **last = &s->first;

    for (const struct dsn_file *f = s->first; f; f = f->next) {
        const size_t size = sizeof *f + strlen(f->name) + 1;
        struct dsn_file *copy = dsn__bump(memory, size);

        if (!copy)
            return 0;
        memcpy(copy->name, f->name, size - sizeof *f);
        copy->id = f->id;
        *last = copy;
        last = &copy->next;
    }
    return 1;
}

static size_t size_of_lives(const struct dsn_counted *s)
{
    size_t size = 0;

    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++)
        for (const struct dsn_live *l = s->live_first[slot]; l; l = l->next)
            size += padded(dsn__slots[slot]->live_size) + padded(dsn__record_size(slot));
    return size;
}

static char *copy_live(struct dsn_counted *s, enum dsn_slot slot, const struct dsn_live *l, char *to)
{
    struct dsn_live *copy = (struct dsn_live *)(void *)to;
    const size_t live = padded(dsn__slots[slot]->live_size), lock = sizeof(dsn_lock);

    memcpy(to + lock, (const char *)l + lock, dsn__slots[slot]->live_size - lock);
    copy->rec = memcpy(to + live, l->rec, dsn__record_size(slot));
    copy->file = dsn__counted_find(s, l->file->id);
    atomic_store(&copy->file->live[slot], copy);
    return to + live + padded(dsn__record_size(slot));
}

/* What is added to the records of another process would be found in the survival file of this one, too, if it is killed. */
static int leave_file(struct dsn_counted *s, struct dsn_bump *memory)
{
    const size_t size = size_of_lives(s);
    char *to = dsn__bump(memory, size + 1);

    if (!to || !copy_names(s, memory) || !dsn__counted_index(s, memory))
        return 0;
    s->is_in_file = 0;
    s->lives = to;
    s->lives_end = to + size;
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        struct dsn_live **last = &s->live_first[slot];

        for (const struct dsn_live *l = *last; l; l = l->next) {
            *last = (struct dsn_live *)(void *)to;
            last = &(*last)->next;
            to = copy_live(s, slot, l, to);
        }
        *last = NULL;
    }
    return 1;
}

/* ------------------------------------------------------------------ adopting */

/* Rows of all ranks have nothing to say of one. */
static void clear_spreads(const struct dsn_table *t, struct dsn_rec *r)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].at >= 0 && t->rows[i].red == DSN_SPREAD)
            r->v[t->rows[i].at].i = 0;
}

static void unite(enum dsn_slot slot, struct dsn_live *mine, struct dsn_live *theirs)
{
    const struct dsn_slot_info *info = dsn__slots[slot];
    const struct dsn_table *t = dsn_table(info->id);

    if (info->join) {
        info->join(mine, theirs);
    } else if (t && info->sharing == DSN_REDUCED) {
        dsn_rec_reduce(t, theirs->rec, 1, mine->rec, 1, DSN_TOP_MERGE);
        clear_spreads(t, mine->rec);
    }
}

static void take_record(struct dsn_counted *s, enum dsn_slot slot, struct dsn_live *live, struct dsn_file *file)
{
    struct dsn_live *known = atomic_load(&file->live[slot]);

    if (known && known != live) {
        unite(slot, known, live);
        return;
    }
    live->file = file;
    live->rec->rank = s->rank;
    live->next = s->live_first[slot];
    s->live_first[slot] = live;
    atomic_store(&file->live[slot], live);
}

/* Names that this one does not know become its own; returns how many. */
static size_t take_names(struct dsn_counted *s, struct dsn_counted *child)
{
    struct dsn_file **link = &child->first, *f;
    size_t n = 0;

    while ((f = *link)) {
        if (dsn__counted_find(s, f->id)) {
            link = &f->next;
            continue;
        }
        *link = f->next;
        f->next = s->first;
        s->first = f;
        n++;
    }
    return n;
}

int dsn__counted_adopt(struct dsn_counted *s, struct dsn_counted *child, struct dsn_bump *memory)
{
    if (s->is_in_file && !leave_file(s, memory))
        return 0;
    if (take_names(s, child) > 0 && !dsn__counted_index(s, memory))
        return 0;
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++)
        for (struct dsn_live *l = child->live_first[slot], *next; l; l = next) {
            next = l->next;
            take_record(s, slot, l, dsn__counted_find(s, l->file->id));
        }
    return 1;
}

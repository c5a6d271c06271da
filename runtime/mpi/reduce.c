/* reduce.c - agreement on shared records, and their reduction
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "mpi/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "core/pages.h"
#include "core/state.h"

#define BLOCK_HEAD sizeof(int64_t)

static uint64_t slots_of(const struct dsn_file *f)
{
    uint64_t slots = 0;

    for (int i = 0; i < DSN_NSLOTS; i++)
        slots |= f->live[i] ? (uint64_t)1 << i : 0;
    return slots;
}

static int by_id(const void *a, const void *b)
{
    const struct dsn_mask *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

int dsn__candidates(struct dsn_agreement *a)
{
    size_t n = 0;

    for (struct dsn_file *f = dsn__state.names.first; f; f = f->next)
        n += slots_of(f) != 0;
    a->mask = dsn__pages(n * sizeof a->mask[0]);
    a->head.n = 0;
    if (!a->mask)
        return 0;
    for (struct dsn_file *f = dsn__state.names.first; f; f = f->next)
        if (slots_of(f))
            a->mask[a->head.n++] = (struct dsn_mask){ f->id, slots_of(f) };
    qsort(a->mask, n, sizeof a->mask[0], by_id);
    return 1;
}

static void and_masks(void *context, const void *theirs, void *mine)
{
    const struct dsn_agreement *a = context;
    const uint64_t *t = theirs;
    uint64_t *m = mine;

    for (size_t i = 0; i < a->head.n; i++)
        m[i] &= t[i];
    m[a->head.n] = t[a->head.n] > m[a->head.n] ? t[a->head.n] : m[a->head.n];
}

static size_t mask_bytes(const struct dsn_agreement *a)
{
    return a->head.n * sizeof a->mask[0];
}

/* Rank 0's head and masks to all. */
static int tell(struct dsn_tree *t, struct dsn_agreement *a)
{
    size_t size = sizeof a->head + mask_bytes(a);
    char *mine = t->rank == 0 ? dsn__pages(size) : NULL;
    void *data = mine;

    if (mine) {
        memcpy(mine, &a->head, sizeof a->head);
        if (a->head.n > 0)
            memcpy(mine + sizeof a->head, a->mask, mask_bytes(a));
    } else if (t->rank == 0) {
        dsn__tree_give_up(t);
    }
    if (dsn__tree_bcast(t, &data, &size) == 0 && t->rank != 0) {
        memcpy(&a->head, data, sizeof a->head);
        if (!a->mask)
            a->mask = dsn__pages(mask_bytes(a));
        if (a->mask)
            memcpy(a->mask, (char *)data + sizeof a->head, mask_bytes(a));
        else
            dsn__tree_give_up(t);
    }
    if (t->failed)
        return -1; /* what was sent stays */
    if (t->rank == 0)
        dsn__pages_free(mine);
    else
        free(data);
    return t->given_up ? -1 : 0;
}

int dsn__meet(struct dsn_tree *t, struct dsn_agreement *a, int participates, int64_t ended)
{
    uint64_t *slots = NULL;
    size_t size;

    tell(t, a);
    size = sizeof slots[0] * (a->head.n + 1); /* behind the masks the time */
    if (!t->given_up && !(slots = dsn__pages(size)))
        dsn__tree_give_up(t);
    for (size_t i = 0; slots && i < a->head.n; i++) {
        const struct dsn_file *f = participates ? dsn__file_by_id(a->mask[i].id) : NULL;

        slots[i] = !participates ? UINT64_MAX : f ? slots_of(f) : 0;
    }
    if (slots)
        slots[a->head.n] = participates ? (uint64_t)ended : 0;
    dsn__tree_reduce(t, slots, size, and_masks, a);
    for (size_t i = 0; slots && i < a->head.n; i++)
        a->mask[i].slots &= slots[i];
    if (slots)
        a->head.ended = (int64_t)slots[a->head.n];
    if (!t->failed)
        dsn__pages_free(slots);
    return t->failed || t->given_up ? -1 : 0;
}

int dsn__agree(struct dsn_tree *t, struct dsn_agreement *a)
{
    return tell(t, a);
}

uint64_t dsn__shared_slots(const struct dsn_agreement *a, uint64_t id)
{
    const struct dsn_mask key = { .id = id };
    const struct dsn_mask *m = a->head.n ? bsearch(&key, a->mask, a->head.n, sizeof a->mask[0], by_id) : NULL;

    return m ? m->slots : 0;
}

/* Whether a record of it is in the block. */
static int is_shared_in(const struct dsn_mask *m, int slot)
{
    return (m->slots >> slot & 1) != 0 && dsn__slots[slot]->sharing == DSN_REDUCED;
}

static size_t record_size(int slot)
{
    return dsn__record_size((enum dsn_slot)slot);
}

static size_t shared_in(const struct dsn_agreement *a, int slot)
{
    size_t n = 0;

    for (size_t i = 0; i < a->head.n; i++)
        n += (size_t)is_shared_in(&a->mask[i], slot);
    return n;
}

int dsn__block_make(const struct dsn_agreement *a, int participates, struct dsn_block *b)
{
    const int64_t ranks = participates ? 1 : 0;
    char *p;

    b->size = BLOCK_HEAD;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        b->size += shared_in(a, slot) * record_size(slot);
    b->bytes = dsn__pages(b->size);
    if (!b->bytes)
        return 0;
    memcpy(b->bytes, &ranks, sizeof ranks);
    if (!participates)
        return 1;
    p = b->bytes + BLOCK_HEAD;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (size_t i = 0; i < a->head.n; i++) {
            if (!is_shared_in(&a->mask[i], slot))
                continue;
            memcpy(p, dsn__file_by_id(a->mask[i].id)->live[slot]->rec, record_size(slot));
            dsn_rec_prepare(dsn_table(dsn__slots[slot]->id), (struct dsn_rec *)p, dsn__state.rank);
            p += record_size(slot);
        }
    return 1;
}

static int64_t ranks_of(const void *block)
{
    int64_t n;

    memcpy(&n, block, sizeof n);
    return n;
}

void dsn__block_merge(void *context, const void *theirs, void *mine)
{
    const struct dsn_agreement *a = context;
    const int64_t their_ranks = ranks_of(theirs), my_ranks = ranks_of(mine), sum = their_ranks + my_ranks;
    size_t at = BLOCK_HEAD;

    if (their_ranks == 0)
        return;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (size_t n = shared_in(a, slot), i = 0; i < n; i++, at += record_size(slot)) {
            const struct dsn_rec *in = (const struct dsn_rec *)((const char *)theirs + at);
            struct dsn_rec *inout = (struct dsn_rec *)((char *)mine + at);

            if (my_ranks == 0)
                memcpy(inout, in, record_size(slot));
            else
                dsn_rec_reduce(dsn_table(dsn__slots[slot]->id), in, their_ranks, inout, my_ranks, DSN_TOP_MERGE);
        }
    memcpy(mine, &sum, sizeof sum);
}

void dsn__block_finish(const struct dsn_agreement *a, struct dsn_block *b)
{
    const int64_t ranks = ranks_of(b->bytes);
    size_t at = BLOCK_HEAD;

    if (ranks == 0)
        return;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (size_t n = shared_in(a, slot), i = 0; i < n; i++, at += record_size(slot))
            dsn_rec_finish(dsn_table(dsn__slots[slot]->id), (struct dsn_rec *)(b->bytes + at), ranks);
}

const char *dsn__block_slot(const struct dsn_agreement *a, const struct dsn_block *b, enum dsn_slot slot, size_t *n)
{
    size_t at = BLOCK_HEAD;

    for (int i = 0; i < (int)slot; i++)
        at += shared_in(a, i) * record_size(i);
    *n = shared_in(a, (int)slot);
    return b->bytes + at;
}

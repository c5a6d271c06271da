/* reduce.c - the block of shared records, and its reduction
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "mpi/reduce.h"

#include <string.h>

#include "core/pages.h"

#define BLOCK_HEAD sizeof(int64_t)

/* Whether a record of it is in the block. */
static int is_shared_in(const struct dsn_mask *m, int slot)
{
    return (m->slots >> slot & 1) != 0 && dsn__slots[slot]->sharing == DSN_REDUCED;
}

static size_t record_size(int slot)
{
    return dsn__record_size((enum dsn_slot)slot);
}

static size_t shared_in(const struct dsn_plan *p, int slot)
{
    const struct dsn_mask *mask = dsn__plan_masks(p);
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += (size_t)is_shared_in(&mask[i], slot);
    return n;
}

int dsn__block_new(const struct dsn_plan *p, struct dsn_block *b)
{
    b->size = BLOCK_HEAD;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        b->size += shared_in(p, slot) * record_size(slot);
    b->bytes = dsn__pages(b->size);
    return b->bytes != NULL;
}

void dsn__block_fill(const struct dsn_plan *p, struct dsn_block *b, int64_t rank, dsn_record_of record_of,
                     void *context)
{
    const struct dsn_mask *mask = dsn__plan_masks(p);
    const int64_t ranks = 1;
    char *to = b->bytes + BLOCK_HEAD;

    memcpy(b->bytes, &ranks, sizeof ranks);
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (size_t i = 0; i < p->n; i++) {
            if (!is_shared_in(&mask[i], slot))
                continue;
            memcpy(to, record_of(context, (enum dsn_slot)slot, mask[i].id), record_size(slot));
            dsn_rec_prepare(dsn_table(dsn__slots[slot]->id), (struct dsn_rec *)(void *)to, rank);
            to += record_size(slot);
        }
}

static int64_t ranks_of(const void *block)
{
    int64_t n;

    memcpy(&n, block, sizeof n);
    return n;
}

void dsn__block_merge(const struct dsn_plan *p, const void *theirs, void *mine)
{
    const int64_t their_ranks = ranks_of(theirs), my_ranks = ranks_of(mine), sum = their_ranks + my_ranks;
    size_t at = BLOCK_HEAD;

    if (their_ranks == 0)
        return;
    for (int slot = 0; slot < DSN_NSLOTS; slot++) {
        const size_t n = shared_in(p, slot), each = record_size(slot);
        struct dsn_reducer reducer;

        if (n > 0)
            dsn_reducer_init(dsn_table(dsn__slots[slot]->id), &reducer);
        for (size_t i = 0; i < n; i++, at += each) {
            const struct dsn_rec *in = (const struct dsn_rec *)(const void *)((const char *)theirs + at);
            struct dsn_rec *inout = (struct dsn_rec *)(void *)((char *)mine + at);

            if (my_ranks == 0)
                memcpy(inout, in, each);
            else
                dsn_reduce(&reducer, in, their_ranks, inout, my_ranks);
        }
    }
    memcpy(mine, &sum, sizeof sum);
}

/* The variance of times that are exact to a millionth is not exact to more: the bits below are noise, which cannot be
 * compressed. */
static void round_variances(const struct dsn_table *t, struct dsn_rec *r)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].red == DSN_SPREAD && t->rows[i].unit == DSN_SECONDS2)
            r->v[t->rows[i].at].f = (float)r->v[t->rows[i].at].f;
}

void dsn__block_finish(const struct dsn_plan *p, struct dsn_block *b)
{
    const int64_t ranks = ranks_of(b->bytes);
    size_t at = BLOCK_HEAD;

    if (ranks == 0)
        return;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (size_t n = shared_in(p, slot), i = 0; i < n; i++, at += record_size(slot)) {
            struct dsn_rec *r = (struct dsn_rec *)(void *)(b->bytes + at);

            dsn_rec_finish(dsn_table(dsn__slots[slot]->id), r, ranks);
            round_variances(dsn_table(dsn__slots[slot]->id), r);
        }
}

const char *dsn__block_slot(const struct dsn_plan *p, const struct dsn_block *b, enum dsn_slot slot, size_t *n)
{
    size_t at = BLOCK_HEAD;

    for (int i = 0; i < (int)slot; i++)
        at += shared_in(p, i) * record_size(i);
    *n = shared_in(p, (int)slot);
    return b->bytes + at;
}

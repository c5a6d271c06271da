/* reduce.c - the block of shared records, and its reduction
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "reduce/reduce.h"

#include <stdbool.h>
#include <string.h>

#include "base/pages.h"
#include "base/sort.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/index.h"
#include "record/module.h"

#define BLOCK_HEAD sizeof(int64_t)

/* Whether the block contains a record of it. */
static bool is_shared_in(const struct dsn_known_id *m, int module)
{
    return (m->modules >> module & 1) != 0 && dsn__modules[module]->sharing == DSN_REDUCED;
}

static const struct dsn_table *table_of(int module)
{
    return dsn__counted_table((enum dsn_module_index)module);
}

static size_t record_size(int module)
{
    return dsn__record_size((enum dsn_module_index)module);
}

static size_t shared_in(const struct dsn_plan *p, int module)
{
    const struct dsn_known_id *known = dsn__plan_shared_ids(p);
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += (size_t)is_shared_in(&known[i], module);
    return n;
}

static size_t records_size(const struct dsn_plan *p)
{
    size_t size = BLOCK_HEAD;

    for (int module = 0; module < DSN_NMODULES; module++)
        size += shared_in(p, module) * record_size(module);
    return size;
}

/* ------------------------------------------------------------------ figures of single ranks */

/* Of what is a part of the extension section, its own records tell what is asked. */
static bool has_figures(int module)
{
    return module < DSN_INDEX_PHASE && dsn_sharing_has_rows(table_of(module));
}

static size_t figures_size(const struct dsn_plan *p)
{
    size_t n = 0;

    for (int module = 0; module < DSN_NMODULES; module++)
        n += has_figures(module) ? shared_in(p, module) : 0;
    return n * dsn_rec_size(&dsn_sharing_table);
}

/* This rank's record becomes figures, and with those of the ranks that the block stands for, if there are any, one record. */
static void add_figures(const struct dsn_table *t, const struct dsn_rec *own, int64_t rank,
                        const struct dsn_reducer *others, char *to)
{
    union dsn_any_rec figures;

    dsn_sharing_row(t, own, rank, &figures.rec);
    if (others)
        dsn_reduce(others, (const struct dsn_rec *)(const void *)to, 0, &figures.rec, 0);
    memcpy(to, &figures, dsn_rec_size(&dsn_sharing_table));
}

static void merge_figures(const struct dsn_plan *p, const char *theirs, char *mine, int is_first)
{
    const size_t begin = records_size(p), size = figures_size(p), each = dsn_rec_size(&dsn_sharing_table);
    struct dsn_reducer reducer;

    if (is_first || size == 0) {
        memcpy(mine + begin, theirs + begin, size);
        return;
    }
    dsn_reducer_init(&dsn_sharing_table, &reducer);
    for (size_t at = begin; at < begin + size; at += each)
        dsn_reduce(&reducer, (const struct dsn_rec *)(const void *)(theirs + at), 0,
                   (struct dsn_rec *)(void *)(mine + at), 0);
}

const void *dsn__block_figures(const struct dsn_plan *p, const struct dsn_shared_block *b, size_t *size)
{
    *size = figures_size(p);
    return b->bytes + records_size(p);
}

/* ------------------------------------------------------------------ frequent values */

unsigned dsn__block_groups(enum dsn_module_index module, uint16_t at[DSN_BLOCK_GROUPS])
{
    const struct dsn_table *t = dsn__modules[module]->values ? table_of(module) : NULL;
    unsigned n = 0;

    for (unsigned i = 0; t && i < t->nrows && n < DSN_BLOCK_GROUPS; i++)
        if (t->rows[i].red == DSN_TOP && t->rows[i].width == 1 && t->rows[i].at >= 0)
            at[n++] = (uint16_t)t->rows[i].at;
    return n;
}

static bool has_values(const struct dsn_known_id *m, int module)
{
    return is_shared_in(m, module) && (m->modules & DSN_MORE_VALUES << module) != 0;
}

/* Iterates over all groups of values in a block. */
struct group {
    const struct dsn_known_id *known;
    int module, at;                /* of the record, and start of the group in it */
    struct dsn_rec *rec;           /* in the block */
    struct dsn_value_count *value; /* DSN_VALUES_MAX */
};

typedef void (*visitor)(void *context, const struct group *g);

static void visit_groups(const struct dsn_plan *p, char *bytes, visitor visit, void *context)
{
    const struct dsn_known_id *known = dsn__plan_shared_ids(p);
    char *rec = bytes + BLOCK_HEAD, *values = bytes + records_size(p) + figures_size(p);

    for (int module = 0; module < DSN_NMODULES; module++) {
        uint16_t at[DSN_BLOCK_GROUPS];
        const unsigned n = dsn__block_groups((enum dsn_module_index)module, at);

        for (size_t i = 0; i < p->n; i++) {
            for (unsigned k = 0; k < n && has_values(&known[i], module); k++) {
                visit(context, &(struct group){ .known = &known[i],
                                                .module = module,
                                                .at = at[k],
                                                .rec = (struct dsn_rec *)(void *)rec,
                                                .value = (struct dsn_value_count *)(void *)values });
                values += DSN_VALUES_MAX * sizeof(struct dsn_value_count);
            }
            if (is_shared_in(&known[i], module))
                rec += record_size(module);
        }
    }
}

static size_t values_size(const struct dsn_plan *p)
{
    const struct dsn_known_id *known = dsn__plan_shared_ids(p);
    size_t groups = 0;

    for (int module = 0; module < DSN_NMODULES; module++) {
        uint16_t at[DSN_BLOCK_GROUPS];
        const unsigned n = dsn__block_groups((enum dsn_module_index)module, at);

        for (size_t i = 0; n > 0 && i < p->n; i++)
            groups += has_values(&known[i], module) ? n : 0;
    }
    return groups * DSN_VALUES_MAX * sizeof(struct dsn_value_count);
}

/* Sorts by count, then value, descending, as in records. */
static int by_count(const void *a, const void *b)
{
    const struct dsn_value_count *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->value > y->value ? -1 : x->value < y->value;
}

static struct dsn_value_count *find_value(struct dsn_value_count *all, unsigned n, int64_t value)
{
    for (unsigned i = 0; i < n; i++)
        if (all[i].value == value)
            return &all[i];
    return NULL;
}

/* Merges `n` values into a group: adds counts, or only raises them to the larger one. The value 0 is not reported, and
 * takes no slot. */
static void unite_values(struct dsn_value_count *group, const struct dsn_value_count *more, unsigned n, int adds)
{
    struct dsn_value_count all[2 * DSN_VALUES_MAX] = { 0 };
    unsigned have = 0;

    while (have < DSN_VALUES_MAX && group[have].count > 0)
        have++;
    memcpy(all, group, have * sizeof all[0]);
    for (unsigned i = 0; i < n; i++) {
        struct dsn_value_count *known = find_value(all, have, more[i].value);

        if (more[i].value == 0 || more[i].count <= 0)
            continue;
        if (!known)
            all[have++] = more[i];
        else if (adds)
            known->count += more[i].count;
        else if (known->count < more[i].count)
            known->count = more[i].count;
    }
    dsn__sort(all, have, sizeof all[0], by_count);
    memcpy(group, all, DSN_VALUES_MAX * sizeof all[0]);
}

/* A rank whose records are added to a block. */
struct rank_values {
    dsn_record_of record_of;
    dsn_values_of values_of;
    void *context;
    int is_first; /* the block does not contain any rank yet */
};

static void add_own(void *context, const struct group *g)
{
    const struct rank_values *r = context;
    const enum dsn_module_index module = (enum dsn_module_index)g->module;
    const union dsn_val *v = &r->record_of(r->context, module, g->known->id)->v[g->at];
    struct dsn_value_count four[4], more[DSN_VALUES_MAX], mine[DSN_VALUES_MAX] = { 0 };

    for (unsigned i = 0; i < 4; i++)
        four[i] = (struct dsn_value_count){ v[i].i, v[4 + i].i };
    unite_values(mine, four, 4, 0);
    unite_values(mine, more, r->values_of(r->context, module, g->known->id, g->at, more), 0);
    if (!r->is_first)
        unite_values(mine, g->value, DSN_VALUES_MAX, 1);
    memcpy(g->value, mine, sizeof mine);
}

/* `context` is the offset of the other block from this one. */
static void add_theirs(void *context, const struct group *g)
{
    const ptrdiff_t *there = context;

    unite_values(g->value, (const struct dsn_value_count *)(const void *)((const char *)g->value + *there),
                 DSN_VALUES_MAX, 1);
}

static void publish(void *context, const struct group *g)
{
    union dsn_val *slots = &g->rec->v[g->at];

    (void)context;
    memset(slots, 0, 8 * sizeof slots[0]);
    for (unsigned i = 0; i < 4; i++)
        dsn_top_publish(slots, 1, &g->value[i].value, g->value[i].count);
}

/* ------------------------------------------------------------------ the block */

size_t dsn__block_bytes(const struct dsn_plan *p)
{
    return records_size(p) + figures_size(p) + values_size(p);
}

static int64_t ranks_of(const void *block)
{
    int64_t n;

    memcpy(&n, block, sizeof n);
    return n;
}

void dsn__block_add(const struct dsn_plan *p, void *block, int64_t rank, dsn_record_of record_of,
                    dsn_values_of values_of, void *context)
{
    const struct dsn_known_id *known = dsn__plan_shared_ids(p);
    const int64_t before = ranks_of(block), ranks = before + 1;
    char *to = (char *)block + BLOCK_HEAD, *figures = (char *)block + records_size(p);
    struct dsn_reducer of_figures;

    if (before > 0)
        dsn_reducer_init(&dsn_sharing_table, &of_figures);
    for (int module = 0; module < DSN_NMODULES; module++) {
        const struct dsn_table *t = table_of(module);
        const size_t each = record_size(module);
        struct dsn_reducer reducer;

        if (before > 0 && shared_in(p, module) > 0)
            dsn_reducer_init(t, &reducer);
        for (size_t i = 0; i < p->n; i++) {
            union dsn_any_rec own;

            if (!is_shared_in(&known[i], module))
                continue;
            memcpy(&own, record_of(context, (enum dsn_module_index)module, known[i].id), each);
            dsn_rec_prepare(t, &own.rec, rank);
            if (has_figures(module)) {
                add_figures(t, &own.rec, rank, before > 0 ? &of_figures : NULL, figures);
                figures += dsn_rec_size(&dsn_sharing_table);
            }
            if (before > 0)
                dsn_reduce(&reducer, (const struct dsn_rec *)(const void *)to, before, &own.rec, 1);
            memcpy(to, &own, each);
            to += each;
        }
    }
    visit_groups(p, block, add_own, &(struct rank_values){ record_of, values_of, context, before == 0 });
    memcpy(block, &ranks, sizeof ranks);
}

void dsn__block_merge(const struct dsn_plan *p, const void *theirs, void *mine)
{
    const int64_t their_ranks = ranks_of(theirs), my_ranks = ranks_of(mine), sum = their_ranks + my_ranks;
    ptrdiff_t there = (const char *)theirs - (const char *)mine;
    size_t at = BLOCK_HEAD;

    if (their_ranks == 0)
        return;
    for (int module = 0; module < DSN_NMODULES; module++) {
        const size_t n = shared_in(p, module), each = record_size(module);
        struct dsn_reducer reducer;

        if (n > 0)
            dsn_reducer_init(table_of(module), &reducer);
        for (size_t i = 0; i < n; i++, at += each) {
            const struct dsn_rec *in = (const struct dsn_rec *)(const void *)((const char *)theirs + at);
            struct dsn_rec *inout = (struct dsn_rec *)(void *)((char *)mine + at);

            if (my_ranks == 0)
                memcpy(inout, in, each);
            else
                dsn_reduce(&reducer, in, their_ranks, inout, my_ranks);
        }
    }
    merge_figures(p, theirs, mine, my_ranks == 0);
    visit_groups(p, mine, add_theirs, &there);
    memcpy(mine, &sum, sizeof sum);
}

/* Times have a resolution of a millionth, and so does their variance: lower bits are noise, which does not compress. */
static void round_variances(const struct dsn_table *t, struct dsn_rec *r)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].red == DSN_SPREAD && t->rows[i].unit == DSN_SECONDS2)
            r->v[t->rows[i].at].f = (float)r->v[t->rows[i].at].f;
}

void dsn__block_finalize(const struct dsn_plan *p, struct dsn_shared_block *b)
{
    const int64_t ranks = ranks_of(b->bytes);
    size_t at = BLOCK_HEAD;

    if (ranks == 0)
        return;
    for (int module = 0; module < DSN_NMODULES; module++)
        for (size_t n = shared_in(p, module), i = 0; i < n; i++, at += record_size(module)) {
            struct dsn_rec *r = (struct dsn_rec *)(void *)(b->bytes + at);

            dsn_rec_finish(table_of(module), r, ranks);
            round_variances(table_of(module), r);
        }
    visit_groups(p, b->bytes, publish, NULL);
}

const char *dsn__block_module(const struct dsn_plan *p, const struct dsn_shared_block *b, enum dsn_module_index module,
                              size_t *n)
{
    size_t at = BLOCK_HEAD;

    for (int i = 0; i < (int)module; i++)
        at += shared_in(p, i) * record_size(i);
    *n = shared_in(p, (int)module);
    return b->bytes + at;
}

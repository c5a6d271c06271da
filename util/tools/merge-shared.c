/* merge-shared.c - finds records that all ranks have, and reduces them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules: spec modules-io.md 10 and parser-output.md 10. */
#include <config.h>
#include "merge-shared.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/index.h"
#include "spread.h"
#include "util/lib/grow.h"

/* A record of dsn_sharing_table. */
union row {
    struct dsn_rec rec;
    uint64_t room[2 + SHARED_NVALUES];
};

struct dsn__candidate {
    uint64_t id;
    uint64_t n;     /* number of its records */
    uint64_t ranks; /* sum of the hashes of their ranks, to distinguish n different ranks from duplicates */
    struct dsn_rank_spread time, bytes;
    union row ranks_of;   /* if the module moves data */
    struct dsn_tail tail; /* a copy */
    void *tail_bytes;
};

int dsn_shared_can(unsigned module)
{
    return dsn_table(module) && module != DSN_HEATMAP_MODULE && module != DSN_APMPI_MODULE;
}

void dsn_shared_init(struct dsn_shared *s, unsigned module)
{
    memset(s, 0, sizeof *s);
    s->table = dsn_table(module);
    s->first_rank = -1;
    dsn_accum_init(&s->accum, s->table, DSN_ACCUM_TOTAL);
    dsn__idmap_init(&s->index);
    dsn__idmap_init(&s->ids);
}

void dsn_shared_free(struct dsn_shared *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->candidates[i].tail_bytes);
    free(s->candidates);
    free(s->records);
    dsn__idmap_free(&s->ids);
    dsn__idmap_free(&s->index);
    dsn_accum_free(&s->accum);
}

int dsn_shared_look(struct dsn_shared *s, const struct dsn_rec *r)
{
    uint32_t at;

    if (r->rank < 0 || (s->first_rank >= 0 && r->rank != s->first_rank) || s->n == DSN_IDMAP_NONE)
        return DSN_ERR_OK;
    s->first_rank = r->rank;
    at = dsn__idmap_add(&s->index, r->id, (uint32_t)s->n);
    if (at == DSN_IDMAP_NONE)
        return DSN_ERR_MEMORY;
    if (at < s->n)
        return DSN_ERR_OK;
    if (!dsn_grow(&s->candidates, &s->room, sizeof *s->candidates, s->n))
        return DSN_ERR_MEMORY;
    memset(&s->candidates[s->n], 0, sizeof s->candidates[0]);
    s->candidates[s->n++].id = r->id;
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ adding up */

static uint64_t rank_hash(int64_t rank)
{
    return dsn_hash(&rank, sizeof rank, 1);
}

/* Copies the tail of the first record. */
static int keep_tail(struct dsn__candidate *c, const struct dsn_tail *tail)
{
    const size_t values = tail->n * sizeof(int64_t), comps = tail->ncomps * sizeof(struct dsn_lustre_comp);

    c->tail_bytes = malloc(values + comps + 1);
    if (!c->tail_bytes)
        return DSN_ERR_MEMORY;
    c->tail.n = tail->n;
    c->tail.ncomps = tail->ncomps;
    c->tail.comps = c->tail_bytes;
    c->tail.values[0] = (int64_t *)((char *)c->tail_bytes + comps);
    if (comps > 0)
        memcpy(c->tail_bytes, tail->comps, comps);
    if (values > 0)
        memcpy((char *)c->tail_bytes + comps, tail->values[0], values);
    return DSN_ERR_OK;
}

/* MDHIM: operations on each server. */
static void add_servers(struct dsn__candidate *c, const struct dsn_tail *tail)
{
    int64_t *sum = c->tail_bytes;

    for (size_t i = 0; i < c->tail.n && i < tail->n; i++)
        sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)tail->values[0][i]);
}

static int add_tail(struct dsn_shared *s, struct dsn__candidate *c, const struct dsn_tail *tail)
{
    if (c->n == 1)
        return keep_tail(c, tail);
    if (s->table->id == DSN_MDHIM_MODULE)
        add_servers(c, tail);
    return DSN_ERR_OK;
}

/* By the rules of the runtime's reduction. */
static void add_exactly(const struct dsn_table *t, const struct dsn__candidate *c, const struct dsn_rec *r,
                        struct dsn_rec *total)
{
    union dsn_any_rec in;

    memcpy(&in, r, dsn_rec_size(t));
    dsn_rec_prepare(t, &in.rec, r->rank);
    if (c->n == 1)
        memcpy(total, &in, dsn_rec_size(t));
    else
        dsn_rec_reduce(t, &in.rec, 1, total, (int64_t)c->n - 1, DSN_TOP_MERGE);
}

static void add_ranks(const struct dsn_table *t, struct dsn__candidate *c, const struct dsn_rec *r)
{
    union row row;

    if (!dsn_sharing_has_rows(t))
        return;
    dsn_sharing_row(t, r, r->rank, &row.rec);
    if (c->n == 1)
        c->ranks_of = row;
    else
        dsn_rec_reduce(&dsn_sharing_table, &row.rec, 1, &c->ranks_of.rec, 1, DSN_TOP_MERGE);
}

static void add_values(struct dsn_shared *s, struct dsn__candidate *c, const struct dsn_rec *r, struct dsn_rec *total)
{
    const struct dsn_table *t = s->table;

    if (t->id == DSN_LUSTRE_MODULE) { /* the layout is the same on all ranks: keeps any record with its tail */
        if (c->n == 1)
            memcpy(total, r, dsn_rec_size(t));
        return;
    }
    if (s->exact)
        add_exactly(t, c, r, total);
    else
        dsn_accum_fold(&s->accum, r, total, c->n == 1);
    if (t->id == DSN_MDHIM_MODULE)
        total->v[MDHIM_SERVERS].i = c->n == 1 ? r->v[MDHIM_SERVERS].i : (int64_t)c->tail.n;
    dsn_spread_add(&c->time, dsn_rec_role_f64(t, r, DSN_R_TIME) + dsn_rec_role_f64(t, r, DSN_W_TIME) +
                                 dsn_rec_role_f64(t, r, DSN_M_TIME));
    dsn_spread_add(&c->bytes,
                   (double)dsn_rec_role_i64(t, r, DSN_R_BYTES) + (double)dsn_rec_role_i64(t, r, DSN_W_BYTES));
}

int dsn_shared_add(struct dsn_shared *s, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t size = dsn_rec_size(s->table);
    const uint32_t at = r->rank < 0 ? DSN_IDMAP_NONE : dsn__idmap_get(&s->index, r->id);
    struct dsn__candidate *c;

    if (at == DSN_IDMAP_NONE)
        return DSN_ERR_OK;
    if (!s->records)
        s->records = calloc(s->n, size);
    if (!s->records)
        return DSN_ERR_MEMORY;
    c = &s->candidates[at];
    c->n++;
    c->ranks += rank_hash(r->rank);
    add_ranks(s->table, c, r);
    add_values(s, c, r, (struct dsn_rec *)(void *)(s->records + at * size));
    return dsn_table_varies(s->table) ? add_tail(s, c, tail) : DSN_ERR_OK;
}

/* ------------------------------------------------------------------ what is shared */

int dsn_shared_decide(struct dsn_shared *s, int64_t nprocs)
{
    uint64_t all = 0, most = 0;

    for (size_t i = 0; i < s->n; i++)
        most = s->candidates[i].n > most ? s->candidates[i].n : most;
    if (nprocs <= 0 || (uint64_t)nprocs > most) /* also bounds the loop for a damaged log */
        return DSN_ERR_OK;
    for (int64_t rank = 0; rank < nprocs; rank++)
        all += rank_hash(rank);
    for (size_t i = 0; i < s->n; i++)
        if (s->candidates[i].n == (uint64_t)nprocs && s->candidates[i].ranks == all &&
            dsn__idmap_add(&s->ids, s->candidates[i].id, (uint32_t)i) == DSN_IDMAP_NONE)
            return DSN_ERR_MEMORY;
    return DSN_ERR_OK;
}

const struct dsn_rec *dsn_shared_ranks(const struct dsn_shared *s, size_t i)
{
    const int is_told =
        dsn_sharing_has_rows(s->table) && dsn__idmap_get(&s->ids, s->candidates[i].id) != DSN_IDMAP_NONE;

    return is_told ? &s->candidates[i].ranks_of.rec : NULL;
}

/* Variances of H5D and PNETCDF_VAR; those of other modules stay 0, as in printed totals. */
static void set_variances(const struct dsn_table *t, const struct dsn__candidate *c, struct dsn_rec *r)
{
    if (t->id != DSN_H5D_MODULE && t->id != DSN_PNETCDF_VAR_MODULE)
        return;
    for (unsigned at = 0; at < t->nvalues; at++) {
        const struct dsn_row *row = dsn_table_row(t, at);

        if (row->red == DSN_SPREAD)
            r->v[at].f = dsn_spread_variance(row->unit == DSN_SECONDS2 ? &c->time : &c->bytes);
    }
}

int dsn_shared_write(struct dsn_shared *s, struct darshan_writer *w)
{
    const size_t size = dsn_rec_size(s->table);

    for (size_t i = 0; i < s->n; i++) {
        struct dsn_rec *r = (struct dsn_rec *)(void *)(s->records + i * size);

        if (dsn__idmap_get(&s->ids, s->candidates[i].id) == DSN_IDMAP_NONE)
            continue;
        r->id = s->candidates[i].id;
        r->rank = -1;
        if (s->exact)
            dsn_rec_finish(s->table, r, (int64_t)s->candidates[i].n);
        else
            set_variances(s->table, &s->candidates[i], r);
        darshan_writer_record(w, s->table->id, r, &s->candidates[i].tail);
    }
    return darshan_writer_error(w, NULL);
}

/* ------------------------------------------------------------------ shared in several logs */

int dsn_whole_can(unsigned module)
{
    return dsn_shared_can(module) && !dsn_table_varies(dsn_table(module));
}

void dsn_whole_init(struct dsn_whole *s, unsigned module)
{
    memset(s, 0, sizeof *s);
    s->table = dsn_table(module);
    dsn__idmap_init(&s->index);
    dsn__idmap_init(&s->several);
}

void dsn_whole_free(struct dsn_whole *s)
{
    free(s->records);
    free(s->ranks);
    dsn__idmap_free(&s->several);
    dsn__idmap_free(&s->index);
}

static struct dsn_rec *whole(const struct dsn_whole *s, size_t i)
{
    return (struct dsn_rec *)(void *)(s->records + i * dsn_rec_size(s->table));
}

static int make_room(struct dsn_whole *s)
{
    size_t records = s->room, ranks = s->room;

    if (!dsn_grow(&s->records, &records, dsn_rec_size(s->table), s->n) ||
        !dsn_grow(&s->ranks, &ranks, sizeof *s->ranks, s->n))
        return 0;
    s->room = records;
    return 1;
}

int dsn_whole_add(struct dsn_whole *s, const struct dsn_rec *r, int64_t nprocs)
{
    const struct dsn_table *t = s->table;
    const uint32_t at = dsn__idmap_add(&s->index, r->id, (uint32_t)s->n);
    union dsn_any_rec in;

    if (at == DSN_IDMAP_NONE || (at == s->n && !make_room(s)))
        return DSN_ERR_MEMORY;
    memcpy(&in, r, dsn_rec_size(t));
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].red == DSN_SPREAD && t->rows[i].at >= 0 && t->rows[i].until == 0)
            in.rec.v[t->rows[i].at].f *= (double)nprocs;
    if (at == s->n) {
        memcpy(whole(s, s->n), &in, dsn_rec_size(t));
        s->ranks[s->n++] = nprocs;
        return DSN_ERR_OK;
    }
    dsn_rec_reduce(t, &in.rec, nprocs, whole(s, at), s->ranks[at], DSN_TOP_MERGE);
    s->ranks[at] = dsn_plus(s->ranks[at], nprocs);
    return dsn__idmap_add(&s->several, r->id, at) == DSN_IDMAP_NONE ? DSN_ERR_MEMORY : DSN_ERR_OK;
}

int dsn_whole_write(struct dsn_whole *s, struct darshan_writer *w)
{
    for (size_t i = 0; i < s->n; i++) {
        struct dsn_rec *r = whole(s, i);

        if (dsn__idmap_get(&s->several, r->id) == DSN_IDMAP_NONE)
            continue;
        dsn_rec_finish(s->table, r, s->ranks[i]);
        darshan_writer_record(w, s->table->id, r, NULL);
    }
    return darshan_writer_error(w, NULL);
}

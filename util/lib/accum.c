/* accum.c - totals, file categories and performance estimate, computed from the roles of a table's rows
 * SPDX-License-Identifier: BSD-3-Clause */
#include "accum.h"
#include "grow.h"
#include "processes.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/index.h"

#define MIB 1048576.0

struct file {
    int64_t r, w; /* bytes */
    int64_t extent;
    int64_t sharing; /* number of records; -1 once a shared record was seen, counting again from there */
    int any_shared;  /* one of the records is shared */
};

struct rank {
    double io, rw, meta;
};

struct dsn__accum_access {
    uint32_t file, rank; /* indexes into the tables */
};

static int64_t role_i64(const struct dsn_accum *a, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < a->role[role].n; i++)
        sum = dsn_plus(sum, r->v[a->role[role].at[i]].i);
    return sum;
}

static double role_f64(const struct dsn_accum *a, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < a->role[role].n; i++)
        sum += r->v[a->role[role].at[i]].f;
    return sum;
}

static void add_row(struct dsn__accum_rows *rows, int at)
{
    if (rows->n < sizeof rows->at / sizeof rows->at[0])
        rows->at[rows->n++] = (uint16_t)at;
}

static int is_extreme(const struct dsn_row *row)
{
    return row && (row->red == DSN_LEAST || row->red == DSN_MOST);
}

void dsn_accum_init(struct dsn_accum *a, const struct dsn_table *t, unsigned what)
{
    memset(a, 0, sizeof *a);
    a->table = t;
    a->what = what;
    a->slowest = t->nvalues;
    a->nsteps = dsn_fold_steps(t, a->steps);
    dsn__idtable_init(&a->files, sizeof(struct file));
    dsn__idtable_init(&a->ranks, sizeof(struct rank));
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];

        if (row->at < 0)
            continue;
        add_row(&a->role[row->role], row->at);
        if (is_extreme(row))
            add_row(&a->extremes, row->at);
        if (row->red == DSN_MOST)
            a->slowest = (uint16_t)row->at;
        if (row->red == DSN_FOLLOW && is_extreme(dsn_table_row(t, (unsigned)row->leader)))
            add_row(row->unit == DSN_RANK ? &a->extreme_ranks : &a->extreme_bytes, row->at);
    }
}

void dsn_accum_free(struct dsn_accum *a)
{
    dsn__idtable_free(&a->files);
    dsn__idtable_free(&a->ranks);
    free(a->accesses);
}

/* ------------------------------------------------------------------ totals */

static void copy_rows(const struct dsn__accum_rows *rows, const struct dsn_rec *from, struct dsn_rec *to)
{
    for (unsigned i = 0; i < rows->n; i++)
        to->v[rows->at[i]] = from->v[rows->at[i]];
}

/* The fastest and slowest rank are defined only as long as all records belong to one file. */
static void forget_extremes(struct dsn_accum *a)
{
    a->total.rec.id = 0;
    for (unsigned i = 0; i < a->extremes.n; i++)
        a->total.rec.v[a->extremes.at[i]].f = 0;
    for (unsigned i = 0; i < a->extreme_ranks.n; i++)
        a->total.rec.v[a->extreme_ranks.at[i]].i = -1;
    for (unsigned i = 0; i < a->extreme_bytes.n; i++)
        a->total.rec.v[a->extreme_bytes.at[i]].i = -1;
}

/* The fastest and slowest rank of a record; of a record that is not shared its own rank is both. */
static void offer_extremes(const struct dsn_accum *a, const struct dsn_rec *r, struct dsn_rec *in)
{
    const double time = role_f64(a, r, DSN_R_TIME) + role_f64(a, r, DSN_W_TIME) + role_f64(a, r, DSN_M_TIME);
    const int64_t bytes = dsn_plus(role_i64(a, r, DSN_R_BYTES), role_i64(a, r, DSN_W_BYTES));

    for (unsigned i = 0; i < a->extremes.n; i++)
        in->v[a->extremes.at[i]].f = time;
    for (unsigned i = 0; i < a->extreme_ranks.n; i++)
        in->v[a->extreme_ranks.at[i]].i = r->rank;
    for (unsigned i = 0; i < a->extreme_bytes.n; i++)
        in->v[a->extreme_bytes.at[i]].i = bytes;
}

/* Changes `in`, a copy of the record. */
static void fold(const struct dsn_accum *a, struct dsn_rec *in, struct dsn_rec *total, int first)
{
    if (in->rank >= 0)
        offer_extremes(a, in, in);
    dsn_fold(a->steps, a->nsteps, in, total);
    if (first) {
        copy_rows(&a->extremes, in, total);
        copy_rows(&a->extreme_ranks, in, total);
        copy_rows(&a->extreme_bytes, in, total);
    }
}

static void add_total(struct dsn_accum *a, const struct dsn_rec *r)
{
    struct dsn_rec *total = &a->total.rec;
    union dsn_any_rec in;

    memcpy(&in, r, dsn_rec_size(a->table));
    /* as in the original: sizes of MPI-IO are ignored if the first is 0, and NB_OPS is not summed up */
    if (a->table->id == DSN_MPIIO_MODULE && in.rec.v[MPIIO_ACCESS1_ACCESS].i == 0)
        memset(&in.rec.v[MPIIO_ACCESS1_ACCESS], 0, 8 * sizeof in.rec.v[0]);
    if (a->table->id == DSN_DAOS_MODULE)
        in.rec.v[DAOS_NB_OPS].i = 0;
    fold(a, &in.rec, total, !a->started);
    if (!a->started) {
        total->id = r->id;
        total->rank = r->rank;
    } else if (r->id != total->id) {
        forget_extremes(a);
    }
}

void dsn_accum_fold(const struct dsn_accum *a, const struct dsn_rec *r, struct dsn_rec *total, int first)
{
    union dsn_any_rec in;

    memcpy(&in, r, dsn_rec_size(a->table));
    fold(a, &in.rec, total, first);
}

const struct dsn_rec *dsn_accum_total(const struct dsn_accum *a)
{
    return &a->total.rec;
}

/* ------------------------------------------------------------------ files */

/* The larger extent of both directions; -1 if the module has no extents or the record's are unknown. */
static int64_t extent(const struct dsn_accum *a, const struct dsn_rec *r)
{
    int64_t most = -1;

    for (int role = DSN_R_EXTENT; role <= DSN_W_EXTENT; role++)
        for (unsigned i = 0; i < a->role[role].n; i++)
            if (r->v[a->role[role].at[i]].i > most)
                most = r->v[a->role[role].at[i]].i;
    return most;
}

static int add_file(struct dsn_accum *a, const struct dsn_rec *r)
{
    const int64_t reach = extent(a, r);
    int fresh;
    struct file *f = dsn__idtable_element(&a->files, r->id, &fresh);

    if (!f)
        return DSN_ERR_MEMORY;
    f->r = dsn_plus(f->r, role_i64(a, r, DSN_R_BYTES));
    f->w = dsn_plus(f->w, role_i64(a, r, DSN_W_BYTES));
    f->extent = reach == -1 || reach > f->extent ? reach : f->extent;
    f->sharing = r->rank == -1 ? -1 : f->sharing + 1;
    f->any_shared |= r->rank == -1;
    return DSN_ERR_OK;
}

/* As in the original, the maximum starts again after a file of unknown extent. */
static void count_file(struct dsn_file_count *c, const struct file *f)
{
    c->files++;
    c->bytes = dsn_plus(c->bytes, dsn_plus(f->r, f->w));
    c->bytes_read = dsn_plus(c->bytes_read, f->r);
    c->bytes_written = dsn_plus(c->bytes_written, f->w);
    c->most_read = f->r > c->most_read ? f->r : c->most_read;
    c->most_written = f->w > c->most_written ? f->w : c->most_written;
    c->extents = f->extent == -1 || c->extents == -1 ? -1 : dsn_plus(c->extents, f->extent);
    c->extent = f->extent == -1 || f->extent > c->extent ? f->extent : c->extent;
}

/* Bit mask of the file's categories. */
static unsigned categories_of(const struct file *f)
{
    const enum dsn_category sharing = f->sharing == -1 ? DSN_SHARED : f->sharing == 1 ? DSN_UNIQUE : DSN_PARTLY_SHARED;
    unsigned is_of = 1U << DSN_ALL_FILES | 1U << sharing;

    if (f->r > 0 && f->w == 0)
        is_of |= 1U << DSN_READ_ONLY;
    if (f->w > 0 && f->r == 0)
        is_of |= 1U << DSN_WRITE_ONLY;
    if (f->r > 0 && f->w > 0)
        is_of |= 1U << DSN_READ_WRITE;
    return is_of;
}

void dsn_accum_files(const struct dsn_accum *a, struct dsn_file_count out[DSN_NCATEGORIES])
{
    const struct file *files = a->files.elements;

    memset(out, 0, DSN_NCATEGORIES * sizeof out[0]);
    for (size_t i = 0; i < a->files.n; i++) {
        const unsigned is_of = categories_of(&files[i]);

        for (int c = 0; c < DSN_NCATEGORIES; c++)
            if (is_of >> c & 1)
                count_file(&out[c], &files[i]);
    }
}

/* ------------------------------------------------------------------ processes */

static int add_access(struct dsn_accum *a, const struct dsn_rec *r)
{
    if (!dsn_grow(&a->accesses, &a->accesses_room, sizeof *a->accesses, a->naccesses))
        return DSN_ERR_MEMORY;
    a->accesses[a->naccesses++] = (struct dsn__accum_access){
        .file = dsn__idmap_get(&a->files.index, r->id),
        .rank = dsn__idmap_get(&a->ranks.index, (uint64_t)r->rank),
    };
    return DSN_ERR_OK;
}

int dsn_accum_processes(const struct dsn_accum *a, int64_t out[DSN_NCATEGORIES])
{
    const struct file *files = a->files.elements;
    unsigned char *is_of = calloc(a->ranks.n + 1, 1); /* of each rank: categories of the files that it has records of */
    unsigned of_all = 0;

    _Static_assert(DSN_NCATEGORIES <= 8, "a bit each");
    if (!is_of)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < a->naccesses; i++)
        is_of[a->accesses[i].rank] |= (unsigned char)categories_of(&files[a->accesses[i].file]);
    for (size_t i = 0; i < a->files.n; i++)
        of_all |= files[i].any_shared ? categories_of(&files[i]) : 0;
    for (int c = 0; c < DSN_NCATEGORIES; c++) {
        out[c] = of_all >> c & 1 ? -1 : 0;
        for (size_t i = 0; i < a->ranks.n && out[c] >= 0; i++)
            out[c] += is_of[i] >> c & 1;
    }
    free(is_of);
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ performance estimate */

static int add_perf(struct dsn_accum *a, const struct dsn_rec *r)
{
    const double meta = role_f64(a, r, DSN_M_TIME), read = role_f64(a, r, DSN_R_TIME);
    const double write = role_f64(a, r, DSN_W_TIME);
    struct rank *rank;
    int fresh;

    a->bytes = dsn_plus(a->bytes, dsn_plus(role_i64(a, r, DSN_R_BYTES), role_i64(a, r, DSN_W_BYTES)));
    if (r->rank == -1) {
        a->shared_io += a->slowest < a->table->nvalues ? r->v[a->slowest].f : 0;
        return DSN_ERR_OK;
    }
    rank = dsn__idtable_element(&a->ranks, (uint64_t)r->rank, &fresh);
    if (!rank)
        return DSN_ERR_MEMORY;
    rank->io += meta + read + write; /* the order affects the last printed digit */
    rank->rw += read + write;
    rank->meta += meta;
    return a->what & DSN_ACCUM_PROCESSES ? add_access(a, r) : DSN_ERR_OK;
}

void dsn_accum_perf(const struct dsn_accum *a, struct dsn_turn *turns, size_t n, struct dsn_perf *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < a->ranks.n; i++) {
        const struct rank *rank = (const struct rank *)a->ranks.elements + i;
        const int64_t number = (int64_t)a->ranks.index.keys[i];

        if (rank->io > out->unique_io || (rank->io == out->unique_io && rank->io > 0 && number < out->unique_rank)) {
            out->unique_io = rank->io;
            out->unique_rw = rank->rw;
            out->unique_meta = rank->meta;
            out->unique_rank = number;
        }
    }
    out->bytes = a->bytes;
    out->shared_io = a->shared_io;
    out->io = out->unique_io + out->shared_io;
    for (size_t i = 0; i < n; i++) {
        const struct rank *rank = dsn__idtable_find(&a->ranks, turns[i].rank);

        turns[i].seconds = rank ? rank->io : 0;
    }
    out->in_turn = dsn_turns_longest(turns, n);
    out->io = out->in_turn > out->io ? out->in_turn : out->io;
    out->mib_per_second = out->io != 0 ? (double)out->bytes / MIB / out->io : 0;
}

int dsn_accum_add(struct dsn_accum *a, const struct dsn_rec *r)
{
    int rc = DSN_ERR_OK;

    if (a->what & DSN_ACCUM_TOTAL)
        add_total(a, r);
    if (a->what & DSN_ACCUM_FILES)
        rc = add_file(a, r);
    if (rc == DSN_ERR_OK && a->what & DSN_ACCUM_PERF)
        rc = add_perf(a, r);
    a->started = 1;
    return rc;
}

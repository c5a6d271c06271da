/* accum.c - totals, file categories and performance estimate, by roles
 * SPDX-License-Identifier: BSD-3-Clause */
#include "accum.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/index.h"

#define MIB 1048576.0

/* One file, or what one stretch of the records said of it. */
struct file {
    uint64_t id;
    uint64_t first; /* number of the record that had it first */
    int64_t r, w;   /* bytes */
    int64_t extent;
    int64_t sharing;                 /* number of records, or -1 since the last reduced one */
    int32_t any_unknown, any_shared; /* an extent was -1; a record was a reduced one: what was before does not count */
};

struct dsn__accum_rank {
    int64_t rank;
    double io, rw, meta;
};

struct dsn__accum_access {
    uint64_t id;
    uint32_t rank; /* index into the ranks */
};

/* Counters of a damaged log may be anything: sums wrap instead of being undefined. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t role_i64(const struct dsn_accum *a, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < a->role[role].n; i++)
        sum = plus(sum, r->v[a->role[role].at[i]].i);
    return sum;
}

static double role_f64(const struct dsn_accum *a, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < a->role[role].n; i++)
        sum += r->v[a->role[role].at[i]].f;
    return sum;
}

static void merge_file(void *into, const void *later, void *context)
{
    struct file *f = into;
    const struct file *other = later;

    (void)context;
    f->r = plus(f->r, other->r);
    f->w = plus(f->w, other->w);
    f->extent = other->any_unknown || other->extent > f->extent ? other->extent : f->extent;
    f->sharing = other->any_shared ? other->sharing : f->sharing + other->sharing;
    f->any_unknown |= other->any_unknown;
    f->any_shared |= other->any_shared;
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
    dsn__bigmap_init(&a->files, sizeof(struct file), merge_file, NULL);
    dsn__idmap_init(&a->rank_index);
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
    dsn__bigmap_free(&a->files);
    dsn__idmap_free(&a->rank_index);
    free(a->ranks);
    free(a->accesses);
}

/* Room for one more element. */
static int reserve(void **array, size_t n, size_t *room, size_t size)
{
    const size_t more = *room ? 2 * *room : 64;
    void *bigger;

    if (n < *room)
        return 1;
    bigger = realloc(*array, more * size);
    if (!bigger)
        return 0;
    *array = bigger;
    *room = more;
    return 1;
}

/* ------------------------------------------------------------------ totals */

static void copy_rows(const struct dsn__accum_rows *rows, const struct dsn_rec *from, struct dsn_rec *to)
{
    for (unsigned i = 0; i < rows->n; i++)
        to->v[rows->at[i]] = from->v[rows->at[i]];
}

/* Fastest and slowest rank are told only while all records are of one file. */
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

/* MPI-IO has never counted the most frequent sizes of a record that does not begin with one. */
static void leave_out_sizes(const struct dsn_table *t, struct dsn_rec *in)
{
    if (t->id == DSN_MPIIO_MODULE && in->v[MPIIO_ACCESS1_ACCESS].i == 0)
        memset(&in->v[MPIIO_ACCESS1_ACCESS], 0, 8 * sizeof in->v[0]);
}

/* Sums that have never been made stay 0. */
static void leave_out(struct dsn_accum *a)
{
    if (a->table->id == DSN_DAOS_MODULE)
        a->total.rec.v[DAOS_NB_OPS].i = 0;
}

/* What a record says about the fastest and the slowest rank: if it is not reduced, that this rank is both. */
static void offer_extremes(const struct dsn_accum *a, const struct dsn_rec *r, struct dsn_rec *in)
{
    const double time = role_f64(a, r, DSN_R_TIME) + role_f64(a, r, DSN_W_TIME) + role_f64(a, r, DSN_M_TIME);
    const int64_t bytes = plus(role_i64(a, r, DSN_R_BYTES), role_i64(a, r, DSN_W_BYTES));

    for (unsigned i = 0; i < a->extremes.n; i++)
        in->v[a->extremes.at[i]].f = time;
    for (unsigned i = 0; i < a->extreme_ranks.n; i++)
        in->v[a->extreme_ranks.at[i]].i = r->rank;
    for (unsigned i = 0; i < a->extreme_bytes.n; i++)
        in->v[a->extreme_bytes.at[i]].i = bytes;
}

/* `in` is a copy of a record, which is changed. */
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
    union {
        struct dsn_rec rec;
        uint64_t room[2 + DSN_MAX_VALUES];
    } in;

    memcpy(&in, r, dsn_rec_size(a->table));
    leave_out_sizes(a->table, &in.rec);
    fold(a, &in.rec, total, !a->started);
    leave_out(a);
    if (!a->started) {
        total->id = r->id;
        total->rank = r->rank;
    } else if (r->id != total->id) {
        forget_extremes(a);
    }
}

void dsn_accum_fold(const struct dsn_accum *a, const struct dsn_rec *r, struct dsn_rec *total, int first)
{
    union {
        struct dsn_rec rec;
        uint64_t room[2 + DSN_MAX_VALUES];
    } in;

    memcpy(&in, r, dsn_rec_size(a->table));
    fold(a, &in.rec, total, first);
}

const struct dsn_rec *dsn_accum_total(const struct dsn_accum *a)
{
    return &a->total.rec;
}

/* ------------------------------------------------------------------ files */

/* The larger extent of both directions; -1 if the module does not keep extents, or the record's are not known. */
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
    struct file *f = dsn__bigmap_element(&a->files, r->id, &fresh);

    if (!f)
        return DSN_ERR_MEMORY;
    if (fresh)
        f->first = a->nadded;
    a->nadded++;
    f->r = plus(f->r, role_i64(a, r, DSN_R_BYTES));
    f->w = plus(f->w, role_i64(a, r, DSN_W_BYTES));
    f->extent = reach == -1 || reach > f->extent ? reach : f->extent;
    f->sharing = r->rank == -1 ? -1 : f->sharing + 1;
    f->any_unknown |= reach == -1;
    f->any_shared |= r->rank == -1;
    return DSN_ERR_OK;
}

/* A category on its way. The highest extent begins anew behind a file whose extent is not known. */
struct count {
    struct dsn_file_count *out;
    uint64_t newest, unknown; /* 1 more than the latest `first`; the same of files whose extent is not known */
};

static void count(struct count *c, const struct file *f)
{
    c->out->files++;
    c->out->bytes = plus(c->out->bytes, plus(f->r, f->w));
    c->out->bytes_read = plus(c->out->bytes_read, f->r);
    c->out->bytes_written = plus(c->out->bytes_written, f->w);
    c->out->most_read = f->r > c->out->most_read ? f->r : c->out->most_read;
    c->out->most_written = f->w > c->out->most_written ? f->w : c->out->most_written;
    c->out->extents = f->extent == -1 || c->out->extents == -1 ? -1 : plus(c->out->extents, f->extent);
    c->out->extent = f->extent > c->out->extent ? f->extent : c->out->extent;
    c->newest = f->first >= c->newest ? f->first + 1 : c->newest;
    if (f->extent == -1 && f->first >= c->unknown)
        c->unknown = f->first + 1;
}

/* Only when all unknown extents have been seen: files do not come in the order of the log. */
static void count_extent(struct count *c, const struct file *f)
{
    if (f->first >= c->unknown && f->extent > c->out->extent)
        c->out->extent = f->extent;
}

/* The categories that a file is of, a bit each. */
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

static void count_in_categories(struct count c[DSN_NCATEGORIES], const struct file *f,
                                void count_one(struct count *, const struct file *))
{
    const unsigned is_of = categories_of(f);

    for (int i = 0; i < DSN_NCATEGORIES; i++)
        if (is_of >> i & 1)
            count_one(&c[i], f);
}

static int count_all(struct dsn_accum *a, struct count c[DSN_NCATEGORIES],
                     void count_one(struct count *, const struct file *))
{
    int rc = DSN_ERR_OK;

    for (unsigned p = 0; p < dsn__bigmap_parts(&a->files) && rc == DSN_ERR_OK; p++) {
        void *elements;
        size_t n;

        rc = dsn__bigmap_read(&a->files, p, &elements, &n);
        for (size_t i = 0; i < n && rc == DSN_ERR_OK; i++)
            count_in_categories(c, (const struct file *)elements + i, count_one);
    }
    return rc;
}

int dsn_accum_files(struct dsn_accum *a, struct dsn_file_count out[DSN_NCATEGORIES])
{
    struct count c[DSN_NCATEGORIES] = { 0 };
    int rc, again = 0;

    memset(out, 0, DSN_NCATEGORIES * sizeof out[0]);
    for (int i = 0; i < DSN_NCATEGORIES; i++)
        c[i].out = &out[i];
    rc = count_all(a, c, count);
    for (int i = 0; i < DSN_NCATEGORIES; i++) {
        if (c[i].unknown > 0)
            out[i].extent = -1;
        again |= c[i].unknown > 0 && c[i].newest > c[i].unknown;
    }
    return rc == DSN_ERR_OK && again ? count_all(a, c, count_extent) : rc;
}

/* ------------------------------------------------------------------ processes */

static int add_access(struct dsn_accum *a, uint64_t id, uint32_t rank)
{
    void *array = a->accesses;

    if (!reserve(&array, a->naccesses, &a->accesses_room, sizeof *a->accesses))
        return 0;
    a->accesses = array;
    a->accesses[a->naccesses++] = (struct dsn__accum_access){ .id = id, .rank = rank };
    return 1;
}

static int compare_accesses(const void *a, const void *b)
{
    const uint64_t x = ((const struct dsn__accum_access *)a)->id, y = ((const struct dsn__accum_access *)b)->id;

    return (x > y) - (x < y);
}

/* The ranks of a file are of its categories; the accesses are sorted. */
static void mark_ranks(const struct dsn_accum *a, const struct file *f, unsigned char *is_of)
{
    size_t low = 0, high = a->naccesses;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (a->accesses[middle].id < f->id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < a->naccesses && a->accesses[low].id == f->id; low++)
        is_of[a->accesses[low].rank] |= (unsigned char)categories_of(f);
}

int dsn_accum_processes(struct dsn_accum *a, int64_t out[DSN_NCATEGORIES])
{
    unsigned char *is_of = calloc(a->nranks + 1, 1);
    unsigned of_all = 0;
    int rc = is_of ? DSN_ERR_OK : DSN_ERR_MEMORY;

    _Static_assert(DSN_NCATEGORIES <= 8, "a bit each");
    if (a->naccesses > 0)
        qsort(a->accesses, a->naccesses, sizeof *a->accesses, compare_accesses);
    for (unsigned p = 0; p < dsn__bigmap_parts(&a->files) && rc == DSN_ERR_OK; p++) {
        void *elements;
        size_t n;

        rc = dsn__bigmap_read(&a->files, p, &elements, &n);
        for (size_t i = 0; i < n && rc == DSN_ERR_OK; i++) {
            const struct file *f = (const struct file *)elements + i;

            of_all |= f->any_shared ? categories_of(f) : 0;
            mark_ranks(a, f, is_of);
        }
    }
    for (int c = 0; c < DSN_NCATEGORIES && rc == DSN_ERR_OK; c++) {
        out[c] = of_all >> c & 1 ? -1 : 0;
        for (size_t i = 0; i < a->nranks && out[c] >= 0; i++)
            out[c] += is_of[i] >> c & 1;
    }
    free(is_of);
    return rc;
}

/* ------------------------------------------------------------------ performance estimate */

static int add_perf(struct dsn_accum *a, const struct dsn_rec *r)
{
    const double meta = role_f64(a, r, DSN_M_TIME), read = role_f64(a, r, DSN_R_TIME);
    const double write = role_f64(a, r, DSN_W_TIME);
    void *array = a->ranks;
    struct dsn__accum_rank *rank;
    uint32_t at;

    a->bytes = plus(a->bytes, plus(role_i64(a, r, DSN_R_BYTES), role_i64(a, r, DSN_W_BYTES)));
    if (r->rank == -1) {
        a->shared_io += a->slowest < a->table->nvalues ? r->v[a->slowest].f : 0;
        return DSN_ERR_OK;
    }
    if (a->nranks >= DSN_IDMAP_NONE || !reserve(&array, a->nranks, &a->ranks_room, sizeof *a->ranks))
        return DSN_ERR_MEMORY;
    a->ranks = array;
    at = dsn__idmap_add(&a->rank_index, (uint64_t)r->rank, (uint32_t)a->nranks);
    if (at == DSN_IDMAP_NONE)
        return DSN_ERR_MEMORY;
    rank = &a->ranks[at];
    if (at == a->nranks) {
        memset(rank, 0, sizeof *rank);
        rank->rank = r->rank;
        a->nranks++;
    }
    if (a->what & DSN_ACCUM_PROCESSES && !add_access(a, r->id, at))
        return DSN_ERR_MEMORY;
    rank->io += meta + read + write; /* in this order: the last printed digit depends on it */
    rank->rw += read + write;
    rank->meta += meta;
    return DSN_ERR_OK;
}

void dsn_accum_perf(const struct dsn_accum *a, struct dsn_perf *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < a->nranks; i++) {
        const struct dsn__accum_rank *rank = &a->ranks[i];

        if (rank->io > out->unique_io ||
            (rank->io == out->unique_io && rank->io > 0 && rank->rank < out->unique_rank)) {
            out->unique_io = rank->io;
            out->unique_rw = rank->rw;
            out->unique_meta = rank->meta;
            out->unique_rank = rank->rank;
        }
    }
    out->bytes = a->bytes;
    out->shared_io = a->shared_io;
    out->io = out->unique_io + out->shared_io;
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

/* record.c - size, loading, reduction of records: loops over the rows of a table
 * SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <string.h>

#define PREFIX (sizeof(uint64_t) + sizeof(int64_t)) /* id and rank */

const struct dsn_row *dsn_table_row(const struct dsn_table *t, unsigned at)
{
    for (unsigned i = at; i < t->nrows; i++)
        if (t->rows[i].at == (int)at)
            return &t->rows[i];
    return NULL;
}

const struct dsn_row *dsn_table_array(const struct dsn_table *t, unsigned i)
{
    for (unsigned k = 0; k < t->nrows; k++)
        if (t->rows[k].fate == DSN_ARRAY && i-- == 0)
            return &t->rows[k];
    return NULL;
}

int dsn_table_varies(const struct dsn_table *t)
{
    return dsn_table_array(t, 0) != NULL;
}

int dsn_row_is_counter(const struct dsn_row *row)
{
    return row->at >= 0 && row->role != DSN_OWNER && row->role != DSN_PLACE;
}

unsigned dsn_role_rows(const struct dsn_table *t, enum dsn_role role, uint16_t *at, unsigned max)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->nrows && n < max; i++)
        if (t->rows[i].role == role && t->rows[i].at >= 0)
            at[n++] = (uint16_t)t->rows[i].at;
    return n;
}

int64_t dsn_rec_role_i64(const struct dsn_table *t, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].role == role && t->rows[i].at >= 0 && r->v[t->rows[i].at].i != -1)
            sum = dsn_plus(sum, r->v[t->rows[i].at].i);
    return sum;
}

double dsn_rec_role_f64(const struct dsn_table *t, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].role == role && t->rows[i].at >= 0 && r->v[t->rows[i].at].f != -1.0)
            sum += r->v[t->rows[i].at].f;
    return sum;
}

/* Whether a row is present in records of that version. */
static int on_disk(const struct dsn_row *row, unsigned version)
{
    return row->fate != DSN_ARRAY && version >= row->since && (row->until == 0 || version < row->until);
}

size_t dsn_rec_disk_size(const struct dsn_table *t, unsigned version)
{
    size_t n = PREFIX;

    if (version == 0 || version > t->version)
        return 0;
    for (unsigned i = 0; i < t->nrows; i++)
        n += on_disk(&t->rows[i], version) ? sizeof(union dsn_val) : 0;
    return n;
}

size_t dsn_rec_size(const struct dsn_table *t)
{
    return PREFIX + t->nvalues * sizeof(union dsn_val);
}

/* The next 8 bytes, in native byte order. */
static uint64_t take(const unsigned char **p, int swap)
{
    const uint64_t v = dsn_u64_at(*p, swap);

    *p += sizeof v;
    return v;
}

static union dsn_val absent(const struct dsn_row *row)
{
    union dsn_val v;

    if (row->kind == DSN_F64)
        v.f = -1.0;
    else
        v.i = row->unit == DSN_RECID ? 0 : -1;
    return v;
}

/* Rows to which old values are added start at 0 instead of "not available". */
static void clear_sums(const struct dsn_table *t, unsigned version, struct dsn_rec *out)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].fate == DSN_ADD && on_disk(&t->rows[i], version))
            out->v[t->rows[i].leader].i = 0;
}

enum dsn_loaded dsn_rec_load(const struct dsn_table *t, unsigned version, int swap, const void *disk,
                             struct dsn_rec *out)
{
    const unsigned char *p = disk;
    enum dsn_loaded result = DSN_LOADED;

    if (version == t->version && !swap) { /* memory and disk have the same layout */
        memcpy(out, disk, dsn_rec_size(t));
        return DSN_LOADED;
    }
    out->id = take(&p, swap);
    out->rank = (int64_t)take(&p, swap);
    for (unsigned i = 0; i < t->nrows; i++)
        if (!on_disk(&t->rows[i], version) && t->rows[i].at >= 0)
            out->v[t->rows[i].at] = absent(&t->rows[i]);
    clear_sums(t, version, out);
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];
        union dsn_val v;

        if (!on_disk(row, version))
            continue;
        v.i = (int64_t)take(&p, swap && row->kind != DSN_RAW);
        if (row->at >= 0)
            out->v[row->at] = v;
        else if (row->fate == DSN_ADD)
            out->v[row->leader].i = dsn_plus(out->v[row->leader].i, v.i);
        else if (row->fate == DSN_SKIP_IF_POSITIVE && v.i > 0)
            result = DSN_SKIPPED;
    }
    return result;
}

/* ------------------------------------------------------------------ most frequent values */

static int64_t *top_count(union dsn_val *slots, unsigned width, unsigned k)
{
    return &slots[4 * width + k].i;
}

static inline int same_tuple(const union dsn_val *a, const int64_t *b, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        if (a[i].i != b[i])
            return 0;
    return 1;
}

/* Moves the slots from `from` on down by one, starting at `k`; slot 3 is dropped. `from` = 3 inserts and drops the last
 * entry; `from` = index of an older copy closes its gap. */
static void top_shift(union dsn_val *slots, unsigned width, unsigned k, unsigned from)
{
    for (unsigned j = from; j > k; j--) {
        memmove(&slots[j * width], &slots[(j - 1) * width], width * sizeof slots[0]);
        *top_count(slots, width, j) = *top_count(slots, width, j - 1);
    }
}

void dsn_top_publish(union dsn_val *slots, unsigned width, const int64_t *value, int64_t count)
{
    unsigned k = 0, old;

    if (value[0] == 0)
        return;
    while (k < 4 && (*top_count(slots, width, k) > count ||
                     (*top_count(slots, width, k) == count && slots[k * width].i > value[0])))
        k++;
    if (k == 4)
        return;
    for (old = k; old < 3 && !same_tuple(&slots[old * width], value, width); old++)
        ;
    top_shift(slots, width, k, old);
    for (unsigned i = 0; i < width; i++)
        slots[k * width + i].i = value[i];
    *top_count(slots, width, k) = count;
}

/* Merges the group of `in` into that of `inout`: counts of equal values are added, then the best four of both are
 * kept. */
static void top_merge(const union dsn_val *in, union dsn_val *inout, unsigned width)
{
    union dsn_val a[4 * 11 + 4], b[4 * 11 + 4];
    const size_t bytes = (4 * width + 4) * sizeof a[0];

    if (in[0].i == 0 && in[width].i == 0 && in[2 * width].i == 0 && in[3 * width].i == 0)
        return; /* `inout` is sorted already */
    memcpy(a, in, bytes);
    memcpy(b, inout, bytes);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++)
            if (b[j * width].i != 0 && same_tuple(&a[i * width], &b[j * width].i, width)) {
                *top_count(a, width, i) = dsn_plus(*top_count(a, width, i), *top_count(b, width, j));
                memset(&b[j * width], 0, width * sizeof b[0]);
                *top_count(b, width, j) = 0;
            }
    memset(inout, 0, bytes);
    for (unsigned i = 0; i < 4; i++)
        dsn_top_publish(inout, width, &a[i * width].i, *top_count(a, width, i));
    for (unsigned j = 0; j < 4; j++)
        dsn_top_publish(inout, width, &b[j * width].i, *top_count(b, width, j));
}

/* The rule of printed totals: counts of known values are increased in place; each unknown value is inserted by its own
 * count (truncated to 32 bits), and the first that finds no place ends the group. */
static inline __attribute__((always_inline)) void top_fold_tuples(const union dsn_val *in, union dsn_val *inout,
                                                                  unsigned width)
{
    int known[4] = { 0 };

    for (unsigned j = 0; j < 4; j++)
        for (unsigned k = 0; k < 4; k++)
            if (same_tuple(&inout[k * width], &in[j * width].i, width)) {
                *top_count(inout, width, k) = dsn_plus(*top_count(inout, width, k), in[4 * width + j].i);
                known[j] = 1;
            }
    for (unsigned j = 0; j < 4; j++) {
        int64_t n = (int32_t)in[4 * width + j].i;
        unsigned k = 0;

        if (known[j])
            continue;
        if (in[j * width].i == 0)
            return;
        while (k < 4 && (*top_count(inout, width, k) > n ||
                         (*top_count(inout, width, k) == n && inout[k * width].i > in[j * width].i)))
            k++;
        if (k == 4)
            return;
        top_shift(inout, width, k, 3);
        memcpy(&inout[k * width], &in[j * width], width * sizeof in[0]);
        *top_count(inout, width, k) = in[4 * width + j].i;
    }
}

/* Single values, which most groups have, are compared without a loop. */
static void top_fold(const union dsn_val *in, union dsn_val *inout, unsigned width)
{
    if (width == 1)
        top_fold_tuples(in, inout, 1);
    else
        top_fold_tuples(in, inout, width);
}

/* ------------------------------------------------------------------ reduction */

static double total_time(const struct dsn_table *t, const struct dsn_rec *r)
{
    return dsn_rec_role_f64(t, r, DSN_R_TIME) + dsn_rec_role_f64(t, r, DSN_W_TIME) + dsn_rec_role_f64(t, r, DSN_M_TIME);
}

static int64_t total_bytes(const struct dsn_table *t, const struct dsn_rec *r)
{
    return dsn_plus(dsn_rec_role_i64(t, r, DSN_R_BYTES), dsn_rec_role_i64(t, r, DSN_W_BYTES));
}

void dsn_rec_prepare(const struct dsn_table *t, struct dsn_rec *r, int64_t rank)
{
    double time = total_time(t, r);
    int64_t bytes = total_bytes(t, r);

    r->rank = -1;
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];
        const struct dsn_row *leader;

        if (row->red == DSN_LEAST || row->red == DSN_MOST)
            r->v[row->at].f = time;
        if (row->red == DSN_SPREAD)
            r->v[row->at].f = 0;
        if (row->red != DSN_FOLLOW)
            continue;
        leader = dsn_table_row(t, (unsigned)row->leader);
        if (leader && (leader->red == DSN_LEAST || leader->red == DSN_MOST))
            r->v[row->at].i = row->unit == DSN_RANK ? rank : bytes;
    }
}

/* Source: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979). */
double dsn_spread(double n1, double t1, double s1, double n2, double t2, double s2)
{
    double d = n2 / n1 * t1 - t2;

    return s1 + s2 + n1 / (n2 * (n1 + n2)) * d * d;
}

static double reduce_f64(unsigned red, double a, double b)
{
    switch (red) {
    case DSN_SUM:
        return a + b;
    case DSN_MAX:
    case DSN_MOST:
        return a > b ? a : b;
    case DSN_LEAST:
        return a < b ? a : b;
    case DSN_MIN_NZ:
        return a > 0 && (b == 0 || a < b) ? a : b;
    case DSN_KEEP:
        return a;
    default:
        return b;
    }
}

static int64_t reduce_i64(unsigned red, int64_t a, int64_t b)
{
    const int64_t sum = dsn_plus(a, b);

    switch (red) {
    case DSN_SUM:
        return sum;
    case DSN_SUM_ABSENT:
        return sum < 0 ? -1 : sum;
    case DSN_MAX:
        return a > b ? a : b;
    case DSN_MIN_NZ:
        return a > 0 && (b == 0 || a < b) ? a : b;
    case DSN_KEEP:
        return a;
    case DSN_ANY1:
        return a == 1 || b == 1;
    default:
        return b;
    }
}

/* How a row's value, and those of the following `n - 1` rows, are reduced. */
static int step_of(const struct dsn_table *t, const struct dsn_row *row, struct dsn_step *out)
{
    if (row->at < 0 || row->red == DSN_PART)
        return 0;
    *out = (struct dsn_step){
        .red = row->red, .kind = row->kind, .unit = row->unit, .width = row->width, .at = (uint16_t)row->at, .n = 1
    };
    if (row->red == DSN_FOLLOW) {
        out->leader = (uint16_t)row->leader;
        out->leader_red = dsn_table_row(t, (unsigned)row->leader)->red;
    }
    return 1;
}

/* Whether a FOLLOW row takes the incoming value because its leader does. Followers are integers, leaders doubles, and
 * integers come first, so the leader still holds both old values. */
static int leader_wins(const struct dsn_step *s, const struct dsn_rec *in, const struct dsn_rec *inout)
{
    const double a = in->v[s->leader].f, b = inout->v[s->leader].f;

    return s->leader_red == DSN_LEAST ? a < b : a > b;
}

/* All steps except DSN_SPREAD. */
static void take_step(const struct dsn_step *s, const struct dsn_rec *in, struct dsn_rec *inout, enum dsn_top_rule rule)
{
    const union dsn_val *a = &in->v[s->at];
    union dsn_val *b = &inout->v[s->at];

    if (s->red == DSN_TOP && rule == DSN_TOP_MERGE)
        top_merge(a, b, s->width);
    else if (s->red == DSN_TOP)
        top_fold(a, b, s->width);
    else if (s->red == DSN_FOLLOW)
        b->i = leader_wins(s, in, inout) ? a->i : b->i;
    else if (s->red == DSN_SUM && s->kind == DSN_F64)
        for (unsigned i = 0; i < s->n; i++)
            b[i].f += a[i].f;
    else if (s->red == DSN_SUM)
        for (unsigned i = 0; i < s->n; i++)
            b[i].i = dsn_plus(a[i].i, b[i].i);
    else if (s->kind == DSN_F64)
        for (unsigned i = 0; i < s->n; i++)
            b[i].f = reduce_f64(s->red, a[i].f, b[i].f);
    else
        for (unsigned i = 0; i < s->n; i++)
            b[i].i = reduce_i64(s->red, a[i].i, b[i].i);
}

void dsn_rec_reduce(const struct dsn_table *t, const struct dsn_rec *in, int64_t in_ranks, struct dsn_rec *inout,
                    int64_t inout_ranks, enum dsn_top_rule rule)
{
    const int spreads = rule == DSN_TOP_MERGE;
    const double in_time = spreads ? total_time(t, in) : 0, time = spreads ? total_time(t, inout) : 0;
    const double in_bytes = spreads ? (double)total_bytes(t, in) : 0;
    const double bytes = spreads ? (double)total_bytes(t, inout) : 0;

    for (unsigned i = 0; i < t->nrows; i++) {
        struct dsn_step s;
        double *f;

        if (!step_of(t, &t->rows[i], &s))
            continue;
        f = &inout->v[s.at].f;
        if (s.red != DSN_SPREAD)
            take_step(&s, in, inout, rule);
        else if (spreads && s.unit == DSN_SECONDS2)
            *f = dsn_spread((double)in_ranks, in_time, in->v[s.at].f, (double)inout_ranks, time, *f);
        else if (spreads)
            *f = dsn_spread((double)in_ranks, in_bytes, in->v[s.at].f, (double)inout_ranks, bytes, *f);
    }
}

unsigned dsn_fold_steps(const struct dsn_table *t, struct dsn_step steps[DSN_MAX_VALUES])
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->nrows; i++) {
        struct dsn_step s, *last = &steps[n - (n > 0)];

        if (!step_of(t, &t->rows[i], &s) || s.red == DSN_SPREAD)
            continue;
        if (n > 0 && s.red == last->red && s.kind == last->kind && s.red != DSN_TOP && s.red != DSN_FOLLOW &&
            s.at == last->at + last->n)
            last->n++;
        else
            steps[n++] = s;
    }
    return n;
}

void dsn_fold(const struct dsn_step *steps, unsigned n, const struct dsn_rec *in, struct dsn_rec *inout)
{
    for (unsigned i = 0; i < n; i++)
        take_step(&steps[i], in, inout, DSN_TOP_FOLD);
}

void dsn_reducer_init(const struct dsn_table *t, struct dsn_reducer *r)
{
    static const enum dsn_role times[] = { DSN_R_TIME, DSN_W_TIME, DSN_M_TIME }, bytes[] = { DSN_R_BYTES, DSN_W_BYTES };

    memset(r, 0, sizeof *r);
    r->nsteps = dsn_fold_steps(t, r->step);
    for (unsigned i = 0; i < 3; i++)
        r->ntimes += dsn_role_rows(t, times[i], r->time + r->ntimes, 8 - r->ntimes);
    for (unsigned i = 0; i < 2; i++)
        r->nbytes += dsn_role_rows(t, bytes[i], r->bytes + r->nbytes, 8 - r->nbytes);
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];

        if (row->red == DSN_SPREAD && row->unit == DSN_SECONDS2) {
            r->has_time_spread = 1;
            r->time_spread = (uint16_t)row->at;
        } else if (row->red == DSN_SPREAD) {
            r->has_bytes_spread = 1;
            r->bytes_spread = (uint16_t)row->at;
        }
    }
}

static double time_of(const struct dsn_reducer *r, const struct dsn_rec *rec)
{
    double sum = 0;

    for (unsigned i = 0; i < r->ntimes; i++)
        sum += rec->v[r->time[i]].f != -1.0 ? rec->v[r->time[i]].f : 0;
    return sum;
}

static double bytes_of(const struct dsn_reducer *r, const struct dsn_rec *rec)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < r->nbytes; i++)
        sum = rec->v[r->bytes[i]].i != -1 ? dsn_plus(sum, rec->v[r->bytes[i]].i) : sum;
    return (double)sum;
}

void dsn_reduce(const struct dsn_reducer *r, const struct dsn_rec *in, int64_t in_ranks, struct dsn_rec *inout,
                int64_t inout_ranks)
{
    if (r->has_time_spread) /* before the sums that they depend on change */
        inout->v[r->time_spread].f = dsn_spread((double)in_ranks, time_of(r, in), in->v[r->time_spread].f,
                                                (double)inout_ranks, time_of(r, inout), inout->v[r->time_spread].f);
    if (r->has_bytes_spread)
        inout->v[r->bytes_spread].f = dsn_spread((double)in_ranks, bytes_of(r, in), in->v[r->bytes_spread].f,
                                                 (double)inout_ranks, bytes_of(r, inout), inout->v[r->bytes_spread].f);
    for (unsigned i = 0; i < r->nsteps; i++)
        take_step(&r->step[i], in, inout, DSN_TOP_MERGE);
}

void dsn_rec_finish(const struct dsn_table *t, struct dsn_rec *r, int64_t ranks)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].red == DSN_SPREAD)
            r->v[t->rows[i].at].f /= (double)ranks;
}

/* layer.c - I/O layers: the rows of a table that they use, and sums over its records
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/lib/grow.h"
#include "layer.h"

#include "darshan-log-format/extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COMMON 65536 /* sizes that are distinguished */

const struct dsn__layer_kind *dsn__layer_kind(size_t i)
{
    static const struct dsn__layer_kind kinds[] = {
        { DSN_POSIX_MODULE, "POSIX", 0, 1 },
        { DSN_STDIO_MODULE, "STDIO", 0, 1 },
        { DSN_DFS_MODULE, "DFS", 0, 1 },
        { DSN_DAOS_MODULE, "DAOS", 0, 1 },
        { DSN_REPORT_CUFILE, "cuFile", 0, 1 },
        { DSN_MPIIO_MODULE, "MPI-IO", 0, 0 },
        { DSN_H5F_MODULE, "HDF5 files", 0, 0 },
        { DSN_H5D_MODULE, "HDF5 datasets", 1, 0 },
        { DSN_PNETCDF_FILE_MODULE, "PnetCDF files", 0, 0 },
        { DSN_PNETCDF_VAR_MODULE, "PnetCDF variables", 1, 0 },
    };
    _Static_assert(sizeof kinds / sizeof kinds[0] <= DSN_REPORT_MAX_LAYERS, "room for all layers");

    return i < sizeof kinds / sizeof kinds[0] ? &kinds[i] : NULL;
}

/* ------------------------------------------------------------------ work */

double dsn_work_time(const struct dsn_work *w)
{
    return w->read + w->write + w->meta;
}

double dsn_work_bytes(const struct dsn_work *w)
{
    return (double)w->bytes_read + (double)w->bytes_written;
}

int64_t dsn__plus(int64_t a, int64_t b)
{
    return a + b < DSN__MOST ? a + b : DSN__MOST;
}

void dsn_work_add(struct dsn_work *to, const struct dsn_work *w)
{
    to->read += w->read;
    to->write += w->write;
    to->meta += w->meta;
    to->bytes_read = dsn__plus(to->bytes_read, w->bytes_read);
    to->bytes_written = dsn__plus(to->bytes_written, w->bytes_written);
    to->reads = dsn__plus(to->reads, w->reads);
    to->writes = dsn__plus(to->writes, w->writes);
}

/* ------------------------------------------------------------------ rows */

static int starts_with(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static int ends_with(const char *s, const char *with)
{
    const size_t n = strlen(s), m = strlen(with);

    return n >= m && strcmp(s + n - m, with) == 0;
}

/* Finds the rows that have no role by the suffix of their name. */
static void note_row(struct dsn_report_layer *l, const struct dsn_row *row)
{
    const char *name = row->name + strlen(l->table->key) + 1;
    const int is_extreme = row->red == DSN_FOLLOW && row->leader >= 0;
    const struct dsn_row *leader = is_extreme ? dsn_table_row(l->table, (unsigned)row->leader) : NULL;

    if (starts_with(name, "SIZE_READ_") && (ends_with(name, "READ_0_100") || ends_with(name, "AGG_0_100")))
        l->at.read_sizes = row->at;
    if (starts_with(name, "SIZE_WRITE_") && (ends_with(name, "WRITE_0_100") || ends_with(name, "AGG_0_100")))
        l->at.write_sizes = row->at;
    if (row->red == DSN_TOP && starts_with(name, "ACCESS1_")) {
        l->at.common = row->at;
        l->at.width = row->width;
    }
    if (row->red == DSN_MOST)
        l->at.slowest_time = row->at;
    if (row->red == DSN_LEAST)
        l->at.fastest_time = row->at;
    if (leader && leader->red == DSN_MOST)
        *(row->unit == DSN_RANK ? &l->at.slowest_rank : &l->at.slowest_bytes) = row->at;
    if (leader && leader->red == DSN_LEAST)
        *(row->unit == DSN_RANK ? &l->at.fastest_rank : &l->at.fastest_bytes) = row->at;
    if (row->red == DSN_SPREAD && row->unit == DSN_BYTES2)
        l->at.byte_variance = row->at;
    if (row->role == DSN_OWNER)
        l->at.owner = row->at;
}

static void find_rows(struct dsn_report_layer *l)
{
    l->at.read_sizes = l->at.write_sizes = l->at.common = l->at.owner = -1;
    l->at.slowest_rank = l->at.slowest_time = l->at.slowest_bytes = l->at.fastest_time = l->at.fastest_bytes = -1;
    l->at.fastest_rank = l->at.byte_variance = -1;
    for (unsigned i = 0; i < l->table->nrows; i++)
        if (l->table->rows[i].at >= 0)
            note_row(l, &l->table->rows[i]);
    for (int role = 0; role < DSN_NROLES; role++) {
        const unsigned room = sizeof l->at.role[0] / sizeof l->at.role[0][0];
        const unsigned n = role == DSN_NONE ? 0 : dsn_role_rows(l->table, (enum dsn_role)role, l->at.role[role], room);

        l->at.nrole[role] = n < room ? n : room;
    }
}

int64_t dsn__limited(int64_t v)
{
    return v < 0 ? 0 : v < DSN__MOST ? v : DSN__MOST;
}

int64_t dsn__count(const struct dsn_rec *r, int at)
{
    return at < 0 ? 0 : dsn__limited(r->v[at].i);
}

double dsn__seconds(const struct dsn_rec *r, int at)
{
    return at >= 0 && r->v[at].f > 0 && r->v[at].f < 1e36 ? r->v[at].f : 0; /* more is damage */
}

int64_t dsn__layer_i64(const struct dsn_report_layer *l, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < l->at.nrole[role]; i++)
        sum = dsn__plus(sum, dsn__count(r, l->at.role[role][i]));
    return sum;
}

double dsn__layer_f64(const struct dsn_report_layer *l, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < l->at.nrole[role]; i++)
        sum += dsn__seconds(r, l->at.role[role][i]);
    return sum;
}

int64_t dsn_layer_total(const struct dsn_report *r, unsigned module, unsigned counter)
{
    const struct dsn_report_layer *l = dsn_report_layer(r, module);

    return l ? dsn__count(dsn_accum_total(&l->total), (int)counter) : 0;
}

struct dsn_work dsn__layer_work(const struct dsn_report_layer *l, const struct dsn_rec *r)
{
    return (struct dsn_work){ .read = dsn__layer_f64(l, r, DSN_R_TIME),
                              .write = dsn__layer_f64(l, r, DSN_W_TIME),
                              .meta = dsn__layer_f64(l, r, DSN_M_TIME),
                              .bytes_read = dsn__layer_i64(l, r, DSN_R_BYTES),
                              .bytes_written = dsn__layer_i64(l, r, DSN_W_BYTES),
                              .reads = dsn__layer_i64(l, r, DSN_R_OPS),
                              .writes = dsn__layer_i64(l, r, DSN_W_OPS) };
}

/* ------------------------------------------------------------------ a layer's life */

int dsn__layer_init(struct dsn_report_layer *l, const struct dsn__layer_kind *kind, size_t nranks)
{
    memset(l, 0, sizeof *l);
    l->table = kind->module == DSN_REPORT_CUFILE ? &dsn_cufile_table : dsn_table(kind->module);
    l->label = kind->label;
    l->of_objects = kind->of_objects;
    l->is_bottom = kind->is_bottom;
    dsn_accum_init(&l->total, l->table, DSN_ACCUM_TOTAL);
    dsn__idmap_init(&l->common_index);
    dsn__idmap_init(&l->objects);
    find_rows(l);
    if (nranks == 0)
        return 1;
    l->rank = calloc(nranks, sizeof *l->rank);
    l->extra = calloc(nranks, sizeof *l->extra);
    return l->rank && l->extra;
}

void dsn__layer_free(struct dsn_report_layer *l)
{
    free(l->rank);
    free(l->extra);
    free(l->common);
    dsn__idmap_free(&l->common_index);
    dsn__idmap_free(&l->objects);
    dsn_accum_free(&l->total);
}

/* ------------------------------------------------------------------ sizes */

static int add_common(struct dsn_report_layer *l, int64_t size, int64_t calls, const struct dsn_work *w)
{
    int64_t *to;
    uint32_t at;

    if (l->ncommon >= MAX_COMMON && dsn__idmap_get(&l->common_index, (uint64_t)size) == DSN_IDMAP_NONE)
        return DSN_ERR_OK;
    if (!dsn_grow(&l->common, &l->common_room, sizeof *l->common, l->ncommon))
        return DSN_ERR_MEMORY;
    at = dsn__idmap_add(&l->common_index, (uint64_t)size, (uint32_t)l->ncommon);
    if (at == DSN_IDMAP_NONE)
        return DSN_ERR_MEMORY;
    if (at == l->ncommon)
        l->common[l->ncommon++] = (struct dsn_common_size){ .size = size };
    to = w->writes == 0 ? &l->common[at].reads : w->reads == 0 ? &l->common[at].writes : &l->common[at].either;
    *to = dsn__plus(*to, calls);
    l->common_calls = dsn__plus(l->common_calls, calls);
    return DSN_ERR_OK;
}

/* The k-th most frequent size of a record; returns its number of calls. */
static int64_t common_of(const struct dsn_report_layer *l, const struct dsn_rec *r, int k, int64_t *size)
{
    *size = r->v[l->at.common + k * l->at.width].i;
    return *size > 0 ? dsn__count(r, l->at.common + 4 * l->at.width + k) : 0;
}

static int add_commons(struct dsn_report_layer *l, const struct dsn_rec *r, const struct dsn_work *w)
{
    int rc = DSN_ERR_OK;

    for (int k = 0; k < 4 && rc == DSN_ERR_OK && l->at.common >= 0; k++) {
        int64_t size;
        const int64_t calls = common_of(l, r, k, &size);

        if (calls > 0)
            rc = add_common(l, size, calls, w);
    }
    return rc;
}

/* Adds the histogram of one direction. The bytes of a bin are known if all calls are in one bin, or if the sizes of all
 * calls except those of one bin are among the most frequent ones of a record with one direction only. */
static void add_sizes(const struct dsn_report_layer *l, const struct dsn_rec *r, int first, int64_t bytes, int is_pure,
                      struct dsn_sizes *to)
{
    int64_t left[DSN_NSIZES];
    double rest = (double)bytes;
    int bins = 0, last = 0;

    if (first < 0)
        return;
    for (int i = 0; i < DSN_NSIZES; i++) {
        left[i] = dsn__count(r, first + i);
        to->calls[i] = dsn__plus(to->calls[i], left[i]);
        bins += left[i] > 0;
    }
    for (int k = 0; k < 4 && is_pure && bins > 1 && l->at.common >= 0; k++) {
        int64_t size;
        const int64_t calls = common_of(l, r, k, &size);
        const unsigned bin = calls > 0 ? dsn_size_bin(size) : 0;
        const double known = (double)calls * (double)size;

        if (calls <= 0 || calls > left[bin] || known > rest)
            continue;
        to->bytes[bin] += known;
        rest -= known;
        left[bin] -= calls;
        bins -= left[bin] == 0;
    }
    for (int i = 0; i < DSN_NSIZES; i++)
        if (left[i] > 0) {
            last = i;
            to->mixed_calls[i] = dsn__plus(to->mixed_calls[i], bins > 1 ? left[i] : 0);
        }
    *(bins > 1 ? &to->mixed_bytes : &to->bytes[last]) += bins > 0 ? rest : 0;
}

/* Bytes moved by `calls` if each has the size at fraction `t` (of the logarithms) between the bounds of its bin. */
static double bytes_between(const int64_t calls[DSN_NSIZES], double most, double t, double each[DSN_NSIZES])
{
    static const double edge[DSN_NSIZES] = { 1,       100,     1 << 10,  10 << 10,  100 << 10,
                                             1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30 };
    double sum = 0;

    for (int i = 0; i < DSN_NSIZES; i++) {
        const double upper = i + 1 < DSN_NSIZES ? edge[i + 1] : most > edge[i] ? most : edge[i];

        each[i] = calls[i] > 0 ? (double)calls[i] * pow(edge[i], 1 - t) * pow(upper, t) : 0;
        sum += each[i];
    }
    return sum;
}

/* Distributes the bytes of which only the sum is known: finds the fraction within the bins that results in the sum. */
static void share_out(struct dsn_sizes *s)
{
    double each[DSN_NSIZES], low = 0, high = 1;

    if (!(s->mixed_bytes > 0))
        return;
    s->confidence = DSN_BOUNDED;
    for (int i = 0; i < 50; i++) {
        const double t = (low + high) / 2;

        *(bytes_between(s->mixed_calls, s->mixed_bytes, t, each) < s->mixed_bytes ? &low : &high) = t;
    }
    bytes_between(s->mixed_calls, s->mixed_bytes, high, each);
    for (int i = 0; i < DSN_NSIZES; i++)
        s->bytes[i] += each[i];
}

/* ------------------------------------------------------------------ records */

/* Number of ranks that must have accessed a shared record, from its bytes and their variance: if k of n ranks had moved
 * equal shares of b bytes, and the others none, the variance would be b * b / (k * n) minus the square of the mean. */
static double movers_of(const struct dsn_report_layer *l, const struct dsn_rec *r, double bytes, double n)
{
    const double variance = dsn__seconds(r, l->at.byte_variance), mean = bytes / n;

    return l->at.byte_variance < 0 || !(bytes > 0) ? 0 : fmin(bytes * bytes / (n * (variance + mean * mean)), n);
}

static void note_movers(struct dsn_report_layer *l, const struct dsn_rec *r, const struct dsn_work *w, size_t nranks)
{
    const double bytes = dsn_work_bytes(w);

    if (!(bytes > l->movers.bytes) || nranks < 2)
        return;
    l->movers.bytes = bytes;
    l->movers.ranks = movers_of(l, r, bytes, (double)nranks);
    l->movers.some_moved_none = l->at.fastest_bytes >= 0 && dsn__count(r, l->at.fastest_bytes) == 0;
}

/* For a shared record the time and bytes of the slowest and the fastest rank are known; of the others only that none
 * was faster than the fastest. */
static void add_shared(struct dsn_report_layer *l, const struct dsn_rec *r, const struct dsn_work *w, size_t nranks)
{
    const double slowest = dsn__seconds(r, l->at.slowest_time), fastest = dsn__seconds(r, l->at.fastest_time);
    const int64_t rank = l->at.slowest_rank >= 0 ? r->v[l->at.slowest_rank].i : -1;
    const int64_t other = l->at.fastest_rank >= 0 ? r->v[l->at.fastest_rank].i : -1;

    l->shared_records++;
    l->shared_slowest += slowest;
    if (nranks == 0)
        return;
    dsn_work_add(&l->shared, w);
    note_movers(l, r, w, nranks);
    if (nranks == 1) {
        l->extra[0].time += dsn_work_time(w);
        l->extra[0].bytes += dsn_work_bytes(w);
        return;
    }
    if (rank < 0 || (uint64_t)rank >= nranks)
        return;
    l->least_time += fmin(fastest, slowest);
    l->extra[rank].time += fmax(slowest - fastest, 0);
    l->extra[rank].bytes += (double)dsn__count(r, l->at.slowest_bytes);
    if (other >= 0 && other != rank && (uint64_t)other < nranks)
        l->extra[other].bytes += (double)dsn__count(r, l->at.fastest_bytes);
}

static void add_rank(struct dsn_report_layer *l, const struct dsn_rec *r, const struct dsn_work *w, size_t nranks,
                     int is_storage)
{
    if (r->rank < 0)
        add_shared(l, r, w, is_storage ? nranks : 0);
    else if ((uint64_t)r->rank < nranks)
        dsn_work_add(&l->rank[r->rank], w);
}

int dsn__layer_add(struct dsn_report_layer *l, const struct dsn_rec *r, size_t nranks, int is_storage)
{
    const struct dsn_work w = dsn__layer_work(l, r);
    int rc = dsn_accum_add(&l->total, r);

    if (rc == DSN_ERR_OK)
        rc = add_commons(l, r, &w);
    if (rc == DSN_ERR_OK && !l->is_bottom && dsn__idmap_add(&l->objects, r->id, 0) == DSN_IDMAP_NONE)
        rc = DSN_ERR_MEMORY;
    l->records++;
    dsn_work_add(&l->work, &w);
    add_sizes(l, r, l->at.read_sizes, w.bytes_read, w.writes == 0, &l->read_sizes);
    add_sizes(l, r, l->at.write_sizes, w.bytes_written, w.reads == 0, &l->write_sizes);
    add_rank(l, r, &w, nranks, is_storage);
    return rc;
}

static int by_calls(const void *a, const void *b)
{
    const struct dsn_common_size *x = a, *y = b;
    const int64_t nx = x->reads + x->writes + x->either, ny = y->reads + y->writes + y->either;

    return nx != ny ? (nx < ny) - (nx > ny) : (x->size < y->size) - (x->size > y->size);
}

void dsn__layer_finish(struct dsn_report_layer *l)
{
    share_out(&l->read_sizes);
    share_out(&l->write_sizes);
    if (l->ncommon > 0)
        qsort(l->common, l->ncommon, sizeof *l->common, by_calls);
}

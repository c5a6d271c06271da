/* t-varying.c - records with arrays: HEATMAP, LUSTRE, MDHIM, APMPI, traces; damaged ones
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "util/lib/log.h"

enum { LUSTRE = 8, DXT_POSIX = 10, DXT_MPIIO = 11, MDHIM = 12, APMPI = 14, HEATMAP = 15 };

static struct darshan_reader *opened(const struct unit_log *spec, const struct unit_region *regions, size_t n)
{
    struct unit_bytes bytes = unit_make_regions(spec, regions, n);
    struct darshan_reader_error err;
    struct darshan_reader *log;
    const int rc = darshan_reader_open(unit_write_file(&bytes), &log, &err);

    ck_assert_msg(rc == DSN_ERR_OK, "%s", err.text);
    free(bytes.p);
    return log;
}

/* A log of the newest version with one region, which is freed. */
static struct darshan_reader *opened_one(unsigned module, unsigned version, struct unit_bytes raw)
{
    const struct unit_log spec = { .version = "3.41", .big = raw.big };
    const struct unit_region region = { module, version, raw };
    struct darshan_reader *log = opened(&spec, &region, 1);

    free(raw.p);
    return log;
}

static struct darshan_reader_records *begun(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const int rc = darshan_reader_begin(log, module, &it, &err);

    ck_assert_msg(rc == DSN_ERR_OK, "%s", err.text);
    return it;
}

static const struct dsn_rec *next(struct darshan_reader_records *it)
{
    struct darshan_reader_error err;
    const struct dsn_rec *r = darshan_reader_next(it, &err);

    ck_assert_msg(r != NULL, "%s", err.text);
    return r;
}

/* Ends everything, after records that end with this code, which stays. */
static void ends(struct darshan_reader *log, struct darshan_reader_records *it, int code)
{
    struct darshan_reader_error err;

    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(darshan_reader_next(it, &err));
        ck_assert_msg(err.code == code, "%d: %s", err.code, err.text);
    }
    darshan_reader_end(it);
    darshan_reader_close(log);
}

static void put_many(struct unit_bytes *b, size_t n, const int64_t *v)
{
    for (size_t i = 0; i < n; i++)
        unit_put64(b, (uint64_t)v[i]);
}
#define PUT(b, ...) put_many(b, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

static void are(const int64_t *got, size_t n, const int64_t *want)
{
    ck_assert_ptr_nonnull(got);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(got[i], want[i]);
}
#define ARE(got, ...) are(got, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

/* ------------------------------------------------------------------ HEATMAP: modules-other.md 2 */

/* Write bins w, w + 1, ...; read bins r, r + 1, ... */
static void put_heatmap(struct unit_bytes *b, int64_t rank, double width, int64_t n, int64_t w, int64_t r)
{
    PUT(b, 500, rank);
    unit_put_double(b, width);
    PUT(b, n, 0x7fff12345678, 0x7fff12345679);
    for (int64_t i = 0; i < n; i++)
        PUT(b, w + i);
    for (int64_t i = 0; i < n; i++)
        PUT(b, r + i);
}

START_TEST(heatmap)
{
    struct unit_bytes b = { .big = _i };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_tail *tail;

    put_heatmap(&b, 0, 0.1, 3, 10, 20);
    put_heatmap(&b, 1, 0.1, 4, 30, 40); /* one too many */
    put_heatmap(&b, 2, 0.1, 2, 50, 60); /* one is missing, at the end */
    put_heatmap(&b, 3, 0.2, 2, 70, 80); /* another width: as it is */
    put_heatmap(&b, 4, 0.1, 5, 90, 95); /* two too many: as it is */
    put_heatmap(&b, 5, 0.1, 3, 1, 2);
    log = opened_one(HEATMAP, 1, b);
    it = begun(log, HEATMAP);
    tail = darshan_reader_tail(it);
    ck_assert_uint_eq(next(it)->id, 500);
    ck_assert_uint_eq(tail->n, 3);
    ARE(tail->values[0], 10, 11, 12);
    ARE(tail->values[1], 20, 21, 22);
    ck_assert_int_eq(next(it)->v[HEATMAP_NBINS].i, 3);
    ck_assert_uint_eq(tail->n, 3);
    ARE(tail->values[0], 30, 31, 32);
    ARE(tail->values[1], 40, 41, 42);
    ck_assert_int_eq(next(it)->v[HEATMAP_NBINS].i, 3);
    ck_assert_uint_eq(tail->n, 3);
    ARE(tail->values[0], 50, 51, 0);
    ARE(tail->values[1], 60, 61, 0);
    ck_assert_double_eq(next(it)->v[HEATMAP_F_BIN_WIDTH_SECONDS].f, 0.2);
    ck_assert_uint_eq(tail->n, 2);
    ARE(tail->values[1], 80, 81);
    ck_assert_int_eq(next(it)->v[HEATMAP_NBINS].i, 5);
    ARE(tail->values[0], 90, 91, 92, 93, 94);
    ck_assert_int_eq(next(it)->rank, 5);
    ARE(tail->values[0], 1, 2, 3);
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* No bins at all, one more than that, and more than a window holds. */
START_TEST(heatmap_sizes)
{
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_tail *tail;

    put_heatmap(&b, 0, 0.1, 0, 0, 0);
    put_heatmap(&b, 1, 0.1, 1, 5, 6);
    put_heatmap(&b, 2, 0.1, 20000, 7, 8);
    put_heatmap(&b, 3, 0.1, 0, 0, 0);
    log = opened_one(HEATMAP, 1, b);
    it = begun(log, HEATMAP);
    tail = darshan_reader_tail(it);
    next(it);
    ck_assert_uint_eq(tail->n, 0);
    next(it);
    ck_assert_uint_eq(tail->n, 0);
    next(it);
    ck_assert_uint_eq(tail->n, 20000);
    ck_assert_int_eq(tail->values[1][19999], 8 + 19999);
    ck_assert_int_eq(next(it)->rank, 3);
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* Numbers of elements that cannot be, in each place that has one. */
START_TEST(impossible)
{
    static const struct {
        unsigned module, version;
        int64_t words[16];
        size_t n;
    } cases[] = {
        { HEATMAP, 1, { 1, 0, 0, -1, 0, 0 }, 6 },
        { HEATMAP, 1, { 1, 0, 0, INT64_MAX, 0, 0 }, 6 },
        { HEATMAP, 1, { 1, 0, 0, (int64_t)1 << 60, 0, 0 }, 6 },
        { HEATMAP, 1, { 1, 0, 0, 2, 0, 0, 1, 2, 3 }, 9 },
        { LUSTRE, 1, { 1, 0, 5, 1, 0, 1048576, -1 }, 7 },
        { LUSTRE, 1, { 1, 0, 5, 1, 0, 1048576, INT64_MIN }, 7 },
        { LUSTRE, 1, { 1, 0, 5, 1, 0, 1048576, 2, 7 }, 8 },
        { LUSTRE, 2, { 1, 0, -1, 0 }, 4 },
        { LUSTRE, 2, { 1, 0, 0, -1 }, 4 },
        { LUSTRE, 2, { 1, 0, 1 << 30, 1 << 30 }, 4 },
        { LUSTRE, 2, { 1, 0, 1, 1, 1048576, 2, 0, 0, 0, -1, 0, 0, 0, 7 }, 14 },  /* 2 stripes, of which 1 is there */
        { LUSTRE, 2, { 1, 0, 1, 1, 1048576, -1, 0, 0, 0, -1, 0, 0, 0, 7 }, 14 }, /* -1 stripes */
        { MDHIM, 1, { 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0 }, 12 },
        { MDHIM, 1, { 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0 }, 12 },
        { MDHIM, 1, { 1, 0, 0, 0, 0, 0, INT64_MAX, 0, 0, 0, 0, 0 }, 12 },
    };
    const size_t at = (size_t)_i;
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader *log;

    ck_assert_uint_lt(at, sizeof cases / sizeof cases[0]);
    put_many(&b, cases[at].n, cases[at].words);
    log = opened_one(cases[at].module, cases[at].version, b);
    ends(log, begun(log, cases[at].module), DSN_ERR_RECORD);
}
END_TEST
#define NIMPOSSIBLE 15

/* ------------------------------------------------------------------ LUSTRE: modules-other.md 3 */

START_TEST(lustre_1)
{
    struct unit_bytes b = { .big = _i };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_tail *tail;
    const struct dsn_rec *r;

    PUT(&b, 700, -1, 248, 1, -1, 4194304, 3, 11, 22, 33);
    PUT(&b, 701, 2, 248, 1, 0, 1048576, 0);
    log = opened_one(LUSTRE, 1, b);
    it = begun(log, LUSTRE);
    tail = darshan_reader_tail(it);
    r = next(it);
    ck_assert_int_eq(r->v[LUSTRE_NUM_COMPONENTS].i, 1);
    ck_assert_int_eq(r->v[LUSTRE_NUM_STRIPES].i, 3);
    ck_assert_uint_eq(tail->ncomps, 1);
    ck_assert_int_eq(tail->comps[0].stripe_size, 4194304);
    ck_assert_int_eq(tail->comps[0].stripe_count, 3);
    ck_assert_int_eq(tail->comps[0].pattern, -1);
    ck_assert_int_eq(tail->comps[0].flags, -1);
    ck_assert_int_eq(tail->comps[0].start, 0);
    ck_assert_int_eq(tail->comps[0].end, -1);
    ck_assert_int_eq(tail->comps[0].mirror, -1);
    ck_assert_int_eq(tail->comps[0].pool[0], '\0');
    ck_assert_uint_eq(tail->n, 3);
    ARE(tail->values[0], 11, 22, 33);
    r = next(it);
    ck_assert_int_eq(r->rank, 2);
    ck_assert_int_eq(tail->comps[0].stripe_size, 1048576);
    ck_assert_uint_eq(tail->n, 0);
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* Three components on disk, of which the second is not used: only the first counts, but its OSTs stand behind all
 * three. */
START_TEST(lustre_2)
{
    struct unit_bytes b = { .big = _i };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_tail *tail;
    const struct dsn_rec *r;

    PUT(&b, 700, -1, 3, 4);
    PUT(&b, 1048576, 2, 0, 16, 0, 4194304, 1);
    unit_put(&b, "pool-of-16-bytes", 16);
    PUT(&b, -1, 99, 0, 0, 0, 0, 0);
    unit_put(&b, "unused\0\0\0\0\0\0\0\0\0", 16);
    PUT(&b, 65536, 2, 0, 0, 0, 0, 0);
    unit_put(&b, "behind\0\0\0\0\0\0\0\0\0", 16);
    PUT(&b, 1, 2, 3, 4);
    PUT(&b, 701, 0, 2, 3);
    PUT(&b, 65536, 0, 2, 16, 0, 65536, 0);
    unit_put(&b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    PUT(&b, 1048576, 3, 4, 17, 65536, -1, 0);
    unit_put(&b, "flash\0\0\0\0\0\0\0\0\0\0", 16);
    PUT(&b, 5, 6, 7);
    PUT(&b, 702, 0, 0, 0);
    log = opened_one(LUSTRE, 2, b);
    it = begun(log, LUSTRE);
    tail = darshan_reader_tail(it);
    r = next(it);
    ck_assert_int_eq(r->v[LUSTRE_NUM_COMPONENTS].i, 1);
    ck_assert_int_eq(r->v[LUSTRE_NUM_STRIPES].i, 2);
    ck_assert_uint_eq(tail->ncomps, 1);
    ck_assert_mem_eq(tail->comps[0].pool, "pool-of-16-bytes", 16);
    ck_assert_int_eq(tail->comps[0].end, 4194304);
    ck_assert_int_eq(tail->comps[0].mirror, 1);
    ck_assert_uint_eq(tail->n, 2);
    ARE(tail->values[0], 1, 2);
    ck_assert_uint_eq(next(it)->id, 701);
    ck_assert_uint_eq(tail->ncomps, 2);
    ck_assert_int_eq(tail->comps[0].pattern, 2);
    ck_assert_int_eq(tail->comps[1].flags, 17);
    ck_assert_int_eq(tail->comps[1].start, 65536);
    ck_assert_str_eq(tail->comps[1].pool, "flash");
    ARE(tail->values[0], 5, 6, 7);
    ck_assert_uint_eq(next(it)->id, 702);
    ck_assert_uint_eq(tail->ncomps, 0);
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* ------------------------------------------------------------------ MDHIM, APMPI: modules-other.md 7, 8 */

START_TEST(mdhim)
{
    static const int64_t servers[3] = { 0, 1, 3 };
    struct unit_bytes b = { .big = _i };
    struct darshan_reader *log;
    struct darshan_reader_records *it;

    for (int k = 0; k < 3; k++) {
        PUT(&b, 800 + k, -1, 1, 2, 3, 4, servers[k]);
        for (int i = 0; i < 4; i++)
            unit_put_double(&b, i + 0.5);
        for (int64_t i = 0; i < (k == 0 ? 1 : servers[k]); i++)
            PUT(&b, 100 * k + i);
    }
    log = opened_one(MDHIM, 1, b);
    it = begun(log, MDHIM);
    for (int k = 0; k < 3; k++) {
        const struct dsn_rec *r = next(it);

        ck_assert_uint_eq(r->id, 800u + (unsigned)k);
        ck_assert_int_eq(r->v[MDHIM_GET_MAX_SIZE].i, 4);
        ck_assert_double_eq(r->v[MDHIM_F_GET_MAX_DURATION].f, 3.5);
        ck_assert_uint_eq(darshan_reader_tail(it)->n, (size_t)servers[k]);
        for (int64_t i = 0; i < servers[k]; i++)
            ck_assert_int_eq(darshan_reader_tail(it)->values[0][i], 100 * k + i);
    }
    ends(log, it, DSN_ERR_OK);
}
END_TEST

static void put_apmpi_header(struct unit_bytes *b, int64_t magic)
{
    PUT(b, 900, 0, magic);
    unit_put32(b, 1);
    unit_put32(b, 0xffffffff);
    unit_put_double(b, 2.5);
    unit_put_double(b, 3.5);
}

START_TEST(apmpi)
{
    struct unit_bytes b = { .big = _i };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_apmpi_header *h;
    struct darshan_reader_error err;

    put_apmpi_header(&b, 0x41504d5049);
    unit_put_record(&b, APMPI, 1, 901, 0, 1, 0);
    unit_put_record(&b, APMPI, 1, 901, 1, 2, 0);
    log = opened_one(APMPI, 1, b);
    it = begun(log, APMPI);
    h = darshan_reader_apmpi(it, &err);
    ck_assert_msg(h != NULL, "%s", err.text);
    ck_assert_uint_eq(h->id, 900);
    ck_assert_uint_eq(h->sync, 1);
    ck_assert_double_eq(h->comm_variance, 2.5);
    ck_assert_double_eq(h->sync_variance, 3.5);
    ck_assert_int_eq(next(it)->rank, 0);
    ck_assert_ptr_eq(darshan_reader_apmpi(it, &err), h);
    ck_assert_double_eq(next(it)->v[MPI_TOTAL_COMM_TIME].f, unit_f64(396 + 222 + 16, 2));
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* Without a header there is no telling where records begin. */
START_TEST(apmpi_damaged)
{
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    struct darshan_reader_error err;

    put_apmpi_header(&b, _i == 0 ? 0x41504d5048 : 0x41504d5049);
    unit_put_record(&b, APMPI, 1, 901, 0, 1, 0);
    if (_i == 1)
        b.n = 47; /* cut inside the header */
    log = opened_one(APMPI, 1, b);
    it = begun(log, APMPI);
    ck_assert_ptr_null(darshan_reader_apmpi(it, &err));
    ck_assert_int_eq(err.code, DSN_ERR_RECORD);
    ends(log, it, DSN_ERR_RECORD);
}
END_TEST

/* A module without data has no header, and that is no damage; another module has none either. */
START_TEST(apmpi_absent)
{
    const struct unit_log spec = { .version = "3.41" };
    struct darshan_reader *log = opened(&spec, NULL, 0);
    struct darshan_reader_records *it = begun(log, APMPI), *posix = begun(log, 1);
    struct darshan_reader_error err;

    ck_assert_ptr_null(darshan_reader_apmpi(it, &err));
    ck_assert_int_eq(err.code, DSN_ERR_OK);
    ck_assert_ptr_null(darshan_reader_apmpi(posix, &err));
    darshan_reader_end(posix);
    ends(log, it, DSN_ERR_OK);
}
END_TEST

/* ------------------------------------------------------------------ traces: modules-other.md 1 */

static const struct {
    unsigned module, version;
    int has_threads, has_offset;
} traces[] = {
    { DXT_POSIX, 1, 0, 1 }, { DXT_POSIX, 2, 1, 1 }, { DXT_MPIIO, 1, 0, 0 },
    { DXT_MPIIO, 2, 0, 1 }, { DXT_MPIIO, 3, 1, 1 },
};
#define NTRACES 5

static void put_head(struct unit_bytes *b, uint64_t id, int64_t rank, int64_t nwrites, int64_t nreads)
{
    char host[64] = "node-17";

    unit_put64(b, id);
    PUT(b, rank, 0);
    unit_put(b, host, sizeof host);
    PUT(b, nwrites, nreads);
}

/* Segment i of `nthreads` threads by turns. */
static void put_segment(struct unit_bytes *b, int trace, int i, int nthreads)
{
    PUT(b, 1000 + i, 10 * i);
    unit_put_double(b, i + 0.25);
    unit_put_double(b, i + 0.5);
    if (traces[trace].has_threads)
        unit_put64(b, 0x7f1234567800 + (uint64_t)(i % nthreads));
}

static struct darshan_dxt *begun_trace(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_dxt *it;
    const int rc = darshan_dxt_begin(log, module, &it, &err);

    ck_assert_msg(rc == DSN_ERR_OK, "%s", err.text);
    return it;
}

static const struct dsn_dxt_head *next_trace(struct darshan_dxt *it)
{
    struct darshan_reader_error err;
    const struct dsn_dxt_head *head = darshan_dxt_next(it, &err);

    ck_assert_msg(head != NULL, "%s", err.text);
    return head;
}

static void trace_ends(struct darshan_reader *log, struct darshan_dxt *it, int code)
{
    struct darshan_reader_error err;

    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(darshan_dxt_next(it, &err));
        ck_assert_msg(err.code == code, "%d: %s", err.code, err.text);
    }
    darshan_dxt_end(it);
    darshan_reader_close(log);
}

/* An assertion is a system call, and there are millions of segments. */
static int is_segment(const struct dsn_dxt_segment *s, int trace, int i, int nthreads)
{
    return s->offset == (traces[trace].has_offset ? 1000 + i : -1) && s->length == 10 * i && s->start == i + 0.25 &&
           s->end == i + 0.5 &&
           s->thread == (traces[trace].has_threads ? 0x7f1234567800 + (uint64_t)(i % nthreads) : 0);
}

/* Takes all segments of the present record, `piece` at a time: there must be n. */
static void expect_segments(struct darshan_dxt *it, int trace, int n, size_t piece, int nthreads)
{
    struct dsn_dxt_segment s[300];
    struct darshan_reader_error err;
    size_t got;
    int i = 0;

    while ((got = darshan_dxt_segments(it, s, piece, &err)) > 0)
        for (size_t k = 0; k < got; k++, i++)
            if (!is_segment(&s[k], trace, i, nthreads))
                ck_abort_msg("segment %d: offset %lld, length %lld, from %g to %g, thread %llx", i,
                             (long long)s[k].offset, (long long)s[k].length, s[k].start, s[k].end,
                             (unsigned long long)s[k].thread);
    ck_assert_int_eq(err.code, DSN_ERR_OK);
    ck_assert_int_eq(i, n);
}

START_TEST(trace)
{
    const int k = _i / 2;
    struct unit_bytes b = { .big = _i % 2 };
    struct darshan_reader *log;
    struct darshan_dxt *it;
    const struct dsn_dxt_head *head;

    put_head(&b, 600, 3, 2, 3);
    for (int i = 0; i < 5; i++)
        put_segment(&b, k, i, 3);
    put_head(&b, 601, 4, 0, 0);
    put_head(&b, 602, 5, 4, 0);
    for (int i = 0; i < 4; i++)
        put_segment(&b, k, i, 2);
    put_head(&b, 603, 6, 0, 1);
    put_segment(&b, k, 0, 1);
    log = opened_one(traces[k].module, traces[k].version, b);
    it = begun_trace(log, traces[k].module);
    ck_assert_int_eq(darshan_dxt_has_threads(it), traces[k].has_threads);
    head = next_trace(it);
    ck_assert_uint_eq(head->id, 600);
    ck_assert_int_eq(head->rank, 3);
    ck_assert_str_eq(head->host, "node-17");
    ck_assert_int_eq(head->nwrites, 2);
    ck_assert_int_eq(head->nreads, 3);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), traces[k].has_threads ? 3 : 1);
    expect_segments(it, k, 5, 2, 3);
    ck_assert_uint_eq(next_trace(it)->id, 601);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 1);
    expect_segments(it, k, 0, 300, 1);
    ck_assert_uint_eq(next_trace(it)->id, 602); /* whose segments are passed over */
    ck_assert_uint_eq(next_trace(it)->id, 603);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 1);
    expect_segments(it, k, 1, 300, 1);
    trace_ends(log, it, DSN_ERR_OK);
}
END_TEST

/* So long that threads are not counted in sight: segments are held packed, or read twice if there are too many. The
 * last record may end too early. */
START_TEST(long_trace)
{
    const int n = _i % 2 ? 400000 : 30000, damaged = _i / 2;
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader_error err;
    struct dsn_dxt_segment s[8];
    struct darshan_reader *log;
    struct darshan_dxt *it;

    for (int r = 0; r < 4; r++) {
        put_head(&b, 600 + (uint64_t)r, r, n / 2, n / 2);
        for (int i = 0; i < n; i++)
            put_segment(&b, 1, i, 3 + r);
    }
    b.n -= damaged ? 41 : 0; /* part of the last but one */
    log = opened_one(DXT_POSIX, 2, b);
    it = begun_trace(log, DXT_POSIX);
    next_trace(it);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 3);
    expect_segments(it, 1, n, 300, 3);
    next_trace(it);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 4);
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 8, NULL), 8); /* the others are passed over */
    next_trace(it);
    expect_segments(it, 1, n, 299, 5);
    ck_assert_uint_eq(next_trace(it)->id, 603);
    ck_assert_int_eq(darshan_dxt_threads(it, &err), 6);
    ck_assert_int_eq(err.code, DSN_ERR_OK);
    if (!damaged) {
        expect_segments(it, 1, n, 299, 6);
        trace_ends(log, it, DSN_ERR_OK);
        return;
    }
    for (int i = 0; i < n - 2; i++)
        if (darshan_dxt_segments(it, s, 1, &err) != 1)
            ck_abort_msg("there is no segment %d", i);
    ck_assert_int_eq(s[0].length, 10 * (n - 3));
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 1, &err), 0);
    ck_assert_int_eq(err.code, DSN_ERR_RECORD);
    trace_ends(log, it, DSN_ERR_RECORD);
}
END_TEST

START_TEST(trace_damaged)
{
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader *log;
    struct darshan_dxt *it;
    struct dsn_dxt_segment s[8];
    struct darshan_reader_error err;

    put_head(&b, 600, 3, 2, 3);
    for (int i = 0; i < 5; i++)
        put_segment(&b, 1, i, 3);
    b.n -= 41; /* part of the last but one */
    log = opened_one(DXT_POSIX, 2, b);
    it = begun_trace(log, DXT_POSIX);
    next_trace(it);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 3); /* of those that are there */
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 8, &err), 3);
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 8, &err), 0);
    ck_assert_int_eq(err.code, DSN_ERR_RECORD);
    trace_ends(log, it, DSN_ERR_RECORD);
    b = (struct unit_bytes){ .big = 0 };
    put_head(&b, 600, 3, 0, -1);
    log = opened_one(DXT_MPIIO, 3, b);
    trace_ends(log, begun_trace(log, DXT_MPIIO), DSN_ERR_RECORD);
    b = (struct unit_bytes){ .big = 0 };
    put_head(&b, 600, 3, INT64_MAX, INT64_MAX);
    put_segment(&b, 1, 0, 1);
    log = opened_one(DXT_POSIX, 2, b);
    it = begun_trace(log, DXT_POSIX);
    next_trace(it);
    ck_assert_int_eq(darshan_dxt_threads(it, NULL), 1);
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 8, &err), 1);
    ck_assert_uint_eq(darshan_dxt_segments(it, s, 8, &err), 0);
    trace_ends(log, it, DSN_ERR_RECORD);
}
END_TEST

START_TEST(trace_refused)
{
    struct unit_bytes b = { .big = 0 };
    struct darshan_reader *log;
    struct darshan_dxt *it;
    struct darshan_reader_error err;

    put_head(&b, 600, 3, 0, 0);
    log = opened_one(DXT_POSIX, 3, b);
    ck_assert_int_eq(darshan_dxt_begin(log, DXT_POSIX, &it, &err), DSN_ERR_MODVERSION);
    ck_assert_ptr_null(it);
    ck_assert_int_eq(darshan_dxt_begin(log, 1, &it, &err), DSN_ERR_MODVERSION);
    ck_assert_int_eq(darshan_dxt_begin(log, 4711, &it, &err), DSN_ERR_MODVERSION);
    trace_ends(log, begun_trace(log, DXT_MPIIO), DSN_ERR_OK); /* no data: no records */
}
END_TEST

/* ------------------------------------------------------------------ all of them in one log, damaged */

static struct unit_bytes every_module(int big)
{
    enum { N = 15 };
    static const unsigned fixed[9] = { 3, 4, 5, 6, 7, 16, 17 }, newest[9] = { 3, 2, 3, 1, 2, 1, 1 };
    const struct unit_log spec = { .version = "3.41", .big = big };
    struct unit_region r[N] = { { 0 } };
    struct unit_bytes log;
    size_t n = 0;

    for (int i = 0; i < 5; i++, n++) {
        r[n] = (struct unit_region){ fixed[i], newest[i], { .big = big } };
        unit_put_record(&r[n].raw, fixed[i], newest[i], 10, -1, 1, 0);
    }
    r[n] = (struct unit_region){ LUSTRE, 2, { .big = big } };
    PUT(&r[n].raw, 700, -1, 1, 2, 1048576, 2, 0, 16, 0, -1, 0, 0, 0, 5, 6);
    n++;
    for (int k = 1; k < 5; k += 3) {
        r[n] = (struct unit_region){ traces[k].module, traces[k].version, { .big = big } };
        put_head(&r[n].raw, 600, 0, 2, 1);
        for (int i = 0; i < 3; i++)
            put_segment(&r[n].raw, k, i, 2);
        n++;
    }
    r[n] = (struct unit_region){ MDHIM, 1, { .big = big } };
    PUT(&r[n].raw, 800, -1, 1, 2, 3, 4, 2, 0, 0, 0, 0, 7, 8);
    n++;
    r[n] = (struct unit_region){ APMPI, 1, { .big = big } };
    put_apmpi_header(&r[n].raw, 0x41504d5049);
    for (int i = 0; i < 654; i++)
        unit_put64(&r[n].raw, i < 4);
    n++;
    r[n] = (struct unit_region){ HEATMAP, 1, { .big = big } };
    put_heatmap(&r[n].raw, 0, 0.1, 3, 10, 20);
    put_heatmap(&r[n].raw, 1, 0.1, 2, 10, 20);
    n++;
    for (int i = 5; i < 7; i++, n++) {
        r[n] = (struct unit_region){ fixed[i], newest[i], { .big = big } };
        unit_put_record(&r[n].raw, fixed[i], newest[i], 10, -1, 1, 0);
    }
    log = unit_make_regions(&spec, r, n);
    while (n > 0)
        free(r[--n].raw.p);
    return log;
}
#define EVERY_RECORDS  14
#define EVERY_SEGMENTS 6

/* Both byte orders give the same, and the lot. */
START_TEST(every)
{
    struct unit_bytes b = every_module(_i);
    const struct unit_found f = unit_read_everything(unit_write_file(&b));

    ck_assert_int_eq(f.error, 0);
    ck_assert_int_eq(f.records, EVERY_RECORDS);
    ck_assert_int_eq(f.segments, EVERY_SEGMENTS);
    free(b.p);
}
END_TEST

START_TEST(every_truncated)
{
    struct unit_bytes b = every_module(0);
    const char *path = unit_write_file(&b);
    int records = EVERY_RECORDS;

    for (size_t n = b.n; n-- > 0;) {
        struct unit_found f;

        ck_assert_int_eq(truncate(path, (off_t)n), 0);
        f = unit_read_everything(path);
        ck_assert_msg(f.error, "silent at %zu bytes of %zu", n, b.n);
        ck_assert_msg(f.records <= records, "at %zu bytes", n);
        records = f.records;
    }
    ck_assert_int_eq(records, 0);
    free(b.p);
}
END_TEST

/* Every bit flipped once: behind the header there is a checksum over everything. */
START_TEST(every_flipped)
{
    struct unit_bytes b = every_module(0);
    const char *path = unit_write_file(&b);
    const struct unit_found intact = unit_read_everything(path);
    const int fd = open(path, O_RDWR);

    ck_assert_int_ge(fd, 0);
    for (size_t i = (size_t)_i; i < b.n; i += 4)
        for (int bit = 0; bit < 8; bit++) {
            const unsigned char changed = (unsigned char)(b.p[i] ^ 1 << bit);
            struct unit_found f;

            ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)i), 1);
            f = unit_read_everything(path);
            if (i >= 1328)
                ck_assert_msg(f.error || f.digest == intact.digest, "byte %zu bit %d went unnoticed", i, bit);
            ck_assert_int_eq(pwrite(fd, &b.p[i], 1, (off_t)i), 1);
        }
    close(fd);
    free(b.p);
}
END_TEST

/* The same in a log that is not compressed, where nothing but the reader's own checks stands in the way. */
START_TEST(plain_flipped)
{
    struct unit_log spec = { .version = "3.41", .compression = DSN_UNCOMPRESSED };
    struct unit_region r[3] = { { LUSTRE, 2, { .big = 0 } },
                                { DXT_POSIX, 2, { .big = 0 } },
                                { HEATMAP, 1, { .big = 0 } } };
    struct unit_bytes b;
    const char *path;
    int fd;

    PUT(&r[0].raw, 700, -1, 1, 2, 1048576, 2, 0, 16, 0, -1, 0, 0, 0, 5, 6);
    put_head(&r[1].raw, 600, 0, 2, 1);
    for (int i = 0; i < 3; i++)
        put_segment(&r[1].raw, 1, i, 2);
    put_heatmap(&r[2].raw, 0, 0.1, 3, 10, 20);
    put_heatmap(&r[2].raw, 1, 0.1, 2, 10, 20);
    b = unit_make_regions(&spec, r, 3);
    path = unit_write_file(&b);
    fd = open(path, O_RDWR);
    ck_assert_int_ge(fd, 0);
    for (size_t i = b.n - r[0].raw.n - r[1].raw.n - r[2].raw.n; i < b.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            const unsigned char changed = (unsigned char)(b.p[i] ^ 1 << bit);

            ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)i), 1);
            ck_assert_int_le(unit_read_everything(path).records, 6);
            ck_assert_int_eq(pwrite(fd, &b.p[i], 1, (off_t)i), 1);
        }
    close(fd);
    for (int i = 0; i < 3; i++)
        free(r[i].raw.p);
    free(b.p);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "heatmap", heatmap, 2 },
        { "heatmap sizes", heatmap_sizes, 0 },
        { "impossible", impossible, NIMPOSSIBLE },
        { "lustre 1", lustre_1, 2 },
        { "lustre 2", lustre_2, 2 },
        { "mdhim", mdhim, 2 },
        { "apmpi", apmpi, 2 },
        { "apmpi damaged", apmpi_damaged, 2 },
        { "apmpi absent", apmpi_absent, 0 },
        { "trace", trace, 2 * NTRACES },
        { "long trace", long_trace, 4 },
        { "trace damaged", trace_damaged, 0 },
        { "trace refused", trace_refused, 0 },
        { "every module", every, 2 },
        { "every module truncated", every_truncated, 0 },
        { "every module flipped", every_flipped, 4 },
        { "plain flipped", plain_flipped, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("varying", tests);
}

/* t-record.c - records: sizes, loading of every version and byte order, reduction, most frequent values
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"
#include "unit.h"

/* Room for any record. */
union any {
    struct dsn_rec r;
    uint64_t room[2 + DSN_MAX_VALUES];
};

/* modules-io.md 1.2, modules-other.md 2, 4 to 8 (without arrays) */
static const struct {
    unsigned module, version;
    size_t size;
} versions[] = {
    { 1, 1, 680 },   { 1, 2, 648 }, { 1, 3, 664 },  { 1, 4, 704 },  { 2, 1, 544 }, { 2, 2, 544 }, { 2, 3, 560 },
    { 9, 1, 240 },   { 9, 2, 248 }, { 3, 1, 40 },   { 3, 2, 56 },   { 3, 3, 80 },  { 4, 1, 904 }, { 4, 2, 912 },
    { 5, 1, 48 },    { 5, 2, 64 },  { 5, 3, 152 },  { 6, 1, 1120 }, { 7, 1, 120 }, { 7, 2, 112 }, { 12, 1, 88 },
    { 14, 1, 5232 }, { 15, 1, 48 }, { 16, 1, 584 }, { 17, 1, 696 },
};
#define NVERSIONS ((int)(sizeof versions / sizeof versions[0]))

START_TEST(sizes)
{
    for (int i = 0; i < NVERSIONS; i++) {
        const struct dsn_table *t = dsn_table(versions[i].module);

        ck_assert_uint_eq(dsn_rec_disk_size(t, versions[i].version), versions[i].size);
        ck_assert_uint_eq(dsn_rec_disk_size(t, 0), 0);
        ck_assert_uint_eq(dsn_rec_disk_size(t, t->version + 1u), 0);
        ck_assert_uint_eq(dsn_rec_size(t), dsn_rec_disk_size(t, t->version));
    }
}
END_TEST

/* Counters whose place in the record the specification gives as a number. */
START_TEST(places)
{
    ck_assert_int_eq(POSIX_RENAMED_FROM, 12);
    ck_assert_int_eq(POSIX_BYTES_WRITTEN, 15);
    ck_assert_int_eq(POSIX_SIZE_READ_1G_PLUS, 38);
    ck_assert_int_eq(POSIX_STRIDE1_COUNT, 53);
    ck_assert_int_eq(POSIX_SLOWEST_RANK_BYTES, 68);
    ck_assert_int_eq(POSIX_F_META_TIME, 69 + 10);
    ck_assert_int_eq(POSIX_F_VARIANCE_RANK_BYTES, 69 + 16);
    ck_assert_int_eq(MPIIO_BYTES_READ, 14);
    ck_assert_int_eq(MPIIO_SLOWEST_RANK_BYTES, 50);
    ck_assert_int_eq(MPIIO_F_MAX_WRITE_TIME, 51 + 12);
    ck_assert_int_eq(STDIO_BYTES_WRITTEN, 6);
    ck_assert_int_eq(STDIO_F_META_TIME, 14);
    /* behind the file's id, the first value of both */
    ck_assert_int_eq(H5D_FILE_REC_ID, 0);
    ck_assert_int_eq(H5D_SIZE_WRITE_AGG_1G_PLUS, 1 + 31);
    ck_assert_int_eq(H5D_ACCESS4_STRIDE_D5, 1 + 75);
    ck_assert_int_eq(H5D_ACCESS1_COUNT, 1 + 76);
    ck_assert_int_eq(H5D_SLOWEST_RANK_BYTES, 1 + 93);
    ck_assert_int_eq(H5D_F_VARIANCE_RANK_BYTES, 1 + 94 + 16);
    ck_assert_int_eq(PNETCDF_VAR_FILE_REC_ID, 0);
    ck_assert_int_eq(PNETCDF_VAR_BPUT_VARN, 1 + 41);
    ck_assert_int_eq(PNETCDF_VAR_ACCESS3_LENGTH_D2, 1 + 88);
    ck_assert_int_eq(PNETCDF_VAR_IS_RECORD_VAR, 1 + 115);
    ck_assert_int_eq(PNETCDF_VAR_F_META_TIME, 1 + 120 + 10);
    ck_assert_int_eq(PNETCDF_FILE_WAIT_FAILURES, 8);
    ck_assert_int_eq(PNETCDF_FILE_F_WAIT_TIME, 9 + 7);
    ck_assert_int_eq(BGQ_TORUSENABLED, 10);
    ck_assert_int_eq(DFS_CHUNK_SIZE, 47);
    ck_assert_int_eq(DFS_F_SLOWEST_RANK_TIME, 52 + 14);
    ck_assert_int_eq(DAOS_NB_OPS, 23);
    ck_assert_int_eq(DAOS_ARRAY_CHUNK_SIZE, 59);
    ck_assert_int_eq(DAOS_OID_LO, 64 + 15 + 5);
    ck_assert_int_eq(MDHIM_SERVERS, 4);
    ck_assert_int_eq(MPI_IPROBE_CALL_COUNT, 12 * 8 + 1);
    ck_assert_int_eq(MPI_WIN_SYNC_MAX_TIME, 396 + 221);
    ck_assert_int_eq(MPI_ALLTOALLW_TOTAL_SYNC_TIME, 396 + 222 + 15);
    ck_assert_int_eq(MPI_TOTAL_COMM_TIME, 396 + 222 + 16);
    for (unsigned i = 0; i < POSIX_NVALUES; i++) {
        const struct dsn_row *row = dsn_table_row(dsn_table(1), i);

        ck_assert_ptr_nonnull(row);
        ck_assert_int_eq(row->at, (int)i);
        ck_assert_int_eq(row->kind == DSN_F64, i >= 69);
        ck_assert_int_eq(strncmp(row->name, i >= 69 ? "POSIX_F_" : "POSIX_", i >= 69 ? 8 : 6), 0);
    }
    ck_assert_ptr_null(dsn_table_row(dsn_table(1), POSIX_NVALUES));
}
END_TEST

/* What an integer is that a version does not have: a record id 0, opens the sum of two gone rows (which are 0), all
 * others -1. */
static int64_t absent(unsigned module, unsigned version, int at)
{
    const int is_id = (module == 1 && at == 12) || (module == 4 && at == 0);
    const int is_sum = module == 5 && version < 3 && at == 1;

    return is_id || is_sum ? 0 : -1;
}

/* Each version in each byte order, at an odd address: what is on disk arrives, what is not is "not available". */
START_TEST(load)
{
    const unsigned module = versions[_i / 2].module, version = versions[_i / 2].version;
    const struct dsn_table *t = dsn_table(module);
    struct unit_bytes disk = { .big = _i % 2 };
    int at[UNIT_VALUES], on_disk[UNIT_VALUES] = { 0 };
    const unsigned n = unit_layout(module, version, at);
    union any u;

    memset(&u, 0x5a, sizeof u);
    unit_put(&disk, "!", 1);
    unit_put_record(&disk, module, version, 0x0123456789abcdef, -1, 123456789, 0);
    ck_assert_uint_eq(disk.n - 1, versions[_i / 2].size);
    ck_assert_int_eq(dsn_rec_load(t, version, unit_is_foreign(_i % 2), disk.p + 1, &u.r), DSN_LOADED);
    ck_assert_uint_eq(u.r.id, 0x0123456789abcdef);
    ck_assert_int_eq(u.r.rank, -1);
    for (unsigned i = 0; i < n; i++)
        if (at[i] >= 0)
            on_disk[at[i]] = 1;
    for (int i = 0; i < t->nvalues; i++) {
        if (unit_kind(module, i) == 'f')
            ck_assert_double_eq(u.r.v[i].f, on_disk[i] ? unit_f64(i, 123456789) : -1.0);
        else
            ck_assert_int_eq(u.r.v[i].i, on_disk[i] ? unit_i64(i, 123456789) : absent(module, version, i));
    }
    free(disk.p);
}
END_TEST

/* POSIX version 1 has records of streams, too. */
START_TEST(streams_are_skipped)
{
    struct unit_bytes disk = { .big = _i };
    union any u;

    unit_put_record(&disk, 1, 1, 1, 0, 1, 1);
    unit_put_record(&disk, 1, 1, 1, 0, 1, -1);
    ck_assert_int_eq(dsn_rec_load(dsn_table(1), 1, unit_is_foreign(_i), disk.p, &u.r), DSN_SKIPPED);
    ck_assert_int_eq(dsn_rec_load(dsn_table(1), 1, unit_is_foreign(_i), disk.p + 680, &u.r), DSN_LOADED);
    free(disk.p);
}
END_TEST

/* Opens of PnetCDF files, once kept apart, are added; across 2^8, where carries show the order of steps. */
START_TEST(opens_are_added)
{
    struct unit_bytes disk = { .big = _i % 2 };
    union any u;

    unit_put_record(&disk, 5, 1u + (unsigned)_i / 2, 1, 0, 1, 200);
    ck_assert_int_eq(dsn_rec_load(dsn_table(5), 1u + (unsigned)_i / 2, unit_is_foreign(_i % 2), disk.p, &u.r),
                     DSN_LOADED);
    ck_assert_int_eq(u.r.v[PNETCDF_FILE_OPENS].i, 400);
    ck_assert_int_eq(u.r.v[PNETCDF_FILE_CREATES].i, -1);
    free(disk.p);
}
END_TEST

START_TEST(roles)
{
    union any u;
    uint16_t at[2];

    memset(&u, 0, sizeof u);
    u.r.v[MPIIO_INDEP_READS].i = 1;
    u.r.v[MPIIO_COLL_READS].i = 10;
    u.r.v[MPIIO_NB_READS].i = -1;
    u.r.v[MPIIO_F_READ_TIME].f = -1.0;
    u.r.v[MPIIO_F_WRITE_TIME].f = -0.5; /* timers may run backwards a little: that is a value, not its absence */
    ck_assert_int_eq(dsn_rec_role_i64(dsn_table(2), &u.r, DSN_R_OPS), 11);
    ck_assert_double_eq(dsn_rec_role_f64(dsn_table(2), &u.r, DSN_R_TIME), 0);
    ck_assert_double_eq(dsn_rec_role_f64(dsn_table(2), &u.r, DSN_W_TIME), -0.5);
    ck_assert_uint_eq(dsn_role_rows(dsn_table(2), DSN_R_OPS, at, 2), 2);
    ck_assert_uint_eq(at[0], MPIIO_INDEP_READS);
    ck_assert_uint_eq(dsn_role_rows(dsn_table(2), DSN_R_EXTENT, at, 2), 0);
}
END_TEST

/* ------------------------------------------------------------------ reduction */

static void reduce(union any *in, union any *inout)
{
    dsn_rec_reduce(dsn_table(1), &in->r, 1, &inout->r, 1, DSN_TOP_MERGE);
}

START_TEST(reduce_integers)
{
    union any a, b;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.r.v[POSIX_OPENS].i = 3, b.r.v[POSIX_OPENS].i = 4;
    a.r.v[POSIX_MMAPS].i = -1, b.r.v[POSIX_MMAPS].i = -1;
    a.r.v[POSIX_DUPS].i = -1, b.r.v[POSIX_DUPS].i = 5;
    a.r.v[POSIX_BYTES_READ].i = 7, b.r.v[POSIX_BYTES_READ].i = -9;
    a.r.v[POSIX_MAX_BYTE_READ].i = 10, b.r.v[POSIX_MAX_BYTE_READ].i = 20;
    a.r.v[POSIX_MODE].i = 384, b.r.v[POSIX_MODE].i = 420;
    a.r.v[POSIX_SIZE_WRITE_1G_PLUS].i = 1, b.r.v[POSIX_SIZE_WRITE_1G_PLUS].i = 2;
    a.r.id = 1, b.r.id = 2, a.r.rank = 3, b.r.rank = 4;
    reduce(&a, &b);
    ck_assert_int_eq(b.r.v[POSIX_OPENS].i, 7);
    ck_assert_int_eq(b.r.v[POSIX_MMAPS].i, -1); /* not -2 */
    ck_assert_int_eq(b.r.v[POSIX_DUPS].i, 4);
    ck_assert_int_eq(b.r.v[POSIX_BYTES_READ].i, -2);
    ck_assert_int_eq(b.r.v[POSIX_MAX_BYTE_READ].i, 20);
    ck_assert_int_eq(b.r.v[POSIX_MODE].i, 384);
    ck_assert_int_eq(b.r.v[POSIX_SIZE_WRITE_1G_PLUS].i, 3);
    ck_assert_uint_eq(b.r.id, 2);
    ck_assert_int_eq(b.r.rank, 4);
}
END_TEST

START_TEST(reduce_doubles)
{
    union any a, b;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.r.v[POSIX_F_OPEN_START_TIMESTAMP].f = 0, b.r.v[POSIX_F_OPEN_START_TIMESTAMP].f = 2;
    a.r.v[POSIX_F_READ_START_TIMESTAMP].f = 3, b.r.v[POSIX_F_READ_START_TIMESTAMP].f = 0;
    a.r.v[POSIX_F_WRITE_START_TIMESTAMP].f = 3, b.r.v[POSIX_F_WRITE_START_TIMESTAMP].f = 2;
    a.r.v[POSIX_F_OPEN_END_TIMESTAMP].f = 5, b.r.v[POSIX_F_OPEN_END_TIMESTAMP].f = 4;
    a.r.v[POSIX_F_META_TIME].f = 0.25, b.r.v[POSIX_F_META_TIME].f = 0.5;
    a.r.v[POSIX_F_MAX_READ_TIME].f = 2, a.r.v[POSIX_MAX_READ_TIME_SIZE].i = 200;
    b.r.v[POSIX_F_MAX_READ_TIME].f = 1, b.r.v[POSIX_MAX_READ_TIME_SIZE].i = 100;
    a.r.v[POSIX_F_MAX_WRITE_TIME].f = 1, a.r.v[POSIX_MAX_WRITE_TIME_SIZE].i = 200;
    b.r.v[POSIX_F_MAX_WRITE_TIME].f = 1, b.r.v[POSIX_MAX_WRITE_TIME_SIZE].i = 100;
    reduce(&a, &b);
    ck_assert_double_eq(b.r.v[POSIX_F_OPEN_START_TIMESTAMP].f, 2);
    ck_assert_double_eq(b.r.v[POSIX_F_READ_START_TIMESTAMP].f, 3);
    ck_assert_double_eq(b.r.v[POSIX_F_WRITE_START_TIMESTAMP].f, 2);
    ck_assert_double_eq(b.r.v[POSIX_F_OPEN_END_TIMESTAMP].f, 5);
    ck_assert_double_eq(b.r.v[POSIX_F_META_TIME].f, 0.75);
    ck_assert_double_eq(b.r.v[POSIX_F_MAX_READ_TIME].f, 2);
    ck_assert_int_eq(b.r.v[POSIX_MAX_READ_TIME_SIZE].i, 200);
    ck_assert_int_eq(b.r.v[POSIX_MAX_WRITE_TIME_SIZE].i, 100); /* a tie keeps what was there */
}
END_TEST

/* A rank's own record, ready for reduction. */
static union any rank_record(int64_t rank, double time, int64_t bytes)
{
    union any u;

    memset(&u, 0, sizeof u);
    u.r.rank = rank;
    u.r.v[POSIX_F_READ_TIME].f = time / 2;
    u.r.v[POSIX_F_META_TIME].f = time / 2;
    u.r.v[POSIX_BYTES_READ].i = bytes - 1;
    u.r.v[POSIX_BYTES_WRITTEN].i = 1;
    dsn_rec_prepare(dsn_table(1), &u.r, rank);
    return u;
}

START_TEST(fastest_and_slowest)
{
    union any a = rank_record(0, 2, 10), b = rank_record(1, 8, 20);
    union any c = rank_record(2, 2, 30), d = rank_record(3, 8, 40);

    ck_assert_int_eq(a.r.rank, -1);
    reduce(&a, &b);
    reduce(&b, &c);
    reduce(&c, &d);
    /* the accumulator wins ties: of ranks 0 and 2 the one that was there, of 1 and 3 likewise */
    ck_assert_int_eq(d.r.v[POSIX_FASTEST_RANK].i, 2);
    ck_assert_int_eq(d.r.v[POSIX_FASTEST_RANK_BYTES].i, 30);
    ck_assert_double_eq(d.r.v[POSIX_F_FASTEST_RANK_TIME].f, 2);
    ck_assert_int_eq(d.r.v[POSIX_SLOWEST_RANK].i, 3);
    ck_assert_int_eq(d.r.v[POSIX_SLOWEST_RANK_BYTES].i, 40);
    ck_assert_double_eq(d.r.v[POSIX_F_SLOWEST_RANK_TIME].f, 8);
    ck_assert_int_eq(d.r.v[POSIX_BYTES_READ].i, 96);
}
END_TEST

/* For many records of one table it is the same as for one, for every table and values of any kind. */
START_TEST(reducer)
{
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++) {
        const struct dsn_table *t = dsn_table(id);
        struct dsn_reducer r;
        union any in, one, many;

        if (!t)
            continue;
        dsn_reducer_init(t, &r);
        for (uint64_t seed = 1; seed < 50; seed++) {
            uint64_t state = seed;

            for (unsigned i = 0; i < t->nvalues; i++) {
                state = state * 6364136223846793005 + 1442695040888963407;
                in.r.v[i].i = (int64_t)(state >> 60) - 1; /* equal ones, 0 and -1 are frequent */
                state = state * 6364136223846793005 + 1442695040888963407;
                one.r.v[i].i = (int64_t)(state >> 60) - 1;
            }
            for (unsigned i = 0; i < t->nrows; i++) {
                const struct dsn_row *row = &t->rows[i];

                if (row->at < 0 || row->red == DSN_PART)
                    continue;
                if (row->kind == DSN_F64) {
                    in.r.v[row->at].f = (double)in.r.v[row->at].i;
                    one.r.v[row->at].f = (double)one.r.v[row->at].i;
                } else if (row->red == DSN_TOP) {
                    memset(&in.r.v[row->at], 0, (4 * row->width + 4) * sizeof in.r.v[0]);
                    memset(&one.r.v[row->at], 0, (4 * row->width + 4) * sizeof in.r.v[0]);
                    in.r.v[row->at].i = seed % 3 ? (int64_t)seed : 0;
                    in.r.v[row->at + 4 * row->width].i = 4;
                    one.r.v[row->at].i = (int64_t)seed % 7;
                    one.r.v[row->at + 4 * row->width].i = 2;
                }
            }
            many = one;
            dsn_rec_reduce(t, &in.r, 3, &one.r, 5, DSN_TOP_MERGE);
            dsn_reduce(&r, &in.r, 3, &many.r, 5);
            ck_assert_int_eq(memcmp(one.r.v, many.r.v, t->nvalues * sizeof one.r.v[0]), 0);
        }
    }
}
END_TEST

/* reductions.md 5: bytes 100, 400, 900, 1600 have population variance 322500; by a chain and by a tree. */
START_TEST(variance)
{
    const struct dsn_table *t = dsn_table(1);
    union any r[4];

    for (int i = 0; i < 4; i++)
        r[i] = rank_record(i, (i + 1) * (i + 1), 100 * (i + 1) * (i + 1));
    if (_i == 0) {
        dsn_rec_reduce(t, &r[1].r, 1, &r[0].r, 1, DSN_TOP_MERGE);
        dsn_rec_reduce(t, &r[2].r, 1, &r[0].r, 2, DSN_TOP_MERGE);
        dsn_rec_reduce(t, &r[3].r, 1, &r[0].r, 3, DSN_TOP_MERGE);
    } else {
        dsn_rec_reduce(t, &r[1].r, 1, &r[0].r, 1, DSN_TOP_MERGE);
        dsn_rec_reduce(t, &r[2].r, 1, &r[3].r, 1, DSN_TOP_MERGE);
        dsn_rec_reduce(t, &r[3].r, 2, &r[0].r, 2, DSN_TOP_MERGE);
    }
    dsn_rec_finish(t, &r[0].r, 4);
    ck_assert_double_eq_tol(r[0].r.v[POSIX_F_VARIANCE_RANK_BYTES].f, 322500, 1e-6);
    ck_assert_double_eq_tol(r[0].r.v[POSIX_F_VARIANCE_RANK_TIME].f, 32.25, 1e-12);
}
END_TEST

/* ------------------------------------------------------------------ most frequent values */

static void set_top(union any *u, const int64_t pairs[4][2])
{
    memset(u, 0, sizeof *u);
    for (int i = 0; i < 4; i++) {
        u->r.v[POSIX_ACCESS1_ACCESS + i].i = pairs[i][0];
        u->r.v[POSIX_ACCESS1_COUNT + i].i = pairs[i][1];
    }
}

static void top_is(const union any *u, const int64_t pairs[4][2])
{
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(u->r.v[POSIX_ACCESS1_ACCESS + i].i, pairs[i][0]);
        ck_assert_int_eq(u->r.v[POSIX_ACCESS1_COUNT + i].i, pairs[i][1]);
    }
}

START_TEST(top_merge)
{
    static const int64_t a1[4][2] = { { 10, 5 }, { 20, 3 } }, b1[4][2] = { { 20, 4 }, { 30, 1 } };
    static const int64_t want1[4][2] = { { 20, 7 }, { 10, 5 }, { 30, 1 } };
    static const int64_t a2[4][2] = { { 1, 9 }, { 2, 8 }, { 3, 2 }, { 4, 1 } };
    static const int64_t b2[4][2] = { { 5, 8 }, { 6, 2 }, { 4, 1 } };
    static const int64_t want2[4][2] = { { 1, 9 }, { 5, 8 }, { 2, 8 }, { 6, 2 } }; /* larger value first at a tie */
    union any a, b;

    set_top(&a, a1);
    set_top(&b, b1);
    reduce(&a, &b);
    top_is(&b, want1);
    top_is(&a, a1); /* what comes in is only read */
    set_top(&a, a2);
    set_top(&b, b2);
    reduce(&a, &b);
    top_is(&b, want2);
}
END_TEST

/* Datasets: tuples of 11 are one value; -1 of two ranks is -2; flags are joined; the file's id is kept. */
START_TEST(reduce_datasets)
{
    const struct dsn_table *t = dsn_table(4);
    union any a, b;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.r.v[H5D_FILE_REC_ID].i = b.r.v[H5D_FILE_REC_ID].i = -77;
    a.r.v[H5D_FLUSHES].i = b.r.v[H5D_FLUSHES].i = -1;
    a.r.v[H5D_USE_MPIIO_COLLECTIVE].i = 1;
    a.r.v[H5D_DATATYPE_SIZE].i = b.r.v[H5D_DATATYPE_SIZE].i = 8;
    a.r.v[H5D_ACCESS1_ACCESS].i = 800, a.r.v[H5D_ACCESS1_LENGTH_D5].i = 100, a.r.v[H5D_ACCESS1_COUNT].i = 3;
    a.r.v[H5D_ACCESS2_ACCESS].i = 800, a.r.v[H5D_ACCESS2_STRIDE_D5].i = 2, a.r.v[H5D_ACCESS2_COUNT].i = 2;
    b.r.v[H5D_ACCESS1_ACCESS].i = 800, b.r.v[H5D_ACCESS1_STRIDE_D5].i = 2, b.r.v[H5D_ACCESS1_COUNT].i = 4;
    dsn_rec_reduce(t, &a.r, 1, &b.r, 1, DSN_TOP_MERGE);
    ck_assert_int_eq(b.r.v[H5D_FILE_REC_ID].i, -77);
    ck_assert_int_eq(b.r.v[H5D_FLUSHES].i, -2);
    ck_assert_int_eq(b.r.v[H5D_USE_MPIIO_COLLECTIVE].i, 1);
    ck_assert_int_eq(b.r.v[H5D_USE_DEPRECATED].i, 0);
    ck_assert_int_eq(b.r.v[H5D_DATATYPE_SIZE].i, 8);
    ck_assert_int_eq(b.r.v[H5D_ACCESS1_STRIDE_D5].i, 2);
    ck_assert_int_eq(b.r.v[H5D_ACCESS1_COUNT].i, 6);
    ck_assert_int_eq(b.r.v[H5D_ACCESS2_LENGTH_D5].i, 100);
    ck_assert_int_eq(b.r.v[H5D_ACCESS2_STRIDE_D5].i, 0);
    ck_assert_int_eq(b.r.v[H5D_ACCESS2_COUNT].i, 3);
    ck_assert_int_eq(b.r.v[H5D_ACCESS3_ACCESS].i, 0);
}
END_TEST

/* What a record of DFS is of stays with it. */
START_TEST(reduce_places)
{
    const struct dsn_table *t = dsn_table(16);
    union any a, b;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.r.v[DFS_CONT_UUID_REST].i = b.r.v[DFS_CONT_UUID_REST].i = 123456789;
    a.r.v[DFS_READXS].i = -1, b.r.v[DFS_READXS].i = -1;
    a.r.v[DFS_F_SLOWEST_RANK_TIME].f = 2, a.r.v[DFS_SLOWEST_RANK].i = 5;
    dsn_rec_reduce(t, &a.r, 1, &b.r, 1, DSN_TOP_MERGE);
    ck_assert_int_eq(b.r.v[DFS_CONT_UUID_REST].i, 123456789);
    ck_assert_int_eq(b.r.v[DFS_READXS].i, -1);
    ck_assert_int_eq(b.r.v[DFS_SLOWEST_RANK].i, 5);
}
END_TEST

/* parser-output.md 3.4: known values grow where they stand, new ones are inserted by their own count. */
START_TEST(top_fold)
{
    static const int64_t a[4][2] = { { 10, 5 }, { 20, 4 }, { 30, 3 }, { 40, 2 } };
    static const int64_t r[4][2] = { { 40, 9 }, { 50, 4 }, { 60, 1 } };
    static const int64_t want[4][2] = { { 10, 5 }, { 50, 4 }, { 20, 4 }, { 30, 3 } };
    static const int64_t r2[4][2] = { { 30, 100 }, { 70, 3 } };
    static const int64_t want2[4][2] = { { 10, 5 }, { 50, 4 }, { 20, 4 }, { 30, 103 } };
    union any in, inout;

    set_top(&inout, a);
    set_top(&in, r);
    dsn_rec_reduce(dsn_table(1), &in.r, 1, &inout.r, 1, DSN_TOP_FOLD);
    top_is(&inout, want); /* 40 grew to 11 in the last place, from where 50 then pushed it out */
    set_top(&in, r2);
    dsn_rec_reduce(dsn_table(1), &in.r, 1, &inout.r, 1, DSN_TOP_FOLD);
    top_is(&inout, want2); /* 30 grew, but is not moved up; no slot has a count as low as that of 70 */
}
END_TEST

/* modules-io.md 2.5 */
START_TEST(publish)
{
    union dsn_val s[8];
    static const int64_t v[6] = { 0, 100, 200, 300, 400, 500 };

    memset(s, 0, sizeof s);
    dsn_top_publish(s, 1, &v[0], 99);
    ck_assert_int_eq(s[4].i, 0); /* 0 is never published */
    dsn_top_publish(s, 1, &v[1], 1);
    dsn_top_publish(s, 1, &v[2], 1);
    ck_assert_int_eq(s[0].i, 200); /* equal counts: the larger first */
    dsn_top_publish(s, 1, &v[2], 1);
    ck_assert_int_eq(s[1].i, 100); /* the same again takes no second slot */
    dsn_top_publish(s, 1, &v[1], 2);
    ck_assert_int_eq(s[0].i, 100); /* its older entry is gone */
    ck_assert_int_eq(s[4].i, 2);
    ck_assert_int_eq(s[1].i, 200);
    ck_assert_int_eq(s[2].i, 0);
    dsn_top_publish(s, 1, &v[3], 5);
    dsn_top_publish(s, 1, &v[4], 4);
    dsn_top_publish(s, 1, &v[5], 1); /* 200 with 1 is in the last place: 500 is larger */
    ck_assert_int_eq(s[0].i, 300);
    ck_assert_int_eq(s[1].i, 400);
    ck_assert_int_eq(s[2].i, 100);
    ck_assert_int_eq(s[3].i, 500);
    ck_assert_int_eq(s[7].i, 1);
    dsn_top_publish(s, 1, &v[2], 1); /* no place for it now */
    ck_assert_int_eq(s[3].i, 500);
}
END_TEST

/* Tuples are compared whole, and ordered by their first element. */
START_TEST(publish_tuples)
{
    union dsn_val s[4 * 2 + 4];
    static const int64_t a[2] = { 8, 1 }, b[2] = { 8, 2 }, c[2] = { 9, 0 };

    memset(s, 0, sizeof s);
    dsn_top_publish(s, 2, a, 1);
    dsn_top_publish(s, 2, b, 1);
    dsn_top_publish(s, 2, c, 1);
    ck_assert_int_eq(s[0].i, 9);
    ck_assert_int_eq(s[2].i, 8);
    ck_assert_int_eq(s[4].i, 8);
    dsn_top_publish(s, 2, a, 3);
    ck_assert_int_eq(s[0].i, 8);
    ck_assert_int_eq(s[1].i, 1);
    ck_assert_int_eq(s[8].i, 3);
    ck_assert_int_eq(s[2].i, 9);
    ck_assert_int_eq(s[5].i, 2);
    ck_assert_int_eq(s[11].i, 0);
}
END_TEST

/* Counters of a damaged log: whatever comes out, no sum may be undefined (the tests also run under the sanitizers). */
START_TEST(overflow)
{
    union any a, b;

    set_top(&a, (const int64_t[4][2]){ { 5, INT64_MAX } });
    set_top(&b, (const int64_t[4][2]){ { 5, INT64_MAX } });
    a.r.v[POSIX_BYTES_READ].i = a.r.v[POSIX_BYTES_WRITTEN].i = b.r.v[POSIX_BYTES_READ].i = INT64_MAX;
    dsn_rec_prepare(dsn_table(1), &a.r, 0);
    ck_assert_int_eq(a.r.v[POSIX_SLOWEST_RANK_BYTES].i, -2);
    reduce(&a, &b);
    ck_assert_int_eq(b.r.v[POSIX_BYTES_READ].i, -2);
    ck_assert_int_eq(b.r.v[POSIX_ACCESS1_COUNT].i, 0); /* -2 loses against the empty slots */
    set_top(&b, (const int64_t[4][2]){ { 5, INT64_MAX } });
    dsn_rec_reduce(dsn_table(1), &a.r, 1, &b.r, 1, DSN_TOP_FOLD);
    ck_assert_int_eq(b.r.v[POSIX_ACCESS1_COUNT].i, -2);
}
END_TEST

START_TEST(size_bins)
{
    static const int64_t bound[9] = { 100, 1024, 10240, 102400, 1048576, 4194304, 10485760, 104857600, 1073741824 };

    ck_assert_uint_eq(dsn_size_bin(0), 0);
    for (unsigned i = 0; i < 9; i++) {
        ck_assert_uint_eq(dsn_size_bin(bound[i]), i);
        ck_assert_uint_eq(dsn_size_bin(bound[i] + 1), i + 1);
    }
    ck_assert_uint_eq(dsn_size_bin(INT64_MAX), 9);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "sizes", sizes, 0 },
        { "places", places, 0 },
        { "load", load, 2 * NVERSIONS },
        { "streams are skipped", streams_are_skipped, 2 },
        { "opens are added", opens_are_added, 4 },
        { "roles", roles, 0 },
        { "reduce integers", reduce_integers, 0 },
        { "reduce doubles", reduce_doubles, 0 },
        { "fastest and slowest", fastest_and_slowest, 0 },
        { "variance", variance, 2 },
        { "reducer", reducer, 0 },
        { "top merge", top_merge, 0 },
        { "top fold", top_fold, 0 },
        { "reduce datasets", reduce_datasets, 0 },
        { "reduce places", reduce_places, 0 },
        { "publish", publish, 0 },
        { "publish tuples", publish_tuples, 0 },
        { "overflow", overflow, 0 },
        { "size bins", size_bins, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("record", tests);
}

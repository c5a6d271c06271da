/* t-shared.c - darshan-merge: reduction of records of all ranks, in the modules with rules of their own
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"
#include "util/tools/merge-shared.h"

#define PATH "shared-unit.darshan"

union room {
    struct dsn_rec rec;
    uint64_t room[2 + DSN_MAX_VALUES];
};

static const struct dsn_job two_ranks = { .nprocs = 2 };

/* Both ranks' records as one, by way of a log; *log and *it are to be ended by done(). */
static const struct dsn_rec *merged(unsigned module, union room rank[2], const struct dsn_tail *tails, int exact,
                                    struct darshan_reader **log, struct darshan_reader_records **it)
{
    struct darshan_reader_error err;
    struct darshan_writer *w;
    struct dsn_shared s;
    const struct dsn_rec *r;

    dsn_shared_init(&s, module);
    s.exact = exact;
    for (int i = 0; i < 2; i++) {
        rank[i].rec.id = 5;
        rank[i].rec.rank = i;
        ck_assert_int_eq(dsn_shared_look(&s, &rank[i].rec), DSN_ERR_OK);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(dsn_shared_add(&s, &rank[i].rec, tails ? &tails[i] : NULL), DSN_ERR_OK);
    ck_assert_int_eq(dsn_shared_decide(&s, 2), DSN_ERR_OK);
    chmod(PATH, 0600);
    ck_assert_int_eq(darshan_writer_create(PATH, DSN_ZLIB, &w, &err), DSN_ERR_OK);
    darshan_writer_job(w, &two_ranks, "", NULL, 0);
    ck_assert_int_eq(dsn_shared_write(&s, w), DSN_ERR_OK);
    ck_assert_int_eq(darshan_writer_finish(w, &err), DSN_ERR_OK);
    dsn_shared_free(&s);
    ck_assert_int_eq(darshan_reader_open(PATH, log, &err), DSN_ERR_OK);
    ck_assert_int_eq(darshan_reader_begin(*log, module, it, &err), DSN_ERR_OK);
    r = darshan_reader_next(*it, &err);
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->id, 5);
    ck_assert_int_eq(r->rank, -1);
    return r;
}

static void done(struct darshan_reader *log, struct darshan_reader_records *it)
{
    ck_assert_ptr_null(darshan_reader_next(it, NULL));
    darshan_reader_end(it);
    darshan_reader_close(log);
}

/* Rank 0: 1 + 2 + 0 s, 10 bytes; rank 1: 4 + 0 + 1 s, 30 bytes. */
START_TEST(variances)
{
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    union room rank[2];

    memset(rank, 0, sizeof rank);
    rank[0].rec.v[H5D_F_READ_TIME].f = 1;
    rank[0].rec.v[H5D_F_WRITE_TIME].f = 2;
    rank[0].rec.v[H5D_BYTES_READ].i = 10;
    rank[1].rec.v[H5D_F_READ_TIME].f = 4;
    rank[1].rec.v[H5D_F_META_TIME].f = 1;
    rank[1].rec.v[H5D_BYTES_WRITTEN].i = 30;
    rank[1].rec.v[H5D_USE_MPIIO_COLLECTIVE].i = 1;
    r = merged(DSN_H5D_MODULE, rank, NULL, _i, &log, &it);
    ck_assert_double_eq_tol(r->v[H5D_F_VARIANCE_RANK_TIME].f, 1, 1e-12);
    ck_assert_double_eq_tol(r->v[H5D_F_VARIANCE_RANK_BYTES].f, 100, 1e-9);
    ck_assert_double_eq(r->v[H5D_F_FASTEST_RANK_TIME].f, 3);
    ck_assert_double_eq(r->v[H5D_F_SLOWEST_RANK_TIME].f, 5);
    ck_assert_int_eq(r->v[H5D_SLOWEST_RANK].i, 1);
    ck_assert_int_eq(r->v[H5D_SLOWEST_RANK_BYTES].i, 30);
    ck_assert_int_eq(r->v[H5D_USE_MPIIO_COLLECTIVE].i, 1);
    done(log, it);
}
END_TEST

START_TEST(pnetcdf_var)
{
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    union room rank[2];

    memset(rank, 0, sizeof rank);
    for (int i = 0; i < 2; i++) {
        rank[i].rec.v[PNETCDF_VAR_FILE_REC_ID].i = 77;
        rank[i].rec.v[PNETCDF_VAR_NB_READS].i = 2 + i;
        rank[i].rec.v[PNETCDF_VAR_NB_WRITES].i = 10 * i;
    }
    r = merged(DSN_PNETCDF_VAR_MODULE, rank, NULL, 0, &log, &it);
    ck_assert_int_eq(r->v[PNETCDF_VAR_NB_READS].i, 5);
    ck_assert_int_eq(r->v[PNETCDF_VAR_NB_WRITES].i, 10);
    ck_assert_int_eq(r->v[PNETCDF_VAR_FILE_REC_ID].i, 77);
    done(log, it);
}
END_TEST

START_TEST(bgq)
{
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    union room rank[2];

    memset(rank, 0, sizeof rank);
    rank[0].rec.v[BGQ_INODES].i = rank[1].rec.v[BGQ_INODES].i = 4;
    r = merged(DSN_BGQ_MODULE, rank, NULL, 0, &log, &it);
    ck_assert_int_eq(r->v[BGQ_INODES].i, 4);
    done(log, it);
}
END_TEST

START_TEST(mdhim)
{
    static const int64_t operations[2][3] = { { 1, 2, 3 }, { 10, 20, 30 } };
    const struct dsn_tail tails[2] = { { .n = 3, .values = { operations[0] } },
                                       { .n = 3, .values = { operations[1] } } };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    union room rank[2];

    memset(rank, 0, sizeof rank);
    for (int i = 0; i < 2; i++) {
        rank[i].rec.v[MDHIM_SERVERS].i = 3;
        rank[i].rec.v[MDHIM_PUTS].i = 6 + i;
        rank[i].rec.v[MDHIM_PUT_MAX_SIZE].i = 100 - 50 * i;
        rank[i].rec.v[MDHIM_F_PUT_TIMESTAMP].f = 2 - i;
        rank[i].rec.v[MDHIM_F_GET_MAX_DURATION].f = 0.5 + i;
    }
    r = merged(DSN_MDHIM_MODULE, rank, tails, _i, &log, &it);
    ck_assert_int_eq(r->v[MDHIM_SERVERS].i, 3);
    ck_assert_int_eq(r->v[MDHIM_PUTS].i, 13);
    ck_assert_int_eq(r->v[MDHIM_PUT_MAX_SIZE].i, 100);
    ck_assert_double_eq(r->v[MDHIM_F_PUT_TIMESTAMP].f, 1);
    ck_assert_double_eq(r->v[MDHIM_F_GET_MAX_DURATION].f, 1.5);
    ck_assert_uint_eq(darshan_reader_tail(it)->n, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(darshan_reader_tail(it)->values[0][i], 11 * (i + 1));
    done(log, it);
}
END_TEST

/* The first rank's layout, values and tail: others may have as many stripes elsewhere. */
START_TEST(lustre)
{
    static const int64_t osts[2][2] = { { 3, 4 }, { 8, 9 } };
    const struct dsn_lustre_comp comp[2] = { { .stripe_size = 1 << 20, .stripe_count = 2, .end = -1 },
                                             { .stripe_size = 1 << 22, .stripe_count = 1, .end = -1 } };
    const struct dsn_tail tails[2] = { { .n = 2, .values = { osts[0] }, .ncomps = 1, .comps = &comp[0] },
                                       { .n = 1, .values = { osts[1] }, .ncomps = 1, .comps = &comp[1] } };
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    union room rank[2];

    memset(rank, 0, sizeof rank);
    for (int i = 0; i < 2; i++) {
        rank[i].rec.v[LUSTRE_NUM_COMPONENTS].i = 1;
        rank[i].rec.v[LUSTRE_NUM_STRIPES].i = 2 - i;
    }
    r = merged(DSN_LUSTRE_MODULE, rank, tails, 0, &log, &it);
    ck_assert_int_eq(r->v[LUSTRE_NUM_STRIPES].i, 2);
    ck_assert_int_eq(darshan_reader_tail(it)->comps[0].stripe_size, 1 << 20);
    ck_assert_int_eq(darshan_reader_tail(it)->values[0][1], 4);
    done(log, it);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "variances", variances, 2 }, { "pnetcdf_var", pnetcdf_var, 0 }, { "bgq", bgq, 0 },
        { "mdhim", mdhim, 2 },         { "lustre", lustre, 0 },           { NULL, NULL, 0 },
    };

    return unit_run("shared", tests);
}

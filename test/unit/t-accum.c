/* t-accum.c - totals, file categories, performance estimate; the figures of the reports
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/index.h"
#include "unit.h"
#include "util/lib/accum.h"
#include "util/lib/figures.h"
#include "util/lib/processes.h"

union any {
    struct dsn_rec r;
    uint64_t room[2 + DSN_MAX_VALUES];
};

static union any record(uint64_t id, int64_t rank)
{
    union any u;

    memset(&u, 0, sizeof u);
    u.r.id = id;
    u.r.rank = rank;
    return u;
}

/* A POSIX record with bytes and times. */
static union any posix(uint64_t id, int64_t rank, int64_t r, int64_t w, double read, double write, double meta)
{
    union any u = record(id, rank);

    u.r.v[POSIX_BYTES_READ].i = r;
    u.r.v[POSIX_BYTES_WRITTEN].i = w;
    u.r.v[POSIX_MAX_BYTE_READ].i = r > 0 ? r - 1 : 0;
    u.r.v[POSIX_MAX_BYTE_WRITTEN].i = w > 0 ? w - 1 : 0;
    u.r.v[POSIX_F_READ_TIME].f = read;
    u.r.v[POSIX_F_WRITE_TIME].f = write;
    u.r.v[POSIX_F_META_TIME].f = meta;
    return u;
}

static void add(struct dsn_accum *a, union any u)
{
    ck_assert_int_eq(dsn_accum_add(a, &u.r), DSN_ERR_OK);
}

START_TEST(nothing)
{
    struct dsn_accum a;
    struct dsn_file_count c[DSN_NCATEGORIES];
    struct dsn_perf p;

    dsn_accum_init(&a, dsn_table(1), DSN_ACCUM_TOTAL | DSN_ACCUM_FILES | DSN_ACCUM_PERF);
    for (unsigned i = 0; i < POSIX_NVALUES; i++)
        ck_assert_int_eq(dsn_accum_total(&a)->v[i].i, 0);
    dsn_accum_files(&a, c);
    ck_assert_int_eq(c[DSN_ALL_FILES].files, 0);
    dsn_accum_perf(&a, NULL, 0, &p);
    ck_assert_double_eq(p.mib_per_second, 0);
    dsn_accum_free(&a);
}
END_TEST

/* parser-output.md 3.2, 3.3 */
START_TEST(totals)
{
    struct dsn_accum a;
    const struct dsn_rec *t;
    union any u;

    dsn_accum_init(&a, dsn_table(1), DSN_ACCUM_TOTAL);
    t = dsn_accum_total(&a);
    u = posix(7, 3, 100, 10, 1, 2, 4);
    u.r.v[POSIX_MMAPS].i = -1;
    u.r.v[POSIX_F_OPEN_START_TIMESTAMP].f = -1;
    u.r.v[POSIX_F_CLOSE_END_TIMESTAMP].f = 5;
    u.r.v[POSIX_F_VARIANCE_RANK_TIME].f = 9;
    add(&a, u);
    ck_assert_int_eq(t->v[POSIX_MMAPS].i, -1);
    ck_assert_int_eq(t->v[POSIX_FASTEST_RANK].i, 3);
    ck_assert_int_eq(t->v[POSIX_SLOWEST_RANK_BYTES].i, 110);
    ck_assert_double_eq(t->v[POSIX_F_SLOWEST_RANK_TIME].f, 7);
    ck_assert_double_eq(t->v[POSIX_F_VARIANCE_RANK_TIME].f, 0);
    ck_assert_double_eq(t->v[POSIX_F_OPEN_START_TIMESTAMP].f, 0);
    u = posix(7, 1, 1, 0, 3, 0, 0);
    u.r.v[POSIX_MMAPS].i = 5;
    u.r.v[POSIX_MODE].i = 420;
    u.r.v[POSIX_F_OPEN_START_TIMESTAMP].f = 2;
    add(&a, u);
    ck_assert_int_eq(t->v[POSIX_MMAPS].i, 4);
    ck_assert_int_eq(t->v[POSIX_MODE].i, 420);
    ck_assert_int_eq(t->v[POSIX_FASTEST_RANK].i, 1);
    ck_assert_double_eq(t->v[POSIX_F_FASTEST_RANK_TIME].f, 3);
    ck_assert_int_eq(t->v[POSIX_SLOWEST_RANK].i, 3);
    ck_assert_double_eq(t->v[POSIX_F_OPEN_START_TIMESTAMP].f, 2);
    u = posix(7, -1, 0, 0, 50, 0, 0); /* a reduced record offers what it says itself */
    u.r.v[POSIX_FASTEST_RANK].i = 8, u.r.v[POSIX_F_FASTEST_RANK_TIME].f = 0.5;
    u.r.v[POSIX_SLOWEST_RANK].i = 9, u.r.v[POSIX_F_SLOWEST_RANK_TIME].f = 6;
    add(&a, u);
    ck_assert_int_eq(t->v[POSIX_FASTEST_RANK].i, 8);
    ck_assert_int_eq(t->v[POSIX_SLOWEST_RANK].i, 3);
    ck_assert_double_eq(t->v[POSIX_F_READ_TIME].f, 54);
    add(&a, posix(8, 0, 0, 0, 0, 0, 0)); /* another file: no fastest or slowest from here on */
    ck_assert_int_eq(t->v[POSIX_FASTEST_RANK].i, -1);
    ck_assert_int_eq(t->v[POSIX_SLOWEST_RANK_BYTES].i, -1);
    ck_assert_double_eq(t->v[POSIX_F_SLOWEST_RANK_TIME].f, 0);
    add(&a, posix(7, 0, 0, 0, 100, 0, 0));
    ck_assert_int_eq(t->v[POSIX_SLOWEST_RANK].i, -1);
    dsn_accum_free(&a);
}
END_TEST

/* MPI-IO leaves the group of sizes alone when a record has no first size (parser-output.md 3.4, step 0). */
START_TEST(sizes_of_mpiio)
{
    struct dsn_accum a;
    union any u = record(1, 0);

    dsn_accum_init(&a, dsn_table(2), DSN_ACCUM_TOTAL);
    u.r.v[MPIIO_ACCESS1_ACCESS].i = 10, u.r.v[MPIIO_ACCESS1_COUNT].i = 3;
    add(&a, u);
    u.r.v[MPIIO_ACCESS1_ACCESS].i = 0;
    u.r.v[MPIIO_ACCESS1_ACCESS + 1].i = 10, u.r.v[MPIIO_ACCESS1_COUNT + 1].i = 5;
    add(&a, u);
    ck_assert_int_eq(dsn_accum_total(&a)->v[MPIIO_ACCESS1_ACCESS].i, 10);
    ck_assert_int_eq(dsn_accum_total(&a)->v[MPIIO_ACCESS1_COUNT].i, 3);
    ck_assert_int_eq(dsn_accum_total(&a)->v[MPIIO_ACCESS1_COUNT + 1].i, 0);
    dsn_accum_free(&a);
}
END_TEST

static void is_count(const struct dsn_file_count *c, int64_t files, int64_t bytes, int64_t extent)
{
    ck_assert_int_eq(c->files, files);
    ck_assert_int_eq(c->bytes, bytes);
    ck_assert_int_eq(c->extent, extent);
}

/* parser-output.md 4 */
START_TEST(files)
{
    struct dsn_accum a;
    struct dsn_file_count c[DSN_NCATEGORIES];

    dsn_accum_init(&a, dsn_table(1), DSN_ACCUM_FILES);
    add(&a, posix(1, 0, 100, 0, 0, 0, 0)); /* read by one rank */
    add(&a, posix(2, -1, 0, 50, 0, 0, 0)); /* written by all */
    add(&a, posix(3, 0, 10, 0, 0, 0, 0));  /* by two of them: read */
    add(&a, posix(3, 1, 0, 30, 0, 0, 0));  /* and written */
    add(&a, posix(4, 2, 0, 0, 0, 0, 0));   /* only opened */
    dsn_accum_files(&a, c);
    is_count(&c[DSN_ALL_FILES], 4, 190, 99);
    is_count(&c[DSN_READ_ONLY], 1, 100, 99);
    is_count(&c[DSN_WRITE_ONLY], 1, 50, 49);
    is_count(&c[DSN_READ_WRITE], 1, 40, 29);
    is_count(&c[DSN_UNIQUE], 2, 100, 99);
    is_count(&c[DSN_SHARED], 1, 50, 49);
    is_count(&c[DSN_PARTLY_SHARED], 1, 40, 29);
    dsn_accum_free(&a);
}
END_TEST

/* A record whose extent is not known makes its file's unknown; a later file can lift a category's. */
START_TEST(unknown_extents)
{
    struct dsn_accum a;
    struct dsn_file_count c[DSN_NCATEGORIES];
    union any u = posix(1, 0, 100, 0, 0, 0, 0);

    dsn_accum_init(&a, dsn_table(1), DSN_ACCUM_FILES);
    u.r.v[POSIX_MAX_BYTE_READ].i = u.r.v[POSIX_MAX_BYTE_WRITTEN].i = -1;
    add(&a, u);
    dsn_accum_files(&a, c);
    is_count(&c[DSN_ALL_FILES], 1, 100, -1);
    add(&a, posix(2, 0, 10, 0, 0, 0, 0));
    dsn_accum_files(&a, c);
    is_count(&c[DSN_ALL_FILES], 2, 110, 9);
    dsn_accum_free(&a);
    dsn_accum_init(&a, dsn_table(2), DSN_ACCUM_FILES); /* MPI-IO knows no extents */
    add(&a, record(1, 0));
    dsn_accum_files(&a, c);
    is_count(&c[DSN_ALL_FILES], 1, 0, -1);
    is_count(&c[DSN_SHARED], 0, 0, 0);
    dsn_accum_free(&a);
}
END_TEST

/* parser-output.md 5 */
START_TEST(perf)
{
    struct dsn_accum a;
    struct dsn_perf p;
    union any u = posix(9, -1, 1048576, 0, 100, 0, 0);

    dsn_accum_init(&a, dsn_table(1), DSN_ACCUM_PERF);
    add(&a, posix(1, 5, 1048576, 0, 1, 0.5, 0.25));
    add(&a, posix(2, 5, 0, 1048576, 0, 0, 1));
    add(&a, posix(3, 2, 0, 1048576, 2.75, 0, 0)); /* as long as rank 5: the smaller rank is named */
    add(&a, posix(3, INT64_MAX, 0, 0, 1, 0, 0));
    u.r.v[POSIX_F_SLOWEST_RANK_TIME].f = 1.25;
    add(&a, u);
    dsn_accum_perf(&a, NULL, 0, &p);
    ck_assert_int_eq(p.bytes, 4 * 1048576);
    ck_assert_double_eq(p.unique_io, 2.75);
    ck_assert_int_eq(p.unique_rank, 2);
    ck_assert_double_eq(p.unique_rw, 2.75);
    ck_assert_double_eq(p.unique_meta, 0);
    ck_assert_double_eq(p.shared_io, 1.25);
    ck_assert_double_eq(p.io, 4);
    ck_assert_double_eq(p.mib_per_second, 1);
    dsn_accum_free(&a);
}
END_TEST

/* ------------------------------------------------------------------ figures */

/* The log of unit_make_log(): POSIX of rank 0 (seed 1), all (2), rank 2 (3) on two files; stdout of rank 0 (5). */
START_TEST(figures)
{
    struct unit_log spec = { .version = "3.41",
                             .posix = 4,
                             .mpiio = 3,
                             .stdio = 2,
                             .extension = _i,
                             .metadata = _i ? "lib_ver=1\n" : "lib_ver=1\nnnodes=16\n" };
    struct unit_bytes bytes = unit_make_log(&spec);
    struct darshan_reader *log;
    struct dsn_figures f;
    double read = 0, write = 0, meta = 0, own[2];
    int64_t bytes_read = 0;

    ck_assert_int_eq(darshan_reader_open(unit_write_file(&bytes), &log, NULL), DSN_ERR_OK);
    ck_assert_int_eq(dsn_figures_make(log, 0, &f), DSN_ERR_OK);
    for (int seed = 1; seed <= 3; seed++) {
        bytes_read += unit_i64(14, seed);
        read += unit_f64(69 + 8, seed);
        write += unit_f64(69 + 9, seed);
        meta += unit_f64(69 + 10, seed);
    }
    bytes_read += unit_i64(7, 5); /* STDIO_BYTES_READ; the time is not that of storage */
    ck_assert_int_eq(f.bytes_read, bytes_read);
    ck_assert_double_eq_tol(f.read_time, read, 1e-9);
    ck_assert_double_eq_tol(f.write_time, write, 1e-9);
    ck_assert_double_eq_tol(f.meta_time, meta, 1e-9);
    /* rank 0: POSIX seed 1; rank 2: seed 3 */
    own[0] = unit_f64(77, 1) + unit_f64(78, 1) + unit_f64(79, 1);
    own[1] = unit_f64(77, 3) + unit_f64(78, 3) + unit_f64(79, 3);
    ck_assert_double_gt(own[1], own[0]);
    ck_assert_double_eq_tol(f.unique_time, own[1], 1e-9);
    ck_assert_int_eq(f.unique_rank, 2);
    ck_assert_double_eq(f.shared_time, unit_f64(69 + 14, 2));
    ck_assert_int_eq(f.files.total, 2); /* standard output is none */
    ck_assert_int_eq(f.files.read_write, 2);
    ck_assert_int_eq(f.files.shared, 1);
    ck_assert_int_eq(f.files.partly_shared, 1);
    ck_assert_int_eq(f.exact, _i);
    if (_i == 0) {
        ck_assert_int_eq(f.nodes, 16);
        ck_assert_int_eq(f.nodes_source, DSN_NODES_METADATA);
        ck_assert_double_gt(own[1] + f.shared_time, 10.25);
        ck_assert_double_eq(f.slowest_time, 10.25); /* it ran no longer */
        ck_assert(f.is_bounded);
        ck_assert_double_eq_tol(dsn_figures_rate_per_node(&f) * 16, dsn_figures_rate(&f), 1e-9);
    } else {
        ck_assert_int_eq(f.nodes, 2);
        ck_assert_int_eq(f.nodes_source, DSN_NODES_EXTENSION);
        ck_assert_int_eq(f.slowest_rank, 3);
        ck_assert_double_eq(f.slowest_time, 9.375); /* 3 + 3.125 + 3.25 */
        ck_assert_int_eq(f.aggregated_opens, 0 + 4 + 14 + 24 + 34 - 0);
    }
    ck_assert_int_eq(dsn_figures_make(log, 5, &f), DSN_ERR_OK);
    ck_assert_int_eq(f.nodes, 5);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

START_TEST(figures_of_nothing)
{
    struct dsn_figures f = { .nprocs = 1, .nodes = 1 };

    ck_assert_double_lt(dsn_figures_rate(&f), 0);
    ck_assert_double_lt(dsn_figures_rate_per_node(&f), 0);
    f.passed = 2, f.bytes_read = f.bytes_written = 1048576, f.nodes = 4;
    ck_assert_double_eq(dsn_figures_rate(&f), 1);
    ck_assert_double_eq(dsn_figures_rate_per_node(&f), 0.25);
    f.nodes = 0;
    ck_assert_double_lt(dsn_figures_rate_per_node(&f), 0);
}
END_TEST

/* DAOS: sums of -1 stay -1, nonblocking operations were never summed, and there are no extents. */
START_TEST(daos)
{
    union any u = record(1, 0);
    struct dsn_file_count c[DSN_NCATEGORIES];
    struct dsn_accum a;

    u.r.v[DAOS_NB_OPS].i = 5;
    u.r.v[DAOS_KV_GETS].i = -1;
    u.r.v[DAOS_ARRAY_READS].i = 7;
    u.r.v[DAOS_BYTES_READ].i = 70;
    u.r.v[DAOS_F_READ_TIME].f = 2;
    u.r.v[DAOS_OID_HI].i = 99;
    dsn_accum_init(&a, dsn_table(17), DSN_ACCUM_TOTAL | DSN_ACCUM_FILES);
    add(&a, u);
    u.r.rank = 1;
    u.r.v[DAOS_F_READ_TIME].f = 3;
    add(&a, u);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_NB_OPS].i, 0);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_KV_GETS].i, -1);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_ARRAY_READS].i, 14);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_FASTEST_RANK].i, 0);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_SLOWEST_RANK].i, 1);
    ck_assert_int_eq(dsn_accum_total(&a)->v[DAOS_SLOWEST_RANK_BYTES].i, 70);
    ck_assert_double_eq(dsn_accum_total(&a)->v[DAOS_F_SLOWEST_RANK_TIME].f, 3);
    dsn_accum_files(&a, c);
    ck_assert_int_eq(c[DSN_PARTLY_SHARED].bytes, 140);
    ck_assert_int_eq(c[DSN_PARTLY_SHARED].extent, -1);
    dsn_accum_free(&a);
}
END_TEST

/* A shell (rank 0), two commands at once, one after both, and one that does more I/O than it can have run for. */
START_TEST(processes_in_turn)
{
    struct dsn_listed_process list[] = {
        { 0, 0, 0, 100 }, { 1, 0, 10, 20 }, { 2, 0, 15, 25 }, { 3, 0, 25, 30 }, { 4, 0, 50, 52 }
    };
    static const double seconds[] = { 1, 3, 4, 2, 9 };
    struct dsn_processes all = { .list = list, .n = 5, .is_tree = 1 };
    const struct dsn_turn *one;
    struct dsn_turn *t;
    size_t n, found = 0;

    ck_assert_int_eq(dsn_turns_make(&all, 5, &t, &n), DSN_ERR_OK);
    ck_assert_uint_eq(n, 5);
    for (size_t i = 0; i < n; i++)
        t[i].seconds = seconds[t[i].rank];
    ck_assert_double_eq(dsn_turns_longest(t, n), 4 + 2 + 2);
    while ((one = dsn_turns_next(t, &n)) != NULL)
        found |= (size_t)1 << one->rank;
    ck_assert_uint_eq(found, 1 << 2 | 1 << 3 | 1 << 4);
    free(t);
    all.is_tree = 0;
    ck_assert_int_eq(dsn_turns_make(&all, 5, &t, &n), DSN_ERR_OK);
    ck_assert_uint_eq(n, 0);
    ck_assert_double_eq(dsn_turns_longest(t, n), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "nothing", nothing, 0 },
        { "totals", totals, 0 },
        { "sizes of MPI-IO", sizes_of_mpiio, 0 },
        { "files", files, 0 },
        { "unknown extents", unknown_extents, 0 },
        { "perf", perf, 0 },
        { "figures", figures, 2 },
        { "figures of nothing", figures_of_nothing, 0 },
        { "daos", daos, 0 },
        { "processes in turn", processes_in_turn, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("accum", tests);
}

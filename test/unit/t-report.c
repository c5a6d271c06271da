/* t-report.c - parts of reports: spreads, sizes, ranks; findings about compute nodes
 * SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/report/findings.h"
#include "util/report/layer.h"
#include "util/report/ranks.h"
#include "util/report/read.h"
#include "util/report/special.h"

/* ------------------------------------------------------------------ spread */

/* 1, 2, 3, 4 and a rank without any. Gini: of the 20 ordered pairs 8 differ by 1, 6 by 2, 4 by 3, 2 by 4: 40 in all, to
 * 2 * 5 * 5 * 2 = 100. */
START_TEST(spread)
{
    double v[] = { 4, 1, 0, 3, 2 };
    struct dsn_spread s;

    dsn_spread_make(v, 5, &s);
    ck_assert_uint_eq(s.n, 4);
    ck_assert_uint_eq(s.zero, 1);
    ck_assert_double_eq(s.min, 0);
    ck_assert_double_eq(s.q1, 1);
    ck_assert_double_eq(s.median, 2);
    ck_assert_double_eq(s.q3, 3);
    ck_assert_double_eq(s.max, 4);
    ck_assert_double_eq(s.mean, 2);
    ck_assert_double_eq_tol(s.gini, 0.4, 1e-15);
}
END_TEST

START_TEST(spread_of_nothing)
{
    double v[] = { 0, -1, NAN };
    struct dsn_spread s;

    dsn_spread_make(v, 2, &s);
    ck_assert_uint_eq(s.n, 0);
    ck_assert_uint_eq(s.zero, 2);
    dsn_spread_make(v, 0, &s);
    ck_assert_uint_eq(s.zero, 0);
    ck_assert_double_eq(s.gini, 0);
}
END_TEST

/* ------------------------------------------------------------------ sizes */

static union {
    struct dsn_rec rec;
    uint64_t room[2 + DSN_MAX_VALUES];
} posix;

static struct dsn_report_layer layer;

static void start_layer(void)
{
    memset(&posix, 0, sizeof posix);
    ck_assert(dsn__layer_init(&layer, dsn__layer_kind(0), 4));
    ck_assert_int_eq(layer.table->id, DSN_POSIX_MODULE);
}

/* 10 reads of 50 B and 3 of 2 MiB: all sizes are known, so the bytes of each bin are. */
START_TEST(sizes_that_are_known)
{
    union dsn_val *v = posix.rec.v;

    start_layer();
    v[POSIX_READS].i = 13;
    v[POSIX_BYTES_READ].i = 10 * 50 + 3 * 2097152;
    v[POSIX_SIZE_READ_0_100].i = 10;
    v[POSIX_SIZE_READ_1M_4M].i = 3;
    v[POSIX_ACCESS1_ACCESS].i = 50;
    v[POSIX_ACCESS1_COUNT].i = 10;
    v[POSIX_ACCESS2_ACCESS].i = 2097152;
    v[POSIX_ACCESS2_COUNT].i = 3;
    ck_assert_int_eq(dsn__layer_add(&layer, &posix.rec, 4, 1), DSN_ERR_OK);
    dsn__layer_finish(&layer);
    ck_assert_int_eq(layer.read_sizes.confidence, DSN_EXACT);
    ck_assert_double_eq(layer.read_sizes.bytes[0], 500);
    ck_assert_double_eq(layer.read_sizes.bytes[5], 6291456);
    ck_assert_uint_eq(layer.ncommon, 2);
    ck_assert_int_eq(layer.common[0].size, 50);
    ck_assert_int_eq(layer.common[0].reads, 10);
    ck_assert_int_eq(layer.common[0].writes, 0);
    dsn__layer_free(&layer);
}
END_TEST

/* The same without the sizes: the sum is exact, and each bin within its bounds. */
START_TEST(sizes_that_are_not)
{
    const struct dsn_sizes *s = &layer.write_sizes;
    union dsn_val *v = posix.rec.v;

    start_layer();
    v[POSIX_WRITES].i = 13;
    v[POSIX_BYTES_WRITTEN].i = 10 * 50 + 3 * 2097152;
    v[POSIX_SIZE_WRITE_0_100].i = 10;
    v[POSIX_SIZE_WRITE_1M_4M].i = 3;
    ck_assert_int_eq(dsn__layer_add(&layer, &posix.rec, 4, 1), DSN_ERR_OK);
    dsn__layer_finish(&layer);
    ck_assert_int_eq(s->confidence, DSN_BOUNDED);
    ck_assert_double_eq_tol(s->bytes[0] + s->bytes[5], 6291956, 1);
    ck_assert(s->bytes[0] >= 10 && s->bytes[0] <= 1000);
    ck_assert(s->bytes[5] >= 3 * 1048576 && s->bytes[5] <= 3 * 4194304);
    dsn__layer_free(&layer);
}
END_TEST

/* The four most frequent sizes of each of two records, of which the fifth would be the most frequent of all. */
START_TEST(common_sizes_of_records_add_up)
{
    union dsn_val *v = posix.rec.v;

    start_layer();
    for (int record = 0; record < 2; record++) {
        v[POSIX_READS].i = 100;
        for (int k = 0; k < 4; k++) {
            v[POSIX_ACCESS1_ACCESS + k].i = k == 3 ? 4096 : 100 * (1 + k + 4 * record);
            v[POSIX_ACCESS1_COUNT + k].i = 12 - k;
        }
        ck_assert_int_eq(dsn__layer_add(&layer, &posix.rec, 4, 1), DSN_ERR_OK);
    }
    dsn__layer_finish(&layer);
    ck_assert_int_eq(layer.common[0].size, 4096);
    ck_assert_int_eq(layer.common[0].reads, 18);
    ck_assert_uint_eq(layer.ncommon, 7);
    dsn__layer_free(&layer);
}
END_TEST

/* A shared record: 10 s of all 4 ranks, 4 s of rank 2, no less than 1 s of any; nothing is known of the others. 30 bytes
 * of rank 2 of 30, with a variance of 168.75: one rank moves them. */
START_TEST(shared_time)
{
    union dsn_val *v = posix.rec.v;

    start_layer();
    posix.rec.rank = -1;
    v[POSIX_F_WRITE_TIME].f = 10;
    v[POSIX_SLOWEST_RANK].i = 2;
    v[POSIX_F_SLOWEST_RANK_TIME].f = 4;
    v[POSIX_F_FASTEST_RANK_TIME].f = 1;
    v[POSIX_FASTEST_RANK].i = 0;
    v[POSIX_BYTES_WRITTEN].i = v[POSIX_SLOWEST_RANK_BYTES].i = 30;
    v[POSIX_F_VARIANCE_RANK_BYTES].f = 168.75;
    ck_assert_int_eq(dsn__layer_add(&layer, &posix.rec, 4, 1), DSN_ERR_OK);
    ck_assert_double_eq(layer.least_time + layer.extra[2].time, 4);
    ck_assert_double_eq(layer.least_time + layer.extra[0].time, 1);
    ck_assert_double_eq(layer.extra[2].bytes, 30);
    ck_assert_double_eq(layer.extra[0].bytes, 0);
    ck_assert_double_eq_tol(layer.movers.ranks, 1, 1e-9);
    ck_assert_int_eq(layer.movers.some_moved_none, 1);
    dsn__layer_free(&layer);
}
END_TEST

/* ------------------------------------------------------------------ compute nodes */

static struct dsn_report report;

/* A report of so many ranks, two on each node, that have nothing to do yet. */
static void start_report(size_t nranks)
{
    struct unit_log spec = { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2, .metadata = "" };
    struct unit_bytes bytes = unit_make_log(&spec);
    struct darshan_reader *log;

    ck_assert_int_eq(darshan_reader_open(unit_write_file(&bytes), &log, NULL), DSN_ERR_OK);
    ck_assert_int_eq(dsn_report_read(&report, log, (int64_t)nranks / 2), DSN_ERR_OK);
    free(bytes.p);
    free(report.ranks);
    report.ranks = calloc(nranks, sizeof *report.ranks);
    report.nranks = nranks;
    report.rank_times = report.rank_bytes = DSN_EXACT;
    report.nfiles = report.nparts = 0;
    report.f =
        (struct dsn_figures){ .nprocs = (int64_t)nranks, .present = (int64_t)nranks, .nodes = (int64_t)nranks / 2 };
    report.f.runtime = 100;
    for (size_t i = 0; i < nranks; i++)
        report.ranks[i].node = (int64_t)i / 2;
}

static void give(size_t rank, double seconds, int64_t bytes)
{
    report.ranks[rank].work.write = seconds;
    report.ranks[rank].work.bytes_written = bytes;
    report.movers += bytes > 0;
    report.f.write_time += seconds;
    report.f.bytes_written += bytes;
    report.f.slowest_time = fmax(report.f.slowest_time, seconds);
}

static const struct dsn_finding *find(const struct dsn_findings *all, enum dsn_finding_id id)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].id == id)
            return &all->list[i];
    return NULL;
}

static void end_report(struct dsn_findings *all)
{
    struct darshan_reader *log = report.log;

    free(all);
    dsn_report_free(&report);
    darshan_reader_close(log);
}

/* Ranks 2 and 3, on node 1, spend 5 s where others spend 1 s, on as many bytes. */
START_TEST(slow_node)
{
    const struct dsn_finding *f;
    struct dsn_findings *all;

    start_report(6);
    for (size_t i = 0; i < 6; i++)
        give(i, i / 2 == 1 ? 5 : 1, 1 << 20);
    all = dsn_findings_make(&report);
    f = find(all, DSN_FINDING_SLOW_NODE);
    ck_assert_ptr_nonnull(f);
    ck_assert_double_eq(f->saveable, 4);
    ck_assert_int_eq(f->severity, DSN_WARNING);
    ck_assert_int_eq(f->rank[0], 2);
    ck_assert_ptr_null(find(all, DSN_FINDING_STRAGGLER)); /* which it is a special case of */
    end_report(all);
}
END_TEST

/* The same, but these ranks have more to write. */
START_TEST(busy_node)
{
    struct dsn_findings *all;

    start_report(6);
    for (size_t i = 0; i < 6; i++)
        give(i, i / 2 == 1 ? 5 : 1, i / 2 == 1 ? 5 << 20 : 1 << 20);
    all = dsn_findings_make(&report);
    ck_assert_ptr_null(find(all, DSN_FINDING_SLOW_NODE));
    ck_assert_ptr_nonnull(find(all, DSN_FINDING_UNEVEN));
    end_report(all);
}
END_TEST

/* Collective calls on 4 nodes that leave the data to _i + 1 ranks. */
START_TEST(aggregators)
{
    static struct dsn_report_file file = { .mpi_collective = 8, .mpi_written = 8 << 20, .layout = -1, .ranks = 8 };
    struct dsn_report_file *files;
    const struct dsn_finding *f;
    struct dsn_findings *all;

    start_report(8);
    for (int i = 0; i <= _i; i++)
        give((size_t)i, 5, (8 << 20) / (_i + 1));
    file.work.bytes_written = 8 << 20;
    file.is_reduced = 1;
    files = report.files;
    report.files = &file;
    report.nfiles = 1;
    report.nparts = report.nstacks = 0; /* which are of the files that were read */
    all = dsn_findings_make(&report);
    f = find(all, DSN_FINDING_FEW_AGGREGATORS);
    ck_assert_int_eq(f != NULL, _i + 1 < 4);
    ck_assert(!f || f->saveable < 0);                  /* what it costs is not known */
    ck_assert_ptr_null(find(all, DSN_FINDING_UNEVEN)); /* that is what collective calls are for */
    ck_assert_ptr_null(find(all, DSN_FINDING_ONE_RANK));
    report.files = files;
    end_report(all);
}
END_TEST

/* What a row covers and what it says is there, and ids are told apart. */
START_TEST(rows)
{
    char condition[DSN_CONDITION_MAX];

    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_finding_row *row = dsn_finding_row((enum dsn_finding_id)i);

        ck_assert(row->id && row->title && row->condition && row->advice.posix && row->reference && row->examine);
        ck_assert_ptr_null(strpbrk(dsn_condition_text(row->condition, condition), "{}")); /* each is a threshold */
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(row->id, dsn_finding_row((enum dsn_finding_id)k)->id);
    }
}
END_TEST

/* What stands for thresholds is said in their form, and as the site sets them. */
START_TEST(conditions)
{
    static const struct {
        const char *sentence, *text;
    } known[] = { { "at least {calls} reads", "at least 1,000 reads" },
                  { "{high} of the run, and {seconds}", "a tenth of the run, and 0.1 s" },
                  { "{one_rank}, {-imbalance} or {slow_target}", "95 %, half or a third" },
                  { "{small}, {stream_buffer} and {large_stripe}", "100 KiB, 4 KiB and 1 GiB" },
                  { "{again}, {rewritten}; {sync_seconds}", "twice, 1.9 times; 1 ms" },
                  { "no {threshold}, {", "no {threshold}, {" } };
    char text[DSN_CONDITION_MAX];
    const double calls = dsn_thresholds.calls, high = dsn_thresholds.high;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_str_eq(dsn_condition_text(known[i].sentence, text), known[i].text);
    dsn_thresholds.calls = 12500;
    dsn_thresholds.high = 0.12;
    ck_assert_str_eq(dsn_condition_text("{calls}, {high}", text), "12,500, 12 %");
    dsn_thresholds.calls = calls;
    dsn_thresholds.high = high;
}
END_TEST

/* ------------------------------------------------------------------ a key-value store */

/* 100 puts and 20 gets; of 120 operations one of 4 servers has 60. modules-other.md 7. */
START_TEST(key_value_store)
{
    static const int64_t counters[] = { 100, 20, 4096, 1024, 4 }, servers[] = { 60, 20, 20, 20 };
    static const double times[] = { 1, 2, 0.1, 0.02 };
    struct unit_log spec = { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2, .metadata = "" };
    struct unit_region region = { .module = DSN_MDHIM_MODULE, .version = 1 };
    struct unit_bytes bytes;
    struct darshan_reader *log;
    char text[DSN_SPECIAL_TEXT];

    unit_put64(&region.raw, 1);
    unit_put64(&region.raw, UINT64_MAX);
    for (int i = 0; i < 5; i++)
        unit_put64(&region.raw, (uint64_t)counters[i]);
    for (int i = 0; i < 4; i++)
        unit_put_double(&region.raw, times[i]);
    for (int i = 0; i < 4; i++)
        unit_put64(&region.raw, (uint64_t)servers[i]);
    bytes = unit_make_regions(&spec, &region, 1);
    ck_assert_int_eq(darshan_reader_open(unit_write_file(&bytes), &log, NULL), DSN_ERR_OK);
    ck_assert_int_eq(dsn_report_read(&report, log, 0), DSN_ERR_OK);
    dsn__store_text(&report, text);
    ck_assert_str_eq(text,
                     "100 puts of up to 4.00 KiB (slowest 0.1000 s), 20 gets of up to 1.00 KiB (slowest 0.0200 s), "
                     "4 servers, 50 % on the busiest");
    dsn__partition_text(&report, text);
    ck_assert_str_eq(text, "");
    free(bytes.p);
    free(region.raw.p);
    end_report(NULL);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "spread of ranks", spread, 0 },
        { "spread of nothing", spread_of_nothing, 0 },
        { "sizes that are known", sizes_that_are_known, 0 },
        { "sizes that are not", sizes_that_are_not, 0 },
        { "common sizes of records add up", common_sizes_of_records_add_up, 0 },
        { "shared time", shared_time, 0 },
        { "slow node", slow_node, 0 },
        { "busy node", busy_node, 0 },
        { "aggregators", aggregators, 5 },
        { "rows of findings", rows, 0 },
        { "sentences of conditions", conditions, 0 },
        { "a key-value store", key_value_store, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("report", tests);
}

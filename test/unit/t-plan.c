/* t-plan.c - rank summaries, the plan, and joined regions
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/pages.h"
#include "log/region.h"
#include "record/record.h"
#include "reduce/plan.h"
#include "unit.h"

/* ------------------------------------------------------------------ facts */

/* Rank `rank` on its node, with an id of its own, one that ranks from 1 on have, and one that all have, in modules that
 * are one less with each rank. */
static struct dsn_rank_summary *summary_of(int64_t rank, const char *node, uint64_t hash)
{
    struct dsn_rank_summary *f = dsn__rank_summary_new(rank > 0 ? 3 : 2, 1);
    struct dsn_known_id *mask = dsn__rank_summary_ids(f);
    uint64_t n = 0;

    f->ranks = f->participants = f->lowest_records = 1;
    f->start_sec = 100 - rank;
    f->end_sec = 200;
    f->end_nsec = rank;
    f->ended = 50 + rank;
    f->active = 1u << rank;
    f->bytes = 1000;
    mask[n++] = (struct dsn_known_id){ 10 + (uint64_t)rank, 7 };
    if (rank > 0)
        mask[n++] = (struct dsn_known_id){ 50, 7 };
    mask[n++] = (struct dsn_known_id){ 60, 15u << rank };
    strcpy(dsn__rank_summary_nodes(f)->name, node);
    dsn__rank_summary_nodes(f)->hash = hash;
    dsn__rank_summary_nodes(f)->rank = rank;
    return f;
}

static struct dsn_rank_summary *joined(struct dsn_rank_summary *a, struct dsn_rank_summary *b)
{
    struct dsn_rank_summary *f = dsn__rank_summary_join(a, b);

    ck_assert_ptr_nonnull(f);
    dsn__pages_free(b);
    return f;
}

/* As a chain, and as a tree. */
static struct dsn_rank_summary *four(int how)
{
    struct dsn_rank_summary *f[4] = { summary_of(0, "b", 9), summary_of(1, "a", 3), summary_of(2, "b", 9),
                                      summary_of(3, "c", 3) };

    if (how == 0)
        return joined(joined(joined(f[0], f[1]), f[2]), f[3]);
    return joined(joined(f[0], f[1]), joined(f[2], f[3]));
}

START_TEST(summary)
{
    struct dsn_rank_summary *f = four(_i);
    const struct dsn_known_id *mask = dsn__rank_summary_ids(f);
    const struct dsn_node *node = dsn__rank_summary_nodes(f);

    ck_assert_int_eq(f->ranks, 4);
    ck_assert_int_eq(f->participants, 4);
    ck_assert_int_eq(f->start_sec, 97);
    ck_assert_int_eq(f->end_nsec, 3);
    ck_assert_int_eq(f->ended, 53);
    ck_assert_uint_eq(f->active, 15);
    ck_assert_uint_eq(f->bytes, 4000);
    ck_assert_uint_eq(f->nids, 1);
    ck_assert_uint_eq(mask[0].id, 60);
    ck_assert_uint_eq(mask[0].modules, 8);
    ck_assert_uint_eq(f->nnodes, 3); /* two of them with one hash */
    ck_assert_str_eq(node[0].name, "a");
    ck_assert_str_eq(node[1].name, "c");
    ck_assert_str_eq(node[2].name, "b");
    ck_assert_int_eq(node[2].rank, 0);
    dsn__pages_free(f);
}
END_TEST

/* Ranks that record nothing know no ids, and do not count as not knowing them. */
START_TEST(idle_ranks)
{
    struct dsn_rank_summary *idle = dsn__rank_summary_new(0, 1), *f;

    idle->ranks = 1;
    f = _i == 0 ? joined(idle, summary_of(1, "a", 3)) : joined(summary_of(1, "a", 3), idle);
    ck_assert_int_eq(f->ranks, 2);
    ck_assert_int_eq(f->participants, 1);
    ck_assert_uint_eq(f->nids, 3);
    ck_assert_int_eq(f->start_sec, 99);
    ck_assert_int_eq(f->end_sec, 200);
    ck_assert_int_eq(f->lowest_records, _i);
    dsn__pages_free(f);
}
END_TEST

/* ------------------------------------------------------------------ the plan */

START_TEST(plan)
{
    struct dsn_rank_summary *f = four(0);
    struct dsn_plan *p = dsn__plan_make(f, 1, 4, "/a/path");

    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(p->ended, 53);
    ck_assert_str_eq(dsn__plan_path(p), "/a/path");
    ck_assert_uint_eq(dsn__shared_modules(p, 60), 8);
    ck_assert_uint_eq(dsn__shared_modules(p, 50), 0);
    ck_assert_uint_eq(dsn__node_number(p, 9), 0); /* rank 0's node is the first */
    ck_assert_uint_eq(dsn__node_number(p, 3), 2);
    dsn__pages_free(p);
    f->lowest_records = 0;
    p = dsn__plan_make(f, 1, 0, NULL);
    ck_assert_ptr_null(dsn__plan_path(p));
    ck_assert_uint_eq(dsn__shared_modules(p, 60), 0);
    dsn__pages_free(p);
    dsn__pages_free(f);
}
END_TEST

/* 1,024 ranks of 16 nodes with 1 MiB each: some 128 MiB. */
START_TEST(groups)
{
    struct dsn_rank_summary *f = dsn__rank_summary_new(0, 16);

    f->ranks = f->participants = 1024;
    f->bytes = UINT64_C(1024) << 20;
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 256 << 20, 1), 0);
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 16 << 20, 1), 64);
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 16 << 20, 4), 16);
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 16 << 20, 5000), 8); /* 8 MiB each, of which 1 MiB is left */
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 0, 5000), 1);
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 1000 << 10, 16 << 20, 1), 0); /* of names that all have */
    f->bytes *= 64; /* 64 MiB each: eight of them are all that one rank should hold */
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 16 << 20, 1), 8);
    f->ranks = 1 << 20; /* 1 KiB each: 8,192 of them have 1 MiB for the file */
    f->bytes = UINT64_C(1) << 30;
    ck_assert_int_eq(dsn__plan_ranks_per_writer(f, 1, 0, 16 << 20, 1 << 14), 8192);
    dsn__pages_free(f);
}
END_TEST

/* ------------------------------------------------------------------ regions */

static void add_text(struct dsn_regions *r, int region, size_t n, char c)
{
    char *to = dsn__region_room(r, region, n);

    ck_assert_ptr_nonnull(to);
    memset(to, c, n);
    ck_assert(dsn__region_added(r, region, n));
}

/* All bytes of a region. */
static size_t unpacked(const struct dsn_region *g, char *out, size_t size)
{
    z_stream z = { .next_out = (Bytef *)out, .avail_out = (uInt)size };
    size_t used = 0;

    ck_assert_uint_eq(g->raw, 0);
    while (used < g->packed) {
        ck_assert_int_eq(inflateInit(&z), Z_OK);
        z.next_in = (Bytef *)g->bytes + used;
        z.avail_in = (uInt)(g->packed - used);
        ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
        used = g->packed - z.avail_in;
        inflateEnd(&z);
    }
    return size - z.avail_out;
}

/* Ranks with `each` bytes of two modules, by way of messages: all of it in order, in fewer streams than there
 * are ranks where they are small. */
START_TEST(regions)
{
    static const size_t each[] = { 0, 1, 1000, 40000, 100000 };
    static char got[16 * 100020];
    struct dsn_regions all = { 0 };
    size_t n;

    for (int rank = 0; rank < 16; rank++) {
        struct dsn_regions r = { .took = { 10 + rank } };
        char *message = dsn__pages(8);
        size_t size;

        add_text(&r, 2, each[_i], (char)('a' + rank));
        add_text(&r, 1, 16 + each[_i], (char)('A' + rank));
        strcpy(message, "before");
        message = dsn__regions_message(&r, 0, message, 8, dsn__pages_grow, &size);
        ck_assert_str_eq(message, "before");
        ck_assert(dsn__regions_join(&all, message + 8, size - 8));
        ck_assert(!dsn__regions_join(&all, message + 8, 10)); /* one that is cut off */
        dsn__pages_free(message);
        dsn__regions_free(&r);
    }
    ck_assert_int_eq(all.took[0], 25);
    ck_assert(dsn__regions_flush(&all));
    for (int region = 1; region < 3; region++) {
        const size_t of_rank = each[_i] + (region == 1 ? 16 : 0);

        n = unpacked(&all.of[region], got, sizeof got);
        ck_assert_uint_eq(n, 16 * of_rank);
        for (size_t i = 0; i < n; i++)
            if (got[i] != (region == 1 ? 'A' : 'a') + (char)(i / of_rank)) /* an assertion is a system call */
                ck_abort_msg("byte %zu of region %d is '%c'", i, region, got[i]);
    }
    if (each[_i] == 1000)
        ck_assert_uint_lt(all.of[1].packed, 200);
    dsn__regions_free(&all);
}
END_TEST

/* Names as they stand in the log; a name's id is its letter. */
static void add_names(struct dsn_regions *r, const char *letters)
{
    for (; *letters; letters++) {
        const uint64_t id = (uint64_t)(unsigned char)*letters - 'a' - 1; /* all bits set, for "a" */
        char *to = dsn__region_room(r, 0, sizeof id + 2);

        ck_assert_ptr_nonnull(to);
        memcpy(to, &id, sizeof id);
        to[sizeof id] = *letters;
        to[sizeof id + 1] = '\0';
        ck_assert(dsn__region_added(r, 0, sizeof id + 2));
    }
}

START_TEST(names)
{
    struct dsn_regions all = { 0 }, more = { 0 };
    char got[200], *at = got;
    size_t n;

    add_names(&all, "xbc");
    add_names(&more, "bydxyz");
    ck_assert(dsn__regions_append(&all, &more));
    dsn__regions_empty(&more);
    add_names(&more, "bydxyz");
    ck_assert(dsn__regions_append(&all, &more));
    ck_assert(dsn__regions_flush(&all));
    n = unpacked(&all.of[0], got, sizeof got);
    ck_assert_uint_eq(n, 6 * 10);
    for (const char *want = "xbcydz"; *want; want++, at += 10)
        ck_assert_int_eq(at[8], *want);
    dsn__regions_free(&all);
    dsn__regions_free(&more);
}
END_TEST

static void add_letters(struct dsn_regions *r, char letter, size_t n)
{
    char *to = dsn__region_room(r, 1, n);

    ck_assert_ptr_nonnull(to);
    memset(to, letter, n);
    ck_assert(dsn__region_added(r, 1, n));
}

/* Nothing, what is not compressed yet, and streams, before and behind each other. */
START_TEST(appended)
{
    static const size_t sizes[] = { 0, 100, DSN_WORTH_A_STREAM, 4 * DSN_WORTH_A_STREAM };
    static char got[8 * DSN_WORTH_A_STREAM + 200];
    const size_t before = sizes[_i / 4], behind = sizes[_i % 4];
    struct dsn_regions all = { 0 }, more = { 0 };
    size_t n;

    add_letters(&all, 'a', before);
    add_letters(&more, 'b', behind);
    add_letters(&more, 'c', 100);
    ck_assert(dsn__regions_append(&all, &more));
    ck_assert_uint_eq(all.of[1].whole, before + behind + 100);
    dsn__regions_empty(&more);
    add_letters(&more, 'd', 100);
    ck_assert(dsn__regions_append(&all, &more));
    dsn__regions_free(&more);
    ck_assert(dsn__regions_flush(&all));
    n = unpacked(&all.of[1], got, sizeof got);
    ck_assert_uint_eq(n, before + behind + 200);
    for (size_t i = 0; i < n; i++)
        if (got[i] != (i < before ? 'a' : i < before + behind ? 'b' : i < n - 100 ? 'c' : 'd'))
            ck_abort_msg("byte %zu is '%c'", i, got[i]);
    dsn__regions_free(&all);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "facts", summary, 2 },      { "idle ranks", idle_ranks, 2 },
        { "plan", plan, 0 },          { "groups", groups, 0 },
        { "regions", regions, 5 },    { "names", names, 0 },
        { "appended", appended, 16 }, { NULL, NULL, 0 },
    };

    return unit_run("plan", tests);
}

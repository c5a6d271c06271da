/* t-emit.c - lines of records with arrays; storage targets of an access
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/index.h"
#include "unit.h"
#include "util/lib/emit.h"
#include "util/lib/striping.h"

static const struct dsn_emit_file file = { "name", "/mnt", "fs" };

union any {
    struct dsn_rec r;
    uint64_t room[2 + DSN_MAX_VALUES];
};

/* What a record is printed as; to be freed. */
static char *printed(unsigned module, const union any *u, const struct dsn_tail *tail, int sync, int safe)
{
    struct dsn_text t;
    struct dsn_emit *e = malloc(sizeof *e);
    char *result;

    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(dsn_text_init(&t, -1), 1);
    t.safe = safe;
    dsn_emit_init(e, &t, dsn_table(module));
    e->sync = sync;
    dsn_emit_record(e, &u->r, tail, &file);
    ck_assert_int_eq(t.error, 0);
    result = strndup(t.buffer, t.used);
    dsn_text_free(&t);
    free(e);
    return result;
}

static union any record(void)
{
    union any u;

    memset(&u, 0, sizeof u);
    u.r.id = 18446744073709551615u;
    u.r.rank = -1;
    return u;
}

/* modules-other.md 3.3 */
START_TEST(lustre)
{
    union any u = record();
    static const int64_t osts[3] = { 7, 8, 9 };
    const struct dsn_lustre_comp comps[2] = {
        { .stripe_size = 65536,
          .stripe_count = 1,
          .pattern = 2,
          .flags = 16 | 1,
          .end = 65536,
          .pool = "sixteen-letters!" },
        { .stripe_size = 1048576,
          .stripe_count = 2,
          .pattern = -1,
          .flags = -1,
          .start = 65536,
          .end = -1,
          .mirror = -1 },
    };
    const struct dsn_tail tail = { .n = 3, .values = { osts }, .ncomps = 2, .comps = comps };
    static const char want[] =
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_NUM_COMPONENTS\t2\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_NUM_STRIPES\t3\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_STRIPE_SIZE\t65536\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_STRIPE_COUNT\t1\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_STRIPE_PATTERN\tmdt\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_FLAGS\tstale,init\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_EXT_START\t0\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_EXT_END\t65536\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_MIRROR_ID\t0\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_POOL_NAME\tsixteen-letters!\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP1_OST_ID_0\t7\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_STRIPE_SIZE\t1048576\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_STRIPE_COUNT\t2\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_STRIPE_PATTERN\tN/A\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_FLAGS\tN/A\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_EXT_START\t65536\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_EXT_END\t-1\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_MIRROR_ID\t-1\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_POOL_NAME\tN/A\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_OST_ID_0\t8\tname\t/mnt\tfs\n"
        "LUSTRE\t-1\t18446744073709551615\tLUSTRE_COMP2_OST_ID_1\t9\tname\t/mnt\tfs\n";
    char *got;

    u.r.v[LUSTRE_NUM_COMPONENTS].i = 2;
    u.r.v[LUSTRE_NUM_STRIPES].i = 3;
    got = printed(DSN_LUSTRE_MODULE, &u, &tail, 0, _i);
    ck_assert_str_eq(got, want);
    free(got);
}
END_TEST

/* 64 characters are put together, and the last of them is dropped. */
START_TEST(flags)
{
    static const struct {
        int64_t flags;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { (int64_t)1 << 40, "0" },
        { 1 << 11, "neg" },
        { 6, "prefrd,prefwr" },
        { 255, "stale,prefrd,prefwr,offline,init,nosync,extension,parity" },
        { 511, "stale,prefrd,prefwr,offline,init,nosync,extension,parity,compre" },
        { 4095, "stale,prefrd,prefwr,offline,init,nosync,extension,parity,compre" },
    };
    const union any u = record();
    const struct dsn_lustre_comp comp = { .stripe_size = 1, .flags = cases[_i].flags };
    const struct dsn_tail tail = { .ncomps = 1, .comps = &comp };
    char *got = printed(DSN_LUSTRE_MODULE, &u, &tail, 0, 0), want[200];

    snprintf(want, sizeof want, "\tLUSTRE_COMP1_FLAGS\t%s\tname\t", cases[_i].text);
    ck_assert_msg(strstr(got, want) != NULL, "%s", got);
    free(got);
}
END_TEST

START_TEST(heatmap)
{
    union any u = record();
    static const int64_t w[2] = { 1, 2 }, r[2] = { 3, 4 };
    const struct dsn_tail tail = { .n = 2, .values = { w, r } };
    char *got;

    u.r.id = 5;
    u.r.rank = 6;
    u.r.v[HEATMAP_F_BIN_WIDTH_SECONDS].f = 0.4;
    got = printed(DSN_HEATMAP_MODULE, &u, &tail, 0, 0);
    ck_assert_str_eq(got, "HEATMAP\t6\t5\tHEATMAP_F_BIN_WIDTH_SECONDS\t0.400000\tname\t/mnt\tfs\n"
                          "HEATMAP\t6\t5\tHEATMAP_READ_BIN_0\t3\tname\t/mnt\tfs\n"
                          "HEATMAP\t6\t5\tHEATMAP_READ_BIN_1\t4\tname\t/mnt\tfs\n"
                          "HEATMAP\t6\t5\tHEATMAP_WRITE_BIN_0\t1\tname\t/mnt\tfs\n"
                          "HEATMAP\t6\t5\tHEATMAP_WRITE_BIN_1\t2\tname\t/mnt\tfs\n");
    free(got);
}
END_TEST

static int lines(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

START_TEST(mdhim)
{
    const union any u = record();
    static const int64_t ops[2] = { 30, 40 };
    const struct dsn_tail tail = { .n = 2, .values = { ops } };
    char *got = printed(DSN_MDHIM_MODULE, &u, &tail, 0, 0);

    ck_assert_int_eq(lines(got), 9 + 2);
    ck_assert_ptr_nonnull(
        strstr(got, "\tMDHIM_F_GET_MAX_DURATION\t0.000000\tname\t/mnt\tfs\nMDHIM\t-1\t18446744073709551615\t"
                    "MDHIM_SERVER_0\t30\tname\t"));
    free(got);
}
END_TEST

/* The file's id comes last, and unsigned. */
START_TEST(owner)
{
    union any u = record();
    char *got;

    u.r.v[0].i = -1;
    u.r.v[1].i = -1;
    got = printed(_i == 0 ? DSN_H5D_MODULE : DSN_PNETCDF_VAR_MODULE, &u, NULL, 0, 0);
    ck_assert_int_eq(lines(got), _i == 0 ? 94 + 17 + 1 : 120 + 17 + 1);
    ck_assert_ptr_eq(strstr(got, "_OPENS\t-1\t"), strstr(got, "_OPENS\t"));
    ck_assert_ptr_eq(
        strchr(strstr(got, "_FILE_REC_ID\t18446744073709551615\tname\t/mnt\tfs\n"), '\n')[1] == '\0' ? got : NULL, got);
    free(got);
}
END_TEST

/* UUIDs and object ids are no counters. */
START_TEST(places)
{
    const union any u = record();
    char *got = printed(_i == 0 ? DSN_DFS_MODULE : DSN_DAOS_MODULE, &u, NULL, 0, 0);

    ck_assert_int_eq(lines(got), _i == 0 ? 52 + 15 : 64 + 15);
    ck_assert_ptr_null(strstr(got, "UUID"));
    ck_assert_ptr_null(strstr(got, "OID"));
    free(got);
}
END_TEST

/* Times until the last rank came are printed only if they were measured; counts are unsigned. */
START_TEST(apmpi)
{
    union any u = record();
    char *got;

    memset(&u.r.v[MPI_PROCESSOR_NAME], 'x', 128); /* without NUL */
    u.r.v[MPI_SEND_CALL_COUNT].i = -1;
    got = printed(DSN_APMPI_MODULE, &u, NULL, _i, 0);
    ck_assert_int_eq(lines(got), 1 + 396 + 222 + 1 + (_i ? 17 : 0));
    ck_assert_int_eq(strncmp(got, "APMPI\t-1\t18446744073709551615\tMPI_PROCESSOR_NAME\txxxx", 53), 0);
    ck_assert_int_eq((int)strspn(strchr(got, 'x'), "x"), 128);
    ck_assert_ptr_nonnull(strstr(got, "\tMPI_SEND_CALL_COUNT\t18446744073709551615\t"));
    ck_assert_int_eq(strstr(got, "MPI_BARRIER_TOTAL_SYNC_TIME") != NULL, _i);
    free(got);
}
END_TEST

/* ------------------------------------------------------------------ storage targets: parser-output.md 6.2 */

/* The description's steps, word by word. */
static void by_the_book(const struct dsn_layout *layout, int64_t o, int64_t length, char *to)
{
    int64_t cur = o, count = 0, base = 0;

    for (size_t i = 0; i < layout->ncomps; i++) {
        const struct dsn_lustre_comp *c = &layout->comps[i];
        const int64_t size = c->stripe_size, n = c->stripe_count, e0 = c->start, e1 = c->end;

        if (n == 0)
            continue;
        if (cur >= e0 && (cur < e1 || e1 == -1)) {
            int64_t rel = cur - e0, k = rel / size % n;

            while (cur < o + length && (cur < e1 || e1 == -1)) {
                to += sprintf(to, " [%d]", (int)layout->osts[base + k]);
                k = k + 1 == n ? 0 : k + 1;
                rel = (rel / size + 1) * size;
                cur = e0 + rel;
                count++;
                if (count >= n) {
                    cur = e1 == -1 ? o + length : e1;
                    break;
                }
            }
        }
        base += n;
    }
    *to = '\0';
}

static void by_walking(const struct dsn_layout *layout, int64_t o, int64_t length, char *to)
{
    struct dsn_stripe_walk walk;
    int64_t ost;

    dsn_stripe_walk_begin(&walk, layout, o, length);
    while (dsn_stripe_walk_next(&walk, &ost))
        to += sprintf(to, " [%d]", (int)ost);
    *to = '\0';
}

START_TEST(one_component)
{
    static const int64_t osts[3] = { 7, 8, 9 };
    const struct dsn_lustre_comp comp = { .stripe_size = 100, .stripe_count = 3, .end = -1 };
    const struct dsn_layout layout = { 1, &comp, osts };
    char got[64];

    by_walking(&layout, 0, 100, got);
    ck_assert_str_eq(got, " [7]");
    by_walking(&layout, 199, 2, got);
    ck_assert_str_eq(got, " [8] [9]");
    by_walking(&layout, 250, 1000, got);
    ck_assert_str_eq(got, " [9] [7] [8]"); /* each once */
    by_walking(&layout, 250, 0, got);
    ck_assert_str_eq(got, "");
}
END_TEST

/* Layouts and accesses of all kinds: gaps, components without targets, accesses over several of them. */
START_TEST(any_layout)
{
    static const int64_t osts[64] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6 };
    struct dsn_lustre_comp comp[4];
    char want[4096], got[4096];

    srand(5);
    for (int i = 0; i < 20000; i++) {
        const struct dsn_layout layout = { (size_t)(rand() % 5), comp, osts };
        int64_t at = 0;

        for (size_t k = 0; k < layout.ncomps; k++) {
            comp[k] =
                (struct dsn_lustre_comp){ .stripe_size = 1 + rand() % 20, .stripe_count = rand() % 6, .start = at };
            at += rand() % 60;
            comp[k].end = k + 1 == layout.ncomps && rand() % 2 ? -1 : at;
            at += rand() % 8 ? 0 : rand() % 10;
        }
        for (int k = 0; k < 10; k++) {
            const int64_t o = rand() % 150, length = rand() % 100;

            by_the_book(&layout, o, length, want);
            by_walking(&layout, o, length, got);
            ck_assert_str_eq(got, want);
        }
    }
}
END_TEST

/* Numbers as only damage makes them: it ends, and nothing is undefined. */
START_TEST(damaged_layout)
{
    static const int64_t osts[2] = { 7, 8 };
    static const int64_t value[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
    char got[4096];

    for (int i = 0; i < 5 * 5 * 5 * 5 * 5; i++) {
        const struct dsn_lustre_comp comp = {
            .stripe_size = value[i % 5], .stripe_count = 2, .start = value[i / 5 % 5], .end = value[i / 25 % 5]
        };
        const struct dsn_layout layout = { 1, &comp, osts };

        by_walking(&layout, value[i / 125 % 5], value[i / 625], got);
        ck_assert_uint_le(strlen(got), 8);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "lustre", lustre, 2 },
        { "flags", flags, 7 },
        { "heatmap", heatmap, 0 },
        { "mdhim", mdhim, 0 },
        { "owner", owner, 2 },
        { "places", places, 2 },
        { "apmpi", apmpi, 2 },
        { "one component", one_component, 0 },
        { "any layout", any_layout, 0 },
        { "damaged layout", damaged_layout, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("emit", tests);
}

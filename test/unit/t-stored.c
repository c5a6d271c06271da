/* t-stored.c - what goes to a temporary file comes back as it would out of memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/index.h"
#include "unit.h"
#include "util/lib/accum.h"
#include "util/lib/bigmap.h"
#include "util/lib/log.h"
#include "util/lib/stored.h"

#define NIDS  150000
#define NROWS 400000 /* rows of a name table, in which ids come again */

static uint64_t state = 88172645463325252;

static size_t below(size_t n)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

static uint64_t id_of(size_t i)
{
    return (uint64_t)i * 0x9e3779b97f4a7c15; /* odd: no two are the same */
}

/* Check notes every assertion in a file, which is slow, and is a file of limited size, too: here only what fails. */
static void must(int ok, const char *what)
{
    if (!ok)
        ck_abort_msg("%s", what);
}

/* Files of no more than that many bytes can be written; SIGXFSZ, which ends a process, is not blocked. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = { bytes, RLIM_INFINITY };

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* ------------------------------------------------------------------ elements by id */

struct sum {
    uint64_t id;
    int64_t sum, last;
};

static void merge_sum(void *into, const void *later, void *context)
{
    struct sum *s = into;
    const struct sum *other = later;

    must(!context, "it has no context");
    s->sum += other->sum;
    s->last = other->last;
}

/* Each id `times` times, in three orders; the sum of what was added, and the last of it. */
static void fill(struct dsn__bigmap *m, size_t times)
{
    for (size_t round = 0; round < times; round++)
        for (size_t i = 0; i < NIDS; i++) {
            const size_t which = round % 3 == 0 ? i : round % 3 == 1 ? NIDS - 1 - i : i * 7 % NIDS;
            int fresh;
            struct sum *s = dsn__bigmap_element(m, id_of(which), &fresh);

            must(s != NULL, "memory");
            must(!fresh || (s->sum == 0 && s->last == 0), "what is new is zeros");
            s->sum += (int64_t)(which + round);
            s->last = (int64_t)round;
        }
}

/* Ids are found again by what was added for them first. */
static void expect_sums(struct dsn__bigmap *m, int64_t times)
{
    static unsigned char seen[NIDS];
    size_t total = 0;

    memset(seen, 0, sizeof seen);
    for (unsigned p = 0; p < dsn__bigmap_parts(m); p++) {
        void *elements;
        size_t n;

        must(dsn__bigmap_read(m, p, &elements, &n) == DSN_ERR_OK, "a part");
        for (size_t i = 0; i < n; i++) {
            const struct sum *s = (const struct sum *)elements + i;
            const int64_t which = (s->sum - times * (times - 1) / 2) / times;

            must(which >= 0 && which < NIDS, "a sum that was made");
            must(s->id == id_of((size_t)which), "the id of the sum");
            must(s->sum == times * which + times * (times - 1) / 2, "sum");
            must(s->last == times - 1, "the last one");
            must(!seen[which]++, "once");
        }
        total += n;
    }
    ck_assert_uint_eq(total, NIDS);
}

static void expect_bigmap(unsigned parts)
{
    struct dsn__bigmap m;

    dsn__bigmap_init(&m, sizeof(struct sum), merge_sum, NULL);
    fill(&m, 4);
    ck_assert_uint_eq(dsn__bigmap_parts(&m), parts);
    expect_sums(&m, 4);
    expect_sums(&m, 4);
    dsn__bigmap_free(&m);
}

START_TEST(bigmap)
{
    expect_bigmap(DSN_BIGMAP_PARTS);
}
END_TEST

START_TEST(bigmap_without_a_place)
{
    setenv("TMPDIR", "/nonexistent", 1);
    expect_bigmap(1);
}
END_TEST

/* Two blocks are written, what comes then stays in memory. */
START_TEST(bigmap_when_the_disk_is_full)
{
    limit_files(5 * DSN_BIGMAP_MOST / 2 * sizeof(struct sum));
    expect_bigmap(DSN_BIGMAP_PARTS);
}
END_TEST

START_TEST(bigmap_is_small)
{
    struct dsn__bigmap m;
    void *elements;
    size_t n;
    int fresh;

    dsn__bigmap_init(&m, sizeof(struct sum), merge_sum, NULL);
    ck_assert_int_eq(dsn__bigmap_read(&m, 0, &elements, &n), DSN_ERR_OK);
    ck_assert_uint_eq(n, 0);
    for (size_t i = 0; i < 1000; i++)
        must(dsn__bigmap_element(&m, id_of(i), &fresh) != NULL, "memory");
    ck_assert_uint_eq(dsn__bigmap_parts(&m), 1);
    ck_assert_int_eq(dsn__bigmap_read(&m, 0, &elements, &n), DSN_ERR_OK);
    ck_assert_uint_eq(n, 1000);
    for (size_t i = 0; i < n; i++)
        must(((const struct sum *)elements)[i].id == id_of(i), "order");
    dsn__bigmap_free(&m);
}
END_TEST

/* ------------------------------------------------------------------ names */

/* Row number `row` of a table: which id; its text, which is empty in every seventh. */
static size_t which_of(size_t row)
{
    return row < NIDS ? row : (row * 7919 + row / 3) % NIDS;
}

static void text_of(size_t row, char text[100])
{
    snprintf(text, 100, row % 7 == 3 ? "" : "/scratch/project/run%03zu/out.%06zu.dat", row / 1000, row);
}

static struct dsn__stored *store(size_t nrows)
{
    struct dsn__stored *s = dsn__stored_new();
    char text[100];

    ck_assert_ptr_nonnull(s);
    for (size_t row = 0; row < nrows; row++) {
        text_of(row, text);
        must(dsn__stored_add(s, id_of(which_of(row)), text, strlen(text)), "room");
    }
    ck_assert_uint_ge(dsn__stored_count(s), NIDS);
    ck_assert_uint_le(dsn__stored_count(s), nrows);
    ck_assert(dsn__stored_finish(s));
    ck_assert_uint_eq(dsn__stored_count(s), NIDS);
    return s;
}

static void expect_text(const char *got, size_t row)
{
    char text[100];

    text_of(row, text);
    if (!got || strcmp(got, text) != 0)
        ck_abort_msg("row %zu: \"%s\" instead of \"%s\"", row, got ? got : "nothing", text);
}

/* named[i]: the row with the name of id number i. */
static void expect_names(struct dsn__stored *s, const size_t *named)
{
    uint64_t id;

    for (size_t i = 0; i < NIDS; i++)
        expect_text(dsn__stored_get(s, id_of(i)), named[i]);
    for (size_t i = 0; i < NIDS; i += 2) /* some have no record; each is asked for twice */
        expect_text(dsn__stored_get(s, id_of(i / 20 * 20)), named[i / 20 * 20]);
    for (size_t n = 0; n < NIDS; n++) {
        const size_t i = below(NIDS);

        expect_text(dsn__stored_get(s, id_of(i)), named[i]);
        if (n % 5 == 0)
            must(dsn__stored_get(s, id_of(NIDS + i)) == NULL, "no name");
    }
    for (size_t i = 0; i < NIDS; i++) {
        expect_text(dsn__stored_at(s, i, &id), named[i]);
        must(id == id_of(i), "id");
        if (i % 1000 == 0)
            expect_text(dsn__stored_get(s, id_of(NIDS - 1 - i)), named[NIDS - 1 - i]);
    }
    expect_text(dsn__stored_at(s, 5, &id), named[5]);
    ck_assert_uint_eq(id, id_of(5));
    ck_assert(!dsn__stored_failed(s));
}

START_TEST(names)
{
    static size_t named[NIDS];
    struct dsn__stored *s = store(NIDS);

    for (size_t i = 0; i < NIDS; i++)
        named[i] = i;
    expect_names(s, named);
    dsn__stored_free(s);
}
END_TEST

/* The first name that is not empty counts: container.md 8.3. */
START_TEST(names_that_come_again)
{
    static size_t named[NIDS];
    struct dsn__stored *s = store(NROWS);
    char text[100];

    for (size_t i = 0; i < NIDS; i++)
        named[i] = i;
    for (size_t row = NIDS; row < NROWS; row++) {
        text_of(named[which_of(row)], text);
        if (!*text)
            named[which_of(row)] = row;
    }
    expect_names(s, named);
    dsn__stored_free(s);
}
END_TEST

/* Longer than what is read at once, and of all lengths around it. */
START_TEST(long_names)
{
    enum { MOST = 200000 };
    struct dsn__stored *s = dsn__stored_new();
    char *text = malloc(MOST + 1);
    size_t n = 0;

    memset(text, 'x', MOST);
    for (size_t length = 1; length <= MOST; length += length < 70000 ? 997 : 60000, n++) {
        text[0] = (char)('a' + n % 26);
        must(dsn__stored_add(s, id_of(n), text, length), "room");
    }
    ck_assert(dsn__stored_finish(s));
    for (size_t i = 0; i < 4 * n; i++) {
        const size_t which = i < n ? i : below(n);
        const char *got = dsn__stored_get(s, id_of(which));

        must(got != NULL, "name");
        must(got[0] == (char)('a' + which % 26), "first letter");
        must(strlen(got) == (which <= 71 ? 1 + 997 * which : 1 + 997 * 71 + 60000 * (which - 71)), "length");
    }
    ck_assert_ptr_null(dsn__stored_get(s, id_of(n)));
    dsn__stored_free(s);
    free(text);
}
END_TEST

START_TEST(no_place_for_names)
{
    setenv("TMPDIR", "/nonexistent", 1);
    ck_assert_ptr_null(dsn__stored_new());
}
END_TEST

/* ------------------------------------------------------------------ logs */

/* A log without compression that has nothing but names: the same as store() makes. */
static const char *make_log(void)
{
    enum { HEADER = 1328, JOB = 1080 };
    struct unit_bytes b = { 0 };
    static const unsigned char zeros[HEADER + JOB];
    char text[100];
    uint64_t length;
    const char *path;

    unit_put(&b, "3.41\0\0\0", 8);
    unit_put64(&b, 6567223);
    unit_put(&b, "\2\0\0\0\0\0\0", 8); /* no compression */
    unit_put(&b, zeros, HEADER - 24 + JOB);
    for (size_t row = 0; row < NROWS; row++) {
        text_of(row, text);
        unit_put64(&b, id_of(which_of(row)));
        unit_put(&b, text, strlen(text) + 1);
    }
    length = HEADER + JOB;
    memcpy(b.p + 32, &length, sizeof length); /* where the names begin, */
    length = b.n - HEADER - JOB;
    memcpy(b.p + 40, &length, sizeof length); /* and how long they are */
    path = unit_write_file(&b);
    free(b.p);
    return path;
}

/* Whether the log's names are kept in memory or not. */
static void expect_log(const char *path)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    char text[100];
    uint64_t id;

    ck_assert_int_eq(darshan_reader_open(path, &log, &err), DSN_ERR_OK);
    ck_assert_int_eq(darshan_reader_damage(log, &err), DSN_ERR_OK);
    ck_assert_uint_eq(darshan_reader_names(log), NIDS);
    for (size_t i = 0; i < NIDS; i++) {
        const char *name = darshan_reader_name_at(log, i, &id);

        must(id == id_of(i), "id");
        if (i % 7 != 3)
            expect_text(name, i);
        snprintf(text, sizeof text, "%s", name);
        name = darshan_reader_name(log, id);
        must(name != NULL, "name");
        must(strcmp(name, text) == 0, "the same name");
    }
    ck_assert_ptr_null(darshan_reader_name(log, id_of(NIDS)));
    darshan_reader_close(log);
}

START_TEST(logs)
{
    const char *path = make_log();

    expect_log(path);
    limit_files(4 << 20);
    expect_log(path);
    setenv("TMPDIR", "/nonexistent", 1);
    expect_log(path);
}
END_TEST

/* ------------------------------------------------------------------ kinds of files */

/* The record of a file, by some rank. Some are reduced, of some the extent is not known. */
static void make_record(size_t i, struct dsn_rec *r)
{
    const size_t which = i % 3 == 0 ? i / 3 : below(NIDS);

    memset(r->v, 0, dsn_table(DSN_POSIX_MODULE)->nvalues * sizeof r->v[0]);
    r->id = id_of(which);
    r->rank = below(50) == 0 ? -1 : (int64_t)(i % 100);
    r->v[POSIX_BYTES_READ].i = below(3) ? (int64_t)(which % 1000) : 0;
    r->v[POSIX_BYTES_WRITTEN].i = below(5) ? 0 : 77;
    r->v[POSIX_MAX_BYTE_READ].i = (int64_t)below(1 << 30);
    if (i > 1000 && i < 200000 && below(2000) == 0)
        r->v[POSIX_MAX_BYTE_READ].i = r->v[POSIX_MAX_BYTE_WRITTEN].i = -1;
}

static void count_files(struct dsn_file_count out[DSN_NCATEGORIES])
{
    union {
        struct dsn_rec rec;
        uint64_t room[2 + DSN_MAX_VALUES];
    } r;
    struct dsn_accum a;

    state = 42;
    dsn_accum_init(&a, dsn_table(DSN_POSIX_MODULE), DSN_ACCUM_FILES);
    for (size_t i = 0; i < (size_t)3 * NIDS; i++) {
        make_record(i, &r.rec);
        must(dsn_accum_add(&a, &r.rec) == DSN_ERR_OK, "memory");
    }
    ck_assert_int_eq(dsn_accum_files(&a, out), DSN_ERR_OK);
    dsn_accum_free(&a);
}

START_TEST(kinds_of_files)
{
    struct dsn_file_count many[DSN_NCATEGORIES], in_memory[DSN_NCATEGORIES];

    count_files(many);
    setenv("TMPDIR", "/nonexistent", 1);
    count_files(in_memory);
    ck_assert_int_eq(many[DSN_ALL_FILES].files, NIDS);
    for (int i = 0; i < DSN_NCATEGORIES; i++) {
        must(many[i].files > 0, "files of all kinds");
        ck_assert_mem_eq(&many[i], &in_memory[i], sizeof many[i]);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "bigmap", bigmap, 0 },
        { "bigmap without a place", bigmap_without_a_place, 0 },
        { "bigmap when the disk is full", bigmap_when_the_disk_is_full, 0 },
        { "bigmap is small", bigmap_is_small, 0 },
        { "names", names, 0 },
        { "names that come again", names_that_come_again, 0 },
        { "long names", long_names, 0 },
        { "no place for names", no_place_for_names, 0 },
        { "logs", logs, 0 },
        { "kinds of files", kinds_of_files, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("stored", tests);
}

/* t-names.c - ids and their elements; names of a log, in any number
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"
#include "unit.h"
#include "util/lib/idtable.h"
#include "util/lib/log.h"

#define N     5000
#define NIDS  150000
#define NROWS 400000 /* rows of a name table, in which ids come again */
#define LONG  200000 /* bytes of a name */

static uint64_t id_of(size_t i)
{
    return (uint64_t)i * 0x9e3779b97f4a7c15; /* odd: no two are the same */
}

/* Check notes every assertion in a file, which is slow: here only what fails. */
static void must(int ok, const char *what)
{
    if (!ok)
        ck_abort_msg("%s", what);
}

/* Numbers of keys, values of their own, another value. */
START_TEST(keys)
{
    struct dsn__idmap m;

    dsn__idmap_init(&m);
    ck_assert_uint_eq(dsn__idmap_get(&m, 7), DSN_IDMAP_NONE);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(dsn__idmap_add(&m, (uint64_t)i << 40, 3 * i), 3 * i);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(dsn__idmap_add(&m, (uint64_t)i << 40, 1), 3 * i);
    dsn__idmap_set(&m, (uint64_t)17 << 40, 5);
    ck_assert_uint_eq(m.used, N);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(m.keys[i], (uint64_t)i << 40);
        ck_assert_uint_eq(dsn__idmap_get(&m, m.keys[i]), i == 17 ? 5 : 3 * i);
    }
    ck_assert_uint_eq(dsn__idmap_get(&m, 7), DSN_IDMAP_NONE);
    dsn__idmap_free(&m);
}
END_TEST

struct sum {
    int64_t sum, last;
};

/* Each id four times, in three orders. */
START_TEST(elements)
{
    struct dsn__idtable t;
    int fresh;

    dsn__idtable_init(&t, sizeof(struct sum));
    ck_assert_ptr_null(dsn__idtable_find(&t, id_of(0)));
    for (size_t round = 0; round < 4; round++)
        for (size_t i = 0; i < NIDS; i++) {
            const size_t which = round % 3 == 0 ? i : round % 3 == 1 ? NIDS - 1 - i : i * 7 % NIDS;
            struct sum *s = dsn__idtable_element(&t, id_of(which), &fresh);

            must(s != NULL, "memory");
            must(fresh == (round == 0), "new in the first round");
            must(!fresh || (s->sum == 0 && s->last == 0), "what is new is zeros");
            s->sum += (int64_t)(which + round);
            s->last = (int64_t)round;
        }
    ck_assert_uint_eq(t.n, NIDS);
    for (size_t i = 0; i < NIDS; i++) {
        const struct sum *s = (const struct sum *)t.elements + i;

        must(t.index.keys[i] == id_of(i) && dsn__idtable_find(&t, id_of(i)) == (const void *)s, "order");
        must(s->sum == 4 * (int64_t)i + 6 && s->last == 3, "sum");
    }
    ck_assert_ptr_null(dsn__idtable_find(&t, id_of(NIDS)));
    dsn__idtable_free(&t);
}
END_TEST

/* ------------------------------------------------------------------ logs */

/* Row number `row` of a table: which id; its text, which is empty in every seventh. */
static size_t which_of(size_t row)
{
    return row < NIDS ? row : (row * 7919 + row / 3) % NIDS;
}

static void text_of(size_t row, char text[100])
{
    snprintf(text, 100, row % 7 == 3 ? "" : "/scratch/project/run%03zu/out.%06zu.dat", row / 1000, row);
}

/* A log without compression that has nothing but a job and names. */
static const char *write_log(const struct unit_bytes *names)
{
    enum { HEADER = 1328, JOB = 1080 };
    static const unsigned char zeros[HEADER + JOB];
    struct unit_bytes b = { 0 };
    const char *path;

    unit_put(&b, "3.41\0\0\0", 8);
    unit_put64(&b, 6567223);
    unit_put(&b, "\2\0\0\0\0\0\0", 8); /* no compression */
    unit_put64(&b, 0);
    unit_put64(&b, HEADER + JOB);
    unit_put64(&b, names->n);
    unit_put(&b, zeros, HEADER - 48 + JOB);
    unit_put(&b, names->p, names->n);
    path = unit_write_file(&b);
    free(b.p);
    return path;
}

static void put_name(struct unit_bytes *b, uint64_t id, const char *text)
{
    unit_put64(b, id);
    unit_put(b, text, strlen(text) + 1);
}

/* The first name that is not empty counts: container.md 8.3. */
START_TEST(many_names)
{
    static size_t named[NIDS];
    struct unit_bytes b = { 0 };
    struct darshan_reader *log;
    char text[100];
    const char *first;

    for (size_t row = 0; row < NROWS; row++) {
        text_of(row, text);
        put_name(&b, id_of(which_of(row)), text);
        if (row < NIDS)
            named[row] = row;
        else if (named[which_of(row)] % 7 == 3)
            named[which_of(row)] = row;
    }
    ck_assert_int_eq(darshan_reader_open(write_log(&b), &log, NULL), DSN_ERR_OK);
    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_OK);
    ck_assert_uint_eq(darshan_reader_names(log), NIDS);
    first = darshan_reader_name(log, id_of(0));
    for (size_t i = 0; i < NIDS; i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(log, i, &id);

        text_of(named[i], text);
        must(id == id_of(i) && strcmp(name, text) == 0, "a name in its order");
        must(darshan_reader_name(log, id) == name, "the same by its id");
    }
    text_of(0, text);
    ck_assert_str_eq(first, text); /* it lives on */
    ck_assert_ptr_null(darshan_reader_name(log, id_of(NIDS)));
    darshan_reader_close(log);
    free(b.p);
}
END_TEST

/* Longer than what is read at once, and of many lengths around it. */
START_TEST(long_names)
{
    struct unit_bytes b = { 0 };
    struct darshan_reader *log;
    char *text = malloc(LONG + 1);
    size_t n = 0;

    for (size_t length = 1; length <= LONG; length += length < 70000 ? 997 : 60000, n++) {
        memset(text, 'a' + (int)(n % 26), length);
        text[length] = '\0';
        put_name(&b, id_of(n), text);
    }
    ck_assert_int_eq(darshan_reader_open(write_log(&b), &log, NULL), DSN_ERR_OK);
    ck_assert_uint_eq(darshan_reader_names(log), n);
    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name(log, id_of(i));

        must(name != NULL && name[0] == (char)('a' + i % 26), "first letter");
        must(strlen(name) == (i <= 71 ? 1 + 997 * i : 1 + 997 * 71 + 60000 * (i - 71)), "length");
    }
    darshan_reader_close(log);
    free(text);
    free(b.p);
}
END_TEST

/* No entry is longer than 2 MiB: what does not end until then is damage, and what is before it counts. */
START_TEST(endless_name)
{
    struct unit_bytes b = { 0 };
    struct darshan_reader *log;
    char *text = malloc((3 << 20) + 1);

    memset(text, 'x', 3 << 20);
    text[3 << 20] = '\0';
    put_name(&b, 1, "/a");
    put_name(&b, 2, text);
    put_name(&b, 3, "/c");
    ck_assert_int_eq(darshan_reader_open(write_log(&b), &log, NULL), DSN_ERR_OK);
    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_NAMES);
    ck_assert_uint_eq(darshan_reader_names(log), 1);
    ck_assert_str_eq(darshan_reader_name(log, 1), "/a");
    darshan_reader_close(log);
    free(text);
    free(b.p);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "keys", keys, 0 },
        { "elements", elements, 0 },
        { "many names", many_names, 0 },
        { "long names", long_names, 0 },
        { "endless name", endless_name, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("names", tests);
}

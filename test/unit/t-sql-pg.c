/* t-sql-pg.c - translation of SQL and text for PostgreSQL
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/account/sql-pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
    const char *ours, *theirs, *names; /* names of parameters, each with a blank behind */
} statements[] = {
    { "SELECT 1", "SELECT 1", "" },
    { "SELECT ?1, ?2, ?1", "SELECT $1, $2, $1", "- - " },
    { "a >= :from AND a < :to AND b >= :from", "a >= $1 AND a < $2 AND b >= $1", ":from :to " },
    { "a < :fro AND b < :from", "a < $1 AND b < $2", ":fro :from " },
    { "CREATE TABLE t (a INTEGER, b REAL, c TEXT PRIMARY KEY) WITHOUT ROWID",
      "CREATE TABLE t (a BIGINT, b DOUBLE PRECISION, c TEXT COLLATE \"C\" PRIMARY KEY)  ", "" },
    { "SELECT user, user_id, end_user, POINTERS, REALLY FROM job",
      "SELECT \"user\", user_id, end_user, POINTERS, REALLY FROM job", "" },
    { "100.0 * n / 3 + x1.y2", "100.0::float8 * n / 3 + x1.y2", "" },
    { "'?1 :from 1.5 user' || \"TEXT\" || 'it''s 2.5'", "'?1 :from 1.5 user' || \"TEXT\" || 'it''s 2.5'", "" },
    { "-- 1.5 user's ?1\n2.5", "-- 1.5 user's ?1\n2.5::float8", "" },
    { "a::bigint - b", "a::bigint - b", "" },
    { "'not closed", "'not closed", "" },
};

START_TEST(test_statement)
{
    char *names[DSN_PG_PARAMETERS], all[100] = "";
    int n;
    char *got = dsn_pg_sql(statements[_i].ours, names, &n);

    ck_assert_str_eq(got, statements[_i].theirs);
    for (int i = 0; i < n; i++) {
        strcat(strcat(all, names[i] ? names[i] : "-"), " ");
        free(names[i]);
    }
    ck_assert_str_eq(all, statements[_i].names);
    free(got);
}
END_TEST

/* U+EF80 is EE BE 80, U+EFFF is EE BF BF. */
static const struct {
    const char *bytes, *text;
} texts[] = {
    { "", "" },
    { "/scratch/a", "/scratch/a" },
    { "\t\033\177", "\t\033\177" },
    { "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80" },
    { "a\xffz", "a\xee\xbf\xbfz" },
    { "a\x80", "a\xee\xbe\x80" },
    { "\xc3(", "\xee\xbf\x83(" },                                               /* begun, not ended */
    { "\xc3", "\xee\xbf\x83" },                                                 /* the same at the end */
    { "\xe2\x82", "\xee\xbf\xa2\xee\xbe\x82" },                                 /* the same, longer */
    { "\xc0\xaf", "\xee\xbf\x80\xee\xbe\xaf" },                                 /* '/' in two bytes */
    { "\xed\xa0\x80", "\xee\xbf\xad\xee\xbe\xa0\xee\xbe\x80" },                 /* a surrogate */
    { "\xf4\x90\x80\x80", "\xee\xbf\xb4\xee\xbe\x90\xee\xbe\x80\xee\xbe\x80" }, /* behind U+10FFFF */
    { "\xee\xbe\x81", "\xee\xbf\xae\xee\xbe\xbe\xee\xbe\x81" },                 /* what stands for a byte, as itself */
    { "\xee\xbd\xbf", "\xee\xbd\xbf" }, /* U+EF7F and U+F000 stand for nothing */
    { "\xef\x80\x80", "\xef\x80\x80" },
};

START_TEST(test_text)
{
    const char *got = dsn_pg_encode(texts[_i].bytes);
    char *back;

    ck_assert_str_eq(got, texts[_i].text);
    ck_assert_int_eq(got != texts[_i].bytes, dsn_pg_is_encoded(got));
    back = strdup(got);
    dsn_pg_decode(back);
    ck_assert_str_eq(back, texts[_i].bytes);
    free(back);
    if (got != texts[_i].bytes)
        free((char *)got);
}
END_TEST

/* Whatever the bytes, they come back. That the server takes them is tested with one (t8060). */
START_TEST(test_any_bytes)
{
    static const unsigned char pieces[] = { 'a', 0x7f, 0x80, 0xbe, 0xbf, 0xc3, 0xed, 0xee, 0xf4, 0xff };
    uint64_t seed = 1;

    for (int round = 0; round < 100000; round++) {
        char bytes[9] = "", *back;
        const char *got;

        for (int i = 0; i < 8; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (char)pieces[(seed >> 33) % N(pieces)];
        }
        got = dsn_pg_encode(bytes);
        back = strdup(got);
        dsn_pg_decode(back);
        ck_assert_str_eq(back, bytes);
        free(back);
        if (got != bytes)
            free((char *)got);
    }
}
END_TEST

int main(void)
{
    return unit_run("PostgreSQL", (const struct unit_test[]){ { "statements", test_statement, N(statements) },
                                                              { "texts", test_text, N(texts) },
                                                              { "any bytes", test_any_bytes, 0 },
                                                              { 0 } });
}

/* t-name-parts.c - the parts in which names of one pattern differ, and names that match a pattern
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/report/name-parts.h"
#include "util/tools/select-files.h"

static const struct {
    const char *name, *mask;
} masks[] = {
    { "/out/chk_000123.h5", "/out/chk_#.h#" },
    { "/run_12/a", "/run_#/a" },
    { "", "" },
    { "7", "#" },
    { "/tmp/.x.Ab3dX9", "/tmp/.x.*" },                             /* mkstemp() */
    { "/tmp/x.aBcDeF", "/tmp/x.aBcDeF" },                          /* may be a word */
    { "/c/3f786850e387550fdab836ed7e6dc881de23001b", "/c/*" },     /* SHA-1 */
    { "/c/DEADBEEF01", "/c/*" },                                   /* capitals */
    { "/c/DeadBeef01", "/c/DeadBeef#" },                           /* not hexadecimal of one case, nor random enough */
    { "/c/deadbeef", "/c/deadbeef" },                              /* no digit: a word */
    { "/c/a1b2c3", "/c/a#b#c#" },                                  /* too short for a hash */
    { "/u/550e8400-e29b-41d4-a716-446655440000.bin", "/u/*.bin" }, /* UUID */
    { "/u/550e8400-e29b-41d4-a716-4466554400001", "/u/*-e#b-#d#-a#-#" }, /* a digit more: none */
    { "/d/n16p4t2.out", "/d/n#p#t#.out" },
    { "/d/Result2Final.txt", "/d/Result#Final.txt" },
};

START_TEST(masked)
{
    char to[100];

    ck_assert_uint_eq(dsn_name_mask(masks[_i].name, to, sizeof to), strlen(masks[_i].mask));
    ck_assert_str_eq(to, masks[_i].mask);
}
END_TEST

/* A mask that does not fit is none; that of a room that it just fits is whole. */
START_TEST(room)
{
    char to[8];

    ck_assert_uint_eq(dsn_name_mask("/abc123", to, 6), 5);
    ck_assert_str_eq(to, "/abc#");
    ck_assert_uint_eq(dsn_name_mask("/abc123", to, 5), 0);
    ck_assert_uint_eq(dsn_name_mask("/abc123", to, 1), 0);
}
END_TEST

/* Shows `a`, with marks where `b` differs; NULL: they are not of one pattern. */
static const char *shown(const char *a, const char *b, char to[100])
{
    uint64_t differ = 0;

    if (!dsn_name_compare(a, strlen(a), b, strlen(b), &differ))
        return NULL;
    dsn_name_show(a, strlen(a), differ, to, 100);
    return to;
}

START_TEST(compared)
{
    char to[100];

    ck_assert_str_eq(shown("/r1/c01.h5", "/r1/c02.h5", to), "/r1/c#.h5");
    ck_assert_str_eq(shown("/r1/c01.h5", "/r2/c01.h5", to), "/r#/c01.h5");
    ck_assert_str_eq(shown("/r1/c9", "/r1/c10", to), "/r1/c#");
    ck_assert_str_eq(shown("/x.Ab3dX9", "/x.k8QZ2t", to), "/x.*");
    ck_assert_str_eq(shown("/d2/run1/x", "/d2/run#/x", to), "/d2/run#/x");
    ck_assert_str_eq(shown("/a", "/a", to), "/a");
    ck_assert_ptr_null(shown("/a1", "/b1", to));
    ck_assert_ptr_null(shown("/a1", "/a1b", to));
    ck_assert_ptr_null(shown("/a1", "/a", to));
    ck_assert_ptr_null(shown("/x.Ab3dX9", "/x.7", to));
}
END_TEST

/* Of 100 numbers all after the 63rd count as one part. */
START_TEST(many_parts)
{
    char a[1000] = "", b[1000] = "", to[1000];
    uint64_t differ = 0;

    for (int i = 0; i < 100; i++) {
        snprintf(a + strlen(a), sizeof a - strlen(a), "/%d", i);
        snprintf(b + strlen(b), sizeof b - strlen(b), "/%d", i == 90 ? 0 : i);
    }
    ck_assert_int_eq(dsn_name_compare(a, strlen(a), b, strlen(b), &differ), 1);
    ck_assert_uint_eq(differ, UINT64_C(1) << 63);
    dsn_name_show(a, strlen(a), differ, to, sizeof to);
    ck_assert_ptr_nonnull(strstr(to, "/62/#/#"));
    dsn_name_show(a, strlen(a), differ, to, 10);
    ck_assert(strlen(to) < 10);
}
END_TEST

START_TEST(suffixes)
{
    ck_assert_str_eq(dsn_name_suffix("/a.d/b.tar.gz"), ".gz");
    ck_assert_str_eq(dsn_name_suffix("/a.d/b"), "");
    ck_assert_str_eq(dsn_name_suffix("/a/.profile"), "");
    ck_assert_str_eq(dsn_name_suffix("/a/b.Ab3dX9"), "");
    ck_assert_str_eq(dsn_name_suffix("/a/b."), "");
    ck_assert_str_eq(dsn_name_suffix("b.0001"), "");
    ck_assert_uint_eq(dsn_name_directory("/a/b"), 3);
    ck_assert_uint_eq(dsn_name_directory("b"), 0);
}
END_TEST

static const struct {
    const char *pattern, *name;
    int matches;
} names[] = {
    { "a*b*c", "/abxbxc", 1 },
    { "a*b*c", "/abxbx", 0 },
    { "*/*a*a*a*a*a*a*a*a*a*ab", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0 },
    { "[a-c][!0-9]", "/bx", 1 },
    { "[a-c]", "/d", 0 },
    { "run_#/*", "/d/run_#/<*.jpg>", 1 },
    { "a?b", "/a/b", 0 },
    { "a*.h5", "/s/a/b.h5", 0 },
    { "*.h5", "/s/a/b.h5", 1 },
    { "*.h5", "/s/a.h5/b", 0 },
    { "*.h5", "/s/a.h5x", 0 },
    { "a/*.h5", "/s/a/b.h5", 1 },
    { "a/*.h5", "/s/ba/b.h5", 0 },
    { "/s/*", "/s/a/b/c", 1 },
    { "/a/*", "/s/a/b", 0 },
    { "c_#.h5", "/s/c_0012.h5", 1 },
    { "c_#.h5", "/s/c_.h5", 0 },
    { "c_#.h5", "/s/c_1x.h5", 0 },
    { "c_[12].d", "/s/c_2.d", 1 },
    { "c_[!12].d", "/s/c_2.d", 0 },
    { "c_[!12].d", "/s/c_3.d", 1 },
    { "a+b(c).d", "/s/a+b(c).d", 1 },
    { "a.d", "/s/axd", 0 },
    { "a\\*b", "/s/a*b", 1 },
    { "a\\*b", "/s/axb", 0 },
    { "?.d", "/s/x.d", 1 },
    { "?.d", "/s/xy.d", 0 },
    { "a[", "/s/a[", 1 },
    { "<STDOUT>", "<STDOUT>", 1 },
    { "a{1,2}|b$", "/a{1,2}|b$", 1 },
    { "^a", "/^a", 1 },
    { "[]x]", "/]", 1 },
};

START_TEST(matched)
{
    ck_assert_msg(dsn_name_matches(names[_i].pattern, names[_i].name) == names[_i].matches, "%s and %s",
                  names[_i].pattern, names[_i].name);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "masked", masked, sizeof masks / sizeof masks[0] },
        { "room", room, 0 },
        { "compared", compared, 0 },
        { "many parts", many_parts, 0 },
        { "suffixes", suffixes, 0 },
        { "matched", matched, sizeof names / sizeof names[0] },
        { NULL, NULL, 0 },
    };

    return unit_run("name parts", tests);
}

/* t-next.c - functions behind this program, by the loader's tables and by dlsym
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>

#include "unit.h"
#include "wrap/next.h"

extern const char _DYNAMIC[] __attribute__((visibility("hidden")));

/* clang-format off */
static const char *const names[] = {
#define W(r, name, ...) #name,
#define U(r, name, ...) #name,
#define V(name) #name,
#include "wrap/posix.wrap"
#include "wrap/aio.wrap"
#include "wrap/libaio.wrap"
#include "wrap/uring.wrap"
#include "wrap/stdio.wrap"
#include "wrap/wide.wrap"
};
/* clang-format on */
#define NNAMES (sizeof names / sizeof names[0])

static struct dsn_next next;

/* All that is wrapped of the C library, and of libraries that are not loaded. */
START_TEST(same_as_dlsym)
{
    unsigned found = 0;
    int is_plain;

    dsn__next_objects(&next, _DYNAMIC);
    ck_assert_int_eq(next.is_all, 1);
    for (unsigned i = 0; i < NNAMES; i++) {
        void *function = dsn__next_function(&next, names[i], &is_plain);

        ck_assert_msg(function == dlsym(RTLD_NEXT, names[i]) || !is_plain, "%s: another function", names[i]);
        found += function != NULL;
    }
    ck_assert_uint_gt(found, 200);
}
END_TEST

/* Of two functions of a name it is the one that programs are linked against today; one for old programs alone is not
 * found. x86-64 has both kinds in glibc. */
START_TEST(versions)
{
    void *old = dlvsym(RTLD_NEXT, "realpath", "GLIBC_2.2.5");
    int is_plain;

    dsn__next_objects(&next, _DYNAMIC);
    ck_assert_ptr_eq(dsn__next_function(&next, "realpath", &is_plain), dlsym(RTLD_NEXT, "realpath"));
    if (old)
        ck_assert_ptr_ne(dsn__next_function(&next, "realpath", &is_plain), old);
    ck_assert_ptr_eq(dsn__next_function(&next, "sysctl", &is_plain), dlsym(RTLD_NEXT, "sysctl"));
}
END_TEST

/* The first ones are chosen by the processor, if no sanitizer stands before them: what chooses is not the function. */
START_TEST(left_to_dlsym)
{
    static const char *const chosen[] = { "strlen", "memchr", "rawmemchr", "strcspn", "time" };
    int is_plain;

    dsn__next_objects(&next, _DYNAMIC);
    for (unsigned i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        void *function = dsn__next_function(&next, chosen[i], &is_plain);

        ck_assert(is_plain ? function == dlsym(RTLD_NEXT, chosen[i]) : function == NULL);
    }
    ck_assert_ptr_eq(dsn__next_function(&next, "environ", &is_plain), NULL); /* no function */
    ck_assert_int_eq(is_plain, 0);
    ck_assert_ptr_eq(dsn__next_function(&next, "no_such_function", &is_plain), NULL);
    ck_assert_int_eq(is_plain, 1);
}
END_TEST

/* Behind an object that is not among those that are loaded with the program. */
START_TEST(nothing_behind)
{
    int is_plain;

    dsn__next_objects(&next, "no dynamic section");
    ck_assert_uint_eq(next.n, 0);
    ck_assert_int_eq(next.is_all, 0);
    ck_assert_ptr_eq(dsn__next_function(&next, "open", &is_plain), NULL);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "same as dlsym", same_as_dlsym, 0 },   { "versions", versions, 0 }, { "left to dlsym", left_to_dlsym, 0 },
        { "nothing behind", nothing_behind, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("next", tests);
}

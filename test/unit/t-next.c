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

    dsn__next_objects(&next, _DYNAMIC);
    ck_assert_int_eq(next.is_all, 1);
    for (unsigned i = 0; i < NNAMES; i++) {
        void *function = dsn__next_function(&next, names[i]);

        ck_assert_msg(!function || function == dlsym(RTLD_NEXT, names[i]), "%s: another function", names[i]);
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

    dsn__next_objects(&next, _DYNAMIC);
    ck_assert_ptr_eq(dsn__next_function(&next, "realpath"), dlsym(RTLD_NEXT, "realpath"));
    if (old)
        ck_assert_ptr_ne(dsn__next_function(&next, "realpath"), old);
    ck_assert_ptr_eq(dsn__next_function(&next, "sysctl"), dlsym(RTLD_NEXT, "sysctl"));
}
END_TEST

/* The first ones are chosen by the processor, if no sanitizer stands before them: what chooses is not the function. */
START_TEST(left_to_dlsym)
{
    static const char *const chosen[] = { "strlen", "memchr", "rawmemchr", "strcspn", "time" };

    dsn__next_objects(&next, _DYNAMIC);
    for (unsigned i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        void *function = dsn__next_function(&next, chosen[i]);

        ck_assert(!function || function == dlsym(RTLD_NEXT, chosen[i]));
    }
    ck_assert_ptr_eq(dsn__next_function(&next, "environ"), NULL); /* no function */
    ck_assert_ptr_eq(dsn__next_function(&next, "no_such_function"), NULL);
}
END_TEST

/* What the program has loaded since then, and may unload, stands behind the C library. */
START_TEST(up_to_c_library)
{
    struct dsn_next last = { .n = 1 };

    dsn__next_objects(&next, _DYNAMIC);
    ck_assert_uint_gt(next.n, 0);
    last.object[0] = next.object[next.n - 1];
    ck_assert_ptr_eq(dsn__next_function(&last, "__libc_start_main"), dlsym(RTLD_NEXT, "__libc_start_main"));
    ck_assert_ptr_ne(dsn__next_function(&last, "__libc_start_main"), NULL);
}
END_TEST

/* Behind an object that is not among those that are loaded with the program. */
START_TEST(nothing_behind)
{
    dsn__next_objects(&next, "no dynamic section");
    ck_assert_uint_eq(next.n, 0);
    ck_assert_int_eq(next.is_all, 0);
    ck_assert_ptr_eq(dsn__next_function(&next, "open"), NULL);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "same as dlsym", same_as_dlsym, 0 },   { "versions", versions, 0 },
        { "left to dlsym", left_to_dlsym, 0 },   { "up to the C library", up_to_c_library, 0 },
        { "nothing behind", nothing_behind, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("next", tests);
}

/* next.c - the function that a wrapper of this library stands before
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/next.h"

#include <dlfcn.h>
#include <stdbool.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool is_own(const void *function)
{
    Dl_info own, its;

    return dladdr((void *)(uintptr_t)is_own, &own) && dladdr(function, &its) && its.dli_fbase == own.dli_fbase;
}

static void *function_of(const void *caller, const char *name)
{
    Dl_info info;
    void *object = dladdr(caller, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *function = object ? dlsym(object, name) : NULL;

    if (object)
        dlclose(object);
    return function && !is_own(function) ? function : NULL; /* the program's scope has this library's first */
}

/* Before glibc 2.36 RTLD_NEXT finds the oldest version of a function that has several, which programs are no longer linked
 * with: io_getevents of libaio had one parameter less, posix_spawn had scripts executed by a shell. */
static void *newest_of(void *next, const char *name)
{
    static const char *const several[] = { "io_getevents", "lio_listio", "lio_listio64", "posix_spawn",
                                           "posix_spawnp" };
    Dl_info info, its;
    void *object, *function = NULL;
    int has_several = 0;

    for (unsigned i = 0; i < sizeof several / sizeof several[0]; i++)
        has_several |= strcmp(name, several[i]) == 0;
#ifdef __GLIBC__
    if (has_several && strverscmp(gnu_get_libc_version(), "2.36") >= 0)
        return next;
#endif
    if (!has_several || !dladdr(next, &info) || !info.dli_fname ||
        !(object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
        return next;
    function = dlsym(object, name);
    dlclose(object);
    return function && dladdr(function, &its) && its.dli_fbase == info.dli_fbase ? function : next;
}

void *dsn__next_function(const char *name, const void *caller)
{
    void *next = dlsym(RTLD_NEXT, name);

    if (next)
        next = newest_of(next, name);
    if (!next && caller)
        next = function_of(caller, name);
    if (!next)
        dlerror(); /* the application must not see our lookup's error */
    return next;
}

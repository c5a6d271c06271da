/* next.c - the function that a wrapper of this library stands before
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/next.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

static int is_own(const void *function)
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

void *dsn__next_function(const char *name, const void *caller)
{
    void *next = dlsym(RTLD_NEXT, name);

    if (!next && caller)
        next = function_of(caller, name);
    if (!next)
        dlerror(); /* the application must not see our lookup's error */
    return next;
}

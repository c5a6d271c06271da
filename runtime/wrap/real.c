/* real.c - the next function of a name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#include "core/start.h"
#include "wrap/next.h"
#include "wrap/wrap.h"

extern struct dsn_early __start_dsn_early[] __attribute__((visibility("hidden")));
extern struct dsn_early __stop_dsn_early[] __attribute__((visibility("hidden")));

extern const char _DYNAMIC[] __attribute__((visibility("hidden"))); /* this library's own */

/* One that is not there is not in this C library: nobody will call it. */
int dsn__find_early(void)
{
    struct dsn_next next;
    int is_plain;

    dsn__next_objects(&next, _DYNAMIC);
    for (struct dsn_early *e = __start_dsn_early; e < __stop_dsn_early; e++) {
        void *function = dsn__next_function(&next, e->name, &is_plain);

        if (function)
            __atomic_store_n(&e->real, function, __ATOMIC_RELAXED);
        else if (!next.is_all || !is_plain)
            dsn__real(e->name, &e->real, NULL);
    }
    return next.is_all;
}

/* Looking up may set errno and allocate; neither is the application's affair. */
int dsn__real(const char *name, void **where, void *caller)
{
    const int error = errno, before = dsn__own_begin();
    void *next = dlsym(RTLD_NEXT, name);
    Dl_info info;

    if (!next && caller && dladdr(caller, &info) && info.dli_fname) {
        void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);

        next = object ? dlsym(object, name) : NULL;
        if (object)
            dlclose(object);
    }
    if (next)
        __atomic_store_n(where, next, __ATOMIC_RELAXED);
    dsn__own_end(before);
    errno = error;
    return next != NULL;
}

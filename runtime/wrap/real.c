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

static struct dsn_next behind; /* this library */

int dsn__find_early(void)
{
    dsn__next_objects(&behind, _DYNAMIC);
    for (struct dsn_early *e = __start_dsn_early; e < __stop_dsn_early && !behind.is_all; e++)
        dsn__real(e->name, &e->real, NULL);
    return behind.is_all;
}

int dsn__real_near(const char *name, void **where)
{
    void *function = dsn__next_function(&behind, name);

    if (function)
        __atomic_store_n(where, function, __ATOMIC_RELAXED);
    return function != NULL;
}

static int ask_loader(const char *name, void **where, void *caller)
{
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
    return next != NULL;
}

/* The loader may set errno and allocate; neither is the application's affair. */
int dsn__real(const char *name, void **where, void *caller)
{
    int error, before, found;

    if (dsn__real_near(name, where))
        return 1;
    error = errno;
    before = dsn__own_begin();
    found = ask_loader(name, where, caller);
    dsn__own_end(before);
    errno = error;
    return found;
}

/* real.c - looks up the next function of a name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

#include "base/next.h"
#include "life/start.h"
#include "record/span.h"
#include "wrap/next-stat.h"
#include "wrap/wrap.h"

extern struct dsn_early __start_dsn_early[] __attribute__((visibility("hidden")));
extern struct dsn_early __stop_dsn_early[] __attribute__((visibility("hidden")));

/* Libraries that the program is linked with come before the C library in the loader's list, those loaded later come
 * after it. */
static bool came_with_program(void)
{
#ifdef __GLIBC__
    static const char c_library[] = "/" LIBC_SO;
    const size_t end = sizeof c_library - 1;
    const struct link_map *m = _r_debug.r_map;

    while (m && m->l_ld != _DYNAMIC)
        m = m->l_next;
    for (; m; m = m->l_next) {
        const size_t n = strlen(m->l_name);

        if (n >= end && strcmp(m->l_name + n - end, c_library) == 0)
            return true;
    }
#endif
    return false;
}

bool dsn__find_early(void)
{
    for (struct dsn_early *e = __start_dsn_early; e < __stop_dsn_early; e++)
        if (!e->real)
            dsn__real(e->name, &e->real, NULL);
    return came_with_program();
}

/* The loader may set errno and allocate; the application must notice neither. */
bool dsn__real(const char *name, void **where, void *caller)
{
    const int error = errno, before = dsn__own_begin();
    void *next = dsn__next_of_older_library(name);

    if (!next)
        next = dsn__next_function(name, caller);
    if (next)
        __atomic_store_n(where, next, __ATOMIC_RELAXED);
    dsn__own_end(before);
    errno = error;
    return next != NULL;
}

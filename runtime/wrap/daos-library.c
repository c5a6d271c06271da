/* daos-library.c - finds the query functions of DAOS
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>
#include <stdatomic.h>

#include "wrap/wrap-daos.h"

#ifdef DSN_PRELOAD

/* For each layer, because the library of DAOS does not have DFS's functions. */
const struct dsn_daos *dsn__daos_calls(enum dsn_daos_layer layer, void *real)
{
    static struct dsn_daos found[2];
    static atomic_int is_known[2];
    Dl_info info;
    void *object;

    if (atomic_load_explicit(&is_known[layer], memory_order_acquire))
        return &found[layer];
    object = dladdr(real, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
#define C(name, p) found[layer].name = (int(*) p)(object ? dlsym(object, #name) : dlsym(RTLD_NEXT, #name));
    if (layer == DSN_BY_DFS) {
        DSN_DFS_CALLS
    }
    DSN_DAOS_CALLS
#undef C
    atomic_store_explicit(&is_known[layer], 1, memory_order_release);
    return &found[layer];
}

#else

#define C(name, p) extern int name p __attribute__((weak));
DSN_DFS_CALLS DSN_DAOS_CALLS
#undef C

    const struct dsn_daos *
    dsn__daos_calls(enum dsn_daos_layer layer, void *real)
{
#define C(name, p) .name = name,
    static const struct dsn_daos linked = { DSN_DFS_CALLS DSN_DAOS_CALLS };
#undef C

    (void)layer;
    (void)real;
    return &linked;
}

#endif

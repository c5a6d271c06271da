/* h5-library.c - finds the HDF5 library that a call goes to
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "record/span.h"
#include "wrap/wrap-h5.h"

#define MOST  8   /* libraries per process */
#define KNOWN 256 /* cached callers; a power of two */

struct library {
    struct dsn_h5 h5;
    void *next[DSN_WRAPPED_COUNT];
    _Atomic(void *) base; /* load address; NULL: free */
    atomic_int ready;
};

static struct {
    struct library library[MOST];
    atomic_uintptr_t caller[KNOWN]; /* return address and, in the lowest byte, 1 + the library's index */
} found;

/* Libraries that coexist with others of their kind may have symbol versions, which tell which callers are linked to
 * which. */
static const char *const versions[] = { "HDF5_SERIAL_1.8.7", "HDF5_MPI_1.8.7" };

static const char *version_of(void *object)
{
    for (unsigned i = 0; object && i < sizeof versions / sizeof versions[0]; i++)
        if (dlvsym(object, "H5open", versions[i]))
            return versions[i];
    return NULL;
}

static void *base_of(const void *address)
{
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The loaded object that contains an address; to be closed with dlclose. */
static void *object_of(const void *address)
{
    Dl_info info;

    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* The H5open that the caller is bound to: the global scope's, unless its own library's has another symbol version. */
static void *find(const void *caller, int *is_global)
{
    void *global = dlsym(RTLD_NEXT, "H5open"), *object = object_of(caller),
         *own = object ? dlsym(object, "H5open") : NULL;
    void *global_object = object_of(global), *own_object = object_of(own);
    const char *a = version_of(global_object), *b = version_of(own_object);

    *is_global = global && (!own || base_of(own) == base_of(global) || a == b);
    if (object)
        dlclose(object);
    if (global_object)
        dlclose(global_object);
    if (own_object)
        dlclose(own_object);
    return *is_global ? global : own;
}

/* Looks up the library's functions; keeps the reference, so that it stays loaded. In the global scope other tools may
 * be interposed. */
static void fill(struct library *library, void *open, int is_global)
{
    void *object = object_of(open);

#define C(r, name, p) library->h5.calls.name = (r(*) p)dlsym(object, #name);
#define O(r, name, p) C(r, name, p)
#define X(r, name, p) C(r, name, p)
    if (object) {
#include "module/h5-calls.def"
    }
#undef C
#undef O
#undef X
#undef H
#define H(r, name, p, args, fail, note)                                                                                \
    library->next[DSN_WRAPPED_##name] = is_global ? dlsym(RTLD_NEXT, #name) : object ? dlsym(object, #name) : NULL;
#undef H5_SINCE
#include "wrap/h5.wrap"
}

/* Index of the library at `base`, allocated if it is new; MOST: the table is full. */
static unsigned slot_of(void *base, int *is_new)
{
    unsigned i;

    *is_new = 0;
    for (i = 0; i < MOST; i++) {
        void *nobody = NULL;

        *is_new = atomic_compare_exchange_strong(&found.library[i].base, &nobody, base);
        if (*is_new || nobody == base)
            break;
    }
    return i;
}

static unsigned look_up(const void *caller)
{
    const int error = errno, before = dsn__own_begin();
    int is_global = 0, is_new;
    void *open = find(caller, &is_global), *base = base_of(open);
    unsigned i = MOST;

    if (base)
        i = slot_of(base, &is_new);
    if (i < MOST && is_new) {
        found.library[i].h5.number = i;
        fill(&found.library[i], open, is_global);
        atomic_store_explicit(&found.library[i].ready, 1, memory_order_release);
    }
    while (i < MOST && !atomic_load_explicit(&found.library[i].ready, memory_order_acquire))
        sched_yield(); /* another thread is doing it */
    dsn__own_end(before);
    errno = error;
    return i;
}

struct dsn_h5 *dsn__h5_of(const void *caller)
{
    atomic_uintptr_t *known = &found.caller[((uintptr_t)caller >> 2) % KNOWN];
    uintptr_t entry = atomic_load_explicit(known, memory_order_acquire);
    unsigned i;

    if (entry >> 8 == (uintptr_t)caller)
        return &found.library[(entry & 0xff) - 1].h5;
    i = look_up(caller);
    if (i == MOST)
        return NULL;
    atomic_store_explicit(known, (uintptr_t)caller << 8 | (i + 1), memory_order_release);
    return &found.library[i].h5;
}

void *dsn__h5_next(const struct dsn_h5 *h5, int which)
{
    return h5 ? ((const struct library *)h5)->next[which] : NULL;
}

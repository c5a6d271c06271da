/* wrap-pnetcdf.c - wrappers of the PnetCDF calls
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of the archive, for programs linked with PnetCDF. */
#include <config.h>

#include <dlfcn.h>

#include "module/pnetcdf.h"
#include "record/inner.h"
#include "wrap/wrap.h"

#define NOT_FOUND (-1) /* any non-zero number is an error */

/* ------------------------------------------------------------------ query functions */

#ifdef DSN_PRELOAD

static struct dsn_nc nc_found;

/* The query functions of the library that a wrapped call goes to. */
static const struct dsn_nc *ask_of(void *real)
{
    static atomic_int is_known;
    Dl_info info;
    void *object;

    if (atomic_load_explicit(&is_known, memory_order_acquire))
        return &nc_found;
    object = dladdr(real, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
#define C(name, p)                                                                                                     \
    nc_found.name = (int(*) p)(object ? dlsym(object, #name) : dlsym(RTLD_NEXT, #name));                               \
    if (!nc_found.name)                                                                                                \
        return NULL;
    DSN_NC_CALLS
#undef C
    atomic_store_explicit(&is_known, 1, memory_order_release);
    return &nc_found;
}

#else

#define C(name, p) extern int name p;
DSN_NC_CALLS
#undef C

static const struct dsn_nc *ask_of(void *real)
{
#define C(name, p) .name = name,
    static const struct dsn_nc linked = { DSN_NC_CALLS };
#undef C

    (void)real;
    return &linked;
}

#endif

/* ------------------------------------------------------------------ wrappers */

#define P(name, p, args, note)                                                                                         \
    DSN_REAL_DECL(int, name, p)                                                                                        \
    DSN_EXPORT int DSN_SYM(name) p;                                                                                    \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        const struct dsn_nc *nc;                                                                                       \
        struct dsn_span s;                                                                                             \
        uintptr_t outer;                                                                                               \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return NOT_FOUND;                                                                                          \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(name) args;                                                                                \
        outer = dsn__outer_begins(&s);                                                                                 \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__outer_ends(outer);                                                                                        \
        dsn__span_returned(&s);                                                                                        \
        nc = ask_of((void *)DSN_REAL(name));                                                                           \
        if (nc)                                                                                                        \
            note;                                                                                                      \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

#define F(name)

#include "wrap/pnetcdf.wrap"

DSN_REAL_DECL(int, ncmpi_close, (int file))
DSN_EXPORT int DSN_SYM(ncmpi_close)(int file);
DSN_EXPORT int DSN_SYM(ncmpi_close)(int file)
{
    const struct dsn_nc *nc;
    struct dsn_nc_file *released;
    struct dsn_span s;
    uintptr_t outer;
    int ret;

    if (!DSN_REAL_FIND(ncmpi_close))
        return NOT_FOUND;
    if (!dsn__span_open(&s))
        return DSN_REAL(ncmpi_close)(file);
    dsn__span_before(&s);
    nc = ask_of((void *)DSN_REAL(ncmpi_close));
    released = nc ? dsn__nc_release(nc, file) : NULL;
    dsn__span_close(&s);
    outer = dsn__outer_begins(&s);
    ret = DSN_REAL(ncmpi_close)(file);
    dsn__outer_ends(outer);
    dsn__span_returned(&s);
    dsn__nc_close(&s, released);
    dsn__span_close(&s);
    return ret;
}

/* The real call overwrites the numbers of the requests. */
#define ENDS(name, how, note)                                                                                          \
    DSN_REAL_DECL(int, name, (int file, int n, int *requests, int *statuses))                                          \
    DSN_EXPORT int DSN_SYM(name)(int file, int n, int *requests, int *statuses);                                       \
    DSN_EXPORT int DSN_SYM(name)(int file, int n, int *requests, int *statuses)                                        \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        uintptr_t outer;                                                                                               \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return NOT_FOUND;                                                                                          \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(name)(file, n, requests, statuses);                                                        \
        dsn__span_before(&s);                                                                                          \
        dsn__nc_end(file, n, requests, how);                                                                           \
        dsn__span_close(&s);                                                                                           \
        outer = dsn__outer_begins(&s);                                                                                 \
        ret = DSN_REAL(name)(file, n, requests, statuses);                                                             \
        dsn__outer_ends(outer);                                                                                        \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

ENDS(ncmpi_wait, DSN_NC_WAITED, dsn__nc_wait(&s, ret, file, PNETCDF_FILE_INDEP_WAITS))
ENDS(ncmpi_wait_all, DSN_NC_WAITED, dsn__nc_wait(&s, ret, file, PNETCDF_FILE_COLL_WAITS))
ENDS(ncmpi_cancel, DSN_NC_CANCELLED, (void)0)

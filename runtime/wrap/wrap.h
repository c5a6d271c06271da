/* wrap.h - expands a row of a .wrap file to a wrapper, for the preloaded library and for --wrap
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In libdarshan.so a wrapper has the function's own name and finds the next function of that name at run time, so that
 * other interposed tools keep their place. In libdarshan.a it is __wrap_<name>, and the linker binds __real_<name>. */
#ifndef DSN_WRAP_WRAP_H
#define DSN_WRAP_WRAP_H

#include <stdbool.h>

#include "record/fd.h"
#include "record/span.h"

#define DSN_EXPORT __attribute__((visibility("default")))

/* For a function that checks a pointer which its caller's header declares nonnull: the compiler is not to look into it from
 * there, or into its callers from it. */
#ifdef __clang__
#define DSN_OPAQUE __attribute__((noinline, optnone))
#else
#define DSN_OPAQUE __attribute__((noipa))
#endif

/* Functions are looked up by dlsym. A file that defines DSN_EARLY before it includes this one has its functions looked
 * up when the library is loaded, except for rows L: these may be called where the loader must not be: in signal
 * handlers, inside allocators, between dlopen and the dlerror that belongs to it, in a thread that a library's
 * constructor waits for. Each lookup costs every process some 900 instructions. Rows L, and functions of libraries that
 * may be loaded at any time, are looked up at their first call. The name lies beside the address instead of being
 * pointed to, which saves the loader a relocation per function and process. */
#define DSN_EARLY_NAME 24

struct dsn_early {
    void *real;
    char name[DSN_EARLY_NAME];
};

/* clang-format off */
#ifdef DSN_PRELOAD
# define DSN_SYM(name)              name
# define DSN_LABEL(name)            #name
# define DSN_REAL_LATER(r, name, p) static struct { r (*real) p; } real_##name;
# ifdef DSN_EARLY
#  define DSN_REAL_DECL(r, name, p) \
    _Static_assert(sizeof #name <= DSN_EARLY_NAME, "a longer name"); \
    __attribute__((section("dsn_early"), used)) static struct { r (*real) p; char name[DSN_EARLY_NAME]; } real_##name = { NULL, #name };
# else
#  define DSN_REAL_DECL(r, name, p) DSN_REAL_LATER(r, name, p)
# endif
# define DSN_REAL(name)             __atomic_load_n(&real_##name.real, __ATOMIC_RELAXED) /* another thread may find it */
# define DSN_REAL_FIND(name) \
    (DSN_REAL(name) || dsn__real(#name, (void **)&real_##name.real, __builtin_return_address(0)))
# define DSN_REAL_KNOWN(name)       __builtin_expect(DSN_REAL(name) != NULL, 1)
#else
# define DSN_SYM(name)              __wrap_##name
# define DSN_LABEL(name)            "__wrap_" #name
# define DSN_REAL_DECL(r, name, p)  extern r __real_##name p; DSN_EXPORT r __wrap_##name p;
# define DSN_REAL_LATER             DSN_REAL_DECL
# define DSN_REAL_FIND(name)        1
# define DSN_REAL(name)             __real_##name
# define DSN_REAL_KNOWN(name)       1
#endif
/* clang-format on */

/* The next function of that name: after us in the search order, or, for a library that was loaded with RTLD_LOCAL for a
 * plug-in, among the caller's libraries. Stores it in *where and returns whether there is one. */
bool dsn__real(const char *name, void **where, void *caller);

/* When a call is examined further; decided before the clock is read: */
#define ALWAYS       dsn__may_record()
#define SINCE_BEGUN  dsn__is_on() /* what a forked child may do before exec without beginning to record */
#define ON_DUP(fd)   (dsn__is_on() || dsn__fd_is_tracked(fd))
#define ON_FD(fd)    (dsn__fd_description(fd) != NULL)
#define ON_STREAM(f) (dsn__stream_state(f) != NULL)

/* Return type, name, parameters, arguments, the result if the real function is missing, when to note, and the note,
 * with `s`, `ret` and the parameters in scope; L: see above. A call that is not examined costs a check and a jump; the
 * others have their stack frame in a separate function. There, row W inlines everything around the call (flatten):
 * programs make these calls by the million. WO: as W, but a call
 * for which `is_own` holds is one of ours, and gives `own`. */
#define W(r, name, p, args, fail, when, note)                                                                          \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    DSN_WRAPPER(r, name, p, args, fail, when, note, 0, fail, __attribute__((noinline, flatten)))
#define WO(r, name, p, args, fail, when, note, is_own, own)                                                            \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    DSN_WRAPPER(r, name, p, args, fail, when, note, is_own, own, __attribute__((noinline, flatten)))
#define L(r, name, p, args, fail, when, note)                                                                          \
    DSN_REAL_LATER(r, name, p)                                                                                         \
    DSN_WRAPPER(r, name, p, args, fail, when, note, 0, fail, __attribute__((noinline)))
#define DSN_WRAPPER(r, name, p, args, fail, when, note, is_own, own, how)                                              \
    how static r counted_##name p                                                                                      \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return fail;                                                                                               \
        if (!dsn__span_open(&s)) /* recording is off, or the mark is set: our own call */                              \
            return (is_own) ? own : DSN_REAL(name) args;                                                               \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }                                                                                                                  \
    DSN_EXPORT r DSN_SYM(name) p                                                                                       \
    {                                                                                                                  \
        if (DSN_REAL_KNOWN(name) && !(when) && !(is_own))                                                              \
            return DSN_REAL(name) args;                                                                                \
        return counted_##name args;                                                                                    \
    }                                                                                                                  \
    DSN_NUMBERED(r, name, p, args, when, note)

/* In a file that defines it before, a row's function for the system call that is made by number (wrap-posix.c). */
#ifndef DSN_NUMBERED
#define DSN_NUMBERED(r, name, p, args, when, note)
#endif

#endif

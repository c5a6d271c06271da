/* wrap-exec.c - exec, exit, and calls that fork
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records are handed over before exec discards the memory. A vfork child has none of its own to hand over; the mark of
 * vfork (wrap-vfork.c) does not distinguish it from its parent, its pid does. What the C library executes by itself
 * (posix_spawn, system, popen) is executed in such children. */
#include <config.h>

#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "base/kernel.h"
#include "life/events.h"
#include "record/span.h"
#include "wrap/wrap.h"

/* Programs search PATH by trying to exec: only a file that can be executed is worth the work. */
static enum dsn_exec begin_exec(const char *path)
{
    const int error = errno;
    enum dsn_exec begun;
    int before, can;

    dsn__await_end();
    errno = error;
    if (!dsn__is_on()) /* then no call is made, for there may be a filter */
        return DSN_EXEC_COUNTS;
    before = dsn__own_begin();
    can = !path || access(path, X_OK) == 0;
    errno = error;
    dsn__own_end(before);
    if (!can)
        return DSN_EXEC_COUNTS;
    begun = dsn__exec_begin();
    dsn__await_end(); /* another thread was faster */
    return begun;
}

static int failed(enum dsn_exec begun)
{
    const int error = errno;

    dsn__exec_failed(begun);
    errno = error;
    return -1;
}

#define EXEC(name, path, parameters, arguments)                                                                        \
    DSN_REAL_DECL(int, name, parameters)                                                                               \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        enum dsn_exec begun;                                                                                           \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        begun = begin_exec(path);                                                                                      \
        DSN_REAL(name) arguments;                                                                                      \
        return failed(begun);                                                                                          \
    }

EXEC(execve, path, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, path, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, NULL, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, NULL, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, NULL, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
#if defined DSN_PRELOAD || defined HAVE_EXECVEAT
EXEC(execveat, NULL, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
     (dir, path, argv, envp, flags))
#endif

/* Counts the arguments before NULL; `last` is where they end. */
static size_t count(va_list args)
{
    size_t n = 1;

    while (va_arg(args, char *))
        n++;
    return n;
}

#define EXECL(name, next, path, parameters, arguments, take_environment)                                               \
    DSN_EXPORT int DSN_SYM(name) parameters;                                                                           \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        const char *volatile first = arg; /* the header declares it nonnull */                                         \
        va_list args;                                                                                                  \
        size_t n;                                                                                                      \
        enum dsn_exec begun;                                                                                           \
                                                                                                                       \
        if (!DSN_REAL_FIND(next))                                                                                      \
            return -1;                                                                                                 \
        va_start(args, arg);                                                                                           \
        n = first ? count(args) : 0;                                                                                   \
        va_end(args);                                                                                                  \
        {                                                                                                              \
            char *argv[n + 1], *const *envp = NULL;                                                                    \
                                                                                                                       \
            argv[0] = (char *)(uintptr_t)arg;                                                                          \
            va_start(args, arg);                                                                                       \
            for (size_t i = 1; i <= n; i++)                                                                            \
                argv[i] = va_arg(args, char *);                                                                        \
            if (take_environment)                                                                                      \
                envp = va_arg(args, char *const *);                                                                    \
            va_end(args);                                                                                              \
            (void)envp;                                                                                                \
            begun = begin_exec(path);                                                                                  \
            DSN_REAL(next) arguments;                                                                                  \
        }                                                                                                              \
        return failed(begun);                                                                                          \
    }

EXECL(execl, execv, path, (const char *path, const char *arg, ...), (path, argv), 0)
EXECL(execlp, execvp, NULL, (const char *file, const char *arg, ...), (file, argv), 0)
EXECL(execle, execve, path, (const char *path, const char *arg, ...), (path, argv, envp), 1)

#define EXIT(name, before)                                                                                             \
    DSN_REAL_DECL(void, name, (int status))                                                                            \
    DSN_EXPORT void DSN_SYM(name)(int status)                                                                          \
    {                                                                                                                  \
        before();                                                                                                      \
        if (DSN_REAL_FIND(name))                                                                                       \
            DSN_REAL(name)(status);                                                                                    \
        for (;;)                                                                                                       \
            syscall(SYS_exit_group, status);                                                                           \
    }

EXIT(exit, dsn__exit_begins)
EXIT(_exit, dsn__end_process)
EXIT(_Exit, dsn__end_process)

/* A forked child begins to record before it becomes another user, or has another root: afterwards it could not reach its
 * collector's directory. */
#define BEGINS_BEFORE(name, parameters, arguments)                                                                     \
    DSN_REAL_LATER(int, name, parameters)                                                                              \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        dsn__begin_if_waiting();                                                                                       \
        return DSN_REAL(name) arguments;                                                                               \
    }

BEGINS_BEFORE(setuid, (uid_t user), (user))
BEGINS_BEFORE(seteuid, (uid_t user), (user))
BEGINS_BEFORE(setreuid, (uid_t real, uid_t user), (real, user))
BEGINS_BEFORE(setresuid, (uid_t real, uid_t user, uid_t saved), (real, user, saved))
BEGINS_BEFORE(chroot, (const char *path), (path))
BEGINS_BEFORE(unshare, (int flags), (flags))
BEGINS_BEFORE(setns, (int fd, int kind), (fd, kind))

/* Whether the kernel may kill the process from then on for calls that it does not make itself, or for reading the TSC.
 * Programs ask for a filter at NULL to see whether there could be one. */
static bool forbids_calls(int option, const unsigned long *v)
{
    return (option == PR_SET_SECCOMP && (v[0] == SECCOMP_MODE_STRICT || (v[0] == SECCOMP_MODE_FILTER && v[1] != 0))) ||
           (option == PR_SET_TSC && v[0] == PR_TSC_SIGSEGV);
}

DSN_REAL_DECL(int, prctl, (int option, ...))

/* Allocators call prctl to name their memory, before this library has been initialised: as in wrap-mmap.c the loader is
 * not asked. */
#ifdef DSN_PRELOAD
static int next_prctl(int option, const unsigned long *v)
{
    return DSN_REAL_KNOWN(prctl) ? DSN_REAL(prctl)(option, v[0], v[1], v[2], v[3])
                                 : (int)syscall(SYS_prctl, option, v[0], v[1], v[2], v[3]);
}
#else
static int next_prctl(int option, const unsigned long *v)
{
    return __real_prctl(option, v[0], v[1], v[2], v[3]);
}
#endif

DSN_EXPORT int DSN_SYM(prctl)(int option, ...)
{
    const int before = errno;
    unsigned long value[4];
    va_list args;
    int ret, ended, error;

    va_start(args, option);
    for (int i = 0; i < 4; i++) /* only the kernel knows how many there are */
        value[i] = va_arg(args, unsigned long);
    va_end(args);
    ended = forbids_calls(option, value) && dsn__filter_begin();
    errno = before;
    ret = next_prctl(option, value);
    error = errno;
    if (ret != 0)
        dsn__filter_failed(ended);
    errno = error;
    return ret;
}

/* The C library's daemon() forks, and ends the parent by a call that is not intercepted. */
DSN_REAL_DECL(int, daemon, (int stay, int keep))
DSN_EXPORT int DSN_SYM(daemon)(int stay, int keep)
{
    int ret, error;

    if (!DSN_REAL_FIND(daemon))
        return -1;
    dsn__daemon_begin();
    ret = DSN_REAL(daemon)(stay, keep);
    error = errno;
    if (ret != 0)
        dsn__daemon_failed();
    errno = error;
    return ret;
}

/* Argument of the function that clone() runs in the child. */
struct child {
    int (*main)(void *context);
    void *context;
};

static int begin_child(void *context)
{
    const struct child c = *(const struct child *)context;
    int status;

    dsn__child_begins();
    status = c.main(c.context);
    dsn__end_process(); /* glibc would end it by a call that is not intercepted */
    return status;
}

/* A child with a copy of our memory is a fork. One that shares our memory and suspends us, but has its own descriptors,
 * is a vfork. Everything else is a thread, or cannot be distinguished from one. */
DSN_REAL_DECL(int, clone, (int (*main)(void *), void *stack, int flags, void *context, ...))
DSN_EXPORT int DSN_SYM(clone)(int (*main)(void *), void *stack, int flags, void *context, ...)
{
    struct child c = { main, context };
    void *more[3];
    va_list args;

    if (!DSN_REAL_FIND(clone))
        return -1;
    va_start(args, context);
    for (int i = 0; i < 3; i++) /* only the kernel knows how many there are */
        more[i] = va_arg(args, void *);
    va_end(args);
    if (main && stack && !(flags & CLONE_VM) && dsn__parent_begins())
        return DSN_REAL(clone)(begin_child, stack, flags, &c, more[0], more[1], more[2]);
    if ((flags & CLONE_VM) && (flags & CLONE_VFORK) && !(flags & CLONE_FILES)) {
        if (dsn__begin_if_waiting())
            dsn__fds_pass_on();
        dsn__vfork_mark();
    }
    return DSN_REAL(clone)(main, stack, flags, context, more[0], more[1], more[2]);
}

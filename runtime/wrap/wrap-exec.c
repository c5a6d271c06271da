/* wrap-exec.c - calls from which a process does not come back
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was counted is left for the log before another program takes the memory away. A child made by vfork has nothing
 * of its own to leave; the mark of vfork (wrap-vfork.c) does not tell it from its parent, its number does. What the C
 * library executes by itself (posix_spawn, system, popen) it does in such children. */
#include <config.h>

#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "core/ending.h"
#include "wrap/wrap.h"

/* Programs look for what they execute by trying: only what can be executed is worth the work. */
static int begin(const char *path)
{
    const int before = dsn__own_begin(), error = errno;
    const int can = !path || access(path, X_OK) == 0;

    errno = error;
    dsn__own_end(before);
    return can ? dsn__exec_begin() : 0;
}

static int failed(int begun)
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
        int begun;                                                                                                     \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        begun = begin(path);                                                                                           \
        DSN_REAL(name) arguments;                                                                                      \
        return failed(begun);                                                                                          \
    }

EXEC(execve, path, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, path, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, NULL, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, NULL, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, NULL, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
EXEC(execveat, NULL, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
     (dir, path, argv, envp, flags))

/* The arguments up to NULL as an array; `last` is where they end. */
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
        const char *volatile first = arg; /* the headers promise that there is one */                                  \
        va_list args;                                                                                                  \
        size_t n;                                                                                                      \
        int begun;                                                                                                     \
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
            begun = begin(path);                                                                                       \
            DSN_REAL(next) arguments;                                                                                  \
        }                                                                                                              \
        return failed(begun);                                                                                          \
    }

EXECL(execl, execv, path, (const char *path, const char *arg, ...), (path, argv), 0)
EXECL(execlp, execvp, NULL, (const char *file, const char *arg, ...), (file, argv), 0)
EXECL(execle, execve, path, (const char *path, const char *arg, ...), (path, argv, envp), 1)

#define EXIT(name)                                                                                                     \
    DSN_REAL_DECL(void, name, (int status))                                                                            \
    DSN_EXPORT void DSN_SYM(name)(int status)                                                                          \
    {                                                                                                                  \
        if (dsn__is_on())                                                                                              \
            dsn__end_process();                                                                                        \
        if (DSN_REAL_FIND(name))                                                                                       \
            DSN_REAL(name)(status);                                                                                    \
        for (;;)                                                                                                       \
            syscall(SYS_exit_group, status);                                                                           \
    }

EXIT(_exit)
EXIT(_Exit)

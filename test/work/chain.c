/* chain.c - another interposing library that wraps the same functions
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    return NEXT(int, "open", const char *, int, ...)(path, flags, mode);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    return NEXT(ssize_t, "write", int, const void *, size_t)(fd, buf, n);
}

int close(int fd)
{
    return NEXT(int, "close", int)(fd);
}

pid_t fork(void)
{
    return NEXT(pid_t, "fork", void)();
}

int execv(const char *path, char *const argv[])
{
    return NEXT(int, "execv", const char *, char *const *)(path, argv);
}

void _exit(int status)
{
    NEXT(void, "_exit", int)(status);
    abort();
}

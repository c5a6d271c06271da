/* exchange.c - another user who exchanges two names at the right moment; for LD_PRELOAD
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * After the first look (lstat, statx) at a path that ends in EXCHANGE_AFTER, EXCHANGE_NAME and EXCHANGE_OTHER are
 * exchanged: what a race wins now and then is won each time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void exchange_after(const char *path)
{
    static int has_exchanged;
    const char *after = getenv("EXCHANGE_AFTER");
    const size_t n = strlen(path), tail = after ? strlen(after) : n + 1;

    if (!has_exchanged && n >= tail && strcmp(path + n - tail, after) == 0)
        has_exchanged =
            renameat2(AT_FDCWD, getenv("EXCHANGE_NAME"), AT_FDCWD, getenv("EXCHANGE_OTHER"), RENAME_EXCHANGE) == 0;
}

int lstat(const char *path, struct stat *st)
{
    const int ret = fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);

    exchange_after(path);
    return ret;
}

long syscall(long number, ...)
{
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    long a[6], ret;
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    ret = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_statx)
        exchange_after((const char *)a[1]);
    return ret;
}

/* next-stat.c - stat() and its like for C libraries that have none
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Before glibc 2.33 these are not in the shared C library, but in an archive that comes with it, and call __xstat(): behind
 * ours there is nothing, or a function that would be counted once more. */
#include <config.h>

#include "wrap/next-stat.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/kernel.h"
#include "record/span.h"

/* As our own work, for calls by number are counted, too. */
int dsn__next_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    const int before = dsn__own_begin(), ret = dsn__sys_fstatat(dir, path, st, flags);

    dsn__own_end(before);
    return ret;
}

int dsn__next_fstat(int fd, struct stat *st)
{
    const int before = dsn__own_begin(), ret = dsn__sys_fstat(fd, st);

    dsn__own_end(before);
    return ret;
}

int dsn__next_stat(const char *path, struct stat *st)
{
    return dsn__next_fstatat(AT_FDCWD, path, st, 0);
}

int dsn__next_lstat(const char *path, struct stat *st)
{
    return dsn__next_fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* On 64-bit systems the two kinds of struct stat are the same. */
int dsn__next_stat64(const char *path, struct stat64 *st)
{
    return dsn__next_stat(path, (struct stat *)(void *)st);
}

int dsn__next_lstat64(const char *path, struct stat64 *st)
{
    return dsn__next_lstat(path, (struct stat *)(void *)st);
}

int dsn__next_fstat64(int fd, struct stat64 *st)
{
    return dsn__next_fstat(fd, (struct stat *)(void *)st);
}

int dsn__next_fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    return dsn__next_fstatat(dir, path, (struct stat *)(void *)st, flags);
}

void *dsn__next_of_older_library(const char *name)
{
#ifdef __GLIBC__
    static const struct {
        const char *name;
        void *function;
    } known[] = { { "stat", dsn__next_stat },       { "stat64", dsn__next_stat64 },
                  { "lstat", dsn__next_lstat },     { "lstat64", dsn__next_lstat64 },
                  { "fstat", dsn__next_fstat },     { "fstat64", dsn__next_fstat64 },
                  { "fstatat", dsn__next_fstatat }, { "fstatat64", dsn__next_fstatat64 } };
    static int is_older = -1;

    if (is_older < 0)
        is_older = strverscmp(gnu_get_libc_version(), "2.33") < 0;
    for (unsigned i = 0; is_older && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].function;
#else
    (void)name;
#endif
    return NULL;
}

/* next-stat.h - stat() and its like for C libraries that have none
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRAP_NEXT_STAT_H
#define DSN_WRAP_NEXT_STAT_H

#include <sys/stat.h>

int dsn__next_stat(const char *path, struct stat *st);
int dsn__next_lstat(const char *path, struct stat *st);
int dsn__next_fstat(int fd, struct stat *st);
int dsn__next_fstatat(int dir, const char *path, struct stat *st, int flags);
int dsn__next_stat64(const char *path, struct stat64 *st);
int dsn__next_lstat64(const char *path, struct stat64 *st);
int dsn__next_fstat64(int fd, struct stat64 *st);
int dsn__next_fstatat64(int dir, const char *path, struct stat64 *st, int flags);

/* That of this name if the C library, at run time, is one that lacks it; else NULL. */
void *dsn__next_of_older_library(const char *name);

/* What is linked into a program from libdarshan.a is for the C library with which it was built. */
#if !defined DSN_PRELOAD && defined __GLIBC__ && !__GLIBC_PREREQ(2, 33)
#define __real_stat      dsn__next_stat
#define __real_stat64    dsn__next_stat64
#define __real_lstat     dsn__next_lstat
#define __real_lstat64   dsn__next_lstat64
#define __real_fstat     dsn__next_fstat
#define __real_fstat64   dsn__next_fstat64
#define __real_fstatat   dsn__next_fstatat
#define __real_fstatat64 dsn__next_fstatat64
#endif

#endif

/* calls.h - the system calls of the log and of replay
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both go through a table each: tests make any of them fail or kill the process, and an emulated file system replaces
 * the target's. Errors as of the calls: -1, and errno. */
#ifndef LBIO_CALLS_H
#define LBIO_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lbio_calls {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*close)(int fd);
    ssize_t (*pread)(int fd, void *bytes, size_t n, off_t off);
    ssize_t (*pwrite)(int fd, const void *bytes, size_t n, off_t off);
    int (*sync)(int fd); /* data, and what is needed to read it */
    int (*truncate)(int fd, off_t size);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path, mode_t mode);
    int (*rmdir)(const char *path);
};

extern struct lbio_calls lbio__log_calls, lbio__target_calls;

/* All of it, in as many calls as it takes; interrupted ones are repeated. 0, or -1 and errno: ENOSPC if a call wrote
 * nothing and said no more. */
int lbio__write_all(const struct lbio_calls *c, int fd, const void *bytes, size_t n, off_t off);

/* Up to the end of the file. Returns how many bytes were read, or -1. */
ssize_t lbio__read_all(const struct lbio_calls *c, int fd, void *bytes, size_t n, off_t off);

/* A file that processes share, such as a marker: not by a symbolic link, regular, and of one name, so that nothing else
 * is written. `is_own`: of this user. Returns a descriptor, or -1 and errno. */
int lbio__open_shared(const char *path, int flags, int is_own);

/* Locks all of it, for this description of it. A process that is stopped holds what it has: after some seconds it is -1
 * and ETIMEDOUT, and from then on sooner. */
int lbio__lock_shared(int fd);

/* The descriptor under a number that the application does not come by: above the limit that it may use, else high below
 * it; closed by exec. Returns it, or `fd` where that is not possible. */
int lbio__out_of_the_way(int fd);

/* The numbers between which all such descriptors are; least > most: there are none. */
void lbio__own_numbers(int *least, int *most);

#endif

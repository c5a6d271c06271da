/* calls.h - system calls of the log and of replay
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each goes through a table, so that tests can make any of them fail or kill the process, and can emulate the target's
 * file system. Errors as with the system calls: -1 and errno. */
#ifndef LBIO_CALLS_H
#define LBIO_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct lbio_calls {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*close)(int fd);
    ssize_t (*pread)(int fd, void *bytes, size_t n, off_t off);
    ssize_t (*pwrite)(int fd, const void *bytes, size_t n, off_t off);
    int (*sync)(int fd); /* data, and the metadata needed to read it */
    int (*truncate)(int fd, off_t size);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path, mode_t mode);
    int (*rmdir)(const char *path);
};

extern struct lbio_calls lbio__log_calls, lbio__target_calls;

/* Writes all of it, repeating short and interrupted writes. Returns 0, or -1 and errno: ENOSPC if a write returned
 * 0. */
int lbio__write_all(const struct lbio_calls *c, int fd, const void *bytes, size_t n, off_t off);

/* Reads to the end of the file. Returns the number of bytes, or -1. */
ssize_t lbio__read_all(const struct lbio_calls *c, int fd, void *bytes, size_t n, off_t off);

/* Opens a file shared by processes, such as a marker: a regular file with one link, not through a symbolic link, so
 * that nothing else can be written. `is_own`: it must be this user's. Returns a descriptor, or -1 and errno. */
int lbio__open_shared(const char *path, int flags, int is_own);

/* Whether a file system of this type (f_type) shows what other nodes have written, and shows them what this one has, only
 * when a file is opened or closed. */
int lbio__is_stale_while_open(unsigned type);

/* Whether the process has asked that about such a type. */
int lbio__has_been_stale_while_open(void);

/* Has the kernel ask the file system for the attributes of an open file, which it may have kept. */
void lbio__renew(int fd);

/* Sets st_dev and st_ino, and nothing else. Unlike fstat it does not ask the server of a network file system. 0, or -1
 * and errno. */
int lbio__identify(int fd, struct stat *st);

/* Locks the whole file for this open file description. A stopped process keeps its lock: after some seconds returns -1
 * and ETIMEDOUT, and from then on earlier. */
int lbio__lock_shared(int fd);

/* Moves a descriptor to a number that the application does not get: above its limit, else high below it; close-on-exec.
 * Returns it, or `fd` if that is not possible. */
int lbio__out_of_the_way(int fd);

/* Whether the number is above the application's limit, or one of the few below it that we may take. */
int lbio__is_spare(int fd);

/* The range of all such descriptors; least > most: none. */
void lbio__own_numbers(int *least, int *most);

#endif

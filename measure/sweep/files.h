/* files.h - unnamed files: creates and fills them, drops them from the page cache, and queries their share in it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file has no name (O_TMPFILE; without support for that its name is removed immediately), so that nothing is left
 * however the process ends. Further descriptors are opened through /proc/self/fd. Private to measure/sweep. */
#ifndef DSN_SWEEP_FILES_H
#define DSN_SWEEP_FILES_H

#include "sweep.h"

#define DSN_SWEEP_ERROR 256

struct dsn_sweep_place {
    int directory;               /* descriptor */
    uint64_t limit, reserve;     /* see sweep.h */
    uint64_t used;               /* bytes of existing files */
    unsigned align;              /* of memory and offsets for direct I/O; 0: not supported */
    int in_memory;               /* the file system is in memory: no cache to drop */
    char type[32];               /* "ext4" */
    char error[DSN_SWEEP_ERROR]; /* error message */
};

/* Opens a directory, and determines the capabilities of its file system. Returns 0 with p->error if files cannot be
 * created there, or would not leave enough space. */
int dsn_place_open(struct dsn_sweep_place *p, const char *path, uint64_t limit, uint64_t reserve);
/* Whether a file system of this type is in memory. */
int dsn_type_is_memory(const char *type);
void dsn_place_close(struct dsn_sweep_place *p);

/* Returns a descriptor, or -1 with p->error. `bytes`: space that the file will need; an error if it exceeds the limit,
 * or does not leave the reserve. */
int dsn_file_make(struct dsn_sweep_place *p, uint64_t bytes);
void dsn_file_close(struct dsn_sweep_place *p, int fd, uint64_t bytes);

/* Fills a file with incompressible data, and syncs it. */
int dsn_file_fill(struct dsn_sweep_place *p, int fd, uint64_t bytes);

/* Another descriptor with these flags of open(2). -1: errno. */
int dsn_file_handle(int fd, int flags);

/* Drops it from the page cache, as far as the kernel does. */
void dsn_file_drop(int fd);

/* The share of its first bytes in the page cache. -1: unknown. */
double dsn_file_resident(int fd, uint64_t bytes);

/* Pseudo-random bytes. */
void dsn_fill_random(void *to, size_t n, uint64_t seed);

#endif

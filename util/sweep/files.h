/* files.h - files without names: made, filled, dropped from the page cache, and looked for in it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file has no name (O_TMPFILE; where there is no such thing its name is removed at once), so that nothing is left of it however
 * the process ends. Further handles to it are opened through /proc/self/fd. Private to util/sweep. */
#ifndef DSN_SWEEP_FILES_H
#define DSN_SWEEP_FILES_H

#include "sweep.h"

#define DSN_SWEEP_ERROR 256

struct dsn_sweep_place {
    int directory;               /* descriptor */
    uint64_t limit, reserve;     /* of sweep.h */
    uint64_t used;               /* bytes of the files that there are */
    unsigned align;              /* of memory and offsets of direct I/O; 0: there is none */
    int in_memory;               /* the file system is one: there is nothing that could be dropped */
    char type[32];               /* "ext4" */
    char error[DSN_SWEEP_ERROR]; /* what is wrong */
};

/* Opens a directory, and finds out what its file system can. Returns 0 with p->error if files cannot be made there, or would not
 * leave enough room. */
int dsn_place_open(struct dsn_sweep_place *p, const char *path, uint64_t limit, uint64_t reserve);
void dsn_place_close(struct dsn_sweep_place *p);

/* Returns a descriptor, or -1 with p->error. `bytes`: room that the file will need: refused if the limit does not allow so much,
 * or so much would not leave the reserve. */
int dsn_file_make(struct dsn_sweep_place *p, uint64_t bytes);
void dsn_file_close(struct dsn_sweep_place *p, int fd, uint64_t bytes);

/* Fills a file with so many bytes that no compression makes small, and writes them to the device. */
int dsn_file_fill(struct dsn_sweep_place *p, int fd, uint64_t bytes);

/* A further handle with the flags of open(2). -1: errno. */
int dsn_file_handle(int fd, int flags);

/* Takes it out of the page cache, as far as the kernel does that. */
void dsn_file_drop(int fd);

/* The share of its first bytes that is in the page cache. -1: the kernel does not tell. */
double dsn_file_resident(int fd, uint64_t bytes);

/* Bytes that look like random ones. */
void dsn_fill_random(void *to, size_t n, uint64_t seed);

#endif

/* mounts.h - the mount table, as it goes into the log and as it tells block sizes
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_MOUNTS_H
#define DSN_CONFIG_MOUNTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DSN_MAX_MOUNTS 64

struct dsn_record_state;

struct dsn_mount {
    char path[256];
    char type[32];
    size_t len;             /* of the path */
    _Atomic(int64_t) block; /* 0: not asked for yet */
    struct dsn_record_state
        *aggregated_into[16]; /* by module index: the record of all files for which there is no memory */
};

/* How a process learns of file systems. One whose log another one makes has no use for the whole table, which to read
 * costs it more than all the rest of its start: it asks for the file system of each file instead. */
struct dsn_file_systems {
    int by_file;    /* it does so */
    int has_lustre; /* there is one of it, or there may be */
};

struct dsn_mounts {
    int loaded;
    int has_lustre; /* one of the mount points is */
    unsigned n;
    struct dsn_mount mount[DSN_MAX_MOUNTS];
    struct dsn_mount none; /* for names that are below no mount point: its path is empty */
};

/* Reads the mount table once (spec runtime.md 2.5); caller holds the core's lock or is alone. */
void dsn__mounts_load(struct dsn_mounts *m);

/* From now on file systems are asked for by file; or the table is, if they were: caller as above. */
void dsn__file_systems_by_file(void);
void dsn__file_systems_by_table(void);

/* Whether the file is on Lustre, as the kernel says. */
int dsn__is_on_lustre(int fd);

/* The mount point whose path is the longest prefix of `name`, or NULL. */
struct dsn_mount *dsn__mount_of(struct dsn_mounts *m, const char *name);

/* Part of what life/state.h composes. */
extern struct dsn_mounts *const dsn__mounts __attribute__((visibility("hidden")));

/* Part of what life/state.h composes. */
extern struct dsn_file_systems *const dsn__file_systems __attribute__((visibility("hidden")));

/* Block size of the file system of file `name`, for counts of unaligned accesses; -1: it has none. `fd`: a
 * descriptor of the file, or -1. The kernel is asked once a mount point, or, where the mount table has not been
 * read, once a file. */
int64_t dsn__block_size(const char *name, int fd);

#endif

/* mounts.h - the mount table, for the log and for block sizes
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_MOUNTS_H
#define DSN_CONFIG_MOUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DSN_MAX_MOUNTS 64

struct dsn_record_state;

struct dsn_mount {
    char path[256];
    char type[32];
    size_t len;             /* of the path, in bytes */
    _Atomic(int64_t) block; /* block size; 0: not queried yet */
    struct dsn_record_state
        *aggregated_into[20]; /* by module index: the record into which files without a record of their own are
                               * aggregated */
};

/* How a process finds a file's file system. A process whose log is written by another does not need the mount table,
 * and reading it would cost more than the rest of its start: it calls statfs for each of its first files instead. Read
 * without a lock. */
struct dsn_file_systems {
    atomic_int by_file;    /* it calls statfs per file */
    atomic_int has_lustre; /* some file system is, or may be, Lustre */
};

struct dsn_mounts {
    int loaded;
    int has_lustre; /* some mount point is Lustre */
    unsigned n;
    struct dsn_mount mount[DSN_MAX_MOUNTS];
    struct dsn_mount none; /* for names below no mount point: its path is empty */
};

/* Reads the mount table once (spec runtime.md 2.5). The caller holds the core's lock or is the only thread. */
void dsn__mounts_load(struct dsn_mounts *m);

/* Switches to queries per file, or back to the mount table, which is read; locking as above. */
void dsn__file_systems_by_file(void);
void dsn__file_systems_by_table(void);

/* Whether the file may be on Lustre: by its statfs type; 1 with the mount table, which lists one. */
bool dsn__may_be_on_lustre(int fd);

/* Whether a file with this block size, from dsn__block_size, cannot be on Lustre: saves asking when it is closed. */
bool dsn__block_excludes_lustre(int64_t block);

/* The innermost mount point above the file `name`, by comparing paths, or NULL. */
struct dsn_mount *dsn__mount_of(struct dsn_mounts *m, const char *name);

/* Member of the state that life/state.h composes. */
extern struct dsn_mounts *const dsn__mounts __attribute__((visibility("hidden")));

/* Member of the state that life/state.h composes. */
extern struct dsn_file_systems *const dsn__file_systems __attribute__((visibility("hidden")));

/* Block size of the file system of file `name`, for counts of unaligned accesses; -1 if it has none. `fd`: a descriptor
 * of the file, or -1. Queried once per mount point, or, without the mount table, once per file. */
int64_t dsn__block_size(const char *name, int fd);

#endif

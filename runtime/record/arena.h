/* arena.h - the arena: bounded memory for records, with parts reserved for known files and for aggregated records
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_ARENA_H
#define DSN_RECORD_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define DSN_RECORD_LEAST 192       /* bytes: records are larger, most names are not */
#define DSN_ARENA_FIRST  (2 << 20) /* bytes that every process may use without asking whether there is room */

struct dsn_arena {
    char *base;
    size_t size, wanted;
    size_t first;          /* offset where records begin, behind the room for the table of names */
    atomic_size_t limit;   /* how much of `size` may be used: it grows while the survival file's file system has room */
    atomic_int may_grow;   /* 0: that had none, and what does not fit below `limit` is aggregated */
    atomic_size_t reserve; /* bytes reserved for aggregated records, which are created when the rest is full */
    atomic_size_t used;
    atomic_size_t promised; /* bytes reserved for the access tables of files that have had no access yet */
    atomic_size_t in_file;  /* bytes that lie in the survival file; recovery sees only these */
    atomic_size_t present;  /* bytes that have been populated */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_arena *const dsn__arena __attribute__((visibility("hidden")));

/* Resets the arena to empty; nobody may use memory allocated before. */
void dsn__arena_start(struct dsn_arena *a);

/* What is reserved for aggregated records at the beginning. */
size_t dsn__arena_reserve(const struct dsn_arena *a);

/* Returns `size` zeroed bytes, 8-aligned and, from DSN_RECORD_LEAST bytes on, aligned to a cache line; NULL when the unreserved part
 * is full and may not grow. Never freed. */
void *dsn__alloc(size_t size);

/* As dsn__alloc, but does not touch what has been promised: for a file seen for the first time. */
void *dsn__alloc_file(size_t size);

/* Reserves `size` bytes for the access tables of a new file; up to a quarter of the arena's limit is reserved so. Returns
 * 0 if nothing is left to reserve. */
bool dsn__alloc_promise(size_t size);

/* Memory for a file's access tables: from its own promise, or, if it has none, from what is not promised to others. */
void *dsn__alloc_access(size_t size, int promised);

/* As dsn__alloc, but also from the reserve: only for records that other files are aggregated into. */
void *dsn__alloc_reserved(size_t size);

/* The mapping that the arena lies in, registered by survive/survival.c when it is made. */
struct dsn_backing {
    /* Ensures that `size` bytes from `at` on have backing store: on a full file system the next store would raise
     * SIGBUS. If the file system is full, everything from there to `end` (page-aligned) is permanently replaced by
     * anonymous memory; returns where that begins, NULL if nothing was replaced. */
    char *(*populate)(char *at, size_t size, const char *end);
    /* Whether the file system of the survival file has so much room that half of it, or 1 GiB, stays free. */
    bool (*has_room)(size_t size);
    /* Replaces whole pages of the survival file by zeroed anonymous memory. Returns false if that fails. */
    bool (*make_anonymous)(char *at, size_t size);
};
extern const struct dsn_backing *dsn__backing __attribute__((visibility("hidden")));

/* Lowers `*in_file`, the bytes of the memory at `base` that are in the file, to those before `from`, which
 * dsn__backing->populate() returned. */
void dsn__limit_in_file(atomic_size_t *in_file, const char *base, const char *from);

#endif

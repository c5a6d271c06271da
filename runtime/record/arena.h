/* arena.h - the parts of the arena that are kept: for files that are known already, for records of mount points
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_ARENA_H
#define DSN_RECORD_ARENA_H

#include <stdatomic.h>
#include <stddef.h>

struct dsn_arena {
    char *base;
    size_t size, wanted;
    size_t first;          /* where records begin: before them is room for the table of names */
    atomic_size_t reserve; /* bytes kept for records of mount points, which are made when the rest is full */
    atomic_size_t used;
    atomic_size_t promised; /* bytes kept for the accesses of files that have had none so far */
    atomic_size_t in_file;  /* bytes that are in the survival file: up to there it is found by others */
    atomic_size_t present;  /* bytes that the kernel has been asked to have in memory */
};

/* Part of what life/state.h composes. */
extern struct dsn_arena *const dsn__arena __attribute__((visibility("hidden")));

/* All of it is there to be taken, for the first time or once more: then nobody uses what was taken. */
void dsn__arena_start(struct dsn_arena *a);

/* `size` zeroed bytes of the arena, 8-aligned, and from 200 bytes on aligned to a line of cache, or NULL when the
 * ordinary part is used up. Never freed. */
void *dsn__alloc(size_t size);

/* So many bytes more can be taken without a system call. */
void dsn__alloc_prepare(size_t size);

/* As dsn__alloc, but leaves what has been promised: for what a file needs that is seen for the first time. */
void *dsn__alloc_file(size_t size);

/* Keeps so many bytes for the accesses of a file that is seen for the first time; up to a quarter of the arena is kept
 * so. 0: there is nothing left to promise. */
int dsn__alloc_promise(size_t size);

/* Memory for the accesses of a file: what was promised for it, or, where nothing was, what is not promised to
 * others. */
void *dsn__alloc_access(size_t size, int promised);

/* As dsn__alloc, but also from the reserve: only for records that other files are aggregated into. */
void *dsn__alloc_reserved(size_t size);

/* What the arena lies in answers these: survive/survival.c. */

/* Makes sure that `size` bytes from `at` on can be written to: a full file system would otherwise kill the process at
 * its next store. Where it is full all from there to `end`, where pages end, becomes memory of this process for good:
 * returns where that begins, NULL: nowhere. In a sandbox nothing is done. */
char *dsn__survival_have(char *at, size_t size, const char *end);

/* What that has returned, of memory that begins at `base`. */
void dsn__note_left(atomic_size_t *in_file, const char *base, const char *left);

/* Takes whole pages out of the survival file: they are memory of this process from now on, and zero. 0: that was
 * refused. */
int dsn__survival_leave_out(char *at, size_t size);

#endif

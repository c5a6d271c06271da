/* auxiliary.h - memory outside of the arena: the bins of heat maps, and what traces are kept in
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Mapped together with the arena; what is never used takes no memory. */
#ifndef DSN_SHARED_AUXILIARY_H
#define DSN_SHARED_AUXILIARY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"

#define DSN_TRACE_MEMORY  ((size_t)2 << 20) /* bytes for each module's traces, unless MAX_RECORDS says otherwise */
#define DSN_TRACE_THREADS 512
#define DSN_HEAT_PAGES    4 /* times 64; see heatmap.h */

enum dsn_tracing { DSN_TRACE_POSIX, DSN_TRACE_MPIIO, DSN_NTRACES };

#define DSN_COLLECTING (1 << DSN_NTRACES) /* beside the modules that are traced: every call goes to a file (calls.h) */

enum dsn_heat_of { DSN_HEAT_POSIX, DSN_HEAT_MPIIO, DSN_HEAT_STDIO, DSN_NHEATS };

#define DSN_HEAT_LEVELS 24 /* twofold widenings: after them a bin is 19 days */
#define DSN_HEAT_BINS   (200 + DSN_HEAT_LEVELS * 100)

/* Bins of one time are in one page whatever is counted in them: a process that runs for a few seconds has one page. */
#define DSN_HEAT_TOGETHER (DSN_PAGE / (DSN_NHEATS * 2 * sizeof(int64_t)))
#define DSN_HEAT_BYTES    ((DSN_HEAT_BINS + DSN_HEAT_TOGETHER - 1) / DSN_HEAT_TOGETHER * DSN_PAGE)

struct dsn_auxiliary_pool {
    char *base;
    size_t size;
    atomic_size_t used;
    atomic_size_t in_file; /* as in record/arena.h */
    atomic_size_t present; /* bytes that the kernel has been asked to have in memory */
};

struct dsn_auxiliary {
    int tracing;                                    /* bit: enum dsn_tracing; DSN_COLLECTING */
    _Atomic(int64_t) *heat;                         /* see heatmap.c; NULL: there are none */
    _Atomic(uint64_t) heat_present[DSN_HEAT_PAGES]; /* bit: page of them that can be stored to */
    _Atomic(uint64_t) heat_left[DSN_HEAT_PAGES];    /* bit: page of them that is not in the survival file */
    struct dsn_auxiliary_pool trace[DSN_NTRACES];
    atomic_llong untraced;      /* operations on files for whose trace there was no memory at all */
    int threads_left;           /* these are not in the survival file: */
    _Atomic(uintptr_t) *thread; /* pthread_self() of those that have traced something; [0]: unused; NULL: no traces */
};

/* Bytes that the settings ask for. */
size_t dsn__auxiliary_size(void);

/* Lays them out at `base`, and sets dsn__auxiliary->tracing. */
void dsn__auxiliary_start(char *base, size_t size);

/* Whether all that has been taken is in the survival file. */
int dsn__auxiliary_is_in_file(void);

/* Nothing is in them any more. */
void dsn__auxiliary_start_again(void);

/* Before the first store to a page of the heat maps. 0: there is no memory for it. */
int dsn__heat_have(const void *at);

/* The same of a survival file that has been read: all of it is there. */
void dsn__heat_note(struct dsn_auxiliary *s, const void *at);

/* What will be needed is there, for a process that can make no system calls any more. */
void dsn__auxiliary_prepare(void);

/* Whether something may have been added to a page that is not in the survival file. */
int dsn__heat_is_left(const struct dsn_auxiliary *s);

/* The number of the first page of the heat maps, from `page` on, that was ever written to; SIZE_MAX: none was. */
size_t dsn__heat_next_had(const struct dsn_auxiliary *s, size_t page);

/* `size` zeroed bytes (a multiple of 8) of a pool down to its last `keep` bytes; NULL: there are not so many. */
void *dsn__auxiliary_take(struct dsn_auxiliary_pool *pool, size_t size, size_t keep);

/* Part of what life/state.h composes. */
extern struct dsn_auxiliary *const dsn__auxiliary __attribute__((visibility("hidden")));

#endif

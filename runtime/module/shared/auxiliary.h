/* auxiliary.h - buffers outside of the arena: heat-map bins, and traces
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Mapped together with the arena; untouched parts take no memory. */
#ifndef DSN_SHARED_AUXILIARY_H
#define DSN_SHARED_AUXILIARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"

#define DSN_TRACE_MEMORY  ((size_t)2 << 20) /* bytes per traced module, unless MAX_RECORDS says otherwise */
#define DSN_TRACE_THREADS 512
#define DSN_HEAT_WORDS    4 /* words of the bitmaps, 64 pages each; see heatmap.h */

enum dsn_tracing { DSN_TRACE_POSIX, DSN_TRACE_MPIIO, DSN_NTRACES };

#define DSN_TRACING_CALLS (1 << DSN_NTRACES) /* besides the traced modules: every call is logged to a file (calls.h) */

enum dsn_heat_of { DSN_HEAT_POSIX, DSN_HEAT_MPIIO, DSN_HEAT_STDIO, DSN_HEAT_DFS, DSN_HEAT_DAOS, DSN_NHEATS };

#define DSN_HEAT_LEVELS 24 /* doublings of the bin width: at the last a bin covers 19 days */
#define DSN_HEAT_BINS   (200 + DSN_HEAT_LEVELS * 100)

/* Bins of three maps for the same time lie on one page: a process that runs for a few seconds touches one page. Those of the
 * others, which few programs have, lie behind all of them. */
#define DSN_HEAT_GROUP    3
#define DSN_HEAT_TOGETHER (DSN_PAGE / (DSN_HEAT_GROUP * 2 * sizeof(int64_t)))
#define DSN_HEAT_EACH     ((DSN_HEAT_BINS + DSN_HEAT_TOGETHER - 1) / DSN_HEAT_TOGETHER) /* pages of a group */
#define DSN_HEAT_BYTES    ((DSN_NHEATS + DSN_HEAT_GROUP - 1) / DSN_HEAT_GROUP * DSN_HEAT_EACH * DSN_PAGE)

struct dsn_auxiliary_pool {
    char *base;
    size_t size;
    atomic_size_t used;
    atomic_size_t in_file; /* as in record/arena.h */
    atomic_size_t present; /* bytes that have been populated */
};

struct dsn_auxiliary {
    int tracing;                                      /* bitmap: enum dsn_tracing; DSN_TRACING_CALLS */
    _Atomic(int64_t) *heat;                           /* see heatmap.c; NULL: none */
    _Atomic(uint64_t) heat_present[DSN_HEAT_WORDS];   /* bitmap: pages that have been populated */
    _Atomic(uint64_t) heat_anonymous[DSN_HEAT_WORDS]; /* bitmap: pages that are not in the survival file */
    struct dsn_auxiliary_pool trace[DSN_NTRACES];
    atomic_llong untraced;      /* operations on files for whose trace there was no memory */
    int threads_are_anonymous;  /* the following are not in the survival file: */
    _Atomic(uintptr_t) *thread; /* pthread_self() of threads that have traced something; [0]: unused; NULL: no traces */
};

/* Bytes needed under the current settings. */
size_t dsn__auxiliary_size(void);

/* Lays the buffers out at `base`, and sets dsn__auxiliary->tracing. */
void dsn__auxiliary_start(char *base, size_t size);

/* Whether everything allocated is in the survival file. */
bool dsn__auxiliary_is_in_file(void);

/* Empties all buffers. */
void dsn__auxiliary_start_again(void);

/* Populates a page of the heat maps before the first store. */
void dsn__heat_populate(const void *at);

/* The same for a survival file that has been read, where every page is present. */
void dsn__heat_note(struct dsn_auxiliary *s, const void *at);

/* Whether anything may have been added to a page that is not in the survival file. */
bool dsn__heat_is_anonymous(const struct dsn_auxiliary *s);

/* The first page of the heat maps, from `page` on, that was ever written to; SIZE_MAX: none. */
size_t dsn__heat_next_had(const struct dsn_auxiliary *s, size_t page);

/* Allocates `size` zeroed bytes (a multiple of 8) from a pool, leaving its last `keep` bytes; NULL if there are not
 * enough. */
void *dsn__auxiliary_take(struct dsn_auxiliary_pool *pool, size_t size, size_t keep);

/* Member of the state that life/state.h composes. */
extern struct dsn_auxiliary *const dsn__auxiliary __attribute__((visibility("hidden")));

#endif

/* side.h - memory outside of the arena: the bins of heat maps, and what traces are kept in
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Mapped together with the arena; what is never used takes no memory. */
#ifndef DSN_CORE_SIDE_H
#define DSN_CORE_SIDE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DSN_TRACE_MEMORY  ((size_t)2 << 20) /* bytes for each module's traces, unless MAX_RECORDS says otherwise */
#define DSN_TRACE_THREADS 512
#define DSN_HEAT_PAGES    4 /* times 64; see heatmap.h */

enum dsn_tracing { DSN_TRACE_POSIX, DSN_TRACE_MPIIO, DSN_NTRACES };

struct dsn_side_pool {
    char *base;
    size_t size;
    atomic_size_t used;
    atomic_size_t present; /* bytes that the kernel has been asked to have in memory */
};

struct dsn_side {
    _Atomic(int64_t) *heat;                         /* see heatmap.c; NULL: there are none */
    _Atomic(uint64_t) heat_present[DSN_HEAT_PAGES]; /* bit: page of them that can be stored to */
    struct dsn_side_pool trace[DSN_NTRACES];
    atomic_llong untraced;      /* operations on files for whose trace there was no memory at all */
    _Atomic(uintptr_t) *thread; /* pthread_self() of those that have traced something; [0]: unused; NULL: no traces */
};

/* Bytes that the settings ask for. */
size_t dsn__side_size(void);

/* Lays them out at `base`, and sets dsn__state.tracing. */
void dsn__side_start(char *base, size_t size);

/* Before the first store to a page of the heat maps. 0: there is no memory for it. */
int dsn__heat_have(const void *at);

/* What will be needed is there, for a process that can make no system calls any more. */
void dsn__side_prepare(void);

/* Whether there has been one. */
int dsn__heat_is_had(const void *at);

/* The first page of the heat maps from number `page` on that there has been one to; SIZE_MAX: there is none. */
size_t dsn__heat_next_had(size_t page);

/* `size` zeroed bytes (a multiple of 8) of a pool down to its last `keep` bytes; NULL: there are not so many. */
void *dsn__side_take(struct dsn_side_pool *pool, size_t size, size_t keep);

#endif

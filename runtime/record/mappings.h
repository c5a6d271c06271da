/* mappings.h - where in the process's memory which files are mapped
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A table of the mappings of recorded files, which every munmap asks: most are of other memory, and cost two comparisons.
 * It is in memory of the process's own, so that a forked child has a copy (record/inherit.h). Of mappings beyond its size
 * the end is not noticed. */
#ifndef DSN_RECORD_MAPPINGS_H
#define DSN_RECORD_MAPPINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/module.h"

#define DSN_MAPPINGS 1024

struct dsn_mapping {
    uintptr_t begin, end;        /* addresses; equal: none */
    uintptr_t known;             /* where the part of it ends that its record counts by its length */
    int64_t offset;              /* of `begin` in the file */
    struct dsn_record_state *of; /* its record of DSN_INDEX_MAPPED */
    bool is_writable;            /* stores reach the file */
    bool shows_stores;           /* a page is dirty only if it has been written to */
};

struct dsn_mappings {
    dsn_lock lock;
    _Atomic(uintptr_t) lowest, highest; /* all are between these */
    struct dsn_mapping *at;             /* NULL, or DSN_MAPPINGS */
    int used;                           /* later ones are free */
};
extern struct dsn_mappings dsn__mappings __attribute__((visibility("hidden")));

/* Whether there may be a mapping at one of these addresses. */
static inline bool dsn__mappings_may_have(const void *at, size_t size)
{
    const uintptr_t begin = (uintptr_t)at;

    return begin < atomic_load_explicit(&dsn__mappings.highest, memory_order_relaxed) && size > 0 &&
           begin + (size - 1) >= atomic_load_explicit(&dsn__mappings.lowest, memory_order_relaxed);
}

/* Returns false if there is no room. */
bool dsn__mappings_add(const struct dsn_mapping *m);

/* Removes what of one mapping is at these addresses and returns it in `piece`; false: there is none, or no more. */
bool dsn__mappings_take(uintptr_t begin, uintptr_t end, struct dsn_mapping *piece);

/* The first mapping at place `*next` of the table or after it; false: there is none. */
bool dsn__mappings_next(int *next, struct dsn_mapping *m);

/* For a process that begins to record again: the mapping at that place has another record; NULL: none. */
void dsn__mappings_give_record(int place, struct dsn_record_state *of);

#endif

/* names.h - all names and records of the process, and counts of what was not recorded
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_NAMES_H
#define DSN_RECORD_NAMES_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "record/aggregated.h"
#include "record/module.h"

/* Initial sizes of the table of names and of the cache of known names, and the size of the latter when there are more:
 * powers of two. */
#define DSN_FEW_NAMES 64
#define DSN_FEW_KNOWN 64
#define DSN_KNOWN     1024

struct dsn_names {
    dsn_lock lock;         /* guards registration of names, records, pages of descriptors, and handles */
    uint64_t *entry;       /* hash table of names by id, see record.c: local to this process, not in the survival
                            * file */
    size_t nentries, most; /* used entries, and capacity: powers of two */
    int is_filled;         /* the table contains all names */
    size_t nnames;
    struct dsn_name *first, **last;
    struct dsn_record_state *first_state[DSN_NMODULES], **last_state[DSN_NMODULES];
    unsigned count[DSN_NMODULES]; /* shards of records not counted */
    size_t in_shards;             /* bytes of the arena */
};

/* What the log lacks, and reports as missing. */
struct dsn_incomplete {
    atomic_llong missed;           /* calls and records that could not be counted */
    atomic_llong aggregated;       /* times that a file was aggregated into the record of its kind */
    atomic_ullong partial;         /* bit: module id */
    struct dsn_aggregated lacking; /* which files, and settings that would have avoided it; guarded by names.lock */
};

/* Calls that the format's records have no counter for. */
enum dsn_recordless { DSN_DELETES, DSN_RENAMES, DSN_OTHER_METAS, DSN_MAP_SYNCS, DSN_NRECORDLESS };

struct dsn_call_sum {
    atomic_llong calls, ticks;
};

/* Lookup structures for names; local to this process, not in the survival file. */
struct dsn_lookup {
    uint64_t few_names[DSN_FEW_NAMES];          /* the table, until it grows */
    atomic_int are_many_known;                  /* dsn__known is used instead of `few_known` */
    _Atomic(uint64_t) few_known[DSN_FEW_KNOWN]; /* cache by hash of the name: read without the lock; lossy */
    /* guarded by names.lock: */
    char scratch[PATH_MAX]; /* the name being looked up */
    char pattern[PATH_MAX]; /* that of files of its kind */
    unsigned spare;         /* bytes that a new name gets behind it: see dsn__record_by_id */
    struct dsn_aggregated_set aggregated;
};

/* Members of the state that life/state.h composes. */
extern struct dsn_names *const dsn__names __attribute__((visibility("hidden")));
extern struct dsn_incomplete *const dsn__incomplete __attribute__((visibility("hidden")));
extern struct dsn_call_sum *const dsn__recordless __attribute__((visibility("hidden"))); /* DSN_NRECORDLESS */
extern struct dsn_lookup *const dsn__lookup __attribute__((visibility("hidden")));
extern _Atomic(uint64_t) *const dsn__known __attribute__((visibility("hidden"))); /* DSN_KNOWN */
extern char **const dsn__late_records __attribute__((
    visibility("hidden"))); /* by module: memory for records that are created only when the log is written
                             * (dsn__pages) */

#endif

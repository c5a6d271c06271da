/* names.h - all names and records of the process, and what was not recorded
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_NAMES_H
#define DSN_RECORD_NAMES_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "record/aggregated.h"
#include "record/module.h"

/* Entries of the table of names, and of those that are known, to begin with, and of the latter when there are more
 * names: powers of two. */
#define DSN_FEW_NAMES 64
#define DSN_FEW_KNOWN 64
#define DSN_KNOWN     1024

struct dsn_names {
    dsn_lock lock;         /* guards registration of files, records, descriptors' pages and handles */
    uint64_t *entry;       /* the names by their ids, see record.c: of this process only, in no survival file */
    size_t nentries, most; /* that are used, and that there is room for: powers of two */
    int is_filled;         /* all names are in it */
    size_t nfiles;
    struct dsn_file *first, **last;
    struct dsn_record_state *first_state[DSN_NMODULES], **last_state[DSN_NMODULES];
    unsigned count[DSN_NMODULES];
};

/* What the log will lack, and says that it lacks. */
struct dsn_incomplete {
    atomic_llong missed;           /* calls and records that could not be counted */
    atomic_llong aggregated;       /* files that were counted in the record of their mount point */
    atomic_ullong partial;         /* bit: module id */
    struct dsn_aggregated lacking; /* what would have kept files from being aggregated; guarded by names.lock */
};

/* Metadata calls for which the records of the format have no place. */
enum dsn_beside { DSN_DELETES, DSN_RENAMES, DSN_OTHER_METAS, DSN_NBESIDE };

struct dsn_call_sum {
    atomic_llong calls, ticks;
};

/* How names are looked for; of this process only, in no survival file. */
struct dsn_lookup {
    uint64_t few_names[DSN_FEW_NAMES];                   /* their table, until it grows */
    atomic_int are_many_known;                           /* dsn__known is used, not `few_known` */
    _Atomic(struct dsn_file *) few_known[DSN_FEW_KNOWN]; /* by a hash of their names: found without the lock; lossy */
    char scratch[PATH_MAX];                              /* the name that is being looked for; guarded by names.lock */
};

/* Parts of what life/state.h composes. */
extern struct dsn_names *const dsn__names __attribute__((visibility("hidden")));
extern struct dsn_incomplete *const dsn__incomplete __attribute__((visibility("hidden")));
extern struct dsn_call_sum *const dsn__beside __attribute__((visibility("hidden"))); /* DSN_NBESIDE */
extern struct dsn_lookup *const dsn__lookup __attribute__((visibility("hidden")));
extern _Atomic(struct dsn_file *) *const dsn__known __attribute__((visibility("hidden"))); /* DSN_KNOWN */
extern char **const dsn__late_records __attribute__((
    visibility("hidden"))); /* by module: memory for what had no record until the log was made (dsn__pages) */

#endif

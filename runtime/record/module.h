/* module.h - the interface of a module, and what all records have in common
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * But for the list below nothing in this folder names a module: modules describe themselves in tables (module/modules.c). */
#ifndef DSN_RECORD_MODULE_H
#define DSN_RECORD_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"

#define DSN_NO_MODULE (DSN_MODULE_SLOTS - 1) /* stands for the id of what has none in the log */

/* Modules that have records at run time, in the order of their ids in the log. */
enum dsn_module_index {
    DSN_INDEX_POSIX,
    DSN_INDEX_MPIIO,
    DSN_INDEX_H5F,
    DSN_INDEX_H5D,
    DSN_INDEX_PNETCDF_FILE,
    DSN_INDEX_PNETCDF_VAR,
    DSN_INDEX_LUSTRE,
    DSN_INDEX_STDIO,
    DSN_INDEX_DXT_POSIX,
    DSN_INDEX_DXT_MPIIO,
    DSN_INDEX_APMPI,
    DSN_INDEX_HEATMAP,
    DSN_INDEX_DFS,
    DSN_INDEX_DAOS,
    DSN_INDEX_PHASE, /* this and what follows is no module of the log, but a part of its extension section */
    DSN_INDEX_MAPPED,
    DSN_INDEX_SITE,
    DSN_INDEX_CUFILE,
    DSN_NMODULES
};

struct dsn_record_state;
struct dsn_shards;
struct dsn_recording;
struct dsn_salvaged;

/* How much of a record could be salvaged from a survival file. */
enum dsn_salvage_result { DSN_LOST, DSN_IN_PART, DSN_WHOLE };

/* dsn__alloc, or an allocator that may use the reserve. */
typedef void *(*dsn_allocator)(size_t size);

/* How records of a name that all ranks opened are stored in the log. */
enum dsn_record_sharing {
    DSN_REDUCED,  /* one record, the reduction of all ranks' records */
    DSN_ANY_RANK, /* one record, rank 0's: all are identical */
    DSN_ALL_RANKS /* one record per rank */
};

/* One of a record's most frequent values, and its count. */
struct dsn_value_count {
    int64_t value, count;
};
#define DSN_VALUES_MAX 32 /* values tracked per record */

struct dsn_module_info {
    unsigned id;       /* enum dsn_module */
    size_t state_size; /* bytes of the module's struct, which begins with a struct dsn_record_state; the record is not
                     * included */
    size_t need_size;  /* 0, or: the module allocates `rec` on demand, preceded by this many bytes of its own data; a
                       * record that was never needed is allocated at shutdown */
    enum dsn_record_sharing sharing;
    int path_named;          /* names are paths: the list of excluded prefixes applies */
    int is_never_aggregated; /* if memory is full, a new name is dropped instead of being aggregated into its mount
                              * point's record */
    bool may_use_reserve;    /* its records are few: then they take the reserve */
    /* NULL, or: initialises fields of a new record that do not start at zero. `all_at_once`: it must never
     * need memory later, for it is of many files, or a shard. Returns false if there is not enough memory. */
    bool (*init)(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once);
    /* NULL, or, before the module's records are finalized: creates records that can be created only now, drops those
     * that are not for the log. Those of modules earlier in the list are final by then; if this one `is_last`, those of all
     * others. Here and below `r` contains the records, and need not be this process's. */
    void (*choose)(const struct dsn_recording *r);
    /* NULL, or, directly before `finalize`, and so before `choose` of later modules: applies deferred updates. */
    void (*flush)(struct dsn_record_state *state, const struct dsn_recording *r);
    /* Last: computes what was deferred; changes nothing but the record. Times stay ticks, which become seconds after it
     * (record/finalize.c). */
    void (*finalize)(struct dsn_record_state *state, const struct dsn_recording *r);
    void (*agreed)(struct dsn_record_state *state,
                   int64_t ended); /* NULL, or: called when the end of all ranks is known (struct dsn_run) */
    bool (*wanted)(const struct dsn_rec *rec); /* NULL, or: whether the record goes into the log */
    /* NULL, or, for a record of another process that is present together with its file's name: checks whether what
     * belongs to it is, too. Parts that it can do without are cleared. */
    enum dsn_salvage_result (*salvage)(struct dsn_record_state *state, const struct dsn_salvaged *r);
    bool times_add_up; /* the times of a record and its shards are sums over threads (see record/shards.h) */
    bool is_last;      /* its records are made from those of all others, and finalized after them */
    bool (*is_used)(const struct dsn_record_state *state); /* NULL, or: whether this process has used the record */
    /* NULL, or: the frequent values of a final record, whose first four are at v[at], in no order; 0: the record has
     * all of them. */
    unsigned (*values)(const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX]);
    /* NULL, or: writes what follows the record in the log to `out` (NULL: only counts). Returns its size in bytes. */
    size_t (*tail)(const struct dsn_record_state *state, const struct dsn_recording *r, void *out);
    /* If there is a tail: stores what another process needs to rebuild it, as for tail (NULL: the tail itself);
     * restores it into a zeroed struct that refers to these bytes; and merges `theirs`, which stays valid, into `mine`
     * (NULL: cannot be merged). */
    size_t (*store)(const struct dsn_record_state *state, const struct dsn_recording *r, void *out);
    void (*load)(struct dsn_record_state *state, const void *bytes, size_t size);
    void (*join)(struct dsn_record_state *mine, struct dsn_record_state *theirs);
};

extern const struct dsn_module_info *const dsn__modules[DSN_NMODULES];

/* The values of a record of the module while it is counted; NULL: a trace, which has none. */
const struct dsn_table *dsn__counted_table(enum dsn_module_index module);

/* Bytes of such a record, and of what the module's region of the log has of it, both without its tail. */
size_t dsn__record_size(enum dsn_module_index module);
size_t dsn__logged_size(enum dsn_module_index module);

/* The name of what records are about, mostly of a file, and its id; the records of all modules have it in common. Never
 * freed while the library is enabled. */
struct dsn_name {
    uint64_t id;
    struct dsn_name *next;                      /* next in order of registration */
    _Atomic(struct dsn_record_state *) records; /* of all modules, the oldest first: most names have one or two */
    char text[];                                /* cleaned path, NUL-terminated */
};

/* A lock: 0 if free, else its owner (see lock.c). */
typedef atomic_uintptr_t dsn_lock;

/* A module's record while the program runs. The lock guards the record and the module's state around it. */
struct dsn_record_state {
    dsn_lock lock;
    struct dsn_name *name;
    struct dsn_record_state *next;                   /* next record of this module, in order of registration */
    _Atomic(struct dsn_record_state *) next_of_name; /* next record of this name; not for a shard of one */
    enum dsn_module_index module;                    /* only of what is among the records of its name */
    struct dsn_rec *rec;                             /* may be NULL if the module has a need_size */
    _Atomic(struct dsn_shards *) shards;             /* NULL, or, of a contended record: see record/shards.h */
};

/* The record that a module has of a name; NULL: none. Needs no lock. */
static inline struct dsn_record_state *dsn__name_record(const struct dsn_name *name, enum dsn_module_index module)
{
    struct dsn_record_state *record = atomic_load_explicit(&name->records, memory_order_acquire);

    while (record && record->module != module)
        record = atomic_load_explicit(&record->next_of_name, memory_order_acquire);
    return record;
}

/* Adds a record to those of its name. The caller holds the lock of the names, or is the only thread; here and below. */
void dsn__name_add_record(struct dsn_name *name, enum dsn_module_index module, struct dsn_record_state *state);

/* Only while the log is written: others may be reading it before. */
void dsn__name_drop_record(struct dsn_name *name, const struct dsn_record_state *state);

#endif

/* module.h - what a module tells of its records, and what all records have
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing in this folder knows a module by name: they describe themselves (module/modules.c). */
#ifndef DSN_RECORD_MODULE_H
#define DSN_RECORD_MODULE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"

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
    DSN_NMODULES
};

struct dsn_record_state;
struct dsn_open;
struct dsn_recording;
struct dsn_salvaged;

/* How much of a record is left in a survival file. */
enum dsn_left_of { DSN_LOST, DSN_IN_PART, DSN_WHOLE };

/* dsn__alloc, or what may use the last of the arena. */
typedef void *(*dsn_allocator)(size_t size);

/* What the log has of a name of which all ranks have a record. */
enum dsn_sharing {
    DSN_REDUCED,  /* one record, made out of all */
    DSN_ANY_RANK, /* one record, rank 0's: all are alike */
    DSN_ALL_RANKS /* every rank's own */
};

/* One of a record's frequent values, and how often it occurred. */
struct dsn_value_count {
    int64_t value, count;
};
#define DSN_VALUES_MAX 32 /* that are followed a record */

struct dsn_module_info {
    unsigned id; /* enum dsn_module */
    size_t
        state_size; /* bytes of the module's struct that begins with a struct dsn_record_state, the record not included */
    size_t need_size; /* 0, or: the module takes memory for `rec` when it needs it, with so many bytes of its own before
                       * it; a record that never needed it gets it at shutdown */
    enum dsn_sharing sharing;
    int path_named;          /* names are paths: the list of excluded prefixes applies */
    int is_never_aggregated; /* a name for which there is no memory has no record, instead of its mount point's */
    /* NULL, or: sets what a new record does not start from zero with. `aggregated_into`: it is the one of a mount
     * point, and must never lack memory later. 0: there is not enough. */
    int (*init)(struct dsn_record_state *state, dsn_allocator alloc, int aggregated_into);
    /* NULL, or, before its records are finished: makes those that can only be made now, drops those that are not for
     * the log. Modules before it in the list are finished but for times. Here and below `r` is what the records are
     * part of: not always this process's. */
    void (*collect)(const struct dsn_recording *r);
    /* NULL, or, before that: what is noted now and then anyway. */
    void (*flush)(struct dsn_record_state *state, const struct dsn_recording *r);
    /* Then: what could wait; nothing else than the record is changed. */
    void (*finalize)(struct dsn_record_state *state, const struct dsn_recording *r);
    void (*agreed)(struct dsn_record_state *state,
                   int64_t ended);            /* NULL, or: when that of all ranks is known (struct dsn_run) */
    int (*wanted)(const struct dsn_rec *rec); /* NULL, or whether the record goes into the log */
    /* NULL, or, of another process's record, which is there itself, as its file's name is: whether what belongs to it
     * is. What a part can do without is forgotten. */
    enum dsn_left_of (*salvage)(struct dsn_record_state *state, const struct dsn_salvaged *r);
    int (*is_used)(
        const struct dsn_record_state *state); /* NULL, or whether this process has done anything with it so far */
    /* NULL, or: frequent values of which the record, which is finished, has the first four at v[at], in no order; 0: it
     * has all that there are. */
    unsigned (*values)(const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX]);
    /* NULL, or: what stands behind the record in the log, into `out` (NULL: into nothing). Returns its bytes. */
    size_t (*tail)(const struct dsn_record_state *state, const struct dsn_recording *r, void *out);
    /* Where there is a tail: what another process makes it of, as for tail (NULL: the tail itself); a struct that was
     * zero gets it back out of these bytes, which stay; and `theirs`, which stays, is added to what `mine` has (NULL:
     * there is nothing to add). */
    size_t (*store)(const struct dsn_record_state *state, const struct dsn_recording *r, void *out);
    void (*load)(struct dsn_record_state *state, const void *bytes, size_t size);
    void (*join)(struct dsn_record_state *mine, struct dsn_record_state *theirs);
};

extern const struct dsn_module_info *const dsn__modules[DSN_NMODULES];

/* Bytes of a record of the module, without what stands behind it. */
size_t dsn__record_size(enum dsn_module_index module);

/* What they do when they are told, all together: module/modules.c. */

/* What modules do when the library has been switched on (the standard streams get their records). */
void dsn__modules_start(void);

/* A forked child has the descriptor `fd` of the file `name` from its parent. Returns the description, or NULL. */
struct dsn_open *dsn__modules_inherit(int fd, const char *name);

/* The file of a descriptor that the process was given, asked for at its first use. Returns the description, or NULL: it
 * is none that is counted. */
struct dsn_open *dsn__modules_identify(int fd);

/* A name and its id; one for all modules that have a record of it. Never freed while the library is on. */
struct dsn_file {
    uint64_t id;
    struct dsn_file *next; /* next in order of registration */
    _Atomic(struct dsn_record_state *) state[DSN_NMODULES];
    char name[]; /* cleaned path, NUL-terminated */
};

/* A lock: 0 free, else its owner's thread (see lock.c). */
typedef atomic_uintptr_t dsn_lock;

/* A module's record while it is being counted. The lock guards the record and the module's state around it. */
struct dsn_record_state {
    dsn_lock lock;
    struct dsn_file *file;
    struct dsn_record_state *next; /* next of this module, in the same order */
    struct dsn_rec *rec;           /* may be NULL where the module has a need_size */
};

#endif

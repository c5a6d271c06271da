/* core.h - all that a module, a wrapper or the shutdown may ask the core for
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The core owns the memory (one bounded arena), the records and their names, the table of file descriptors, the
 * clock, and the library's life: off -> on -> draining -> off. It knows no module by name: modules describe
 * themselves in module/modules.c.
 */
#ifndef DSN_CORE_H
#define DSN_CORE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "survive/remains.h"
#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"

/* ------------------------------------------------------------------ modules */

/* Modules that have records at run time, in the order of their ids in the log. */
enum dsn_slot {
    DSN_SLOT_POSIX,
    DSN_SLOT_MPIIO,
    DSN_SLOT_H5F,
    DSN_SLOT_H5D,
    DSN_SLOT_PNETCDF_FILE,
    DSN_SLOT_PNETCDF_VAR,
    DSN_SLOT_LUSTRE,
    DSN_SLOT_STDIO,
    DSN_SLOT_DXT_POSIX,
    DSN_SLOT_DXT_MPIIO,
    DSN_SLOT_HEATMAP,
    DSN_NSLOTS
};

struct dsn_live;

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

struct dsn_slot_info {
    unsigned id;      /* enum dsn_module */
    size_t live_size; /* bytes of the module's struct that begins with a struct dsn_live, the record not included */
    size_t need_size; /* 0, or: the module takes memory for `rec` when it needs it, with so many bytes of its own before
                       * it; a record that never needed it gets it at shutdown */
    enum dsn_sharing sharing;
    int path_named;  /* names are paths: the list of excluded prefixes applies */
    int is_unfolded; /* a name for which there is no memory has no record, instead of its mount point's */
    /* NULL, or: sets what a new record does not start from zero with. `folded_into`: it is the one of a mount point,
     * and must never lack memory later. 0: there is not enough. */
    int (*init)(struct dsn_live *live, dsn_allocator alloc, int folded_into);
    void (*collect)(void); /* NULL, or, before its records are finished: makes those that can only be made now, drops
                            * those that are not for the log. Modules before it in the list are finished but for times */
    void (*settle)(struct dsn_live *live);    /* NULL, or, before that: what is noted now and then anyway */
    void (*finish)(struct dsn_live *live);    /* before the record is written: what could wait until then */
    void (*agreed)(struct dsn_live *live);    /* NULL, or: when dsn__state.ended is that of all ranks */
    int (*wanted)(const struct dsn_rec *rec); /* NULL, or whether the record goes into the log */
    /* NULL, or, of another process's record, which is there itself, as its file's name is: whether what belongs to it is. What
     * a part can do without is forgotten. */
    enum dsn_left_of (*mend)(struct dsn_live *live, const struct dsn_remains *r);
    int (*is_used)(const struct dsn_live *live); /* NULL, or whether this process has done anything with it so far */
    /* NULL, or: frequent values of which the record, which is finished, has the first four at v[at], in no order; 0: it has
     * all that there are. */
    unsigned (*values)(const struct dsn_live *live, int at, struct dsn_value_count out[DSN_VALUES_MAX]);
    /* NULL, or: what stands behind the record in the log, into `out` (NULL: into nothing). Returns its bytes. */
    size_t (*tail)(const struct dsn_live *live, void *out);
    /* Where there is a tail: what another process makes it of, as for tail (NULL: the tail itself); a struct that was
     * zero gets it back out of these bytes, which stay; and `theirs`, which stays, is added to what `mine` has (NULL:
     * there is nothing to add). */
    size_t (*store)(const struct dsn_live *live, void *out);
    void (*load)(struct dsn_live *live, const void *bytes, size_t size);
    void (*join)(struct dsn_live *mine, struct dsn_live *theirs);
};

extern const struct dsn_slot_info *const dsn__slots[DSN_NSLOTS];

/* Bytes of a record of the module, without what stands behind it. */
size_t dsn__record_size(enum dsn_slot slot);

/* ------------------------------------------------------------------ records */

/* A name and its id; one for all modules that have a record of it. Never freed while the library is on. */
struct dsn_file {
    uint64_t id;
    struct dsn_file *next; /* next in order of registration, but for what is in no image, which comes last */
    _Atomic(struct dsn_live *) live[DSN_NSLOTS];
    char name[]; /* cleaned path, NUL-terminated */
};

/* A lock: 0 free, else its owner's thread (see lock.c). */
typedef atomic_uintptr_t dsn_lock;

/* A module's record while it is being counted. The lock guards the record and the module's state around it. */
struct dsn_live {
    dsn_lock lock;
    struct dsn_file *file;
    struct dsn_live *next; /* next of this module, in the same order */
    struct dsn_rec *rec;   /* may be NULL where the module has a need_size */
};

/* The record of `slot` for a name, made if there is none. `path` is what the application gave: it is cleaned here
 * (spec runtime.md 5.1). NULL when it is excluded, or nothing can be recorded. When memory is used up the record is
 * the one that all further files of the same mount point share. */
struct dsn_live *dsn__record(enum dsn_slot slot, const char *path);

/* The same for a path that may be relative to a directory's descriptor, as openat has it. */
struct dsn_live *dsn__record_at(enum dsn_slot slot, int dirfd, const char *path);

/* The name with an id, or NULL. Caller holds the lock of the names, or is alone. */
struct dsn_file *dsn__file_by_id(uint64_t id);

/* The same if there is one already; none is made. */
struct dsn_live *dsn__record_known(enum dsn_slot slot, int dirfd, const char *path);

/* The record of `slot` for the regular file behind a descriptor, by what the kernel calls it, which is asked; NULL: it has
 * no path, or is excluded. `is_deleted`: it has no name any more. */
struct dsn_live *dsn__record_of_descriptor(enum dsn_slot slot, int fd, int is_deleted);

/* The record of `slot` for a name that another module knows already. */
struct dsn_live *dsn__record_of_file(enum dsn_slot slot, struct dsn_file *file);

/* When the log is being made: the record of a name that is not a path, made from the last of the memory; NULL if there
 * is not even that. */
struct dsn_live *dsn__record_late(enum dsn_slot slot, const char *name);

/* Takes a record out of its module's list, and the file's knowledge of it; `link` is what points to it there. The log
 * is being made. */
void dsn__record_drop(enum dsn_slot slot, struct dsn_live **link);

/* The record that stands for all files of the mount point of `file` for which there is no memory; NULL if there is not
 * even that. */
struct dsn_live *dsn__record_folded(enum dsn_slot slot, const struct dsn_file *file);

/* ------------------------------------------------------------------ memory */

/* `size` zeroed bytes of the arena, 8-aligned, and from 200 bytes on aligned to a line of cache, or NULL when the
 * ordinary part is used up. Never freed. */
void *dsn__alloc(size_t size);

/* ------------------------------------------------------------------ file descriptors and handles */

/* An open file description: what descriptors made by dup share. Guarded by the lock of its record, but when it becomes
 * another file's: then a thread that still uses a descriptor that the application has closed may see either, so that
 * all is loaded and stored in one piece (memory_order_relaxed will do). */
struct dsn_open {
    _Atomic(struct dsn_live *) live; /* the POSIX record */
    struct dsn_open *free_next;
    _Atomic(int64_t) offset; /* file position */
    atomic_int append;       /* writes go to the end of the file */
    atomic_int refs;         /* 0: free */
};

static inline struct dsn_live *dsn__open_live(const struct dsn_open *o)
{
    return atomic_load_explicit(&o->live, memory_order_relaxed);
}

/* What is known of a descriptor. Reading is lock-free. */
struct dsn_fd {
    _Atomic(struct dsn_open *) open;   /* NULL: not tracked by POSIX */
    _Atomic(struct dsn_live *) stream; /* STDIO record of the stream on it, or NULL */
    _Atomic(void *) owner;             /* that stream */
    _Atomic(int64_t) pushed;           /* bytes that were given back to it by ungetc, and not read again so far */
};

/* `fd` is from now on a new description of `live` (NULL: nothing that is tracked), whatever it was before: numbers
 * are closed in ways that are not seen. `own` is a description that lives with the record, taken if it is free.
 * Returns the description, or NULL. */
struct dsn_open *dsn__fd_set_open(int fd, struct dsn_live *live, struct dsn_open *own);

/* `fd` is from now on the description of `from`, which may be untracked. */
void dsn__fd_dup(int fd, int from);

/* The record of the stream `owner` on a descriptor; NULL: there is none that is tracked. It stays until the stream is
 * closed, whatever becomes of the descriptor underneath: dup2 onto 1 redirects stdout, but does not make it another
 * stream. Of several streams on one descriptor the last is known; NULL for another than that changes nothing. */
void dsn__fd_set_stream(int fd, void *owner, struct dsn_live *stream);

/* Descriptors below `n` (up to DSN_GIVEN) that are not known: the process may have had them when its records began. `live`
 * stands for what their files will turn out to be (dsn__fd_known). */
#define DSN_GIVEN 16
void dsn__fd_inherit(int n, struct dsn_live *live);

/* `fd` is closed, or about to be. Returns the POSIX record it belonged to, or NULL. */
struct dsn_live *dsn__fd_forget(int fd);
void dsn__fd_forget_range(unsigned first, unsigned last); /* both included */

/* A map from handles (pointers or numbers other than 0) to records; lookups are lock-free. */
#define DSN_HANDLE_BUCKETS 64
struct dsn_handle_node {
    _Atomic(uintptr_t) key; /* 0: free for reuse */
    _Atomic(void *) value;
    _Atomic(struct dsn_handle_node *) next;
};
struct dsn_handle_map {
    _Atomic(struct dsn_handle_node *) bucket[DSN_HANDLE_BUCKETS];
};

void *dsn__handle_get(struct dsn_handle_map *map, uintptr_t key);
void dsn__handle_set(struct dsn_handle_map *map, uintptr_t key, void *value);
void *dsn__handle_take(struct dsn_handle_map *map, uintptr_t key); /* removes it and returns what it was */

/* Zeroed memory for what lives as long as a handle; not from the arena, for handles do not compete with records. NULL
 * if there is none. What was given back is taken again from the same list, which holds things of one size. */
struct dsn_small {
    struct dsn_small *next;
};
void *dsn__small_take(struct dsn_small **free_list, size_t size);

/* For a process that can make no system calls any more. Caller holds the lock of the names. */
void dsn__small_prepare(void);

/* Gives back all that has been taken so, with what the table of descriptors is made of: of a former life, of which
 * nothing points there any more. */
void dsn__small_forget(void);
#define DSN_POOL_CHUNK ((size_t)64 * 1024)
void dsn__small_give(struct dsn_small **free_list, void *what);

/* ------------------------------------------------------------------ time */

/* Nanoseconds of a clock that never goes back. Calls are timed in ticks (clock.h). */
int64_t dsn__now(void);

/* ------------------------------------------------------------------ names and mounts */

/* Cleans `path` into `out` (of `size` bytes). 0 if it does not fit or the working directory is not known. */
int dsn__clean_path(const char *path, char *out, size_t size);

/* Block size of the file system that the file `name` is on, which `fd` is open on if it is not -1, for alignment counts; -1
 * if there is none. It is asked for at the first file of each mount point; of each file where there is no table of them. */
int64_t dsn__block_size(const char *name, int fd);

/* ------------------------------------------------------------------ talking */

/* Remembers what descriptor 2 is, at the start of the process: later it may be a file of the application, in which our
 * lines have no business. */
void dsn__know_stderr(void);

/* One line on stderr, "darshan: ...": for what costs the user the log or a setting. */
void dsn__warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text of whole lines that the user asked for, on stderr; given up if nobody reads it. */
void dsn__print(const char *text, size_t size);

/* One line on stderr if DARSHAN_VERBOSE is set. */
void dsn__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

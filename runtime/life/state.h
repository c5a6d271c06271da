/* state.h - the one struct that holds all mutable state of the library
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_STATE_H
#define DSN_STATE_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/clock.h"
#include "config/config.h"
#include "record/core.h"
#include "survive/family.h"
#include "record/folded.h"
#include "survive/image.h"
#include "config/mounts.h"
#include "config/origin.h"
#include "record/pending.h"
#include "module/shared/side.h"

struct dsn_mpi;

enum dsn_mode {
    DSN_OFF,      /* wrappers pass everything on */
    DSN_STARTING, /* still passing on */
    DSN_ON,
    DSN_DRAINING /* the log is being made: wrappers pass on, notes under way give up at the next lock */
};

#define DSN_FD_PAGES     2048
#define DSN_FDS_PER_PAGE 512 /* together: descriptors up to 1,048,575 */

struct dsn_arena {
    char *base;
    size_t size, wanted;
    size_t first;          /* where records begin: before them is room for the table of names */
    atomic_size_t reserve; /* bytes kept for records of mount points, which are made when the rest is full */
    atomic_size_t used;
    atomic_size_t promised; /* bytes kept for the accesses of files that have had none so far */
    atomic_size_t present;  /* bytes that the kernel has been asked to have in memory */
};

/* Entries of the table of names, and of those that are known, to begin with, and of the latter when there are more names:
 * powers of two. */
#define DSN_FEW_NAMES 64
#define DSN_FEW_KNOWN 64
#define DSN_KNOWN     1024

struct dsn_names {
    dsn_lock lock;         /* guards registration of files, records, descriptors' pages and handles */
    uint64_t *entry;       /* the names by their ids, see record.c: of this process only, in no image */
    size_t nentries, most; /* that are used, and that there is room for: powers of two */
    int is_filled;         /* all names are in it */
    size_t nfiles;
    struct dsn_file *first, **last;
    struct dsn_live *live_first[DSN_NSLOTS], **live_last[DSN_NSLOTS];
    unsigned count[DSN_NSLOTS];
};

/* Metadata calls for which the records of the format have no place. */
enum dsn_beside { DSN_DELETES, DSN_RENAMES, DSN_OTHER_METAS, DSN_NBESIDE };

struct dsn_call_sum {
    atomic_llong calls, ticks;
};

/* What is known of the process, and stays known when the library goes off and on again. */
struct dsn_process {
    int has_begun; /* the library was on before, or might have been */
    int forks_watched;
    int is_on;      /* as dsn__switch.mode, which a forked child finds empty */
    int has_forked; /* by fork or clone, not vfork or posix_spawn, and since this program was executed */
    int is_child;   /* forked by a process that has the library */
    int names_job;  /* before it executes another program: it has done something, or others for it */
    int ends_last;  /* the end is made when all destructors have run, not with those of this library */
};

/* What the records are read by stands first, up to `config_text`: it is in the image (survive/image.h) with the arena. The
 * rest is this process's alone. */
struct dsn_state {
    struct dsn_image image;
    struct dsn_family family;
    struct dsn_origin origin;
    struct dsn_process process;
    int tracing; /* bit: enum dsn_tracing */
    atomic_llong missed;
    atomic_llong folded;
    atomic_ullong partial; /* bit: module id */
    struct dsn_call_sum beside[DSN_NBESIDE];

    struct dsn_config config; /* in an image: but for its texts, and what it points to */

    struct dsn_clock clock;
    int64_t start_sec, start_nsec; /* of this process, Unix time */
    int64_t began;                 /* ns from the clock's origin, the host's, to the start of this process */
    int64_t ended;                 /* ns from the origin to the end of the records: first of this rank, then of all */
    struct tm start_local;
    pid_t pid; /* of the process that counts; a forked child differs */
    /* NULL: one process, or the library is off: a thread that comes back from MPI then has nothing to ask. */
    const struct dsn_mpi *_Atomic mpi;
    int mpi_attached; /* the shim has its communicator: shutdown is collective */
    int rank, nprocs;
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];

    struct dsn_arena arena;
    struct dsn_side side;
    struct dsn_names names;
    uint64_t standard_id[3]; /* record ids of the standard streams */
    int64_t took_init;       /* ns that starting took */
    struct dsn_finishing {   /* record/finish.c */
        atomic_int is_in_place, is_done;
        _Atomic(struct dsn_live *) next;     /* the first that is not finished */
        _Atomic(struct dsn_live *) is_aside; /* of which a copy is in `aside`, as it was before, and its module */
        int slot;
        char *aside; /* the module's struct, what stands in front of the record, and the record */
    } finishing;
    struct dsn_folded lacking; /* what would have kept files from being folded; guarded by names.lock */

    /* From here on in no image. What every process uses lies together, so that it is two pages of memory: of the texts the
     * end, from which on they are filled, of `scratch` and `first_fds` the beginning. */
    _Alignas(DSN_PAGE) char config_text[16 * 1024 + 512];
    struct dsn_pool { /* for descriptors and handles: guarded by names.lock */
        char *at;
        size_t left;
        void *last;    /* chunk, which begins with where the one before it is */
        int has_begun; /* with `first_small` */
        int has_fds;   /* `first_fds` are in use */
    } pool;
    struct dsn_deflate *deflate;    /* dsn__pages, once it was needed */
    char *late_records[DSN_NSLOTS]; /* memory for what had no record until the log was made: dsn__pages */
    struct dsn_open *free_opens;    /* descriptions that may be used again; guarded by names.lock */
    struct dsn_open
        inherited[DSN_GIVEN]; /* of descriptors whose files have not been asked for yet, see record/inherit.h */
    struct dsn_small *free_h5_files, *free_h5_sets, *free_nc_files, *free_nc_vars;
    struct {
        atomic_int matching; /* an expression is being matched */
        int undecided;       /* of some file that was recorded it is not known whether it is excluded */
    } exclude;
    struct dsn_file_systems file_systems;
    _Atomic(struct dsn_fd *) first_fd_page;              /* in the place of fd_page[0] */
    uint64_t few_names[DSN_FEW_NAMES];                   /* their table, until it grows */
    atomic_int are_many_known;                           /* `known` is used, not `few_known` */
    _Atomic(struct dsn_file *) few_known[DSN_FEW_KNOWN]; /* by a hash of their names: found without the lock; lossy */
    char scratch[PATH_MAX];                              /* the name that is being looked for; guarded by names.lock */
    _Alignas(8) char first_small[1024];
    struct dsn_fd first_fds[DSN_FDS_PER_PAGE];
    _Atomic(struct dsn_file *) known[DSN_KNOWN];
    _Atomic(struct dsn_fd *) fd_page[DSN_FD_PAGES];
    struct dsn_mounts mounts;
    struct dsn_handle_map mpi_files;
    struct dsn_handle_map rings; /* of io_uring: how far their results are known */
    struct dsn_pending_table pending;
    struct dsn_handle_map h5_ids, h5_names;  /* module/h5.c */
    struct dsn_handle_map nc_files, nc_vars; /* module/pnetcdf.c */
};

/* What of it is in an image. */
#define DSN_IMAGE_STATE offsetof(struct dsn_state, config_text)

/* Whether the library records. In pages of its own, for a forked child finds them empty (MADV_WIPEONFORK): however it
 * was made, it changes nothing of its parent's. */
struct dsn_switch {
    _Alignas(DSN_PAGE) atomic_int mode; /* enum dsn_mode */
    _Atomic(uintptr_t) drainer;         /* the thread that has made it so, by dsn__self() */
};

extern struct dsn_state dsn__state __attribute__((visibility("hidden")));
extern struct dsn_switch dsn__switch __attribute__((visibility("hidden")));

/* Turns the library on: reads the settings, makes the arena, sets time zero. argc, argv may be 0 and NULL. Returns
 * whether the library is now able to record (it is off by setting, or out of memory, otherwise); dsn__switch_on()
 * then lets the wrappers record. No-op returning 0 if it is on already. */
int dsn__start(int argc, char **argv);
void dsn__switch_on(void);

/* From on to draining; 0 if it was not on. After this no note changes a record whose lock was taken once more by
 * dsn__freeze_records(). */
int dsn__drain(void);
void dsn__freeze_records(void);

/* The table of names is as large as it becomes, for a process that can make no system calls any more. Caller holds the lock. */
void dsn__names_grow(void);

/* The table of names takes its place in the arena, where it can grow; empty. 0: it cannot. */
int dsn__names_to_arena(void);

/* Off. What was recorded stays in memory until the next start. */
void dsn__stop(void);

/* Takes a lock of the core's own; bounded, 0 if it cannot be had. */
int dsn__spin(dsn_lock *lock);
void dsn__unspin(dsn_lock *lock);

#endif

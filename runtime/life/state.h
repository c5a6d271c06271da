/* state.h - all mutable state of the library, composed of its components' parts
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_STATE_H
#define DSN_LIFE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mpi.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/mounts.h"
#include "config/settings.h"
#include "darshan-log-format/index.h"
#include "log/deflate.h"
#include "module/daos.h"
#include "module/cufile.h"
#include "module/h5.h"
#include "module/pnetcdf.h"
#include "module/posix-uring.h"
#include "module/shared/auxiliary.h"
#include "record/arena.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "record/finalize.h"
#include "record/io-time.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pending.h"
#include "survive/survival.h"

/* What is known about the process, kept when the library is disabled and enabled again. */
struct dsn_process {
    int has_begun; /* the library was enabled before, or could have been */
    int forks_watched;
    int is_on;                       /* mirrors dsn__switch.mode, which is wiped in a forked child */
    int has_forked;                  /* by fork or clone, since this program was exec'ed: a child may read its memory */
    int is_child;                    /* forked by a process that has the library */
    atomic_int had_threads;          /* when it last forked; asked for with call sites only */
    int64_t forked;                  /* when it was forked: dsn__now() */
    struct dsn_inherited *inherited; /* the descriptors that it had then */
    int is_ending;                   /* its records are being finalized */
    int is_filtered;    /* it has installed a system call filter (life/events.h), and is not recorded any more */
    int is_without_mpi; /* started without MPI */
    int is_excluded;    /* the root process of a tree, whose other processes may be recorded, but not this one */
    int ends_last;      /* shutdown runs after all destructors, rather than with this library's */
};

/* Members up to `config_text` are needed to read the records, and come first: they lie in the survival file
 * (survive/survival.h), with the arena. The rest is local to the process. Each part belongs to its component, which
 * reaches it through a pointer of its own. */
struct dsn_state {
    struct dsn_survival_head head;
    struct dsn_incomplete incomplete;
    struct dsn_call_sum recordless[DSN_NRECORDLESS];
    struct dsn_io_time io_time;
    union dsn_val lbio[LBIO_NVALUES]; /* figures of log-based I/O, taken at the end */

    struct dsn_config config; /* in the survival file, except for its strings and what it points to */

    struct dsn_run run;
    struct dsn_mpi_use mpi;
    struct dsn_arena arena;
    struct dsn_auxiliary auxiliary;
    struct dsn_names names;
    struct dsn_finalizing finalizing;

    /* From here on not in the survival file. What every process touches lies together, on two pages: the end of the
     * strings, which are filled from there, and what follows up to the first descriptors in `fds`. */
    _Alignas(DSN_PAGE) char config_text[16 * 1024 + 512];
    struct dsn_process
        process; /* a child shares the survival file's memory with its parent right after fork, but not this */
    struct dsn_deflate *deflate;
    char *late_records[DSN_NMODULES];
    struct dsn_exclusions exclusions;
    struct dsn_file_systems file_systems;
    struct dsn_lookup lookup;
    struct dsn_fds fds;
    _Atomic(uint64_t) known[DSN_KNOWN];
    struct dsn_mounts mounts;
    struct dsn_handle_map mpi_files;
    struct dsn_rings rings;
    struct dsn_pending_table pending;
    struct dsn_h5_handles h5;
    struct dsn_pnetcdf_handles pnetcdf;
    struct dsn_daos_handles daos;
    struct dsn_cufile_handles cufile;
};

extern struct dsn_state dsn__state __attribute__((visibility("hidden")));

/* Enables the library: reads the settings, creates the arena, sets time zero. argc, argv may be 0 and NULL. Returns
 * whether it can record (not if it is disabled by a setting, or out of memory); dsn__switch_on() then lets the wrappers
 * record. Does nothing and returns false if it is enabled already. */
bool dsn__start(int argc, char **argv);
void dsn__switch_on(void);

/* Starts over without records, for the same program: the old records are left for the log, and no other thread uses
 * them. Returns false on failure. */
bool dsn__start_anew(void);

/* From draining back to on, with the existing records. */
void dsn__switch_back_on(void);

/* From on to draining; returns false if it was not on. After this no note changes a record whose lock dsn__freeze_records()
 * has taken once. */
bool dsn__drain(void);
void dsn__freeze_records(void);

/* Disables the library. Records stay in memory until the next start. */
void dsn__stop(void);

/* Whether it has started processes in any way that is seen, or tried to, since this program was exec'ed. */
bool dsn__has_started_processes(void);

/* This process is not a rank of MPI any more. */
void dsn__mpi_forget(void);

#endif

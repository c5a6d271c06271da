/* state.h - the one struct that holds all mutable state of the library, composed of the parts of its components
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_STATE_H
#define DSN_LIFE_STATE_H

#include <stdint.h>

#include "base/mpi.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/mounts.h"
#include "config/settings.h"
#include "log/deflate.h"
#include "module/h5.h"
#include "module/pnetcdf.h"
#include "module/shared/auxiliary.h"
#include "record/arena.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "record/finalize.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pending.h"
#include "survive/survival.h"

/* What is known of the process, and stays known when the library goes off and on again. */
struct dsn_process {
    int has_begun; /* the library was on before, or might have been */
    int forks_watched;
    int is_on;      /* as dsn__switch.mode, which a forked child finds empty */
    int has_forked; /* by fork or clone, not vfork or posix_spawn, and since this program was executed */
    int is_child;   /* forked by a process that has the library */
    int is_ending;  /* what has been counted is being made ready to be left */
    int ends_last;  /* the end is made when all destructors have run, not with those of this library */
};

/* What the records are read by stands first, up to `config_text`: it is in the survival file (survive/survival.h) with
 * the arena. The rest is this process's alone. Each part is its component's, which goes to it by a pointer of its
 * own. */
struct dsn_state {
    struct dsn_survival_head head;
    struct dsn_incomplete incomplete;
    struct dsn_call_sum beside[DSN_NBESIDE];

    struct dsn_config config; /* in a survival file: but for its texts, and what it points to */

    struct dsn_run run;
    struct dsn_mpi_use mpi;
    struct dsn_arena arena;
    struct dsn_auxiliary auxiliary;
    struct dsn_names names;
    struct dsn_finalizing finalizing;

    /* From here on in no survival file. What every process uses lies together, so that it is two pages of memory: of
     * the texts the end, from which on they are filled, of `scratch` and `fds` the beginning. */
    _Alignas(DSN_PAGE) char config_text[16 * 1024 + 512];
    struct dsn_process
        process; /* a child that was just forked shares what is in the survival file with its parent, but not this */
    struct dsn_deflate *deflate;
    char *late_records[DSN_NMODULES];
    struct dsn_exclusions exclusions;
    struct dsn_file_systems file_systems;
    struct dsn_lookup lookup;
    struct dsn_fds fds;
    _Atomic(struct dsn_file *) known[DSN_KNOWN];
    struct dsn_mounts mounts;
    struct dsn_handle_map mpi_files;
    struct dsn_handle_map rings;
    struct dsn_pending_table pending;
    struct dsn_h5_handles h5;
    struct dsn_pnetcdf_handles pnetcdf;
};

extern struct dsn_state dsn__state __attribute__((visibility("hidden")));

/* Turns the library on: reads the settings, makes the arena, sets time zero. argc, argv may be 0 and NULL. Returns
 * whether the library is now able to record (it is off by setting, or out of memory, otherwise); dsn__switch_on()
 * then lets the wrappers record. No-op returning 0 if it is on already. */
int dsn__start(int argc, char **argv);
void dsn__switch_on(void);

/* Begins once more with no records, for the same program: what it had is left for the log, and no other thread uses it.
 * 0: it cannot be. */
int dsn__start_part(void);

/* On again from draining, with the records that there are. */
void dsn__switch_again(void);

/* From on to draining; 0 if it was not on. After this no note changes a record whose lock was taken once more by
 * dsn__freeze_records(). */
int dsn__drain(void);
void dsn__freeze_records(void);

/* Off. What was recorded stays in memory until the next start. */
void dsn__stop(void);

#endif

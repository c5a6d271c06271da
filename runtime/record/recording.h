/* recording.h - all that one process has recorded: this one's, or one's whose survival file has been read
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * While calls are counted each component goes to its own part by a pointer of its own. What is done at the end, when
 * records become those of the log, takes this: it is done for processes that were killed, too. */
#ifndef DSN_RECORD_RECORDING_H
#define DSN_RECORD_RECORDING_H

#include "base/clock.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "record/arena.h"
#include "record/names.h"

struct dsn_auxiliary;  /* module/shared/auxiliary.h */
struct dsn_finalizing; /* record/finalize.h */

struct dsn_recording {
    struct dsn_names *names;
    struct dsn_incomplete *incomplete;
    struct dsn_call_sum *beside; /* DSN_NBESIDE */
    struct dsn_arena *arena;
    struct dsn_auxiliary *auxiliary;
    struct dsn_finalizing *finalizing;
    struct dsn_clock *clock;
    struct dsn_run *run;
    const struct dsn_config *config;
    const struct dsn_process_tree *process_tree;
    const struct dsn_origin *origin;
    struct dsn_bump *memory; /* for records that are made when it ends; NULL: of this process's arena */
};

/* This process's: life/state.c. */
extern const struct dsn_recording dsn__recording __attribute__((visibility("hidden")));

#endif

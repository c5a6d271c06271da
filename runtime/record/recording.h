/* recording.h - everything that one process has recorded: this one, or one whose survival file has been read
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * While the program runs, each component reaches its own part through a pointer of its own. Functions that finalize
 * records and write the log take this struct instead, because they also run for killed processes. */
#ifndef DSN_RECORD_RECORDING_H
#define DSN_RECORD_RECORDING_H

#include "base/clock.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/table.h"
#include "record/arena.h"
#include "record/io-time.h"
#include "record/names.h"

struct dsn_auxiliary;  /* module/shared/auxiliary.h */
struct dsn_finalizing; /* record/finalize.h */

struct dsn_recording {
    struct dsn_names *names;
    struct dsn_incomplete *incomplete;
    struct dsn_call_sum *recordless; /* DSN_NRECORDLESS */
    struct dsn_io_time *io_time;
    union dsn_val *lbio; /* LBIO_NVALUES */
    struct dsn_arena *arena;
    struct dsn_auxiliary *auxiliary;
    struct dsn_finalizing *finalizing;
    struct dsn_clock *clock;
    struct dsn_run *run;
    const struct dsn_config *config;
    const struct dsn_member *member;
    const struct dsn_origin *origin;
    struct dsn_bump *memory; /* for records created at the end; NULL: this process's arena */
};

/* This process's own: life/state.c. */
extern const struct dsn_recording dsn__recording __attribute__((visibility("hidden")));

#endif

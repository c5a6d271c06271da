/* finalize.h - records made ready for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_FINALIZE_H
#define DSN_RECORD_FINALIZE_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/module.h"
#include "record/recording.h"
#include "record/salvaged.h"

struct dsn_finalizing {
    atomic_int has_begun, is_done;
    _Atomic(struct dsn_record_state *) next;     /* the first that is not finished */
    _Atomic(struct dsn_record_state *) is_aside; /* whose record is in `aside`, as it was before; its module: */
    int module;
    char *aside; /* the record */
};

/* Part of what life/state.h composes. */
extern struct dsn_finalizing *const dsn__finalizing __attribute__((visibility("hidden")));

/* Before that, what it needs; it can do without, but a process that is killed meanwhile may leave one record
 * spoiled. */
void dsn__finalize_prepare(void);

/* What could wait until the log is made: records get their times in seconds, their frequent values, their ids. Of a
 * process that was killed meanwhile it goes on from where that had come to. */
void dsn__finalize_records(const struct dsn_recording *r);

/* A time as records have it. */
double dsn__finalized_seconds(const struct dsn_clock *clock, int64_t ticks);

/* Before it goes on so: the record that was being worked at becomes what it was before. */
void dsn__finalize_put_back(struct dsn_finalizing *f, const struct dsn_salvaged *r);

#endif

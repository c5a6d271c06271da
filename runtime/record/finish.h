/* finish.h - records made ready for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FINISH_H
#define DSN_FINISH_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/module.h"
#include "record/recording.h"
#include "record/remains.h"

struct dsn_finishing {
    atomic_int has_begun, is_done;
    _Atomic(struct dsn_live *) next;     /* the first that is not finished */
    _Atomic(struct dsn_live *) is_aside; /* whose record is in `aside`, as it was before; its module: */
    int slot;
    char *aside; /* the record */
};

/* Part of what life/state.h composes. */
extern struct dsn_finishing *const dsn__finishing __attribute__((visibility("hidden")));

/* Before that, what it needs; it can do without, but a process that is killed meanwhile may leave one record spoiled. */
void dsn__finish_prepare(void);

/* What could wait until the log is made: records get their times in seconds, their frequent values, their ids. Of a process
 * that was killed meanwhile it goes on from where that had come to. */
void dsn__finish_records(const struct dsn_recording *r);

/* A time as records have it. */
double dsn__finish_seconds(const struct dsn_clock *clock, int64_t ticks);

/* Before it goes on so: the record that was being worked at becomes what it was before. */
void dsn__finish_put_back(struct dsn_finishing *f, const struct dsn_remains *r);

#endif

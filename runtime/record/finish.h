/* finish.h - records made ready for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FINISH_H
#define DSN_FINISH_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/module.h"
#include "record/remains.h"

struct dsn_finishing {
    atomic_int is_in_place, is_done;
    _Atomic(struct dsn_live *) next;     /* the first that is not finished */
    _Atomic(struct dsn_live *) is_aside; /* of which a copy is in `aside`, as it was before, and its module */
    int slot;
    char *aside; /* the module's struct, what stands in front of the record, and the record */
};

/* Part of what life/state.h composes. */
extern struct dsn_finishing *const dsn__finishing __attribute__((visibility("hidden")));

/* What could wait until the log is made: records get their times in seconds, their frequent values, their ids. */
void dsn__finish_records(void);

/* A time as records have it. */
double dsn__finish_seconds(int64_t ticks);

/* The same in the image itself, and before it what that needs. 0: it cannot be. */
int dsn__finish_prepare_in_place(void);
void dsn__finish_in_place(void);

/* The record that the process of an image was working at in there becomes what it was before. */
void dsn__finish_put_back(const struct dsn_remains *r);

#endif

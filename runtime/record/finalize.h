/* finalize.h - finalizes records for the log
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
    _Atomic(struct dsn_record_state *) next;     /* the first record that is not final */
    _Atomic(struct dsn_record_state *) is_aside; /* whose record is saved in `aside`; its module: */
    int module;
    char *aside; /* the saved record */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_finalizing *const dsn__finalizing __attribute__((visibility("hidden")));

/* Allocates what finalization needs. It can do without, but then a process killed during it may leave one record
 * corrupt. */
void dsn__finalize_prepare(void);

/* Does the work deferred until the log is written: conversion of times to seconds, frequent values, ids. If the process
 * was killed during it, continues where that stopped. */
void dsn__finalize_records(const struct dsn_recording *r);

/* A time as stored in the log, in seconds. */
double dsn__finalized_seconds(const struct dsn_clock *clock, int64_t ticks);

/* Before continuing for a killed process: restores the record that was being modified. */
void dsn__finalize_put_back(struct dsn_finalizing *f, const struct dsn_salvaged *r);

#endif

/* calls.h - logs every call to a file per process (darshan-log-format/calls.h), if DARSHAN_TRACE names a directory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is created at the first call and mapped; it has a descriptor only while it is created, truncated, or
 * allocated on old kernels. Each thread writes to a chunk of its own, without locks or system calls; every 4 to 32 KiB
 * the next pages are populated, which is where a full file system returns an error instead of raising SIGBUS, and where
 * a slow one would block the thread. A thread that has been blocked for more than a twentieth of its time, and a
 * quarter of a second, logs nothing until that is made up for. Waiting for a processor is not being blocked. Calls that are not logged, for this reason or for lack
 * of memory, are counted. Full chunks are dropped from memory, and the kernel writes them back.
 *
 * All functions are called inside a span, with no lock held. */
#ifndef DSN_MODULE_CALLS_H
#define DSN_MODULE_CALLS_H

#include "darshan-log-format/calls.h"
#include "record/module.h"
#include "record/span.h"

static inline bool dsn__is_tracing_calls(void)
{
    return __builtin_expect(dsn__switch.traces_calls, 0);
}

/* Reads the settings; the library is about to be enabled. */
void dsn__calls_start(void);

/* A completed call. `length` is 0 except for reads and writes. */
void dsn__calls_add(const struct dsn_span *s, enum dsn_call call, uint32_t file, int64_t offset, int64_t length);

/* Assigns a number to a file; it is logged together with the file's name. */
uint32_t dsn__calls_number(const struct dsn_span *s, const char *name);

/* The process is about to end or to exec: no more chunks are taken, and the file is truncated behind those in use. If
 * the process goes on after all, it uses another file. */
void dsn__calls_end(void);

/* For a forked child: drops the parent's file. `noting`: it is in the middle of a note, and may store to the same
 * addresses as its parent. */
void dsn__calls_forget(int noting);

#endif

/* dxt.h - traces: each operation with its place and time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Off unless DXT_POSIX or DXT_MPIIO are enabled. While a file is traced an operation takes 24 bytes of its module's
 * memory (2 MiB a process, or MAX_RECORDS in KiB): its offset; 40 bits of length and 24 of duration; 54 bits of start
 * and ten that say direction and thread. Durations up to 2^19 ticks (some 0.2 ms) are exact, longer ones to 2^-19 of
 * themselves. They become segments of 40 bytes when the log is made, with times to 2^-26 s (15 ns).
 *
 * When there is no more memory, a file's trace gets thinner: every second of its operations stays, from then on only
 * every second is added, then every fourth and so on. So traces reach from the first operation to about the last one
 * whatever the memory is. The last eighth of the memory is for files that have no trace until then. How many operations
 * a file's trace leaves out stands in its record; the module is flagged as incomplete. Left out, too, are operations
 * beyond 2^40 - 1 bytes. The threads from the 512th on are all called 0. */
#ifndef DSN_SHARED_DXT_H
#define DSN_SHARED_DXT_H

#include "module/shared/auxiliary.h"
#include "module/shared/direction.h"
#include "record/span.h"

struct dsn_trace;

typedef _Atomic(struct dsn_trace *) dsn_trace_ref;

static inline int dsn__is_tracing(enum dsn_tracing interface)
{
    return __builtin_expect(dsn__auxiliary->tracing & 1 << interface, 0) != 0;
}

/* Finds a file's trace; before its record is locked. `ref` is where the record keeps it, NULL at first. Returns NULL
 * where the file is not to be traced. */
struct dsn_trace *dsn__trace_find(enum dsn_tracing interface, dsn_trace_ref *ref, struct dsn_file *file);

/* An operation that is over; the record that keeps the trace is locked. */
void dsn__trace_add(struct dsn_trace *t, const struct dsn_span *s, enum dsn_direction d, int64_t offset,
                    int64_t length);

/* Operations that are in no trace though their files are to be traced; when records are finished. */
struct dsn_recording;
int64_t dsn__trace_left_out(const struct dsn_recording *r);

static inline struct dsn_trace *dsn__trace_of(enum dsn_tracing interface, dsn_trace_ref *ref, struct dsn_file *file)
{
    return dsn__is_tracing(interface) ? dsn__trace_find(interface, ref, file) : NULL;
}

#endif

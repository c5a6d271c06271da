/* dxt.h - traces (DXT): each operation with its offset and time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disabled unless DXT_POSIX or DXT_MPIIO are enabled. An operation takes 24 bytes of its module's memory (2 MiB per
 * process, or MAX_RECORDS in KiB): the offset; 40 bits of length and 24 of duration; 54 bits of start time and ten of
 * direction and thread. Durations up to 2^19 ticks (some 0.2 ms) are exact, longer ones have a relative error of 2^-19.
 * When the log is written they become segments of 40 bytes, with times at a resolution of 2^-26 s (15 ns).
 *
 * When memory is full, a trace that needs more is thinned: every second operation is kept, and from then on only every
 * second is added, then every fourth and so on. So traces extend from the first operation to about the last one
 * whatever the memory is. The last eighth of the memory is reserved for files without a trace. A file's record says how
 * many operations its trace leaves out; the module is flagged as incomplete. Operations beyond 2^40 - 257 bytes are
 * left out, too. Threads from the 512th on share the number 0.
 *
 * Between the operations are samples of the CPU time of threads, 24 bytes each: one at the first operation of a thread
 * that starts at least 1 ms after its previous one ended. They are thinned like operations. In the log they are part
 * "cpu" of the extension section (darshan-log-format/extension.h). */
#ifndef DSN_SHARED_DXT_H
#define DSN_SHARED_DXT_H

#include <stdbool.h>

#include "darshan-log-format/extension.h"
#include "module/shared/auxiliary.h"
#include "module/shared/direction.h"
#include "record/span.h"

struct dsn_trace;

typedef _Atomic(struct dsn_trace *) dsn_trace_ref;

static inline bool dsn__is_tracing(enum dsn_tracing interface)
{
    return __builtin_expect(dsn__auxiliary->tracing & 1 << interface, 0) != 0;
}

/* Finds a file's trace, before its record is locked. `ref` is the record's reference, initially NULL. Returns NULL if
 * the file is not traced. */
struct dsn_trace *dsn__trace_find(enum dsn_tracing interface, dsn_trace_ref *ref, struct dsn_name *name);

/* Adds a completed operation; the record that refers to the trace is locked. */
void dsn__trace_add(struct dsn_trace *t, const struct dsn_span *s, enum dsn_direction d, int64_t offset,
                    int64_t length);

/* Number of operations that are in no trace although their files are traced; when records are finalized. */
struct dsn_recording;
int64_t dsn__trace_left_out(const struct dsn_recording *r);

/* The CPU times of all traces of a module, from its first record on; the rank is not set. `out` NULL: only counts them.
 * Returns how many. */
size_t dsn__trace_stamps(const struct dsn_record_state *first, const struct dsn_recording *r,
                         struct dsn_cpu_stamp *out);

static inline struct dsn_trace *dsn__trace_of(enum dsn_tracing interface, dsn_trace_ref *ref, struct dsn_name *name)
{
    return dsn__is_tracing(interface) ? dsn__trace_find(interface, ref, name) : NULL;
}

#endif

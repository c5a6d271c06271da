/* phase.h - phases that the program has named: what is called in each
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread has phases of its own; they may contain each other, and a call counts in the innermost one. A thread without
 * a phase pays for one comparison. What is counted goes to a record of the phase (darshan-log-format/phase.def), which is
 * reduced over the ranks as a file's is. */
#ifndef DSN_MODULE_SHARED_PHASE_H
#define DSN_MODULE_SHARED_PHASE_H

#include <stdint.h>

#include "module/shared/direction.h"
#include "record/span.h"

/* In the order of OF_LAYER in phase.def. */
enum dsn_phase_layer { DSN_PHASE_POSIX, DSN_PHASE_STDIO, DSN_PHASE_MPIIO, DSN_PHASE_HDF5, DSN_PHASE_PNETCDF };

/* The last two: time of what is no call of its own there, such as a sync, or the end of a split one. */
enum dsn_phase_kind { DSN_PHASE_READ, DSN_PHASE_WRITE, DSN_PHASE_META, DSN_PHASE_READ_ON, DSN_PHASE_WRITE_ON };

void dsn__phase_add(enum dsn_phase_layer layer, enum dsn_phase_kind kind, const struct dsn_span *s, int64_t bytes);

/* Counts a call, if the thread is in a phase. `s` may be NULL: it was not timed. The caller holds no lock. */
static inline void dsn__phase_count(enum dsn_phase_layer layer, enum dsn_phase_kind kind, const struct dsn_span *s,
                                    int64_t bytes)
{
    if (__builtin_expect(dsn__thread.phase != NULL, 0))
        dsn__phase_add(layer, kind, s, bytes);
}

static inline enum dsn_phase_kind dsn__phase_kind(enum dsn_direction d)
{
    return d == DSN_READ ? DSN_PHASE_READ : DSN_PHASE_WRITE;
}

/* The thread begins a phase; ends the innermost one of that name, or, if it is NULL, the innermost one. */
void dsn__phase_begin(const char *name);
void dsn__phase_end(const char *name);

/* The thread ends all of its phases. */
void dsn__phase_end_all(void);

/* For a process that starts, or starts over: no thread is in a phase. */
void dsn__phase_forget(void);

#endif

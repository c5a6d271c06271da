/* beside.h - where else than in its file's record a call counts: in the phase that it is in, and at the place that makes it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MODULE_SHARED_BESIDE_H
#define DSN_MODULE_SHARED_BESIDE_H

#include <stdint.h>

#include "module/shared/direction.h"
#include "record/span.h"

/* In the order of OF_LAYER in phase.def; the numbers are those of SITE_LAYER. */
enum dsn_layer {
    DSN_LAYER_POSIX,
    DSN_LAYER_STDIO,
    DSN_LAYER_MPIIO,
    DSN_LAYER_HDF5,
    DSN_LAYER_PNETCDF,
    DSN_LAYER_DFS,
    DSN_LAYER_DAOS,
    DSN_NLAYERS
};

/* The last two: time of what is no call of its own there, such as a sync, or the end of a split one. */
enum dsn_call_kind {
    DSN_CALL_IS_READ,
    DSN_CALL_IS_WRITE,
    DSN_CALL_IS_META,
    DSN_CALL_CONTINUES_READ,
    DSN_CALL_CONTINUES_WRITE
};

static inline enum dsn_call_kind dsn__call_kind(enum dsn_direction d)
{
    return d == DSN_READ ? DSN_CALL_IS_READ : DSN_CALL_IS_WRITE;
}

void dsn__phase_add(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_span *s, int64_t bytes);
void dsn__site_add(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_record_state *of,
                   const struct dsn_span *s, int64_t bytes);
void dsn__beside_add(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_record_state *of,
                     const struct dsn_span *s, int64_t bytes);

/* From now on bytes of POSIX calls that this thread makes are added up, until it ends. */
void dsn__tally_begins(void);
void dsn__tally_ends(int64_t bytes[2]);

/* Counts a call, which a thread that is in no phase, in a process without call sites, pays for with one comparison. `of`: the
 * record of its file, or NULL. `s` may be NULL: it was not timed. The caller holds no lock. */
static inline void dsn__count_beside(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_record_state *of,
                                     const struct dsn_span *s, int64_t bytes)
{
    if (__builtin_expect(dsn__thread.beside != 0, 0))
        dsn__beside_add(layer, kind, of, s, bytes);
}

#endif

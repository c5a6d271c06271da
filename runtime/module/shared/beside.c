/* beside.c - where else than in its file's record a call counts: in the phase that it is in, and at the place that makes it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/beside.h"

#include <string.h>

__attribute__((noinline)) void dsn__beside_add(enum dsn_layer layer, enum dsn_call_kind kind,
                                               const struct dsn_record_state *of, const struct dsn_span *s,
                                               int64_t bytes)
{
    if (dsn__thread.beside & DSN_BESIDE_PHASE)
        dsn__phase_add(layer, kind, s, bytes);
    if (dsn__thread.beside & DSN_BESIDE_SITE)
        dsn__site_add(layer, kind, of, s, bytes);
    if ((dsn__thread.beside & DSN_BESIDE_TALLY) && layer == DSN_LAYER_POSIX && kind <= DSN_CALL_IS_WRITE)
        dsn__thread.tally[kind] += bytes;
}

void dsn__tally_begins(void)
{
    dsn__thread.tally[DSN_READ] = dsn__thread.tally[DSN_WRITE] = 0;
    dsn__thread.beside |= DSN_BESIDE_TALLY;
}

void dsn__tally_ends(int64_t bytes[2])
{
    dsn__thread.beside &= ~(unsigned)DSN_BESIDE_TALLY;
    memcpy(bytes, dsn__thread.tally, sizeof dsn__thread.tally);
}

/* heatmap.h - bytes read and written over time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One heat map per process and module. Bins start at 0.1 s and get wider as time goes on, so that no bin is ever
 * rebuilt while the job runs (see heatmap.c). In the log all ranks' bins have the same width: 0.1 s times the smallest
 * power of two with which 200 bins are enough. An access that spans several bins is distributed by time, in whole
 * bytes, so that the sum over bins is exactly what the module counted. */
#ifndef DSN_SHARED_HEATMAP_H
#define DSN_SHARED_HEATMAP_H

#include <stdint.h>

#include "module/shared/auxiliary.h"
#include "module/shared/direction.h"

struct dsn_recording;
struct dsn_span;

/* Bytes in the current bin that a record has not yet added to its module's heat map. Guarded by the record's lock. */
struct dsn_heat {
    int64_t begin, end; /* ticks; begin == end: no bin */
    int64_t bytes[2];
    int64_t waiting;    /* bytes in a stream's buffer; counted in the bin in which they are written to the file */
    int64_t reached[2]; /* the bin's new value while these are added for the last time; else 0 */
    unsigned bin;
};

/* An access in another bin than the last one, or in several. */
void dsn__heat_move(struct dsn_heat *h, enum dsn_heat_of of, enum dsn_direction d, const struct dsn_span *s, int64_t n);

/* Adds the pending bytes to the heat map; the record is about to be finalized, and no other thread adds anything.
 * Idempotent if interrupted and called again. */
void dsn__heat_flush(struct dsn_heat *h, enum dsn_heat_of of, const struct dsn_recording *r);

/* For a recording that was read while its process went on, after it is finalized: what was counted after the bins were
 * read is assigned to the time just before `ended` (ns since time zero). */
void dsn__heat_catch_up(const struct dsn_recording *r, int64_t ended);

/* Adds an access of n bytes. */
#define DSN_HEAT_ADD(h, of, d, s, n)                                                                                   \
    do {                                                                                                               \
        if (__builtin_expect((s)->start >= (h)->begin && (s)->end < (h)->end, 1))                                      \
            (h)->bytes[d] += (n);                                                                                      \
        else                                                                                                           \
            dsn__heat_move(h, of, d, s, n);                                                                            \
    } while (0)

#endif

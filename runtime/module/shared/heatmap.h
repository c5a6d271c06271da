/* heatmap.h - bytes read and written over time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A heat map is of a process and a module. Its bins begin with 0.1 s and get wider as time goes on, so that no bin ever
 * has to be made again while the job runs (see heatmap.c); when the log is made, all ranks' bins get the same width,
 * 0.1 s times a power of two, the smallest with which 200 bins are enough. An access that reaches over several bins is
 * spread by time, whole bytes, so that the sum over bins is exactly what the module counted. */
#ifndef DSN_SHARED_HEATMAP_H
#define DSN_SHARED_HEATMAP_H

#include <stdint.h>

#include "module/shared/auxiliary.h"
#include "module/shared/direction.h"

struct dsn_recording;
struct dsn_span;

/* What a record has not yet added to its module's heat map: the bytes of one bin. Guarded by the record's lock. */
struct dsn_heat {
    int64_t begin, end; /* ticks; of no bin: begin == end */
    int64_t bytes[2];
    int64_t waiting;    /* bytes written to a stream's buffer; of the bin in which they go to the file */
    int64_t reached[2]; /* what the bin has with them, while they are added for the last time; else 0 */
    unsigned bin;
};

/* An access that lies in another bin than the last one, or in several. */
void dsn__heat_move(struct dsn_heat *h, enum dsn_heat_of of, enum dsn_direction d, const struct dsn_span *s, int64_t n);

/* Adds what the record has to the heat map; the record is about to be finished, and nobody else adds anything. Called
 * once more, where it was interrupted, it does not add it twice. */
void dsn__heat_flush(struct dsn_heat *h, enum dsn_heat_of of, const struct dsn_recording *r);

/* Of a recording that was read while its process went on, and is finalized: what records counted after the bins had been
 * read was moved just before `ended` (ns since time zero). */
void dsn__heat_catch_up(const struct dsn_recording *r, int64_t ended);

/* An access of n bytes. */
#define DSN_HEAT_ADD(h, of, d, s, n)                                                                                   \
    do {                                                                                                               \
        if (__builtin_expect((s)->start >= (h)->begin && (s)->end < (h)->end, 1))                                      \
            (h)->bytes[d] += (n);                                                                                      \
        else                                                                                                           \
            dsn__heat_move(h, of, d, s, n);                                                                            \
    } while (0)

#endif

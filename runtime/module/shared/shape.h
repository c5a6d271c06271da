/* shape.h - frequent access shapes: size, and length and stride in five dimensions
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As struct dsn_common (access.h), for tuples. Called with the record's lock held. */
#ifndef DSN_SHARED_SHAPE_H
#define DSN_SHARED_SHAPE_H

#include <stdint.h>

#include "darshan-log-format/table.h"
#include "record/salvaged.h"

#define DSN_SHAPE_NDIMS 5
#define DSN_SHAPE_WIDTH (1 + 2 * DSN_SHAPE_NDIMS)
#define DSN_SHAPE_MAX   32 /* further distinct shapes are not tracked. Source: spec modules-io.md 2.5 */
#define DSN_SHAPE_MORE  (DSN_SHAPE_MAX - 1)

struct dsn_slab {
    int64_t size;                                             /* bytes */
    int64_t length[DSN_SHAPE_NDIMS], stride[DSN_SHAPE_NDIMS]; /* elements; [0] is D1 in the log */
};

struct dsn_shape_entry {
    struct dsn_slab shape;
    int64_t count;
};

struct dsn_shapes {
    unsigned n;
    struct dsn_shape_entry first;
    struct dsn_shape_entry *more; /* DSN_SHAPE_MAX - 1 entries, allocated at the second distinct shape */
};

/* Counts a shape; a new one is not tracked if there is no memory. */
void dsn__shapes_add(struct dsn_shapes *s, const struct dsn_slab *shape);

/* For another process's record: if shapes from the second one on are lost, all are dropped. */
enum dsn_salvage_result dsn__shapes_salvage(struct dsn_shapes *s, const struct dsn_salvaged *r);

/* Stores the four most frequent shapes in the record's counters. */
void dsn__shapes_publish(const struct dsn_shapes *s, union dsn_val *slots);

#endif

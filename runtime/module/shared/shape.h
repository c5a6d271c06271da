/* shape.h - the shapes of accesses that are frequent: a size, and lengths and strides in five dimensions
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
#define DSN_SHAPE_MAX   32 /* further different ones are not tracked. Source: spec modules-io.md 2.5 */
#define DSN_SHAPE_MORE  (DSN_SHAPE_MAX - 1)

struct dsn_shape {
    int64_t size;                                             /* bytes */
    int64_t length[DSN_SHAPE_NDIMS], stride[DSN_SHAPE_NDIMS]; /* elements; [0] is what the log calls D1 */
};

struct dsn_shape_entry {
    struct dsn_shape shape;
    int64_t count;
};

struct dsn_shapes {
    unsigned n;
    struct dsn_shape_entry first;
    struct dsn_shape_entry *more; /* DSN_SHAPE_MORE of them, from the second different shape on */
};

/* Counts a shape; where there is no memory for another one it is not tracked. */
void dsn__shapes_add(struct dsn_shapes *s, const struct dsn_shape *shape);

/* Of another process's record: where those from the second one on are lost, nothing is known of any. */
enum dsn_left_of dsn__shapes_salvage(struct dsn_shapes *s, const struct dsn_salvaged *r);

/* The four most frequent ones into the four values that a record has for them. */
void dsn__shapes_publish(const struct dsn_shapes *s, union dsn_val *modules);

#endif

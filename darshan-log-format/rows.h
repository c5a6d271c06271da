/* rows.h - shorthand for the groups of rows that recur in the .def files
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A .def file is a list of
 *     I(name, unit, reduction, role, since, doc)      an int64 counter
 *     U(name, unit, reduction, role, since, doc)      one that is printed unsigned
 *     F(name, unit, reduction, role, since, doc)      a double
 *     ID(name, kind, since, doc)                      8 bytes that are no counter: what the record is of, and the like
 *     A(name, unit, doc)                              an array behind the values (varying.h)
 *     GONE(name, kind, since, until, fate)            on disk only in versions since <= v < until
 *     NOTE(since, until, text)                        a remark for logs of those module versions
 * in the order in which they stand on disk. No include guard is needed: the names below expand to such rows wherever
 * they are used.
 */
#ifndef DSN_ROWS_H
#define DSN_ROWS_H

/* clang-format off */
#define HIST10(stem, since, doc)                           \
    I(stem##_0_100,     OPS, SUM, NONE, since, doc)        \
    I(stem##_100_1K,    OPS, SUM, NONE, since, doc)        \
    I(stem##_1K_10K,    OPS, SUM, NONE, since, doc)        \
    I(stem##_10K_100K,  OPS, SUM, NONE, since, doc)        \
    I(stem##_100K_1M,   OPS, SUM, NONE, since, doc)        \
    I(stem##_1M_4M,     OPS, SUM, NONE, since, doc)        \
    I(stem##_4M_10M,    OPS, SUM, NONE, since, doc)        \
    I(stem##_10M_100M,  OPS, SUM, NONE, since, doc)        \
    I(stem##_100M_1G,   OPS, SUM, NONE, since, doc)        \
    I(stem##_1G_PLUS,   OPS, SUM, NONE, since, doc)

#define TOP4(stem, what, since, doc)                       \
    I(stem##1_##what,   BYTES, TOP(1), NONE, since, doc)   \
    I(stem##2_##what,   BYTES, PART,   NONE, since, doc)   \
    I(stem##3_##what,   BYTES, PART,   NONE, since, doc)   \
    I(stem##4_##what,   BYTES, PART,   NONE, since, doc)   \
    TOP4_COUNTS(stem, since, doc)

#define TOP4_COUNTS(stem, since, doc)                      \
    I(stem##1_COUNT,    OPS,   PART,   NONE, since, doc)   \
    I(stem##2_COUNT,    OPS,   PART,   NONE, since, doc)   \
    I(stem##3_COUNT,    OPS,   PART,   NONE, since, doc)   \
    I(stem##4_COUNT,    OPS,   PART,   NONE, since, doc)

/* The same of tuples: an access' size, its lengths and its strides in five dimensions. */
#define TOP4_SHAPES(stem, since, doc)                      \
    SHAPE(stem##1, TOP(11), since, doc)                    \
    SHAPE(stem##2, PART,    since, doc)                    \
    SHAPE(stem##3, PART,    since, doc)                    \
    SHAPE(stem##4, PART,    since, doc)                    \
    TOP4_COUNTS(stem, since, doc)

#define SHAPE(stem, first, since, doc)                     \
    I(stem##_ACCESS,    BYTES, first, NONE, since, doc)    \
    I(stem##_LENGTH_D1, COUNT, PART,  NONE, since, doc)    \
    I(stem##_LENGTH_D2, COUNT, PART,  NONE, since, doc)    \
    I(stem##_LENGTH_D3, COUNT, PART,  NONE, since, doc)    \
    I(stem##_LENGTH_D4, COUNT, PART,  NONE, since, doc)    \
    I(stem##_LENGTH_D5, COUNT, PART,  NONE, since, doc)    \
    I(stem##_STRIDE_D1, COUNT, PART,  NONE, since, doc)    \
    I(stem##_STRIDE_D2, COUNT, PART,  NONE, since, doc)    \
    I(stem##_STRIDE_D3, COUNT, PART,  NONE, since, doc)    \
    I(stem##_STRIDE_D4, COUNT, PART,  NONE, since, doc)    \
    I(stem##_STRIDE_D5, COUNT, PART,  NONE, since, doc)

/* Calls of a layer in a phase; the three arrays have the order of enum dsn_phase_kind. */
#define OF_LAYER(stem, reads, writes, metas, since, doc)   \
    I(stem##_READS,         OPS,     SUM, NONE,   since, "reads " doc)          \
    I(stem##_WRITES,        OPS,     SUM, NONE,   since, "writes " doc)         \
    I(stem##_METAS,         OPS,     SUM, NONE,   since, "metadata calls " doc) \
    I(stem##_BYTES_READ,    BYTES,   SUM, NONE,   since, "bytes read " doc)     \
    I(stem##_BYTES_WRITTEN, BYTES,   SUM, NONE,   since, "bytes written " doc)  \
    F(stem##_F_READ_TIME,   SECONDS, SUM, reads,  since, "time of reads " doc)  \
    F(stem##_F_WRITE_TIME,  SECONDS, SUM, writes, since, "time of writes and syncs " doc) \
    F(stem##_F_META_TIME,   SECONDS, SUM, metas,  since, "time of metadata calls " doc)

/* 16 bytes. */
#define UUID(name, since, doc)                             \
    ID(name,            RAW, since, doc)                   \
    ID(name##_REST,     RAW, since, doc)
/* clang-format on */

#endif

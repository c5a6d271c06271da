/* posix-io.h - what a read, write or seek counts in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inline in the wrappers: programs make these calls by the million. What is rare is in posix.c. */
#ifndef DSN_MODULE_POSIX_IO_H
#define DSN_MODULE_POSIX_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/settings.h"
#include "darshan-log-format/varying.h"
#include "module/shared/access.h"
#include "module/shared/auxiliary.h"
#include "module/shared/calls.h"
#include "module/shared/direction.h"
#include "module/shared/dxt.h"
#include "module/shared/heatmap.h"
#include "module/shared/opening.h"
#include "module/shared/beside.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/span.h"

#define DSN_AT_CURSOR INT64_MIN /* offset of a call that uses the file position */

/* Counters of a file that is read or written, rather than only opened, closed and stat'ed. What each access changes is a member
 * here, and gets into the record when that is finalized (`rows` in posix.c); members that one access touches share cache
 * lines, here and below. What only some accesses change is counted in the record at once. */
struct dsn_posix_direction {
    struct dsn_times times;
    int64_t last; /* offset of the last byte of the previous access */
    int64_t ops, bytes, max_byte, consecutive, sequential, longest_size;
    int64_t not_aligned; /* in the file */
};

struct dsn_posix_io {
    struct dsn_posix_direction direction[2]; /* by direction, as all arrays of two */
    struct dsn_heat heat;
    struct dsn_recent access, stride;
    int last_op;       /* 1 + enum dsn_direction; 0: none yet */
    unsigned size_bin; /* histogram bin of the last access */
    int64_t switches, mem_not_aligned;
    dsn_trace_ref trace;
    struct dsn_common accesses, strides;
    struct dsn_rec rec;
};

_Static_assert(sizeof(struct dsn_posix_direction) == 128 && offsetof(struct dsn_posix_io, heat) == 256,
               "lines of cache");

/* In jobs that open very many files most are accessed little or not at all, so the per-file memory is small. */
struct dsn_posix_file {
    struct dsn_record_state state;
    _Atomic(struct dsn_posix_file *)
        target;                        /* where its accesses are counted, see dsn__posix_target_of; NULL: nowhere yet */
    struct dsn_posix_io *io;           /* its own memory for accesses; NULL: none */
    _Atomic(int64_t) size;             /* end of the file as far as known; only kept for O_APPEND */
    int64_t file_alignment, file_mask; /* of offsets; -1 and 0: unknown */
    struct dsn_time_sum meta;
    int64_t open_time, close_time; /* ticks; parts of `meta` */
    int64_t opens, stats;
    int64_t open_start, open_end, close_start, close_end; /* ticks (timestamps) */
    uint32_t mode;
    atomic_int layout_done; /* the striping has been read */
    /* what is in a survival file is no bool: it may have any value */
    atomic_uchar has_block_size;
    atomic_uchar is_known;       /* what an open for writing finds: what this process has left there */
    unsigned char is_of_many;    /* it is a record of many files, or a shard: it has all its memory at once */
    unsigned char promised;      /* memory for its accesses has been reserved */
    unsigned char may_be_unused; /* inherited, or about to be opened: used by this process only if it has done more */
    struct dsn_description own_description; /* for the one descriptor that most files have at a time */
};

_Static_assert(sizeof(struct dsn_posix_file) <= 256, "lines of cache");

static inline struct dsn_posix_file *dsn__posix_file_of(const struct dsn_description *o)
{
    return (struct dsn_posix_file *)dsn__description_state(o);
}

/* In posix.c: a file's memory for accesses; a call that is traced or logged, is the first on an inherited descriptor, or
 * is on a contended record. */
struct dsn_posix_file *dsn__posix_find_target(struct dsn_posix_file *f);
void dsn__posix_note_special(const struct dsn_span *s, enum dsn_direction d, struct dsn_description *o, int mem_aligned,
                             ssize_t moved, int64_t offset);
void dsn__posix_seek_contended(const struct dsn_span *s, struct dsn_posix_file *f, struct dsn_description *o,
                               int64_t result);
void dsn__posix_trace_seek(const struct dsn_span *s, int fd, int64_t result);

/* The record in which accesses to a file are counted, and what else has its counters only there: dups, seeks, maps. Opens,
 * closes and stats are counted in its own. NULL if there is none. */
static inline struct dsn_posix_file *dsn__posix_target_of(struct dsn_posix_file *f)
{
    struct dsn_posix_file *target = atomic_load_explicit(&f->target, memory_order_acquire);

    return __builtin_expect(target != NULL, 1) ? target : dsn__posix_find_target(f);
}

/* Classifies the access as sequential or consecutive relative to the previous one of the same direction. Before the
 * first access `last` is 0, so an access at offset 0 is neither. */
static inline void dsn__posix_note_order(struct dsn_posix_io *io, struct dsn_posix_direction *w, int64_t offset)
{
    int64_t stride = 0;

    if (offset > w->last) {
        w->sequential++;
        if (offset == w->last + 1)
            w->consecutive++;
        else if (w->last != 0)
            stride = offset - w->last - 1;
    }
    dsn__common_add(&io->strides, &io->stride, stride);
}

/* The end of the file, for appending. */
static inline int64_t dsn__posix_size(const struct dsn_posix_file *f)
{
    return atomic_load_explicit(&f->size, memory_order_relaxed);
}

static inline void dsn__posix_set_size(struct dsn_posix_file *f, int64_t size)
{
    atomic_store_explicit(&f->size, size, memory_order_relaxed);
}

/* The file is at least so large; other threads may be counting, too. */
static inline void dsn__posix_raise_size(struct dsn_posix_file *f, int64_t size)
{
    int64_t now = dsn__posix_size(f);

    while (now < size &&
           !atomic_compare_exchange_weak_explicit(&f->size, &now, size, memory_order_relaxed, memory_order_relaxed))
        ;
}

static inline void dsn__posix_note_alignment(const struct dsn_posix_file *f, struct dsn_posix_io *io,
                                             struct dsn_posix_direction *w, int64_t offset, int mem_aligned)
{
    if (!mem_aligned)
        io->mem_not_aligned++;
    if (!dsn__is_multiple(offset, f->file_alignment, f->file_mask))
        w->not_aligned++;
}

/* In posix.c: the offset of an access to a description whose position other processes may move, as far as the kernel
 * knows it. */
int64_t dsn__posix_offset_in_kernel(int fd, enum dsn_direction d, const struct dsn_description *o, ssize_t moved,
                                    int64_t given);

/* Moves the file position, unless the call gives an offset, and the end of the file with O_APPEND, where the access goes
 * then whatever offset is given. Returns the offset of the access. `target`: the record that counts it, which may be one
 * that the file is aggregated into. */
static inline int64_t dsn__posix_advance(struct dsn_description *o, struct dsn_posix_file *target, enum dsn_direction d,
                                         int64_t given, ssize_t moved, int has_shards)
{
    int64_t offset = given == DSN_AT_CURSOR ? atomic_load_explicit(&o->offset, memory_order_relaxed) : given;

    if (d == DSN_WRITE && dsn__description_appends(o) && !dsn__description_may_move(o))
        offset = has_shards ? atomic_fetch_add_explicit(&target->size, moved, memory_order_relaxed)
                            : dsn__posix_size(target);
    if (given == DSN_AT_CURSOR)
        atomic_store_explicit(&o->offset, offset + moved, memory_order_relaxed);
    return offset;
}

/* The caller holds the record's lock, or, `in_shard`, that of a shard of it, whose memory for accesses is `io`. If it
 * `has_shards`, the size of the file may be moved by others. Returns the offset of the access. Inline, so that each
 * direction is compiled with its own constants. */
static inline __attribute__((always_inline)) int64_t
dsn__posix_count_io(struct dsn_posix_file *target, struct dsn_posix_io *io, const int in_shard, const int has_shards,
                    const struct dsn_span *s, const enum dsn_direction d, struct dsn_description *o, int mem_aligned,
                    ssize_t moved, int64_t offset)
{
    struct dsn_posix_direction *w = &io->direction[d];

    offset = dsn__posix_advance(o, target, d, offset, moved, has_shards);
    dsn__posix_note_order(io, w, offset);
    w->last = offset + moved - 1;
    if (w->max_byte < w->last)
        w->max_byte = w->last;
    if (d == DSN_WRITE && dsn__posix_size(target) < offset + moved) {
        if (has_shards)
            dsn__posix_raise_size(target, offset + moved);
        else
            dsn__posix_set_size(target, offset + moved);
    }
    w->bytes += moved;
    w->ops++;
    if (dsn__common_add(&io->accesses, &io->access, moved))
        io->size_bin = (unsigned)dsn_size_bin(moved);
    io->rec.v[(size_t)io->size_bin + (d == DSN_WRITE ? POSIX_SIZE_WRITE_0_100 : POSIX_SIZE_READ_0_100)].i++;
    dsn__posix_note_alignment(target, io, w, offset, mem_aligned);
    if (io->last_op != 1 + (int)d) {
        io->switches += io->last_op != 0;
        io->last_op = 1 + (int)d;
    }
    if (in_shard ? dsn__note_shard_times(&w->times, s) : dsn__note_times(&w->times, s))
        w->longest_size = moved;
    DSN_HEAT_ADD(&io->heat, DSN_HEAT_POSIX, d, s, moved);
    return offset;
}

static inline __attribute__((always_inline)) void dsn__posix_note_io(const struct dsn_span *s,
                                                                     const enum dsn_direction d,
                                                                     struct dsn_description *o, int mem_aligned,
                                                                     ssize_t moved, int64_t offset)
{
    struct dsn_posix_file *target = atomic_load_explicit(&dsn__posix_file_of(o)->target, memory_order_acquire);

    if (__builtin_expect(!target || (dsn__auxiliary->tracing & (1 << DSN_TRACE_POSIX | DSN_TRACING_CALLS)) != 0, 0) ||
        !dsn__lock_uncontended(&target->state)) {
        dsn__posix_note_special(s, d, o, mem_aligned, moved, offset);
        return;
    }
    dsn__posix_count_io(target, target->io, 0, 0, s, d, o, mem_aligned, moved, offset);
    dsn__unlock(&target->state);
    dsn__count_beside(DSN_LAYER_POSIX, dsn__call_kind(d), &target->state, s, moved);
}

static inline bool dsn__posix_aligned(const void *buf)
{
    return dsn__is_multiple((int64_t)(intptr_t)buf, dsn__config->mem_alignment, dsn__config->mem_mask);
}

/* `moved`: the call's result. */
static inline void dsn__posix_read(const struct dsn_span *s, int fd, const void *buf, ssize_t moved, int64_t offset)
{
    struct dsn_description *o = dsn__fd_description(fd);

    if (!o || moved < 0)
        return;
    if (__builtin_expect(dsn__description_may_move(o), 0))
        offset = dsn__posix_offset_in_kernel(fd, DSN_READ, o, moved, offset);
    dsn__posix_note_io(s, DSN_READ, o, dsn__posix_aligned(buf), moved, offset);
}

static inline void dsn__posix_write(const struct dsn_span *s, int fd, const void *buf, ssize_t moved, int64_t offset)
{
    struct dsn_description *o = dsn__fd_description(fd);

    if (!o || moved < 0)
        return;
    if (__builtin_expect(dsn__description_may_move(o), 0))
        offset = dsn__posix_offset_in_kernel(fd, DSN_WRITE, o, moved, offset);
    dsn__posix_note_io(s, DSN_WRITE, o, dsn__posix_aligned(buf), moved, offset);
}

/* If another thread has closed the descriptor, the description may belong to another file by now: its record is loaded
 * once. */
static inline __attribute__((always_inline)) struct dsn_description *dsn__posix_note_seek(const struct dsn_span *s,
                                                                                          int fd, int64_t result)
{
    struct dsn_description *o = dsn__fd_identified(fd);
    struct dsn_posix_file *f = o && result >= 0 ? dsn__posix_target_of(dsn__posix_file_of(o)) : NULL;

    if (!f)
        return NULL;
    if (!dsn__lock_uncontended(&f->state)) {
        dsn__posix_seek_contended(s, f, o, result);
        return o;
    }
    atomic_store_explicit(&o->offset, result, memory_order_relaxed);
    f->state.rec->v[POSIX_SEEKS].i++;
    dsn__add_time(&f->meta, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
    return o;
}

static inline void dsn__posix_seek(const struct dsn_span *s, int fd, int64_t result)
{
    if (dsn__is_tracing_calls())
        dsn__posix_trace_seek(s, fd, result);
    else
        dsn__posix_note_seek(s, fd, result);
}

#endif

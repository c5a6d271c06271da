/* posix.c - counters of the POSIX module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec wrapped-calls.md 1, with the column "Required" of 1.4. The file position belongs to the open file
 * description, so dup'ed descriptors share it and two opens do not; calls with an explicit offset do not move it;
 * O_APPEND writes go to the end of the file. */
#include <config.h>

#include "module/posix.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/kernel.h"
#include "config/mounts.h"
#include "config/settings.h"
#include "config/who.h"
#include "module/shared/access.h"
#include "module/shared/auxiliary.h"
#include "module/shared/calls.h"
#include "module/shared/dxt.h"
#include "module/shared/heatmap.h"
#include "module/shared/lustre.h"
#include "record/arena.h"
#include "record/fd.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/pending.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/shards.h"
#include "record/times.h"

/* Counters that exist for reads and writes; a row per counter, a column per direction. */
static const struct io_rows {
    int ops, bytes, max_byte, consec, seq, max_size;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { POSIX_READS,
                   POSIX_BYTES_READ,
                   POSIX_MAX_BYTE_READ,
                   POSIX_CONSEC_READS,
                   POSIX_SEQ_READS,
                   POSIX_MAX_READ_TIME_SIZE,
                   { POSIX_F_READ_START_TIMESTAMP, POSIX_F_READ_END_TIMESTAMP, POSIX_F_READ_TIME,
                     POSIX_F_MAX_READ_TIME } },
    [DSN_WRITE] = { POSIX_WRITES,
                    POSIX_BYTES_WRITTEN,
                    POSIX_MAX_BYTE_WRITTEN,
                    POSIX_CONSEC_WRITES,
                    POSIX_SEQ_WRITES,
                    POSIX_MAX_WRITE_TIME_SIZE,
                    { POSIX_F_WRITE_START_TIMESTAMP, POSIX_F_WRITE_END_TIMESTAMP, POSIX_F_WRITE_TIME,
                      POSIX_F_MAX_WRITE_TIME } },
};

/* Stands for the file of an inherited descriptor that has not been looked up. Nothing is counted here: it has no
 * target. */
static struct dsn_posix_file unidentified;

static union dsn_val *counters(struct dsn_posix_file *f)
{
    return f->state.rec->v;
}

static size_t io_size(void)
{
    return dsn__posix_module.need_size + dsn__record_size(DSN_INDEX_POSIX);
}

/* Makes `io` the file's memory for accesses; false if it is NULL. The caller holds the record's lock, or the record is
 * not visible to others yet. */
static bool attach_io(struct dsn_posix_file *f, struct dsn_posix_io *io)
{
    if (!io)
        return false;
    dsn__common_begin(&io->accesses, &io->rec.v[POSIX_ACCESS1_ACCESS]);
    dsn__common_begin(&io->strides, &io->rec.v[POSIX_STRIDE1_STRIDE]);
    f->io = io;
    f->state.rec = &io->rec;
    atomic_store_explicit(&f->target, f, memory_order_release);
    return true;
}

static bool init(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;

    f->file_alignment = -1;
    f->layout_done = all_at_once; /* many files have no single one, and a shard its record's */
    f->is_of_many = all_at_once;
    if (all_at_once)
        return attach_io(f, alloc(io_size()));
    f->promised = dsn__alloc_promise(io_size());
    return true;
}

/* The block size is queried without any lock: a slow file system blocks only this thread, which has just used it. */
static int64_t block_size_for(struct dsn_posix_file *f, int fd)
{
    return atomic_load_explicit(&f->has_block_size, memory_order_relaxed) ? -1
                                                                          : dsn__block_size(f->state.name->text, fd);
}

/* The caller holds the record's lock. */
static void set_block_size(struct dsn_posix_file *f, int64_t size)
{
    if (atomic_load_explicit(&f->has_block_size, memory_order_relaxed))
        return;
    f->file_alignment = size;
    f->file_mask = dsn__alignment_mask(size);
    if (dsn__block_excludes_lustre(size))
        atomic_store_explicit(&f->layout_done, 1, memory_order_relaxed);
    atomic_store_explicit(&f->has_block_size, 1, memory_order_release);
}

/* The file's own memory, or, if that cannot be allocated, that of files of its kind. A file that was renamed to this
 * name or inherited, rather than opened, has not been queried yet. */
struct dsn_posix_file *dsn__posix_find_target(struct dsn_posix_file *f)
{
    struct dsn_posix_file *target;
    int64_t block;

    if (f == &unidentified)
        return NULL;
    block = block_size_for(f, -1);
    if (dsn__lock(&f->state)) {
        set_block_size(f, block);
        if (!f->target) {
            attach_io(f, dsn__alloc_access(io_size(), f->promised));
            f->promised = 0;
        }
        dsn__unlock(&f->state);
    }
    target = atomic_load_explicit(&f->target, memory_order_acquire);
    if (!target) {
        target = (struct dsn_posix_file *)dsn__record_aggregated(DSN_INDEX_POSIX, f->state.name);
        if (target)
            atomic_store_explicit(&f->target, target, memory_order_release);
    }
    return target;
}

static void finalize_io(struct dsn_posix_io *io)
{
    union dsn_val *v = io->rec.v;

    for (int d = DSN_READ; d <= DSN_WRITE; d++) {
        const struct dsn_posix_direction *w = &io->direction[d];
        const struct io_rows *r = &rows[d];

        v[r->ops].i = w->ops;
        v[r->bytes].i = w->bytes;
        v[r->max_byte].i = w->max_byte;
        v[r->consec].i = w->consecutive;
        v[r->seq].i = w->sequential;
        v[r->max_size].i = w->longest_size;
        dsn__publish_times(&w->times, &r->times, v);
    }
    v[POSIX_RW_SWITCHES].i = io->switches;
    v[POSIX_MEM_NOT_ALIGNED].i = io->mem_not_aligned;
    v[POSIX_FILE_NOT_ALIGNED].i = io->direction[DSN_READ].not_aligned + io->direction[DSN_WRITE].not_aligned;
    dsn__common_publish(&io->accesses, &io->access);
    dsn__common_publish(&io->strides, &io->stride);
}

static void flush(struct dsn_record_state *state, const struct dsn_recording *r)
{
    struct dsn_posix_io *io = ((struct dsn_posix_file *)state)->io;

    if (!io)
        return;
    dsn__heat_flush(&io->heat, DSN_HEAT_POSIX, r);
    dsn__common_flush(&io->access);
    dsn__common_flush(&io->stride);
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;
    union dsn_val *v = counters(f);

    v[POSIX_OPENS].i += f->opens;
    v[POSIX_STATS].i = f->stats;
    v[POSIX_MODE].i = f->mode;
    v[POSIX_MEM_ALIGNMENT].i = r->config->mem_alignment;
    v[POSIX_FILE_ALIGNMENT].i = f->file_alignment;
    v[POSIX_F_OPEN_START_TIMESTAMP].i = f->open_start;
    v[POSIX_F_OPEN_END_TIMESTAMP].i = f->open_end;
    v[POSIX_F_CLOSE_START_TIMESTAMP].i = f->close_start;
    v[POSIX_F_CLOSE_END_TIMESTAMP].i = f->close_end;
    v[POSIX_F_META_TIME].i = f->meta.total;
    v[POSIX_NVALUES + FILE_MODULE].i = DSN_POSIX_MODULE;
    v[POSIX_NVALUES + FILE_F_OPEN_TIME].i += f->open_time;
    v[POSIX_NVALUES + FILE_F_CLOSE_TIME].i += f->close_time;
    if (!f->io)
        return;
    finalize_io(f->io);
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;
    struct dsn_posix_io *io;
    enum dsn_salvage_result accesses, strides;

    if (!f->io)
        return DSN_WHOLE;
    io = dsn__salvaged_address(r, f->io, io_size());
    f->io = io = io ? dsn__salvaged_claim(r, f->io, offsetof(struct dsn_posix_io, rec)) : NULL;
    if (!io)
        return DSN_LOST;
    state->rec = &io->rec; /* what the interrupted store would have set */
    accesses = dsn__common_salvage(&io->accesses, &io->access, &io->rec.v[POSIX_ACCESS1_ACCESS], r);
    strides = dsn__common_salvage(&io->strides, &io->stride, &io->rec.v[POSIX_STRIDE1_STRIDE], r);
    return accesses < strides ? accesses : strides;
}

static unsigned frequent(const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX])
{
    const struct dsn_posix_io *io = ((const struct dsn_posix_file *)state)->io;

    if (!io)
        return 0;
    return dsn__common_values(at == POSIX_ACCESS1_ACCESS ? &io->accesses : &io->strides, out);
}

static bool is_used(const struct dsn_record_state *state)
{
    const struct dsn_posix_file *f = (const struct dsn_posix_file *)state;

    return !f->may_be_unused || f->io || f->opens || f->stats || f->meta.total || state->rec;
}

/* Drops files that this process has inherited, or was about to open, and has not used. */
static void drop_unused(const struct dsn_recording *r)
{
    struct dsn_record_state **link = &r->names->first_state[DSN_INDEX_POSIX];

    while (*link) {
        if (is_used(*link))
            link = &(*link)->next;
        else
            dsn__record_drop(r->names, DSN_INDEX_POSIX, link);
    }
}

const struct dsn_module_info dsn__posix_module = {
    .id = DSN_POSIX_MODULE,
    .state_size = sizeof(struct dsn_posix_file),
    .need_size = offsetof(struct dsn_posix_io, rec),
    .path_named = 1,
    .init = init,
    .choose = drop_unused,
    .flush = flush,
    .finalize = finalize,
    .values = frequent,
    .salvage = salvage,
    .is_used = is_used,
};

/* ------------------------------------------------------------------ opens and closes */

void *dsn__posix_release(int fd)
{
    const struct dsn_description *o = dsn__is_tracing_calls() ? dsn__fd_description(fd) : NULL;
    struct dsn_posix_file *f;

    if (o)
        dsn__thread.closing = atomic_load(&o->flags) >> DSN_DESCRIPTION_NUMBER;
    f = (struct dsn_posix_file *)dsn__fd_forget(fd);

    if (f)
        dsn__lustre_closing(fd, f->state.name, &f->layout_done);
    return f;
}

static struct dsn_posix_file *file_at(int dirfd, const char *path)
{
    return (struct dsn_posix_file *)dsn__record_at(DSN_INDEX_POSIX, dirfd, path);
}

static void note_meta(struct dsn_posix_file *f, const struct dsn_span *s)
{
    dsn__add_time(&f->meta, s);
}

static void note_open(struct dsn_posix_file *f, const struct dsn_span *s)
{
    f->opens++;
    dsn__stamp(&f->open_start, &f->open_end, s);
    dsn__add_time_of(&f->meta, s, &f->open_time);
}

/* Logs a call on an open file. Another thread may number the description at the same time: the first one wins. */
static __attribute__((noinline)) void trace_call(const struct dsn_span *s, enum dsn_call call,
                                                 struct dsn_description *o, const struct dsn_posix_file *f,
                                                 int64_t offset, int64_t length)
{
    unsigned flags = atomic_load_explicit(&o->flags, memory_order_relaxed);
    const unsigned fresh = flags >> DSN_DESCRIPTION_NUMBER ? 0 : dsn__calls_number(s, f->state.name->text);

    while (flags >> DSN_DESCRIPTION_NUMBER == 0 &&
           !atomic_compare_exchange_weak(&o->flags, &flags, flags | fresh << DSN_DESCRIPTION_NUMBER))
        ;
    dsn__calls_add(s, call, flags >> DSN_DESCRIPTION_NUMBER ? flags >> DSN_DESCRIPTION_NUMBER : fresh, offset, length);
}

void dsn__posix_trace_call(const struct dsn_span *s, enum dsn_call call, int fd, int64_t offset)
{
    struct dsn_description *o = dsn__fd_identified(fd);

    if (o)
        trace_call(s, call, o, dsn__posix_file_of(o), offset, 0);
}

/* The next access counts as neither sequential nor consecutive. */
static void forget_last(struct dsn_posix_file *f)
{
    if (f->io)
        f->io->direction[DSN_READ].last = f->io->direction[DSN_WRITE].last = 0;
}

static int64_t size_of(int fd)
{
    struct stat st;

    return dsn__sys_fstat(fd, &st) == 0 ? (int64_t)st.st_size : 0;
}

struct dsn_description *dsn__posix_inherit(int fd, const char *name)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)dsn__record(DSN_INDEX_POSIX, name);
    struct dsn_description *o = f ? dsn__fd_set_description(fd, &f->state, &f->own_description) : NULL;

    if (f)
        f->may_be_unused = 1;
    return o;
}

void dsn__posix_flags(int fd, int result, int flags)
{
    struct dsn_description *o = result >= 0 ? dsn__fd_description(fd) : NULL;
    const int appends = (flags & O_APPEND) != 0;
    const int64_t end = o && appends ? size_of(fd) : 0;
    struct dsn_posix_file *f = o ? dsn__posix_file_of(o) : NULL;

    if (!o || f == &unidentified || !dsn__lock(&f->state))
        return;
    dsn__posix_raise_size(f, end);
    if (appends)
        atomic_fetch_or_explicit(&o->flags, DSN_DESCRIPTION_APPENDS, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&o->flags, ~DSN_DESCRIPTION_APPENDS, memory_order_relaxed);
    dsn__unlock(&f->state);
}

/* Marks low descriptors as possibly inherited across exec. Those that the MPI library opened before MPI_Init are not
 * the application's. */
void dsn__posix_start(void)
{
    if (!(dsn__config->disabled >> dsn__posix_module.id & 1))
        dsn__fds_set_unidentified(dsn__member->is_mpi ? STDERR_FILENO + 1 : DSN_GIVEN, &unidentified.state);
}

/* Inherited descriptors of the same file at the same position are treated as dup'ed, as those of "> file 2>&1" are:
 * only the kernel knows whether they share a description. */
static void identify_copies(int fd, const struct stat *file, int flags, off_t at)
{
    struct stat st;

    for (int other = 0; other < DSN_GIVEN; other++)
        if (other != fd && dsn__description_is_unidentified(dsn__fd_description(other)) &&
            dsn__sys_fstat(other, &st) == 0 && st.st_ino == file->st_ino && st.st_dev == file->st_dev &&
            dsn__sys_flags(other) == flags && dsn__sys_position(other) == at)
            dsn__fd_dup(other, fd);
}

struct dsn_description *dsn__posix_identify(int fd, int64_t moved, int64_t grown)
{
    struct dsn_posix_file *f = NULL;
    struct dsn_description *o;
    struct stat st;
    int64_t block;
    off_t at;
    int flags;

    if (dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        f = (struct dsn_posix_file *)dsn__record_of_descriptor(DSN_INDEX_POSIX, fd, st.st_nlink == 0);
    o = dsn__fd_set_description(fd, f ? &f->state : NULL, f ? &f->own_description : NULL);
    if (!f || !o)
        return NULL;
    block = block_size_for(f, fd);
    flags = dsn__sys_flags(fd);
    at = dsn__sys_position(fd);
    if (dsn__lock(&f->state)) {
        set_block_size(f, block);
        f->may_be_unused |= f->opens == 0;
        atomic_store_explicit(&o->offset, at - moved, memory_order_relaxed);
        atomic_store_explicit(
            &o->flags, DSN_DESCRIPTION_MAY_MOVE | (flags >= 0 && (flags & O_APPEND) ? DSN_DESCRIPTION_APPENDS : 0),
            memory_order_relaxed);
        dsn__posix_raise_size(f, st.st_size - grown);
        dsn__unlock(&f->state);
    }
    identify_copies(fd, &st, flags, at);
    return o;
}

struct dsn_record_state *dsn__posix_to_open(int dirfd, const char *path)
{
    struct dsn_posix_file *f = file_at(dirfd, path);

    if (!f)
        return NULL;
    if (dsn__lock(&f->state)) {
        f->may_be_unused |= !f->opens && !f->stats;
        dsn__unlock(&f->state);
    }
    return &f->state;
}

struct dsn_description *dsn__posix_new_description(struct dsn_record_state *state)
{
    return dsn__description_new(state, &((struct dsn_posix_file *)state)->own_description);
}

/* `given`: 0 if the call has none; `channel`: 0 if the file is none, or is known already. */
static void note_mode(struct dsn_posix_file *f, mode_t given, int flags, mode_t channel)
{
    const mode_t type = channel ? channel : (mode_t)f->mode & S_IFMT;
    const uint32_t synchronous = flags & O_DSYNC ? DSN_MODE_SYNCHRONOUS : f->mode & DSN_MODE_SYNCHRONOUS;

    if (given)
        f->mode = given;
    f->mode = (f->mode & ~(uint32_t)DSN_MODE_SYNCHRONOUS) | synchronous;
    if (S_ISFIFO(type) || S_ISSOCK(type) || S_ISCHR(type))
        f->mode = (f->mode & ~(uint32_t)S_IFMT) | type;
}

/* Counted where its accesses will be. */
static void note_found(struct dsn_posix_file *f, int flags, const struct dsn_opened *found)
{
    struct dsn_posix_file *target = dsn__posix_target_of(f);

    if (!target || !dsn__lock(&target->state))
        return;
    dsn__opening_count(counters(target) + POSIX_NVALUES, flags, found, target != f || f->is_of_many);
    dsn__unlock(&target->state);
    atomic_store_explicit(&f->is_known, !f->is_of_many, memory_order_relaxed);
}

void dsn__posix_opened(const struct dsn_span *s, int fd, struct dsn_record_state *state, struct dsn_description *o,
                       int flags, mode_t mode)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;
    struct dsn_opened found;
    mode_t channel = 0;
    int64_t block, end;

    if (fd >= 0)
        o = dsn__fd_set_description(fd, &f->state, &f->own_description);
    dsn__opening_look(atomic_load_explicit(&f->is_known, memory_order_relaxed), fd, flags, &found);
    end = found.size >= 0 ? found.size : fd >= 0 && (flags & O_APPEND) ? size_of(fd) : 0;
    if (!S_ISREG(found.mode) && !atomic_load_explicit(&f->has_block_size, memory_order_relaxed))
        channel = dsn__fd_channel(fd);
    block = block_size_for(f, fd);
    if (!dsn__lock(&f->state))
        return;
    set_block_size(f, block);
    if (o)
        atomic_store_explicit(&o->flags, flags & O_APPEND ? DSN_DESCRIPTION_APPENDS : 0, memory_order_relaxed);
    note_mode(f, mode, flags, channel);
    if (flags & O_TRUNC)
        dsn__posix_set_size(f, 0);
    dsn__posix_raise_size(f, end);
    forget_last(f);
    note_open(f, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
    if (found.is_for_writing)
        note_found(f, flags, &found);
    if (dsn__is_tracing_calls() && o)
        trace_call(s, DSN_CALL_OPEN, o, f, 0, 0);
}

void dsn__posix_note_channel(struct dsn_name *name, mode_t channel)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)dsn__record_of_name(DSN_INDEX_POSIX, name);

    if (!f || !dsn__lock(&f->state))
        return;
    note_mode(f, 0, 0, channel);
    dsn__unlock(&f->state);
}

void dsn__posix_open(const struct dsn_span *s, int fd, int dirfd, const char *path, int flags, mode_t mode)
{
    struct dsn_posix_file *f = fd >= 0 ? file_at(dirfd, path) : NULL;

    if (f)
        dsn__posix_opened(s, fd, &f->state, NULL, flags, mode);
    else if (fd >= 0 && dsn__fd_description(fd)) /* the close of this number went unseen */
        dsn__fd_set_description(fd, NULL, NULL);
}

static void note_again(struct dsn_posix_file *f, const struct dsn_span *s, int counter)
{
    f = dsn__posix_target_of(f);
    if (!f || !dsn__lock(&f->state))
        return;
    counters(f)[counter].i++;
    note_open(f, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
}

/* Shells dup inherited descriptors to restore them later: that alone does not create a record. */
void dsn__posix_dup(const struct dsn_span *s, int fd, int from)
{
    const int is_first = dsn__description_is_unidentified(dsn__fd_description(from));
    const struct dsn_description *o = fd >= 0 ? dsn__fd_identified(from) : NULL;

    if (fd < 0)
        return;
    dsn__modules_note_dup(fd, from);
    dsn__fd_dup(fd, from);
    if (o && !is_first)
        note_again(dsn__posix_file_of(o), s, POSIX_DUPS);
}

void dsn__posix_fileno(const struct dsn_span *s, int fd, const struct dsn_record_state *stream)
{
    const struct dsn_description *o = stream ? dsn__fd_identified(fd) : NULL;
    struct dsn_posix_file *f;
    int64_t block;

    if (!stream)
        return;
    f = o ? dsn__posix_file_of(o) : (struct dsn_posix_file *)dsn__record_of_name(DSN_INDEX_POSIX, stream->name);
    if (!f)
        return;
    block = block_size_for(f, fd);
    if (dsn__lock(&f->state)) {
        set_block_size(f, block);
        dsn__unlock(&f->state);
    }
    if (!o)
        dsn__fd_set_description(fd, &f->state, &f->own_description);
    note_again(f, s, POSIX_FILENOS);
}

void dsn__posix_close(const struct dsn_span *s, void *released)
{
    struct dsn_posix_file *f = released;

    if (!f || !dsn__lock(&f->state))
        return;
    forget_last(f);
    dsn__stamp(&f->close_start, &f->close_end, s);
    dsn__add_time_of(&f->meta, s, &f->close_time);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
    if (dsn__is_tracing_calls() && dsn__thread.closing) {
        dsn__calls_add(s, DSN_CALL_CLOSE, dsn__thread.closing, 0, 0);
        dsn__thread.closing = 0;
    }
}

/* ------------------------------------------------------------------ reads and writes */

/* After the access the position is behind it, unless another process has moved it since. */
__attribute__((cold)) int64_t dsn__posix_offset_in_kernel(int fd, enum dsn_direction d, const struct dsn_description *o,
                                                          ssize_t moved, int64_t given)
{
    const int64_t end = given == DSN_AT_CURSOR                          ? dsn__sys_position(fd)
                        : d == DSN_WRITE && dsn__description_appends(o) ? size_of(fd)
                                                                        : -1;

    return end >= moved ? end - moved : given;
}

/* Each locks the record that it returns; NULL as for dsn__lock. */
static struct dsn_posix_file *whole_of(struct dsn_posix_file *f)
{
    return f && dsn__lock(&f->state) ? f : NULL;
}

static struct dsn_posix_file *shard_of(struct dsn_posix_file *f)
{
    return f ? (struct dsn_posix_file *)dsn__lock_shard(DSN_INDEX_POSIX, &f->state) : NULL;
}

/* The cold path: the call is traced or logged, is the first on an inherited descriptor, whose file is looked up here, or
 * is on a contended record. A trace is of the whole record. */
__attribute__((cold)) void dsn__posix_note_special(const struct dsn_span *s, enum dsn_direction d,
                                                   struct dsn_description *o, int mem_aligned, ssize_t moved,
                                                   int64_t offset)
{
    struct dsn_posix_file *file, *f, *shard;
    struct dsn_trace *trace;

    if (dsn__description_is_unidentified(o)) {
        const int fd = (int)(o - dsn__fds->unidentified);

        o = dsn__posix_identify(fd, offset == DSN_AT_CURSOR ? moved : 0, d == DSN_WRITE ? moved : 0);
        if (o && offset != DSN_AT_CURSOR && dsn__description_appends(o)) /* which its caller could not know */
            offset = dsn__posix_offset_in_kernel(fd, d, o, moved, offset);
    }
    if (!o)
        return;
    file = dsn__posix_file_of(o);
    f = dsn__posix_target_of(file);
    trace = f ? dsn__trace_of(DSN_TRACE_POSIX, &f->io->trace, f->state.name) : NULL;
    shard = trace ? whole_of(f) : shard_of(f);
    if (!shard)
        return;
    if (offset == DSN_AT_CURSOR && !dsn__description_appends(o)) /* threads move it while they hold different locks */
        offset = atomic_fetch_add_explicit(&o->offset, moved, memory_order_relaxed);
    if (shard == f)
        offset = dsn__posix_count_io(f, f->io, 0, dsn__has_shards(&f->state), s, d, o, mem_aligned, moved, offset);
    else
        offset = dsn__posix_count_io(f, shard->io, 1, 1, s, d, o, mem_aligned, moved, offset);
    if (trace)
        dsn__trace_add(trace, s, d, offset, moved);
    dsn__unlock(&shard->state);
    dsn__count_beside(DSN_LAYER_POSIX, dsn__call_kind(d), &f->state, s, moved);
    if (shard != f)
        dsn__add_time_later(&f->state, &f->io->direction[d].times.sum, s);
    if (dsn__is_tracing_calls())
        trace_call(s, d == DSN_WRITE ? DSN_CALL_WRITE : DSN_CALL_READ, o, file, offset, moved);
}

void dsn__posix_iov(const struct dsn_span *s, enum dsn_direction d, int fd, const struct iovec *iov, int count,
                    ssize_t moved, int64_t offset)
{
    struct dsn_description *o = dsn__fd_description(fd);
    int aligned = 1;

    if (!o || moved < 0)
        return;
    for (int i = 0; i < count; i++)
        aligned = aligned && dsn__posix_aligned(iov[i].iov_base);
    offset = offset == -1 ? DSN_AT_CURSOR : offset;
    if (dsn__description_may_move(o))
        offset = dsn__posix_offset_in_kernel(fd, d, o, moved, offset);
    if (d == DSN_READ)
        dsn__posix_note_io(s, DSN_READ, o, aligned, moved, offset);
    else
        dsn__posix_note_io(s, DSN_WRITE, o, aligned, moved, offset);
}

/* The end before the write is computed from the position after it, unless others write, too. */
void dsn__posix_iov_flags(const struct dsn_span *s, int fd, const struct iovec *iov, int count, ssize_t moved,
                          int64_t offset, int flags)
{
    struct dsn_description *o = dsn__fd_identified(fd);
    struct dsn_record_state *state;
    int64_t end;

    if (!(flags & RWF_APPEND) || !o || moved < 0) {
        dsn__posix_iov(s, DSN_WRITE, fd, iov, count, moved, offset);
        return;
    }
    end = size_of(fd);
    dsn__posix_iov(s, DSN_WRITE, fd, iov, count, moved, end - moved);
    state = dsn__description_state(o);
    if (offset == -1 && dsn__lock(state)) {
        atomic_store_explicit(&o->offset, end, memory_order_relaxed);
        dsn__unlock(state);
    }
}

/* ------------------------------------------------------------------ other calls */

void dsn__posix_seek_contended(const struct dsn_span *s, struct dsn_posix_file *f, struct dsn_description *o,
                               int64_t result)
{
    struct dsn_posix_file *shard = shard_of(f);

    if (!shard)
        return;
    atomic_store_explicit(&o->offset, result, memory_order_relaxed);
    counters(shard)[POSIX_SEEKS].i++;
    if (shard == f)
        note_meta(f, s);
    dsn__unlock(&shard->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
    if (shard != f)
        dsn__add_time_later(&f->state, &f->meta, s);
}

void dsn__posix_trace_seek(const struct dsn_span *s, int fd, int64_t result)
{
    struct dsn_description *o = dsn__posix_note_seek(s, fd, result);

    if (o)
        trace_call(s, DSN_CALL_SEEK, o, dsn__posix_file_of(o), result, 0);
}

void dsn__posix_sync(const struct dsn_span *s, int fd, int result, int data_only)
{
    struct dsn_description *o = dsn__fd_identified(fd);
    struct dsn_posix_file *f = o && result >= 0 ? dsn__posix_target_of(dsn__posix_file_of(o)) : NULL;

    if (!f || dsn__pending_carry_out(fd, data_only ? DSN_PENDING_FDSYNC : DSN_PENDING_FSYNC) || !dsn__lock(&f->state))
        return;
    counters(f)[data_only ? POSIX_FDSYNCS : POSIX_FSYNCS].i++;
    dsn__add_time_of(&f->io->direction[DSN_WRITE].times.sum, s, &counters(f)[POSIX_NVALUES + FILE_F_SYNC_TIME].i);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_CONTINUES_WRITE, &f->state, s, 0);
    if (dsn__is_tracing_calls())
        trace_call(s, DSN_CALL_SYNC, o, dsn__posix_file_of(o), 0, 0);
}

static void note_stat(struct dsn_posix_file *f, const struct dsn_span *s, int fd)
{
    const int64_t block = block_size_for(f, fd);

    if (!dsn__lock(&f->state))
        return;
    set_block_size(f, block);
    f->stats++;
    note_meta(f, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_IS_META, &f->state, s, 0);
}

void dsn__posix_stat(const struct dsn_span *s, int result, int dirfd, const char *path, mode_t found)
{
    struct dsn_posix_file *f;

    if (result < 0 || !S_ISREG(found))
        return;
    f = file_at(dirfd, path);
    if (f)
        note_stat(f, s, -1);
}

void dsn__posix_fstat(const struct dsn_span *s, int result, int fd, mode_t found)
{
    struct dsn_description *o = dsn__fd_description(fd);

    if (dsn__description_is_unidentified(o)) /* programs stat inherited descriptors and then do not use most of them */
        return;
    if (o && result >= 0 && S_ISREG(found))
        note_stat(dsn__posix_file_of(o), s, fd);
}

void dsn__posix_statat(const struct dsn_span *s, int result, int dirfd, const char *path, int flags, mode_t found)
{
    if (result >= 0 && (flags & AT_EMPTY_PATH) && (!path || path[0] == '\0'))
        dsn__posix_fstat(s, result, dirfd, found);
    else
        dsn__posix_stat(s, result, dirfd, path, found);
}

/* ------------------------------------------------------------------ shared with this module's other sources */

/* Atomic, because two threads may add at a time; the calls take a thousand times as long as the additions. */
void dsn__posix_count_recordless(const struct dsn_span *s, enum dsn_recordless kind)
{
    struct dsn_call_sum *sum = &dsn__recordless[kind];

    atomic_fetch_add_explicit(&sum->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sum->ticks, s->end - s->start, memory_order_relaxed);
    dsn__add_process_time(s);
    dsn__count_beside(DSN_LAYER_POSIX, kind == DSN_MAP_SYNCS ? DSN_CALL_CONTINUES_WRITE : DSN_CALL_IS_META, NULL, s, 0);
}

void dsn__posix_count(const struct dsn_span *s, struct dsn_record_state *state, int counter)
{
    struct dsn_posix_file *f = state ? dsn__posix_target_of((struct dsn_posix_file *)state) : NULL;

    if (!f || !dsn__lock(&f->state))
        return;
    counters(f)[counter].i++;
    if (s)
        note_meta(f, s);
    dsn__unlock(&f->state);
}

void dsn__posix_renamed(struct dsn_record_state *state, uint64_t from)
{
    struct dsn_posix_file *f = state ? dsn__posix_target_of((struct dsn_posix_file *)state) : NULL;

    if (!f || !dsn__lock(&f->state))
        return;
    counters(f)[POSIX_RENAME_TARGETS].i++;
    if (counters(f)[POSIX_RENAMED_FROM].i == 0)
        counters(f)[POSIX_RENAMED_FROM].i = (int64_t)from;
    dsn__unlock(&f->state);
}

void dsn__posix_flushed(const struct dsn_span *s, struct dsn_record_state *state, int counter)
{
    struct dsn_posix_file *f = state ? dsn__posix_target_of((struct dsn_posix_file *)state) : NULL;

    if (!f || !dsn__lock(&f->state))
        return;
    if (counter >= 0)
        counters(f)[counter].i++;
    dsn__add_time_of(&f->io->direction[DSN_WRITE].times.sum, s, &counters(f)[POSIX_NVALUES + FILE_F_SYNC_TIME].i);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_POSIX, DSN_CALL_CONTINUES_WRITE, &f->state, s, 0);
}

void dsn__posix_sized(struct dsn_record_state *state, int64_t size, int may_shrink)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;

    if (!f || !dsn__lock(state))
        return;
    if (may_shrink)
        dsn__posix_set_size(f, size);
    else
        dsn__posix_raise_size(f, size);
    if (may_shrink && size == 0 && f->io)
        dsn__opening_emptied(counters(f) + POSIX_NVALUES);
    dsn__unlock(state);
}

void dsn__posix_gone(struct dsn_record_state *state, bool is_renamed)
{
    struct dsn_posix_file *f = (struct dsn_posix_file *)state;

    if (!f || !dsn__lock(state))
        return;
    atomic_store_explicit(&f->is_known, 0, memory_order_relaxed);
    if (!is_renamed) {
        dsn__posix_set_size(f, 0);
        if (f->io)
            counters(f)[POSIX_NVALUES + FILE_DELETED].i++;
    }
    dsn__unlock(state);
}

struct dsn_record_state *dsn__posix_of(int fd)
{
    const struct dsn_description *o = dsn__fd_identified(fd);

    return o ? dsn__description_state(o) : NULL;
}

static void trace_sync(const struct dsn_span *s, struct dsn_description *o)
{
    if (dsn__is_tracing_calls())
        trace_call(s, DSN_CALL_SYNC, o, dsn__posix_file_of(o), 0, 0);
}

/* If the descriptor has been closed meanwhile, or reused, its position no longer matters. */
void dsn__posix_done(const struct dsn_span *s, const struct dsn_pending *request, ssize_t moved)
{
    const struct dsn_span whole = { .start = request->start, .end = s->end, .before = s->before };
    struct dsn_description closed = { .state = request->state, .flags = request->append ? DSN_DESCRIPTION_APPENDS : 0 };
    struct dsn_description *o = request->description;
    int64_t offset = request->offset;

    if (moved < 0)
        return;
    if (!o || dsn__description_state(o) != request->state)
        o = &closed;
    else if (request->kind <= DSN_PENDING_WRITE && request->fd >= 0 && dsn__description_may_move(o))
        offset = dsn__posix_offset_in_kernel(request->fd, request->kind == DSN_PENDING_WRITE ? DSN_WRITE : DSN_READ, o,
                                             moved, offset);
    dsn__thread.async = 1;
    switch (request->kind) {
    case DSN_PENDING_READ:
        dsn__posix_note_io(&whole, DSN_READ, o, !request->unaligned, moved, offset);
        break;
    case DSN_PENDING_WRITE:
        dsn__posix_note_io(&whole, DSN_WRITE, o, !request->unaligned, moved, offset);
        break;
    case DSN_PENDING_FSYNC:
        dsn__posix_flushed(&whole, request->state, POSIX_FSYNCS);
        trace_sync(&whole, o);
        break;
    case DSN_PENDING_FDSYNC:
        dsn__posix_flushed(&whole, request->state, POSIX_FDSYNCS);
        trace_sync(&whole, o);
        break;
    }
    dsn__thread.async = 0;
}

/* stdio.c - counters of the STDIO module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec wrapped-calls.md 2. A stream is found by its descriptor, which is a field of FILE, so no table of
 * streams is needed; streams without one (fmemopen and the like) touch no file. */
#include <config.h>

#include "module/stdio.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/kernel.h"
#include "module/shared/access.h"
#include "module/shared/auxiliary.h"
#include "module/shared/calls.h"
#include "module/shared/heatmap.h"
#include "module/shared/lustre.h"
#include "module/shared/opening.h"
#include "module/shared/beside.h"
#include "record/fd.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/record.h"
#include "record/shards.h"

struct stdio_file {
    struct dsn_record_state state;
    _Atomic(int64_t) offset; /* of the standard streams, which the file's other streams do not share */
    struct dsn_times times[2];
    struct dsn_time_sum meta;
    struct dsn_heat heat;
    atomic_int layout_done; /* as in posix.c; and so are these: */
    atomic_uchar is_known;
    unsigned char is_of_many;
    atomic_uint number; /* number in the file of calls of the last open; 0: none yet */
};

static const struct io_rows {
    int ops, bytes, max_byte;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { STDIO_READS,
                   STDIO_BYTES_READ,
                   STDIO_MAX_BYTE_READ,
                   { STDIO_F_READ_START_TIMESTAMP, STDIO_F_READ_END_TIMESTAMP, STDIO_F_READ_TIME, -1 } },
    [DSN_WRITE] = { STDIO_WRITES,
                    STDIO_BYTES_WRITTEN,
                    STDIO_MAX_BYTE_WRITTEN,
                    { STDIO_F_WRITE_START_TIMESTAMP, STDIO_F_WRITE_END_TIMESTAMP, STDIO_F_WRITE_TIME, -1 } },
};

static const char *const standard[3] = { "<STDIN>", "<STDOUT>", "<STDERR>" };

/* dsn_hash of these names, as in every log. */
static const uint64_t standard_id[3] = { UINT64_C(14734109647742566553), UINT64_C(15920181672442173319),
                                         UINT64_C(7238257241479193519) };

bool dsn__is_standard_stream(uint64_t id)
{
    return id == standard_id[0] || id == standard_id[1] || id == standard_id[2];
}

static union dsn_val *counters(struct stdio_file *f)
{
    return f->state.rec->v;
}

static bool init(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    (void)alloc;
    ((struct stdio_file *)state)->layout_done = all_at_once;
    ((struct stdio_file *)state)->is_of_many = all_at_once;
    return true;
}

static void flush(struct dsn_record_state *state, const struct dsn_recording *r)
{
    dsn__heat_flush(&((struct stdio_file *)state)->heat, DSN_HEAT_STDIO, r);
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct stdio_file *f = (const struct stdio_file *)state;

    (void)r;
    for (int d = DSN_READ; d <= DSN_WRITE; d++)
        dsn__publish_times(&f->times[d], &rows[d].times, state->rec->v);
    state->rec->v[STDIO_F_META_TIME].i = f->meta.total;
    state->rec->v[STDIO_NVALUES + FILE_MODULE].i = DSN_STDIO_MODULE;
}

/* Unused standard streams get no record, nor do other unused streams inherited from a parent process. */
static bool is_worth(const struct dsn_rec *rec, uint64_t id)
{
    if (rec->v[STDIO_READS].i != 0 || rec->v[STDIO_WRITES].i != 0)
        return true;
    if (rec->v[STDIO_OPENS].i == 0 && rec->v[STDIO_SEEKS].i == 0)
        return false;
    return !dsn__is_standard_stream(id);
}

static bool wanted(const struct dsn_rec *rec)
{
    return is_worth(rec, rec->id);
}

static bool is_used(const struct dsn_record_state *state)
{
    return is_worth(state->rec, state->name->id);
}

const struct dsn_module_info dsn__stdio_module = {
    .id = DSN_STDIO_MODULE,
    .state_size = sizeof(struct stdio_file),
    .path_named = 1,
    .init = init,
    .flush = flush,
    .finalize = finalize,
    .wanted = wanted,
    .is_used = is_used,
};

static struct stdio_file *file_of(FILE *stream)
{
    return (struct stdio_file *)dsn__stream_state(stream);
}

static void set_stream(FILE *stream, struct stdio_file *f)
{
    dsn__fd_set_stream(dsn__stream_fd(stream), stream, f ? &f->state : NULL);
}

/* What is redirected to a file, before the program began or by itself, is I/O of that file. NULL: it is not redirected to a file. */
static struct stdio_file *redirected_to(FILE *stream)
{
    const int fd = stream ? dsn__stream_fd(stream) : -1;
    struct stdio_file *f;
    struct stat st;
    int64_t at;

    if (fd < 0 || dsn__sys_fstat_known(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    f = (struct stdio_file *)dsn__record_of_descriptor(DSN_INDEX_STDIO, fd, st.st_nlink == 0);
    if (!f || !dsn__lock(&f->state))
        return NULL;
    at = !(dsn__sys_flags(fd) & O_APPEND) ? dsn__sys_position(fd) : dsn__sys_fstat(fd, &st) == 0 ? st.st_size : 0;
    if (f->offset < at)
        f->offset = at;
    dsn__unlock(&f->state);
    return f;
}

void dsn__stdio_start(void)
{
    FILE *const streams[3] = { stdin, stdout, stderr };

    for (int i = 0; i < 3; i++) {
        struct stdio_file *f = redirected_to(streams[i]);

        if (!f && (f = (struct stdio_file *)dsn__record(DSN_INDEX_STDIO, standard[i])))
            counters(f)[STDIO_OPENS].i = 1;
        if (f && streams[i])
            set_stream(streams[i], f);
    }
}

/* The record of a standard stream that is known to be open, at its descriptor. What is not known to be is not looked into:
 * the program may have assigned stdout, and closed that stream. */
static struct stdio_file *stream_of(FILE *stream, int fd)
{
    const struct dsn_fd *entry = stream ? dsn__fd(fd) : NULL;

    if (!entry || atomic_load_explicit(&entry->owner, memory_order_acquire) != (void *)stream ||
        dsn__stream_fd(stream) != fd)
        return NULL;
    return (struct stdio_file *)dsn__entry_stream(entry);
}

/* A description that a standard stream has used is where the stream is, which the POSIX calls have not seen. */
static void note_positions(FILE *const streams[3])
{
    for (int fd = 0; fd < 3; fd++) {
        struct dsn_description *o = dsn__fd_description(fd);
        const struct stdio_file *f = o && !dsn__description_is_unidentified(o) ? stream_of(streams[fd], fd) : NULL;
        const int64_t at = f ? atomic_load_explicit(&f->offset, memory_order_relaxed) : 0;

        if (f && dsn__description_state(o)->name == f->state.name &&
            atomic_load_explicit(&o->offset, memory_order_relaxed) < at)
            atomic_store_explicit(&o->offset, at, memory_order_relaxed);
    }
}

/* The record of the file of a description, which a standard stream shall use, at its position; NULL: none. */
static struct stdio_file *described_by(const struct dsn_description *o, int fd)
{
    struct stdio_file *f = (struct stdio_file *)dsn__record_of_name(DSN_INDEX_STDIO, dsn__description_state(o)->name);
    struct stat st;

    if (f && dsn__lock(&f->state)) {
        f->offset = !dsn__description_appends(o)   ? atomic_load_explicit(&o->offset, memory_order_relaxed)
                    : dsn__sys_fstat(fd, &st) == 0 ? st.st_size
                                                   : 0;
        dsn__unlock(&f->state);
    }
    return f;
}

void dsn__stdio_redirected(int fd, int from)
{
    FILE *const streams[3] = { stdin, stdout, stderr };
    struct stdio_file *const was = fd >= 0 && fd < 3 ? stream_of(streams[fd], fd) : NULL;
    const struct dsn_description *o = dsn__fd_description(from);
    struct stdio_file *f;

    if (!was || fd == from)
        return;
    note_positions(streams);
    f = o && !dsn__description_is_unidentified(o) ? described_by(o, fd) : redirected_to(streams[fd]);
    if (!f && (f = (struct stdio_file *)dsn__record(DSN_INDEX_STDIO, standard[fd])) && dsn__lock(&f->state)) {
        counters(f)[STDIO_OPENS].i = 1;
        dsn__unlock(&f->state);
    }
    if (f && f != was)
        set_stream(streams[fd], f);
}

/* Logs a call (DARSHAN_TRACE). */
static __attribute__((noinline)) void trace_call(const struct dsn_span *s, enum dsn_call call, struct stdio_file *f,
                                                 int64_t offset, int64_t bytes)
{
    unsigned number = atomic_load_explicit(&f->number, memory_order_relaxed);

    if (number == 0 || call == DSN_CALL_OPEN) {
        number = dsn__calls_number(s, f->state.name->text);
        atomic_store_explicit(&f->number, number, memory_order_relaxed);
    }
    dsn__calls_add(s, call, number, offset, bytes);
}

/* This thread's shard of the record if many use the file (record/shards.h), else it; locked. */
static struct stdio_file *locked_shard_of(struct stdio_file *whole)
{
    return dsn__lock_uncontended(&whole->state) ? whole
                                                : (struct stdio_file *)dsn__lock_shard(DSN_INDEX_STDIO, &whole->state);
}

/* The standard streams often share one description, and with it the position. */
static _Atomic(int64_t) *position_of(struct stdio_file *whole, const FILE *stream, struct dsn_fd *entry)
{
    return stream->_fileno <= STDERR_FILENO ? &whole->offset : &entry->offset;
}

static void set_position(struct stdio_file *whole, FILE *stream, int64_t to)
{
    struct dsn_fd *entry = dsn__stream_entry(stream);

    if (entry)
        atomic_store_explicit(position_of(whole, stream, entry), to, memory_order_relaxed);
}

static void note_meta(struct stdio_file *f, const struct dsn_span *s)
{
    dsn__add_time(&f->meta, s);
}

/* `flags`, `found`: of a stream that opens a file by name; else NULL. */
static void note_open(struct stdio_file *f, const struct dsn_span *s, int counter, int flags,
                      const struct dsn_opened *found)
{
    if (!dsn__lock(&f->state))
        return;
    counters(f)[STDIO_OPENS].i++;
    if (counter == STDIO_FDOPENS)
        counters(f)[STDIO_FDOPENS].i++;
    dsn__stamp(&counters(f)[STDIO_F_OPEN_START_TIMESTAMP].i, &counters(f)[STDIO_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time_of(&f->meta, s, &counters(f)[STDIO_NVALUES + FILE_F_OPEN_TIME].i);
    if (found && found->is_for_writing) {
        dsn__opening_count(counters(f) + STDIO_NVALUES, flags, found, f->is_of_many);
        atomic_store_explicit(&f->is_known, !f->is_of_many, memory_order_relaxed);
    }
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_STDIO, DSN_CALL_IS_META, &f->state, s, 0);
    if (dsn__is_tracing_calls() && counter != STDIO_FDOPENS)
        trace_call(s, DSN_CALL_OPEN, f, 0, 0);
}

/* The library closed and opened descriptors by calls that are not intercepted: what was known about this number is
 * stale. */
/* As the C library opens a file for a mode; what follows a comma is no part of it. */
static int flags_of_mode(const char *mode)
{
    int access = mode[0] == 'r' ? O_RDONLY : O_WRONLY, exclusive = 0;

    for (const char *c = mode; *c && *c != ','; c++) {
        access = *c == '+' ? O_RDWR : access;
        exclusive = *c == 'x' ? O_EXCL : exclusive;
    }
    return access | (mode[0] == 'w'   ? O_CREAT | O_TRUNC | exclusive
                     : mode[0] == 'a' ? O_CREAT | O_APPEND | exclusive
                                      : 0);
}

void dsn__stdio_open(const struct dsn_span *s, FILE *stream, const char *path, const char *mode)
{
    const int flags = mode ? flags_of_mode(mode) : O_RDWR | O_CREAT | O_EXCL;
    struct dsn_opened found;
    struct stdio_file *f;
    mode_t channel;

    if (!stream || !path)
        return;
    dsn__fd_forget(dsn__stream_fd(stream));
    f = (struct stdio_file *)dsn__record(DSN_INDEX_STDIO, path);
    set_stream(stream, f);
    if (!f)
        return;
    set_position(f, stream, 0);
    dsn__opening_look(atomic_load_explicit(&f->is_known, memory_order_relaxed), dsn__stream_fd(stream), flags, &found);
    channel = S_ISREG(found.mode) ? 0 : dsn__fd_channel(dsn__stream_fd(stream));
    if (channel)
        dsn__modules_note_channel(f->state.name, channel);
    note_open(f, s, STDIO_OPENS, flags, &found);
}

void dsn__stdio_fdopen(const struct dsn_span *s, FILE *stream, int fd)
{
    const struct dsn_description *o = dsn__fd_identified(fd);
    struct stdio_file *f =
        o ? (struct stdio_file *)dsn__record_of_name(DSN_INDEX_STDIO, dsn__description_state(o)->name) : NULL;

    if (!stream)
        return;
    set_stream(stream, f);
    if (!f)
        return;
    set_position(f, stream, atomic_load(&o->offset));
    note_open(f, s, STDIO_FDOPENS, 0, NULL);
}

/* The caller holds the lock of `f`; `has_shards`: other threads, which hold locks of others, may move the position, too.
 * Returns the end of the access. */
static inline __attribute__((always_inline)) int64_t count_bytes(struct stdio_file *f, _Atomic(int64_t) *position,
                                                                 int has_shards, enum dsn_direction d, int64_t bytes)
{
    const struct io_rows *r = &rows[d];
    union dsn_val *v = counters(f);
    int64_t end;

    if (has_shards)
        end = atomic_fetch_add_explicit(position, bytes, memory_order_relaxed) + bytes;
    else {
        end = atomic_load_explicit(position, memory_order_relaxed) + bytes;
        atomic_store_explicit(position, end, memory_order_relaxed);
    }
    dsn__raise(&v[r->max_byte], end - 1);
    v[r->bytes].i += bytes;
    v[r->ops].i++;
    return end;
}

static inline __attribute__((always_inline)) void count_served(struct stdio_file *f, _Atomic(int64_t) *position,
                                                               int has_shards, enum dsn_direction d, int64_t bytes)
{
    count_bytes(f, position, has_shards, d, bytes);
    if (d == DSN_WRITE)
        f->heat.waiting += bytes;
    else
        f->heat.bytes[DSN_READ] += bytes;
}

/* Its first access is timed, because the thread may make no other that is: the bytes are to be in a bin of the heat map. */
static __attribute__((noinline)) void count_served_in_shard(struct stdio_file *whole, _Atomic(int64_t) *position,
                                                            enum dsn_direction d, int64_t bytes)
{
    struct stdio_file *shard = locked_shard_of(whole);
    struct dsn_span now;

    if (!shard)
        return;
    if (shard->heat.begin == shard->heat.end) {
        now.start = now.end = dsn__ticks();
        DSN_HEAT_ADD(&shard->heat, DSN_HEAT_STDIO, d, &now, 1);
        shard->heat.bytes[d]--;
    }
    count_served(shard, position, dsn__has_shards(&whole->state), d, bytes);
    dsn__unlock(&shard->state);
}

void dsn__stdio_served(FILE *stream, struct dsn_fd *entry, enum dsn_direction d, int64_t bytes)
{
    struct stdio_file *const whole = (struct stdio_file *)dsn__entry_stream(entry);
    const char here = 0; /* not `whole`, which need not be in memory */
    _Atomic(int64_t) *position;

    if (!whole || bytes < 0)
        return;
    position = position_of(whole, stream, entry);
    dsn__mark(&here);
    if (!dsn__lock_uncontended(&whole->state))
        count_served_in_shard(whole, position, d, bytes);
    else {
        if (d == DSN_WRITE)
            count_served(whole, position, 0, DSN_WRITE, bytes);
        else
            count_served(whole, position, 0, DSN_READ, bytes);
        dsn__unlock(&whole->state);
    }
    dsn__count_beside(DSN_LAYER_STDIO, dsn__call_kind(d), &whole->state, NULL, bytes);
    dsn__unmark();
}

/* A write of `bytes` to the file, which includes what was buffered before. */
static void add_write(struct stdio_file *f, const struct dsn_span *s, int64_t bytes)
{
    bytes += f->heat.waiting;
    f->heat.waiting = 0;
    DSN_HEAT_ADD(&f->heat, DSN_HEAT_STDIO, DSN_WRITE, s, bytes);
}

/* Ends a timed call that was counted in `f`, the locked whole or a shard of it. */
static void end_timed(struct stdio_file *whole, struct stdio_file *f, const struct dsn_span *s, enum dsn_direction d,
                      enum dsn_call_kind kind, int64_t bytes)
{
    if (f == whole)
        dsn__note_times(&f->times[d], s);
    else
        dsn__note_shard_times(&f->times[d], s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_STDIO, kind, &whole->state, s, bytes);
    if (f != whole)
        dsn__add_time_later(&whole->state, &whole->times[d].sum, s);
}

/* Returns the end of the access, -1 if it is not counted. */
static inline __attribute__((always_inline)) int64_t count_io(const struct dsn_span *s, enum dsn_direction d,
                                                              FILE *stream, struct dsn_fd *entry, int64_t bytes)
{
    struct stdio_file *const whole = (struct stdio_file *)dsn__entry_stream(entry), *f;
    int64_t end;

    if (!whole || bytes < 0 || !(f = locked_shard_of(whole)))
        return -1;
    end = count_bytes(f, position_of(whole, stream, entry), dsn__has_shards(&whole->state), d, bytes);
    if (d == DSN_WRITE)
        add_write(f, s, bytes);
    else
        DSN_HEAT_ADD(&f->heat, DSN_HEAT_STDIO, d, s, bytes);
    end_timed(whole, f, s, d, dsn__call_kind(d), bytes);
    return end;
}

static void note_io(const struct dsn_span *s, enum dsn_direction d, FILE *stream, struct dsn_fd *entry, int64_t bytes)
{
    const int64_t end = count_io(s, d, stream, entry, bytes);

    if (dsn__is_tracing_calls() && end >= 0)
        trace_call(s, d == DSN_WRITE ? DSN_CALL_WRITE : DSN_CALL_READ, file_of(stream), end - bytes, bytes);
}

void dsn__stdio_io(const struct dsn_span *s, enum dsn_direction d, FILE *stream, int64_t bytes)
{
    note_io(s, d, stream, dsn__stream_entry(stream), bytes);
}

/* Bytes pushed back by ungetc are read again, but not from the file. */
void dsn__stdio_read(const struct dsn_span *s, FILE *stream, int64_t bytes)
{
    struct dsn_fd *entry = dsn__stream_entry(stream);
    struct stdio_file *f = (struct stdio_file *)dsn__entry_stream(entry);
    const int64_t pushed = f ? atomic_load_explicit(&entry->pushed, memory_order_relaxed) : 0;
    const int64_t again = bytes < pushed ? bytes : pushed;

    if (__builtin_expect(pushed != 0, 0) && bytes > 0) {
        atomic_store_explicit(&entry->pushed, pushed - again, memory_order_relaxed);
        bytes -= again;
    }
    note_io(s, DSN_READ, stream, entry, bytes);
}

int64_t dsn__stdio_moved(FILE *stream, int64_t place, int64_t bytes)
{
    struct dsn_fd *entry = dsn__stream_entry(stream);
    struct stdio_file *f = (struct stdio_file *)dsn__entry_stream(entry);
    const int64_t most = stream->_IO_buf_end - stream->_IO_buf_base + bytes;
    const int64_t n = f ? place - atomic_load_explicit(position_of(f, stream, entry), memory_order_relaxed) : 0;

    if (!f || place < 0 || n < 0)
        return bytes;
    if (n > most) /* from here on it is known */
        set_position(f, stream, place - bytes);
    return n <= most ? n : bytes;
}

void dsn__stdio_unread(FILE *stream, int64_t bytes)
{
    struct dsn_fd *entry = dsn__stream_entry(stream);

    if (dsn__entry_stream(entry) && bytes > 0)
        atomic_fetch_add_explicit(&entry->pushed, bytes, memory_order_relaxed);
}

void dsn__stdio_flush(const struct dsn_span *s, FILE *stream, int result)
{
    struct stdio_file *const whole = file_of(stream), *f;

    if (!whole || result < 0 || !(f = locked_shard_of(whole)))
        return;
    counters(f)[STDIO_FLUSHES].i++;
    add_write(f, s, 0);
    end_timed(whole, f, s, DSN_WRITE, DSN_CALL_CONTINUES_WRITE, 0);
}

void dsn__stdio_seek(const struct dsn_span *s, FILE *stream, int64_t position)
{
    struct dsn_fd *entry = dsn__stream_entry(stream);
    struct stdio_file *const whole = (struct stdio_file *)dsn__entry_stream(entry), *f;

    if (!whole || position < 0 || !(f = locked_shard_of(whole)))
        return;
    atomic_store_explicit(&entry->pushed, 0, memory_order_relaxed);
    atomic_store_explicit(position_of(whole, stream, entry), position, memory_order_relaxed);
    counters(f)[STDIO_SEEKS].i++;
    if (f == whole)
        note_meta(f, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_STDIO, DSN_CALL_IS_META, &whole->state, s, 0);
    if (f != whole)
        dsn__add_time_later(&whole->state, &whole->meta, s);
    if (dsn__is_tracing_calls())
        trace_call(s, DSN_CALL_SEEK, whole, position, 0);
}

/* As in fileno. In a stream without a file (open_memstream) the field holds a stale number. */
static bool has_file(const FILE *stream)
{
    const int is_filebuf = 0x2000; /* _IO_IS_FILEBUF in glibc */

    return (stream->_flags & is_filebuf) != 0;
}

void *dsn__stdio_release(FILE *stream)
{
    struct stdio_file *f = file_of(stream);

    if (stream && has_file(stream)) {
        set_stream(stream, NULL);
        dsn__fd_forget(dsn__stream_fd(stream));
    }
    if (f)
        dsn__lustre_closing(stream->_fileno, f->state.name, &f->layout_done);
    return f;
}

/* What fclose has written. */
static void write_rest(struct stdio_file *f, const struct dsn_span *s)
{
    if (f->heat.waiting == 0)
        return;
    dsn__stamp(&f->times[DSN_WRITE].first, &f->times[DSN_WRITE].last, s);
    add_write(f, s, 0);
}

void dsn__stdio_close(const struct dsn_span *s, void *released)
{
    struct stdio_file *f = released, *shard;

    if (!f || !dsn__lock(&f->state))
        return;
    dsn__stamp(&counters(f)[STDIO_F_CLOSE_START_TIMESTAMP].i, &counters(f)[STDIO_F_CLOSE_END_TIMESTAMP].i, s);
    dsn__add_time_of(&f->meta, s, &counters(f)[STDIO_NVALUES + FILE_F_CLOSE_TIME].i);
    write_rest(f, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_STDIO, DSN_CALL_IS_META, &f->state, s, 0);
    if (atomic_load(&f->state.shards) && (shard = locked_shard_of(f))) {
        write_rest(shard, s);
        dsn__unlock(&shard->state);
    }
    if (dsn__is_tracing_calls() && atomic_load_explicit(&f->number, memory_order_relaxed) != 0)
        trace_call(s, DSN_CALL_CLOSE, f, 0, 0);
}

void dsn__stdio_gone(struct dsn_record_state *state, bool is_renamed)
{
    struct stdio_file *f = (struct stdio_file *)state;

    if (!f || !dsn__lock(state))
        return;
    atomic_store_explicit(&f->is_known, 0, memory_order_relaxed);
    counters(f)[STDIO_NVALUES + FILE_DELETED].i += !is_renamed;
    dsn__unlock(state);
}

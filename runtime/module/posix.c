/* posix.c - counters of the POSIX module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a call means: spec wrapped-calls.md 1, with the column "Required" of 1.4: the file position belongs to the
 * open file description, so that dup'ed descriptors share it and two opens do not; calls with an offset of their own
 * do not move it; appending writes go to the end of the file. */
#include <config.h>

#include "module/posix.h"

#include <fcntl.h>

#include "core/core.h"
#include "core/fd.h"
#include "core/state.h"
#include "module/access.h"
#include "module/modules.h"

struct posix_file {
    struct dsn_live live;
    int64_t last_read, last_written;        /* offset of the last byte of the last access */
    struct dsn_busy reading, writing, meta; /* behind the three cumulative times */
    int64_t size;                           /* end of file as far as is known; only kept for appending */
    int last_op;                            /* 1 + enum dsn_direction; 0: none yet */
    atomic_int has_block_size;
    struct dsn_common access, stride;
};

/* Indexes of the counters that reads and writes have each; one row a counter, one column a direction. */
static const struct io_rows {
    int ops, bytes, max_byte, consec, seq, size_bin, max_size, start, end, time, max_time;
} rows[2] = {
    [DSN_READ] = { POSIX_READS, POSIX_BYTES_READ, POSIX_MAX_BYTE_READ, POSIX_CONSEC_READS, POSIX_SEQ_READS,
                   POSIX_SIZE_READ_0_100, POSIX_MAX_READ_TIME_SIZE, POSIX_F_READ_START_TIMESTAMP,
                   POSIX_F_READ_END_TIMESTAMP, POSIX_F_READ_TIME, POSIX_F_MAX_READ_TIME },
    [DSN_WRITE] = { POSIX_WRITES, POSIX_BYTES_WRITTEN, POSIX_MAX_BYTE_WRITTEN, POSIX_CONSEC_WRITES, POSIX_SEQ_WRITES,
                    POSIX_SIZE_WRITE_0_100, POSIX_MAX_WRITE_TIME_SIZE, POSIX_F_WRITE_START_TIMESTAMP,
                    POSIX_F_WRITE_END_TIMESTAMP, POSIX_F_WRITE_TIME, POSIX_F_MAX_WRITE_TIME },
};

static union dsn_val *values(struct posix_file *f)
{
    return f->live.rec->v;
}

static void init(struct dsn_live *live)
{
    live->rec->v[POSIX_MEM_ALIGNMENT].i = dsn__state.config.mem_alignment;
    live->rec->v[POSIX_FILE_ALIGNMENT].i = -1;
    live->rec->v[POSIX_MMAPS].i = -1; /* mmap is not wrapped */
}

static void finish(struct dsn_live *live)
{
    const struct posix_file *f = (struct posix_file *)live;

    dsn__common_publish(&f->access, &live->rec->v[POSIX_ACCESS1_ACCESS]);
    dsn__common_publish(&f->stride, &live->rec->v[POSIX_STRIDE1_STRIDE]);
}

const struct dsn_slot_info dsn__posix_slot = {
    .id = DSN_POSIX_MODULE,
    .live_size = sizeof(struct posix_file),
    .path_named = 1,
    .init = init,
    .finish = finish,
};

/* ------------------------------------------------------------------ opens and closes */

static struct posix_file *file_of(const struct dsn_open *o)
{
    return (struct posix_file *)o->live;
}

void *dsn__posix_release(int fd)
{
    return dsn__fd_forget(fd);
}

static struct posix_file *file_at(int dirfd, const char *path)
{
    return (struct posix_file *)dsn__record_at(DSN_SLOT_POSIX, dirfd, path);
}

static void note_meta(struct posix_file *f, const struct dsn_span *s)
{
    dsn__add_time(&values(f)[POSIX_F_META_TIME], &f->meta, s);
}

static void note_open_times(struct posix_file *f, const struct dsn_span *s)
{
    dsn__stamp(&values(f)[POSIX_F_OPEN_START_TIMESTAMP], &values(f)[POSIX_F_OPEN_END_TIMESTAMP], s);
    note_meta(f, s);
}

/* The block size is asked for outside of all locks: a file system that is slow to answer holds up this thread only,
 * which has just used it. */
static int64_t block_size_for(struct posix_file *f)
{
    return atomic_load_explicit(&f->has_block_size, memory_order_relaxed) ? -1 : dsn__block_size(f->live.file->name);
}

/* Caller holds the record's lock. */
static void set_block_size(struct posix_file *f, int64_t size)
{
    if (atomic_exchange(&f->has_block_size, 1) == 0)
        values(f)[POSIX_FILE_ALIGNMENT].i = size;
}

static int64_t size_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? (int64_t)st.st_size : 0;
}

void dsn__posix_open(const struct dsn_span *s, int fd, int dirfd, const char *path, int flags, mode_t mode)
{
    const int64_t end = fd >= 0 && (flags & O_APPEND) ? size_of(fd) : 0;
    struct posix_file *f;
    struct dsn_open *o;
    int64_t block;

    if (fd < 0)
        return;
    f = file_at(dirfd, path);
    o = dsn__fd_set_open(fd, f ? &f->live : NULL);
    if (!f)
        return;
    block = block_size_for(f);
    if (!dsn__lock(&f->live))
        return;
    set_block_size(f, block);
    if (o)
        o->append = (flags & O_APPEND) != 0;
    if (mode)
        values(f)[POSIX_MODE].i = mode;
    if (flags & O_TRUNC)
        f->size = 0;
    if (f->size < end)
        f->size = end;
    f->last_read = f->last_written = 0;
    values(f)[POSIX_OPENS].i++;
    note_open_times(f, s);
    dsn__unlock(&f->live);
}

static void note_again(struct posix_file *f, const struct dsn_span *s, int counter)
{
    if (!dsn__lock(&f->live))
        return;
    values(f)[counter].i++;
    values(f)[POSIX_OPENS].i++;
    note_open_times(f, s);
    dsn__unlock(&f->live);
}

void dsn__posix_dup(const struct dsn_span *s, int fd, int from)
{
    const struct dsn_open *o = dsn__fd_open(from);

    if (fd < 0)
        return;
    dsn__fd_dup(fd, from);
    if (o)
        note_again(file_of(o), s, POSIX_DUPS);
}

void dsn__posix_fileno(const struct dsn_span *s, int fd)
{
    struct dsn_fd *entry = dsn__fd(fd);
    struct dsn_live *stream = entry ? atomic_load(&entry->stream) : NULL;
    const struct dsn_open *o = dsn__fd_open(fd);
    struct posix_file *f;
    int64_t block;

    if (!stream)
        return;
    f = o ? file_of(o) : (struct posix_file *)dsn__record_of_file(DSN_SLOT_POSIX, stream->file);
    if (!f)
        return;
    block = block_size_for(f);
    if (dsn__lock(&f->live)) {
        set_block_size(f, block);
        dsn__unlock(&f->live);
    }
    if (!o)
        dsn__fd_set_open(fd, &f->live);
    note_again(f, s, POSIX_FILENOS);
}

void dsn__posix_close(const struct dsn_span *s, void *released)
{
    struct posix_file *f = released;

    if (!f || !dsn__lock(&f->live))
        return;
    f->last_read = f->last_written = 0;
    dsn__stamp(&values(f)[POSIX_F_CLOSE_START_TIMESTAMP], &values(f)[POSIX_F_CLOSE_END_TIMESTAMP], s);
    note_meta(f, s);
    dsn__unlock(&f->live);
}

/* ------------------------------------------------------------------ reading and writing */

/* Where the access is relative to the one before of the same direction. Before the first one `last` is 0, so an
 * access at the start of a file counts neither as sequential nor as consecutive. */
static void note_place(struct posix_file *f, const struct io_rows *r, int64_t last, int64_t offset)
{
    int64_t stride = 0;

    if (offset > last)
        values(f)[r->seq].i++;
    if (offset == last + 1)
        values(f)[r->consec].i++;
    if (offset > 0 && offset > last && last != 0)
        stride = offset - last - 1;
    dsn__common_add(&f->stride, stride);
}

static void note_alignment(struct posix_file *f, int64_t offset, int mem_aligned)
{
    const int64_t alignment = values(f)[POSIX_FILE_ALIGNMENT].i;

    if (!mem_aligned)
        values(f)[POSIX_MEM_NOT_ALIGNED].i++;
    if (alignment > 0 && offset % alignment != 0)
        values(f)[POSIX_FILE_NOT_ALIGNED].i++;
}

/* The offset that the access had. Only a call without one of its own moves the file position; appending goes to the
 * end of the file whatever offset is given. */
static int64_t place_of(struct dsn_open *o, const struct posix_file *f, enum dsn_direction d, int64_t given, ssize_t n)
{
    int64_t offset = given == DSN_AT_CURSOR ? o->offset : given;

    if (d == DSN_WRITE && o->append)
        offset = f->size;
    if (given == DSN_AT_CURSOR)
        o->offset = offset + n;
    return offset;
}

static void note_io(const struct dsn_span *s, enum dsn_direction d, struct dsn_open *o, int mem_aligned, ssize_t n,
                    int64_t offset)
{
    struct posix_file *f = file_of(o);
    const struct io_rows *r = &rows[d];
    int64_t *last = d == DSN_READ ? &f->last_read : &f->last_written;
    union dsn_val *v;

    if (!dsn__lock(&f->live))
        return;
    v = values(f);
    offset = place_of(o, f, d, offset, n);
    note_place(f, r, *last, offset);
    *last = offset + n - 1;
    dsn__raise(&v[r->max_byte], *last);
    if (d == DSN_WRITE && f->size < offset + n)
        f->size = offset + n;
    v[r->bytes].i += n;
    v[r->ops].i++;
    v[r->size_bin + (int)dsn_size_bin(n)].i++;
    dsn__common_add(&f->access, n);
    note_alignment(f, offset, mem_aligned);
    if (f->last_op != 0 && f->last_op != 1 + (int)d)
        v[POSIX_RW_SWITCHES].i++;
    f->last_op = 1 + (int)d;
    dsn__stamp(&v[r->start], &v[r->end], s);
    dsn__add_time(&v[r->time], d == DSN_READ ? &f->reading : &f->writing, s);
    dsn__longest(&v[r->max_time], &v[r->max_size], &v[r->time], s, n);
    dsn__unlock(&f->live);
}

static int is_aligned(const void *buf)
{
    return (uintptr_t)buf % (uintptr_t)dsn__state.config.mem_alignment == 0;
}

void dsn__posix_io(const struct dsn_span *s, enum dsn_direction d, int fd, const void *buf, ssize_t n, int64_t offset)
{
    struct dsn_open *o = dsn__fd_open(fd);

    if (o && n >= 0)
        note_io(s, d, o, is_aligned(buf), n, offset);
}

void dsn__posix_iov(const struct dsn_span *s, enum dsn_direction d, int fd, const struct iovec *iov, int count,
                    ssize_t n, int64_t offset)
{
    struct dsn_open *o = dsn__fd_open(fd);
    int aligned = 1;

    if (!o || n < 0)
        return;
    for (int i = 0; i < count; i++)
        aligned = aligned && is_aligned(iov[i].iov_base);
    note_io(s, d, o, aligned, n, offset == -1 ? DSN_AT_CURSOR : offset);
}

/* ------------------------------------------------------------------ other calls */

/* The description may be another file's by now, if another thread has closed the descriptor: its record is looked up
 * once. */
void dsn__posix_seek(const struct dsn_span *s, int fd, int64_t result)
{
    struct dsn_open *o = dsn__fd_open(fd);
    struct posix_file *f = o ? file_of(o) : NULL;

    if (!f || result < 0 || !dsn__lock(&f->live))
        return;
    o->offset = result;
    values(f)[POSIX_SEEKS].i++;
    note_meta(f, s);
    dsn__unlock(&f->live);
}

void dsn__posix_sync(const struct dsn_span *s, int fd, int result, int data_only)
{
    const struct dsn_open *o = dsn__fd_open(fd);
    struct posix_file *f = o ? file_of(o) : NULL;

    if (!f || result < 0 || !dsn__lock(&f->live))
        return;
    values(f)[data_only ? POSIX_FDSYNCS : POSIX_FSYNCS].i++;
    dsn__add_time(&values(f)[POSIX_F_WRITE_TIME], &f->writing, s);
    dsn__unlock(&f->live);
}

static void note_stat(struct posix_file *f, const struct dsn_span *s)
{
    const int64_t block = block_size_for(f);

    if (!dsn__lock(&f->live))
        return;
    set_block_size(f, block);
    values(f)[POSIX_STATS].i++;
    note_meta(f, s);
    dsn__unlock(&f->live);
}

void dsn__posix_stat(const struct dsn_span *s, int result, int dirfd, const char *path, mode_t found)
{
    struct posix_file *f;

    if (result < 0 || !S_ISREG(found))
        return;
    f = file_at(dirfd, path);
    if (f)
        note_stat(f, s);
}

void dsn__posix_fstat(const struct dsn_span *s, int result, int fd, mode_t found)
{
    struct dsn_open *o = dsn__fd_open(fd);

    if (o && result >= 0 && S_ISREG(found))
        note_stat(file_of(o), s);
}

void dsn__posix_statat(const struct dsn_span *s, int result, int dirfd, const char *path, int flags, mode_t found)
{
    if (result >= 0 && (flags & AT_EMPTY_PATH) && (!path || path[0] == '\0'))
        dsn__posix_fstat(s, result, dirfd, found);
    else
        dsn__posix_stat(s, result, dirfd, path, found);
}

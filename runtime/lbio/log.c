/* log.c - writes the log of this process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"

#define MOST_SEGMENT  (INT64_C(64) << 20)
#define LEAST_SEGMENT (INT64_C(1) << 20)
#define MOST_META     (INT64_C(64) << 20) /* bytes of records per segment */
#define PRIVATE       0600

static const struct lbio_calls *const calls = &lbio__log_calls;

static void read_line(const char *path, char *out, size_t size)
{
    const int fd = dsn__sys_open(path, 0);
    const ssize_t n = fd >= 0 ? dsn__sys_read(fd, out, size - 1) : -1;

    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (fd >= 0)
        dsn__sys_close(fd);
}

static int write_header(struct lbio_log *l, const char *job, int rank)
{
    struct lbio_map_header h;

    memset(&h, 0, sizeof h);
    h.magic = LBIO_MAP_MAGIC;
    h.version = LBIO_VERSION;
    h.pid = (uint32_t)dsn__sys_getpid();
    h.begun = time(NULL);
    h.rank = rank;
    read_line("/proc/sys/kernel/random/boot_id", h.boot, sizeof h.boot);
    read_line("/proc/sys/kernel/hostname", h.host, sizeof h.host);
    dsn__format(h.job, sizeof h.job, "%s", job);
    h.sum = lbio__sum(0, &h, offsetof(struct lbio_map_header, sum));
    if (lbio__write_all(calls, l->map, &h, sizeof h, 0) != 0)
        return -1;
    l->map_size = sizeof h;
    return 0;
}

/* A recovery may hold it for a moment, to see whether the process is there. */
static int lock(int fd)
{
    const struct timespec pause = { 0, 1000000 };
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    for (int tries = 0; dsn__sys_lock(fd, F_OFD_SETLK, &whole) != 0; tries++) {
        if ((errno != EAGAIN && errno != EACCES) || tries == 100)
            return -1;
        dsn__syscall(SYS_nanosleep, &pause, NULL);
    }
    return 0;
}

/* An earlier process with this pid may have left its log. */
static int make_directory(struct lbio_log *l, const char *parent, const char *job, int rank)
{
    for (int try = 0; try < 1000; try++) {
        const int pid = (int)dsn__sys_getpid();
        const int n =
            try == 0
                ? dsn__format(l->directory, sizeof l->directory, "%s/lbio.%s.%d.%d", parent, job, rank, pid)
                : dsn__format(l->directory, sizeof l->directory, "%s/lbio.%s.%d.%d.%d", parent, job, rank, pid, try);

        if (n >= (int)sizeof l->directory - 64) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (calls->mkdir(l->directory, 0700) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static void path_of(const struct lbio_log *l, const char *name, int64_t start, char *out, size_t size)
{
    dsn__format(out, size, "%s/%s.%lld", l->directory, name, (long long)start);
}

int lbio__log_open(struct lbio_log *l, const char *parent, const char *job, int rank, int64_t most)
{
    char path[LBIO_PATH_MAX];

    memset(l, 0, sizeof *l);
    l->most = most;
    l->segment_size = most / 8 > MOST_SEGMENT ? MOST_SEGMENT : most / 8 < LEAST_SEGMENT ? LEAST_SEGMENT : most / 8;
    if (l->segment_size < most / (LBIO_SEGMENTS / 2)) /* so that they fit into the ring */
        l->segment_size = most / (LBIO_SEGMENTS / 2);
    if (make_directory(l, parent, job, rank) != 0)
        return -1;
    dsn__format(path, sizeof path, "%s/map", l->directory);
    l->map = calls->open(path, O_RDWR | O_CREAT | O_EXCL, PRIVATE);
    if (l->map >= 0) {
        l->map = lbio__out_of_the_way(l->map);
        if (lock(l->map) == 0 && write_header(l, job, rank) == 0) {
            l->is_open = 1;
            return 0;
        }
    }
    const int error = errno;
    if (l->map >= 0) {
        calls->unlink(path);
        calls->close(l->map);
    }
    calls->rmdir(l->directory);
    errno = error;
    return -1;
}

static struct lbio_segment *last_segment(struct lbio_log *l)
{
    return l->count > 0 ? &l->segment[(l->first + l->count - 1) % LBIO_SEGMENTS] : NULL;
}

static int open_part(struct lbio_log *l, const char *name, int64_t start)
{
    char path[LBIO_PATH_MAX];
    int fd;

    path_of(l, name, start, path, sizeof path);
    fd = calls->open(path, O_RDWR | O_CREAT | O_EXCL, PRIVATE);
    return fd >= 0 ? lbio__out_of_the_way(fd) : -1;
}

static void remove_part(struct lbio_log *l, const char *name, const struct lbio_segment *s, int fd)
{
    char path[LBIO_PATH_MAX];

    path_of(l, name, s->start, path, sizeof path);
    calls->unlink(path);
    calls->close(fd);
}

/* Removes the records first: data without records is ignored. */
static void remove_segment(struct lbio_log *l, const struct lbio_segment *s)
{
    remove_part(l, "meta", s, s->meta);
    remove_part(l, "data", s, s->data);
}

/* A quarter of what it has stays free for others: logs of several processes do not fill the disk together. */
static int has_space(const struct lbio_log *l)
{
    struct statfs fs;

    return dsn__sys_fstatfs(l->map, &fs) != 0 || (int64_t)fs.f_bavail * fs.f_bsize >= l->used / 4;
}

static struct lbio_segment *new_segment(struct lbio_log *l)
{
    struct lbio_segment *s = &l->segment[(l->first + l->count) % LBIO_SEGMENTS];

    if (l->count == LBIO_SEGMENTS || !has_space(l)) {
        errno = EAGAIN;
        return NULL;
    }
    *s = (struct lbio_segment){ .start = l->end, .serial = ++l->segments };
    s->data = open_part(l, "data", s->start);
    if (s->data < 0)
        return NULL;
    s->meta = open_part(l, "meta", s->start);
    if (s->meta < 0) {
        const int error = errno;

        remove_part(l, "data", s, s->data);
        errno = error;
        return NULL;
    }
    l->count++;
    return s;
}

/* A segment with free space, some of which may be reserved, but not written yet. */
static struct lbio_segment *current(struct lbio_log *l)
{
    struct lbio_segment *s = last_segment(l);

    return s && s->size < l->segment_size && s->meta_size < MOST_META ? s : new_segment(l);
}

/* Removes the oldest segments without pending writes; the last one only if `all`, or if it is almost full. */
static void remove_idle(struct lbio_log *l, int all)
{
    while (l->count > 0 && l->segment[l->first].pending == 0) {
        const struct lbio_segment *oldest = &l->segment[l->first];

        if (!all && l->count == 1 && oldest->size < l->segment_size / 4 && oldest->meta_size < MOST_META / 4)
            break;
        l->used -= oldest->size;
        remove_segment(l, oldest);
        l->first = (l->first + 1) % LBIO_SEGMENTS;
        l->count--;
    }
}

int64_t lbio__log_reserve(struct lbio_log *l, int64_t n, struct lbio_segment **segment)
{
    struct lbio_segment *s;
    int64_t pos;

    if (l->used > 0 && n > l->most - l->used)
        remove_idle(l, 1);
    if (l->used > 0 && n > l->most - l->used) {
        errno = EAGAIN;
        return -1;
    }
    s = current(l);
    if (!s)
        return -1;
    pos = s->start + s->size;
    s->size += n;
    s->pending++;
    l->end = pos + n;
    l->used += n;
    if (l->used > l->high)
        l->high = l->used;
    *segment = s;
    return pos;
}

ssize_t lbio__log_data(const struct lbio_segment *s, const void *bytes, size_t n, int64_t pos)
{
    ssize_t done;

    do
        done = calls->pwrite(s->data, bytes, n, pos - s->start);
    while (done < 0 && errno == EINTR);
    return done;
}

/* A partially written record is overwritten by the next. */
int lbio__log_record(struct lbio_log *l, struct lbio_segment *s, struct lbio_record *r)
{
    struct lbio_segment *last = current(l);

    if (!last)
        return -1;
    if (!s) /* for an event: after everything it refers to */
        s = last;
    r->magic = LBIO_RECORD_MAGIC;
    r->number = l->number + 1;
    r->sum = lbio__sum(0, r, offsetof(struct lbio_record, sum));
    if (lbio__write_all(calls, s->meta, r, sizeof *r, s->meta_size) != 0)
        return -1;
    s->meta_size += sizeof *r;
    l->number++;
    return 0;
}

uint32_t lbio__log_file(struct lbio_log *l, uint64_t dev, uint64_t ino, const char *path)
{
    const uint32_t number = l->files + 1;
    struct {
        struct lbio_file_record r;
        char path[LBIO_PATH_MAX];
    } f;
    const size_t size = strlen(path) + 1;

    if (size > sizeof f.path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memset(&f.r, 0, sizeof f.r);
    f.r = (struct lbio_file_record){ LBIO_FILE_MAGIC, number, dev, ino, (uint32_t)size, 0 };
    memcpy(f.path, path, size);
    f.r.sum = lbio__sum(lbio__sum(0, &f.r, offsetof(struct lbio_file_record, sum)), path, size);
    if (lbio__write_all(calls, l->map, &f, sizeof f.r + size, l->map_size) != 0)
        return 0;
    l->map_size += (int64_t)(sizeof f.r + size);
    return l->files = number;
}

void lbio__log_release(struct lbio_log *l, struct lbio_segment *s, int64_t n)
{
    s->pending -= n;
    remove_idle(l, 0);
}

int lbio__log_empty(struct lbio_log *l)
{
    remove_idle(l, 1);
    return l->count == 0;
}

const struct lbio_segment *lbio__log_find(const struct lbio_log *l, int64_t pos)
{
    for (unsigned i = 0; i < l->count; i++) {
        const struct lbio_segment *s = &l->segment[(l->first + i) % LBIO_SEGMENTS];

        if (pos >= s->start && pos < s->start + s->size)
            return s;
    }
    return NULL;
}

/* Data is written before its record, and the record before the call returns. */
int lbio__log_sync(struct lbio_log *l)
{
    struct lbio_record r = { .kind = LBIO_SYNCED };

    for (unsigned i = 0; i < l->count; i++) {
        const struct lbio_segment *s = &l->segment[(l->first + i) % LBIO_SEGMENTS];

        if (calls->sync(s->data) != 0 || calls->sync(s->meta) != 0)
            return -1;
    }
    if (calls->sync(l->map) != 0 || lbio__log_record(l, NULL, &r) != 0)
        return -1;
    return calls->sync(last_segment(l)->meta);
}

void lbio__log_close(struct lbio_log *l, int remove)
{
    char path[LBIO_PATH_MAX];

    for (unsigned i = 0; i < l->count; i++) {
        struct lbio_segment *s = &l->segment[(l->first + i) % LBIO_SEGMENTS];

        if (remove) {
            remove_segment(l, s);
        } else {
            calls->close(s->meta);
            calls->close(s->data);
        }
    }
    if (remove) {
        dsn__format(path, sizeof path, "%s/map", l->directory);
        calls->unlink(path);
        calls->rmdir(l->directory);
    }
    calls->close(l->map);
    l->is_open = 0;
    l->count = 0;
}

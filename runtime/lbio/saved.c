/* saved.c - reads the log of an ended process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/marker.h"

#define RECORDS     4096 /* read at a time */
#define MOST_OFFSET (INT64_C(1) << 62)
#define BUFFER      (1 << 20)

/* ------------------------------------------------------------------ reading */

/* A regular file of this user in the directory of the log; sets its size. -1 and errno. */
static int open_in(const struct lbio_saved *l, const char *name, int flags, int64_t *size)
{
    const int fd = dsn__sys_openat(l->dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    struct stat st;

    if (fd < 0)
        return -1;
    if (dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == dsn__sys_geteuid()) {
        *size = st.st_size;
        return fd;
    }
    dsn__sys_close(fd);
    errno = EBADMSG;
    return -1;
}

/* NULL: there is no such file in the map. */
static struct lbio_saved_file *file_of(const struct lbio_saved *l, uint32_t number)
{
    return number > 0 && number < l->files ? &l->file[number] : NULL;
}

/* A process numbers its files one after another, from 1. */
static struct lbio_saved_file *add_file(struct lbio_saved *l, uint32_t number, size_t *room)
{
    const size_t next = l->files > 0 ? l->files : 1;

    if (number == next && next >= *room) {
        const size_t more = 2 * *room + 16;
        struct lbio_saved_file *grown = realloc(l->file, more * sizeof *grown);

        if (!grown)
            return NULL;
        memset(grown + *room, 0, (more - *room) * sizeof *grown);
        l->file = grown;
        *room = more;
    }
    if (number == next)
        l->files = next + 1;
    return file_of(l, number);
}

/* An incomplete record at the end was being written when the process ended. */
static int read_map(struct lbio_saved *l)
{
    struct {
        struct lbio_file_record r;
        char path[LBIO_PATH_MAX];
    } at;
    off_t off = sizeof l->header;
    size_t room = 0;
    ssize_t n = lbio__read_all(&lbio__log_calls, l->map, &l->header, sizeof l->header, 0);

    if (n >= 0 && (n != sizeof l->header || l->header.magic != LBIO_MAP_MAGIC || l->header.version < 1 ||
                   l->header.version > LBIO_VERSION ||
                   l->header.sum != lbio__sum(0, &l->header, offsetof(struct lbio_map_header, sum)))) {
        errno = EBADMSG;
        return 0;
    }
    for (; n >= 0; off += (off_t)(sizeof at.r + at.r.path_size)) {
        struct lbio_saved_file *f;

        n = lbio__read_all(&lbio__log_calls, l->map, &at, sizeof at, off);
        if (n < 0)
            break;
        if ((size_t)n < sizeof at.r || at.r.magic != LBIO_FILE_MAGIC || at.r.path_size == 0 ||
            at.r.path_size > (size_t)n - sizeof at.r || at.path[0] != '/' || at.path[at.r.path_size - 1] ||
            at.r.sum != lbio__sum(lbio__sum(0, &at.r, offsetof(struct lbio_file_record, sum)), at.path, at.r.path_size))
            return 1;
        errno = EBADMSG;
        f = add_file(l, at.r.number, &room);
        if (!f)
            return 0;
        free(f->path);
        f->path = strdup(at.path);
        if (!f->path)
            return 0;
        f->dev = at.r.dev;
        f->ino = at.r.ino;
        f->size = -1;
        f->is_sending = 0;
        f->is_left_known = l->header.version == 1;
        f->left_size = -1;
    }
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct lbio_saved_part *p = a, *q = b;

    return p->start < q->start ? -1 : p->start > q->start;
}

/* The position in a part's file name; -1: not a part. */
static int64_t start_in(const char *name)
{
    const char *digits = strncmp(name, "meta.", 5) == 0 || strncmp(name, "data.", 5) == 0 ? name + 5 : "-";
    int64_t start;
    const char *end = *digits >= '0' && *digits <= '9' ? dsn__number(digits, &start) : NULL;

    return end && !*end ? start : -1;
}

/* Lists the parts in order. A part that was being created or removed only has its data file. */
static int list_parts(struct lbio_saved *l)
{
    const int copy = dsn__sys_openat(l->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    size_t room = 0, n = 0;
    int ok = d != NULL;

    for (const struct dirent *e; ok && (e = readdir(d));) {
        const int64_t start = start_in(e->d_name);

        if (start >= 0 && l->parts == room) {
            struct lbio_saved_part *more = realloc(l->part, (room = 2 * room + 16) * sizeof *more);

            ok = more != NULL;
            l->part = ok ? more : l->part;
        }
        if (start >= 0 && ok)
            l->part[l->parts++] = (struct lbio_saved_part){ .start = start, .meta_size = -1, .data = -1 };
    }
    if (d)
        closedir(d);
    else if (copy >= 0)
        dsn__sys_close(copy);
    if (l->parts > 0)
        qsort(l->part, l->parts, sizeof *l->part, by_start);
    for (size_t i = 0; i < l->parts; i++) /* its two files are one part */
        if (n == 0 || l->part[n - 1].start != l->part[i].start)
            l->part[n++] = l->part[i];
    l->parts = n;
    return ok;
}

struct records {
    struct lbio_record *r;
    size_t n, room;
};

static int is_whole(const struct lbio_record *r)
{
    return r->magic == LBIO_RECORD_MAGIC && r->sum == lbio__sum(0, r, offsetof(struct lbio_record, sum));
}

/* As far as the records are whole: a sparse file costs nothing. */
static int read_part(struct lbio_saved *l, struct lbio_saved_part *p, struct records *all)
{
    char name[64];
    ssize_t got;
    int64_t size;
    int meta;

    snprintf(name, sizeof name, "data.%lld", (long long)p->start);
    p->data = open_in(l, name, O_RDONLY, &p->size);
    snprintf(name, sizeof name, "meta.%lld", (long long)p->start);
    meta = open_in(l, name, O_RDONLY, &size);
    if (meta < 0)
        return errno == ENOENT;
    p->meta_size = 0;
    for (off_t off = 0;; off += (off_t)(RECORDS * sizeof *all->r)) {
        size_t i = 0;

        if (all->room - all->n < RECORDS) {
            const size_t room = 2 * all->room + RECORDS;
            struct lbio_record *more = realloc(all->r, room * sizeof *more);

            got = more ? 0 : -1;
            if (!more)
                break;
            all->r = more;
            all->room = room;
        }
        got = lbio__read_all(&lbio__log_calls, meta, &all->r[all->n], RECORDS * sizeof *all->r, off);
        for (; got >= (ssize_t)((i + 1) * sizeof *all->r) && is_whole(&all->r[all->n]); i++)
            all->n++;
        p->meta_size += (int64_t)(i * sizeof *all->r);
        if (i < RECORDS)
            break;
    }
    dsn__sys_close(meta);
    return got >= 0;
}

/* ------------------------------------------------------------------ playing */

static int by_number(const void *a, const void *b)
{
    const struct lbio_record *p = a, *q = b;

    return p->number < q->number ? -1 : p->number > q->number;
}

static const struct lbio_saved_part *part_of(const struct lbio_saved *l, int64_t pos)
{
    for (size_t i = l->parts; i > 0; i--)
        if (pos >= l->part[i - 1].start)
            return pos - l->part[i - 1].start < l->part[i - 1].size ? &l->part[i - 1] : NULL;
    return NULL;
}

/* A write is within one part. */
static int is_there(const struct lbio_saved *l, const struct lbio_record *r)
{
    const struct lbio_saved_part *p;

    if (r->off < 0 || r->len <= 0 || r->pos < 0 || r->off > MOST_OFFSET || r->len > MOST_OFFSET || r->pos > MOST_OFFSET)
        return 0;
    p = part_of(l, r->pos);
    return p && r->len <= p->start + p->size - r->pos;
}

static int play(struct lbio_saved *l, const struct lbio_record *r, int is_done)
{
    struct lbio_saved_file *f = file_of(l, r->file);

    if (!f || !f->path)
        return 1;
    switch (r->kind) {
    case LBIO_WRITE:
        f->size = -1;
        if (is_done)
            return 1;
        if (!is_there(l, r)) {
            l->absent++;
            return 1;
        }
        return lbio__tree_insert(&f->tree, r->off, r->len, r->pos);
    case LBIO_TRUNCATE:
        f->size = r->off;
        break;
    case LBIO_TRUNCATED:
        if (r->len != 0 && r->off >= 0)
            lbio__tree_truncate(&f->tree, r->off);
        f->size = -1;
        break;
    case LBIO_DRAINED:
        lbio__tree_truncate(&f->tree, 0);
        f->size = -1;
        break;
    case LBIO_LEFT:
        f->left_size = r->off;
        f->left_time = r->len;
        f->is_left_known = 1;
        f->is_sending = 0;
        break;
    case LBIO_SENDING:
        f->is_sending = lbio__tree_lookup(&f->tree, r->off, r->len, &f->sent, 1) == 1 && f->sent.off == r->off;
        f->sent_time = r->pos;
        break;
    default:
        break;
    }
    return 1;
}

static int play_all(struct lbio_saved *l, struct records *all)
{
    size_t synced = l->is_of_earlier_boot ? 0 : all->n;
    uint64_t done = 0;

    if (all->n > 0)
        qsort(all->r, all->n, sizeof *all->r, by_number);
    for (size_t i = 0; i < all->n; i++) {
        if (all->r[i].kind == LBIO_SYNCED && l->is_of_earlier_boot)
            synced = i;
        if (all->r[i].kind == LBIO_DONE && (uint64_t)all->r[i].off > done)
            done = (uint64_t)all->r[i].off;
    }
    l->last = all->n > 0 ? all->r[all->n - 1].number : 0;
    for (size_t i = 0; i < all->n; i++) {
        const int is_done = all->r[i].number <= done;

        if (i > synced && all->r[i].kind == LBIO_WRITE) {
            l->unsynced += !is_done;
            continue;
        }
        if (!play(l, &all->r[i], is_done))
            return 0;
    }
    return 1;
}

static void look_at_boot(struct lbio_saved *l)
{
    char boot[sizeof l->header.boot] = "";
    const int fd = dsn__sys_open("/proc/sys/kernel/random/boot_id", 0);

    if (fd >= 0) {
        const ssize_t n = dsn__sys_read(fd, boot, sizeof boot - 1);

        boot[n > 0 ? n : 0] = '\0';
        boot[strcspn(boot, "\n")] = '\0';
        dsn__sys_close(fd);
    }
    l->is_of_earlier_boot = strncmp(boot, l->header.boot, sizeof boot) != 0;
}

static int open_map(struct lbio_saved *l)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int64_t size;

    l->map = open_in(l, "map", O_RDWR, &size);
    if (l->map < 0)
        return 0;
    if (dsn__sys_lock(l->map, F_OFD_SETLK, &whole) == 0)
        return 1;
    l->is_owned = errno == EAGAIN || errno == EACCES;
    return l->is_owned;
}

/* Opened once: what is read, written and removed is in this directory, whatever happens to its name. It was made by
 * this user, and nobody else can have put anything into it. */
static int open_directory(const char *path)
{
    const int fd = dsn__sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    struct stat st;

    if (fd < 0 || (dsn__sys_fstat(fd, &st) == 0 && st.st_uid == dsn__sys_geteuid() && (st.st_mode & 022) == 0))
        return fd;
    dsn__sys_close(fd);
    errno = EPERM;
    return -1;
}

struct lbio_saved *lbio__saved_open(const char *directory)
{
    struct lbio_saved *l = calloc(1, sizeof *l);
    struct records all = { NULL, 0, 0 };
    int ok, error;

    if (!l || strlen(directory) >= sizeof l->directory) {
        free(l);
        errno = ENAMETOOLONG;
        return NULL;
    }
    snprintf(l->directory, sizeof l->directory, "%s", directory);
    l->map = -1;
    l->dir = open_directory(directory);
    ok = l->dir >= 0 && open_map(l) && read_map(l) && list_parts(l);
    for (size_t i = 0; ok && i < l->parts; i++)
        ok = read_part(l, &l->part[i], &all);
    if (ok) {
        look_at_boot(l);
        ok = play_all(l, &all);
    }
    error = errno;
    free(all.r);
    if (ok)
        return l;
    lbio__saved_close(l);
    errno = error ? error : ENOMEM;
    return NULL;
}

void lbio__saved_close(struct lbio_saved *l)
{
    for (size_t i = 0; i < l->files; i++) {
        free(l->file[i].path);
        lbio__tree_free(&l->file[i].tree);
    }
    for (size_t i = 0; i < l->parts; i++)
        if (l->part[i].data >= 0)
            dsn__sys_close(l->part[i].data);
    if (l->map >= 0)
        dsn__sys_close(l->map);
    if (l->dir >= 0)
        dsn__sys_close(l->dir);
    free(l->file);
    free(l->part);
    free(l);
}

int64_t lbio__saved_pending(const struct lbio_saved *l, size_t number)
{
    const struct lbio_saved_file *f = &l->file[number];
    struct lbio_extent e;
    int64_t n = 0;

    for (int64_t at = 0; lbio__tree_lookup(&f->tree, at, INT64_MAX - at, &e, 1) == 1; at = e.off + e.len)
        n += e.len;
    return n;
}

/* ------------------------------------------------------------------ is it the file that its process has left? */

/* What a write that was interrupted has changed: whole pages from its beginning. */
static int begins_as_sent(const struct lbio_saved *l, const struct lbio_saved_file *f, const char *path)
{
    char is[4096], sent[4096];
    const int64_t page = (int64_t)sizeof sent - f->sent.off % (int64_t)sizeof sent;
    const struct lbio_saved_part *p = part_of(l, f->sent.pos);
    size_t n = (size_t)(f->sent.len < page ? f->sent.len : page);
    int fd, is_equal;

    if (p && (int64_t)n > p->start + p->size - f->sent.pos)
        n = (size_t)(p->start + p->size - f->sent.pos);
    fd = p ? lbio__target_calls.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) : -1;
    if (fd < 0)
        return 0;
    is_equal = lbio__read_all(&lbio__target_calls, fd, is, n, f->sent.off) == (ssize_t)n &&
               lbio__read_all(&lbio__log_calls, p->data, sent, n, f->sent.pos - p->start) == (ssize_t)n &&
               memcmp(is, sent, n) == 0;
    lbio__target_calls.close(fd);
    return is_equal;
}

#define SOON INT64_C(100000000) /* ns: a write that was interrupted before it had changed anything */

/* Replay, or an earlier recovery, was writing when it was killed; or a truncation had been made, and was not noted yet. After
 * a restart of the node the file may be as it was earlier. */
static int is_as_left(const struct lbio_saved *l, const struct lbio_saved_file *f, const char *path,
                      const struct stat *st)
{
    const int64_t time = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;

    if (!f->is_left_known)
        return 0;
    if (f->left_size < 0 || (st->st_size == f->left_size && time == f->left_time) ||
        (l->is_of_earlier_boot && time <= f->left_time) || (f->size >= 0 && st->st_size == f->size))
        return 1;
    return f->is_sending && st->st_size >= f->left_size &&
           ((st->st_size == f->left_size && time >= f->sent_time - SOON && time <= f->sent_time + SOON) ||
            begins_as_sent(l, f, path));
}

/* Opens the file at the path, if it is this one. -1 and errno: ENOENT, if it is not. */
static int open_if_same(const struct lbio_saved *l, const struct lbio_saved_file *f, const char *path, struct stat *st)
{
    const int fd = lbio__target_calls.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);

    if (fd < 0) {
        errno = errno == ENOTDIR || errno == ELOOP || errno == ENXIO || errno == EISDIR ? ENOENT : errno;
        return -1;
    }
    if (dsn__sys_fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_ino == f->ino &&
        (l->is_of_earlier_boot || st->st_dev == f->dev))
        return fd;
    lbio__target_calls.close(fd);
    errno = ENOENT;
    return -1;
}

/* By its name, or, if it has been renamed in its directory, by what it is. `path`: of the file. */
static int open_target(const struct lbio_saved *l, const struct lbio_saved_file *f, char *path, struct stat *st)
{
    int fd;
    DIR *d;

    snprintf(path, LBIO_PATH_MAX, "%s", f->path);
    fd = open_if_same(l, f, path, st);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    strrchr(path, '/')[1] = '\0';
    d = opendir(path);
    for (const struct dirent *e; fd < 0 && d && (e = readdir(d));) {
        const size_t at = strlen(path);

        if (e->d_ino != f->ino || at + strlen(e->d_name) >= LBIO_PATH_MAX)
            continue;
        snprintf(path + at, LBIO_PATH_MAX - at, "%s", e->d_name);
        fd = open_if_same(l, f, path, st);
        if (fd < 0)
            path[at] = '\0';
    }
    if (d)
        closedir(d);
    errno = fd < 0 ? ENOENT : errno;
    return fd;
}

/* ------------------------------------------------------------------ writing */

/* Notes in the log how far recovery is: it may be interrupted, too. 0, or -1 and errno. */
static int note(struct lbio_saved *l, struct lbio_record r)
{
    struct lbio_saved_part *p = NULL;
    char name[64];
    int64_t size;
    int fd, ret;

    for (size_t i = 0; i < l->parts; i++)
        if (l->part[i].meta_size >= 0)
            p = &l->part[i];
    if (!p)
        return 0; /* nothing is pending */
    snprintf(name, sizeof name, "meta.%lld", (long long)p->start);
    fd = open_in(l, name, O_RDWR, &size);
    if (fd < 0)
        return -1;
    r.magic = LBIO_RECORD_MAGIC;
    r.number = ++l->last;
    r.sum = lbio__sum(0, &r, offsetof(struct lbio_record, sum));
    ret = lbio__write_all(&lbio__log_calls, fd, &r, sizeof r, p->meta_size);
    p->meta_size += sizeof r;
    dsn__sys_close(fd);
    return ret;
}

static int copy(const struct lbio_saved *l, int fd, const struct lbio_extent *e, char *buffer)
{
    for (int64_t done = 0; done < e->len;) {
        const struct lbio_saved_part *p = part_of(l, e->pos + done);
        int64_t n = e->len - done < BUFFER ? e->len - done : BUFFER;

        if (!p) {
            errno = EIO;
            return -1;
        }
        if (n > p->start + p->size - (e->pos + done))
            n = p->start + p->size - (e->pos + done);
        if (lbio__read_all(&lbio__log_calls, p->data, buffer, (size_t)n, e->pos + done - p->start) != n) {
            errno = EIO;
            return -1;
        }
        if (lbio__write_all(&lbio__target_calls, fd, buffer, (size_t)n, e->off + done) != 0)
            return -1;
        done += n;
    }
    return 0;
}

/* Writes, syncs and closes. 0, or -1 and errno. */
static int copy_all(const struct lbio_saved *l, const struct lbio_saved_file *f, int fd)
{
    char *buffer = malloc(BUFFER);
    struct lbio_extent e;
    int ret = buffer ? 0 : -1, error;

    for (int64_t at = 0; ret == 0 && lbio__tree_lookup(&f->tree, at, INT64_MAX - at, &e, 1) == 1; at = e.off + e.len)
        ret = copy(l, fd, &e, buffer);
    free(buffer);
    if (ret == 0)
        ret = lbio__target_calls.sync(fd);
    error = errno;
    if (lbio__target_calls.close(fd) != 0 && ret == 0)
        return -1;
    errno = error;
    return ret;
}

/* The process ended while truncating the file. If the file is not longer than the new size, sets the size and drops
 * logged writes beyond it; a longer file was not truncated. */
static int finish_truncation(struct lbio_saved_file *f, int fd, int64_t size)
{
    if (f->size < 0 || size > f->size)
        return 0;
    lbio__tree_truncate(&f->tree, f->size);
    return size < f->size ? lbio__target_calls.truncate(fd, f->size) : 0;
}

/* Closes `fd`. */
static int write_to(struct lbio_saved *l, size_t number, int fd, const struct stat *st)
{
    struct lbio_saved_file *f = &l->file[number];
    const struct lbio_record left = { .kind = LBIO_LEFT,
                                      .file = (uint32_t)number,
                                      .off = f->left_size < 0 ? -1 : st->st_size,
                                      .len = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec };
    struct lbio_record sending = { .kind = LBIO_SENDING, .file = (uint32_t)number };
    struct timespec now;
    struct lbio_extent e;
    int ret, error;

    clock_gettime(CLOCK_REALTIME, &now);
    sending.pos = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    if (lbio__tree_lookup(&f->tree, 0, INT64_MAX, &e, 1) == 1) {
        sending.off = e.off;
        sending.len = e.len;
    }
    ret = note(l, left) == 0 && note(l, sending) == 0 ? finish_truncation(f, fd, st->st_size) : -1;
    if (ret == 0)
        return copy_all(l, f, fd);
    error = errno;
    lbio__target_calls.close(fd);
    errno = error;
    return -1;
}

#define MOST_ASIDE 100 /* files beside one */

/* Another file for what must not be written to this one. -1 and errno. */
static int open_aside(const struct lbio_saved_file *f, char *path)
{
    int fd = -1;

    errno = EEXIST;
    for (int i = 1; fd < 0 && errno == EEXIST && i <= MOST_ASIDE; i++) {
        char number[16] = "";

        if (i > 1)
            snprintf(number, sizeof number, ".%d", i);
        if (snprintf(path, LBIO_PATH_MAX, "%s.lbio-pending%s", f->path, number) >= LBIO_PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = lbio__target_calls.open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    }
    return fd;
}

static void remove_marker(const char *target, const struct lbio_saved *l)
{
    struct lbio_marker marker = { .fd = -1 };

    lbio__marker_remove(target, (int)l->header.pid, l->directory, &marker);
    lbio__marker_close(&marker);
}

enum lbio_saved_result lbio__saved_write(struct lbio_saved *l, size_t number, char *where)
{
    struct lbio_saved_file *f = &l->file[number];
    const struct lbio_record drained = { .kind = LBIO_DRAINED, .file = (uint32_t)number };
    enum lbio_saved_result result = LBIO_WRITTEN;
    const int may_be_beside = where != NULL;
    char path[LBIO_PATH_MAX];
    struct stat st;
    int fd;

    if (!f->path)
        return LBIO_WRITTEN;
    where = where ? where : path;
    if (lbio__saved_pending(l, number) > 0) {
        fd = open_target(l, f, where, &st);
        if (fd < 0 && errno != ENOENT)
            return LBIO_FAILED;
        if (fd >= 0 && is_as_left(l, f, where, &st)) {
            if (write_to(l, number, fd, &st) != 0)
                return LBIO_FAILED;
        } else {
            if (fd >= 0)
                lbio__target_calls.close(fd);
            result = LBIO_CHANGED;
            if (!may_be_beside)
                return result;
            fd = open_aside(f, where);
            if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR ? LBIO_NOT_THERE : LBIO_FAILED;
            if (copy_all(l, f, fd) != 0) {
                const int error = errno;

                lbio__target_calls.unlink(where);
                errno = error;
                return LBIO_FAILED;
            }
        }
        if (note(l, drained) != 0)
            return LBIO_FAILED;
    }
    remove_marker(f->path, l);
    return result;
}

/* Oldest first, and records before data, so that whatever remains can be replayed again. */
int lbio__saved_remove(struct lbio_saved *l)
{
    char name[64];

    for (size_t i = 0; i < l->parts; i++) {
        snprintf(name, sizeof name, "meta.%lld", (long long)l->part[i].start);
        unlinkat(l->dir, name, 0);
        snprintf(name, sizeof name, "data.%lld", (long long)l->part[i].start);
        unlinkat(l->dir, name, 0);
    }
    unlinkat(l->dir, "map", 0);
    return lbio__log_calls.rmdir(l->directory);
}

int lbio__saved_complete(const char *directory, const char *path)
{
    struct lbio_saved *l = lbio__saved_open(directory);
    int ret = 0, is_pending = 0;

    if (!l)
        return 0;
    if (l->is_owned) {
        lbio__saved_close(l);
        return 1;
    }
    for (size_t i = 1; i < l->files; i++) {
        const int is_it = l->file[i].path && strcmp(l->file[i].path, path) == 0;
        const enum lbio_saved_result result = is_it ? lbio__saved_write(l, i, NULL) : LBIO_WRITTEN;

        if (result == LBIO_FAILED)
            ret = -1;
        is_pending |= result != LBIO_WRITTEN || (!is_it && l->file[i].path && lbio__saved_pending(l, i) > 0);
    }
    if (!is_pending && l->absent == 0 && l->unsynced == 0) {
        for (size_t i = 1; i < l->files; i++) /* their markers */
            lbio__saved_write(l, i, NULL);
        lbio__saved_remove(l);
    }
    lbio__saved_close(l);
    return ret;
}

/* lbio.<job>.<rank>.<pid>, with a suffix if the name was taken */
static int is_process_there(const char *directory)
{
    const char *at = strrchr(directory, '/');
    int64_t pid = 0;

    at = at ? at + 1 : directory;
    for (int dots = 0; dots < 3; dots++) {
        at = strchr(at, '.');
        if (!at)
            return 1; /* unknown process */
        at++;
    }
    return !dsn__number(at, &pid) || pid <= 0 || pid > INT32_MAX || kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

int lbio__saved_is_empty(const char *directory, int may_remove)
{
    const int dir = open_directory(directory);
    struct stat st;
    int is_empty;

    if (dir < 0)
        return errno == ENOENT;
    is_empty = fstatat(dir, "map", &st, AT_SYMLINK_NOFOLLOW) == 0 ? (size_t)st.st_size < sizeof(struct lbio_map_header)
                                                                  : errno == ENOENT;
    if (is_empty && !is_process_there(directory)) {
        if (may_remove)
            unlinkat(dir, "map", 0);
        is_empty = !may_remove || lbio__log_calls.rmdir(directory) == 0 || errno == ENOENT;
    }
    dsn__sys_close(dir);
    return is_empty;
}

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
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/marker.h"

#define MOST_FILES  (1U << 24)
#define MOST_MAP    (INT64_C(1) << 32)
#define MOST_META   (INT64_C(1) << 32)
#define MOST_OFFSET (INT64_C(1) << 62)
#define PIECES      64
#define BUFFER      (1 << 20)

/* ------------------------------------------------------------------ reading */

/* Reads a whole file; sets *size. NULL: errno. */
static char *read_file(int fd, int64_t most, size_t *size)
{
    struct stat st;
    char *bytes = NULL;
    ssize_t got;

    if (dsn__sys_fstat(fd, &st) != 0)
        return NULL;
    if (!S_ISREG(st.st_mode) || st.st_size > most) {
        errno = EBADMSG;
        return NULL;
    }
    bytes = malloc((size_t)st.st_size + 1);
    got = bytes ? lbio__read_all(&lbio__log_calls, fd, bytes, (size_t)st.st_size, 0) : -1;
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *size = (size_t)got;
    return bytes;
}

static int open_in(const struct lbio_saved *l, const char *name, int flags)
{
    char path[LBIO_PATH_MAX + NAME_MAX + 2];

    snprintf(path, sizeof path, "%s/%s", l->directory, name);
    return dsn__sys_openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
}

static struct lbio_saved_file *file_of(struct lbio_saved *l, uint32_t number)
{
    if (number == 0 || number >= MOST_FILES)
        return NULL;
    if (number >= l->files) {
        size_t files = l->files > 0 ? 2 * l->files : 16;
        struct lbio_saved_file *more;

        while (files <= number)
            files *= 2;
        more = realloc(l->file, files * sizeof *more);
        if (!more)
            return NULL;
        memset(more + l->files, 0, (files - l->files) * sizeof *more);
        l->file = more;
        l->files = files;
    }
    return &l->file[number];
}

/* An incomplete record at the end was being written when the process ended. */
static int read_map(struct lbio_saved *l)
{
    size_t size, at = sizeof l->header;
    char *bytes = read_file(l->map, MOST_MAP, &size);

    if (!bytes)
        return 0;
    if (size < at) {
        free(bytes);
        errno = EBADMSG;
        return 0;
    }
    memcpy(&l->header, bytes, at);
    if (l->header.magic != LBIO_MAP_MAGIC || l->header.version != LBIO_VERSION ||
        l->header.sum != lbio__sum(0, &l->header, offsetof(struct lbio_map_header, sum))) {
        free(bytes);
        errno = EBADMSG;
        return 0;
    }
    while (size - at >= sizeof(struct lbio_file_record)) {
        struct lbio_file_record r;
        struct lbio_saved_file *f;
        const char *path = bytes + at + sizeof r;

        memcpy(&r, bytes + at, sizeof r);
        if (r.magic != LBIO_FILE_MAGIC || r.path_size == 0 || r.path_size > LBIO_PATH_MAX ||
            r.path_size > size - at - sizeof r || path[0] != '/' || path[r.path_size - 1] ||
            r.sum != lbio__sum(lbio__sum(0, &r, offsetof(struct lbio_file_record, sum)), path, r.path_size))
            break;
        f = file_of(l, r.number);
        if (!f)
            break;
        free(f->path);
        f->path = strdup(path);
        f->dev = r.dev;
        f->ino = r.ino;
        f->size = -1;
        at += sizeof r + r.path_size;
    }
    free(bytes);
    return 1;
}

static int by_start(const void *a, const void *b)
{
    const struct lbio_saved_part *p = a, *q = b;

    return p->start < q->start ? -1 : p->start > q->start;
}

static int new_part(struct lbio_saved *l, int64_t start)
{
    struct lbio_saved_part *more;

    for (size_t i = 0; i < l->parts; i++)
        if (l->part[i].start == start)
            return 1;
    more = realloc(l->part, (l->parts + 1) * sizeof *more);
    if (!more)
        return 0;
    l->part = more;
    l->part[l->parts++] = (struct lbio_saved_part){ .start = start, .data = -1 };
    return 1;
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
    DIR *d = opendir(l->directory);
    int ok = d != NULL;

    for (const struct dirent *e; ok && (e = readdir(d));)
        if (start_in(e->d_name) >= 0)
            ok = new_part(l, start_in(e->d_name));
    if (d)
        closedir(d);
    if (l->parts > 0)
        qsort(l->part, l->parts, sizeof *l->part, by_start);
    return ok;
}

struct records {
    struct lbio_record *r;
    size_t n;
};

static int is_whole(const struct lbio_record *r)
{
    return r->magic == LBIO_RECORD_MAGIC && r->sum == lbio__sum(0, r, offsetof(struct lbio_record, sum));
}

static int read_part(struct lbio_saved *l, struct lbio_saved_part *p, struct records *all)
{
    char name[64];
    struct stat st;
    size_t size = 0, n;
    char *bytes = NULL;
    struct lbio_record *more;
    int meta;

    snprintf(name, sizeof name, "data.%lld", (long long)p->start);
    p->data = open_in(l, name, O_RDONLY);
    if (p->data >= 0 && dsn__sys_fstat(p->data, &st) == 0 && S_ISREG(st.st_mode))
        p->size = st.st_size;
    snprintf(name, sizeof name, "meta.%lld", (long long)p->start);
    meta = open_in(l, name, O_RDONLY);
    if (meta >= 0) {
        bytes = read_file(meta, MOST_META, &size);
        dsn__sys_close(meta);
    }
    if (!bytes)
        return meta < 0 && errno == ENOENT;
    n = size / sizeof *more;
    more = realloc(all->r, (all->n + n + 1) * sizeof *more);
    if (!more) {
        free(bytes);
        return 0;
    }
    all->r = more;
    for (size_t i = 0; i < n; i++) {
        memcpy(&all->r[all->n], bytes + i * sizeof *more, sizeof *more);
        if (!is_whole(&all->r[all->n]))
            break;
        all->n++;
    }
    free(bytes);
    return 1;
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
        return is_done || !is_there(l, r) || lbio__tree_insert(&f->tree, r->off, r->len, r->pos);
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

    l->map = open_in(l, "map", O_RDWR);
    if (l->map < 0)
        return 0;
    if (dsn__sys_lock(l->map, F_OFD_SETLK, &whole) == 0)
        return 1;
    l->is_owned = errno == EAGAIN || errno == EACCES;
    return l->is_owned;
}

struct lbio_saved *lbio__saved_open(const char *directory)
{
    struct lbio_saved *l = calloc(1, sizeof *l);
    struct records all = { NULL, 0 };
    int ok, error;

    if (!l || strlen(directory) >= sizeof l->directory) {
        free(l);
        errno = ENAMETOOLONG;
        return NULL;
    }
    snprintf(l->directory, sizeof l->directory, "%s", directory);
    ok = open_map(l) && read_map(l) && list_parts(l);
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

/* ------------------------------------------------------------------ writing */

/* A missing file has been removed, if its file system is still mounted. */
static enum lbio_saved_result why_missing(const struct lbio_saved *l, const struct lbio_saved_file *f)
{
    char parent[LBIO_PATH_MAX];
    struct stat st;

    snprintf(parent, sizeof parent, "%s", f->path);
    strrchr(parent, '/')[1] = '\0';
    if (l->is_of_earlier_boot || stat(parent, &st) != 0 || st.st_dev != f->dev)
        return LBIO_REPLACED;
    return LBIO_REMOVED;
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

static int copy_all(const struct lbio_saved *l, const struct lbio_saved_file *f, int fd)
{
    char *buffer = malloc(BUFFER);
    struct lbio_extent e;
    int ret = buffer ? 0 : -1;

    for (int64_t at = 0; ret == 0 && lbio__tree_lookup(&f->tree, at, INT64_MAX - at, &e, 1) == 1; at = e.off + e.len)
        ret = copy(l, fd, &e, buffer);
    free(buffer);
    return ret == 0 ? lbio__target_calls.sync(fd) : -1;
}

/* The process ended while truncating the file. If the file is not longer than the new size, sets the size and drops
 * logged writes beyond it; a longer file was not truncated, or others have written since, and is left alone. */
static int finish_truncation(struct lbio_saved_file *f, int fd, int64_t size)
{
    if (f->size < 0 || size > f->size)
        return 0;
    lbio__tree_truncate(&f->tree, f->size);
    return size < f->size ? lbio__target_calls.truncate(fd, f->size) : 0;
}

static void remove_marker(const char *target, const struct lbio_saved *l)
{
    struct lbio_marker marker = { .fd = -1 };

    lbio__marker_remove(target, (int)l->header.pid, l->directory, &marker);
    lbio__marker_close(&marker);
}

enum lbio_saved_result lbio__saved_write(struct lbio_saved *l, size_t number)
{
    struct lbio_saved_file *f = &l->file[number];
    enum lbio_saved_result result = LBIO_FAILED;
    struct stat st;
    int fd, error;

    if (!f->path)
        return LBIO_WRITTEN;
    fd = lbio__saved_pending(l, number) > 0 ? lbio__target_calls.open(f->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0)
                                            : -1;
    if (lbio__saved_pending(l, number) == 0) {
        result = LBIO_WRITTEN;
    } else if (fd < 0) {
        result = errno == ENOENT || errno == ENOTDIR ? why_missing(l, f) : errno == ELOOP ? LBIO_REPLACED : LBIO_FAILED;
    } else if (dsn__sys_fstat(fd, &st) == 0) {
        if (!S_ISREG(st.st_mode) || st.st_ino != f->ino || (!l->is_of_earlier_boot && st.st_dev != f->dev))
            result = LBIO_REPLACED;
        else if (finish_truncation(f, fd, st.st_size) == 0 && copy_all(l, f, fd) == 0)
            result = LBIO_WRITTEN;
    }
    error = errno;
    if (fd >= 0 && lbio__target_calls.close(fd) != 0 && result == LBIO_WRITTEN) {
        error = errno;
        result = LBIO_FAILED;
    }
    if (result == LBIO_WRITTEN || result == LBIO_REMOVED)
        remove_marker(f->path, l);
    errno = error;
    return result;
}

/* Oldest first, and records before data, so that whatever remains can be replayed again. */
int lbio__saved_remove(struct lbio_saved *l)
{
    char path[LBIO_PATH_MAX + 64];

    for (size_t i = 0; i < l->parts; i++) {
        snprintf(path, sizeof path, "%s/meta.%lld", l->directory, (long long)l->part[i].start);
        dsn__sys_unlink(path);
        snprintf(path, sizeof path, "%s/data.%lld", l->directory, (long long)l->part[i].start);
        dsn__sys_unlink(path);
    }
    snprintf(path, sizeof path, "%s/map", l->directory);
    dsn__sys_unlink(path);
    return lbio__log_calls.rmdir(l->directory);
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

int lbio__saved_remove_empty(const char *directory)
{
    char path[LBIO_PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/map", directory);
    if (is_process_there(directory))
        return -1;
    if (dsn__sys_lstat(path, &st) == 0 && (size_t)st.st_size < sizeof(struct lbio_map_header))
        dsn__sys_unlink(path);
    return lbio__log_calls.rmdir(directory);
}

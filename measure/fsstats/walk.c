/* walk.c - threads that take directories from a shared stack
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIST_BYTES  (64 << 10) /* of directory entries per call */
#define PROGRESS_MS 200
#define WANTED                                                                                                         \
    (STATX_TYPE | STATX_NLINK | STATX_UID | STATX_GID | STATX_ATIME | STATX_MTIME | STATX_SIZE | STATX_BLOCKS)

/* An entry of getdents64(2). */
struct entry {
    uint64_t ino;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

struct shared {
    const struct dsn_tree_walk *walk;
    int root_fd;
    uint32_t major, minor; /* of the root's device */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char **pending; /* stack of paths below the root */
    size_t n, room;
    int active; /* threads processing a directory */
    int no_memory;
    atomic_int_fast64_t seen; /* for the progress */
};

struct worker {
    struct shared *shared;
    pthread_t thread;
    struct dsn_tally tally;
};

static void no_memory(struct shared *s)
{
    pthread_mutex_lock(&s->lock);
    s->no_memory = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Pushes a directory for any thread. Returns 0 if there are too many: then the caller keeps the path. */
static int put_aside(struct shared *s, char *path)
{
    int put;

    pthread_mutex_lock(&s->lock);
    put = s->n < s->room;
    if (put) {
        s->pending[s->n++] = path;
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return put;
}

/* The next directory, or NULL at the end. `left`: the thread has completed one. */
static char *next_directory(struct shared *s, int left)
{
    char *path = NULL;

    pthread_mutex_lock(&s->lock);
    s->active -= left;
    while (s->n == 0 && s->active > 0 && !s->no_memory)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->n > 0 && !s->no_memory) {
        path = s->pending[--s->n];
        s->active++;
    } else {
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return path;
}

/* ------------------------------------------------------------------ a directory */

static void walk_directory(struct worker *w, const char *path);

/* Not inlined, because its buffer must not use stack in nested directories. */
__attribute__((noinline)) static void note_error(struct worker *w, const char *path, const char *name, int error)
{
    char full[4096];

    if (error == ENOENT || error == ENOTDIR || error == ESTALE) { /* removed, or replaced by something else */
        w->tally.vanished++;
        return;
    }
    if (snprintf(full, sizeof full, "%s/%s%s%s", w->shared->walk->root, path, *name ? "/" : "", name) < 0)
        full[0] = '\0';
    dsn_tally_unreadable(&w->tally, full, error);
}

static void enter(struct worker *w, const char *path, const char *name)
{
    const int is_root = strcmp(path, ".") == 0;
    const size_t n = (is_root ? 0 : strlen(path) + 1) + strlen(name) + 1;
    char *below = malloc(n);

    if (!below) {
        no_memory(w->shared);
        return;
    }
    snprintf(below, n, "%s%s%s", is_root ? "" : path, is_root ? "" : "/", name);
    if (put_aside(w->shared, below))
        return;
    walk_directory(w, below);
    free(below);
}

static void look_at(struct worker *w, int fd, uint32_t project, const char *path, const struct entry *e)
{
    struct statx s;

    if (e->type == DT_DIR) {
        enter(w, path, e->name);
        return;
    }
    if (e->type != DT_REG && e->type != DT_UNKNOWN) {
        w->tally.others++;
        return;
    }
    if (statx(fd, e->name, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, WANTED, &s) != 0)
        note_error(w, path, e->name, errno);
    else if (S_ISDIR(s.stx_mode))
        enter(w, path, e->name);
    else if (!S_ISREG(s.stx_mode))
        w->tally.others++;
    else if (!(w->shared->walk->has_without && s.stx_uid == w->shared->walk->without) &&
             !dsn_tally_file(&w->tally, &s, project, path, e->name))
        no_memory(w->shared);
}

static int is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* The quota project of a directory: files created in it inherit it, and none can be moved into it from another project,
 * so that one query per directory is sufficient. 0: none, or not supported by the file system. */
static uint32_t project_of(int fd)
{
    struct fsxattr attributes;

    return ioctl(fd, FS_IOC_FSGETXATTR, &attributes) == 0 ? attributes.fsx_projid : 0;
}

static void list(struct worker *w, int fd, const char *path)
{
    const uint32_t project = project_of(fd);
    char *bytes = malloc(LIST_BYTES); /* not on the stack, because of nested directories */
    uint64_t entries = 0;
    long n;

    if (!bytes) {
        no_memory(w->shared);
        return;
    }
    while ((n = syscall(SYS_getdents64, fd, bytes, LIST_BYTES)) > 0) {
        uint64_t before = entries;

        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(bytes + at);

            at += e->length;
            if (is_dots(e->name))
                continue;
            entries++;
            dsn_tally_value(&w->tally, DSN_H_NAME, strlen(e->name));
            look_at(w, fd, project, path, e);
        }
        atomic_fetch_add_explicit(&w->shared->seen, (int64_t)(entries - before), memory_order_relaxed);
    }
    if (n < 0)
        note_error(w, path, "", errno);
    free(bytes);
    dsn_tally_value(&w->tally, DSN_H_ENTRIES, entries);
}

/* Avoids changing the directory's access time, if permitted. */
static int open_directory(int at, const char *path)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = openat(at, path, flags | O_NOATIME);

    return fd < 0 && errno == EPERM ? openat(at, path, flags) : fd;
}

static void walk_directory(struct worker *w, const char *path)
{
    const struct shared *s = w->shared;
    const int fd = open_directory(s->root_fd, path);
    struct statx st;

    if (fd < 0) {
        note_error(w, path, "", errno == ELOOP ? ENOTDIR : errno);
        return;
    }
    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) != 0) {
        note_error(w, path, "", errno);
    } else if (!s->walk->cross && (st.stx_dev_major != s->major || st.stx_dev_minor != s->minor)) {
        w->tally.mounts++;
    } else {
        w->tally.directories++;
        list(w, fd, path);
    }
    close(fd);
}

static void *work(void *context)
{
    struct worker *w = context;
    char *path;

    for (int left = 0; (path = next_directory(w->shared, left)) != NULL; left = 1) {
        walk_directory(w, path);
        free(path);
    }
    return NULL;
}

/* ------------------------------------------------------------------ all */

static void watch(struct shared *s)
{
    pthread_mutex_lock(&s->lock);
    while ((s->n > 0 || s->active > 0) && !s->no_memory) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0)
            if (s->n == 0 && s->active == 0)
                break;
        if (s->walk->progress)
            s->walk->progress(atomic_load(&s->seen));
    }
    pthread_mutex_unlock(&s->lock);
}

static int run(struct shared *s, struct dsn_tally *total)
{
    const int threads = s->walk->threads;
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    int n, ok = 1;

    if (!workers)
        return ENOMEM;
    for (n = 0; n < threads; n++) {
        workers[n].shared = s;
        dsn_tally_init(&workers[n].tally, total->now);
        if (pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0)
            break;
    }
    if (n > 0 && s->walk->progress)
        watch(s);
    for (int i = 0; i < n; i++) {
        pthread_join(workers[i].thread, NULL);
        ok &= dsn_tally_add(total, &workers[i].tally);
        dsn_tally_free(&workers[i].tally);
    }
    free(workers);
    return n == 0 ? EAGAIN : ok && !s->no_memory ? 0 : ENOMEM;
}

int dsn_tree_walk(const struct dsn_tree_walk *w, struct dsn_tally *total)
{
    struct shared s = { .walk = w,
                        .room = DSN_MAX_PENDING,
                        .root_fd = open(w->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
    struct statx st;
    int error = 0;

    if (s.root_fd < 0)
        return errno;
    s.pending = malloc(DSN_MAX_PENDING * sizeof *s.pending);
    if (statx(s.root_fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) != 0)
        error = errno;
    else if (!s.pending || !(s.pending[0] = strdup(".")))
        error = ENOMEM;
    if (error == 0) {
        s.n = 1;
        s.major = st.stx_dev_major;
        s.minor = st.stx_dev_minor;
        pthread_mutex_init(&s.lock, NULL);
        pthread_cond_init(&s.changed, NULL);
        error = run(&s, total);
        pthread_cond_destroy(&s.changed);
        pthread_mutex_destroy(&s.lock);
    }
    while (s.n > 0)
        free(s.pending[--s.n]);
    free(s.pending);
    close(s.root_fd);
    return error;
}

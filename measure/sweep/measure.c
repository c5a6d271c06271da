/* measure.c - measures a sample of a point in a directory's file system
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LEAST_CALLS  10
#define MAX_WORKERS  256
#define BUFFER_ALIGN 4096
#define AHEAD_CALLS  8     /* small sequential reads, after which read-ahead may be in the cache */
#define AHEAD_US     20000 /* time for it to arrive */

volatile sig_atomic_t dsn_sweep_stop;

/* Files kept for further samples, filled so far. */
struct dsn_kept {
    struct kept_file {
        int fd;
        uint64_t bytes;
    } file[MAX_WORKERS];
    size_t n;
};

/* A sample being measured. */
struct pass {
    const struct dsn_point *p;
    const struct dsn_sweep_row *row;
    double seconds; /* limit, unless the pass covers the whole file */
    int is_write, is_whole, around, sync;
    pthread_barrier_t barrier;
};

struct worker {
    struct pass *pass;
    pthread_t thread;
    int fd;
    uint64_t first, calls; /* indexes of its requests in its file */
    uint32_t *order;       /* NULL: sequential */
    char *buffer, *map;
    double begin, end;
    uint64_t bytes;
    int error; /* errno */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ------------------------------------------------------------------ threads */

/* One request. Returns the bytes moved, or -1. */
static ssize_t move(struct worker *w, uint64_t number)
{
    const struct pass *pass = w->pass;
    const size_t n = pass->p->request;
    const off_t at = (off_t)(number * pass->p->request);

    if (w->map) {
        if (pass->is_write)
            memcpy(w->map + at, w->buffer, n);
        else
            memcpy(w->buffer, w->map + at, n);
        return (ssize_t)n;
    }
    return pass->is_write ? pwrite(w->fd, w->buffer, n, at) : pread(w->fd, w->buffer, n, at);
}

static int sync_all(struct worker *w)
{
    if (w->map && msync(w->map, w->pass->p->size, MS_SYNC) != 0)
        return 0;
    return fsync(w->fd) == 0;
}

/* Issues requests until the pass is over. */
static void move_all(struct worker *w)
{
    const struct pass *pass = w->pass;
    uint64_t done = 0;

    while (!dsn_sweep_stop) {
        const uint64_t i = done % w->calls;
        const ssize_t got = move(w, w->first + (w->order ? w->order[i] : i));

        if (got <= 0) {
            w->error = got < 0 ? errno : EIO;
            return;
        }
        w->bytes += (uint64_t)got;
        done++;
        if (done % w->calls == 0 && (!pass->around || (pass->is_whole && done >= LEAST_CALLS)))
            break;
        if (!pass->is_whole && done >= LEAST_CALLS && now() - w->begin > pass->seconds)
            break;
    }
    if (pass->sync && !sync_all(w))
        w->error = errno;
}

static void *work(void *context)
{
    struct worker *w = context;

    pthread_barrier_wait(&w->pass->barrier);
    w->begin = w->end = now();
    if (w->calls > 0) {
        move_all(w);
        w->end = now();
    }
    return NULL;
}

/* Time from the first start to the last end, ignoring workers without requests. Returns errno, or 0. */
static int run(struct pass *pass, struct worker *workers, double *bytes, double *seconds)
{
    const unsigned n = pass->p->workers;
    double begin = 0, end = 0;
    unsigned started = 0;
    int error = 0;

    *bytes = 0;
    pthread_barrier_init(&pass->barrier, NULL, n);
    for (; started + 1 < n; started++)
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) {
            fprintf(stderr, "darshan-sweep: cannot start more threads\n");
            _exit(1); /* the others wait at a barrier for ever; files have no names to be removed */
        }
    work(&workers[started]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&pass->barrier);
    for (unsigned i = 0; i < n; i++) {
        const struct worker *w = &workers[i];

        error = w->error ? w->error : error;
        if (w->calls == 0)
            continue;
        begin = begin > 0 && begin < w->begin ? begin : w->begin;
        end = w->end > end ? w->end : end;
        *bytes += (double)w->bytes;
    }
    *seconds = end - begin;
    return error;
}

/* ------------------------------------------------------------------ workers */

static int shuffle(struct worker *w)
{
    uint64_t x = 88172645463325252u;

    w->order = calloc((size_t)w->calls + 1, sizeof *w->order);
    for (uint32_t i = 0; w->order && i < w->calls; i++) {
        uint32_t k;

        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        k = (uint32_t)(x % (i + 1));
        w->order[i] = w->order[k];
        w->order[k] = i;
    }
    return w->order != NULL;
}

static int flags_of(const struct dsn_meter *m, const struct pass *pass)
{
    int flags = pass->row->operation == DSN_OP_READ && pass->p->mode != DSN_MODE_MAPPED ? O_RDONLY : O_RDWR;

    if (pass->p->mode == DSN_MODE_DIRECT && m->place.align > 0)
        flags |= O_DIRECT;
    if (pass->p->mode == DSN_MODE_DSYNC)
        flags |= O_DSYNC;
    return flags;
}

static int ready(const struct dsn_meter *m, struct pass *pass, struct worker *w, unsigned i, int fd)
{
    const struct dsn_point *p = pass->p;
    const uint64_t sharing = pass->row->is_each ? 1 : p->workers;
    const uint64_t calls = p->size / (pass->row->is_each ? p->workers : 1) / p->request;
    const uint64_t mine = pass->row->is_each ? 0 : i;

    w->pass = pass;
    w->first = mine * calls / sharing;
    w->calls = (mine + 1) * calls / sharing - w->first;
    w->fd = dsn_file_handle(fd, flags_of(m, pass));
    if (w->fd < 0)
        return 0;
    if (posix_memalign((void **)&w->buffer, BUFFER_ALIGN, p->request) != 0) {
        w->buffer = NULL;
        errno = ENOMEM;
        return 0;
    }
    dsn_fill_random(w->buffer, p->request, i + 1);
    if (p->mode == DSN_MODE_MAPPED) {
        w->map = mmap(NULL, p->size, PROT_READ | (pass->is_write ? PROT_WRITE : 0), MAP_SHARED, w->fd, 0);
        if (w->map == MAP_FAILED) {
            w->map = NULL;
            return 0;
        }
    }
    return !pass->row->is_random || w->calls > UINT32_MAX || shuffle(w);
}

static void free_workers(struct worker *w, unsigned n, uint64_t size)
{
    for (unsigned i = 0; i < n; i++) {
        if (w[i].map)
            munmap(w[i].map, size);
        if (w[i].fd >= 0)
            close(w[i].fd);
        free(w[i].buffer);
        free(w[i].order);
    }
    free(w);
}

/* ------------------------------------------------------------------ files */

static void close_kept(struct dsn_meter *m, size_t from)
{
    for (size_t i = from; i < m->kept->n; i++)
        dsn_file_close(&m->place, m->kept->file[i].fd, m->kept->file[i].bytes);
    m->kept->n = from < m->kept->n ? from : m->kept->n;
}

/* Keeps this many files of at least this size, filled. */
static int keep(struct dsn_meter *m, unsigned n, uint64_t bytes)
{
    for (unsigned i = 0; i < n; i++) {
        struct kept_file *f = &m->kept->file[i];

        if (i < m->kept->n && f->bytes >= bytes)
            continue;
        if (i < m->kept->n)
            close_kept(m, i);
        f->bytes = bytes;
        f->fd = dsn_file_make(&m->place, bytes);
        if (f->fd < 0)
            return 0;
        m->kept->n = i + 1;
        if (!dsn_file_fill(&m->place, f->fd, bytes))
            return 0;
    }
    return 1;
}

/* The files of a point: kept ones, or a new one of a size within the limit. */
static int make_files(struct dsn_meter *m, const struct pass *pass, int *fresh)
{
    const struct dsn_point *p = pass->p;
    const unsigned files = pass->row->is_each ? p->workers : 1;
    const uint64_t bytes = p->size / files;
    const int is_fresh = pass->row->cache == DSN_CACHE_BEHIND || pass->row->cache == DSN_CACHE_SYNCED;
    int ok;

    *fresh = -1;
    if (m->place.limit - m->place.used < p->size)
        close_kept(m, 0);
    if (is_fresh) {
        *fresh = dsn_file_make(&m->place, bytes);
        ok = *fresh >= 0 && (p->mode != DSN_MODE_MAPPED || ftruncate(*fresh, (off_t)bytes) == 0);
    } else {
        ok = keep(m, files, bytes);
    }
    if (!ok)
        snprintf(m->error, sizeof m->error, "%s", m->place.error);
    return ok;
}

static int file_of(const struct dsn_meter *m, const struct pass *pass, unsigned i, int fresh)
{
    return fresh >= 0 ? fresh : m->kept->file[pass->row->is_each ? i : 0].fd;
}

/* ------------------------------------------------------------------ page cache */

/* Of all files of the point. */
static double resident(const struct dsn_meter *m, const struct pass *pass, int fresh)
{
    const unsigned files = pass->row->is_each ? pass->p->workers : 1;
    double sum = 0;

    for (unsigned i = 0; i < files; i++) {
        const double share = dsn_file_resident(file_of(m, pass, i, fresh), pass->p->size / files);

        if (share < 0)
            return -1;
        sum += share;
    }
    return sum / files;
}

static void drop(const struct dsn_meter *m, const struct pass *pass, int fresh)
{
    for (unsigned i = 0; i < (pass->row->is_each ? pass->p->workers : 1); i++)
        dsn_file_drop(file_of(m, pass, i, fresh));
}

/* Bytes in the cache in excess of those read, after some sequential reads of a dropped file. */
static double read_ahead(const struct dsn_meter *m, const struct pass *pass, struct worker *w)
{
    const uint64_t asked = AHEAD_CALLS * pass->p->request;
    double share;

    for (unsigned i = 0; i < AHEAD_CALLS && i < w->calls; i++)
        if (move(w, i) <= 0)
            return 0;
    usleep(AHEAD_US);
    share = resident(m, pass, -1);
    drop(m, pass, -1);
    return share < 0 ? 0 : share * (double)pass->p->size - (double)asked;
}

/* Brings the files into the required state. Returns 0 if that is impossible. */
static int prepare(struct dsn_meter *m, struct pass *pass, struct worker *w, int fresh, struct dsn_sample *out)
{
    double bytes, seconds;

    if (pass->row->cache == DSN_CACHE_COLD || (pass->row->cache == DSN_CACHE_PAST && !pass->is_write))
        drop(m, pass, fresh);
    if (pass->row->factor == DSN_BY_SMALL && !pass->row->is_random)
        out->ahead = read_ahead(m, pass, w);
    if (pass->row->cache == DSN_CACHE_WARM) {
        const int is_whole = pass->is_whole;

        pass->is_whole = 1; /* all of it is to be in the cache */
        errno = run(pass, w, &bytes, &seconds);
        pass->is_whole = is_whole;
        if (errno != 0)
            return 0;
    }
    if (!pass->is_write)
        out->resident = resident(m, pass, fresh);
    for (unsigned i = 0; i < pass->p->workers; i++)
        w[i].bytes = 0;
    return 1;
}

/* ------------------------------------------------------------------ a sample */

static int sample(struct dsn_meter *m, struct pass *pass, struct worker *w, int fresh, struct dsn_sample *out)
{
    if (!prepare(m, pass, w, fresh, out))
        return 0;
    errno = run(pass, w, &out->bytes, &out->seconds);
    if (errno != 0)
        return 0;
    if (pass->is_write)
        out->resident = resident(m, pass, fresh);
    return 1;
}

static enum dsn_measured measure(struct dsn_meter *m, const struct dsn_point *p, struct dsn_sample *out)
{
    const struct dsn_sweep_row *row = dsn_sweep_row(p->sweep);
    struct pass pass = { .p = p, .row = row, .seconds = m->settings->seconds };
    struct worker *w = calloc(p->workers, sizeof *w);
    int fresh, ok;

    *out = (struct dsn_sample){ .sweep = p->sweep, .x = p->x, .request = p->request };
    if (p->workers > MAX_WORKERS || (row->factor == DSN_BY_MODE && p->mode == DSN_MODE_DIRECT && m->place.align == 0) ||
        (p->mode == DSN_MODE_DIRECT && m->place.align > 0 && p->request % m->place.align != 0)) {
        free(w);
        return DSN_MEASURED_NOT_HERE;
    }
    pass.is_write = row->operation == DSN_OP_WRITE;
    pass.is_whole = row->factor == DSN_BY_FILE || row->factor == DSN_BY_PLANE;
    pass.around = row->cache == DSN_CACHE_WARM || (row->cache == DSN_CACHE_PAST && m->place.align > 0);
    pass.sync =
        row->cache == DSN_CACHE_SYNCED || (row->cache == DSN_CACHE_PAST && pass.is_write && m->place.align == 0);
    ok = w != NULL && make_files(m, &pass, &fresh);
    for (unsigned i = 0; w && i < p->workers; i++)
        w[i].fd = -1;
    for (unsigned i = 0; ok && i < p->workers; i++)
        if (!ready(m, &pass, &w[i], i, file_of(m, &pass, i, fresh))) {
            snprintf(m->error, sizeof m->error, "a file in it cannot be used: %s", strerror(errno));
            ok = 0;
        }
    if (ok && !sample(m, &pass, w, fresh, out)) {
        snprintf(m->error, sizeof m->error, "a file in it cannot be %s: %s", pass.is_write ? "written" : "read",
                 strerror(errno));
        ok = 0;
    }
    if (w)
        free_workers(w, p->workers, p->size);
    dsn_file_close(&m->place, w && ok ? fresh : -1, p->size);
    if (dsn_sweep_stop)
        return DSN_MEASURED_STOPPED;
    return !ok ? DSN_MEASURED_FAILED : out->seconds > 0 ? DSN_MEASURED : DSN_MEASURED_NOT_HERE;
}

static void close_meter(struct dsn_meter *m)
{
    close_kept(m, 0);
    free(m->kept);
    dsn_place_close(&m->place);
}

int dsn_meter_of_directory(struct dsn_meter *m, const struct dsn_sweep_settings *s)
{
    *m = (struct dsn_meter){ .measure = measure, .close = close_meter, .settings = s };
    if (!dsn_place_open(&m->place, s->directory, s->limit, s->reserve)) {
        snprintf(m->error, sizeof m->error, "%s", m->place.error);
        return 0;
    }
    m->kept = calloc(1, sizeof *m->kept);
    if (!m->kept) {
        dsn_place_close(&m->place);
        snprintf(m->error, sizeof m->error, "out of memory");
    }
    return m->kept != NULL;
}

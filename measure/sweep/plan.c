/* plan.c - the rows of sweeps.def and of access modes, and the points of a sweep
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/lib/grow.h"
#include "measure/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_LEAST  4096 /* size of reads that detect read-ahead */
#define SMALL_MOST   65536
#define PASS_CALLS   16 /* minimum, for the smallest file */
#define WORKER_CALLS 4  /* for each of many workers */

const struct dsn_sweep_row *dsn_sweep_row(unsigned id)
{
    enum { ONE, EACH };
    enum { IN_ORDER, AT_RANDOM };
    enum { HERE, NODES };
    static const struct dsn_sweep_row rows[DSN_NSWEEPS] = {
#define SWEEP(symbol, name, what, factor, operation, cache, files, order, by)                                          \
    { name, what, DSN_BY_##factor, DSN_OP_##operation, DSN_CACHE_##cache, files, order, by },
#include "sweeps.def"
#undef SWEEP
    };

    return &rows[id];
}

int dsn_sweep_is_write(unsigned id)
{
    return dsn_sweep_row(id)->operation == DSN_OP_WRITE;
}

const struct dsn_mode_row *dsn_mode_row(unsigned mode)
{
    static const struct dsn_mode_row rows[DSN_NMODES] = {
        { "posix", "pread and pwrite", 0 },
        { "posix-direct", "the same with O_DIRECT", 0 },
        { "posix-dsync", "the same with O_DSYNC", 0 },
        { "posix-mmap", "a mapping, copied from and to", 0 },
        { "mpi", "MPI_File_read_at, write_at", 1 },
        { "mpi-atomic", "the same, atomic", 1 },
        { "mpi-nonblocking", "MPI_File_iread_at, iwrite_at", 1 },
        { "mpi-collective", "MPI_File_read_at_all, write_at_all", 1 },
        { "mpi-shared", "MPI_File_read_shared, write_shared", 1 },
        { "mpi-ordered", "MPI_File_read_ordered, write_ordered", 1 },
    };

    return mode < DSN_NMODES ? &rows[mode] : NULL;
}

/* ------------------------------------------------------------------ samples */

int dsn_samples_add(struct dsn_samples *s, const struct dsn_sample *one)
{
    if (!dsn_grow(&s->sample, &s->room, sizeof *s->sample, s->n))
        return 0;
    s->sample[s->n++] = *one;
    return 1;
}

int dsn_samples_add_host(struct dsn_samples *s, const struct dsn_sweep_host *one)
{
    if (!dsn_grow(&s->host, &s->host_room, sizeof *s->host, s->nhosts))
        return 0;
    s->host[s->nhosts++] = *one;
    return 1;
}

void dsn_samples_free(struct dsn_samples *s)
{
    free(s->sample);
    free(s->host);
    *s = (struct dsn_samples){ .n = 0 };
}

long dsn_samples_host(const struct dsn_samples *s, const char *name)
{
    for (size_t i = 0; i < s->nhosts; i++)
        if (strcmp(s->host[i].name, name) == 0)
            return (long)i;
    return -1;
}

int dsn_sample_is_like(const struct dsn_sample *one, const struct dsn_sample *other)
{
    return one->sweep == other->sweep && one->host == other->host && one->x == other->x &&
           (dsn_sweep_row(one->sweep)->factor != DSN_BY_PLANE || one->request == other->request);
}

size_t dsn_samples_count(const struct dsn_samples *s, unsigned sweep, uint64_t x, uint64_t request)
{
    const struct dsn_sample like = { .sweep = sweep, .x = x, .request = request };
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += dsn_sample_is_like(&s->sample[i], &like) != 0;
    return n;
}

/* ------------------------------------------------------------------ points */

struct list {
    const struct dsn_sweep_settings *s;
    struct dsn_point *out;
    size_t n, room;
    struct dsn_point usual; /* values of everything that is not varied */
};

static void append(struct list *l, const struct dsn_point *p)
{
    if (l->n < l->room)
        l->out[l->n++] = *p;
}

static void by_request(struct list *l, uint64_t least, uint64_t most)
{
    for (uint64_t b = least; b <= most && b <= l->s->file; b *= 2) {
        struct dsn_point p = l->usual;

        p.x = p.request = b;
        append(l, &p);
    }
}

/* A multiple of the request size, so that all passes consist of the same requests. */
static void by_file(struct list *l)
{
    uint64_t last = 0;

    for (unsigned i = 0;; i++) {
        const double size = (double)l->s->least_file * exp2((double)i / l->s->fine);
        struct dsn_point p = l->usual;

        if (!(size <= (double)l->s->limit * 1.000001) || l->n == l->room)
            return;
        if (p.request > l->s->least_file / PASS_CALLS)
            p.request = l->s->least_file / PASS_CALLS;
        p.x = p.size = (uint64_t)(size / (double)p.request + 0.5) * p.request;
        if (p.x > last && p.x <= l->s->limit)
            append(l, &p);
        last = p.x;
    }
}

/* Powers of two, and the maximum. The best request size is reduced if necessary, so that each worker has several
 * requests. */
static void by_writers(struct list *l)
{
    while (!l->s->request && l->usual.request / 2 >= l->s->least_request &&
           l->usual.request * l->s->writers * WORKER_CALLS > l->s->file)
        l->usual.request /= 2;
    for (unsigned n = 1; n > 0; n = n == l->s->writers ? 0 : 2 * n < l->s->writers ? 2 * n : l->s->writers) {
        struct dsn_point p = l->usual;

        p.x = p.workers = n;
        append(l, &p);
    }
}

/* What all processes of all nodes do: each has its part of the file, in requests of which several fit into it. */
static void of_nodes(struct list *l)
{
    const uint64_t part = l->s->file / l->s->processes, most = part / DSN_SWEEP_PART_CALLS;
    unsigned n = 1;

    while (l->usual.request / 2 >= l->s->least_request && l->usual.request > most)
        l->usual.request /= 2;
    l->usual.workers = l->s->processes;
    if (dsn_sweep_row(l->usual.sweep)->factor == DSN_BY_REQUEST) {
        by_request(l, l->s->least_request, most < l->s->most_request ? most : l->s->most_request);
        return;
    }
    /* Powers of two, one process on each host, and all. */
    for (; n < l->s->processes && l->n < l->room; n = n < l->s->hosts && 2 * n > l->s->hosts ? l->s->hosts : 2 * n) {
        struct dsn_point p = l->usual;

        p.x = p.workers = n;
        append(l, &p);
    }
    l->usual.x = l->s->processes;
    append(l, &l->usual);
}

/* Sizes of files and of requests, each four times the one before. */
static void by_plane(struct list *l)
{
    for (uint64_t size = l->s->least_file; size <= l->s->limit && l->n < l->room; size *= 4)
        for (uint64_t b = l->s->least_request; b <= l->s->most_request && b <= size; b *= 4) {
            struct dsn_point p = l->usual;

            p.x = p.size = size;
            p.request = b;
            append(l, &p);
        }
}

static void by_mode(struct list *l)
{
    for (unsigned mode = 0; dsn_mode_row(mode); mode++) {
        struct dsn_point p = l->usual;

        p.x = p.mode = mode;
        if (mode == DSN_MODE_DSYNC && !dsn_sweep_is_write(p.sweep))
            continue; /* not applicable to reads */
        if (!dsn_mode_row(mode)->is_mpi || l->s->mpi)
            append(l, &p);
    }
}

size_t dsn_sweep_points(const struct dsn_sweep_settings *s, unsigned sweep, uint64_t request, struct dsn_point *out,
                        size_t room)
{
    struct list l = {
        .s = s, .out = out, .room = room, .usual = { .sweep = sweep, .request = request, .size = s->file, .workers = 1 }
    };

    if (dsn_sweep_row(sweep)->cache == DSN_CACHE_PAST)
        l.usual.mode = DSN_MODE_DIRECT;
    if (dsn_sweep_row(sweep)->is_nodes) {
        if (s->processes > 0)
            of_nodes(&l);
        return l.n;
    }
    switch (dsn_sweep_row(sweep)->factor) {
    case DSN_BY_REQUEST:
        by_request(&l, s->least_request, s->most_request);
        break;
    case DSN_BY_SMALL:
        by_request(&l, SMALL_LEAST, SMALL_MOST);
        break;
    case DSN_BY_FILE:
        by_file(&l);
        break;
    case DSN_BY_WRITERS:
        by_writers(&l);
        break;
    case DSN_BY_PLANE:
        by_plane(&l);
        break;
    case DSN_BY_MODE:
        by_mode(&l);
        break;
    }
    return l.n;
}

/* dxt.c - reads traces of Darshan logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A log may have traces of two layers for the same bytes, MPI-IO and the POSIX calls below. For a file with POSIX
 * traces the others are skipped. */
#include <config.h>
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "util/lib/idmap.h"
#include "util/lib/log.h"
#include "spill.h"
#include "stamps.h"

#define SEGMENTS 256
#define MAX_TIME 9e9 /* seconds; 64-bit nanoseconds end at 292 years */

struct dxt {
    struct darshan_reader *log;
    struct darshan_dxt *it;
    const struct dsn_dxt_head *head;
    struct dsn__spill copy;  /* of a log read from a pipe */
    struct dsn__idmap files; /* record ids, in order of appearance */
    struct dsn__idmap posix; /* records with traces of POSIX calls */
    unsigned module;
    int64_t done; /* segments read */
    size_t next, n;
    uint64_t file;
    char *path;
    char host[sizeof((struct dsn_dxt_head *)0)->host + 1];
    struct dsn_dxt_segment segments[SEGMENTS];
};

int dsn__dxt_probe(const unsigned char *head, size_t n)
{
    const uint64_t magic = DSN_MAGIC;
    uint64_t found;

    if (n < 16)
        return DSN__NO;
    memcpy(&found, head + 8, sizeof found);
    return found == magic || found == __builtin_bswap64(magic) ? DSN__SURELY : DSN__NO;
}

/* A log requires random access, so one from a pipe is copied to a file first. Returns its name, or NULL. */
static const char *seekable(struct dsn__source *s, struct dxt *d, char *name, size_t room)
{
    struct stat st;
    const unsigned char *bytes;
    size_t n;

    if (!s->in.zipped && strcmp(s->path, "-") != 0 && fstat(s->in.fd, &st) == 0 && S_ISREG(st.st_mode))
        return s->path;
    if (!dsn__spill_open(&d->copy))
        return NULL;
    while (dsn__input_peek(&s->in, &n), n > 0) {
        bytes = dsn__input_bytes(&s->in, n);
        if (!bytes || !dsn__spill_put(&d->copy, bytes, n))
            return NULL;
    }
    if (dsn__input_failed(&s->in) || !dsn__spill_flush(&d->copy))
        return NULL;
    snprintf(name, room, "/proc/self/fd/%d", d->copy.fd);
    return name;
}

/* Collects the files with traces of POSIX calls, if others may have to be skipped. */
static int note_posix(struct dsn__source *s, struct dxt *d)
{
    struct darshan_reader_error err;
    const struct dsn_dxt_head *head;
    struct darshan_dxt *it;
    int ok = 1;

    if (darshan_reader_header(d->log)->mod[DSN_DXT_MPIIO_MODULE].len == 0)
        return 1;
    if (darshan_dxt_begin(d->log, DSN_DXT_POSIX_MODULE, &it, &err) != DSN_ERR_OK)
        return 1; /* reported when it is read */
    while (ok && (head = darshan_dxt_next(it, &err)) != NULL)
        ok = dsn__idmap_add(&d->posix, head->id, 0) != DSN_IDMAP_NONE;
    darshan_dxt_end(it);
    return ok || dsn__wrong(s, "has too many files for the memory") > 0;
}

/* If the log has CPU times of threads, events have the index of their thread. Damage of that part does not affect
 * events. */
static void take_stamps(struct dsn__source *s, struct dxt *d)
{
    struct darshan_reader_error err;
    darshan_cpu_stamp *stamps;
    const char *why;
    size_t n;

    if (darshan_reader_cpu_stamps(d->log, &stamps, &n, &err) != DSN_ERR_OK) {
        dsn__note(&s->notes, "there are no CPU times, because that part of the log is damaged");
        return;
    }
    if (n > 0)
        s->stamps = dsn__stamps_new(stamps, n, &why);
    else
        free(stamps);
    if (n > 0 && !s->stamps)
        dsn__note(&s->notes, why);
    if (s->stamps)
        s->info.cpu = DARSHAN_TRACE_CPU_RECORDED;
}

int dsn__dxt_open(struct dsn__source *s)
{
    struct dxt *d = calloc(1, sizeof *d);
    struct darshan_reader_error err;
    const struct dsn_header *h;
    char place[64];
    const char *name;

    s->state = d;
    if (!d)
        return dsn__wrong(s, "does not fit into memory") > 0;
    d->copy.fd = -1;
    dsn__idmap_init(&d->files);
    dsn__idmap_init(&d->posix);
    name = seekable(s, d, place, sizeof place);
    if (!name)
        return dsn__wrong(s, "cannot be copied to $TMPDIR, from which it would be read") > 0;
    if (darshan_reader_open(name, &d->log, &err) != DSN_ERR_OK)
        return dsn__wrong(s, "%s", err.text) > 0;
    h = darshan_reader_header(d->log);
    if (h->mod[DSN_DXT_POSIX_MODULE].len == 0 && h->mod[DSN_DXT_MPIIO_MODULE].len == 0)
        return dsn__wrong(s, "is a log without traces; DXT_ENABLE_IO_TRACE=1 makes the runtime write them") > 0;
    s->info.cpu = DARSHAN_TRACE_CPU_ESTIMATED;
    if (darshan_reader_job(d->log)->start_sec > 0 && (double)darshan_reader_job(d->log)->start_sec < MAX_TIME)
        s->info.epoch = (uint64_t)darshan_reader_job(d->log)->start_sec * 1000000000u;
    s->info.thinned = (h->partial >> DSN_DXT_POSIX_MODULE & 1) || (h->partial >> DSN_DXT_MPIIO_MODULE & 1);
    d->module = DSN_DXT_POSIX_MODULE;
    if (!s->options.as_found)
        take_stamps(s, d);
    return note_posix(s, d);
}

void dsn__dxt_close(struct dsn__source *s)
{
    struct dxt *d = s->state;

    if (!d)
        return;
    if (d->it)
        darshan_dxt_end(d->it);
    darshan_reader_close(d->log);
    if (d->copy.fd >= 0)
        dsn__spill_close(&d->copy);
    dsn__idmap_free(&d->files);
    dsn__idmap_free(&d->posix);
    free(d->path);
    free(d);
}

/* The next record to be returned, of either module: 1, 0, -1. */
static int next_record(struct dsn__source *s, struct dxt *d)
{
    struct darshan_reader_error err = { 0 };

    for (;;) {
        if (!d->it && darshan_dxt_begin(d->log, d->module, &d->it, &err) != DSN_ERR_OK)
            return dsn__wrong(s, "%s", err.text);
        d->head = darshan_dxt_next(d->it, &err);
        if (!d->head) {
            if (err.code != DSN_ERR_OK)
                return dsn__wrong(s, "%s", err.text);
            darshan_dxt_end(d->it);
            d->it = NULL;
            if (d->module == DSN_DXT_MPIIO_MODULE)
                return 0;
            d->module = DSN_DXT_MPIIO_MODULE;
        } else if (d->module == DSN_DXT_POSIX_MODULE || dsn__idmap_get(&d->posix, d->head->id) == DSN_IDMAP_NONE) {
            return 1;
        } else {
            dsn__note(&s->notes,
                      "traces of MPI-IO calls are left out where files have traces of the POSIX calls beneath them");
        }
    }
}

/* Reads the record's process and file. */
static int take_head(struct dsn__source *s, struct dxt *d)
{
    const char *name = darshan_reader_name(d->log, d->head->id);
    const uint32_t at = dsn__idmap_add(&d->files, d->head->id, (uint32_t)d->files.used);

    free(d->path);
    d->path = name ? strdup(name) : NULL;
    if (at == DSN_IDMAP_NONE || (name && !d->path))
        return dsn__wrong(s, "has too many files for the memory");
    d->file = (uint64_t)at + 1;
    memcpy(d->host, d->head->host, sizeof d->head->host);
    d->host[sizeof d->host - 1] = '\0';
    d->done = 0;
    d->n = d->next = 0;
    if (d->head->left_out > 0) {
        s->info.thinned = 1;
        s->info.left_out += (uint64_t)d->head->left_out;
    }
    return 1;
}

/* The next segment: 1, 0, -1. */
static int next_segment(struct dsn__source *s, struct dxt *d)
{
    struct darshan_reader_error err = { 0 };
    int rc;

    while (d->next == d->n) {
        if (d->head) {
            d->next = 0;
            d->n = darshan_dxt_segments(d->it, d->segments, SEGMENTS, &err);
            if (d->n == 0 && err.code != DSN_ERR_OK)
                return dsn__wrong(s, "%s", err.text);
            if (d->n > 0)
                break;
        }
        rc = next_record(s, d);
        if (rc <= 0)
            return rc;
        if (take_head(s, d) < 0)
            return -1;
    }
    return 1;
}

static uint64_t nanoseconds(double seconds)
{
    return seconds > 0 ? (uint64_t)((seconds < MAX_TIME ? seconds : MAX_TIME) * 1e9 + .5) : 0;
}

int dsn__dxt_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct dxt *d = s->state;
    const struct dsn_dxt_segment *g;
    const int rc = next_segment(s, d);

    if (rc <= 0)
        return rc;
    g = &d->segments[d->next++];
    if (!(g->start >= 0) || !(g->end >= g->start) || g->end > MAX_TIME || g->length < 0)
        dsn__note(&s->notes,
                  "some operations end before they start, or have no length; they are included as far as possible");
    *e = (struct darshan_trace_event){ .start = nanoseconds(g->start),
                                       .duration = g->end > g->start ? nanoseconds(g->end - g->start) : 0,
                                       .offset = g->offset > 0 ? (uint64_t)g->offset : 0,
                                       .length = g->length > 0 ? (uint64_t)g->length : 0,
                                       .file = d->file,
                                       .process = (uint64_t)d->head->rank,
                                       .op = d->done++ < d->head->nwrites ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ,
                                       .flags = g->offset < 0 ? DARSHAN_TRACE_NO_OFFSET : 0,
                                       .path = d->path,
                                       .host = *d->host ? d->host : NULL };
    if (s->stamps) {
        const uint32_t thread = dsn__stamps_thread(s->stamps, d->head->rank, g->thread);

        if (thread == UINT32_MAX)
            return dsn__wrong(s, "needs more memory for its threads than there is");
        e->cpu = thread;
    }
    return 1;
}

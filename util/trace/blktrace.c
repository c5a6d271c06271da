/* blktrace.c - reads the output of blktrace: the kernel's records, a file per processor, or all in one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record is a header described by <linux/blktrace_api.h>, of either byte order, followed by data of variable length.
 * A request may be issued on one processor and completed on another: given NAME.blktrace.0, all of NAME.blktrace.* are
 * read together. */
#include <config.h>
#include "readers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "inflight.h"
#include "util/lib/grow.h"

#define HEAD      48u
#define MAGIC     0x65617400u
#define REVISION  7u
#define MAX_FILES 4096
#define NOTIFY    (1u << 10) /* categories, in the upper half of the action */
#define TIMESTAMP 1u         /* of notify records */
#define MAX_TIME  (UINT64_MAX / 4)

/* Categories of a request, and the kernel's letter: a discard is also a write. */
static const struct {
    unsigned bit;
    char letter;
} letters[] = {
    { 1u << 0, 'R' }, { 1u << 1, 'W' }, { 1u << 13, 'D' }, { 1u << 3, 'S' }, { 1u << 11, 'A' }, { 1u << 12, 'M' },
};

/* Actions 1, 2, ...: Q M F G S R D C; the others are not needed. */
static const enum dsn__step steps[] = { DSN__NOSTEP, DSN__QUEUED,   DSN__MERGED, DSN__MERGED,   DSN__NOSTEP,
                                        DSN__NOSTEP, DSN__REQUEUED, DSN__ISSUED, DSN__COMPLETED };

struct head {
    uint64_t time, sector;
    uint32_t bytes, action, process, device;
    uint16_t error, data;
};

/* A file of the recording. */
struct part {
    struct dsn__input own, *in;
    struct head head; /* of the next record */
    int has;
};

struct blktrace {
    struct part *parts;
    size_t n;
    int swap;
    uint64_t genesis; /* timestamp of the first request */
    int has_genesis;
    uint64_t noted; /* timestamp of the record with the date */
    struct dsn__inflight inflight;
    char what[sizeof letters / sizeof letters[0]];
};

static uint32_t u32(const unsigned char *p, int swap)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

static uint64_t u64(const unsigned char *p, int swap)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

static uint16_t u16(const unsigned char *p, int swap)
{
    uint16_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap16(v) : v;
}

int dsn__blktrace_probe(const unsigned char *head, size_t n)
{
    if (n < HEAD)
        return DSN__NO;
    return u32(head, 0) >> 8 == MAGIC >> 8 || u32(head, 1) >> 8 == MAGIC >> 8 ? DSN__SURELY : DSN__NO;
}

/* ------------------------------------------------------------------ records */

static int failed(struct dsn__source *s, const struct part *p, const char *what)
{
    const char *input = dsn__input_failed(p->in);

    return dsn__wrong(s, "%s, behind byte %" PRIu64, input ? input : what, p->in->taken);
}

/* Computes the date of the first request from that of a notify record. */
static void find_epoch(struct dsn__source *s, const struct blktrace *b)
{
    if (s->info.epoch && s->info.epoch + b->genesis > b->noted)
        s->info.epoch += b->genesis - b->noted;
}

/* Looks for a notify record with the date. */
static void take_note(struct dsn__source *s, struct blktrace *b, const struct head *h, const unsigned char *data)
{
    if ((h->action & 0xff) != TIMESTAMP || h->data < 8 || s->info.epoch)
        return;
    s->info.epoch = (uint64_t)u32(data, b->swap) * 1000000000u + u32(data + 4, b->swap);
    b->noted = h->time;
    if (b->has_genesis)
        find_epoch(s, b);
}

/* Reads the header of a file's next request, and notify records before it. 1, 0, -1. */
static int next_head(struct dsn__source *s, struct blktrace *b, struct part *p)
{
    const unsigned char *bytes, *data;

    p->has = 0;
    while ((bytes = dsn__input_bytes(p->in, HEAD)) != NULL) {
        struct head *h = &p->head;

        if (u32(bytes, b->swap) != (MAGIC | REVISION))
            return failed(s, p, "has no record of version 7");
        *h = (struct head){ .time = u64(bytes + 8, b->swap),
                            .sector = u64(bytes + 16, b->swap),
                            .bytes = u32(bytes + 24, b->swap),
                            .action = u32(bytes + 28, b->swap),
                            .process = u32(bytes + 32, b->swap),
                            .device = u32(bytes + 36, b->swap),
                            .error = u16(bytes + 44, b->swap),
                            .data = u16(bytes + 46, b->swap) };
        if (h->time > MAX_TIME)
            return failed(s, p, "has a time beyond 146 years");
        if (h->action >> 16 & NOTIFY) {
            data = dsn__input_bytes(p->in, h->data);
            if (!data)
                return failed(s, p, "ends within a record");
            take_note(s, b, h, data);
            continue;
        }
        if (h->data > 0 && !dsn__input_skip(p->in, h->data))
            return failed(s, p, "ends within a record");
        p->has = 1;
        return 1;
    }
    return dsn__input_failed(p->in) || dsn__input_left(p->in) > 0 ? failed(s, p, "ends within a record") : 0;
}

static void explain(struct blktrace *b, const struct head *h, struct dsn__request *r)
{
    const unsigned category = h->action >> 16, action = h->action & 0xff;
    size_t n = 0;

    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (category & letters[i].bit)
            b->what[n++] = letters[i].letter;
    *r = (struct dsn__request){ .device = h->device,
                                .sector = h->sector,
                                .time = h->time - b->genesis,
                                .process = h->process,
                                .bytes = h->bytes,
                                .failed = h->error != 0,
                                .step = action < sizeof steps / sizeof steps[0] ? steps[action] : DSN__NOSTEP,
                                .what = b->what,
                                .nwhat = n };
}

/* The file with the earliest next record; NULL: the end. */
static struct part *first_part(const struct blktrace *b)
{
    struct part *first = NULL;

    for (size_t i = 0; i < b->n; i++)
        if (b->parts[i].has && (!first || b->parts[i].head.time < first->head.time))
            first = &b->parts[i];
    return first;
}

int dsn__blktrace_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct blktrace *b = s->state;
    struct part *p;

    while ((p = first_part(b)) != NULL) {
        struct dsn__request r;
        int rc;

        explain(b, &p->head, &r);
        if (p->head.time < b->genesis)
            r.time = 0;
        if (next_head(s, b, p) < 0)
            return -1;
        rc = dsn__step(&b->inflight, &r, e);
        if (rc < 0)
            return dsn__wrong(s, "has too many requests for the memory");
        if (rc > 0)
            return 1;
    }
    return dsn__left(&b->inflight, e);
}

/* ------------------------------------------------------------------ files */

/* "NAME.blktrace.0" up to the last point; NULL: not such a name. */
static char *stem(const char *path, int *number)
{
    const char *dot = strrchr(path, '.');
    const size_t n = dot ? (size_t)(dot - path) : 0;

    if (n < 9 || memcmp(dot - 9, ".blktrace", 9) != 0 || dot[1] < '0' || dot[1] > '9')
        return NULL;
    *number = atoi(dot + 1);
    return strndup(path, n + 1);
}

/* Opens the other files of the recording. */
static int open_others(struct dsn__source *s, struct blktrace *b, const char *name)
{
    char path[4096];

    for (int i = 1; i < MAX_FILES; i++) {
        int fd;

        snprintf(path, sizeof path, "%s%d", name, i);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return 1;
        if (!dsn_resize(&b->parts, b->n + 1, sizeof *b->parts)) {
            close(fd);
            return dsn__wrong(s, "does not fit into memory");
        }
        memset(&b->parts[b->n], 0, sizeof *b->parts);
        if (!dsn__input_open(&b->parts[b->n].own, fd))
            return dsn__wrong(s, "does not fit into memory");
        b->n++;
    }
    return 1;
}

static int open_parts(struct dsn__source *s, struct blktrace *b)
{
    int number = 0, rc = 1;
    char *name = stem(s->path, &number), first[4096];

    b->parts = calloc(1, sizeof *b->parts);
    if (!b->parts) {
        free(name);
        return dsn__wrong(s, "does not fit into memory");
    }
    b->n = 1;
    b->parts[0].own.fd = -1;
    if (name && number == 0) {
        rc = open_others(s, b, name);
    } else if (name) {
        snprintf(first, sizeof first, "%s0", name);
        if (access(first, R_OK) == 0) {
            dsn__note(&s->notes, "files of a recording are read together with the one that ends in .0");
            b->n = 0;
        }
    }
    free(name);
    for (size_t i = 0; i < b->n; i++)
        b->parts[i].in = i == 0 ? &s->in : &b->parts[i].own;
    return rc;
}

int dsn__blktrace_open(struct dsn__source *s)
{
    struct blktrace *b = calloc(1, sizeof *b);
    const unsigned char *head;
    struct part *first;
    size_t n;

    s->state = b;
    if (!b)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__inflight_init(&b->inflight);
    s->info.physical = 1;
    head = dsn__input_peek(&s->in, &n);
    b->swap = n >= HEAD && u32(head, 0) >> 8 != MAGIC >> 8;
    if (open_parts(s, b) < 0)
        return 0;
    for (size_t i = 0; i < b->n; i++)
        if (next_head(s, b, &b->parts[i]) < 0)
            return 0;
    first = first_part(b);
    b->genesis = first ? first->head.time : 0;
    b->has_genesis = 1;
    find_epoch(s, b);
    return 1;
}

void dsn__blktrace_close(struct dsn__source *s)
{
    struct blktrace *b = s->state;

    if (!b)
        return;
    for (size_t i = 1; i < b->n; i++)
        dsn__input_close(&b->parts[i].own);
    free(b->parts);
    dsn__inflight_free(&b->inflight);
    free(b);
}

/* oracle.c - libCacheSim's oracleGeneral: time, object, size, next access
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of 24 bytes, little-endian: seconds (32 bits), object (64), bytes (32), and the number of the next record
 * with this object, or -1 (64). Objects are written as locations of requests: file and offset. */
#include <config.h>
#include "readers.h"
#include "writers.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/lib/idmap.h"
#include "spill.h"
#include "bytes.h"
#include "pairmap.h"

#define RECORD    24u
#define CHUNK     8192u /* records in memory at once */
#define OBJECT    16u   /* bytes per object in the temporary file: number and seconds, then bytes */
#define NEVER     UINT64_MAX
#define PLAUSIBLE 64 /* records examined by a probe */
#define BLOCK     512u

/* ------------------------------------------------------------------ reading */

/* Times do not decrease. */
struct times {
    uint32_t first, last;
};

/* Whether this time is where another trace begins: the first one's beginning, or before. */
static int begins_again(const struct times *t, uint32_t when)
{
    return when < t->last && when <= t->first;
}

/* Nondecreasing times, small sizes, and a later next access: unlikely for random bytes. */
int dsn__oracle_probe(const unsigned char *head, size_t n)
{
    size_t records = n / RECORD < PLAUSIBLE ? n / RECORD : PLAUSIBLE;
    struct times t = { n >= 4 ? dsn__le32(head) : 0, 0 };

    if (records == 0)
        return DSN__NO;
    for (size_t i = 0; i < records; i++) {
        const unsigned char *p = head + i * RECORD;
        const uint32_t when = dsn__le32(p), size = dsn__le32(p + 12);
        const uint64_t next = dsn__le64(p + 16);

        if (begins_again(&t, when)) {
            records = i;
            break;
        }
        if (when < t.last || size == 0 || size > 1u << 30 || (next != NEVER && (next <= i || next > (uint64_t)1 << 48)))
            return DSN__NO;
        t.last = when;
    }
    return records >= 8 ? DSN__LIKELY : DSN__MAYBE;
}

int dsn__oracle_open(struct dsn__source *s)
{
    s->state = calloc(1, sizeof(struct times));
    if (!s->state)
        return dsn__wrong(s, "does not fit into memory") > 0;
    s->info.cpu = DARSHAN_TRACE_CPU_NONE;
    dsn__note(&s->notes,
              "the format distinguishes neither reads and writes nor offsets: its objects are read as files");
    return 1;
}

int dsn__oracle_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    const unsigned char *p = dsn__input_bytes(&s->in, RECORD);
    const char *failed = dsn__input_failed(&s->in);
    struct times *t = s->state;
    uint32_t when;

    if (!p && (failed || dsn__input_left(&s->in) > 0))
        return dsn__wrong(s, "%s, behind byte %llu", failed ? failed : "ends within a record",
                          (unsigned long long)s->in.taken);
    if (!p)
        return 0;
    when = dsn__le32(p);
    if (s->in.taken == RECORD)
        t->first = when;
    if (begins_again(t, when))
        return dsn__wrong(s, "at byte %llu " DSN__ANOTHER, (unsigned long long)s->in.taken - RECORD);
    t->last = when;
    *e = (struct darshan_trace_event){ .start = (uint64_t)when * 1000000000u,
                                       .file = dsn__le64(p + 4),
                                       .length = dsn__le32(p + 12),
                                       .op = DARSHAN_TRACE_READ };
    return 1;
}

void dsn__oracle_close(struct dsn__source *s)
{
    free(s->state);
}

/* ------------------------------------------------------------------ writing */

/* All requests are written to a temporary file; after the last one it is processed backwards to find the next accesses,
 * and the records are written backwards to a second file, which is then copied. */
struct writer {
    struct dsn__spill objects, records;
    struct dsn__pairmap index; /* (process and file, offset) -> object */
    struct dsn__pairmap files;
    uint64_t n;
};

static int fail(struct dsn__trace_sink *s)
{
    snprintf(s->err.text, sizeof s->err.text, "cannot be written: more memory or space in $TMPDIR is needed");
    return 0;
}

int dsn__oracle_begin(struct dsn__trace_sink *s)
{
    struct writer *w = calloc(1, sizeof *w);

    s->state = w;
    if (!w)
        return fail(s);
    w->objects.fd = w->records.fd = -1;
    dsn__pairmap_init(&w->index);
    dsn__pairmap_init(&w->files);
    return (dsn__spill_open(&w->objects) && dsn__spill_open(&w->records)) || fail(s);
}

int dsn__oracle_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct writer *w = s->state;
    unsigned char bytes[OBJECT];
    uint32_t file, object;

    if (e->op > DARSHAN_TRACE_WRITE || e->length == 0) {
        dsn__note(&s->notes, "events that move no data are left out");
        return 1;
    }
    if (e->op == DARSHAN_TRACE_WRITE)
        dsn__note(&s->notes, "writes become requests: the format does not distinguish them from reads");
    if (e->length > UINT32_MAX)
        dsn__note(&s->notes, "requests of 4 GiB and more are written as of 4 GiB");
    file = dsn__pairmap_add(&w->files, e->flags & DARSHAN_TRACE_PHYSICAL ? 0 : e->process, e->file,
                            (e->flags & DARSHAN_TRACE_PHYSICAL) != 0);
    object = file == DSN__PAIR_NONE ? DSN__PAIR_NONE : dsn__pairmap_add(&w->index, file, e->offset, 0);
    if (object == DSN__PAIR_NONE)
        return fail(s);
    dsn__put_le32(bytes, object);
    dsn__put_le32(bytes + 4, (uint32_t)(e->start / 1000000000u));
    dsn__put_le64(bytes + 8, e->length < UINT32_MAX ? e->length : UINT32_MAX);
    w->n++;
    return dsn__spill_put(&w->objects, bytes, sizeof bytes) || fail(s);
}

/* An object's location: its number is the same in every trace with the same requests. */
static uint64_t place(const struct writer *w, uint32_t object)
{
    const struct dsn__pair *p = &w->index.pairs[object];

    return p->a << 40 ^ p->b / BLOCK ^ (p->b % BLOCK) << 31;
}

/* Processes chunks last to first; each chunk's records are stored last to first. */
static int find_successors(struct writer *w, uint64_t *next, unsigned char *chunk)
{
    unsigned char record[RECORD];

    for (uint64_t end = w->n; end > 0;) {
        const size_t n = end < CHUNK ? (size_t)end : CHUNK;

        if (!dsn__spill_get(&w->objects, (end - n) * OBJECT, chunk, n * OBJECT))
            return 0;
        for (size_t i = n; i-- > 0;) {
            const unsigned char *p = chunk + i * OBJECT;
            const uint32_t object = dsn__le32(p);

            dsn__put_le32(record, dsn__le32(p + 4));
            dsn__put_le64(record + 4, place(w, object));
            dsn__put_le32(record + 12, (uint32_t)dsn__le64(p + 8));
            dsn__put_le64(record + 16, next[object]);
            next[object] = end - n + i;
            if (!dsn__spill_put(&w->records, record, sizeof record))
                return 0;
        }
        end -= n;
    }
    return dsn__spill_flush(&w->records);
}

static int copy_out(struct dsn__trace_sink *s, struct writer *w, unsigned char *chunk)
{
    for (uint64_t left = w->n; left > 0;) {
        const size_t n = left < CHUNK ? (size_t)left : CHUNK;

        if (!dsn__spill_get(&w->records, (left - n) * RECORD, chunk, n * RECORD))
            return 0;
        for (size_t i = n; i-- > 0;)
            dsn_text_bytes(&s->out, (const char *)chunk + i * RECORD, RECORD);
        left -= n;
    }
    return 1;
}

int dsn__oracle_end(struct dsn__trace_sink *s)
{
    struct writer *w = s->state;
    uint64_t *next = malloc((w->index.used + 1) * sizeof *next);
    unsigned char *chunk = malloc(CHUNK * RECORD);
    int ok = next && chunk && dsn__spill_flush(&w->objects);

    for (size_t i = 0; ok && i < w->index.used; i++)
        next[i] = NEVER;
    ok = ok && find_successors(w, next, chunk) && copy_out(s, w, chunk);
    free(next);
    free(chunk);
    return ok || fail(s);
}

void dsn__oracle_release(struct dsn__trace_sink *s)
{
    struct writer *w = s->state;

    if (!w)
        return;
    if (w->objects.fd >= 0)
        dsn__spill_close(&w->objects);
    if (w->records.fd >= 0)
        dsn__spill_close(&w->records);
    dsn__pairmap_free(&w->index);
    dsn__pairmap_free(&w->files);
    free(w);
}

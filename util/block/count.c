/* count.c - what the requests to devices amount to
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#define NS 1e-9

const double dsn_block_shares[DSN_BLOCK_SHARES] = { 0.5, 0.8, 0.9, 0.99 };

enum { SMALL, PAGE, OTHER, LARGE };

const char *dsn_block_class_name(unsigned i)
{
    static const char *const names[DSN_BLOCK_CLASSES] = { "small", "page", "other", "large" };

    return names[i];
}

static unsigned class_of(const struct dsn_block_edges *e, uint64_t bytes)
{
    return bytes <= e->small ? SMALL : bytes == e->page ? PAGE : bytes >= e->large ? LARGE : OTHER;
}

static void add_request(struct dsn_block_sums *s, uint64_t bytes)
{
    s->requests++;
    s->bytes += bytes;
}

/* ------------------------------------------------------------------ latency and depth */

static unsigned bin_of(uint64_t ns)
{
    const unsigned bin = ns > 0 ? (unsigned)(16 * log2((double)ns)) : 0;

    return bin < DSN_BLOCK_LATENCY ? bin : DSN_BLOCK_LATENCY - 1;
}

double dsn_block_latency(const struct dsn_block *b, int k, double share)
{
    uint64_t all = 0, below = 0;

    for (unsigned i = 0; i < DSN_BLOCK_LATENCY; i++)
        all += b->latency[k][i];
    for (unsigned i = 0; all > 0 && i < DSN_BLOCK_LATENCY; i++) {
        below += b->latency[k][i];
        if ((double)below >= share * (double)all)
            return exp2((i + 0.5) / 16) * NS;
    }
    return 0;
}

static void sink(uint64_t *heap, size_t n)
{
    for (size_t i = 0, least;; i = least) {
        const size_t left = 2 * i + 1, right = left + 1;
        uint64_t v = heap[i];

        least = i;
        if (left < n && heap[left] < heap[least])
            least = left;
        if (right < n && heap[right] < heap[least])
            least = right;
        if (least == i)
            return;
        heap[i] = heap[least];
        heap[least] = v;
    }
}

/* How many requests are under way when one begins: those that have ended are taken out. Returns 0 if there is no memory. */
static int note_depth(struct dsn_block *b, uint64_t start, uint64_t end)
{
    void *grown = b->heap;
    size_t i;

    while (b->heap_n > 0 && b->heap[0] <= start) {
        b->heap[0] = b->heap[--b->heap_n];
        sink(b->heap, b->heap_n);
    }
    if (!dsn__grow(&grown, &b->heap_room, sizeof *b->heap, b->heap_n))
        return 0;
    b->heap = grown;
    for (i = b->heap_n++; i > 0 && b->heap[(i - 1) / 2] > end; i = (i - 1) / 2)
        b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = end;
    b->deepest = b->heap_n > b->deepest ? b->heap_n : b->deepest;
    return 1;
}

/* ------------------------------------------------------------------ places */

/* The element of an array that goes along with a map; NULL: there is no memory. */
static void *element(struct dsn__pairmap *m, uint64_t a, uint64_t of, void **array, size_t *room, size_t size,
                     size_t *n)
{
    const uint32_t i = dsn__pairmap_add(m, a, of, 0);

    if (i == DSN__PAIR_NONE || !dsn__grow(array, room, size, i))
        return NULL;
    if (i == *n)
        ++*n;
    return (char *)*array + i * size;
}

static int note_place(struct dsn_block *b, const struct darshan_trace_event *e, int k)
{
    const uint64_t sector = e->offset / DSN_BLOCK_SECTOR;
    struct dsn_block_device *d;
    struct dsn_block_sector *s;
    uint64_t *band, end = (e->offset + e->length) / DSN_BLOCK_SECTOR;
    void *array = b->devices;

    d = element(&b->device_map, e->file, 0, &array, &b->device_room, sizeof *d, &b->ndevices);
    b->devices = array;
    array = b->sectors;
    s = element(&b->sector_map, e->file, sector, &array, &b->sector_room, sizeof *s, &b->nsectors);
    b->sectors = array;
    array = b->bands;
    band = element(&b->band_map, e->file, sector / DSN_BLOCK_BAND, &array, &b->band_room, sizeof *band, &b->nbands);
    b->bands = array;
    if (!d || !s || !band)
        return 0;
    d->device = e->file;
    add_request(&d->sums[k], e->length);
    d->last_sector = end > d->last_sector ? end - 1 : d->last_sector;
    if (s->accesses++ == 0)
        *s = (struct dsn_block_sector){ e->file, sector, 1, e->start, e->start };
    s->last = e->start;
    ++*band;
    return 1;
}

static int note_point(struct dsn_block *b, const struct darshan_trace_event *e, int k)
{
    void *grown = b->points;

    if (!dsn__grow(&grown, &b->point_room, sizeof *b->points, b->npoints))
        return 0;
    b->points = grown;
    b->points[b->npoints++] = (struct dsn_block_point){ e->start, e->length, k };
    return 1;
}

/* ------------------------------------------------------------------ a trace */

static int count_request(struct dsn_block *b, const struct darshan_trace_event *e)
{
    const int k = e->op == DARSHAN_TRACE_WRITE;
    const uint64_t end = e->start + e->duration;

    if (!(e->flags & DARSHAN_TRACE_PHYSICAL)) {
        b->calls++;
        return 1;
    }
    b->failed += (e->flags & DARSHAN_TRACE_FAILED) != 0;
    if ((e->op != DARSHAN_TRACE_READ && !k) || e->length == 0 || e->flags & DARSHAN_TRACE_FAILED) {
        b->others++;
        return 1;
    }
    if (b->total[0].requests + b->total[1].requests == 0)
        b->begin = e->start;
    b->end = end > b->end ? end : b->end;
    add_request(&b->total[k], e->length);
    add_request(&b->of_class[k][class_of(&b->edges, e->length)], e->length);
    add_request(&b->of_kind[k][e->kind < DARSHAN_TRACE_NCLASSES ? e->kind : 0], e->length);
    if (!(e->flags & DARSHAN_TRACE_UNFINISHED) && e->duration > 0) {
        b->latency[k][bin_of(e->duration)]++;
        b->busy += (double)e->duration * NS;
    }
    return note_depth(b, e->start, end) && note_place(b, e, k) && note_point(b, e, k);
}

static int most_first(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

static void concentrate(struct dsn_block *b, uint64_t sectors)
{
    const double all = (double)(b->total[0].requests + b->total[1].requests);
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < b->ndevices; i++) {
        if (sectors > b->devices[i].last_sector)
            b->devices[i].last_sector = sectors - 1;
        b->all_bands += (size_t)(b->devices[i].last_sector / DSN_BLOCK_BAND + 1);
    }
    if (b->nbands > 0)
        qsort(b->bands, b->nbands, sizeof *b->bands, most_first);
    for (int i = 0; i < DSN_BLOCK_SHARES; i++) {
        while (n < b->nbands && sum < dsn_block_shares[i] * all)
            sum += (double)b->bands[n++];
        b->concentrated[i] = n;
        b->share_of_bands[i] = b->all_bands > 0 ? (double)n / (double)b->all_bands : NAN;
    }
}

static void finish_times(struct dsn_block *b)
{
    double sum = 0, n = 0;
    const double span = (double)(b->end - b->begin) + 1;

    for (size_t i = 0; i < b->nsectors; i++) {
        sum += (double)(b->sectors[i].last - b->sectors[i].first) * NS;
        n += (double)(b->sectors[i].accesses - 1);
    }
    b->interval = n > 0 ? sum / n : NAN;
    for (size_t i = 0; i < b->npoints; i++) {
        const size_t at = (size_t)((double)(b->points[i].start - b->begin) / span * DSN_BLOCK_SERIES);

        b->series[b->points[i].is_write][at < DSN_BLOCK_SERIES ? at : DSN_BLOCK_SERIES - 1] += b->points[i].length;
    }
    if (!(b->seconds > 0))
        b->seconds = (double)(b->end - b->begin) * NS;
}

int dsn_block_read(const char *path, const char *format, const struct dsn_block_edges *edges, double seconds,
                   uint64_t sectors, struct dsn_block *b, struct darshan_trace_error *err)
{
    const struct darshan_trace_options options = { .format = format };
    struct darshan_trace *trace;
    struct darshan_trace_event e;
    double recorded = 0;
    int rc, ok = 1;

    *b = (struct dsn_block){ .edges = *edges };
    dsn__pairmap_init(&b->device_map);
    dsn__pairmap_init(&b->sector_map);
    dsn__pairmap_init(&b->band_map);
    b->says_lost = dsn_record_ends(path, &b->lost, &recorded);
    b->seconds = seconds > 0 ? seconds : recorded;
    if (!darshan_trace_open(path, &options, &trace, err))
        return 0;
    while ((rc = darshan_trace_next(trace, &e, err)) > 0 && (ok = count_request(b, &e)) != 0)
        continue;
    darshan_trace_close(trace);
    if (!ok)
        snprintf(err->text, sizeof err->text, "needs more memory than there is");
    else if (rc == 0 && b->total[0].requests + b->total[1].requests == 0 && b->calls > 0) {
        snprintf(err->text, sizeof err->text,
                 "has calls of programs only, no requests to devices; name a recording of a device");
        ok = 0;
    }
    concentrate(b, sectors);
    finish_times(b);
    return ok && rc == 0;
}

void dsn_block_free(struct dsn_block *b)
{
    dsn__pairmap_free(&b->device_map);
    dsn__pairmap_free(&b->sector_map);
    dsn__pairmap_free(&b->band_map);
    free(b->devices);
    free(b->sectors);
    free(b->bands);
    free(b->heap);
    free(b->points);
}

/* ------------------------------------------------------------------ figures */

/* Whether a is to stand before b. */
static int is_hotter(const struct dsn_block_sector *a, const struct dsn_block_sector *b)
{
    return a->accesses != b->accesses ? a->accesses > b->accesses : a->sector < b->sector;
}

size_t dsn_block_hottest(const struct dsn_block *b, struct dsn_block_sector *out, size_t room)
{
    size_t n = 0;

    for (size_t i = 0; i < b->nsectors; i++) {
        size_t at = n;

        while (at > 0 && is_hotter(&b->sectors[i], &out[at - 1]))
            at--;
        if (at == room)
            continue;
        n += n < room;
        memmove(out + at + 1, out + at, (n - at - 1) * sizeof *out);
        out[at] = b->sectors[i];
    }
    return n;
}

struct dsn_block_net dsn_block_net(uint64_t requests, double seconds, uint64_t idle_requests, double idle_seconds)
{
    struct dsn_block_net n;

    n.raw = (double)requests - (idle_seconds > 0 ? (double)idle_requests / idle_seconds * seconds : 0);
    n.net = n.raw > 0 ? n.raw : 0;
    n.error = 2 * sqrt((double)requests);
    return n;
}

/* places.c - locality of requests: bands of the disk, sectors accessed repeatedly
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "count.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS 1e-9 /* seconds */

const double dsn_block_shares[DSN_BLOCK_SHARES] = { 0.5, 0.8, 0.9, 0.99 };

/* ------------------------------------------------------------------ order */

#define KEY_BYTES 12 /* of a key: eight of the sector, four of the device */

static unsigned key_byte(const struct dsn_block_request *r, unsigned i)
{
    return (unsigned)(i < 8 ? r->sector >> 8 * i : (uint64_t)(r->where >> 1) >> 8 * (i - 8)) & 0xff;
}

static int is_before(const struct dsn_block_request *a, const struct dsn_block_request *b)
{
    return a->where >> 1 != b->where >> 1 ? a->where >> 1 < b->where >> 1 : a->sector < b->sector;
}

/* A pass of a radix sort by byte i, stable. */
static void distribute(const struct dsn_block_request *from, struct dsn_block_request *to, size_t n, unsigned i)
{
    size_t at[256] = { 0 }, sum = 0;

    for (size_t k = 0; k < n; k++)
        at[key_byte(&from[k], i)]++;
    for (unsigned v = 0; v < 256; v++) {
        const size_t count = at[v];

        at[v] = sum;
        sum += count;
    }
    for (size_t k = 0; k < n; k++)
        to[at[key_byte(&from[k], i)]++] = from[k];
}

/* Sorts by device and sector. */
static int sort_requests(struct dsn_block *b)
{
    struct dsn_block_request *other, differs = { 0 };
    int ordered = 1;

    for (size_t i = 1; i < b->nrequests; i++) {
        ordered &= !is_before(&b->requests[i], &b->requests[i - 1]);
        differs.sector |= b->requests[i].sector ^ b->requests[0].sector;
        differs.where |= b->requests[i].where ^ b->requests[0].where;
    }
    if (ordered)
        return 1;
    other = malloc(b->nrequests * sizeof *other);
    if (!other)
        return 0;
    for (unsigned i = 0; i < KEY_BYTES; i++) {
        struct dsn_block_request *const from = b->requests;

        if (key_byte(&differs, i) == 0)
            continue;
        distribute(from, other, b->nrequests, i);
        b->requests = other;
        other = from;
    }
    b->request_room = b->nrequests;
    free(other);
    return 1;
}

/* ------------------------------------------------------------------ sectors */

size_t dsn_block_sector(const struct dsn_block *b, size_t first, struct dsn_block_sector *out)
{
    const struct dsn_block_request *r = b->requests;
    size_t i = first;

    *out = (struct dsn_block_sector){ r[first].where >> 1, r[first].sector, 0, r[first].start, 0 };
    for (; i < b->nrequests && !is_before(&r[first], &r[i]); i++) {
        out->first = r[i].start < out->first ? r[i].start : out->first;
        out->last = r[i].start > out->last ? r[i].start : out->last;
    }
    out->accesses = i - first;
    return i;
}

/* The first request at or after a place. */
static size_t first_from(const struct dsn_block *b, const struct dsn_block_request *place)
{
    size_t low = 0, high = b->nrequests;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (is_before(&b->requests[middle], place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t dsn_block_range(const struct dsn_block *b, size_t device, uint64_t from, uint64_t to, size_t *end)
{
    struct dsn_block_request place = { .where = 2 * (uint32_t)device, .sector = from };
    size_t first;

    first = first_from(b, &place);
    place.sector = to;
    *end = first_from(b, &place);
    return first;
}

/* Whether a is to precede b. */
static int is_hotter(const struct dsn_block_sector *a, const struct dsn_block_sector *b)
{
    return a->accesses != b->accesses ? a->accesses > b->accesses : a->sector < b->sector;
}

size_t dsn_block_hottest(const struct dsn_block *b, struct dsn_block_sector *out, size_t room)
{
    struct dsn_block_sector s;
    size_t n = 0;

    for (size_t i = 0; i < b->nrequests;) {
        size_t at = n;

        i = dsn_block_sector(b, i, &s);
        while (at > 0 && is_hotter(&s, &out[at - 1]))
            at--;
        if (at == room)
            continue;
        n += n < room;
        memmove(out + at + 1, out + at, (n - at - 1) * sizeof *out);
        out[at] = s;
    }
    return n;
}

static void find_interval(struct dsn_block *b)
{
    struct dsn_block_sector s;
    double sum = 0, n = 0;

    for (size_t i = 0; i < b->nrequests;) {
        i = dsn_block_sector(b, i, &s);
        sum += (double)(s.last - s.first) * NS;
        n += (double)(s.accesses - 1);
    }
    b->interval = n > 0 ? sum / n : NAN;
}

/* ------------------------------------------------------------------ bands */

static int note_band(struct dsn_block *b, const struct dsn_block_request *r)
{
    const uint64_t first = r->sector - r->sector % DSN_BLOCK_BAND;

    if (b->nbands == 0 || b->bands[b->nbands - 1].first != first || b->bands[b->nbands - 1].device != r->where >> 1) {
        if (!dsn_grow_zeroed(&b->bands, &b->band_room, sizeof *b->bands, b->nbands))
            return 0;
        b->bands[b->nbands++] = (struct dsn_block_band){ r->where >> 1, first, 0 };
    }
    b->bands[b->nbands - 1].requests++;
    return 1;
}

static int most_first(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* The size of a disk: given by the user, in the recording, or the last sector accessed. */
static void find_size(const struct dsn_block *b, struct dsn_block_device *d)
{
    const struct dsn_block_disk *disk = dsn_block_disk_of(b, d);
    const uint64_t sectors = b->all_sectors > 0 ? b->all_sectors : disk ? disk->part.sectors : 0;

    d->has_size = sectors > d->last_sector;
    if (d->has_size)
        d->last_sector = sectors - 1;
}

/* The smallest number of bands with most of the requests. */
static void concentrate(struct dsn_block *b, const uint64_t *sorted)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < b->ndevices; i++) {
        find_size(b, &b->devices[i]);
        b->all_bands += (size_t)(b->devices[i].last_sector / DSN_BLOCK_BAND + 1);
    }
    for (int i = 0; i < DSN_BLOCK_SHARES; i++) {
        while (n < b->nbands && sum < dsn_block_shares[i] * (double)b->nrequests)
            sum += (double)sorted[n++];
        b->concentrated[i] = n;
        b->share_of_bands[i] = b->all_bands > 0 ? (double)n / (double)b->all_bands : NAN;
    }
}

int dsn__block_places(struct dsn_block *b)
{
    uint64_t *sorted;

    if (!sort_requests(b))
        return 0;
    for (size_t i = 0; i < b->nrequests; i++)
        if (!note_band(b, &b->requests[i]))
            return 0;
    sorted = malloc((b->nbands + 1) * sizeof *sorted);
    if (!sorted)
        return 0;
    for (size_t i = 0; i < b->nbands; i++)
        sorted[i] = b->bands[i].requests;
    qsort(sorted, b->nbands, sizeof *sorted, most_first);
    concentrate(b, sorted);
    free(sorted);
    find_interval(b);
    return 1;
}

/* region.c - joins the regions of several ranks
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/region.h"

#include <stdbool.h>
#include <string.h>

#include "base/pages.h"
#include "log/pack.h"
#include "record/module.h"

/* Precedes the regions in a message; their contents follow. */
struct head {
    uint64_t packed[DSN_NREGIONS], raw[DSN_NREGIONS], whole[DSN_NREGIONS];
    int64_t took[DSN_NHEADER_REGIONS];
};

char *dsn__region_room(struct dsn_regions *r, int region, size_t size)
{
    struct dsn_region *g = &r->of[region];
    const size_t used = g->packed + g->raw;
    char *bytes;

    if (g->room - used >= size && g->bytes)
        return g->bytes + used;
    bytes = dsn__pages_grow(g->bytes, used + size + g->room / 2);
    if (!bytes)
        return NULL;
    g->bytes = bytes;
    g->room = used + size + g->room / 2;
    return bytes + used;
}

bool dsn__region_added(struct dsn_regions *r, int region, size_t size)
{
    r->of[region].raw += size;
    r->of[region].whole += size;
    return r->of[region].raw < DSN_WORTH_A_STREAM || dsn__region_flush(r, region);
}

static void forget_seen(struct dsn_seen *s)
{
    dsn__pages_free(s->id);
    *s = (struct dsn_seen){ 0 };
}

static bool add_stream(struct dsn_regions *r, int region, char *stream, size_t packed)
{
    char *to = dsn__region_room(r, region, packed);

    if (to) {
        memcpy(to, stream, packed);
        r->of[region].packed += packed;
    }
    dsn__pages_free(stream);
    return to != NULL;
}

bool dsn__region_packed(struct dsn_regions *r, int region, char *stream, size_t packed, size_t whole)
{
    r->of[region].whole += whole;
    if (dsn__region_flush(r, region))
        return add_stream(r, region, stream, packed);
    dsn__pages_free(stream);
    return false;
}

bool dsn__region_flush(struct dsn_regions *r, int region)
{
    struct dsn_region *g = &r->of[region];
    size_t packed = 0;
    char *stream;

    if (g->raw == 0)
        return true;
    if (region == 0)
        forget_seen(&r->seen);
    stream = dsn__pack(g->bytes + g->packed, g->raw, &packed);
    if (!stream)
        return false;
    g->raw = 0;
    return add_stream(r, region, stream, packed);
}

bool dsn__regions_flush(struct dsn_regions *r)
{
    int ok = 1;

    for (int i = 0; i < DSN_NREGIONS; i++)
        ok &= dsn__region_flush(r, i);
    return ok;
}

char *dsn__regions_message(const struct dsn_regions *r, int first, char *before, size_t nbefore, dsn_grow grow,
                           size_t *size)
{
    struct head h = { .took = { 0 } };
    char *message, *to;

    *size = nbefore + sizeof h;
    memcpy(h.took, r->took, sizeof h.took);
    for (int i = first; i < DSN_NREGIONS; i++) {
        h.packed[i] = r->of[i].packed;
        h.raw[i] = r->of[i].raw;
        h.whole[i] = r->of[i].whole;
        *size += r->of[i].packed + r->of[i].raw;
    }
    message = grow(before, *size);
    if (!message)
        return NULL;
    to = message + nbefore;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (int i = first; i < DSN_NREGIONS; i++) {
        const size_t n = r->of[i].packed + r->of[i].raw;

        if (n > 0)
            memcpy(to, r->of[i].bytes, n);
        to += n;
    }
    return message;
}

static uint64_t *slot_of(const struct dsn_seen *s, uint64_t id)
{
    size_t i = id & (s->room - 1);

    while (s->id[i] && s->id[i] != id)
        i = (i + 1) & (s->room - 1);
    return &s->id[i];
}

static bool more_room(struct dsn_seen *s)
{
    struct dsn_seen larger = { .n = s->n, .room = s->room ? 2 * s->room : 256 };

    larger.id = dsn__pages(larger.room * sizeof larger.id[0]);
    if (!larger.id)
        return false;
    for (size_t i = 0; i < s->room; i++)
        if (s->id[i])
            *slot_of(&larger, s->id[i]) = s->id[i];
    dsn__pages_free(s->id);
    *s = larger;
    return true;
}

/* 1: seen for the first time, 0: seen before, -1: no memory. */
static int see(struct dsn_seen *s, uint64_t id)
{
    uint64_t *slot;

    if (id + 1 == 0)
        return 1;
    if (2 * s->n >= s->room && !more_room(s))
        return -1;
    slot = slot_of(s, id + 1);
    if (*slot)
        return 0;
    *slot = id + 1;
    s->n++;
    return 1;
}

/* Removes names whose id was seen before from the last `size` bytes. Returns false if there is no memory. */
static bool once(struct dsn_seen *seen, struct dsn_region *g, size_t size)
{
    char *const end = g->bytes + g->packed + g->raw, *from = end - size, *to = from;
    uint64_t id;

    for (size_t each; from < end; from += each) {
        int is_new;

        each = sizeof id + strlen(from + sizeof id) + 1;
        memcpy(&id, from, sizeof id);
        is_new = see(seen, id);
        if (is_new < 0)
            return false;
        if (is_new && to != from)
            memmove(to, from, each);
        to += is_new ? each : 0;
    }
    g->raw -= (size_t)(end - to);
    return true;
}

/* Adds names of other ranks: duplicates are detected by id as long as names are not compressed. The first ones, which
 * contain no duplicates, are indexed when others follow. */
static bool names_added(struct dsn_regions *r, size_t size)
{
    struct dsn_region *g = &r->of[DSN_REGION_NAMES];
    const size_t before = g->raw;

    g->raw += size;
    if (before > 0 && size > 0 && !once(&r->seen, g, r->seen.n > 0 ? size : g->raw))
        return false;
    return g->raw < DSN_NAMES_UNCOMPRESSED || dsn__region_flush(r, 0);
}

static bool join_region(struct dsn_regions *r, int region, const char *theirs, size_t packed, size_t raw, size_t whole)
{
    char *to;

    if (packed > 0 && !dsn__region_flush(r, region))
        return false;
    to = packed + raw > 0 ? dsn__region_room(r, region, packed + raw) : NULL;
    if (!to)
        return packed + raw == 0;
    memcpy(to, theirs, packed + raw);
    r->of[region].packed += packed;
    r->of[region].whole += whole - raw;
    return region == 0 ? names_added(r, raw) : dsn__region_added(r, region, raw);
}

bool dsn__regions_join(struct dsn_regions *r, const void *message, size_t size)
{
    const char *from = (const char *)message + sizeof(struct head);
    struct head h;

    if (size < sizeof h)
        return false;
    memcpy(&h, message, sizeof h);
    size -= sizeof h;
    for (int i = 0; i < DSN_NREGIONS; i++) {
        if (h.packed[i] > size || h.raw[i] > size - h.packed[i] ||
            !join_region(r, i, from, h.packed[i], h.raw[i], h.whole[i]))
            return false;
        from += h.packed[i] + h.raw[i];
        size -= h.packed[i] + h.raw[i];
    }
    for (int i = 0; i < DSN_NHEADER_REGIONS; i++)
        r->took[i] = h.took[i] > r->took[i] ? h.took[i] : r->took[i];
    return true;
}

/* The same result as join_region, in the memory of a region that is larger and whose pages exist already. */
static bool put_before(struct dsn_regions *r, struct dsn_regions *theirs, int region)
{
    struct dsn_region *to = &theirs->of[region], first;

    if (!dsn__region_flush(r, region) || !dsn__region_room(theirs, region, r->of[region].packed))
        return false;
    first = r->of[region];
    memmove(to->bytes + first.packed, to->bytes, to->packed + to->raw);
    if (first.packed > 0)
        memcpy(to->bytes, first.bytes, first.packed);
    to->packed += first.packed;
    to->whole += first.whole;
    r->of[region] = *to;
    *to = first;
    return true;
}

bool dsn__regions_append(struct dsn_regions *r, struct dsn_regions *theirs)
{
    for (int i = 0; i < DSN_NREGIONS; i++) {
        const struct dsn_region *g = &theirs->of[i];
        const int is_larger = g->packed > r->of[i].packed + r->of[i].raw;

        if (is_larger ? !put_before(r, theirs, i) : !join_region(r, i, g->bytes, g->packed, g->raw, g->whole))
            return false;
    }
    for (int i = 0; i < DSN_NHEADER_REGIONS; i++)
        r->took[i] = theirs->took[i] > r->took[i] ? theirs->took[i] : r->took[i];
    return true;
}

void dsn__regions_empty(struct dsn_regions *r)
{
    forget_seen(&r->seen);
    for (int i = 0; i < DSN_NREGIONS; i++)
        r->of[i].packed = r->of[i].raw = r->of[i].whole = 0;
}

void dsn__regions_free(struct dsn_regions *r)
{
    forget_seen(&r->seen);
    for (int i = DSN_NREGIONS - 1; i >= 0; i--) { /* freed from the last to the first */
        dsn__pages_free(r->of[i].bytes);
        r->of[i] = (struct dsn_region){ 0 };
    }
}

/* region.c - parts of several ranks, joined
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/region.h"

#include <string.h>

#include "core/pages.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/varying.h"
#include "out/part.h"

/* At the head of the regions in a message; what is of them follows. */
struct head {
    uint64_t packed[DSN_NREGIONS], raw[DSN_NREGIONS];
    int64_t took[DSN_NPARTS];
};

/* Bytes after which a region repeats itself. */
static size_t stride_of(int region)
{
    if (region == 0)
        return 0;
    if (region == DSN_RANKS)
        return dsn_rec_size(&dsn_rank_table);
    if (region == 1 + DSN_SLOT_DXT_POSIX || region == 1 + DSN_SLOT_DXT_MPIIO)
        return sizeof(struct dsn_dxt_segment);
    return dsn__record_size((enum dsn_slot)(region - 1));
}

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

int dsn__region_added(struct dsn_regions *r, int region, size_t size)
{
    r->of[region].raw += size;
    return r->of[region].raw < DSN_ENOUGH || dsn__region_settle(r, region);
}

int dsn__region_settle(struct dsn_regions *r, int region)
{
    struct dsn_region *g = &r->of[region];
    size_t packed = 0;
    char *stream, *to;

    if (g->raw == 0)
        return 1;
    stream = dsn__pack(g->bytes + g->packed, g->raw, stride_of(region), &packed);
    if (!stream)
        return 0;
    g->raw = 0;
    to = dsn__region_room(r, region, packed);
    if (to) {
        memcpy(to, stream, packed);
        g->packed += packed;
    }
    dsn__pages_free(stream);
    return to != NULL;
}

int dsn__regions_settle(struct dsn_regions *r)
{
    int ok = 1;

    for (int i = 0; i < DSN_NREGIONS; i++)
        ok &= dsn__region_settle(r, i);
    return ok;
}

char *dsn__regions_message(const struct dsn_regions *r, int first, char *before, size_t nbefore, size_t *size)
{
    struct head h = { .took = { 0 } };
    char *message, *to;

    *size = nbefore + sizeof h;
    memcpy(h.took, r->took, sizeof h.took);
    for (int i = first; i < DSN_NREGIONS; i++) {
        h.packed[i] = r->of[i].packed;
        h.raw[i] = r->of[i].raw;
        *size += r->of[i].packed + r->of[i].raw;
    }
    message = dsn__pages_grow(before, *size);
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

/* Entries of names whose id came before go. 0 if there is no memory. */
static int once(struct dsn_region *g)
{
    const size_t smallest = sizeof(uint64_t) + 1;
    char *from = g->bytes + g->packed, *to = from, *const end = from + g->raw;
    size_t room = 1;
    uint64_t *seen, id;

    while (room < 2 * (g->raw / smallest + 1))
        room *= 2;
    seen = dsn__pages(room * sizeof seen[0]); /* ids plus 1, at any free place from their own on; 0 is a free one */
    if (!seen)
        return 0;
    for (size_t size, i; from < end; from += size) {
        size = sizeof id + strlen(from + sizeof id) + 1;
        memcpy(&id, from, sizeof id);
        id += 1;
        for (i = id & (room - 1); seen[i] && seen[i] != id; i = (i + 1) & (room - 1))
            ;
        if (seen[i] == id && id != 0)
            continue;
        seen[i] = id;
        memmove(to, from, size);
        to += size;
    }
    g->raw -= (size_t)(end - to);
    dsn__pages_free(seen);
    return 1;
}

/* More names of other ranks: they are known by their ids as long as they are not compressed. */
static int names_added(struct dsn_regions *r, size_t size)
{
    struct dsn_region *g = &r->of[0];
    const size_t before = g->raw;

    g->raw += size;
    if (before > 0 && size > 0 && !once(g))
        return 0;
    return g->raw < DSN_NAMES || dsn__region_settle(r, 0);
}

static int join_region(struct dsn_regions *r, int region, const char *theirs, size_t packed, size_t raw)
{
    char *to;

    if (packed > 0 && !dsn__region_settle(r, region))
        return 0;
    to = packed + raw > 0 ? dsn__region_room(r, region, packed + raw) : NULL;
    if (!to)
        return packed + raw == 0;
    memcpy(to, theirs, packed + raw);
    r->of[region].packed += packed;
    return region == 0 ? names_added(r, raw) : dsn__region_added(r, region, raw);
}

int dsn__regions_join(struct dsn_regions *r, const void *message, size_t size)
{
    const char *from = (const char *)message + sizeof(struct head);
    struct head h;

    if (size < sizeof h)
        return 0;
    memcpy(&h, message, sizeof h);
    size -= sizeof h;
    for (int i = 0; i < DSN_NREGIONS; i++) {
        if (h.packed[i] > size || h.raw[i] > size - h.packed[i] || !join_region(r, i, from, h.packed[i], h.raw[i]))
            return 0;
        from += h.packed[i] + h.raw[i];
        size -= h.packed[i] + h.raw[i];
    }
    for (int i = 0; i < DSN_NPARTS; i++)
        r->took[i] = h.took[i] > r->took[i] ? h.took[i] : r->took[i];
    return 1;
}

int dsn__regions_append(struct dsn_regions *r, const struct dsn_regions *theirs)
{
    for (int i = 0; i < DSN_NREGIONS; i++)
        if (!join_region(r, i, theirs->of[i].bytes, theirs->of[i].packed, theirs->of[i].raw))
            return 0;
    for (int i = 0; i < DSN_NPARTS; i++)
        r->took[i] = theirs->took[i] > r->took[i] ? theirs->took[i] : r->took[i];
    return 1;
}

void dsn__regions_free(struct dsn_regions *r)
{
    for (int i = 0; i < DSN_NREGIONS; i++) {
        dsn__pages_free(r->of[i].bytes);
        r->of[i] = (struct dsn_region){ 0 };
    }
}

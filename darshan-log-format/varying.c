/* varying.c - tails, APMPI's header, DXT's heads and segments
 * SPDX-License-Identifier: BSD-3-Clause */
#include "varying.h"

#include <string.h>

#include "index.h"

#define WORD sizeof(uint64_t)

_Static_assert(sizeof(struct dsn_lustre_comp) == 72 && sizeof(struct dsn_apmpi_header) == 48 &&
                   sizeof(struct dsn_dxt_head) == 104 && sizeof(struct dsn_dxt_segment) == 40,
               "these are sizes on disk");

static double get_double(const unsigned char *p, int swap)
{
    const uint64_t bits = dsn_u64_at(p, swap);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Byte-swaps n words in place. */
static void turn(void *words, size_t n, int swap)
{
    uint64_t *p = words;

    for (size_t i = 0; swap && i < n; i++)
        p[i] = __builtin_bswap64(p[i]);
}

/* ------------------------------------------------------------------ tails */

/* n elements of `size` bytes, if n is plausible. */
static size_t array(int64_t n, size_t size, int *damaged)
{
    if (n < 0 || (uint64_t)n > DSN_MAX_TAIL / size) {
        *damaged = 1;
        return 0;
    }
    return (size_t)n * size;
}

/* Elements of MDHIM's array: at least one, even without servers. */
static int64_t servers(const struct dsn_rec *r)
{
    return r->v[MDHIM_SERVERS].i == 0 ? 1 : r->v[MDHIM_SERVERS].i;
}

size_t dsn_tail_size(const struct dsn_table *t, unsigned version, const struct dsn_rec *r, int *damaged)
{
    size_t n = 0;

    *damaged = 0;
    switch (t->id) {
    case DSN_HEATMAP_MODULE:
        n = array(r->v[HEATMAP_NBINS].i, 2 * WORD, damaged);
        break;
    case DSN_LUSTRE_MODULE:
        n = array(r->v[LUSTRE_NUM_STRIPES].i, WORD, damaged);
        if (version > 1)
            n += array(r->v[LUSTRE_NUM_COMPONENTS].i, sizeof(struct dsn_lustre_comp), damaged);
        break;
    case DSN_MDHIM_MODULE:
        n = array(servers(r), WORD, damaged);
        break;
    default:
        break;
    }
    *damaged |= n > DSN_MAX_TAIL;
    return *damaged ? 0 : n;
}

/* Version 1 had one component, whose stripe size was among the values. */
static int load_only_component(int swap, const unsigned char *disk, struct dsn_rec *r, struct dsn_tail *out)
{
    out->only = (struct dsn_lustre_comp){
        .stripe_size = (int64_t)dsn_u64_at(disk + 5 * WORD, swap),
        .stripe_count = r->v[LUSTRE_NUM_STRIPES].i,
        .pattern = -1,
        .flags = -1,
        .end = -1,
        .mirror = -1,
    };
    r->v[LUSTRE_NUM_COMPONENTS].i = 1;
    out->ncomps = 1;
    out->comps = &out->only;
    out->n = (size_t)r->v[LUSTRE_NUM_STRIPES].i;
    return 1;
}

/* Components from the first unused one on are ignored; the OSTs start after all of them. */
static int load_components(int swap, unsigned char *tail, struct dsn_rec *r, struct dsn_tail *out)
{
    struct dsn_lustre_comp *comps = (struct dsn_lustre_comp *)(void *)tail;
    const size_t n = (size_t)r->v[LUSTRE_NUM_COMPONENTS].i;
    const int64_t stored = r->v[LUSTRE_NUM_STRIPES].i;
    int64_t stripes = 0;

    out->comps = comps;
    for (; out->ncomps < n; out->ncomps++) {
        struct dsn_lustre_comp *c = &comps[out->ncomps];

        turn(c, 7, swap);
        if (c->stripe_size == -1)
            break;
        if (c->stripe_count < 0 || c->stripe_count > stored - stripes)
            return 0;
        stripes += c->stripe_count;
    }
    r->v[LUSTRE_NUM_COMPONENTS].i = (int64_t)out->ncomps;
    r->v[LUSTRE_NUM_STRIPES].i = stripes;
    out->n = (size_t)stripes;
    out->values[0] = (const int64_t *)(const void *)(comps + n);
    turn(comps + n, out->n, swap);
    return 1;
}

int dsn_tail_load(const struct dsn_table *t, unsigned version, int swap, void *disk, struct dsn_rec *r,
                  struct dsn_tail *out)
{
    unsigned char *tail = (unsigned char *)disk + dsn_rec_disk_size(t, version);

    memset(out, 0, sizeof *out);
    if (t->id == DSN_LUSTRE_MODULE && version > 1)
        return load_components(swap, tail, r, out);
    out->values[0] = (const int64_t *)(const void *)tail;
    if (t->id == DSN_LUSTRE_MODULE) {
        turn(tail, (size_t)r->v[LUSTRE_NUM_STRIPES].i, swap);
        return load_only_component(swap, disk, r, out);
    }
    if (t->id == DSN_HEATMAP_MODULE) {
        out->n = (size_t)r->v[HEATMAP_NBINS].i;
        out->values[1] = out->values[0] + out->n;
        turn(tail, 2 * out->n, swap);
    } else {
        out->n = (size_t)r->v[MDHIM_SERVERS].i;
        turn(tail, out->n, swap);
    }
    return 1;
}

/* ------------------------------------------------------------------ APMPI */

int dsn_apmpi_load(int swap, const void *disk, struct dsn_apmpi_header *out)
{
    const unsigned char *p = disk;

    memcpy(&out->sync, p + 24, sizeof out->sync);
    if (swap)
        out->sync = __builtin_bswap32(out->sync);
    out->unused = 0;
    out->id = dsn_u64_at(p, swap);
    out->rank = (int64_t)dsn_u64_at(p + 8, swap);
    out->magic = (int64_t)dsn_u64_at(p + 16, swap);
    out->comm_variance = get_double(p + 32, swap);
    out->sync_variance = get_double(p + 40, swap);
    return out->magic == DSN_APMPI_MAGIC;
}

/* ------------------------------------------------------------------ DXT */

int dsn_dxt_has_threads(unsigned module, unsigned version)
{
    return (module == DSN_DXT_POSIX_MODULE && version == 2) || (module == DSN_DXT_MPIIO_MODULE && version == 3);
}

size_t dsn_dxt_segment_size(unsigned module, unsigned version)
{
    if (module != DSN_DXT_POSIX_MODULE && module != DSN_DXT_MPIIO_MODULE)
        return 0;
    if (version == 0 || version > dsn_module_version(module))
        return 0;
    return dsn_dxt_has_threads(module, version) ? 5 * WORD : 4 * WORD;
}

int dsn_dxt_head_load(int swap, const void *disk, struct dsn_dxt_head *out)
{
    memcpy(out, disk, sizeof *out);
    if (swap) {
        out->id = __builtin_bswap64(out->id);
        out->rank = (int64_t)__builtin_bswap64((uint64_t)out->rank);
        out->left_out = (int64_t)__builtin_bswap64((uint64_t)out->left_out);
        out->nwrites = (int64_t)__builtin_bswap64((uint64_t)out->nwrites);
        out->nreads = (int64_t)__builtin_bswap64((uint64_t)out->nreads);
    }
    return out->nwrites >= 0 && out->nreads >= 0;
}

void dsn_dxt_segments_load(unsigned module, unsigned version, int swap, const void *disk, size_t n,
                           struct dsn_dxt_segment *out)
{
    const size_t size = dsn_dxt_segment_size(module, version);
    const int no_offset = module == DSN_DXT_MPIIO_MODULE && version == 1; /* what is stored there is meaningless */
    const unsigned char *p = disk;

    if (size == sizeof *out && !swap) { /* as in memory */
        memcpy(out, disk, n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n; i++, p += size) {
        uint64_t word[5] = { 0 };

        memcpy(word, p, size);
        turn(word, 5, swap);
        memcpy(&out[i], word, sizeof word);
        if (no_offset)
            out[i].offset = -1;
    }
}

/* bigmap.c - elements by record id, of which memory holds the latest
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is a sequence of blocks of one size: where the elements of each part begin (one number more than there are
 * parts), then DSN_BIGMAP_MOST elements. Blocks stand in the order of time, and so do elements in memory, which are
 * like a last block. */
#include "bigmap.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"

#define CHUNK (16 << 10) /* bytes that are read at once */

static void free_bag(struct dsn__bag *bag)
{
    dsn__idmap_free(&bag->index);
    free(bag->bytes);
    bag->bytes = NULL;
    bag->n = bag->room = 0;
}

static void clear_bag(struct dsn__bag *bag)
{
    dsn__idmap_clear(&bag->index);
    bag->n = 0;
}

/* The element of an id, zeros if it is new; NULL: no memory. */
static void *in_bag(struct dsn__bag *bag, size_t size, uint64_t id, int *fresh)
{
    unsigned char *element;
    uint32_t at;

    if (bag->n == bag->room) {
        const size_t more = bag->room ? 2 * bag->room : 64;
        unsigned char *bigger = bag->n < DSN_IDMAP_NONE ? realloc(bag->bytes, more * size) : NULL;

        if (!bigger)
            return NULL;
        bag->bytes = bigger;
        bag->room = more;
    }
    at = dsn__idmap_add(&bag->index, id, (uint32_t)bag->n);
    if (at == DSN_IDMAP_NONE)
        return NULL;
    element = bag->bytes + at * size;
    *fresh = at == bag->n;
    if (*fresh) {
        memset(element, 0, size);
        memcpy(element, &id, sizeof id);
        bag->n++;
    }
    return element;
}

void dsn__bigmap_init(struct dsn__bigmap *m, size_t size, dsn__bigmap_merge *merge, void *context)
{
    memset(m, 0, sizeof *m);
    m->size = size;
    m->merge = merge;
    m->context = context;
    dsn__idmap_init(&m->now.index);
}

void dsn__bigmap_free(struct dsn__bigmap *m)
{
    free_bag(&m->now);
    free_bag(&m->part);
    dsn__spill_close(&m->file);
    free(m->order);
    m->order = NULL;
    m->blocks = 0;
}

uint64_t dsn__bigmap_hash(const struct dsn__bigmap *m, uint64_t id)
{
    return dsn__idmap_hash(m->now.index.seed, id);
}

static unsigned part_of(const struct dsn__bigmap *m, const unsigned char *element)
{
    uint64_t id;

    memcpy(&id, element, sizeof id);
    return (unsigned)(dsn__bigmap_hash(m, id) >> 56);
}

/* Sorts the elements in memory by part; those of a part keep their order. 0: no memory. */
static int arrange(struct dsn__bigmap *m)
{
    uint32_t next[DSN_BIGMAP_PARTS], *order = realloc(m->order, (m->now.n ? m->now.n : 1) * sizeof *order);

    if (!order)
        return 0;
    m->order = order;
    memset(m->start, 0, sizeof m->start);
    for (size_t i = 0; i < m->now.n; i++)
        m->start[part_of(m, m->now.bytes + i * m->size) + 1]++;
    for (unsigned p = 0; p < DSN_BIGMAP_PARTS; p++) {
        next[p] = m->start[p];
        m->start[p + 1] += m->start[p];
    }
    for (size_t i = 0; i < m->now.n; i++)
        order[next[part_of(m, m->now.bytes + i * m->size)]++] = (uint32_t)i;
    return 1;
}

/* Moves what is in memory to the file. 0: it cannot be, and stays where it is. */
static int write_block(struct dsn__bigmap *m)
{
    if (m->blocks == 0) {
        dsn__idmap_init(&m->part.index);
        if (!dsn__spill_open(&m->file))
            return 0;
    }
    if (!arrange(m) || !dsn__spill_put(&m->file, m->start, sizeof m->start))
        return 0;
    for (size_t i = 0; i < m->now.n; i++)
        if (!dsn__spill_put(&m->file, m->now.bytes + m->order[i] * m->size, m->size))
            return 0;
    if (!dsn__spill_flush(&m->file))
        return 0;
    m->blocks++;
    clear_bag(&m->now);
    return 1;
}

void *dsn__bigmap_element(struct dsn__bigmap *m, uint64_t id, int *fresh)
{
    if (m->now.n == DSN_BIGMAP_MOST && !m->stays && dsn__idmap_get(&m->now.index, id) == DSN_IDMAP_NONE)
        m->stays = !write_block(m);
    return in_bag(&m->now, m->size, id, fresh);
}

/* ------------------------------------------------------------------ reading */

/* Adds elements to the part. */
static int add(struct dsn__bigmap *m, const unsigned char *element)
{
    unsigned char *known;
    uint64_t id;
    int fresh;

    memcpy(&id, element, sizeof id);
    known = in_bag(&m->part, m->size, id, &fresh);
    if (!known)
        return DSN_ERR_MEMORY;
    if (fresh)
        memcpy(known, element, m->size);
    else
        m->merge(known, element, m->context);
    return DSN_ERR_OK;
}

static int add_run(struct dsn__bigmap *m, uint64_t at, size_t n)
{
    unsigned char chunk[CHUNK];
    int rc = DSN_ERR_OK;

    while (n > 0 && rc == DSN_ERR_OK) {
        const size_t some = n < CHUNK / m->size ? n : CHUNK / m->size;

        if (!dsn__spill_get(&m->file, at, chunk, some * m->size))
            return DSN_ERR_READ;
        for (size_t i = 0; i < some && rc == DSN_ERR_OK; i++)
            rc = add(m, chunk + i * m->size);
        at += some * m->size;
        n -= some;
    }
    return rc;
}

static int add_block(struct dsn__bigmap *m, uint64_t block, unsigned p)
{
    const uint64_t at = block * (sizeof m->start + DSN_BIGMAP_MOST * m->size);
    uint32_t range[2];

    if (!dsn__spill_get(&m->file, at + p * sizeof range[0], range, sizeof range))
        return DSN_ERR_READ;
    return add_run(m, at + sizeof m->start + range[0] * m->size, range[1] - range[0]);
}

unsigned dsn__bigmap_parts(const struct dsn__bigmap *m)
{
    return m->blocks > 0 ? DSN_BIGMAP_PARTS : 1;
}

int dsn__bigmap_read(struct dsn__bigmap *m, unsigned p, void **elements, size_t *n)
{
    const struct dsn__bag *bag = m->blocks > 0 ? &m->part : &m->now;
    int rc = DSN_ERR_OK;

    if (m->blocks > 0) {
        if (p == 0 && !arrange(m))
            return DSN_ERR_MEMORY;
        clear_bag(&m->part);
        for (uint64_t b = 0; b < m->blocks && rc == DSN_ERR_OK; b++)
            rc = add_block(m, b, p);
        for (uint32_t i = m->start[p]; i < m->start[p + 1] && rc == DSN_ERR_OK; i++)
            rc = add(m, m->now.bytes + m->order[i] * m->size);
    }
    *elements = bag->bytes;
    *n = bag->n;
    return rc;
}

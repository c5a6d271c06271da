/* salvaged.c - validates pointers into another process's memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/salvaged.h"

#define WORD_BITS 64

void *dsn__salvaged_address(const struct dsn_salvaged *r, const void *theirs, size_t size)
{
    const uint64_t at = (uintptr_t)theirs;

    for (int i = 0; i < DSN_SALVAGED_MAX && at % 8 == 0; i++)
        if (at >= r->range[i].begin && at < r->range[i].end && size <= r->range[i].end - at)
            return r->here + (at - r->base);
    return NULL;
}

/* One bit per 8 bytes. */
size_t dsn__salvaged_bits(size_t size)
{
    return (size / 8 / WORD_BITS + 1) * sizeof(uint64_t);
}

static bool is_taken(const struct dsn_salvaged *r, uint64_t word)
{
    return r->claimed[word / WORD_BITS] >> word % WORD_BITS & 1;
}

static void claim(const struct dsn_salvaged *r, uint64_t begin, uint64_t end)
{
    for (uint64_t word = begin; word < end; word++)
        r->claimed[word / WORD_BITS] |= (uint64_t)1 << word % WORD_BITS;
}

void dsn__salvaged_mark_claimed(const struct dsn_salvaged *r, const void *here, size_t size)
{
    const uint64_t begin = (uint64_t)((const char *)here - r->here) / 8;

    claim(r, begin, begin + (size + 7) / 8);
}

void *dsn__salvaged_claim(const struct dsn_salvaged *r, const void *theirs, size_t size)
{
    char *here = dsn__salvaged_address(r, theirs, size);
    const uint64_t begin = here ? (uint64_t)(here - r->here) / 8 : 0, end = begin + (size + 7) / 8;

    for (uint64_t word = begin; here && word < end; word++)
        if (is_taken(r, word))
            return NULL;
    if (!here)
        return NULL;
    claim(r, begin, end);
    if (r->running && r->running->is_taking)
        dsn__snapshot_fill(r->running, (uint64_t)(here - r->here), here, size);
    return here;
}

void dsn__salvaged_again(const struct dsn_salvaged *r)
{
    const struct dsn_snapshot *s = r->running;

    for (unsigned i = 0; i < s->npieces; i++) {
        const uint64_t begin = (uint64_t)((const char *)s->piece[i].here - r->here) / 8;

        for (uint64_t word = begin; word < begin + (s->piece[i].size + 7) / 8; word++)
            r->claimed[word / WORD_BITS] &= ~((uint64_t)1 << word % WORD_BITS);
    }
}

/* remains.c - whether a part of another process's memory is there
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/remains.h"

#include "base/pages.h"

static uint64_t page_of(const struct dsn_remains *r, uint64_t at)
{
    return (at - r->base) / DSN_PAGE;
}

int dsn__remains(const struct dsn_remains *r, const void *p, size_t size)
{
    const uint64_t at = (uintptr_t)p;

    if (at % 8 != 0 || at < r->base || at - r->base >= r->size || size > r->size - (at - r->base))
        return 0;
    for (uint64_t page = page_of(r, at); size > 0 && page <= page_of(r, at + size - 1); page++)
        if (r->lost[page / 64] >> page % 64 & 1)
            return 0;
    return 1;
}

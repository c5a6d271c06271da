/* remains.c - whether a part of another process's memory is there
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/remains.h"

#include "base/pages.h"

void *dsn__remains(const struct dsn_remains *r, const void *theirs, size_t size)
{
    const uint64_t at = (uintptr_t)theirs;

    for (int i = 0; i < DSN_REMAINS_MAX && at % 8 == 0; i++)
        if (at >= r->part[i].begin && at < r->part[i].end && size <= r->part[i].end - at)
            return r->here + (at - r->base);
    return NULL;
}

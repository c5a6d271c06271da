/* pack.c - compression of a part of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/pack.h"

#include <stdbool.h>

#include "base/pages.h"
#include "log/deflate.h"

/* The compressor's tables are many pages: one set serves all. */
bool dsn__pack_begin(size_t size)
{
    struct dsn_deflate **work = dsn__deflate_work;
    char *out;

    if (!*work)
        *work = dsn__pages(sizeof **work);
    out = *work ? dsn__pages(dsn__deflate_bound(size)) : NULL;
    if (out && dsn__deflate_begin(*work, size, out))
        return true;
    dsn__pages_free(out);
    return false;
}

void dsn__pack_more(const void *bytes, size_t size)
{
    dsn__deflate_more(*dsn__deflate_work, bytes, size);
}

char *dsn__pack_end(size_t *packed)
{
    struct dsn_deflate *work = *dsn__deflate_work;

    *packed = dsn__deflate_end(work);
    if (*packed > 0)
        return (char *)work->out;
    dsn__pages_free(work->out);
    return NULL;
}

char *dsn__pack(const void *bytes, size_t size, size_t *packed)
{
    if (!dsn__pack_begin(size))
        return NULL;
    dsn__pack_more(bytes, size);
    return dsn__pack_end(packed);
}

/* pack.c - compression of a part of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/pack.h"

#include "base/pages.h"
#include "log/deflate.h"

/* The compressor's tables are many pages: one set serves all. */
char *dsn__pack(const void *bytes, size_t size, size_t *packed)
{
    struct dsn_deflate **work = dsn__deflate_work;
    char *out;

    if (!*work)
        *work = dsn__pages(sizeof **work);
    out = *work ? dsn__pages(dsn__deflate_bound(size)) : NULL;
    *packed = out ? dsn__deflate(*work, bytes, size, out) : 0;
    if (*packed > 0)
        return out;
    dsn__pages_free(out);
    return NULL;
}

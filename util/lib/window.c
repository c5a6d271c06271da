/* window.c - a sliding window over a region
 * SPDX-License-Identifier: BSD-3-Clause */
#include "window.h"
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "darshan-log-format/err.h"

/* Large enough for the usual decompressed size, at most DSN_WINDOW_SIZE, so that small logs need less memory. */
static size_t size_for(struct dsn_map region)
{
    const size_t least = 64 * 1024, usual_ratio = 256;

    return region.len < (DSN_WINDOW_SIZE - least) / usual_ratio ? least + (size_t)region.len * usual_ratio
                                                                : DSN_WINDOW_SIZE;
}

int dsn__window_begin(struct dsn__window *w, const struct dsn__file *file, struct dsn_map region)
{
    memset(w, 0, sizeof *w);
    if (region.len == 0)
        return DSN_ERR_OK;
    w->size = size_for(region);
    w->bytes = malloc(w->size);
    if (!w->bytes)
        return DSN_ERR_MEMORY;
    return dsn__zio_begin(file, region, &w->z);
}

void dsn__window_end(struct dsn__window *w)
{
    dsn__zio_end(w->z);
    free(w->bytes);
}

/* Where a page fault is dear, as many as a trace of 40 MB has small pages take a quarter of the time to print it. */
static void prefer_large_pages(unsigned char *bytes, size_t n)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 65536; /* a multiple of any */
    const size_t before = (size_t)(-(uintptr_t)bytes % page);

    if (n > before)
        madvise(bytes + before, n - before, MADV_HUGEPAGE);
#else
    (void)bytes, (void)n;
#endif
}

static int make_room(struct dsn__window *w, size_t n)
{
    if (n <= w->size)
        return 1;
    if (!dsn_resize(&w->bytes, n + DSN_WINDOW_SIZE, 1)) {
        w->no_memory = 1;
        return 0;
    }
    w->size = n + DSN_WINDOW_SIZE;
    prefer_large_pages(w->bytes, w->size);
    return 1;
}

unsigned char *dsn__window_peek(struct dsn__window *w, size_t n)
{
    size_t got;

    if (w->end - w->start >= n)
        return w->bytes + w->start;
    if (!w->z || !make_room(w, n))
        return NULL;
    memmove(w->bytes, w->bytes + w->start, w->end - w->start);
    w->end -= w->start;
    w->start = 0;
    do {
        got = dsn__zio_read(w->z, w->bytes + w->end, w->size - w->end);
        w->end += got;
    } while (w->end < n && got > 0);
    return w->end >= n ? w->bytes : NULL;
}

int dsn__window_error(const struct dsn__window *w)
{
    const int rc = w->no_memory ? DSN_ERR_MEMORY : w->z ? dsn__zio_error(w->z) : DSN_ERR_OK;

    return rc == DSN_ERR_OK && w->start < w->end ? DSN_ERR_RECORD : rc;
}

/* pages.c - blocks of anonymous memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* Stands before the block, and keeps its alignment. */
struct head {
    size_t size;
    size_t unused;
};

void *dsn__pages(size_t size)
{
    struct head *h;

    if (size > SIZE_MAX - sizeof *h)
        return NULL;
    size += sizeof *h;
    h = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (h == MAP_FAILED)
        return NULL;
    h->size = size;
    return h + 1;
}

void *dsn__pages_grow(void *block, size_t size)
{
    struct head *h = block;

    if (!block)
        return dsn__pages(size);
    if (size > SIZE_MAX - sizeof *h)
        return NULL;
    size += sizeof *h;
    h = mremap(h - 1, h[-1].size, size, MREMAP_MAYMOVE);
    if (h == MAP_FAILED)
        return NULL;
    h->size = size;
    return h + 1;
}

void dsn__pages_free(void *block)
{
    struct head *h = block;

    if (h)
        munmap(h - 1, h[-1].size);
}

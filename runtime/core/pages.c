/* pages.c - blocks of anonymous memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/pages.h"

#include <stdint.h>
#include <string.h>
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

/* Where mremap is refused (a sandbox). */
static void *copy_grown(void *block, size_t size)
{
    const size_t before = ((struct head *)block)[-1].size - sizeof(struct head);
    void *grown = dsn__pages(size);

    if (!grown)
        return NULL;
    memcpy(grown, block, before < size ? before : size);
    dsn__pages_free(block);
    return grown;
}

void *dsn__pages_grow(void *block, size_t size)
{
    const size_t wanted = size;
    struct head *h = block;

    if (!block)
        return dsn__pages(size);
    if (size > SIZE_MAX - sizeof *h)
        return NULL;
    size += sizeof *h;
    h = mremap(h - 1, h[-1].size, size, MREMAP_MAYMOVE);
    if (h == MAP_FAILED)
        return copy_grown(block, wanted);
    h->size = size;
    return h + 1;
}

void dsn__pages_free(void *block)
{
    struct head *h = block;

    if (h)
        munmap(h - 1, h[-1].size);
}

struct dsn_bump_block {
    struct dsn_bump_block *before;
    size_t size;
    char unused[32];
};

void *dsn__bump(struct dsn_bump *b, size_t size)
{
    const size_t usual = (size_t)1 << 20, head = 64;
    struct dsn_bump_block *block;

    size = (size + 63) & ~(size_t)63;
    if (size > b->left) {
        block = dsn__pages((size > usual ? size : usual) + 2 * head);
        if (!block)
            return NULL;
        block->before = b->last;
        b->last = block;
        block->size = b->left = size > usual ? size : usual;
    }
    b->left -= size;
    return (char *)(((uintptr_t)b->last + 2 * head - 1) & ~(uintptr_t)63) + (b->last->size - b->left - size);
}

void dsn__bump_free(struct dsn_bump *b)
{
    while (b->last) {
        struct dsn_bump_block *before = b->last->before;

        dsn__pages_free(b->last);
        b->last = before;
    }
    b->left = 0;
}

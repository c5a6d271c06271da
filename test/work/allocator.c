/* allocator.c - a malloc that gets all memory by mmap, to be preloaded
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It has a lock of its own that it holds meanwhile: whoever allocated while it maps would wait for ever. Such a call ends
 * the program. */
#define _GNU_SOURCE

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD 16

static int busy;

static void *map(size_t size)
{
    size_t *block;

    if (busy) {
        static const char words[] = "malloc inside mmap\n";

        (void)!write(2, words, sizeof words - 1);
        _exit(99);
    }
    busy = 1;
    block = mmap(NULL, size + HEAD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    busy = 0;
    if (block == MAP_FAILED)
        return NULL;
    *block = size;
    return (char *)block + HEAD;
}

void *malloc(size_t size)
{
    return map(size);
}

void *calloc(size_t n, size_t size)
{
    return map(n * size);
}

void free(void *block)
{
    if (block)
        munmap((char *)block - HEAD, *(size_t *)((char *)block - HEAD) + HEAD);
}

void *realloc(void *block, size_t size)
{
    void *other = map(size);

    if (other && block) {
        const size_t was = *(size_t *)((char *)block - HEAD);

        memcpy(other, block, was < size ? was : size);
        free(block);
    }
    return other;
}

void *memalign(size_t alignment, size_t size)
{
    char *block = map(size + alignment);

    /* not to be freed; programs that do end here */
    return block ? block + (alignment - (size_t)block % alignment) % alignment : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size);
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

/* Before anybody's constructor but those that the loader has run. */
__attribute__((constructor)) static void early(void)
{
    free(malloc(100000));
}

/* pages.c - blocks of anonymous memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/pages.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/kernel.h"

/* ThreadSanitizer does not see our system calls, and so not that an address is mapped again after it was unmapped. */
#if defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
static char addresses;
#define BEFORE_UNMAPPING() __tsan_release(&addresses)
#define AFTER_MAPPING()    __tsan_acquire(&addresses)
#else
#define BEFORE_UNMAPPING() ((void)0)
#define AFTER_MAPPING()    ((void)0)
#endif

#define ALIGNMENT 64 /* a cache line: threads write at the same time to what lies side by side */

/* Precedes the block. */
struct head {
    _Alignas(ALIGNMENT) size_t size; /* including this header */
};

/* A mapping costs two system calls and at least a page. Most logs are small and need some dozens of blocks: these are
 * allocated one after another from a static buffer, which is reset when all of it up to the end has been freed. Larger
 * blocks of up to ROOM bytes are mapped with MAP_POPULATE, because all of them is used. */
#define ROOM 16384

static struct {
    _Atomic(uint64_t) state; /* blocks in use << 32 | end of the last one in bytes */
    _Alignas(ALIGNMENT) char bytes[ROOM];
} small;

static size_t used(uint64_t state)
{
    return state & UINT32_MAX;
}

static bool is_small(const struct head *h)
{
    return (const char *)h >= small.bytes && (const char *)h < small.bytes + ROOM;
}

static size_t up(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static struct head *take_small(size_t size)
{
    uint64_t state = atomic_fetch_add(&small.state, 0), more; /* an atomic store avoids the extra fault of a page that
                                                               * is first read */
    struct head *h;

    size = up(size);
    do {
        if (size > ROOM / 4 || size > ROOM - used(state))
            return NULL;
        more = state + ((uint64_t)1 << 32) + size;
    } while (!atomic_compare_exchange_weak(&small.state, &state, more));
    h = (struct head *)(void *)(small.bytes + used(state));
    memset(h, 0, size);
    h->size = size;
    return h;
}

static void give_small(const struct head *h)
{
    const size_t begin = (size_t)((const char *)h - small.bytes), end = begin + h->size;
    uint64_t state = atomic_load(&small.state), less;

    do {
        less = state - ((uint64_t)1 << 32);
        if (less >> 32 == 0)
            less = 0;
        else if (used(state) == end)
            less -= h->size;
    } while (!atomic_compare_exchange_weak(&small.state, &state, less));
}

void *dsn__pages(size_t size)
{
    struct head *h;
    int at_once;

    if (size > SIZE_MAX / 2)
        return NULL;
    size += sizeof *h;
    h = take_small(size);
    if (h)
        return h + 1;
    at_once = size <= ROOM ? MAP_POPULATE : 0;
    h = dsn__sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | at_once, -1, 0);
    if (h == MAP_FAILED)
        return NULL;
    AFTER_MAPPING();
    h->size = size;
    return h + 1;
}

bool dsn__pages_are_there(size_t size)
{
    void *block = dsn__pages(size);

    dsn__pages_free(block);
    return block != NULL;
}

static struct {
    void *at;
    size_t size;
} kept;

void dsn__pages_keep(size_t size)
{
    void *at =
        kept.at ? MAP_FAILED : dsn__sys_mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return;
    dsn__sys_madvise(at, size, MADV_DONTFORK);
    kept.at = at;
    kept.size = size;
}

void dsn__pages_let_go(void)
{
    if (kept.at)
        dsn__sys_munmap(kept.at, kept.size);
    kept.at = NULL;
}

void dsn__pages_forget(void)
{
    kept.at = NULL;
}

static void *copy_grown(void *block, size_t size)
{
    const size_t before = ((struct head *)block)[-1].size - sizeof(struct head);
    void *grown;

    if (size <= before)
        return block;
    grown = dsn__pages(size);
    if (!grown)
        return NULL;
    memcpy(grown, block, before);
    dsn__pages_free(block);
    return grown;
}

void *dsn__pages_grow(void *block, size_t size)
{
    const size_t wanted = size;
    struct head *h = block;
    size_t before;

    if (!block)
        return dsn__pages(size);
    if (size > SIZE_MAX / 2)
        return NULL;
    if (is_small(h - 1))
        return copy_grown(block, wanted);
    size += sizeof *h;
    h--;
    before = h->size;
    BEFORE_UNMAPPING();
    h = mremap(h, before, size, MREMAP_MAYMOVE);
    if (h == MAP_FAILED) /* mremap is refused by a sandbox */
        return copy_grown(block, wanted);
    AFTER_MAPPING();
    h->size = size;
    return h + 1;
}

void dsn__pages_free(void *block)
{
    struct head *h = block;
    size_t size;

    if (!h)
        return;
    h--;
    if (is_small(h)) {
        give_small(h);
        return;
    }
    size = h->size;
    BEFORE_UNMAPPING();
    dsn__sys_munmap(h, size);
}

struct dsn_bump_block {
    struct dsn_bump_block *before;
    size_t size;
    _Alignas(ALIGNMENT) char room[];
};

void *dsn__bump(struct dsn_bump *b, size_t size)
{
    const size_t usual = (size_t)1 << 20;
    struct dsn_bump_block *block;

    size = up(size);
    if (size > b->left) {
        block = dsn__pages(sizeof *block + (size > usual ? size : usual));
        if (!block)
            return NULL;
        block->before = b->last;
        b->last = block;
        block->size = b->left = size > usual ? size : usual;
    }
    b->left -= size;
    return b->last->room + (b->last->size - b->left - size);
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

void dsn__bump_clear(struct dsn_bump *b)
{
    if (!b->last || b->last->before) {
        dsn__bump_free(b);
        return;
    }
    memset(b->last->room, 0, b->last->size - b->left);
    b->left = b->last->size;
}

/* moving.c - a preloaded library in which memory that grows always moves, and the old one can no longer be read
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For pointers that are kept over growth: realloc and mremap (which dsn__pages_grow calls) copy to new pages, and make the
 * old ones inaccessible. Addresses are not used again. e2e/t0145-sizes.sh uses it; others, and unit tests, do with
 * DSN_BEFORE=/path/to/moving.so sh test/run 'unit/?-*' e2e/t0140-processes e2e/t0160-random-calls */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void __libc_free(void *p);

#define PAGE  ((size_t)4096)
#define SPACE ((size_t)1 << 38)

struct head {
    size_t pages, size;
};

static char *space; /* address space for all blocks that have grown */
static size_t used;

/* Before there is a second thread. */
__attribute__((constructor)) static void begin(void)
{
    space = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        abort();
}

static size_t in_pages(size_t n)
{
    return (n + sizeof(struct head) + PAGE - 1) & ~(PAGE - 1);
}

static char *reserve(size_t n)
{
    char *at = space ? space + __atomic_fetch_add(&used, n, __ATOMIC_RELAXED) : NULL;

    return at && at + n <= space + SPACE && mprotect(at, n, PROT_READ | PROT_WRITE) == 0 ? at : NULL;
}

static int is_ours(const void *p)
{
    return space && (const char *)p >= space && (const char *)p < space + SPACE;
}

static struct head *head_of(void *p)
{
    return (struct head *)((uintptr_t)p & ~(PAGE - 1));
}

static void *new_block(size_t n)
{
    struct head *h = (struct head *)(void *)reserve(in_pages(n));

    if (!h) {
        errno = ENOMEM;
        return NULL;
    }
    h->pages = in_pages(n);
    h->size = n;
    return h + 1;
}

/* Its pages go back to the kernel, its addresses do not. */
static void drop(void *at, size_t n)
{
    const int error = errno;

    mmap(at, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    errno = error;
}

size_t malloc_usable_size(void *p)
{
    if (is_ours(p))
        return head_of(p)->size;
    return p ? (((size_t *)p)[-1] & ~(size_t)7) - sizeof(size_t) : 0; /* as glibc keeps it */
}

void free(void *p)
{
    if (is_ours(p))
        drop(head_of(p), head_of(p)->pages);
    else
        __libc_free(p);
}

void *realloc(void *p, size_t n)
{
    const size_t before = malloc_usable_size(p);
    void *to;

    if (p && n == 0) {
        free(p);
        return NULL;
    }
    to = space ? new_block(n) : __libc_malloc(n); /* in the loader */
    if (!to)
        return NULL;
    if (p) {
        memcpy(to, p, before < n ? before : n);
        if (!is_ours(p))
            memset(p, 0xa5, before);
        free(p);
    }
    return to;
}

void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

void *mremap(void *at, size_t before, size_t size, int flags, ...)
{
    void *to;
    va_list args;

    va_start(args, flags);
    to = va_arg(args, void *);
    va_end(args);
    if (flags != MREMAP_MAYMOVE || size <= before)
        return (void *)syscall(SYS_mremap, at, before, size, flags, to);
    to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED)
        return to;
    memcpy(to, at, before);
    drop(at, (before + PAGE - 1) & ~(PAGE - 1));
    return to;
}

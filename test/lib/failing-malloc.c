/* failing-malloc.c - a preloaded library that makes an allocation of a program fail
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FAIL_AT=N: the N-th allocation since the program's start fails, and the file FAIL_MARK is created, so that a caller
 * that tries N = 1, 2, ... knows when to stop. FAIL_ALL: all later ones fail, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static long count, fail_at = -1;
static int fail_all;

/* Reads the settings when the program starts: the loader's allocations do not count. */
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");

    fail_at = at ? atol(at) : -1;
    fail_all = getenv("FAIL_ALL") && *getenv("FAIL_ALL");
    count = 0;
}

static int fails(void)
{
    const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    const char *mark;

    if (fail_at < 0 || n < fail_at || (n > fail_at && !fail_all))
        return 0;
    mark = n == fail_at ? getenv("FAIL_MARK") : NULL;
    if (mark)
        close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
    *p = fails() ? NULL : __libc_memalign(alignment, n);
    return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

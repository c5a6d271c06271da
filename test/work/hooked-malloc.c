/* hooked-malloc.c - an allocator that writes a line to a file in each call; to be preloaded before or after the tool
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *p);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static void log_call(const char *line)
{
    const int fd = open("malloc.log", O_CREAT | O_WRONLY | O_APPEND, 0644);

    if (fd < 0 || write(fd, line, 2) != 2 || close(fd) != 0)
        _exit(9);
}

void *malloc(size_t size)
{
    log_call("m\n");
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    log_call("c\n");
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    log_call("r\n");
    return __libc_realloc(p, size);
}

void free(void *p)
{
    log_call("f\n");
    __libc_free(p);
}

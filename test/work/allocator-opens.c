/* allocator-opens.c - an allocator that opens files while it holds its own lock, and threads that open files under it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled with -DALLOCATOR it is the library: malloc takes a lock and opens a new file in the directory that the
 * variable ALLOCATOR_FILES names. Else it is the program: `allocator-opens DIRECTORY` has threads that create files, and
 * one that allocates. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef ALLOCATOR

void *__libc_malloc(size_t size);

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void *malloc(size_t size)
{
    static int is_inside;
    static unsigned count;
    const char *directory = getenv("ALLOCATOR_FILES");
    void *p;

    pthread_mutex_lock(&lock);
    if (directory && !is_inside && count < 2000) {
        char name[4096];
        int fd;

        is_inside = 1;
        snprintf(name, sizeof name, "%s/allocated.%u", directory, count++);
        fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd >= 0)
            close(fd);
        is_inside = 0;
    }
    p = __libc_malloc(size);
    pthread_mutex_unlock(&lock);
    return p;
}

#else

#define THREADS 4
#define FILES   200

static const char *directory;

static void *create(void *number)
{
    char name[4096];

    for (int i = 0; i < FILES; i++) {
        int fd;

        snprintf(name, sizeof name, "%s/file.%d.%d", directory, (int)(size_t)number, i);
        fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
            _exit(2);
    }
    return NULL;
}

static void *allocate(void *nothing)
{
    for (int i = 0; i < 10 * FILES; i++)
        free(malloc(100));
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS], allocating;

    if (argc != 2)
        return 2;
    directory = argv[1];
    pthread_create(&allocating, NULL, allocate, NULL);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, create, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(allocating, NULL);
    return 0;
}

#endif

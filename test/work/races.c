/* races.c - threads that share nothing, on files of their own with names that are new; built with -fsanitize=thread
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: races DIRECTORY. The threads meet nowhere but at their end, so that nothing orders what the tool does for one
 * after what it does for another: as far as ThreadSanitizer can see, which does not know the tool's locks. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4, FILES = 50, SIZE = 100 };

static const char *directory;

static void must(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

/* The same file by another descriptor, and as memory. */
static void other_ways(int fd)
{
    const int copy = dup(fd);
    char *page;

    must(copy >= 0, "dup");
    page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
    must(page != MAP_FAILED, "mmap");
    page[0]++;
    must(munmap(page, SIZE) == 0 && close(copy) == 0, "munmap");
}

static void one_file(int self, int i)
{
    char path[4096], other[4096 + 8], buffer[SIZE] = "";
    struct stat st;
    FILE *stream;
    int fd;

    /* absolute, then relative to the working directory, then to be cleaned */
    snprintf(path, sizeof path, "%s%s%d.%d",
             i % 3 == 0   ? directory
             : i % 3 == 1 ? "."
                          : directory,
             i % 3 == 2 ? "//./" : "/", self, i);
    must((fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0, path);
    must(write(fd, buffer, SIZE) == SIZE, "write");
    must(pread(fd, buffer, SIZE, 0) == SIZE, "pread");
    other_ways(fd);
    must(close(fd) == 0, "close");
    must(stat(path, &st) == 0 && st.st_size == SIZE, "stat");
    must((stream = fopen(path, "a")) != NULL, "fopen");
    must(fwrite(buffer, 1, SIZE, stream) == SIZE && fclose(stream) == 0, "fwrite");
    snprintf(other, sizeof other, "%s.new", path);
    must(rename(path, other) == 0, "rename");
    must((fd = open(other, O_RDONLY)) >= 0, other);
    must(read(fd, buffer, SIZE) == SIZE && close(fd) == 0, "read");
    must(unlink(other) == 0, "unlink");
}

static void *work(void *number)
{
    for (int i = 0; i < FILES; i++)
        one_file(*(int *)number, i);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int number[THREADS];

    must(argc == 2 && chdir(argv[1]) == 0, "usage: races DIRECTORY");
    directory = argv[1];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        must(pthread_create(&thread[i], NULL, work, &number[i]) == 0, "pthread_create");
    }
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(thread[i], NULL) == 0, "pthread_join");
    puts("done");
    return 0;
}

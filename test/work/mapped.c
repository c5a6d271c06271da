/* mapped.c - files that are mapped into memory, and loads and stores of pages that are known
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * mapped DIRECTORY [kill]: what each file is for is its name. With "kill" the process kills itself in between. All have 64
 * pages, unless something else is said. Counters: mapped.want. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#define PAGES 64
#define BOTH  (PROT_READ | PROT_WRITE)

static size_t page, size;

/* Without a call that writes: its pages are dirty only because of stores. */
static int made(const char *name, size_t bytes)
{
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

    assert(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

static char *mapped(const char *name, size_t bytes, int protection, int flags)
{
    const int fd = made(name, size);
    char *at = mmap(NULL, bytes, protection, flags, fd, 0);

    assert(at != MAP_FAILED && close(fd) == 0);
    return at;
}

static void load(const char *at, size_t bytes)
{
    static volatile char sink;

    for (size_t i = 0; i < bytes; i += page)
        sink = at[i];
    (void)sink;
}

static void store(char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += page)
        at[i] = 1;
}

static void whole(void)
{
    char *at = mapped("untouched", size, BOTH, MAP_SHARED);

    assert(munmap(at, size) == 0);
    at = mapped("loaded", size, PROT_READ, MAP_SHARED);
    load(at, size);
    errno = 7;
    assert(munmap(at, size) == 0 && errno == 7);
    at = mapped("stored", size, BOTH, MAP_SHARED);
    store(at, size);
    assert(munmap(at, size) == 0);
    at = mapped("private", size, BOTH, MAP_PRIVATE);
    store(at, size);
    assert(munmap(at, size) == 0);
    at = mapped("synced", size, BOTH, MAP_SHARED);
    store(at, size);
    assert(msync(at, size, MS_SYNC) == 0);
    store(at, size);
    assert(msync(at, size, MS_SYNC) == 0 && munmap(at, size) == 0);
    at = mapped("code", size, PROT_READ | PROT_EXEC, MAP_PRIVATE);
    load(at, size);
    assert(munmap(at, size) == 0);
}

static void some_of_it(void)
{
    char *at = mapped("one", size, PROT_READ, MAP_SHARED), *again;
    int fd;

    load(at + 10 * page, page);
    assert(munmap(at, size) == 0);
    at = mapped("parts", size, PROT_READ, MAP_SHARED);
    load(at, size);
    assert(munmap(at + 16 * page, 8 * page) == 0 && munmap(at, 4 * page) == 0 && munmap(at + 60 * page, 4 * page) == 0);
    assert(munmap(at, size) == 0);
    at = mapped("replaced", size, PROT_READ, MAP_SHARED);
    load(at, size);
    assert(mmap(at, size, BOTH, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
    store(at, size);
    assert(munmap(at, size) == 0);
    at = mapped("unseen", size, PROT_READ, MAP_SHARED);
    assert(syscall(SYS_munmap, at, size) == 0);
    fd = made("beyond", 2 * page + 1);
    at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    assert(at != MAP_FAILED && close(fd) == 0);
    load(at, 3 * page);
    assert(munmap(at, size) == 0);
    fd = made("grown", 0);
    at = mmap(NULL, size, BOTH, MAP_SHARED, fd, 0);
    assert(at != MAP_FAILED && ftruncate(fd, (off_t)size) == 0 && close(fd) == 0);
    store(at, size);
    assert(munmap(at, size) == 0);
    fd = made("twice", size);
    at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    again = mmap(NULL, size / 2, PROT_READ, MAP_SHARED, fd, (off_t)size / 2);
    assert(at != MAP_FAILED && again != MAP_FAILED && close(fd) == 0);
    load(at, size);
    load(again, size / 2);
    assert(munmap(at, size) == 0 && munmap(again, size / 2) == 0);
}

static void moved(void)
{
    const int fd = made("moved", size);
    char *at = mmap(NULL, size / 2, PROT_READ, MAP_SHARED, fd, 0), *place;

    assert(at != MAP_FAILED && close(fd) == 0);
    load(at, size / 2);
    at = mremap(at, size / 2, size, MREMAP_MAYMOVE);
    assert(at != MAP_FAILED);
    load(at, size);
    place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(place != MAP_FAILED && mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
    load(place, size);
    assert(mremap(place, size, size / 4, 0) == place && munmap(place, size / 4) == 0);
}

static void wrong(void)
{
    char *at = mapped("wrong", size, PROT_READ, MAP_SHARED);

    load(at, size);
    assert(munmap(at + 1, size) == -1 && errno == EINVAL && munmap(at, 0) == -1 && errno == EINVAL);
    assert(mremap(at + 1, size, size, 0) == MAP_FAILED && errno == EINVAL);
    assert(mmap(NULL, size, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED && errno == EBADF);
    assert(munmap(at, size) == 0);
}

/* The child loads what its parent has mapped and not touched. */
static void forked(void)
{
    char *at = mapped("forked", size, PROT_READ, MAP_SHARED), byte = 0;
    const int fd = open("forked", O_RDONLY);
    int status;
    pid_t child = fork();

    assert(child >= 0 && fd >= 0);
    if (child == 0) {
        load(at, size);
        assert(read(fd, &byte, 1) == 1);
        _exit(0);
    }
    assert(waitpid(child, &status, 0) == child && status == 0);
    assert(munmap(at, size) == 0 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    char *left;

    page = (size_t)sysconf(_SC_PAGESIZE);
    size = PAGES * page;
    assert(argc >= 2 && chdir(argv[1]) == 0);
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    left = mapped("left", size, BOTH, MAP_SHARED);
    store(left, size);
    if (argc > 2 && strcmp(argv[2], "kill") == 0)
        raise(SIGKILL);
    whole();
    some_of_it();
    moved();
    wrong();
#ifndef WITH_MPI
    forked();
#endif
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}

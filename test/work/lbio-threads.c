/* lbio-threads.c - threads under log-based I/O at random calls, on a file of all and on their own, and for tokens
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     lbio-threads DIR SEED TURNS        all threads are joined
 *     lbio-threads DIR SEED TURNS ends   the process ends while they go on
 *
 * Each thread knows what its own file and its own region of the common file contain, and compares whatever it reads, and
 * in the end what is in the files. Built with -fsanitize=thread, and linked with a liblbio.so that is. */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include <lbio.h>

enum { THREADS = 4, SIZE = 60000, MOST = 3000 };

static int common;
static FILE *lines; /* of all */
static uint64_t seed;
static int turns;
static atomic_int goes_on;

struct state {
    int self, fd;
    uint64_t x;
    int64_t size; /* of the own file */
    int lines;
    unsigned char own[SIZE], region[SIZE];
};

static uint64_t draw(struct state *s)
{
    s->x ^= s->x << 13;
    s->x ^= s->x >> 7;
    s->x ^= s->x << 17;
    return s->x;
}

static const char *own_name(char *path, int self)
{
    static const char *const names[THREADS] = { "own.0", "own.1", "own.2", "own.3" };

    return work_path_in(path, names[self]);
}

static void own_write(struct state *s, size_t off, size_t len)
{
    struct iovec half[2] = { { s->own + off, len / 2 }, { s->own + off + len / 2, len - len / 2 } };

    for (size_t i = off; i < off + len; i++)
        s->own[i] = (unsigned char)draw(s);
    if (draw(s) % 2) {
        CHECK(pwritev(s->fd, half, 2, (off_t)off) == (ssize_t)len);
    } else {
        CHECK(lseek(s->fd, (off_t)off, SEEK_SET) == (off_t)off);
        CHECK(write(s->fd, s->own + off, len) == (ssize_t)len);
    }
    if ((int64_t)(off + len) > s->size)
        s->size = (int64_t)(off + len);
}

static void own_read(struct state *s, size_t off, size_t len)
{
    unsigned char back[MOST];
    struct stat st;
    const int64_t n = s->size - (int64_t)off;

    CHECK(pread(s->fd, back, len, (off_t)off) == (n < 0 ? 0 : n < (int64_t)len ? n : (int64_t)len));
    CHECK(fstat(s->fd, &st) == 0 && st.st_size == s->size);
    CHECK(n <= 0 || memcmp(back, s->own + off, n < (int64_t)len ? (size_t)n : len) == 0);
}

static void own_truncate(struct state *s, size_t size)
{
    CHECK(ftruncate(s->fd, (off_t)size) == 0);
    if ((int64_t)size < s->size)
        memset(s->own + size, 0, SIZE - size);
    s->size = (int64_t)size;
}

static void own_reopen(struct state *s)
{
    char path[PATH_MAX];

    CHECK(close(s->fd) == 0);
    s->fd = open(own_name(path, s->self), O_RDWR);
    CHECK(s->fd >= 0);
}

static void own_rename(struct state *s)
{
    char from[PATH_MAX], to[PATH_MAX + 4];
    struct stat st;

    own_name(from, s->self);
    snprintf(to, sizeof to, "%s.to", from);
    CHECK(rename(from, to) == 0 && stat(to, &st) == 0 && st.st_size == s->size && rename(to, from) == 0);
}

/* One that comes and goes: written, closed, removed. */
static void passing(struct state *s)
{
    char path[PATH_MAX], name[PATH_MAX + 8];
    int fd;

    snprintf(name, sizeof name, "%s.passing", own_name(path, s->self));
    CHECK((fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644)) >= 0);
    CHECK(write(fd, s->own, MOST) == MOST && close(fd) == 0 && unlink(name) == 0);
}

/* The same by a stream, read back before it is closed. */
static void passing_stream(struct state *s)
{
    char path[PATH_MAX], name[PATH_MAX + 8];
    unsigned char back[MOST];
    FILE *f;

    snprintf(name, sizeof name, "%s.stream", own_name(path, s->self));
    CHECK((f = fopen(name, "w+")) != NULL);
    CHECK(fwrite(s->own, 1, MOST, f) == MOST && fseek(f, 0, SEEK_SET) == 0);
    CHECK(fread(back, 1, MOST, f) == MOST && memcmp(back, s->own, MOST) == 0);
    CHECK(fclose(f) == 0 && unlink(name) == 0);
}

static void line(struct state *s)
{
    CHECK(fprintf(lines, "%d %0*d\n", s->self, (int)(draw(s) % 3000), ++s->lines) > 0);
    CHECK(draw(s) % 8 || fflush(lines) == 0);
}

static void common_write(struct state *s, size_t off, size_t len)
{
    for (size_t i = off; i < off + len; i++)
        s->region[i] = (unsigned char)draw(s);
    CHECK(pwrite(common, s->region + off, len, (off_t)s->self * SIZE + (off_t)off) == (ssize_t)len);
}

static void common_read(struct state *s, size_t off, size_t len)
{
    unsigned char back[MOST] = { 0 };
    const ssize_t n = pread(common, back, len, (off_t)s->self * SIZE + (off_t)off);

    CHECK(n >= 0 && memcmp(back, s->region + off, len) == 0);
}

static void common_other(struct state *s)
{
    struct stat st;
    int copy;

    CHECK(fstat(common, &st) == 0 && st.st_size <= (off_t)THREADS * SIZE);
    CHECK((copy = dup(common)) >= 0 && lseek(copy, 0, SEEK_END) >= 0 && close(copy) == 0);
    if (draw(s) % 4 == 0)
        CHECK(fsync(common) == 0);
}

static void tokens(void)
{
    char path[PATH_MAX];

    if (lbio_token_acquire(work_path_in(path, "slots"), 2) == 0)
        CHECK(lbio_token_release() == 0);
    else
        CHECK(errno == EBUSY);
}

static void statistics(void)
{
    char path[PATH_MAX];
    struct lbio_statistics now;

    CHECK(lbio_stats(&now, sizeof now) == 0);
    CHECK(lbio_drain(work_path_in(path, "common")) == 0);
}

static void one_call(struct state *s)
{
    const size_t off = (size_t)draw(s) % (SIZE - MOST), len = 1 + (size_t)draw(s) % (MOST - 1);

    switch (draw(s) % 32) {
    case 0:
        own_truncate(s, off);
        break;
    case 1:
        own_reopen(s);
        break;
    case 2:
        own_rename(s);
        break;
    case 3:
        passing(s);
        break;
    case 4:
        common_other(s);
        break;
    case 5:
        tokens();
        break;
    case 6:
        statistics();
        break;
    case 7:
        CHECK(draw(s) % 8 || lbio_drain(NULL) == 0);
        break;
    case 8:
        passing_stream(s);
        break;
    case 9:
    case 10:
        line(s);
        break;
    default:
        switch (draw(s) % 4) {
        case 0:
            own_write(s, off, len);
            break;
        case 1:
            own_read(s, off, len);
            break;
        case 2:
            common_write(s, off, len);
            break;
        default:
            common_read(s, off, len);
            break;
        }
    }
}

static struct state states[THREADS];

static void *work(void *self)
{
    struct state *s = &states[(intptr_t)self];
    char path[PATH_MAX];

    s->self = (int)(intptr_t)self;
    s->x = seed * THREADS + (uint64_t)s->self + 1;
    CHECK((s->fd = open(own_name(path, s->self), O_RDWR | O_CREAT | O_TRUNC, 0644)) >= 0);
    for (int turn = 0; turn < turns || goes_on; turn++)
        one_call(s);
    own_read(s, 0, MOST);
    CHECK(close(s->fd) == 0);
    return NULL;
}

/* What is in a file when it has been drained: read without the library. */
static void is_in_file(const char *name, const unsigned char *want, size_t n, off_t off)
{
    static unsigned char got[SIZE];
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);

    memset(got, 0, sizeof got);
    CHECK(fd >= 0 && syscall(SYS_pread64, fd, got, n, off) >= 0 && memcmp(got, want, n) == 0);
    syscall(SYS_close, fd);
}

/* Each line is whole, and those of each thread are in order. */
static void are_in_file(const char *name)
{
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);
    FILE *f = fdopen(fd, "r");
    int self, number, next[THREADS] = { 0 };

    CHECK(f);
    while (fscanf(f, "%d %d\n", &self, &number) == 2)
        CHECK(self >= 0 && self < THREADS && number == ++next[self]);
    CHECK(feof(f));
    for (int i = 0; i < THREADS; i++)
        CHECK(next[i] == states[i].lines);
    fclose(f);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    char path[PATH_MAX];

    work_dir = argv[1];
    seed = strtoul(argv[2], NULL, 10);
    turns = atoi(argv[3]);
    goes_on = argc > 4;
    CHECK((common = open(work_path_in(path, "common"), O_RDWR | O_CREAT | O_TRUNC, 0644)) >= 0);
    CHECK((lines = fopen(work_path_in(path, "lines"), "w")) != NULL);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
    if (goes_on) {
        usleep(300000);
        return 0;
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(fclose(lines) == 0);
    CHECK(lbio_drain(NULL) == 0);
    are_in_file(work_path_in(path, "lines"));
    for (int i = 0; i < THREADS; i++) {
        is_in_file(own_name(path, i), states[i].own, (size_t)states[i].size, 0);
        is_in_file(work_path_in(path, "common"), states[i].region, SIZE, (off_t)i * SIZE);
    }
    return 0;
}

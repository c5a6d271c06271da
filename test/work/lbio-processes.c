/* lbio-processes.c - random calls of several processes on the same files, one after another: lbio-processes SEED STEPS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each step one of the processes makes one call on one of a few names, or on a descriptor that it has, and its result is
 * printed: with log-based I/O it must be the same as without. What stays in the directory is to be compared, too. */
#include "work.h"

#include <spawn.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#define PROCESSES   4
#define NAMES       6
#define DESCRIPTORS 4
#define MOST        9000

enum call {
    OPEN,
    WRITE,
    PWRITE,
    READ,
    PREAD,
    SEEK,
    TRUNCATE,
    SYNC,
    CLOSE,
    DUP,
    RENAME,
    LINK,
    UNLINK,
    TRUNCATE_AT,
    STREAM_WRITES,
    STREAM_READS,
    MAPPED,
    CHILD,
    SEND,
    LOCKED,
    WRITE_VECTOR,
    CALLS
};
static const char *const names[CALLS] = { "open",  "write", "pwrite", "read",   "pread",    "seek",   "truncate",
                                          "sync",  "close", "dup",    "rename", "link",     "unlink", "truncate-at",
                                          "fputs", "fgets", "mapped", "child",  "sendfile", "flock",  "writev" };

struct step {
    enum call call;
    int process, name, other, descriptor, flags, whence;
    long off, n;
    unsigned seed;
};

struct result {
    long ret;
    int error;
    unsigned sum;
};

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16 & 0x7fff;
}

static struct step make_step(unsigned *seed)
{
    static const int flags[] = { O_RDONLY,
                                 O_RDWR,
                                 O_WRONLY,
                                 O_RDWR | O_CREAT,
                                 O_WRONLY | O_CREAT,
                                 O_WRONLY | O_CREAT | O_TRUNC,
                                 O_RDWR | O_CREAT | O_TRUNC,
                                 O_WRONLY | O_CREAT | O_APPEND,
                                 O_RDWR | O_APPEND,
                                 O_WRONLY | O_CREAT | O_EXCL };
    static const enum call often[] = { OPEN, OPEN, OPEN, WRITE, WRITE, WRITE, PWRITE, READ, PREAD, SEEK, CLOSE };
    const unsigned which = next(seed) % (CALLS + 2 * sizeof often / sizeof often[0]);

    return (struct step){
        .call = which < CALLS ? (enum call)which : often[which % (sizeof often / sizeof often[0])],
        .process = (int)(next(seed) % PROCESSES),
        .name = (int)(next(seed) % NAMES),
        .other = (int)(next(seed) % NAMES),
        .descriptor = (int)(next(seed) % DESCRIPTORS),
        .flags = flags[next(seed) % (sizeof flags / sizeof flags[0])],
        .whence = (int)(next(seed) % 3),
        .off = (long)(next(seed) % 20000),
        .n = (long)(1 + next(seed) % MOST),
        .seed = next(seed),
    };
}

static void fill(char *to, long n, unsigned seed)
{
    for (long i = 0; i < n; i++)
        to[i] = (char)('a' + (seed + (unsigned)i) % 26);
}

static unsigned sum_of(const char *bytes, long n)
{
    unsigned sum = 1;

    for (long i = 0; i < n; i++)
        sum = sum * 31 + (unsigned char)bytes[i];
    return sum;
}

static char bytes[MOST];

static long map_and_store(const char *name, unsigned seed)
{
    const int fd = open(name, O_RDWR);
    struct stat st;
    char *at;

    if (fd < 0)
        return -1;
    CHECK(fstat(fd, &st) == 0);
    if (st.st_size > 0) {
        at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        CHECK(at != MAP_FAILED);
        at[seed % st.st_size] = '!';
        CHECK(munmap(at, (size_t)st.st_size) == 0);
    }
    CHECK(close(fd) == 0);
    return st.st_size;
}

static long in_child(int fd, long n, unsigned seed)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        fill(bytes, n, seed);
        _exit(write(fd, bytes, (size_t)n) == n ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

static struct result take_step(const struct step *s)
{
    static int held[DESCRIPTORS] = { -1, -1, -1, -1 };
    const char name[2] = { (char)('A' + s->name) }, other[2] = { (char)('A' + s->other) };
    int *const fd = &held[s->descriptor];
    struct result r = { 0, 0, 0 };
    FILE *stream;

    errno = 0;
    fill(bytes, s->n, s->seed);
    switch (s->call) {
    case OPEN:
        if (*fd >= 0)
            close(*fd);
        *fd = open(name, s->flags, 0644);
        r.ret = *fd >= 0;
        break;
    case WRITE:
        r.ret = write(*fd, bytes, (size_t)s->n);
        break;
    case PWRITE:
        r.ret = pwrite(*fd, bytes, (size_t)s->n, s->off);
        break;
    case WRITE_VECTOR: {
        const struct iovec two[] = { { bytes, (size_t)s->n / 2 }, { bytes + s->n / 2, (size_t)(s->n - s->n / 2) } };

        r.ret = writev(*fd, two, 2);
        break;
    }
    case READ:
    case PREAD:
        r.ret = s->call == READ ? read(*fd, bytes, (size_t)s->n) : pread(*fd, bytes, (size_t)s->n, s->off);
        r.sum = r.ret > 0 ? sum_of(bytes, r.ret) : 0;
        break;
    case SEEK:
        r.ret = lseek(*fd, s->whence == SEEK_SET ? s->off : 0, s->whence);
        break;
    case TRUNCATE:
        r.ret = ftruncate(*fd, s->off);
        break;
    case SYNC:
        r.ret = fsync(*fd);
        break;
    case CLOSE:
        r.ret = close(*fd);
        *fd = -1;
        break;
    case DUP:
        if (*fd >= 0 && fd != &held[0]) {
            close(held[0]);
            held[0] = dup(*fd);
            r.ret = held[0] >= 0;
        }
        break;
    case RENAME:
        r.ret = rename(name, other);
        break;
    case LINK:
        r.ret = link(name, other);
        break;
    case UNLINK:
        r.ret = unlink(name);
        break;
    case TRUNCATE_AT:
        r.ret = truncate(name, s->off);
        break;
    case STREAM_WRITES:
        stream = fopen(name, s->whence == 0 ? "w" : s->whence == 1 ? "a" : "r+");
        if (stream) {
            r.ret = (long)fwrite(bytes, 1, (size_t)s->n, stream);
            r.sum = (unsigned)ftell(stream);
            CHECK(fclose(stream) == 0);
        }
        break;
    case STREAM_READS:
        stream = fopen(name, "r");
        if (stream) {
            r.ret = (long)fread(bytes, 1, (size_t)s->n, stream);
            r.sum = sum_of(bytes, r.ret);
            CHECK(fclose(stream) == 0);
        }
        break;
    case MAPPED:
        r.ret = map_and_store(name, s->seed);
        break;
    case CHILD:
        r.ret = *fd >= 0 ? in_child(*fd, s->n, s->seed) : -1;
        break;
    case SEND:
        r.ret = *fd >= 0 && held[0] >= 0 && *fd != held[0] ? sendfile(*fd, held[0], NULL, (size_t)s->n) : -1;
        break;
    case LOCKED:
        r.ret = flock(*fd, LOCK_EX | LOCK_NB);
        if (r.ret == 0)
            flock(*fd, LOCK_UN);
        break;
    case CALLS:
        break;
    }
    r.error = r.ret < 0 ? errno : 0;
    return r;
}

/* One of the processes: takes the steps that it reads. */
static int be_process(int from, int to)
{
    struct step s;
    struct result r;

    while (read(from, &s, sizeof s) == sizeof s) {
        r = take_step(&s);
        CHECK(write(to, &r, sizeof r) == sizeof r);
    }
    return 0;
}

extern char **environ;

int main(int argc, char **argv)
{
    int to[PROCESSES][2], from[PROCESSES][2], status;
    pid_t pid[PROCESSES];
    unsigned seed;

    CHECK(argc == 3);
    if (argv[1][0] == '-')
        return be_process(-atoi(argv[1]), atoi(argv[2]));
    seed = (unsigned)atoi(argv[1]) * 2654435761U;
    for (int i = 0; i < PROCESSES; i++) {
        char in[16], out[16];
        char *const arguments[] = { argv[0], in, out, NULL };

        CHECK(pipe2(to[i], O_CLOEXEC) == 0 && pipe2(from[i], O_CLOEXEC) == 0);
        CHECK(fcntl(to[i][0], F_SETFD, 0) == 0 && fcntl(from[i][1], F_SETFD, 0) == 0);
        snprintf(in, sizeof in, "-%d", to[i][0]);
        snprintf(out, sizeof out, "%d", from[i][1]);
        CHECK(posix_spawn(&pid[i], argv[0], NULL, NULL, arguments, environ) == 0);
        close(to[i][0]);
        close(from[i][1]);
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        const struct step s = make_step(&seed);
        struct result r;

        CHECK(write(to[s.process][1], &s, sizeof s) == sizeof s);
        CHECK(read(from[s.process][0], &r, sizeof r) == sizeof r);
        printf("%d: process %d: %s of %c, to %c, descriptor %d, flags %o, whence %d, %ld bytes, at %ld: %ld, error %d, "
               "%u\n",
               i, s.process, names[s.call], 'A' + s.name, 'A' + s.other, s.descriptor, (unsigned)s.flags, s.whence, s.n,
               s.off, r.ret, r.error, r.sum);
    }
    for (int i = 0; i < PROCESSES; i++) {
        close(to[i][1]);
        CHECK(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
    }
    return 0;
}

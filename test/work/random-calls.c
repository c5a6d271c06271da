/* random-calls.c - thousands of calls in random order, and their results
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * random-calls DIRECTORY SEED STEPS TRACE BOOKS KIND
 *
 * The trace has the result, errno, the descriptors and positions of each call: it must be the same with the tool and
 * without. The books have what the log must hold by the rules of counting.
 * Kinds: wild; tame, without what is not counted; excluding, where the tool is told to leave some of the files alone. */
#include "random-calls.h"
#include "unseen.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct options options;
struct books books;
char *buffer;

/* ------------------------------------------------------------------ generator */

uint64_t draw(void)
{
    static uint64_t state;

    state += options.seed * 2 + 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int below(int n)
{
    return (int)(draw() % (unsigned)n);
}

int one_in(int n)
{
    return below(n) == 0;
}

int64_t any_offset(void)
{
    static const int64_t odd[] = { -1, -4096, INT64_MIN, INT64_MAX, INT64_C(1) << 40, 1 << 22, 4095, 4096, 4097 };

    if (one_in(12))
        return odd[below(sizeof odd / sizeof odd[0])];
    return below(4) ? below(20000) : below(1 << 20);
}

size_t any_size(void)
{
    static const size_t odd[] = { 0, 1, 100, 101, 1024, 1025, 65536, 65537, (size_t)1 << 31, (size_t)-1, 0x7ffff001 };

    if (one_in(10))
        return odd[below(sizeof odd / sizeof odd[0])];
    return (size_t)below(below(4) ? 300 : 20000);
}

char *any_pointer(void)
{
    if (below(24))
        return buffer + below(ROOM / 2);
    switch (below(5)) {
    case 0:
        return NULL;
    case 1:
        return (char *)1;
    case 2:
        return buffer + ROOM; /* forbidden */
    case 3:
        return buffer + ROOM - 10;
    default:
        return (char *)(UINT64_C(0xffff8000) << 32);
    }
}

/* ------------------------------------------------------------------ trace */

static char text[1 << 16];
static size_t used;
static int trace_fd;

static void flush(void)
{
    for (size_t at = 0; at < used;) {
        long n = unseen(SYS_write, trace_fd, text + at, used - at);

        if (n <= 0)
            unseen(SYS_exit_group, 9);
        at += (size_t)n;
    }
    used = 0;
}

void trace(const char *format, ...)
{
    const int error = errno;
    va_list args;

    if (used > sizeof text - 8192)
        flush();
    used += (size_t)snprintf(text + used, 16, "%d ", error);
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, 4096, format, args);
    va_end(args);
    text[used++] = '\n';
}

void trace_bytes(const char *bytes, size_t n)
{
    uint64_t sum = 14695981039346656037U;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211U;
    trace("  bytes %zu %llx", n, (unsigned long long)sum);
}

void trace_descriptors(void)
{
    errno = 0;
    for (int fd = 0; fd < MOST; fd++) {
        const long flags = unseen(SYS_fcntl, fd, F_GETFD), mode = unseen(SYS_fcntl, fd, F_GETFL);

        if (flags >= 0)
            trace("  fd %d %ld %lx %ld", fd, flags, (unsigned long)mode, unseen(SYS_lseek, fd, 0, SEEK_CUR));
        errno = 0;
    }
}

void trace_place(int fd)
{
    trace("  at %ld", unseen(SYS_lseek, fd, 0, SEEK_CUR));
}

void trace_end(void)
{
    flush();
}

/* ------------------------------------------------------------------ books */

static const struct {
    const char *module, *counter;
} titles[COUNTS] = {
    [P_OPENS] = { "POSIX", "POSIX_OPENS" },
    [P_DUPS] = { "POSIX", "POSIX_DUPS" },
    [P_FILENOS] = { "POSIX", "POSIX_FILENOS" },
    [P_READS] = { "POSIX", "POSIX_READS" },
    [P_WRITES] = { "POSIX", "POSIX_WRITES" },
    [P_BYTES_READ] = { "POSIX", "POSIX_BYTES_READ" },
    [P_BYTES_WRITTEN] = { "POSIX", "POSIX_BYTES_WRITTEN" },
    [P_SEEKS] = { "POSIX", "POSIX_SEEKS" },
    [P_FSYNCS] = { "POSIX", "POSIX_FSYNCS" },
    [P_FDSYNCS] = { "POSIX", "POSIX_FDSYNCS" },
    [S_OPENS] = { "STDIO", "STDIO_OPENS" },
    [S_FDOPENS] = { "STDIO", "STDIO_FDOPENS" },
    [S_READS] = { "STDIO", "STDIO_READS" },
    [S_WRITES] = { "STDIO", "STDIO_WRITES" },
    [S_BYTES_READ] = { "STDIO", "STDIO_BYTES_READ" },
    [S_BYTES_WRITTEN] = { "STDIO", "STDIO_BYTES_WRITTEN" },
    [S_SEEKS] = { "STDIO", "STDIO_SEEKS" },
    [S_FLUSHES] = { "STDIO", "STDIO_FLUSHES" },
};

/* What f3 and f10 to f19 are about is excluded in the runs that exclude anything. */
int known(int file)
{
    return options.excluding && (file == 3 || (file >= 10 && file < 20)) ? -1 : file;
}

void count(int file, int what, long long n)
{
    if (known(file) < 0)
        return;
    books.count[file][what] += n;
    trace("  %s of file %d: %lld", titles[what].counter, file, n);
}

void opened(int fd, int file)
{
    if (fd < 0 || fd >= FDS)
        return;
    books.file_of_fd[fd] = books.behind[fd] = known(file);
    books.is_open[fd] = 1;
    count(file, P_OPENS, 1);
}

/* A standard stream that is counted is one of the file that is now at its descriptor, or again <STDOUT>. */
static void redirected(int fd, int file)
{
    struct stream *const s = fd >= 0 && fd < STANDARD ? &books.stream[fd] : NULL;

    if (s && s->file >= 0 && s->f->_fileno == fd)
        s->file = file >= 0 ? file : COUNTED + WILD + fd;
}

void duplicated(int fd, int from)
{
    const int is_known = from >= 0 && from < FDS, file = is_known ? books.file_of_fd[from] : -1;
    const int behind = is_known ? books.behind[from] : -1;

    opened(fd, file);
    if (fd >= 0 && fd < FDS)
        books.behind[fd] = behind;
    if (fd != from)
        redirected(fd, behind);
    if (fd >= 0)
        count(file, P_DUPS, 1);
}

void closed(int fd)
{
    if (fd < 0 || fd >= FDS)
        return;
    books.file_of_fd[fd] = books.behind[fd] = -1;
    books.is_open[fd] = 0;
}

void transferred(int fd, int is_write, long long n)
{
    const int file = fd >= 0 && fd < FDS ? books.file_of_fd[fd] : -1;

    if (n < 0)
        return;
    count(file, is_write ? P_WRITES : P_READS, 1);
    count(file, is_write ? P_BYTES_WRITTEN : P_BYTES_READ, n);
}

static const char *const standard[STANDARD] = { "<STDIN>", "<STDOUT>", "<STDERR>" };

static int is_counted(int file)
{
    return (file >= 0 && file < COUNTED) || file >= COUNTED + WILD;
}

/* A standard stream that was neither read nor written has no record. */
static int is_idle(int file, int what)
{
    return file >= COUNTED + WILD && what >= S_OPENS && !books.count[file][S_READS] && !books.count[file][S_WRITES];
}

void books_write(const char *path)
{
    char here[PATH_MAX], line[2 * PATH_MAX];

    trace_end();
    trace_fd = (int)unseen(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    CHECK(trace_fd >= 0 && getcwd(here, sizeof here));
    for (int file = 0; file < FILES; file++)
        for (int what = 0; what < COUNTS; what++) {
            if (known(file) < 0 || (!is_counted(file) && options.wild) || is_idle(file, what))
                continue;
            if (file < COUNTED || !is_counted(file))
                snprintf(line, sizeof line, "%s/f%d", here, file);
            else
                snprintf(line, sizeof line, "%s", standard[file - COUNTED - WILD]);
            if (used > sizeof text - sizeof line)
                flush();
            used += (size_t)snprintf(text + used, sizeof line, "%s\t%s\t%s\t%lld\n", titles[what].module,
                                     titles[what].counter, line, books.count[file][what]);
        }
    flush();
    CHECK(unseen(SYS_close, trace_fd) == 0); /* a stream that has lost its descriptor may believe that it is its own */
}

/* ------------------------------------------------------------------ what to do it with */

int any_file(void)
{
    return options.wild && one_in(5) ? COUNTED + below(WILD) : below(COUNTED);
}

const char *any_name(int file)
{
    static char name[2 * PATH_MAX], here[PATH_MAX];
    const char kind = file < COUNTED ? 'f' : 'w';
    const int number = file < COUNTED ? file : file - COUNTED;

    if (!here[0])
        CHECK(unseen(SYS_getcwd, here, sizeof here) > 0);
    switch (below(5)) {
    case 0:
        snprintf(name, sizeof name, "./%c%d", kind, number);
        break;
    case 1:
        snprintf(name, sizeof name, "%s//%c%d", here, kind, number);
        break;
    case 2:
        snprintf(name, sizeof name, "%s/./%c%d", here, kind, number);
        break;
    default:
        snprintf(name, sizeof name, "%c%d", kind, number);
    }
    return name;
}

static int open_one(int first)
{
    for (int i = 0; i < FDS; i++)
        if (books.is_open[(first + i) % FDS])
            return (first + i) % FDS;
    return -1;
}

int any_fd(void)
{
    static const int bad[] = { -1, 999, 1 << 20, 1 << 30, 0, 777 };

    if (one_in(20))
        return bad[below(sizeof bad / sizeof bad[0])];
    return open_one(below(MOST));
}

int wild_fd(void)
{
    const int fd = any_fd();

    return fd >= 0 && fd < FDS && is_counted(books.file_of_fd[fd]) ? -1 : fd;
}

struct stream *any_stream(void)
{
    const int first = below(STREAMS);

    for (int i = 0; i < STREAMS; i++)
        if (books.stream[(first + i) % STREAMS].f)
            return &books.stream[(first + i) % STREAMS];
    return NULL;
}

/* ------------------------------------------------------------------ main */

static int weight_of(const struct action *a)
{
    int sum = 0;

    for (; a->run; a++)
        sum += a->weight;
    return sum;
}

static void step(void)
{
    const struct action *const part[] = { posix_actions, stdio_actions, options.wild ? wild_actions : posix_actions };
    const struct action *a = part[below(sizeof part / sizeof part[0])];
    int at = below(weight_of(a));

    while (at >= a->weight)
        at -= (a++)->weight;
    a->run();
}

static void prepare(void)
{
    const struct rlimit largest = { 8 << 20, 8 << 20 }; /* a write beyond it fails; SIGXFSZ is not wanted */
    const struct rlimit most = { MOST, FDS };
    FILE *const streams[STANDARD] = { stdin, stdout, stderr };

    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &largest) == 0 && setrlimit(RLIMIT_NOFILE, &most) == 0);
    buffer = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(buffer != MAP_FAILED && mprotect(buffer + ROOM, 4096, PROT_NONE) == 0);
    for (int i = 0; i < ROOM; i++)
        buffer[i] = (char)(i * 7 % 96 + (i % 11 ? 32 : 10));
    for (int fd = 0; fd < FDS; fd++)
        books.file_of_fd[fd] = books.behind[fd] = -1;
    for (int i = 0; i < STANDARD; i++) {
        books.is_open[i] = 1;
        books.stream[i] = (struct stream){ streams[i], COUNTED + WILD + i, FRESH };
        count(COUNTED + WILD + i, S_OPENS, 1);
    }
}

/* The tool shall have a descriptor for its log. */
static void end(void)
{
    const struct rlimit most = { FDS, FDS };

    trace_descriptors();
    CHECK(setrlimit(RLIMIT_NOFILE, &most) == 0);
}

int main(int argc, char **argv)
{
    int fd;

    work_start(&argc, &argv);
    CHECK(argc == 7);
    options.seed = strtoull(argv[2], NULL, 10);
    options.steps = atol(argv[3]);
    options.wild = strcmp(argv[6], "tame") != 0;
    options.excluding = strcmp(argv[6], "excluding") == 0;
    fd = (int)unseen(SYS_openat, AT_FDCWD, argv[4], O_CREAT | O_WRONLY | O_TRUNC, 0644);
    CHECK(fd >= 0);
    trace_fd = (int)unseen(SYS_fcntl, fd, F_DUPFD, 900); /* out of the way */
    CHECK(trace_fd >= 0 && unseen(SYS_close, fd) == 0 && chdir(argv[1]) == 0);
    prepare();
    for (long i = 0; i < options.steps; i++) {
        step();
        if (i % 64 == 63)
            trace_descriptors();
    }
    end();
    books_write(argv[5]);
    return work_end();
}

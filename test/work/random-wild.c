/* random-wild.c - calls of random-calls that only have to behave the same: on names, space, mappings, pipes, directories
 * SPDX-License-Identifier: BSD-3-Clause */
#include "random-calls.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

static const char *wild_name(void)
{
    return any_name(COUNTED + below(WILD));
}

static void names(void)
{
    static char a[2 * PATH_MAX];
    const int how = below(8);
    const char *b;
    int ret;

    snprintf(a, sizeof a, "%s", one_in(10) ? "missing" : any_name(any_file()));
    b = one_in(20) ? NULL : wild_name();
    switch (how) {
    case 0:
        STEP(ret, unlink(a));
        break;
    case 1:
        STEP(ret, rename(a, b));
        break;
    case 2:
        STEP(ret, renameat2(AT_FDCWD, a, AT_FDCWD, b, (unsigned)below(3)));
        break;
    case 3:
        STEP(ret, link(a, b));
        break;
    case 4:
        STEP(ret, symlink("f1", b));
        break;
    case 5:
        STEP(ret, truncate(a, any_offset() % 100000));
        break;
    case 6:
        STEP(ret, access(a, below(8)));
        break;
    default:
        STEP(ret, unlinkat(AT_FDCWD, a, one_in(4) ? AT_REMOVEDIR : 0));
    }
    trace("names %d = %d", how, ret);
}

static void space(void)
{
    const int fd = any_fd(), how = below(4);
    const int64_t at = any_offset(), n = any_offset();
    int ret;

    switch (how) {
    case 0:
        STEP(ret, ftruncate(fd, at % 200000));
        break;
    case 1:
        STEP(ret, fallocate(fd, 1 << below(4), at % 200000, n % 200000));
        break;
    case 2:
        STEP(ret, posix_fallocate(fd, at % 200000, n % 200000));
        break;
    default:
        STEP(ret, posix_fadvise(fd, at, n, below(8)));
    }
    trace("space %d %d %lld %lld = %d", how, fd, (long long)at, (long long)n, ret);
}

/* From one descriptor to another, in the kernel. */
static void transfer(void)
{
    const int from = wild_fd(), to = wild_fd(), how = below(4);
    off_t at = any_offset(), there = any_offset();
    off_t *const from_at = below(2) ? &at : NULL, *const to_at = below(2) ? &there : NULL;
    const size_t n = any_size() % 100000;
    ssize_t ret;

    switch (how) {
    case 0:
        STEP(ret, sendfile(to, from, from_at, n));
        break;
    case 1:
        STEP(ret, copy_file_range(from, from_at, to, to_at, n, 0));
        break;
    case 2:
        STEP(ret, splice(from, from_at, to, to_at, n, SPLICE_F_NONBLOCK));
        break;
    default:
        STEP(ret, tee(from, to, n, SPLICE_F_NONBLOCK));
    }
    trace("transfer %d %d %d %zu = %zd, %lld %lld", how, from, to, n, ret, (long long)at, (long long)there);
    trace_place(from);
    trace_place(to);
}

static void mapping(void)
{
    const int fd = any_fd(), how = below(4);
    const int prot = how == 0 ? PROT_READ : PROT_READ | PROT_WRITE, flags = how == 3 ? 0 : 1 + below(2);
    const size_t n = one_in(10) ? 0 : 4096;
    char *p;
    int ret = 0;

    STEP(p, mmap(NULL, n, prot, flags, fd, one_in(8) ? 1 : 4096 * below(3)));
    trace("mmap %d %d = %d", fd, how, p != MAP_FAILED);
    if (p == MAP_FAILED)
        return;
    STEP(ret, msync(p, n, MS_SYNC));
    trace("msync = %d", ret);
    STEP(ret, munmap(p, n));
    trace("munmap = %d", ret);
}

static void pipes(void)
{
    int pair[2] = { -1, -1 }, ret;
    const int how = below(3);

    switch (how) {
    case 0:
        STEP(ret, pipe2(pair, O_NONBLOCK));
        break;
    case 1:
        STEP(ret, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
        break;
    default:
        STEP(ret, pair[0] = memfd_create("memory", 0));
    }
    trace("pipes %d = %d, %d %d", how, how == 2 ? ret : 0, pair[0], pair[1]);
    opened(pair[0], -1);
    opened(pair[1], -1);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(DIR *dir)
{
    char *name[100];
    struct dirent *entry;
    int n = 0;

    while (n < 100 && (entry = readdir(dir)) != NULL)
        name[n++] = strdup(entry->d_name);
    qsort(name, (size_t)n, sizeof name[0], compare);
    for (int i = 0; i < n; i++) {
        trace("  %s", strncmp(name[i], "tmp-", 4) ? name[i] : "tmp");
        free(name[i]);
    }
}

static void directory(void)
{
    const char *const name = below(4) ? "." : below(2) ? "missing" : "f1";
    DIR *dir;
    int ret;

    STEP(dir, opendir(name));
    trace("opendir %s = %d", name, dir ? dirfd(dir) : -1);
    if (!dir)
        return;
    list(dir);
    STEP(ret, closedir(dir));
    trace("closedir = %d", ret);
}

/* A directory under a descriptor that is taken away from it, or shared. */
static void directory_of(void)
{
    int fd, ret;
    DIR *dir;

    STEP(fd, open(".", O_RDONLY | O_DIRECTORY));
    opened(fd, OTHER);
    STEP(dir, fdopendir(one_in(4) ? 998 : fd));
    trace("fdopendir %d = %d", fd, dir != NULL);
    if (!dir)
        return;
    if (one_in(3)) {
        STEP(ret, close(fd));
        trace("close = %d", ret);
    }
    STEP(ret, closedir(dir));
    trace("closedir = %d", ret);
    closed(fd);
}

/* Names that are made up by the library are not the same twice. */
static void temporary(void)
{
    char name[] = "tmp-XXXXXX.suf", plain[] = "tmp-XXXXXX", bad[] = "tmp-XXX";
    const int how = below(7);
    char *used = plain;
    int fd;

    switch (how) {
    case 0:
        STEP(fd, mkstemps(used = name, 4));
        break;
    case 1:
        STEP(fd, mkostemps64(used = name, 4, O_APPEND));
        break;
    case 2:
        STEP(fd, mkostemp(plain, O_CLOEXEC));
        break;
    case 3:
        STEP(fd, mkstemp64(plain));
        break;
    case 4:
        STEP(fd, mkstemp(used = bad));
        break;
    case 5:
        STEP(fd, open(".", O_TMPFILE | O_RDWR, 0640));
        break;
    default:
        STEP(fd, mkstemp(plain));
    }
    trace("temporary %d = %d", how, fd);
    opened(fd, OTHER);
    if (fd >= 0 && how != 5)
        CHECK(unlink(used) == 0);
}

static void path_only(void)
{
    int fd;

    STEP(fd, open(wild_name(), O_PATH | (below(2) ? O_CLOEXEC : 0)));
    trace("O_PATH = %d", fd);
    opened(fd, OTHER);
}

/* A stream without a descriptor, and one that a function stands behind. */
static ssize_t nothing(void *cookie, const char *bytes, size_t n)
{
    (void)cookie, (void)bytes;
    return (ssize_t)n;
}

static void memory_stream(void)
{
    const cookie_io_functions_t functions = { .write = nothing };
    char *text = NULL, room[32];
    const int how = below(3);
    size_t n = 0;
    FILE *f;
    int ret;

    switch (how) {
    case 0:
        STEP(f, open_memstream(&text, &n));
        break;
    case 1:
        STEP(f, fmemopen(room, sizeof room, "w"));
        break;
    default:
        STEP(f, fopencookie(NULL, "w", functions));
    }
    trace("memory_stream %d = %d", how, f != NULL);
    if (!f)
        return;
    STEP(ret, fprintf(f, "%s-%d", "text", how));
    trace("fprintf = %d", ret);
    STEP(ret, fileno(f));
    trace("fileno = %d", ret);
    STEP(ret, fclose(f));
    trace("fclose = %d", ret);
    free(text);
}

const struct action wild_actions[] = {
    { names, 8 },        { space, 5 },     { transfer, 8 },  { mapping, 3 },       { pipes, 2 }, { directory, 1 },
    { directory_of, 1 }, { temporary, 2 }, { path_only, 1 }, { memory_stream, 2 }, { NULL, 0 },
};

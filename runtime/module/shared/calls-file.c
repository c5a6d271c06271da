/* calls-file.c - the file into which a process's calls are logged
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The whole file is mapped at the start, as a hole; chunks are populated when they are taken. The mapping stays until
 * the process ends, because another thread may be writing to it. */
#include <config.h>

#include "module/shared/calls-file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/open-file.h"
#include "base/text.h"
#include "base/warn.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "record/span.h"

#define SMALLEST   ((size_t)1 << 20)  /* bytes: below this no file is created */
#define MOST_FILES 16                 /* of one process, whose execs failed */
#define MOST_NAMES 100                /* names tried for a file */
#define MOST_TRIES 8                  /* attempts to create one */
#define AGAIN      INT64_C(100000000) /* ns until the next attempt */
#define CLOSE      500                /* ticks */
#define SHARE      16                 /* use at most 1/SHARE of the address space limit and of the free space */

static struct {
    dsn_lock lock;                       /* guards the following, except for the counters in `head`, which are atomic */
    struct dsn_calls_head *_Atomic head; /* NULL: there is no file */
    uint64_t next, most;                 /* chunks in use, and the limit */
    int files, tries;
    int64_t try_at; /* ns: time of the next attempt */
    dev_t device;
    ino_t inode;
    atomic_ullong left_out;
    atomic_flag telling; /* set while a thread samples the clocks */
    char directory[1024], path[1024 + 256];
} here;

static void set(uint64_t *number, uint64_t to)
{
    __atomic_store_n(number, htole64(to), __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ the directory */

/* File systems whose populated pages stay writable: a network or copy-on-write file system may fail a later store,
 * which ends the process by a signal. */
static bool is_fit(const struct statfs *st)
{
    static const long fit[] = { 0x01021994 /* tmpfs */, 0xef53 /* ext2 to ext4 */, 0x58465342 /* xfs */,
                                0x794c7630 /* overlayfs */ };

    for (unsigned i = 0; i < sizeof fit / sizeof fit[0]; i++)
        if ((long)(st->f_type & 0xffffffff) == fit[i])
            return true;
    return false;
}

static bool is_nearly_full(const struct statfs *st)
{
    return st->f_blocks > 0 && st->f_bavail < st->f_blocks / SHARE;
}

/* Nobody else can replace the file while it is created: the directory is ours or root's, and others who may write to it
 * cannot rename our files (sticky bit). */
static bool is_safe(const char *directory)
{
    const mode_t others = S_IWGRP | S_IWOTH;
    struct stat st;

    return dsn__sys_lstat(directory, &st) == 0 && S_ISDIR(st.st_mode) &&
           (st.st_uid == dsn__sys_geteuid() || st.st_uid == 0) &&
           ((st.st_mode & others) == 0 || (st.st_mode & S_ISVTX) != 0);
}

static bool is_usable(const char *directory)
{
    struct statfs st;
    const char *why = NULL;

    if (directory[0] != '/' || strlen(directory) >= sizeof here.directory)
        why = "is not an absolute path";
    else if (!is_safe(directory))
        why = "is not a directory of yours, or others may rename files in it";
    else if (dsn__sys_statfs(directory, &st) != 0 || !is_fit(&st))
        why = "is not on a local file system of this node (tmpfs, ext4, xfs)";
    else if (is_nearly_full(&st))
        why = "is on a file system that is nearly full";
    if (why)
        dsn__say("calls are not logged: %s %s", directory, why);
    return why == NULL;
}

/* ------------------------------------------------------------------ creation */

/* The host name comes from outside: slashes are replaced. */
static void put_host(char *out, size_t size)
{
    dsn__host_name(out, size);
    for (char *c = out; *c; c++)
        if (*c == '/' || (unsigned char)*c <= ' ')
            *c = '_';
}

static int open_new(void)
{
    const char *directory = dsn__config->trace;
    char host[64] = "", more[16] = "";
    int fd = -1;

    put_host(host, sizeof host);
    dsn__format(here.directory, sizeof here.directory, "%s", directory);
    for (int i = here.files; i < MOST_NAMES && fd < 0; i++) {
        if (i > 0)
            dsn__format(more, sizeof more, ".%d", i);
        dsn__format(here.path, sizeof here.path, "%s/%lld-%s-%lld%s.calls", directory, (long long)dsn__origin->jobid,
                    host, (long long)dsn__run->pid, more);
        fd = dsn__open_file(AT_FDCWD, here.path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        dsn__say("calls are not logged: cannot create %s (error %d)", here.path, errno);
    return fd;
}

static size_t at_most(size_t size, int what, unsigned share)
{
    struct rlimit limit;

    if (dsn__sys_getrlimit(what, &limit) != 0)
        return 0;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / share >= size)
        return size;
    return (size_t)(limit.rlim_cur / share);
}

/* Respects RLIMIT_FSIZE: exceeding it would raise SIGXFSZ. */
static size_t size_of_file(void)
{
    size_t size = (size_t)dsn__config->trace_max;

    size = at_most(at_most(size, RLIMIT_FSIZE, 1), RLIMIT_AS, SHARE);
    return size < SMALLEST ? 0 : DSN_CALLS_HEAD + (size - DSN_CALLS_HEAD) / DSN_CALLS_CHUNK * DSN_CALLS_CHUNK;
}

static void fill(struct dsn_calls_head *h, const struct dsn_calls_moment *first)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    *h = (struct dsn_calls_head){ .version = htole32(DSN_CALLS_VERSION),
                                  .head_size = htole32(DSN_CALLS_HEAD),
                                  .chunk_size = htole32(DSN_CALLS_CHUNK),
                                  .process = htole64((uint64_t)dsn__run->pid),
                                  .jobid = htole64((uint64_t)dsn__origin->jobid),
                                  .left_out = htole64(atomic_load(&here.left_out)),
                                  .first = { htole64(first->ticks), htole64(first->ns) } };
    set(&h->epoch, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - ((uint64_t)dsn__now() - first->ns));
    put_host(h->host, sizeof h->host);
    dsn__format(h->program, sizeof h->program, "%s", dsn__origin->program);
}

/* Populates pages of the mapped file. Kernels before 5.14 lack MADV_POPULATE_WRITE: there fallocate reserves the space,
 * and pages fault in one by one. */
static bool populate(unsigned char *at, size_t size, int fd, off_t place)
{
    if (dsn__sys_madvise(at, size, MADV_POPULATE_WRITE) == 0)
        return true;
    return dsn__is_refused(errno) && fd >= 0 && dsn__sys_fallocate(fd, place, (off_t)size) == 0;
}

/* Without read-ahead into the hole, which takes ext4 milliseconds. */
static struct dsn_calls_head *map(int fd, size_t size)
{
    void *p;
    struct stat st;

    if (size == 0 || dsn__sys_fstat(fd, &st) != 0 || dsn__sys_ftruncate(fd, (off_t)size) != 0)
        return NULL;
    here.device = st.st_dev;
    here.inode = st.st_ino;
    p = dsn__sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return NULL;
    dsn__sys_madvise(p, size, MADV_RANDOM);
    if (populate(p, DSN_CALLS_HEAD, fd, 0))
        return p;
    dsn__sys_munmap(p, size);
    return NULL;
}

/* The magic number is written last: until then the file is invalid. */
static bool create_file(void)
{
    const struct dsn_moment *origin = &dsn__clock->origin;
    const struct dsn_calls_moment first = { (uint64_t)origin->ticks, (uint64_t)origin->ns };
    const size_t size = size_of_file();
    struct dsn_calls_head *h;
    int fd;

    if (here.files >= MOST_FILES || !is_usable(dsn__config->trace) || (fd = open_new()) < 0)
        return false;
    h = map(fd, size);
    dsn__sys_close(fd);
    if (!h) {
        dsn__sys_unlink(here.path);
        return false;
    }
    fill(h, &first);
    here.next = 0;
    here.most = (size - DSN_CALLS_HEAD) / DSN_CALLS_CHUNK;
    here.files++;
    atomic_store_explicit(&here.head, h, memory_order_release);
    dsn__calls_moment();
    set(&h->magic, DSN_CALLS_MAGIC);
    return true;
}

/* A failed attempt is repeated later: the cause may be temporary, such as the limit on descriptors. */
static bool is_there(void)
{
    if (atomic_load_explicit(&here.head, memory_order_relaxed))
        return true;
    if (here.tries >= MOST_TRIES || (here.tries > 0 && dsn__now() < here.try_at))
        return false;
    here.tries++;
    if (create_file()) {
        here.tries = 0;
        return true;
    }
    here.try_at = dsn__now() + (AGAIN << here.tries);
    return false;
}

/* ------------------------------------------------------------------ chunks */

static unsigned char *take_chunk(void)
{
    struct statfs st;
    struct dsn_calls_head *h;

    if (!is_there() || here.next >= here.most)
        return NULL;
    if (dsn__sys_statfs(here.directory, &st) == 0 && is_nearly_full(&st))
        return NULL;
    h = atomic_load_explicit(&here.head, memory_order_relaxed);
    set(&h->taken, here.next + 1);
    return (unsigned char *)h + DSN_CALLS_HEAD + here.next++ * DSN_CALLS_CHUNK;
}

unsigned char *dsn__calls_chunk(void)
{
    unsigned char *chunk;

    if (!dsn__spin(&here.lock))
        return NULL;
    chunk = take_chunk();
    dsn__unspin(&here.lock);
    return chunk;
}

static int open_again(void)
{
    const int fd = dsn__open_file(AT_FDCWD, here.path, O_RDWR, 0);
    struct stat st;

    if (fd >= 0 && (dsn__sys_fstat(fd, &st) != 0 || st.st_dev != here.device || st.st_ino != here.inode)) {
        dsn__sys_close(fd);
        return -1;
    }
    return fd;
}

bool dsn__calls_populate(unsigned char *at, size_t size)
{
    const unsigned char *base = (unsigned char *)atomic_load_explicit(&here.head, memory_order_relaxed);
    int fd, done;

    if (dsn__sys_madvise(at, size, MADV_POPULATE_WRITE) == 0)
        return true;
    if (!dsn__is_refused(errno) || !base || (fd = open_again()) < 0)
        return false;
    done = dsn__sys_fallocate(fd, at - base, (off_t)size) == 0;
    dsn__sys_close(fd);
    return done;
}

void dsn__calls_let_go(unsigned char *chunk)
{
    dsn__sys_madvise(chunk, DSN_CALLS_CHUNK, MADV_DONTNEED);
}

/* ------------------------------------------------------------------ the head */

/* Reads both clocks as a pair; keeps the least disturbed of several tries. */
static void read_both(struct dsn_moment *m)
{
    int64_t best = INT64_MAX;

    for (int i = 0; i < 4 && best > CLOSE; i++) {
        const int64_t before = dsn__ticks(), ns = dsn__now(), after = dsn__ticks();

        if (after - before < best) {
            best = after - before;
            *m = (struct dsn_moment){ before + best / 2, ns };
        }
    }
}

/* One thread at a time, because the two numbers belong together. */
void dsn__calls_moment(void)
{
    struct dsn_calls_head *h = atomic_load_explicit(&here.head, memory_order_acquire);
    struct dsn_moment now = { 0, 0 };

    if (!h || atomic_flag_test_and_set_explicit(&here.telling, memory_order_acquire))
        return;
    read_both(&now);
    set(&h->last.ticks, (uint64_t)now.ticks);
    set(&h->last.ns, (uint64_t)now.ns);
    set((uint64_t *)&h->rank, dsn__member->is_mpi ? (uint64_t)dsn__run->rank : UINT64_MAX);
    set(&h->nprocs, (uint64_t)dsn__run->nprocs);
    set(&h->key, dsn__origin->key);
    atomic_flag_clear_explicit(&here.telling, memory_order_release);
}

void dsn__calls_leave_out(void)
{
    const uint64_t n = atomic_fetch_add_explicit(&here.left_out, 1, memory_order_relaxed) + 1;
    struct dsn_calls_head *h = atomic_load_explicit(&here.head, memory_order_acquire);

    if (h)
        set(&h->left_out, n);
}

/* ------------------------------------------------------------------ the end */

static void shorten(struct dsn_calls_head *h)
{
    const int fd = open_again();

    if (fd < 0)
        return;
    dsn__sys_ftruncate(fd, (off_t)(DSN_CALLS_HEAD + here.next * DSN_CALLS_CHUNK));
    dsn__sys_close(fd);
    set(&h->ended, 1);
}

void dsn__calls_file_end(void)
{
    struct dsn_calls_head *h;

    if (!atomic_load_explicit(&here.head, memory_order_acquire) || !dsn__spin(&here.lock))
        return;
    h = atomic_load(&here.head);
    if (h) {
        dsn__calls_moment();
        shorten(h);
        atomic_store(&here.head, NULL);
        atomic_store(&here.left_out, 0);
    }
    dsn__unspin(&here.lock);
}

void dsn__calls_file_forget(int noting)
{
    struct dsn_calls_head *h = atomic_load(&here.head);

    if (h && !noting)
        dsn__sys_munmap(h, DSN_CALLS_HEAD + here.most * DSN_CALLS_CHUNK);
    memset(&here, 0, sizeof here);
}

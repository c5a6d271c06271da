/* files.c - unnamed files: creates and fills them, drops them from the page cache, and queries their share in it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define FILL_BYTES   ((size_t)1 << 20)
#define USUAL_ALIGN  4096
#define MAP_BYTES    ((uint64_t)1 << 30) /* of a file, queried at a time */
#define NAME_TRIES   100
#define DROP_TRIES   5
#define DROP_WAIT_US 2000

static const struct {
    long magic;
    const char *name;
    int in_memory;
} types[] = {
    { EXT4_SUPER_MAGIC, "ext4", 0 }, { 0x58465342, "xfs", 0 },    { BTRFS_SUPER_MAGIC, "btrfs", 0 },
    { TMPFS_MAGIC, "tmpfs", 1 },     { RAMFS_MAGIC, "ramfs", 1 }, { NFS_SUPER_MAGIC, "nfs", 0 },
    { 0x0BD00BD0, "lustre", 0 },     { 0x47504653, "gpfs", 0 },   { OVERLAYFS_SUPER_MAGIC, "overlay", 0 },
    { F2FS_SUPER_MAGIC, "f2fs", 0 }, { 0x65735546, "fuse", 0 },   { 0x19830326, "beegfs", 0 },
    { 0x2fc12fc1, "zfs", 0 },        { 0xc36400, "ceph", 0 },     { 0x01021997, "9p", 0 },
};

int dsn_type_is_memory(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].in_memory;
    return 0;
}

static int fail(struct dsn_sweep_place *p, const char *what)
{
    snprintf(p->error, sizeof p->error, "%s: %s", what, strerror(errno));
    return -1;
}

static void size_text(char *to, size_t n, uint64_t bytes)
{
    snprintf(to, n, "%.1f GiB", (double)bytes / (1 << 30));
}

/* Whether the reserve remains free after this many bytes, of the space available to this user. */
static int has_room(struct dsn_sweep_place *p, uint64_t bytes)
{
    struct statfs fs;
    char need[32], free_text[32], reserve[32];
    uint64_t available;

    if (fstatfs(p->directory, &fs) != 0)
        return fail(p, "cannot be queried for its free space") >= 0;
    available = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
    if (available >= p->reserve && available - p->reserve >= bytes)
        return 1;
    size_text(need, sizeof need, bytes);
    size_text(free_text, sizeof free_text, available);
    size_text(reserve, sizeof reserve, p->reserve);
    snprintf(p->error, sizeof p->error,
             "has %s free, which is not enough for %s more and %s that stay free; give a smaller --limit or --reserve",
             free_text, need, reserve);
    return 0;
}

/* ------------------------------------------------------------------ files */

/* Without support for O_TMPFILE. */
static int make_and_remove(struct dsn_sweep_place *p)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        char name[64];
        int fd;

        snprintf(name, sizeof name, ".darshan-sweep.%ld.%d", (long)getpid(), i);
        fd = openat(p->directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 && unlinkat(p->directory, name, 0) != 0) {
            close(fd);
            return fail(p, "a file in it cannot be removed");
        }
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    return fail(p, "cannot create a file in it");
}

int dsn_file_make(struct dsn_sweep_place *p, uint64_t bytes)
{
    int fd;

    if (bytes > p->limit || p->used > p->limit - bytes) {
        snprintf(p->error, sizeof p->error, "files of more than --limit would be needed");
        return -1;
    }
    if (!has_room(p, bytes))
        return -1;
    fd = openat(p->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd < 0)
        fd = make_and_remove(p);
    if (fd >= 0)
        p->used += bytes;
    return fd;
}

void dsn_file_close(struct dsn_sweep_place *p, int fd, uint64_t bytes)
{
    if (fd < 0)
        return;
    close(fd);
    p->used -= bytes;
}

int dsn_file_handle(int fd, int flags)
{
    char path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

void dsn_fill_random(void *to, size_t n, uint64_t seed)
{
    unsigned char *bytes = to;
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;

    for (size_t i = 0; i < n; i += sizeof x) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(bytes + i, &x, n - i < sizeof x ? n - i : sizeof x);
    }
}

int dsn_file_fill(struct dsn_sweep_place *p, int fd, uint64_t bytes)
{
    char *buffer = malloc(FILL_BYTES);
    int ok = buffer != NULL;

    for (uint64_t at = 0; ok && at < bytes;) {
        const size_t n = bytes - at < FILL_BYTES ? (size_t)(bytes - at) : FILL_BYTES;
        ssize_t got;

        dsn_fill_random(buffer, 4096, at + 1); /* one changed block per piece makes pieces differ */
        if (at == 0)
            dsn_fill_random(buffer, FILL_BYTES, 1);
        got = pwrite(fd, buffer, n, (off_t)at);
        ok = got > 0 || (got < 0 && errno == EINTR);
        at += got > 0 ? (uint64_t)got : 0;
    }
    ok = ok && fsync(fd) == 0;
    if (!ok)
        fail(p, "a file in it cannot be written");
    free(buffer);
    return ok;
}

/* ------------------------------------------------------------------ page cache */

double dsn_file_resident(int fd, uint64_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t pages = 0, there = 0;

    for (uint64_t at = 0; at < bytes; at += MAP_BYTES) {
        const size_t n = bytes - at < MAP_BYTES ? (size_t)(bytes - at) : (size_t)MAP_BYTES;
        const size_t count = (n + page - 1) / page;
        unsigned char *in = malloc(count);
        void *map = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, (off_t)at);
        const int ok = in && map != MAP_FAILED && mincore(map, n, in) == 0;

        for (size_t i = 0; ok && i < count; i++)
            there += in[i] & 1;
        pages += count;
        if (map != MAP_FAILED)
            munmap(map, n);
        free(in);
        if (!ok)
            return -1;
    }
    return pages > 0 ? (double)there / (double)pages : 0;
}

/* The kernel does not drop pages that are still in a processor's list of new pages, so this is repeated. */
void dsn_file_drop(int fd)
{
    struct stat st;

    fsync(fd);
    for (int i = 0; i < DROP_TRIES; i++) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (fstat(fd, &st) != 0 || dsn_file_resident(fd, (uint64_t)st.st_size) <= 0)
            return;
        usleep(DROP_WAIT_US);
    }
}

/* ------------------------------------------------------------------ directory */

/* Alignment for direct I/O: from statx(2), otherwise by trying. 0: not supported. */
static unsigned alignment(int fd)
{
    void *buffer = NULL;
    const int direct = dsn_file_handle(fd, O_RDWR | O_DIRECT);
    unsigned found = 0;

    if (direct < 0 || posix_memalign(&buffer, USUAL_ALIGN, USUAL_ALIGN) != 0) {
        if (direct >= 0)
            close(direct);
        return 0;
    }
    memset(buffer, 0, USUAL_ALIGN);
    for (unsigned align = 512; align <= USUAL_ALIGN && !found; align *= 2)
        if (pwrite(direct, buffer, align, 0) == (ssize_t)align)
            found = align;
    free(buffer);
    close(direct);
    return found;
}

static void know_type(struct dsn_sweep_place *p)
{
    struct statfs fs;

    if (fstatfs(p->directory, &fs) != 0)
        return;
    snprintf(p->type, sizeof p->type, "0x%lx", (unsigned long)fs.f_type);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].magic == (long)fs.f_type) {
            snprintf(p->type, sizeof p->type, "%s", types[i].name);
            p->in_memory = types[i].in_memory;
        }
}

int dsn_place_open(struct dsn_sweep_place *p, const char *path, uint64_t limit, uint64_t reserve)
{
    int fd;

    *p = (struct dsn_sweep_place){ .limit = limit, .reserve = reserve };
    p->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->directory < 0)
        return fail(p, "cannot be opened") >= 0;
    know_type(p);
    fd = has_room(p, limit) ? dsn_file_make(p, USUAL_ALIGN) : -1;
    if (fd < 0) {
        close(p->directory);
        return 0;
    }
    p->align = alignment(fd);
    dsn_file_close(p, fd, USUAL_ALIGN);
    return 1;
}

void dsn_place_close(struct dsn_sweep_place *p)
{
    close(p->directory);
}

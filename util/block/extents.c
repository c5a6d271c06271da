/* extents.c - which files have which sectors of a device
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "extents.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXTENTS     128 /* at a time */
#define DESCRIPTORS 32

/* nftw() hands on no context. */
static struct search {
    const struct dsn_block_sector *sectors;
    size_t n;
    char **owner;
    const struct dsn_block *run;
    struct dsn_block_file *files;
    size_t nfiles, room;
    uint64_t disk, first; /* as events call it; sectors before the partition */
} search;

/* A number in sysfs. */
static int read_number(const char *path, const char *format, uint64_t *a, uint64_t *b)
{
    FILE *f = fopen(path, "re");
    const int n = f ? fscanf(f, format, a, b) : 0;

    if (f)
        fclose(f);
    return n;
}

/* Requests to a partition are told as those to its disk. */
static void find_disk(dev_t device)
{
    uint64_t major_number = major(device), minor_number = minor(device), unused;
    char path[96];

    search.first = 0;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/start", major(device), minor(device));
    if (read_number(path, "%" SCNu64 "%" SCNu64, &search.first, &unused) >= 1) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/../dev", major(device), minor(device));
        read_number(path, "%" SCNu64 ":%" SCNu64, &major_number, &minor_number);
    }
    search.disk = major_number << 20 | minor_number;
}

static int is_in(const struct fiemap_extent *e, const struct dsn_block_sector *s)
{
    const uint64_t at = (s->sector - search.first) * DSN_BLOCK_SECTOR;

    return s->device == search.disk && s->sector >= search.first && !(e->fe_flags & FIEMAP_EXTENT_UNKNOWN) &&
           at >= e->fe_physical && at - e->fe_physical < e->fe_length;
}

/* The requests that begin in an extent are the file's. */
static void add_requests(struct dsn_block_file *f, const struct fiemap_extent *e)
{
    const uint64_t from = search.first + e->fe_physical / DSN_BLOCK_SECTOR;
    size_t end, i;

    if (e->fe_flags & FIEMAP_EXTENT_UNKNOWN)
        return;
    i = dsn_block_range(search.run, search.disk, from, from + e->fe_length / DSN_BLOCK_SECTOR, &end);
    for (; i < end; i++) {
        struct dsn_block_sums *s = &f->sums[search.run->requests[i].where & 1];

        s->requests++;
        s->bytes += search.run->requests[i].bytes;
    }
}

/* A file that has requests is kept. Where there is no memory, it is not. */
static void keep_file(const char *path, const struct dsn_block_file *f)
{
    void *grown = search.files;

    if (f->sums[0].requests + f->sums[1].requests == 0 ||
        !dsn__grow(&grown, &search.room, sizeof *search.files, search.nfiles))
        return;
    search.files = grown;
    search.files[search.nfiles] = *f;
    search.files[search.nfiles].path = strdup(path);
    search.nfiles += search.files[search.nfiles].path != NULL;
}

static void note_extent(const char *path, const struct fiemap_extent *e)
{
    for (size_t i = 0; i < search.n; i++)
        if (!search.owner[i] && is_in(e, &search.sectors[i]))
            search.owner[i] = strdup(path);
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *where)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
    } u;
    struct dsn_block_file file = { 0 };
    int fd, more = 1;

    (void)where;
    if (type != FTW_F || !S_ISREG(st->st_mode) || (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0)
        return 0;
    for (uint64_t at = 0; more;) {
        memset(&u.map, 0, sizeof u.map);
        u.map.fm_start = at;
        u.map.fm_length = FIEMAP_MAX_OFFSET - at;
        u.map.fm_extent_count = EXTENTS;
        if (ioctl(fd, FS_IOC_FIEMAP, &u.map) != 0 || u.map.fm_mapped_extents == 0 || u.map.fm_mapped_extents > EXTENTS)
            break;
        for (unsigned i = 0; i < u.map.fm_mapped_extents; i++) {
            const struct fiemap_extent *e = &u.map.fm_extents[i];

            note_extent(path, e);
            add_requests(&file, e);
            more = !(e->fe_flags & FIEMAP_EXTENT_LAST) && e->fe_length > 0 && e->fe_logical + e->fe_length > at;
            at = e->fe_logical + e->fe_length;
        }
    }
    close(fd);
    keep_file(path, &file);
    return 0;
}

static double bytes_of(const struct dsn_block_file *f)
{
    return (double)f->sums[0].bytes + (double)f->sums[1].bytes;
}

static int most_bytes(const void *a, const void *b)
{
    const struct dsn_block_file *x = a, *y = b;

    return bytes_of(x) != bytes_of(y) ? (bytes_of(x) < bytes_of(y) ? 1 : -1) : strcmp(x->path, y->path);
}

void dsn_block_free_files(struct dsn_block_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(files[i].path);
    free(files);
}

int dsn_block_owners(const char *directory, const struct dsn_block *b, const struct dsn_block_sector *sectors, size_t n,
                     char **owner, struct dsn_block_file **files, size_t *nfiles)
{
    struct stat st;
    int error = 0;

    memset(owner, 0, n * sizeof *owner);
    if (stat(directory, &st) != 0)
        return errno;
    search = (struct search){ .sectors = sectors, .n = n, .owner = owner, .run = b };
    find_disk(st.st_dev);
    errno = 0;
    if (nftw(directory, look_at, DESCRIPTORS, FTW_PHYS | FTW_MOUNT) != 0)
        error = errno ? errno : EIO;
    if (search.nfiles > 0)
        qsort(search.files, search.nfiles, sizeof *search.files, most_bytes);
    *files = search.files;
    *nfiles = search.nfiles;
    return error;
}

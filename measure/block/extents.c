/* extents.c - finds the files that own sectors of a device
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "extents.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disks.h"
#include "util/lib/grow.h"

#define DESCRIPTORS 32

/* nftw() has no context argument */
static struct search {
    const struct dsn_block_sector *sectors;
    size_t n;
    char **owner;
    const struct dsn_block *run;
    struct dsn_block_file *files;
    size_t nfiles, room;
    struct dsn_disk_part part; /* of the file system */
    size_t device;             /* of the recording; behind the last one if it has no requests to this disk */
} search;

/* The file being examined. */
struct look {
    const char *path;
    struct dsn_block_file file;
};

static int is_in(const struct fiemap_extent *e, const struct dsn_block_sector *s)
{
    const uint64_t at = (s->sector - search.part.first) * DSN_BLOCK_SECTOR;

    return s->device == search.device && s->sector >= search.part.first && at >= e->fe_physical &&
           at - e->fe_physical < e->fe_length;
}

/* Number of a request's bytes in sectors [from, to). */
static uint64_t overlap(const struct dsn_block_request *r, uint64_t from, uint64_t to)
{
    const uint64_t end = r->sector + (r->bytes + DSN_BLOCK_SECTOR - 1) / DSN_BLOCK_SECTOR;
    const uint64_t first = r->sector > from ? r->sector : from, last = end < to ? end : to;
    const uint64_t bytes = first < last ? (last - first) * DSN_BLOCK_SECTOR : 0;

    return bytes < r->bytes ? bytes : r->bytes;
}

/* The parts of requests within an extent belong to the file: small files may be written together. */
static void take_extent(void *context, const struct fiemap_extent *e)
{
    const uint64_t from = search.part.first + e->fe_physical / DSN_BLOCK_SECTOR;
    const uint64_t to = from + e->fe_length / DSN_BLOCK_SECTOR, most = search.run->longest;
    struct look *l = context;
    size_t end, i;

    for (i = 0; i < search.n; i++)
        if (!search.owner[i] && is_in(e, &search.sectors[i]))
            search.owner[i] = strdup(l->path);
    i = dsn_block_range(search.run, search.device, from > most ? from - most : 0, to, &end);
    for (; i < end; i++) {
        const struct dsn_block_request *r = &search.run->requests[i];
        const uint64_t bytes = overlap(r, from, to);
        struct dsn_block_sums *s = &l->file.sums[r->where & 1];

        s->requests += bytes > 0;
        s->bytes += bytes;
    }
}

/* Keeps a file with requests, unless out of memory. */
static void keep_file(const struct look *l)
{
    if (l->file.sums[0].requests + l->file.sums[1].requests == 0 ||
        !dsn_grow_zeroed(&search.files, &search.room, sizeof *search.files, search.nfiles))
        return;
    search.files[search.nfiles] = l->file;
    search.files[search.nfiles].path = strdup(l->path);
    search.nfiles += search.files[search.nfiles].path != NULL;
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *where)
{
    struct look l = { .path = path };
    int fd;

    (void)where;
    if (type != FTW_F || !S_ISREG(st->st_mode) || (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0)
        return 0;
    dsn_each_extent(fd, take_extent, &l);
    close(fd);
    keep_file(&l);
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
    *files = NULL;
    *nfiles = 0;
    if (!dsn_disk_part(st.st_dev, &search.part))
        return ENOTBLK;
    while (search.device < b->ndevices && b->devices[search.device].device != search.part.disk)
        search.device++;
    errno = 0;
    if (nftw(directory, look_at, DESCRIPTORS, FTW_PHYS | FTW_MOUNT) != 0)
        error = errno ? errno : EIO;
    if (search.nfiles > 0)
        qsort(search.files, search.nfiles, sizeof *search.files, most_bytes);
    *files = search.files;
    *nfiles = search.nfiles;
    return error;
}

/* disks.c - queries this machine's disks
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "disks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXTENTS  128 /* per call */
#define SECTOR   512
#define MAX_PATH 4096

/* ------------------------------------------------------------------ sysfs */

/* Reads one or two numbers from a file. Returns how many. */
static int read_numbers(const char *directory, const char *name, uint64_t *a, uint64_t *b)
{
    char path[512];
    FILE *f;
    int n;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "re");
    n = f ? fscanf(f, "%" SCNu64 ":%" SCNu64, a, b) : 0;
    if (f)
        fclose(f);
    return n;
}

/* Stacked devices, which pass requests on, have no request queue. */
static int makes_requests(const char *disk)
{
    char path[512];

    snprintf(path, sizeof path, "%s/mq", disk);
    return access(path, F_OK) == 0;
}

/* Reads a disk's directory in sysfs. */
static int read_disk(const char *directory, struct dsn_disk_part *out)
{
    uint64_t major_number, minor_number, unused;

    if (!makes_requests(directory) || read_numbers(directory, "dev", &major_number, &minor_number) != 2 ||
        read_numbers(directory, "size", &out->sectors, &unused) < 1)
        return 0;
    out->disk = major_number << 20 | minor_number;
    out->first = 0;
    return 1;
}

int dsn_disk_part(dev_t device, struct dsn_disk_part *out)
{
    char directory[96], disk[112];
    uint64_t first, sectors, unused;

    snprintf(directory, sizeof directory, "/sys/dev/block/%u:%u", major(device), minor(device));
    if (read_numbers(directory, "partition", &unused, &unused) < 1)
        return read_disk(directory, out);
    snprintf(disk, sizeof disk, "%s/..", directory);
    if (read_numbers(directory, "start", &first, &unused) < 1 ||
        read_numbers(directory, "size", &sectors, &unused) < 1 || !read_disk(disk, out))
        return 0;
    out->first = first;
    out->sectors = sectors;
    return 1;
}

void dsn_each_disk(void (*take)(void *context, const struct dsn_disk_part *disk, const char *name), void *context)
{
    DIR *d = opendir("/sys/block");
    struct dirent *e;

    while (d && (e = readdir(d)) != NULL) {
        struct dsn_disk_part disk;
        char directory[sizeof e->d_name + 16];

        snprintf(directory, sizeof directory, "/sys/block/%s", e->d_name);
        if (e->d_name[0] != '.' && read_disk(directory, &disk) && disk.sectors > 0)
            take(context, &disk, e->d_name);
    }
    if (d)
        closedir(d);
}

/* ------------------------------------------------------------------ extents */

void dsn_each_extent(int fd, void (*take)(void *context, const struct fiemap_extent *e), void *context)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
    } u;
    int more = 1;

    for (uint64_t at = 0; more;) {
        memset(&u.map, 0, sizeof u.map);
        u.map.fm_start = at;
        u.map.fm_length = FIEMAP_MAX_OFFSET - at;
        u.map.fm_extent_count = EXTENTS;
        if (ioctl(fd, FS_IOC_FIEMAP, &u.map) != 0 || u.map.fm_mapped_extents == 0 || u.map.fm_mapped_extents > EXTENTS)
            break;
        for (unsigned i = 0; i < u.map.fm_mapped_extents; i++) {
            const struct fiemap_extent *e = &u.map.fm_extents[i];

            if (!(e->fe_flags & FIEMAP_EXTENT_UNKNOWN))
                take(context, e);
            more = !(e->fe_flags & FIEMAP_EXTENT_LAST) && e->fe_length > 0 && e->fe_logical + e->fe_length > at;
            at = e->fe_logical + e->fe_length;
        }
    }
}

/* ------------------------------------------------------------------ swap */

struct swap {
    struct dsn_disk_part of; /* the file's file system */
    void (*take)(void *context, const struct dsn_disk_part *area);
    void *context;
};

static void take_extent(void *context, const struct fiemap_extent *e)
{
    const struct swap *s = context;
    const struct dsn_disk_part area = { s->of.disk, s->of.first + e->fe_physical / SECTOR, e->fe_length / SECTOR };

    s->take(s->context, &area);
}

static void take_swap(struct swap *s, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && dsn_disk_part(st.st_rdev, &s->of))
        s->take(s->context, &s->of);
    else if (S_ISREG(st.st_mode) && dsn_disk_part(st.st_dev, &s->of))
        dsn_each_extent(fd, take_extent, s);
    close(fd);
}

/* Blanks in a path are escaped as \040. */
static void unescape(char *text)
{
    char *to = text;
    unsigned code;

    for (const char *at = text; *at; to++)
        if (*at == '\\' && strspn(at + 1, "01234567") >= 3 && sscanf(at + 1, "%3o", &code) == 1) {
            *to = (char)code;
            at += 4;
        } else {
            *to = *at++;
        }
    *to = '\0';
}

void dsn_each_swap(void (*take)(void *context, const struct dsn_disk_part *area), void *context)
{
    struct swap s = { .take = take, .context = context };
    FILE *f = fopen("/proc/swaps", "re");
    char line[MAX_PATH + 256];

    while (f && fgets(line, sizeof line, f) != NULL)
        if (line[0] == '/') {
            line[strcspn(line, " \t\n")] = '\0';
            unescape(line);
            take_swap(&s, line);
        }
    if (f)
        fclose(f);
}

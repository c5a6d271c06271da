/* disks.h - queries this machine's disks: location of partitions and files, sizes, swap areas
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disks are numbered like in events: major << 20 | minor. Private to measure/block and its command. */
#ifndef DSN_BLOCK_DISKS_H
#define DSN_BLOCK_DISKS_H

#include <linux/fiemap.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dsn_disk_part {
    uint64_t disk, first, sectors; /* number of the first one (512 bytes) from the start of the disk */
};

/* The location of a block device: a partition on its disk, or a whole disk. Returns 0 for a device that issues no
 * requests, such as one in memory or composed of others. */
int dsn_disk_part(dev_t device, struct dsn_disk_part *out);

/* Calls `take` for every disk that issues requests. */
void dsn_each_disk(void (*take)(void *context, const struct dsn_disk_part *disk, const char *name), void *context);

/* Calls `take` for this machine's swap areas: partitions, and extents of files. */
void dsn_each_swap(void (*take)(void *context, const struct dsn_disk_part *area), void *context);

/* Calls `take` for the extents of an open file (FIEMAP), with their location in its file system. */
void dsn_each_extent(int fd, void (*take)(void *context, const struct fiemap_extent *e), void *context);

#endif

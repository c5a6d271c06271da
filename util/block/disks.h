/* disks.h - what this machine says of its disks: where partitions and files lie, how large disks are, what is used for paging
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Disks are called as events call them: major << 20 | minor. Private to util/block and its command. */
#ifndef DSN_BLOCK_DISKS_H
#define DSN_BLOCK_DISKS_H

#include <linux/fiemap.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dsn_disk_part {
    uint64_t disk, first, sectors; /* the first of them, of 512 bytes, counted from the beginning of the disk */
};

/* Where a block device lies: a partition on its disk, a disk all over itself. Returns 0 for one that makes no requests of its own, as
 * one that is made of others or of memory. */
int dsn_disk_part(dev_t device, struct dsn_disk_part *out);

/* Hands over every disk that makes requests, with its name. */
void dsn_each_disk(void (*take)(void *context, const struct dsn_disk_part *disk, const char *name), void *context);

/* Hands over what this machine pages to: swap partitions, and the extents of swap files. */
void dsn_each_swap(void (*take)(void *context, const struct dsn_disk_part *area), void *context);

/* Hands over the extents of an open file (FIEMAP), with their places in its file system. */
void dsn_each_extent(int fd, void (*take)(void *context, const struct fiemap_extent *e), void *context);

#endif

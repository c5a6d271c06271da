/* notes.h - metadata in a recording of darshan-block
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stored as messages among blktrace's records, which blktrace's tools print or skip: after the initial timestamp sizes
 * of disks and swap areas, at the end the number of lost events. Private to measure/block and its command. */
#ifndef DSN_BLOCK_NOTES_H
#define DSN_BLOCK_NOTES_H

#include <stdio.h>

#include "disks.h"

#define DSN_DISK_NAME 32

struct dsn_block_disk {
    struct dsn_disk_part part;
    char name[DSN_DISK_NAME]; /* "" for a swap area */
};

struct dsn_block_notes {
    int is_there;   /* otherwise the recording is not from darshan-block */
    uint64_t lost;  /* events */
    double seconds; /* duration */
    struct dsn_block_disk *disks, *swaps;
    size_t ndisks, nswaps;
    size_t disk_room, swap_room; /* during construction */
};

/* Reads a recording's metadata; ignores damage. Free it in any case. */
void dsn_block_notes_read(const char *path, struct dsn_block_notes *out);
void dsn_block_notes_free(struct dsn_block_notes *n);

/* Takes it from this machine, for one disk or (0) all. */
void dsn_block_notes_take(struct dsn_block_notes *out, uint64_t disk);

/* Write the start and the end of a recording; time: in ns. Return 0 with errno. */
int dsn_block_notes_begin(const struct dsn_block_notes *n, FILE *out, uint64_t time, const uint32_t stamp[2]);
int dsn_block_notes_end(const struct dsn_block_notes *n, FILE *out, uint64_t time);

/* Whether a sector is in a swap area. */
int dsn_block_is_swap(const struct dsn_block_notes *n, uint64_t disk, uint64_t sector);

/* NULL: the recording does not have this disk. */
const struct dsn_block_disk *dsn_block_find_disk(const struct dsn_block_notes *n, uint64_t disk);

#endif

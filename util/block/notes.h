/* notes.h - what a recording of darshan-block says beside its requests
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They are messages among blktrace's records, which its own commands print or pass over: behind the time stamp at the beginning how
 * large disks are and what is used for paging, at the end how many events were lost. Private to util/block and its command. */
#ifndef DSN_BLOCK_NOTES_H
#define DSN_BLOCK_NOTES_H

#include <stdio.h>

#include "disks.h"

#define DSN_DISK_NAME 32

struct dsn_block_disk {
    struct dsn_disk_part part;
    char name[DSN_DISK_NAME]; /* "" for an area of swap */
};

struct dsn_block_notes {
    int is_there;   /* else the recording is none of darshan-block's */
    uint64_t lost;  /* events */
    double seconds; /* that it lasted */
    struct dsn_block_disk *disks, *swaps;
    size_t ndisks, nswaps;
    size_t disk_room, swap_room; /* while they are made */
};

/* Takes what a recording says. What is damaged is passed over. To be freed in any case. */
void dsn_block_notes_read(const char *path, struct dsn_block_notes *out);
void dsn_block_notes_free(struct dsn_block_notes *n);

/* Takes what this machine says, of one disk or (0) of all. */
void dsn_block_notes_take(struct dsn_block_notes *out, uint64_t disk);

/* Write both ends of a recording; time: in ns. Return 0 with errno. */
int dsn_block_notes_begin(const struct dsn_block_notes *n, FILE *out, uint64_t time, const uint32_t stamp[2]);
int dsn_block_notes_end(const struct dsn_block_notes *n, FILE *out, uint64_t time);

/* Whether a sector is used for paging. */
int dsn_block_is_swap(const struct dsn_block_notes *n, uint64_t disk, uint64_t sector);

/* NULL: the recording does not know this disk. */
const struct dsn_block_disk *dsn_block_find_disk(const struct dsn_block_notes *n, uint64_t disk);

#endif

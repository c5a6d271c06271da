/* extents.h - which files have which sectors of a device
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_EXTENTS_H
#define DSN_BLOCK_EXTENTS_H

#include "count.h"

/* A file, and what of requests is in its extents; `asked`: bytes that programs read and wrote, by the job's log. */
struct dsn_block_file {
    char *path;
    struct dsn_block_sums sums[2];
    double asked[2];
    int is_asked; /* the log has it */
};

/* Looks for the files below a directory, on its file system, that have these sectors now (FIEMAP), and sets owner[i] to a path that is
 * to be freed, NULL where there is none; and for those with any request, most bytes first. Sectors count from the beginning of the
 * disk; those of other disks than the file system's are passed over. Returns 0, or errno: ENOTBLK if its file system is on no disk that
 * makes requests, or why it cannot be walked through. */
int dsn_block_owners(const char *directory, const struct dsn_block *b, const struct dsn_block_sector *sectors, size_t n,
                     char **owner, struct dsn_block_file **files, size_t *nfiles);
void dsn_block_free_files(struct dsn_block_file *files, size_t n);

#endif

/* extents.h - finds the files that own sectors of a device
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to measure/block and its command. */
#ifndef DSN_BLOCK_EXTENTS_H
#define DSN_BLOCK_EXTENTS_H

#include "count.h"

/* A file, and the parts of requests within its extents; `asked`: bytes read and written by programs, from the job's
 * log. */
struct dsn_block_file {
    char *path;
    struct dsn_block_sums sums[2];
    double asked[2];
    int is_asked; /* it is in the log */
};

/* Finds the files below a directory, on its file system, that currently own these sectors (FIEMAP), and sets owner[i]
 * to a path, to be freed by the caller, or NULL; also lists files with any request, descending by bytes. Sectors count
 * from the start of the disk; those of other disks than the file system's are ignored. Returns 0, or errno: ENOTBLK if
 * its file system is not on a disk that issues requests, or the error of the traversal. */
int dsn_block_owners(const char *directory, const struct dsn_block *b, const struct dsn_block_sector *sectors, size_t n,
                     char **owner, struct dsn_block_file **files, size_t *nfiles);
void dsn_block_free_files(struct dsn_block_file *files, size_t n);

#endif

/* extents.h - which files have which sectors of a device
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_EXTENTS_H
#define DSN_BLOCK_EXTENTS_H

#include "count.h"

/* Looks for the files below a directory, on its file system, that have these sectors now (FIEMAP), and sets owner[i] to a path that is
 * to be freed, NULL where there is none. Sectors count from the beginning of the disk; those of other disks than the file system's are
 * passed over. Returns 0, or errno if the directory cannot be walked. */
int dsn_block_owners(const char *directory, const struct dsn_block_sector *sectors, size_t n, char **owner);

#endif

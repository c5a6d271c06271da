/* remains.h - what is left of another process's image
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the file system was full, pages of an image's mapping became memory of its process alone (survive/image.h), and what lay
 * there is lost when the process is killed. The others are read into memory at the place where they were. */
#ifndef DSN_CORE_REMAINS_H
#define DSN_CORE_REMAINS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dsn_remains {
    uint64_t base, size; /* of the mapping */
    uint64_t *lost;      /* bit: page of it; those that were never stored to may or may not be */
    int any_lost;        /* but for the table of names, which is in no image */
};

/* How much of a record is left. */
enum dsn_left_of { DSN_LOST, DSN_IN_PART, DSN_WHOLE };

/* Whether these bytes (8-aligned) were in the mapping, and nothing of them is lost. */
int dsn__remains(const struct dsn_remains *r, const void *at, size_t size);

#endif

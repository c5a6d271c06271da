/* remains.h - another process's survival file, read into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What points from one thing in the file to another is the address that it had in that process: less the address where the
 * mapping began there it is a place in the file. The file may hold anything: nothing in it is followed that was not asked for
 * here. Where the file system was full, the rest of some memory became memory of its process alone (survive/image.h), and what
 * lay there is lost. */
#ifndef DSN_CORE_REMAINS_H
#define DSN_CORE_REMAINS_H

#include <stddef.h>
#include <stdint.h>

#define DSN_REMAINS_MAX 4 /* the arena, the table of threads, two traces */

struct dsn_remains {
    uint64_t base, size; /* of the mapping in that process */
    char *here;          /* and here */
    struct dsn_part_left {
        uint64_t begin, end;
    } part[DSN_REMAINS_MAX]; /* addresses there, of what there is */
    int any_lost;
};

/* How much of a record is left. */
enum dsn_left_of { DSN_LOST, DSN_IN_PART, DSN_WHOLE };

/* Where these bytes (8-aligned) of the other process are here; NULL: they are not in the file. */
void *dsn__remains(const struct dsn_remains *r, const void *theirs, size_t size);

#endif

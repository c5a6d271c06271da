/* salvaged.h - another process's survival file, read into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What points from one thing in the file to another is the address that it had in that process: less the address where
 * the mapping began there it is a place in the file. The file may hold anything: nothing in it is followed that was not
 * asked for here. Where the file system was full, the rest of some memory became memory of its process alone
 * (survive/survival.h), and what lay there is lost. */
#ifndef DSN_RECORD_SALVAGED_H
#define DSN_RECORD_SALVAGED_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"
#include "record/snapshot.h"

#define DSN_SALVAGED_MAX 4 /* the arena, the table of threads, two traces */

struct dsn_salvaged {
    uint64_t base, size; /* of the mapping in that process */
    char *here;          /* and here */
    struct dsn_part_left {
        uint64_t begin, end;
    } part[DSN_SALVAGED_MAX]; /* addresses there, of what there is */
    int any_lost;
    uint64_t *claimed;            /* what something has been found to lie in, which is nothing else then */
    struct dsn_recording of;      /* what was salvaged */
    struct dsn_snapshot *running; /* its owner runs and counts; NULL: it does not */
};

/* Where these bytes (8-aligned) of the other process are here; NULL: they are not in the file. */
void *dsn__salvaged(const struct dsn_salvaged *r, const void *theirs, size_t size);

/* The same, once: NULL, too, where a part of them has been taken already. What is changed here later, or leads to
 * something else, is to be taken. */
void *dsn__salvaged_claim(const struct dsn_salvaged *r, const void *theirs, size_t size);

/* What belongs to the record of the snapshot that is being taken may be claimed once more. */
void dsn__salvaged_again(const struct dsn_salvaged *r);

/* Nothing else lies in these bytes of what is here. */
void dsn__salvaged_reserve(const struct dsn_salvaged *r, const void *here, size_t size);

/* Bytes of `claimed`, zeros, for a mapping of so many. */
size_t dsn__salvaged_bits(size_t size);

#endif

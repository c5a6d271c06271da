/* salvaged.h - another process's survival file, read into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pointers in the file are addresses of that process; minus the address of its mapping they are offsets in the file.
 * The file may contain anything: no pointer is followed without a check here. If the file system was full, part of the
 * memory became anonymous memory of its process (survive/survival.h), and what was there is lost. */
#ifndef DSN_RECORD_SALVAGED_H
#define DSN_RECORD_SALVAGED_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"
#include "record/snapshot.h"

#define DSN_SALVAGED_MAX 4 /* the arena, the table of threads, two traces */

struct dsn_salvaged {
    uint64_t base, size; /* of the mapping, in that process */
    char *here;          /* the same, in this process */
    struct dsn_salvaged_range {
        uint64_t begin, end;
    } range[DSN_SALVAGED_MAX]; /* addresses in that process, of what is in the file */
    int any_lost;
    uint64_t *claimed;            /* bitmap of bytes that belong to an object already; nothing else may overlap it */
    struct dsn_recording of;      /* the salvaged records */
    struct dsn_snapshot *running; /* NULL unless the owner is still running */
};

/* Translates an address of the other process (`size` bytes, 8-aligned); NULL if these are not in the file. */
void *dsn__salvaged_address(const struct dsn_salvaged *r, const void *theirs, size_t size);

/* The same, but each byte once: NULL, too, if part of it has been claimed. Everything that is modified later, or leads
 * to other objects, must be claimed. */
void *dsn__salvaged_claim(const struct dsn_salvaged *r, const void *theirs, size_t size);

/* Allows what belongs to the record of the current snapshot to be claimed again. */
void dsn__salvaged_again(const struct dsn_salvaged *r);

/* Marks these bytes as claimed. */
void dsn__salvaged_mark_claimed(const struct dsn_salvaged *r, const void *here, size_t size);

/* Bytes of `claimed` (zeroed) for a mapping of `size` bytes. */
size_t dsn__salvaged_bits(size_t size);

#endif

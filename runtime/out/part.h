/* part.h - what one rank adds to the log: its region parts, compressed, and a row of facts about them
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PART_H
#define DSN_PART_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "mpi/reduce.h"

#define DSN_HOST_NAME_MAX 64
#define DSN_NPARTS        (1 + DSN_NSLOTS) /* names, then modules by ascending id */

/* The row: of fixed size, so that all ranks' rows are gathered in one go. */
struct dsn_part_row {
    int64_t participates;
    int64_t start_sec, start_nsec, end_sec, end_nsec;
    uint64_t active;             /* bit: slot in use */
    uint64_t partial;            /* bit: module id */
    uint64_t length[DSN_NPARTS]; /* compressed bytes of each part */
    int64_t took_init;           /* ns that starting the library took */
    int64_t took[DSN_NPARTS];    /* ns that compressing each part took */
    char host[DSN_HOST_NAME_MAX];
    struct {
        uint64_t id;
        int64_t rank;
        union dsn_val v[RANK_NVALUES];
    } totals; /* a record of dsn_rank_table; RANK_NODE is set on rank 0 */
};

struct dsn_part {
    struct dsn_part_row row;
    char *bytes; /* all parts, back to back; dsn__pages, NULL if there are none */
    size_t size;
};

/* This rank's totals and facts; before shared records are reduced. */
void dsn__part_facts(struct dsn_part *p, int participates);

/* Compresses this rank's parts. `shared` is the block of shared records (NULL: there was no reduction), of which rank 0
 * writes what is in it and the others only use the layout. 0 if there is no memory. */
int dsn__part_make(struct dsn_part *p, const struct dsn_agreement *a, const struct dsn_block *shared);

/* Compresses `size` bytes, of records of `stride` bytes (0: not known), into a zlib stream of *packed bytes (dsn__pages);
 * NULL if there is no memory. */
char *dsn__pack(const void *bytes, size_t size, size_t stride, size_t *packed);

#endif

/* counts.h - what the records of a process say, each file's in the highest layer that it is used through
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that is used through HDF5 or PnetCDF, MPI-IO and POSIX has records of all of them, and the same bytes in each:
 * those of the highest layer are shown, and the others are not. */
#ifndef DSN_TOP_COUNTS_H
#define DSN_TOP_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"

/* What is counted of a record. */
enum dsn_top_count {
    DSN_TOP_READ,     /* bytes */
    DSN_TOP_WRITTEN,  /* bytes */
    DSN_TOP_READS,    /* calls */
    DSN_TOP_WRITES,   /* calls */
    DSN_TOP_METADATA, /* calls that open, ask about, rename or delete */
    DSN_TOP_SECONDS,  /* in all of these */
    DSN_TOP_NCOUNTS
};

struct dsn_top_record {
    uint64_t id, file; /* the record's, and that of the file that it is about */
    const char *name;  /* of the file, in the memory of the look; NULL: it has none */
    const char *layer;
    int module, level, moves_bytes;
    int is_shown; /* no record of a higher layer is about the file */
    double count[DSN_TOP_NCOUNTS];
};

/* The records of a process that was looked at, by file, into *records (malloc; *room is how many there is room for).
 * Returns how many; -1: there is no memory. */
int64_t dsn__top_records(const struct dsn_recording *r, struct dsn_top_record **records, size_t *room);

/* Calls that no record counts: those that delete and the like, and the seconds in them. */
void dsn__top_beside(const struct dsn_recording *r, double count[DSN_TOP_NCOUNTS]);

#endif

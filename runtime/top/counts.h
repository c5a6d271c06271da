/* counts.h - sums of a process's records, with each file counted in its highest layer
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file accessed through HDF5 or PnetCDF has records of these, MPI-IO and POSIX with the same bytes: only those of the
 * highest layer are shown. */
#ifndef DSN_TOP_COUNTS_H
#define DSN_TOP_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"

/* Values of a record. */
enum dsn_top_count {
    DSN_TOP_READ,     /* bytes */
    DSN_TOP_WRITTEN,  /* bytes */
    DSN_TOP_READS,    /* calls */
    DSN_TOP_WRITES,   /* calls */
    DSN_TOP_METADATA, /* opens, stats, renames, deletes */
    DSN_TOP_SECONDS,  /* total time in these calls */
    DSN_TOP_NCOUNTS
};

struct dsn_top_record {
    uint64_t id, file; /* of the record, and of its file */
    const char *name;  /* of the file, in the memory of the sample; NULL: none */
    const char *layer;
    int module, level, moves_bytes;
    int is_shown; /* the file has no record of a higher layer */
    double count[DSN_TOP_NCOUNTS];
};

/* The records of a sampled process, by file, into *records (malloc; *room elements allocated). Returns their number;
 * -1: no memory. */
int64_t dsn__top_records(const struct dsn_recording *r, struct dsn_top_record **records, size_t *room);

/* Calls that are in no record, such as deletes, and their time in seconds. */
void dsn__top_beside(const struct dsn_recording *r, double count[DSN_TOP_NCOUNTS]);

#endif

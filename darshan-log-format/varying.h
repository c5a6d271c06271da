/* varying.h - records that are more than a table's values: trailing arrays, trace segments, a leading header
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of HEATMAP, LUSTRE and MDHIM have a table, and arrays after the values (a tail), whose lengths follow from
 * the values. APMPI has a table, and one header before all records. DXT has no table: each record is a head and its
 * trace. In the newest version the structures are identical on disk and in memory, so they are used for writing, too.
 */
#ifndef DSN_VARYING_H
#define DSN_VARYING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table.h"

/* ------------------------------------------------------------------ tails */

#define DSN_MAX_TAIL ((size_t)16 << 20) /* bytes; a record that claims more is treated as damaged */

/* A component of a file's layout on Lustre. */
struct dsn_lustre_comp {
    int64_t stripe_size;  /* bytes; -1 marks an unused component */
    int64_t stripe_count; /* OSTs; 0: the data is on the MDT */
    int64_t pattern;      /* 0 raid0, 2 mdt, 4 overstriped, 8 foreign; -1 not known */
    int64_t flags;        /* bits; -1 not known */
    int64_t start, end;   /* bytes of the file; end -1: open */
    int64_t mirror;       /* 0: none; -1 not known */
    char pool[16];        /* NUL-padded, not always terminated */
};

/* The tail of a record, in native byte order. */
struct dsn_tail {
    size_t n;                 /* elements in each array below */
    const int64_t *values[2]; /* HEATMAP: bytes written, bytes read; LUSTRE: OSTs; MDHIM: operations; or NULL */
    size_t ncomps;            /* LUSTRE only; values[0] holds the OSTs of all of them, one after the other */
    const struct dsn_lustre_comp *comps;
    struct dsn_lustre_comp only; /* target of comps for LUSTRE version 1 */
};

/* Bytes of the tail of a record with the values `r`. 0 and *damaged = 1: the values are impossible. */
size_t dsn_tail_size(const struct dsn_table *t, unsigned version, const struct dsn_rec *r, int *damaged);

/* Makes a tail of a whole record of `version` on disk, aligned to 8 bytes, whose values were loaded into `r`; the bytes
 * are turned into native byte order where they stand, and `out` points into them. Values in `r` that depend on the tail
 * are put right. Returns 0 if tail and values do not agree: the record is damaged. */
int dsn_tail_load(const struct dsn_table *t, unsigned version, int swap, void *disk, struct dsn_rec *r,
                  struct dsn_tail *out);

/* ------------------------------------------------------------------ APMPI */

#define DSN_APMPI_MAGIC     0x41504d5049 /* "APMPI" */
#define DSN_APMPI_NAME_SIZE 128          /* of MPI_PROCESSOR_NAME */

struct dsn_apmpi_header {
    uint64_t id;
    int64_t rank;
    int64_t magic;
    uint32_t sync; /* 1: the rows of role SYNC were measured */
    uint32_t unused;
    double comm_variance, sync_variance; /* of total times over ranks */
};

/* Reads one from its sizeof bytes. Returns 0 if it is none. */
int dsn_apmpi_load(int swap, const void *disk, struct dsn_apmpi_header *out);

/* ------------------------------------------------------------------ DXT */

struct dsn_dxt_head {
    uint64_t id; /* of the POSIX or MPI-IO record */
    int64_t rank;
    int64_t left_out; /* operations that the trace does not have: always 0 in logs of others */
    char host[64];    /* NUL-padded, not always terminated */
    int64_t nwrites, nreads;
}; /* segments follow: writes, then reads */

struct dsn_dxt_segment {
    int64_t offset; /* -1: not known */
    int64_t length;
    double start, end; /* seconds since the process began to record */
    uint64_t thread;   /* 0 in versions that do not have it */
};

/* Bytes of a segment on disk; 0 for a module that is not DXT's or a version that there is not. */
size_t dsn_dxt_segment_size(unsigned module, unsigned version);

/* Whether the version says which thread it was. */
int dsn_dxt_has_threads(unsigned module, unsigned version);

/* Returns 0 if the numbers of segments cannot be. */
int dsn_dxt_head_load(int swap, const void *disk, struct dsn_dxt_head *out);

/* The thread of a segment that has one. */
static inline uint64_t dsn_dxt_thread(int swap, const void *disk)
{
    return dsn_u64_at((const char *)disk + 32, swap);
}

/* n segments, from dsn_dxt_segment_size() bytes each. */
void dsn_dxt_segments_load(unsigned module, unsigned version, int swap, const void *disk, size_t n,
                           struct dsn_dxt_segment *out);

#endif

/* header.h - the fixed parts of a log file: header and job record, between bytes and structures
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts: spec container.md 3 to 7. Field by field and in explicit byte order; structures are never laid over file
 * bytes. Nothing here allocates or keeps state. */
#ifndef DSN_HEADER_H
#define DSN_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "table.h"

#define DSN_LOG_VERSION       "3.41"  /* the version that we write */
#define DSN_MAGIC             6567223 /* at offset 8; determines the byte order */
#define DSN_HEADER_SIZE       1328    /* of version 3.41 */
#define DSN_OLD_HEADER_SIZE   360     /* of 3.00 to 3.21 */
#define DSN_JOB_SIZE          1080    /* of version 3.41 */
#define DSN_OLD_JOB_SIZE      1064
#define DSN_JOB_REGION_MAX    4096 /* job record, command line, mount table and NUL, uncompressed */
#define DSN_METADATA_MAX      1024 /* NUL included */
#define DSN_OLD_NAMES_VERSION 0    /* minor version whose name table has lengths instead of NULs */

enum dsn_compression { DSN_ZLIB = 0, DSN_BZIP2 = 1, DSN_UNCOMPRESSED = 2 };

/* A byte range of the file. */
struct dsn_map {
    uint64_t off, len;
};

struct dsn_header {
    char version[8];     /* as in the file; NUL-padded, not always terminated */
    int minor;           /* major is always 3 */
    int swap;            /* written on a machine of the other byte order */
    unsigned size;       /* bytes of the header, which is followed by the job region */
    uint8_t compression; /* enum dsn_compression */
    uint64_t partial;    /* bit i: module i lost data on at least one rank */
    struct dsn_map names;
    struct dsn_map mod[DSN_MODULE_SLOTS]; /* indexed by today's module ids, whatever the file's version */
    uint32_t mod_version[DSN_MODULE_SLOTS];
};

/* Reads a header from the first n bytes of a file (DSN_HEADER_SIZE are always enough). Returns an enum dsn_err: OK,
 * SHORT, VERSION, MAGIC or COMPRESSION; `h` is defined only if OK. Regions are not checked against the file's size. */
int dsn_header_load(const void *bytes, size_t n, struct dsn_header *h);

/* Writes the DSN_HEADER_SIZE bytes of a header of the newest version in native byte order. version, minor, swap and
 * size of `h` are ignored. */
void dsn_header_store(const struct dsn_header *h, void *bytes);

struct dsn_job {
    int64_t uid;
    int64_t start_sec, start_nsec; /* of the earliest rank, Unix time */
    int64_t end_sec, end_nsec;     /* of the latest rank */
    int64_t nprocs;
    int64_t jobid;
    char metadata[DSN_METADATA_MAX]; /* "key=value\n" lines, always NUL-terminated */
};

/* Bytes of the job record in the log that `h` heads. */
size_t dsn_job_size(const struct dsn_header *h);

/* Reads a job record from at least dsn_job_size(h) bytes. */
void dsn_job_load(const struct dsn_header *h, const void *bytes, struct dsn_job *job);

/* Writes the DSN_JOB_SIZE bytes of a job record of the newest version in native byte order. */
void dsn_job_store(const struct dsn_job *job, void *bytes);

/* Run time in seconds; in a log of an old version in whole seconds, inclusive of both ends (spec container.md 6.1). */
double dsn_job_runtime(const struct dsn_header *h, const struct dsn_job *job);

#endif

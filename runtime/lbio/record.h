/* record.h - the format of a log: the files in the directory of one process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   map             header, then for each file its number, identity and path; a later record of a number replaces it
 *   data.<start>    data of the writes, concatenated; <start>: position of the first byte
 *   meta.<start>    a record for each write and each event, in their order
 *
 * Positions continue from one data file to the next. A write is valid once its record, which ends with a checksum, has
 * been written after the data. Reading stops at the first incomplete record. Integers are in native byte order: a log is
 * read on the node that wrote it, which the magic number verifies.
 *
 * Recovery writes to a file only if that is as the process left it (LBIO_LEFT, LBIO_SENDING): who has written, truncated or
 * replaced it since wants what is there. These records are in a segment that stays as long as writes that need them.
 *
 * A process holds a lock (F_OFD_SETLK) on `map` as long as it uses the log. */
#ifndef LBIO_RECORD_H
#define LBIO_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define LBIO_MAP_MAGIC    0x31504d4f49424cULL /* "LBIOMP1" */
#define LBIO_FILE_MAGIC   0x454c4946U
#define LBIO_RECORD_MAGIC 0x4f49424cU
#define LBIO_VERSION      2 /* 1: without LBIO_LEFT, and recovered without a check */
#define LBIO_PATH_MAX     4096

struct lbio_map_header {
    uint64_t magic;
    uint32_t version, pid;
    int64_t begun; /* seconds since 1970 */
    char boot[40]; /* the kernel's boot id: data logged before a reboot may be missing */
    char host[64];
    char job[64];
    int32_t rank; /* -1: none */
    uint32_t sum; /* of everything before it */
};

struct lbio_file_record {
    uint32_t magic, number;
    uint64_t dev, ino;
    uint32_t path_size; /* including the NUL; the path follows */
    uint32_t sum;       /* of everything before it, then of the path */
};

enum lbio_kind {
    LBIO_WRITE = 1,
    LBIO_TRUNCATE,  /* the file will be truncated to `off` bytes */
    LBIO_TRUNCATED, /* it was, or could not be (then `len` is 0) */
    LBIO_DRAINED,   /* all earlier writes of the file are in it, or it was removed */
    LBIO_DONE,      /* all writes up to number `off` are in their files */
    LBIO_SYNCED,    /* all earlier data has been synced to the log's device */
    LBIO_LEFT, /* the file as this process left it: `off`: size, `len`: time of modification, ns; off < 0: others write it, too */
    LBIO_SENDING /* replay begins to write: first `len` bytes at `off`; `pos`: the time, ns since 1970 */
};

struct lbio_record {
    uint32_t magic;
    uint32_t kind;
    uint64_t number; /* of the record, starting at 1 */
    int64_t off, len, pos;
    uint32_t file;
    uint32_t sum; /* of everything before it */
};

/* CRC-32C (Castagnoli) of `n` bytes, continuing the checksum `before` (initially 0). */
uint32_t lbio__sum(uint32_t before, const void *bytes, size_t n);

#endif

/* record.h - what stands in a log: the files of one process's directory, byte for byte
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   map             header, then for each file its number, identity and path; a later record of a number replaces it
 *   data.<start>    bytes as they were written, one write behind the other; <start>: position of the first of them
 *   meta.<start>    a record for each write and each event, in the order in which they count
 *
 * Positions count through all data files. A write is there when its record is: data first, then the record, which ends
 * with a checksum. What is read stops at the first record that is not whole. Integers as the processor has them: a log
 * is read on the node that wrote it, and its magic tells if not.
 *
 * A process holds a lock (F_OFD_SETLK) on `map` as long as the log is its own. */
#ifndef LBIO_RECORD_H
#define LBIO_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define LBIO_MAP_MAGIC    0x31504d4f49424cULL /* LBIOMP1 */
#define LBIO_FILE_MAGIC   0x454c4946U
#define LBIO_RECORD_MAGIC 0x4f49424cU
#define LBIO_VERSION      1
#define LBIO_PATH_MAX     4096

struct lbio_map_header {
    uint64_t magic;
    uint32_t version, pid;
    int64_t begun; /* seconds since 1970 */
    char boot[40]; /* what the kernel calls this boot of the node: data of an earlier one may be missing */
    char host[64];
    char job[64];
    int32_t rank; /* -1: none */
    uint32_t sum; /* of all before it */
};

struct lbio_file_record {
    uint32_t magic, number;
    uint64_t dev, ino;
    uint32_t path_size; /* with its NUL; the path follows */
    uint32_t sum;       /* of all before it, then of the path */
};

enum lbio_kind {
    LBIO_WRITE = 1,
    LBIO_TRUNCATE,  /* will be made `off` bytes long */
    LBIO_TRUNCATED, /* has been, or could not be (`len` is 0 then) */
    LBIO_DRAINED,   /* all of the file up to here is in it, or belongs to nobody any more */
    LBIO_DONE,      /* everything up to number `off` is in its file */
    LBIO_SYNCED     /* everything up to here has been synced to the log's device */
};

struct lbio_record {
    uint32_t magic;
    uint32_t kind;
    uint64_t number; /* of the record: 1, 2, ... */
    int64_t off, len, pos;
    uint32_t file;
    uint32_t sum; /* of all before it */
};

/* CRC-32C (Castagnoli), of `n` bytes behind those whose sum is `before` (0: none). */
uint32_t lbio__sum(uint32_t before, const void *bytes, size_t n);

#endif

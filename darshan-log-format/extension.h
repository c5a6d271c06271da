/* extension.h - the section behind a log's last region: what the format itself has no place for
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Readers that do not know it never look there, for they go by the header's maps. Layout, all integers in the byte
 * order of the writing machine (the header's):
 *
 *     parts       each one or more zlib streams, back to back
 *     directory   one entry a part, 56 bytes: name (16 bytes, NUL-padded), u64 version, u64 offset in the file,
 *                 u64 stored bytes, u64 raw bytes, u64 checksum of the stored bytes
 *     footer      the last 40 bytes of the file: u64 offset of the directory, u64 number of parts, u64 checksum of
 *                 the directory, 16 bytes "DARSHAN EXT 1" NUL-padded
 *
 * A checksum is dsn_hash() at level 0. A reader skips parts that it does not know by name or version. Parts so far:
 *
 *     nodes  v1   the host names of the compute nodes, each with its NUL, in order of their lowest rank
 *     processes v1  where ranks are not simply the processes: text, a line for each process (the host, then the others
 *                 in the order in which they started): rank, number of the process, that of its parent, start (Unix time
 *                 in seconds), "ended", "killed", "running" or "executed" (it went on as another program, which has its
 *                 own line), command line; separated by tabs
 *     cpu    v1   only with traces: CPU times of threads (struct dsn_cpu_stamp), unordered: one at each first traced
 *                 operation of a thread after at least 1 ms without one; of jobs with very many only some
 *     ranks  v10  one record of dsn_rank_table a rank (id 0), in rank order; v1 to v9: of that version of the table
 *     shared v1   one record of dsn_sharing_table for each shared record of a module that moves data, by ascending number
 *                 of the module, then by ascending id; its rank is -1
 *     files  v1   one record of dsn_files_table for each record of POSIX, MPI-IO or STDIO that is not an ordinary one;
 *                 unordered. Ordinary are, without a sync, and with opens and closes of less than a millisecond: a file
 *                 with bytes written that its only open for writing created (WRITE_OPENS and CREATED 1, SIZE_BEFORE 0),
 *                 and one without, which was neither opened for writing nor deleted (all 0). So a log tells this of all
 *                 records if all its ranks have the times of version 9 of "ranks", or, without "ranks", if it has this
 *                 part, even an empty one. Doubles have the precision of a float
 *     phases v2   one record of dsn_phases_table for each phase that the program has named; rank -1: of all ranks; v1: without
 *                 DFS and DAOS
 *     mapped v1   one record of dsn_mapped_table for each file that was mapped into memory, of each rank or, with rank -1, of
 *                 all; unordered; the id is that of the file's record of POSIX
 *     sites  v1   only if call sites were asked for: one record of dsn_sites_table for each file, layer and chain of calls, of each
 *                 rank or, with rank -1, of all; unordered
 *     stacks v1   the chains of calls: for each the u64 id that records of "sites" have, and a text with its NUL, a line for
 *                 each of what follows, innermost first: "n", the path of a program or library, a tab, its build id in
 *                 hexadecimal (or nothing), a tab, and places in it, innermost first, separated by blanks: the return
 *                 addresses, in hexadecimal, relative to where the file says that it is to be loaded; of several in a row in
 *                 one library only the first and the last. Or "p", the path of a Python file, a tab, the number of a line, a
 *                 tab, and the name of the function. Some may be there more than once
 *     cufile v1   one record of dsn_cufile_table for each file that cuFile has accessed, of each rank or, with rank -1, of
 *                 all; unordered; the id is that of the file's record of POSIX, or, of registered buffers, that of
 *                 DSN_CUFILE_BUFFERS
 *     lbio   v1   one record of dsn_lbio_table (id 0) for each rank whose writes were logged by liblbio.so, by ascending
 *                 rank; of a rank that was killed it is missing, because these figures are taken at its end
 */
#ifndef DSN_EXTENSION_H
#define DSN_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#include "table.h"

#define DSN_EXT_MAX_PARTS   64
#define DSN_EXT_ENTRY_SIZE  56
#define DSN_EXT_FOOTER_SIZE 40
#define DSN_EXT_NODES       "nodes"
#define DSN_EXT_RANKS       "ranks"
#define DSN_EXT_PROCESSES   "processes"
#define DSN_EXT_SHARED      "shared"
#define DSN_EXT_CPU         "cpu"
#define DSN_EXT_LBIO        "lbio"
#define DSN_EXT_FILES       "files"
#define DSN_EXT_PHASES      "phases"
#define DSN_EXT_MAPPED      "mapped"
#define DSN_EXT_SITES       "sites"
#define DSN_EXT_STACKS      "stacks"
#define DSN_EXT_CUFILE      "cufile"
#define DSN_CUFILE_BUFFERS  "cufile:buffers"

struct dsn_ext_part {
    char name[16]; /* NUL-terminated */
    uint64_t version;
    uint64_t off, stored, raw; /* offset in the file; bytes there; bytes when decompressed */
    uint64_t sum;
};

struct dsn_ext {
    uint64_t nparts;
    struct dsn_ext_part part[DSN_EXT_MAX_PARTS];
};

/* CPU time used by a thread at the end of a traced operation. Threads may have equal numbers in the trace, one after the
 * other or, in forked processes, at the same time; their `task` differs. */
struct dsn_cpu_stamp {
    int64_t rank;
    uint64_t thread; /* as in the segments of the trace */
    int64_t task;    /* kernel thread id */
    double time;     /* start of the operation, as in the segments */
    double used;     /* seconds of CPU time */
};

/* Location of the directory. */
struct dsn_ext_directory {
    uint64_t off, len, sum;
};

/* Rows of the part "ranks": rank.def, enum dsn_rank_index. */
extern const struct dsn_table dsn_rank_table;

/* Rows of the part "shared": shared.def, enum dsn_sharing_values. */
extern const struct dsn_table dsn_sharing_table;

/* Rows of the part "lbio": lbio.def, enum dsn_lbio_index. */
extern const struct dsn_table dsn_lbio_table;

/* Rows of the part "files": file.def, enum dsn_file_index. */
extern const struct dsn_table dsn_files_table;

/* Rows of the part "phases": phase.def, enum dsn_phase_index. */
extern const struct dsn_table dsn_phases_table;

/* Rows of the part "mapped": mapped.def, enum dsn_mapped_index. */
extern const struct dsn_table dsn_mapped_table;

/* Rows of the part "sites": site.def, enum dsn_site_index. */
extern const struct dsn_table dsn_sites_table;
/* Rows of the part "cufile": cufile.def, enum dsn_cufile_index. */
extern const struct dsn_table dsn_cufile_table;

/* The id of its record of buffers, which are no file's. */
uint64_t dsn_cufile_buffers(void);

/* Whether the module's shared records have a row in that part: it counts bytes, and the time that they took. */
int dsn_sharing_has_rows(const struct dsn_table *t);

/* The row of one rank's record; to be reduced over ranks as dsn_sharing_table says. */
void dsn_sharing_row(const struct dsn_table *t, const struct dsn_rec *r, int64_t rank, struct dsn_rec *row);

/* Bytes of directory and footer for n parts. */
size_t dsn_ext_tail_size(uint64_t nparts);

/* Writes directory and footer, which will be at offset `off` of the file: dsn_ext_tail_size(ext->nparts) bytes. */
void dsn_ext_store(const struct dsn_ext *ext, uint64_t off, void *bytes);

/* Examines the last DSN_EXT_FOOTER_SIZE bytes of a file of `file_size` bytes. Returns 1 and the location of the
 * directory, or 0 if the file has no extension section (or an invalid footer). */
int dsn_ext_find(const void *footer, uint64_t file_size, int swap, struct dsn_ext_directory *where);

/* Reads the directory's bytes. Returns DSN_ERR_OK, or DSN_ERR_EXTENSION if its checksum or a part's range (outside of
 * [0, where->off)) is wrong. */
int dsn_ext_load(const void *directory, const struct dsn_ext_directory *where, int swap, struct dsn_ext *ext);

/* The part with that name and version, or NULL. */
const struct dsn_ext_part *dsn_ext_part(const struct dsn_ext *ext, const char *name, uint64_t version);

#endif

/* report.h - what a log tells about a job's I/O, in the shape that reports are made of
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct dsn_report r;
 *
 *     if (dsn_report_read(&r, log, nodes) == DSN_ERR_OK)
 *         ...                                      findings.h, document.h and screen.h make something of it
 *     dsn_report_free(&r);
 *
 * One pass over the records of each module. Figures of the whole job are those of figures.h; bytes, calls and times
 * of files, ranks and mounts are of POSIX and STDIO, like those, unless a comment says otherwise: what other layers
 * move passes through these and must not be counted twice. Seconds are sums over ranks unless they are said to be of
 * one. Memory: some 350 bytes a file, 12 a record, 72 a rank and layer, and what Lustre's records
 * have.
 * Definitions: spec analysis.md A8, B3. */
#ifndef DSN_REPORT_H
#define DSN_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/accum.h"
#include "util/lib/figures.h"
#include "util/lib/idmap.h"
#include "util/lib/log.h"
#include "util/lib/striping.h"

/* How far a figure can be trusted: made of counters that were not reduced; known to lie between bounds, or not above
 * what is given; or records are missing, or something had to be assumed. */
enum dsn_confidence { DSN_EXACT, DSN_BOUNDED, DSN_ESTIMATED };
const char *dsn_confidence_name(enum dsn_confidence c);

/* Seconds, bytes and calls of anything. */
struct dsn_work {
    double read, write, meta; /* seconds */
    int64_t bytes_read, bytes_written;
    int64_t reads, writes; /* calls */
};

double dsn_work_time(const struct dsn_work *w);
double dsn_work_bytes(const struct dsn_work *w);
void dsn_work_add(struct dsn_work *to, const struct dsn_work *w);

/* Five numbers, mean and inequality of a quantity over ranks. */
struct dsn_spread {
    size_t n;    /* ranks that it is over: those with I/O */
    size_t zero; /* ranks without any */
    double min, q1, median, q3, max, mean;
    double gini; /* 0: all alike, nearly 1: one has it all; of the n ranks */
};

/* ------------------------------------------------------------------ sizes of requests, of one direction */

struct dsn_sizes {
    int64_t calls[DSN_NSIZES];
    double bytes[DSN_NSIZES]; /* that these calls moved */
    enum dsn_confidence confidence;
    int64_t mixed_calls[DSN_NSIZES]; /* calls in records whose bytes cannot be attributed to sizes; and all bytes */
    double mixed_bytes;              /* of these */
};

/* A size of requests that occurs often. A record tells its four most frequent sizes, not in which direction: `either`
 * is of records that were read and written. */
struct dsn_common_size {
    int64_t size;
    int64_t reads, writes, either; /* calls */
};

/* ------------------------------------------------------------------ layers */

#define DSN_REPORT_MAX_LAYERS 10

/* A module that counts I/O. */
struct dsn_report_layer {
    const struct dsn_table *table;
    const char *label; /* "MPI-IO" */
    unsigned bit;      /* of file.layers */
    int of_objects;    /* its records are of parts of a file */
    int is_bottom;     /* POSIX, STDIO: what the job's volume is counted at */
    int is_below;      /* under a layer of the bottom: DAOS under DFS */
    int64_t records, shared_records;
    struct dsn_work work;
    struct dsn_accum total; /* every counter, summed up */
    struct dsn_work *rank;  /* of records that are not reduced: one for each rank; NULL: report.nranks is 0 */
    struct dsn_work shared; /* of shared records */
    double shared_slowest;  /* sum of the slowest ranks' seconds on each shared record */
    /* Of shared records it is known what their slowest rank spent and moved, and what every rank spent at least; what
     * ranks are known to have spent and moved beyond that: */
    double least_time;
    struct dsn_extra {
        double time, bytes;
    } * extra; /* one for each rank; NULL: report.nranks is 0 */
    struct {
        double bytes, ranks; /* of the shared record with most bytes: about so many ranks moved them, or more */
        int some_moved_none;
    } movers;
    struct dsn_sizes read_sizes, write_sizes;
    struct dsn_common_size *common; /* by calls, descending; ncommon of them */
    size_t ncommon;
    int64_t common_calls; /* calls that these sizes are known for */
    struct dsn__idmap common_index;
    struct dsn__idmap
        objects; /* ids of its files, or parts of files; of layers of the bottom report.files tells them */
    /* rows of its table; -1: there is none */
    struct {
        int read_sizes, write_sizes, common, width; /* first bins; first of the most frequent sizes, values each has */
        int slowest_rank, slowest_time, slowest_bytes, fastest_time, fastest_bytes, owner;
        int fastest_rank, byte_variance;
        uint16_t role[DSN_NROLES][8];
        unsigned nrole[DSN_NROLES];
    } at;
};

/* ------------------------------------------------------------------ files */

/* What a file is, by its name. Findings blame files only that hold data, or a program. */
enum dsn_file_kind {
    DSN_FILE_DATA,
    DSN_FILE_INPUT,  /* standard input: time is spent waiting for who writes it */
    DSN_FILE_STREAM, /* standard output or error */
    DSN_FILE_DEVICE, /* terminals, random numbers, accelerators: time is spent waiting for what is behind it */
    DSN_FILE_MEMORY, /* memory that processes share, which looks like a file: of MPI libraries, in /dev/shm */
    DSN_FILE_CODE    /* modules and libraries that interpreters load */
};

struct dsn_report_file {
    uint64_t id;
    unsigned layers; /* bits: of which layers there are records */
    int mount;       /* index into report.mounts */
    int32_t layout;  /* index into report.layouts; -1: not known */
    enum dsn_file_kind kind;
    int is_stream; /* it holds no data, and is none that findings are about: not DATA, not CODE */
    int is_folded; /* it stands for further files of its mount, which found no room */
    int all;       /* a record is reduced over all ranks */
    int64_t ranks; /* that have records of it, as far as records tell */
    int64_t rank;  /* the first of them; -1: all */
    struct dsn_work work;
    int64_t opens, stats, seeks, syncs;
    int64_t flushes; /* of streams */
    int64_t mmaps;
    int64_t consecutive, sequential;         /* calls; consecutive ones are sequential, too (POSIX) */
    int64_t random_reads, random_writes;     /* calls that are not sequential; the first of each rank is none of them */
    int64_t unaligned;                       /* calls */
    int64_t alignment;                       /* bytes */
    int64_t small_reads, small_writes;       /* calls of up to 100 KiB (POSIX) */
    int64_t switches;                        /* between reading and writing */
    int64_t read_extent, write_extent;       /* bytes up to the highest offset; 0: none, or not known */
    int64_t posix_calls;                     /* reads and writes through POSIX, which the seven above are of */
    int64_t mpi_independent, mpi_collective; /* requests of MPI-IO, and their bytes: */
    int64_t mpi_read, mpi_written;
    double slowest;       /* most seconds that a rank spent on it */
    int64_t slowest_rank; /* that rank */
    int64_t slowest_bytes;
    double fastest;             /* of a file that all ranks share: least seconds; else 0 */
    double first_open, last_io; /* seconds since the job began; 0: not known */
    unsigned counted;           /* while records are read: the layer of the last one, and how many of it there are */
    int64_t count;
};

/* Standard input, output and error are no files. */
static inline int dsn_is_standard(const struct dsn_report_file *f)
{
    return f->kind == DSN_FILE_INPUT || f->kind == DSN_FILE_STREAM;
}

/* What one rank spent on one file, by a record that is not reduced. */
struct dsn_report_part {
    uint32_t file; /* index into report.files */
    int32_t rank;
    float seconds;
};

enum dsn_sharing { DSN_OF_ONE_RANK, DSN_OF_SOME_RANKS, DSN_OF_ALL_RANKS };

/* ------------------------------------------------------------------ mounts */

struct dsn_report_mount {
    const char *path, *type; /* "UNKNOWN": of no mount that the log has; path "(standard streams)", type "" */
    int64_t files;
    struct dsn_work work;
};

/* ------------------------------------------------------------------ the whole */

/* A shared record of the bottom: what the slowest and the fastest rank spent. */
struct dsn_reduced {
    uint32_t file; /* index into report.files */
    int32_t rank;  /* the slowest; -1: not known */
    float least, most;
};

/* Seconds that ranks waited for I/O at the highest layer that they called, see waits.h: they add up to `all`. */
struct dsn_waits {
    double read, write, meta;     /* in calls that move data, or are about files; summed over ranks */
    double wait_read, wait_write; /* in collective calls, but in none below */
    double all;
    double elsewhere;   /* on standard input, devices and memory, which is in none of these */
    double least, most; /* of the slowest rank: no less, no more; the same if it is known */
    int64_t rank;       /* that rank; -1: not known */
    int parts_known;    /* what it spent its time with: */
    struct {
        double read, write, meta, wait;
    } slowest;
    int64_t asked_read, asked_written; /* bytes, at the same layers */
};

struct dsn_report_rank {
    struct dsn_work work; /* what is known: the whole, if report.rank_times and .rank_bytes are exact, else at least
                           * that; its calls are of records that are not reduced only */
    double least, most;   /* seconds that it waited, no less and no more: see struct dsn_waits */
    int64_t node;         /* -1: not known */
    int64_t files;
};

#define DSN_TORUS 5 /* dimensions */

/* What a job had of a Blue Gene/Q; nodes 0: nothing is known of that. */
struct dsn_partition {
    int64_t nodes, ranks_per_node, node_mib, io_nodes;
    int64_t torus[DSN_TORUS];
};

/* What went through the key-value store MDHIM. */
struct dsn_store {
    int64_t records; /* 0: nothing */
    int64_t puts, gets, largest_put, largest_get, servers;
    double slowest_put, slowest_get;
    int64_t of_servers, busiest_server; /* operations on all of them, on the busiest */
};

/* What the ranks did in MPI, but for files: seconds, summed over those that have a record of it. */
struct dsn_communication {
    int64_t ranks;    /* 0: nothing is known of it */
    int is_beside_io; /* none of it is inside of MPI-IO: the original counts what that sends, too */
    double all, messages, completion, collective, one_sided;
    double waiting; /* of all, until the last rank came to a collective call; only if is_waiting_known */
    int is_waiting_known;
    double most;  /* of one rank, */
    int64_t rank; /* this one */
};

struct dsn_storage;

struct dsn_report {
    struct darshan_reader *log;
    const struct dsn_storage
        *storage; /* what the site's file system gives; NULL, and set by who read the report: not known */
    struct dsn_figures f;
    struct dsn_report_layer layer[DSN_REPORT_MAX_LAYERS];
    size_t nlayers; /* that have records */
    struct dsn_report_file *files;
    size_t nfiles, files_room; /* standard streams included */
    struct dsn__idmap file_index;
    struct dsn_report_part *parts;
    size_t nparts, parts_room;
    struct dsn_reduced *reduced;
    size_t nreduced;
    struct dsn_stack *stacks; /* files with records above the bottom, and what these say: see waits.h */
    size_t nstacks;
    struct dsn__idmap stack_index;
    struct dsn_piece *pieces;
    size_t npieces;
    struct dsn_waits waits;
    struct dsn_report_mount *mounts;
    size_t nmounts;
    struct dsn_layouts layouts;
    struct dsn_report_rank *ranks; /* one for each rank; NULL: there are too many (a million) */
    size_t nranks;
    enum dsn_confidence rank_times, rank_bytes; /* how far they can be trusted */
    struct dsn_spread time_spread, byte_spread; /* over ranks; only if these are exact */
    int64_t movers;                             /* ranks that moved data at storage; 0: not known */
    enum dsn_confidence movers_confidence;      /* bounded: about so many, or more */
    int64_t processes, killed; /* lines of the part "processes", and those that say that a process was killed */
    int is_tree;               /* ranks are processes that started each other, not ranks of MPI */
    int runs_interpreter;      /* the program, or one of these processes, is an interpreter, such as Python */
    struct dsn_partition partition;
    struct dsn_store store;
    struct dsn_communication communication;
    double wall; /* seconds in which any rank moved data, from heat maps; -1: not known */
    double peak; /* of heat maps: share of all bytes that the busiest twentieth of the run time has; -1: not known */
};

/* Seconds of the mean rank in MPI calls other than I/O (-1 if they cannot be separated), and in neither; -1: not
 * known. */
double dsn_communication_mean(const struct dsn_report *r);
double dsn_compute_mean(const struct dsn_report *r);

enum dsn_sharing dsn_file_sharing(const struct dsn_report *r, const struct dsn_report_file *f);

/* The layer of that module; NULL if it has no records. */
const struct dsn_report_layer *dsn_report_layer(const struct dsn_report *r, unsigned module);

/* The highest layer that a file has records of: "HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO". */
const char *dsn_file_interface(const struct dsn_report *r, const struct dsn_report_file *f);

/* Orders files by what one rank spent on them, then by bytes, then by id: those that matter most come first. Returns
 * an array of all files that are no standard streams, to be freed; NULL: no memory. */
const struct dsn_report_file **dsn_report_order(const struct dsn_report *r, size_t *n);

#endif

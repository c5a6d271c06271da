/* report.h - what a log tells about a job's I/O, in the shape that reports are made of
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct dsn_report r;
 *
 *     if (dsn_report_read(&r, log, nodes) == DSN_ERR_OK)
 *         ...                                      findings.h, document.h and screen.h make something of it
 *     dsn_report_free(&r);
 *
 * The records of each module are read once, and then what the log has beside them: processes, mappings, layouts.
 * Figures of the whole job are those of figures.h; bytes, calls and times of files, ranks and mounts are of POSIX and
 * STDIO, like those, unless a comment says otherwise: what other layers move passes through these and must not be
 * counted twice. Seconds are sums over ranks unless they are said to be of one. Memory: some 590 bytes a file, 12 a
 * record, 72 a rank and layer, and what Lustre's records have.
 * Definitions: spec analysis.md A8, B3. */
#ifndef DSN_REPORT_H
#define DSN_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/accum.h"
#include "util/lib/figures.h"
#include "util/lib/idmap.h"
#include "util/lib/kind.h"
#include "util/lib/log.h"
#include "util/lib/striping.h"

/* Reliability of a figure: exact, from counters that were not reduced; bounded, with known bounds or an upper bound;
 * estimated, because records are missing or something was assumed. */
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

/* Five-number summary, mean and inequality of a quantity over all ranks. */
struct dsn_spread {
    size_t n;    /* ranks with I/O */
    size_t zero; /* ranks without any */
    double min, q1, median, q3, max, mean;
    double gini; /* Gini coefficient: 0: equal, near 1: one rank has everything */
};

/* ------------------------------------------------------------------ sizes of requests, of one direction */

struct dsn_sizes {
    int64_t calls[DSN_NSIZES];
    double bytes[DSN_NSIZES]; /* bytes moved by these calls */
    enum dsn_confidence confidence;
    int64_t mixed_calls[DSN_NSIZES]; /* calls in records whose bytes cannot be attributed to sizes; and all their
                                      * bytes */
    double mixed_bytes;              /* of these */
};

/* A frequent request size. A record has its four most frequent sizes, without direction: `either` counts records with
 * both reads and writes. */
struct dsn_common_size {
    int64_t size;
    int64_t reads, writes, either; /* calls */
};

/* ------------------------------------------------------------------ layers */

#define DSN_REPORT_MAX_LAYERS 10
#define DSN_REPORT_CUFILE                                                                                              \
    0 /* instead of a module: the part "cufile" of the extension section, as dsn_cufile_table.id */

/* A module that counts I/O. */
struct dsn_report_layer {
    const struct dsn_table *table;
    const char *label; /* "MPI-IO" */
    unsigned bit;      /* of file.layers */
    int of_objects;    /* its records are about parts of a file */
    int is_bottom;     /* POSIX, STDIO: the layers at which the job's volume is counted */
    int is_below;      /* below such a layer: DAOS below DFS */
    int64_t records, shared_records;
    struct dsn_work work;
    struct dsn_accum total; /* sums of all counters */
    struct dsn_work *rank;  /* from records that are not reduced, one per rank; NULL: report.nranks is 0 */
    struct dsn_work shared; /* from shared records */
    double shared_slowest;  /* sum over shared records of their slowest rank's seconds */
    /* Of shared records it is known what their slowest rank spent and moved, and what every rank spent at least; what
     * ranks are known to have spent and moved beyond that: */
    double least_time;
    struct dsn_extra {
        double time, bytes;
    } * extra; /* one per rank; NULL: report.nranks is 0 */
    struct {
        double bytes, ranks; /* for the shared record with most bytes: approximately how many ranks moved them, or
                              * more */
        int some_moved_none;
    } movers;
    struct dsn_sizes read_sizes, write_sizes;
    struct dsn_common_size *common; /* sorted by calls, descending; ncommon of them */
    size_t ncommon, common_room;
    int64_t common_calls; /* calls for which these sizes are known */
    struct dsn__idmap common_index;
    struct dsn__idmap objects; /* ids of its files, or parts of files; for layers at the bottom report.files has them */
    /* rows of its table; -1: none */
    struct {
        int read_sizes, write_sizes, common, width; /* first histogram rows; first row of the most frequent sizes,
                                                     * values per entry */
        int slowest_rank, slowest_time, slowest_bytes, fastest_time, fastest_bytes, owner;
        int fastest_rank, byte_variance;
        uint16_t role[DSN_NROLES][8];
        unsigned nrole[DSN_NROLES];
    } at;
};

/* ------------------------------------------------------------------ files */

/* What was there before a file was opened for writing, see before-open.h; the later one wins. */
enum dsn_before_open {
    DSN_BEFORE_NOT_TOLD, /* not opened for writing, or a log of another implementation */
    DSN_BEFORE_CONTENT,  /* which was kept */
    DSN_BEFORE_EMPTY,
    DSN_BEFORE_DROPPED, /* content, which was dropped */
    DSN_BEFORE_UNKNOWN, /* nothing, an empty file, or content that was dropped */
    DSN_BEFORE_NOTHING, /* the open created the file */
    DSN_NBEFORE
};

/* Files that were mapped into memory, see darshan-log-format/mapped.def: `touched` and `writable` bytes at most, of all
 * ranks; `dirty`, without what calls may have written, at least. */
struct dsn_mapped_file {
    uint32_t file; /* index into the files */
    int64_t mappings, bytes, touched, writable, dirty, unexamined;
};
struct dsn_mapped {
    struct dsn_mapped_file *of; /* those of data, by what was touched */
    size_t n;
    struct dsn_mapped_file all; /* sums */
};

/* Files that cuFile (GPUDirect Storage) has accessed, see darshan-log-format/cufile.def: bytes of synchronous calls beside POSIX
 * and by POSIX calls (compatibility mode), of what was queued on streams or in batches likewise, and of this what was
 * asked for at most. */
enum dsn_cufile_bytes {
    DSN_CUFILE_DIRECT,
    DSN_CUFILE_COMPAT,
    DSN_CUFILE_QUEUED,
    DSN_CUFILE_COMPAT_QUEUED,
    DSN_CUFILE_UNSEEN,
    DSN_CUFILE_NBYTES
};
struct dsn_cufile_file {
    uint32_t file; /* index into the files */
    int64_t read[DSN_CUFILE_NBYTES], written[DSN_CUFILE_NBYTES];
    int64_t calls, queued, failed, handles; /* `calls` are synchronous */
    double seconds;                         /* in those that POSIX calls did not do */
};
struct dsn_cufile {
    struct dsn_cufile_file *of; /* by bytes */
    size_t n;
    struct dsn_cufile_file all; /* sums */
    int64_t buffers, buffer_bytes;
    double buffer_seconds;
};

/* Files by what was there before they were opened for writing, and of those that the job created and deleted what it moved. */
struct dsn_written {
    int64_t files[DSN_NBEFORE], all;
    int64_t aggregated_opens; /* of these, opens counted in aggregated records, which may be the same ones again */
    int64_t read_first;       /* files with content that was read before it was changed */
    int64_t temporary, temporary_written, temporary_read;
};

struct dsn_report_file {
    uint64_t id;
    unsigned layers; /* bitmap: layers with records of it */
    int mount;       /* index into report.mounts */
    int32_t layout;  /* index into report.layouts; -1: unknown */
    enum dsn_file_kind kind;
    int is_exempt;     /* from findings: these are about the kinds DATA and CODE only */
    int is_aggregated; /* no file, but the aggregated record of further ones of a kind, or of a mount point */
    int is_reduced;    /* a record is reduced over all ranks */
    int64_t ranks;     /* ranks with records of it, as far as known */
    int64_t rank;      /* the first of them; -1: all */
    struct dsn_work work;
    int64_t opens, stats, seeks, syncs; /* opens are calls of open, without dup and fileno */
    int64_t renamed;                    /* times that it was renamed to another name */
    int64_t reads_at_end;               /* reads that returned nothing */
    int64_t flushes;                    /* of streams */
    int is_synchronous;                 /* opened with O_SYNC or O_DSYNC */
    struct dsn_work streams;            /* of `work`, through streams */
    int64_t mmaps;
    int64_t consecutive, sequential;         /* calls; consecutive ones are sequential, too (POSIX) */
    int64_t first_reads, first_writes;       /* the first after an open, unless it is sequential */
    int64_t random_reads, random_writes;     /* calls that are not sequential; the first of each rank does not count */
    int64_t unaligned;                       /* calls */
    int64_t alignment;                       /* bytes */
    int64_t small_reads, small_writes;       /* calls of up to 100 KiB (POSIX) */
    int64_t switches;                        /* between reading and writing */
    int64_t read_extent, write_extent;       /* bytes up to the highest offset; 0: none, or unknown */
    int64_t posix_calls;                     /* reads and writes through POSIX, on which the seven members above are
                                              * based */
    int64_t mpi_independent, mpi_collective; /* requests of MPI-IO, and their bytes: */
    int64_t mpi_read, mpi_written;
    int64_t mpi_together; /* of these, in a direction in which all requests of a record are collective */
    double slowest;       /* largest seconds of a rank */
    int64_t slowest_rank; /* that rank */
    int64_t slowest_bytes;
    double slowest_read, slowest_write, slowest_meta; /* of these seconds; -1: unknown */
    double most_meta;           /* largest seconds of a rank in metadata calls; of a shared record an estimate */
    int64_t readers, writers;   /* ranks that moved bytes; -1: unknown, of a shared record in other logs */
    int64_t reader, writer;     /* the rank, if it is one, and its record is not reduced; else -1 */
    double fastest;             /* of a file shared by all ranks: smallest seconds; else 0 */
    double first_open, last_io; /* seconds since the start of the job; 0: unknown */
    enum dsn_before_open before_open;
    int64_t size_before;           /* bytes before the first open for writing; -1: unknown, or dropped */
    int64_t created, deleted;      /* times; deleted by a process that had opened it */
    float first_read, first_write; /* seconds since the start of the job; 0: unknown */
    int has_times_apart;
    double open_time, close_time, sync_time; /* parts of work.meta (the first two) and of work.write */
    unsigned counted;                        /* while reading: layer of the last record, and number of records in it */
    int64_t count, count_readers, count_writers;
};

/* Standard input, output and error are no files. */
static inline int dsn_is_standard(const struct dsn_report_file *f)
{
    return f->kind == DSN_FILE_INPUT || f->kind == DSN_FILE_STREAM;
}

/* Whether it was made for an MPI library's own purposes, such as memory that processes share: that is mapped, but neither
 * read nor written. */
static inline int dsn_is_of_mpi_itself(const struct dsn_report_file *f)
{
    return f->kind == DSN_FILE_PROBE || f->kind == DSN_FILE_SESSION ||
           (f->kind == DSN_FILE_MEMORY && f->work.bytes_read == 0 && f->work.bytes_written == 0);
}

/* Whether it is among the number of files. */
static inline int dsn_report_counts(const struct dsn_report_file *f)
{
    return dsn_is_counted(f->kind, f->is_aggregated, f->work.bytes_read + f->work.bytes_written);
}

/* Reads that moved data. */
static inline double dsn_data_reads(const struct dsn_report_file *f)
{
    return (double)(f->work.reads - f->reads_at_end);
}

/* Bytes up to the highest offset that was read or written. */
static inline double dsn_extent(const struct dsn_report_file *f)
{
    return (double)(f->read_extent > f->write_extent ? f->read_extent : f->write_extent);
}

/* The work of a rank on a file, from a record that is not reduced. */
struct dsn_report_part {
    uint32_t file; /* index into report.files */
    int32_t rank;
    float seconds;
    float longest; /* in calls of one kind */
};

enum dsn_sharing { DSN_OF_ONE_RANK, DSN_OF_SOME_RANKS, DSN_OF_ALL_RANKS };

/* ------------------------------------------------------------------ mounts */

struct dsn_report_mount {
    const char *path,
        *type; /* "UNKNOWN": on no mount in the log; path "(DAOS)", type "daos"; path "(standard streams)", type "" */
    int64_t files;
    struct dsn_work work;
};

/* ------------------------------------------------------------------ the whole */

/* A shared record of a bottom layer: the slowest and the fastest rank. */
struct dsn_reduced {
    uint32_t file; /* index into report.files */
    int32_t rank;  /* the slowest; -1: unknown */
    float least, most;
};

/* How a rank spent its time in I/O. */
struct dsn_wait_parts {
    double read, write, meta, wait;
    double library; /* part of these */
};

/* Seconds that ranks waited for I/O at the highest layer that they called, see waits.h; the parts add up to `all`. */
struct dsn_waits {
    double read, write, meta;     /* in data and metadata calls; summed over ranks */
    double wait_read, wait_write; /* in collective calls, but in none below them */
    double wait_open;             /* in collective opens and closes, likewise */
    double unsure; /* part of meta: in such opens and closes of files without records of calls below them */
    double all;
    struct {
        double read, write, meta; /* parts of these, in calls above POSIX, STDIO and DFS */
    } above;
    double map_syncs;    /* part of write: in msync, which no record has */
    double names;        /* part of meta: deleting, renaming, and calls on attributes that no record has */
    double library;      /* part of these, in HDF5 or PnetCDF itself, where that is most of their time; */
    double library_meta; /* and of it in metadata calls */
    double elsewhere;    /* on standard input, devices and memory; not part of the others */
    int is_bounded;      /* the run time is what bounds them: what threads do at once is in the sum more than once */
    double least, most;  /* bounds for the slowest rank; equal if exact */
    int64_t rank;        /* that rank; -1: unknown */
    int parts_known;     /* the parts of its time: */
    struct dsn_wait_parts slowest;
    int64_t asked_read, asked_written; /* bytes, at the same layers */
};

/* Of all kinds, seconds that ranks spent in collective calls for others, or for MPI. */
static inline double dsn_waiting(const struct dsn_waits *w)
{
    return w->wait_read + w->wait_write + w->wait_open;
}

struct dsn_report_rank {
    struct dsn_work
        work; /* at storage: complete if report.rank_times and .rank_bytes are exact, otherwise lower bounds; calls are
                           * from records that are not reduced */
    double least, most; /* bounds of the seconds that it waited: see struct dsn_waits */
    double longest;     /* the most seconds in calls of one kind on one file: concurrent threads may have had no more */
    double passed;      /* seconds in which any of its threads was in a call of any layer; 0: unknown */
    double overlap;     /* sum of its records' seconds to its time at storage: above 1 if threads did I/O at once */
    double names;       /* seconds in metadata calls that no record has: deletes, renames, attributes */
    double map_syncs;   /* seconds in msync, which no record has */
    struct dsn_work elsewhere; /* on what is no storage; not in `work` */
    int64_t node;              /* -1: unknown */
    int64_t files;
    int is_in_turn; /* see struct dsn_turns */
};

/* Processes that ran one after the other, whose I/O times add up to much more than that of the busiest; n 0: there are none. */
struct dsn_turns {
    struct dsn_turn *of; /* when each process ran, of `nof` */
    size_t nof;
    int64_t n;
    double seconds; /* known with n 0, too */
    struct dsn_wait_parts parts;
};

#define DSN_TORUS 5 /* dimensions */

/* A job's partition of a Blue Gene/Q; nodes 0: unknown. */
struct dsn_partition {
    int64_t nodes, ranks_per_node, node_mib, io_nodes;
    int64_t torus[DSN_TORUS];
};

/* Use of the key-value store MDHIM. */
struct dsn_store {
    int64_t records; /* 0: none */
    int64_t puts, gets, largest_put, largest_get, servers;
    double slowest_put, slowest_get;
    int64_t of_servers, busiest_server; /* operations on all servers, on the busiest */
};

/* What log-based I/O did: counts summed over ranks, except for the largest log; times of the rank with the longest. */
struct dsn_lbio {
    int64_t ranks; /* that used it; 0: none */
    int64_t count[LBIO_NVALUES];
    double seconds[LBIO_NVALUES];
    double waited;          /* the longest of any rank: for space in the log, and for replay */
    int64_t rank;           /* with the longest replay, */
    double longest, hidden; /* its seconds, and those of them in which the rank did not wait for it */
};

/* Adds a rank's record. Values of a damaged log may be any: sums stay within their types. */
void dsn_lbio_add(struct dsn_lbio *l, const struct dsn_rec *rec);

/* MPI calls other than I/O: seconds, summed over ranks with a record. */
struct dsn_communication {
    int64_t ranks;    /* 0: unknown */
    int is_beside_io; /* none of it is inside MPI-IO: the original also counts what MPI-IO sends */
    double all, messages, completion, collective, one_sided;
    double waiting; /* of all ranks, until the last rank arrived at a collective call; only if is_waiting_known */
    int is_waiting_known;
    double most;  /* largest value of a rank, */
    int64_t rank; /* that rank */
};

struct dsn_storage;

/* Files that a report is of: the log is a copy with only their records, without what is known of all files together only. */
struct dsn_selection {
    const char **patterns; /* of their names */
    size_t n;
    char path[64];     /* of the copy */
    int whole_seconds; /* the run time is known to the second only, which the copy does not say; */
    int added_seconds; /* its end is later by that */
};

struct dsn_report {
    struct darshan_reader *log;
    const struct dsn_storage *storage; /* storage profile of the site, set by the caller; NULL: unknown */
    struct dsn_figures f;
    struct dsn_report_layer layer[DSN_REPORT_MAX_LAYERS];
    size_t nlayers; /* layers with records */
    struct dsn_report_file *files;
    size_t nfiles, files_room; /* standard streams included */
    struct dsn__idmap file_index;
    struct dsn_report_part *parts;
    size_t nparts, parts_room;
    struct dsn_reduced *reduced;
    size_t nreduced, reduced_room;
    struct dsn_stack *stacks; /* files with records above the bottom layers, see waits.h */
    size_t nstacks, stacks_room;
    struct dsn__idmap stack_index;
    struct dsn_piece *pieces;
    size_t npieces, pieces_room;
    struct dsn_waits waits;
    struct dsn_report_mount *mounts;
    size_t nmounts;
    struct dsn_layouts layouts;
    struct dsn_report_rank *ranks; /* one per rank, nranks of them: 0 if they are too many (a million) */
    size_t nranks;
    enum dsn_confidence rank_times, rank_bytes; /* their reliability */
    struct dsn_spread time_spread, byte_spread; /* over ranks; only if these are exact */
    int64_t movers;                             /* ranks that moved data at storage; 0: unknown */
    enum dsn_confidence movers_confidence;      /* bounded: approximately, or more */
    int64_t processes, killed;                  /* of the part "processes", and of these the killed ones */
    int64_t gone;                               /* and those that executed a program which is not in the log */
    int64_t processes_rank;                     /* the rank that all of these belong to; -1: several */
    int64_t at_once;                            /* most processes that ran at one time; 0: unknown */
    double process_seconds;                     /* how long they ran, all together */
    struct dsn_turns turns;
    int is_tree;          /* ranks are processes that started each other, not MPI ranks */
    int runs_interpreter; /* the program, or one of these processes, is an interpreter, such as Python */
    struct dsn_partition partition;
    struct dsn_store store;
    struct dsn_lbio lbio;
    struct dsn_written written;
    struct dsn_mapped mapped;
    struct dsn_cufile cufile;
    struct dsn_communication communication;
    double wall; /* seconds in which any rank moved data, from heat maps; -1: unknown */
    double peak; /* from heat maps: share of all bytes in the busiest twentieth of the run time; -1: unknown */
    const struct dsn_selection *selection; /* set by the caller; NULL: all files */
};

/* Seconds of the mean rank in MPI calls other than I/O (-1 if they cannot be separated), and in neither; -1:
 * unknown. */
double dsn_communication_mean(const struct dsn_report *r);
double dsn_compute_mean(const struct dsn_report *r);

/* Whether there are several MPI ranks: processes that start each other do not share work. */
static inline int dsn_has_ranks(const struct dsn_report *r)
{
    return r->f.nprocs > 1 && !r->is_tree;
}

/* What a sum over the whole job is of, behind its name: ", all ranks"; "" in a job of one process. */
static inline const char *dsn_of_all(const struct dsn_report *r)
{
    return r->f.nprocs == 1 ? "" : r->is_tree ? ", all processes" : ", all ranks";
}

enum dsn_sharing dsn_file_sharing(const struct dsn_report *r, const struct dsn_report_file *f);

/* The layer of that module; NULL if it has no records. */
const struct dsn_report_layer *dsn_report_layer(const struct dsn_report *r, unsigned module);

/* The highest layer with records of a file: "HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO". */
const char *dsn_file_interface(const struct dsn_report *r, const struct dsn_report_file *f);

/* Not storage, see dsn_kind_is_elsewhere(). */
static inline int dsn_file_is_elsewhere(const struct dsn_report_file *f)
{
    return dsn_kind_is_elsewhere(f->kind);
}

/* Its name; of what is counted of files without a record of their own what these are, in `room`; NULL: the log has none. */
#define DSN_NAME_ROOM 4200
const char *dsn_report_name(const struct dsn_report *r, const struct dsn_report_file *f, char room[DSN_NAME_ROOM]);

/* Orders files by what one rank spent on them, then by bytes, then by id: those that matter most come first. Returns
 * an array of all files that are no standard streams, to be freed; NULL: no memory. */
const struct dsn_report_file **dsn_report_order(const struct dsn_report *r, size_t *n);

#endif

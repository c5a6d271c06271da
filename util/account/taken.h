/* taken.h - reads what the database stores of a log, in one pass
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TAKEN_H
#define DSN_TAKEN_H

#include <stdint.h>

#include "details.h"
#include "waited.h"

/* Interfaces through which a file is accessed, in ascending order. */
enum dsn_interface {
    DSN_BY_LIBRARY, /* an MPI library's own: no file of the program */
    DSN_BY_STDIO,
    DSN_BY_POSIX,
    DSN_BY_DAOS,
    DSN_BY_DFS,
    DSN_BY_MPIIO,
    DSN_BY_PNETCDF,
    DSN_BY_HDF5,
    DSN_NINTERFACES
};

#define DSN_MACHINE 64 /* bytes of a machine's name */

/* Who accesses a file: one rank, several, all. */
enum dsn_sharers { DSN_BY_ONE, DSN_BY_SOME, DSN_BY_ALL, DSN_NSHARINGS };

struct dsn_use {
    int present;
    int64_t files, files_written, bytes_read, bytes_written;
};

/* Records of a module: n in the log, of which the first `kept` are here, dsn_rec_size() bytes each. */
struct dsn_taken_module {
    int64_t n, kept;
    struct dsn_rec *total; /* NULL: no records */
    unsigned char *records;
    struct dsn_taken_name {
        uint32_t name, mount, type; /* offsets in dsn_taken.text; 0: unknown */
    } * names;
    size_t records_room, names_room;
};

struct dsn_taken {
    char hash[65];
    char machine[DSN_MACHINE]; /* "": nobody has named it */
    char *user;                /* NULL: unknown */
    char run[24];              /* "": the log has all ranks of its run; else which run that is, */
    char node[DSN_MACHINE];    /* and the node of the ranks that it has, if it is one */
    int jobid_is_pid;          /* no scheduler has named the job */
    struct dsn_job job;
    char *exe, *program; /* `program` points into the copy of `exe` */
    char version[9];
    double start, end;
    uint64_t partial;
    struct dsn_figures figures;
    struct dsn_waited waited;
    int64_t files_written, files_held_data, nrecords, nkept;
    struct dsn_use use[DSN_NINTERFACES][DSN_NSHARINGS];
    struct dsn_taken_module module[DSN_MODULE_SLOTS];
    struct dsn_detail detail[DSN_NDETAILS];
    char *text;
    size_t text_used, text_room;
    size_t bytes; /* of memory, approximately */
};

/* Version of what is ingested: logs ingested with a lower one are ingested again. 2: layouts on Lustre, heat maps,
 * MDHIM, and everything added before there was a version. 3: machine, processes that are no ranks, findings, files without
 * those of MPI libraries. 4: processes one after another, what is in no rate. 5: files created and overwritten, times of
 * opens, closes and syncs, patterns of files, phases, mapped files, GPUDirect Storage. 6: logs of a part of a run. */
#define DSN_TAKEN_LEVEL 6

/* Files of which this was there before they were opened for writing; -1: the log does not tell. */
static inline int64_t dsn_told(const struct dsn_taken *t, enum dsn_before_open before)
{
    return t->waited.written.all > 0 ? t->waited.written.files[before] : -1;
}

/* A figure of mapped files, or of the kernel; -1: the log does not tell. */
static inline int64_t dsn_mapped(const struct dsn_taken *t, int64_t figure)
{
    return t->figures.traffic.known ? figure : -1;
}

/* A figure of cuFile; -1: no file was accessed by it, or the log does not tell. */
static inline int64_t dsn_of_cufile(const struct dsn_taken *t, int64_t figure)
{
    return t->waited.cufile_files > 0 ? figure : -1;
}

/* A time that is a part of another one; -1: the log does not have them apart. */
static inline double dsn_time_apart(const struct dsn_taken *t, double seconds)
{
    return t->figures.apart.meta + t->figures.apart.write > 0 ? seconds : -1;
}

/* Whether values of the module's records are columns of tables: traces have none, and heat maps, with a record per
 * rank, are stored as details only. */
int dsn_module_taken(unsigned module);

/* SHA-256 of an open file's content, in hexadecimal. Returns 0 or an errno. */
int dsn_hash_file(int fd, char hash[65]);

/* Reads a log. The first max_records records of files are kept, none if the job ended before `since` (seconds since
 * 1970); totals include all. Returns DSN_ERR_OK, or the log's error (err): then there is nothing to free. Any damage is
 * an error, however much could be read. On success free *out with dsn_taken_free(). */
int dsn_take(const char *path, int64_t max_records, int64_t since, struct dsn_taken **out,
             struct darshan_reader_error *err);
void dsn_taken_free(struct dsn_taken *t);

#endif

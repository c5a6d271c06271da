/* taken.h - what the database keeps of a log, read in one pass
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TAKEN_H
#define DSN_TAKEN_H

#include <stdint.h>

#include "details.h"
#include "waited.h"

/* Interfaces by which a file is used, each above those before it. */
enum dsn_interface {
    DSN_BY_STDIO,
    DSN_BY_POSIX,
    DSN_BY_DAOS,
    DSN_BY_DFS,
    DSN_BY_MPIIO,
    DSN_BY_PNETCDF,
    DSN_BY_HDF5,
    DSN_NINTERFACES
};

/* Who uses a file: one rank, several, all. */
enum dsn_sharing { DSN_BY_ONE, DSN_BY_SOME, DSN_BY_ALL, DSN_NSHARINGS };

struct dsn_use {
    int present;
    int64_t files, files_written, bytes_read, bytes_written;
};

/* Records of a module: n of them, of which the first `kept` are here, each dsn_rec_size() bytes. */
struct dsn_taken_module {
    int64_t n, kept;
    struct dsn_rec *total; /* NULL: there are no records */
    unsigned char *records;
    struct dsn_taken_name {
        uint32_t name, mount, type; /* where they begin in dsn_taken.text; 0: not known */
    } * names;
    size_t room;
};

struct dsn_taken {
    char hash[65];
    struct dsn_job job;
    char *exe, *program; /* `program` is a part of `exe`'s copy */
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
    size_t bytes; /* of memory, about */
};

/* What a release takes of a log. A log that an older one has taken is taken again. 2: layouts on Lustre, heat maps, MDHIM,
 * and all that was added before without a number. */
#define DSN_TAKEN_LEVEL 2

/* Whether values of the module's records become columns of tables: traces have none, and of a heat map's, which has a record a
 * rank, the details say all. */
int dsn_module_taken(unsigned module);

/* The SHA-256 of an open file's content in hexadecimal. Returns 0, or an errno. */
int dsn_hash_file(int fd, char hash[65]);

/* Reads a log. At most max_records of its records of files are kept, the first ones, and none if the job ended before
 * `since` (seconds since 1970); all totals are of all. Returns DSN_ERR_OK, or what is wrong with the log (err): then
 * nothing is to be freed. A damaged log is wrong, however much of it could be read. On success *out is to be given to
 * dsn_taken_free(). */
int dsn_take(const char *path, int64_t max_records, int64_t since, struct dsn_taken **out,
             struct darshan_reader_error *err);
void dsn_taken_free(struct dsn_taken *t);

#endif

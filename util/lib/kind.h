/* kind.h - what a file is, by its name and where it is mounted
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_KIND_H
#define DSN_KIND_H

#include "log.h"

/* Type of a file, by its name. Findings blame only files that contain data, or a program. */
enum dsn_file_kind {
    DSN_FILE_DATA,
    DSN_FILE_INPUT,   /* standard input: time is spent waiting for its writer */
    DSN_FILE_STREAM,  /* standard output or error */
    DSN_FILE_DEVICE,  /* terminals, random numbers, accelerators: time is spent waiting for the device */
    DSN_FILE_MEMORY,  /* in /dev/shm, for example */
    DSN_FILE_SESSION, /* of an MPI library or Java itself, mostly memory that processes share */
    DSN_FILE_PROBE,   /* made and deleted by a rank of Open MPI at each open, to test the file system's locks */
    DSN_FILE_CODE     /* modules and libraries loaded by interpreters */
};

/* The kind of the file of that name; NULL: the log does not have its name. */
enum dsn_file_kind dsn_file_kind_of(const struct darshan_reader *log, const char *name);

/* Whether a record of POSIX says, in POSIX_MODE, that it is of a FIFO, a socket or a character device. */
int dsn_record_is_channel(unsigned module, const struct dsn_rec *r);

/* Whether it says there that the file was opened with O_SYNC or O_DSYNC. */
int dsn_record_is_synchronous(unsigned module, const struct dsn_rec *r);

/* The runtime's name for what is counted of files that have no record of their own. */
int dsn_name_is_aggregated(const char *name);

/* The one rule for the number of files: all that data is stored in. Standard streams, pipes and devices are none, nor what an
 * MPI library makes for itself, such as memory that is mapped, but neither read nor written; those of aggregated records are not known. */
int dsn_is_counted(enum dsn_file_kind kind, int is_aggregated, int64_t bytes);

/* Not storage: waiting for a terminal, a device or another process is not I/O time. */
int dsn_kind_is_elsewhere(enum dsn_file_kind kind);

#endif

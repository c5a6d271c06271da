/* log-file.h - the file of a log, from its creation in the right directory to its final name
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_LOG_FILE_H
#define DSN_LOG_LOG_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/origin.h"

/* Whose log it is: determines its name, its directory and the job in it. The caller owns the strings. */
struct dsn_log_identity {
    const char *user, *program; /* as in the file's name */
    const char *exe;            /* command line */
    const char *hints;          /* NULL or empty: none */
    int64_t jobid, pid;
    int jobid_is_pid;    /* no scheduler has named the job */
    const char *machine; /* NULL or empty: unknown */
    uint64_t key;        /* unique number of the log */
    uint64_t run;        /* dsn__run_of() */
    int64_t step, restart;
    struct tm start;
    const char *directory, *logfile; /* destination: the latter, if it is not empty */
    int is_flat;                     /* no date directories below `directory` */
    enum dsn_log_of log_of;
    int stands_in; /* the log is made on behalf of this process, which may have been killed while writing it */
};

/* A log being written: an open directory, and names in it. Source: spec runtime.md 2.1 to 2.3. */
struct dsn_log_file {
    int dir;                                  /* descriptor of the directory */
    int fd;                                   /* of the file */
    int is_named;                             /* DARSHAN_LOGFILE: the stem is the whole final name */
    char partial[NAME_MAX + 1];               /* name while it is written */
    char stem[NAME_MAX + 1];                  /* final name without "_<seconds>.darshan" */
    char path[PATH_MAX];                      /* of the directory or the file, for messages */
    char given[PATH_MAX];                     /* directory of DARSHAN_LOGFILE */
    int64_t took_open, took_job, took_header; /* ns that opening it, and writing these parts, took */
};

/* Creates the log under a temporary name. It goes into the innermost of the date directories and the configured one
 * above them that exists, is safe from other users, and is writable: one owned by root, by the owner of the directory
 * above it, or by this user. Only if there is none, an unsafe one is used. A missing directory is created below one
 * that this user owns. No symbolic link is followed below the configured directory. Returns 0, or an errno with
 * `f->path` saying what could not be opened. */
int dsn__log_file_create(struct dsn_log_file *f, const struct dsn_log_identity *identity);

/* Called before writing a log to which other processes of the same user write, too: stores its path in `out`, and makes
 * this process's writes synchronous (see dsn__log_write_regions). NULL on failure. */
const char *dsn__log_admit_writers(struct dsn_log_file *f, char *out, size_t size);

/* Gives the complete file its mode and its final name; `seconds`: time spent writing. Returns 0 or an errno. */
int dsn__log_file_publish(struct dsn_log_file *f, int64_t seconds);

/* Removes the file that a process was writing when it was killed. */
void dsn__log_file_drop_partial(const struct dsn_log_identity *identity);

/* Calls `use` with each existing directory of these, whoever owns it, innermost first, until it returns non-zero;
 * returns that. `date` NULL: without date directories. */
bool dsn__log_each_directory(const char *path, const struct tm *date, bool (*use)(int dir, void *context),
                             void *context);

/* Removes the incomplete file. */
void dsn__log_file_discard(struct dsn_log_file *f);

#endif

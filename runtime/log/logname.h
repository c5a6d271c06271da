/* logname.h - where the log goes and what it is called
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_LOGNAME_H
#define DSN_LOG_LOGNAME_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/origin.h"

/* Whose log it is: what its name, its place and the job in it are made of. Texts are the caller's. */
struct dsn_log_identity {
    const char *user, *program; /* as parts of a file's name */
    const char *exe;            /* command line */
    const char *hints;          /* NULL or empty: none */
    int64_t jobid, pid;
    uint64_t key; /* a number that no other log has */
    struct tm start;
    const char *directory, *logfile; /* where it goes: the latter, if it is not empty */
    int is_flat;                     /* no directories of the date below `directory` */
    enum dsn_log_of log_of;
    int stands_in; /* the log is made on behalf of this process, which may have been killed while writing it */
};

/* A log being written: a directory that is open, and names in it. Source: spec runtime.md 2.1 to 2.3. */
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

/* Opens the log for writing under a name that does not exist yet. It goes into the innermost of the directories of
 * year, month and day, and the configured one above them, that is there, is safe from other users, and can be written
 * to: one whose owner is root, the owner of the directory above it, or this user. Only if there is none it is one of
 * others. What is missing is made in a directory that is this user's own. No symbolic link is followed below the
 * configured directory. Returns 0, or an errno with `f->path` saying what could not be opened. */
int dsn__log_create(struct dsn_log_file *f, const struct dsn_log_identity *who);

/* Before anything is written, for a log to which other processes of the same user write, too: its path into `out`; what
 * this process writes is synchronous from now on (see dsn__log_write_part). NULL: that cannot be. */
const char *dsn__log_share(struct dsn_log_file *f, char *out, size_t size);

/* The complete file gets its mode and its final name; `seconds` is how long writing took. Returns 0 or an errno. */
int dsn__log_finish(struct dsn_log_file *f, int64_t seconds);

/* Takes away what it was writing when it was killed. */
void dsn__log_drop_partial(const struct dsn_log_identity *who);

/* Calls `use` with those of these directories that there are, whoever's, the innermost first, until it does not return
 * 0; returns what it returned. `date` NULL: there is one. */
int dsn__log_places(const char *path, const struct tm *date, int (*use)(int dir, void *context), void *context);

/* Takes the incomplete file away. */
void dsn__log_discard(struct dsn_log_file *f);

#endif

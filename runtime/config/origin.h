/* origin.h - what the log will be called and where it goes, known from the start: another process may have to write it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_ORIGIN_H
#define DSN_CONFIG_ORIGIN_H

#include <stdint.h>

#include "config/settings.h"

#define DSN_USER_MAX    8   /* characters of the user's name: what every tool expects */
#define DSN_PROGRAM_MAX 128 /* characters of the program's name; with all the rest it fits a file name */

/* Whose log it is that DARSHAN_LOGFILE names: where there can be no survival file each process of a process tree makes
 * one. */
enum dsn_log_of {
    DSN_FIRST_LOG, /* the name is the log's */
    DSN_NEXT_LOG,  /* of a process that may have made one already, before an exec: the name, or one with its number */
    DSN_OTHER_LOG  /* of a process that another one of the process tree has started: the name with its number */
};

struct dsn_origin {
    uint64_t key; /* a number that no other log has; of MPI: rank 0's */
    int64_t jobid;
    char user[DSN_USER_MAX + 1], program[DSN_PROGRAM_MAX + 1]; /* as parts of a file's name */
    int is_flat;                                               /* no directories of the date below `directory` */
    int log_of;                                                /* enum dsn_log_of */
    char directory[1024], logfile[1024];                       /* absolute paths; "": none, or too long to be kept */
};

/* By the settings and the environment; malloc may be called. */
void dsn__origin_load(struct dsn_origin *o);

/* The directory for logs by settings and environment; *is_flat: without those of the date below it. */
const char *dsn__log_directory(const struct dsn_config *c, int *is_flat);

/* Part of what life/state.h composes. */
extern struct dsn_origin *const dsn__origin __attribute__((visibility("hidden")));

#endif

/* origin.h - name and location of the log, determined at start, because another process may have to write it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_ORIGIN_H
#define DSN_CONFIG_ORIGIN_H

#include <stdint.h>

#include "config/settings.h"

#define DSN_USER_MAX    8   /* characters of the user name: tools expect at most 8 */
#define DSN_PROGRAM_MAX 128 /* characters of the program name; chosen so that the whole file name fits */

/* How the process may use the name in DARSHAN_LOGFILE: without survival files each process of a process tree writes a
 * log of its own. */
enum dsn_log_of {
    DSN_FIRST_LOG, /* the first log: exactly that name */
    DSN_NEXT_LOG,  /* after an exec, the process may have written a log before: that name, or one with its pid if it
                    * exists */
    DSN_OTHER_LOG  /* another process of the tree: the name with its pid */
};

struct dsn_origin {
    uint64_t key; /* unique number of the log; with MPI: rank 0's */
    int64_t jobid;
    int64_t step, restart; /* Slurm's: number of the step, -1: none; times that the job was requeued */
    char user[DSN_USER_MAX + 1], program[DSN_PROGRAM_MAX + 1]; /* as they appear in the file's name */
    int is_flat;                                               /* no date directories below `directory` */
    int log_of;                                                /* enum dsn_log_of */
    int jobid_is_pid;                                          /* no scheduler has named the job */
    char machine[64];                                          /* "": unknown */
    char directory[1024], logfile[1024];                       /* absolute paths; "": none, or too long */
};

/* From settings and environment; may call malloc. */
void dsn__origin_load(struct dsn_origin *o);

/* The log directory, from settings and environment; *is_flat: without date directories. */
const char *dsn__log_directory(const struct dsn_config *c, int *is_flat);

/* Member of the state that life/state.h composes. */
extern struct dsn_origin *const dsn__origin __attribute__((visibility("hidden")));

#endif

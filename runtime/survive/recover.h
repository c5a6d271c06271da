/* recover.h - logs of jobs that could not make them
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_RECOVER_H
#define DSN_SURVIVE_RECOVER_H

#include <stddef.h>
#include <stdint.h>

enum dsn_recovered {
    DSN_RECOVERED,       /* there is a log now */
    DSN_RECOVER_NOTHING, /* nothing was left, or a log had been made of it: what was left is gone */
    DSN_RECOVER_RUNNING, /* some of its processes still run */
    DSN_RECOVER_FAILED   /* no log could be made; all stays */
};

/* Makes a log of these participants, whatever process they are of; its path into `path`. 0: it cannot be written. */
struct dsn_participants;
struct dsn_log_identity;
typedef int dsn_log_maker(struct dsn_participants *participants, const struct dsn_log_identity *who, char *path,
                          size_t size);

/* Makes a log of all that the processes of process tree `key` have left in `directory`, if none of them runs any more,
 * and takes it away when the log is on disk. `log_directory`: where it goes, without directories of the date; NULL:
 * where the job would have put it. `path` is where it is, or what is wrong. */
enum dsn_recovered dsn__recover(const char *directory, uint64_t key, const char *log_directory, dsn_log_maker *make,
                                char *path, size_t size);

/* Makes a log of a process tree that runs, as far as it has come, and changes nothing: `log` is its file, or a directory
 * in which it is named as usual. As above; DSN_RECOVER_NOTHING: none of it runs. In a process of its own, see
 * survive/salvage.h. */
enum dsn_recovered dsn__recover_running(const char *directory, uint64_t key, const char *log, dsn_log_maker *make,
                                        char *path, size_t size);

/* Whether the process with this number (as this process sees it) belongs to the process tree and runs. */
int dsn__recover_has(const char *directory, uint64_t key, int64_t pid);

/* What a process tree has left. */
struct dsn_leftovers {
    int64_t jobid;
    int survival_files, exit_records, running;
};
void dsn__recover_count(const char *directory, uint64_t key, struct dsn_leftovers *left);

#endif

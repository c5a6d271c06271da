/* recover.h - makes logs of jobs that could not write them
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_RECOVER_H
#define DSN_SURVIVE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dsn_recovered {
    DSN_RECOVERED,        /* a log was made */
    DSN_RECOVER_NEEDLESS, /* there was nothing for a log, or it was in an existing one: leftovers are removed */
    DSN_RECOVER_RUNNING,  /* some of its processes are still running */
    DSN_RECOVER_FAILED    /* no log could be made; everything is kept */
};

/* Writes a log of these participants; its path into `path`. Returns false on failure. */
struct dsn_participants;
struct dsn_log_identity;
typedef bool dsn_log_maker(struct dsn_participants *participants, const struct dsn_log_identity *identity, char *path,
                           size_t size);

/* Makes a log of everything that the processes of process tree `key` have left in `directory`, if none of them is
 * running any more, and removes it once the log is on disk. `log_directory`: where the log goes, without date
 * directories; NULL: where the job would have written it. `path` becomes its path, or the error. */
enum dsn_recovered dsn__recover(const char *directory, uint64_t key, const char *log_directory, dsn_log_maker *make,
                                char *path, size_t size);

/* Makes a log of a running process tree so far, and changes nothing: `log` is its file, or a directory in which it gets
 * the usual name. Otherwise as above; DSN_RECOVER_NEEDLESS: none of it is running. Run it in a process of its own, see
 * survive/salvage.h. */
enum dsn_recovered dsn__recover_running(const char *directory, uint64_t key, const char *log, dsn_log_maker *make,
                                        char *path, size_t size);

/* Whether the process with this pid (in the namespace of this process) belongs to the process tree and is running. */
bool dsn__recover_has(const char *directory, uint64_t key, int64_t pid);

/* Of which job a process tree is, and how much it has left. */
struct dsn_leftover_counts {
    int64_t jobid;
    int survival_files, exit_records, running;
};
void dsn__recover_count(const char *directory, uint64_t key, struct dsn_leftover_counts *left);

#endif

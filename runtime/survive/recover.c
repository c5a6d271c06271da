/* recover.c - makes a log from leftovers
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/names-in.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "base/text.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/who.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"
#include "log/log-file.h"
#include "log/participants.h"
#include "survive/add-participants.h"
#include "survive/exit-record.h"
#include "survive/identity.h"
#include "survive/leftovers.h"
#include "survive/survival.h"

#define PATIENCE INT64_C(10000000000) /* ns to wait for another process that makes the log */

/* The files of a process tree in a directory: its leftovers. */
struct tree_files {
    const char *directory,
        *log_directory; /* where they are, and where the log goes (NULL: where the job would have written it) */
    uint64_t key;
    dsn_log_maker *make;
    int dir;
    char prefix[32];
    struct dsn_names_in *names;
};

static bool is_survival_file(const struct tree_files *files, const char *name)
{
    return dsn__begins_with(name, files->prefix) && dsn__is_survival_file(name);
}

static bool is_exit_records(const struct tree_files *files, const char *name)
{
    return dsn__begins_with(name, files->prefix) && dsn__is_exit_records(name);
}

/* The process in a file's name. */
static int64_t number_in(const struct tree_files *files, const char *name)
{
    return dsn__number_in(name + strlen(files->prefix));
}

static void look(struct tree_files *files)
{
    dsn__names_in_free(files->names);
    lseek(files->dir, 0, SEEK_SET);
    files->names = dsn__names_in(files->dir);
}

static bool runs(const struct tree_files *files, const char *name)
{
    struct dsn_survival_identity f;

    return !dsn__survival_is_aside(name) && dsn__survival_read_identity(files->dir, name, geteuid(), &f) &&
           !dsn__owner_is_dead(&f.owner);
}

static bool any_runs(const struct tree_files *files)
{
    for (const char *name = NULL; files->names && (name = dsn__next_name(files->names, name));)
        if (is_survival_file(files, name) && runs(files, name))
            return true;
    return false;
}

/* ------------------------------------------------------------------ survival files */

/* Converts those of this release; others are kept. With `running` the processes may be alive, and nothing is removed.
 * Returns the number of files, of exit records, too, that should be readable but are not. */
static int convert_all(const struct tree_files *files, struct dsn_participants *participants, int running)
{
    int failed = 0;

    for (const char *name = NULL; files->names && (name = dsn__next_name(files->names, name));) {
        struct dsn_survival_identity f;
        char path[DSN_SURVIVAL_PATH_MAX + 64];

        if (is_exit_records(files, name) && dsn__exit_records_are_foreign(files->dir, name))
            failed++;
        if (!is_survival_file(files, name))
            continue;
        if (!dsn__survival_read_identity(files->dir, name, geteuid(), &f)) {
            failed++;
            continue;
        }
        if (f.is_empty) {
            if (!running)
                dsn__survival_remove_empty(files->dir, name);
            continue;
        }
        if ((size_t)dsn__format(path, sizeof path, "%s/%s", files->directory, name) >= sizeof path ||
            !dsn__leftover_add(path, participants, running && runs(files, name)))
            failed++;
    }
    return failed;
}

/* ------------------------------------------------------------------ the log */

#define UNREAD "cannot read what its processes have left, which stays: try again with more memory"

static void read_all(const struct tree_files *files, struct dsn_participants *participants)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];

    for (const char *name = NULL; files->names && (name = dsn__next_name(files->names, name));)
        if (is_exit_records(files, name) &&
            (size_t)dsn__format(path, sizeof path, "%s/%s", files->directory, name) < sizeof path)
            dsn__participants_add_exit_records(participants, path);
    dsn__participants_sort(participants);
}

/* The key in the name of a log of leftovers: there may be leftovers of a job's ranks on each node, and so a log per
 * node. The job's own log, which contains all ranks, is named by the process tree's key. */
static uint64_t key_of_log(const struct dsn_who *w)
{
    return w->member.is_mpi ? dsn_hash((const char *)&w->member.rank, sizeof w->member.rank, w->origin.key)
                            : dsn__process_tree_log_key(&w->member, w->origin.key);
}

static struct tm start_of(const struct dsn_who *w)
{
    const int64_t *t = w->local_start;

    return (struct tm){ .tm_year = (int)t[0],
                        .tm_mon = (int)t[1],
                        .tm_mday = (int)t[2],
                        .tm_hour = (int)t[3],
                        .tm_min = (int)t[4],
                        .tm_sec = (int)t[5] };
}

/* The log is named after the process that would have written it: the lowest rank, or the first process. */
static struct dsn_log_identity identity_of(const struct dsn_who *w)
{
    return (struct dsn_log_identity){ .user = w->origin.user,
                                      .program = w->origin.program,
                                      .exe = w->exe,
                                      .jobid = w->origin.jobid,
                                      .jobid_is_pid = w->origin.jobid_is_pid,
                                      .machine = w->origin.machine,
                                      .pid = dsn__pid_of(w->member.number),
                                      .key = dsn__process_tree_log_key(&w->member, w->origin.key),
                                      .run = dsn__run_of(&w->member, &w->origin),
                                      .step = w->origin.step,
                                      .restart = w->origin.restart,
                                      .start = start_of(w),
                                      .directory = w->origin.directory,
                                      .logfile = w->origin.logfile,
                                      .is_flat = w->origin.is_flat,
                                      .log_of = (enum dsn_log_of)w->origin.log_of,
                                      .stands_in = 1 };
}

static const struct dsn_who *chief(const struct dsn_participants *participants)
{
    const struct dsn_who *best = NULL;

    for (const struct dsn_exit_record *record = participants->exit_records; record; record = record->next)
        if (!best ||
            (record->who->member.is_mpi && (!best->member.is_mpi || record->who->member.rank < best->member.rank)))
            best = record->who;
    return best;
}

/* Removes those that were left to process `root`, or to all others; what cannot be read here is in no log. */
static void remove_exit_records(const struct tree_files *files, int64_t root, bool others)
{
    for (const char *name = NULL; files->names && (name = dsn__next_name(files->names, name));)
        if (is_exit_records(files, name) && (number_in(files, name) == root) != others &&
            !dsn__exit_records_are_foreign(files->dir, name))
            unlinkat(files->dir, name, 0);
}

/* The files of the process that the log is named after are removed last: until then the leftovers are known to be in
 * that log. */
static void remove_all(const struct tree_files *files, const struct dsn_participants *participants,
                       const struct dsn_who *last)
{
    dsn__participants_remove(participants, last->member.number, 1);
    remove_exit_records(files, last->member.root, true);
    remove_exit_records(files, last->member.root, false);
    dsn__participants_remove(participants, last->member.number, 0);
}

static bool is_log(const char *name, uint64_t key, const char *part)
{
    char text[32];

    dsn__format(text, sizeof text, "-%llu_", (unsigned long long)key);
    return strstr(name, text) && strstr(name, part) && strstr(name, ".darshan") && !strstr(name, ".darshan_partial");
}

/* Others, or the same user, may have created another file with that name. */
static bool is_own_file(int dir, const char *name)
{
    struct stat st;

    return dsn__sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_uid == geteuid() && st.st_nlink == 1;
}

static bool has_log_in(int dir, void *context)
{
    const struct dsn_who *w = context;
    struct dsn_names_in *names = dsn__names_in(dir);
    char part[64];
    int found = 0;

    dsn__format(part, sizeof part, "_"); /* MPI ranks: any rank's pid */
    if (!w->member.is_mpi)
        dsn__format(part, sizeof part, "-%lld_", (long long)dsn__pid_of(w->member.number));
    for (const char *name = NULL; names && !found && (name = dsn__next_name(names, name));)
        found = (is_log(name, w->origin.key, part) || is_log(name, key_of_log(w), part)) && is_own_file(dir, name);
    dsn__names_in_free(names);
    return found;
}

/* Whether the process was killed after its log had got its final name, but before everything it was made of was
 * removed. */
static bool has_log(const struct dsn_who *w)
{
    const struct tm start = start_of(w);

    return dsn__log_each_directory(w->origin.directory, w->origin.is_flat ? NULL : &start, has_log_in,
                                   (void *)(uintptr_t)w);
}

/* A process that was killed before it counted anything leaves no more than its pid; a process with no leftovers says
 * so. */
static bool has_records(const struct dsn_participants *participants)
{
    for (const struct dsn_exit_record *record = participants->exit_records; record; record = record->next)
        if (record->source.first || record->row.v[RANK_MISSED].i > 0 || !record->who->was_killed)
            return true;
    return false;
}

static enum dsn_recovered make_log(const struct tree_files *files, struct dsn_participants *participants, char *path,
                                   size_t size)
{
    struct dsn_log_identity log;
    const struct dsn_who *who;

    read_all(files, participants);
    if (participants->are_unread) {
        dsn__format(path, size, UNREAD);
        return DSN_RECOVER_FAILED;
    }
    who = chief(participants);
    if (!who)
        return DSN_RECOVER_NEEDLESS;
    if (!has_records(participants) || has_log(who)) {
        remove_all(files, participants, who);
        return DSN_RECOVER_NEEDLESS;
    }
    log = identity_of(who);
    dsn__log_file_drop_partial(&log);
    log.key = key_of_log(who);
    if (files->log_directory) {
        log.directory = files->log_directory;
        log.is_flat = 1;
        log.logfile = "";
    }
    participants->is_recovered = 1;
    if (!dsn__participants_assign_ranks(participants, NULL, NULL, 0) || !files->make(participants, &log, path, size)) {
        dsn__format(path, size, "cannot write the log");
        return DSN_RECOVER_FAILED;
    }
    remove_all(files, participants, who);
    return DSN_RECOVERED;
}

/* Whether the open file no longer has this name. */
static bool is_replaced(const struct tree_files *files, const char *name, int fd)
{
    struct stat open, there;

    if (dsn__sys_fstatat(files->dir, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return dsn__sys_fstat(fd, &open) == 0 && (open.st_dev != there.st_dev || open.st_ino != there.st_ino);
}

/* One process at a time; a second one finds nothing. A process that waited for a lock file which its owner has removed
 * does not block later ones: it waits for theirs. A lock that is held too long is not ours. */
static int lock(const struct tree_files *files)
{
    const struct timespec nap = { 0, 2000000 };
    const int64_t begin = dsn__now();
    char name[64];
    int fd;

    dsn__format(name, sizeof name, "%s0.lock", files->prefix);
    do {
        fd = dsn__open_file(files->dir, name, O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && !is_replaced(files, name, fd))
            return fd;
        close(fd);
        nanosleep(&nap, NULL);
    } while (dsn__now() - begin < PATIENCE);
    errno = ETIMEDOUT;
    return -1;
}

static void unlock(const struct tree_files *files, int fd)
{
    char name[64];

    dsn__format(name, sizeof name, "%s0.lock", files->prefix);
    unlinkat(files->dir, name, 0);
    close(fd);
}

static enum dsn_recovered recover(struct tree_files *files, char *path, size_t size)
{
    struct dsn_participants m = { 0 };
    enum dsn_recovered r;
    int failed;

    look(files);
    if (any_runs(files)) {
        dsn__format(path, size, "some of its processes are still running");
        return DSN_RECOVER_RUNNING;
    }
    failed = convert_all(files, &m, 0);
    look(files);
    r = make_log(files, &m, path, size);
    if (r == DSN_RECOVER_NEEDLESS && failed > 0) {
        dsn__format(path, size,
                    "%d of its files cannot be read, or belong to another release: use that release's darshan-recover",
                    failed);
        return DSN_RECOVER_FAILED;
    }
    return r;
}

static bool open_files(struct tree_files *files, const char *directory, uint64_t key)
{
    *files = (struct tree_files){ .directory = directory, .key = key };
    files->dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    dsn__format(files->prefix, sizeof files->prefix, "k%016llx-", (unsigned long long)key);
    if (files->dir < 0)
        return false;
    look(files);
    return true;
}

static void close_files(struct tree_files *files)
{
    dsn__names_in_free(files->names);
    if (files->dir >= 0)
        close(files->dir);
}

/* ------------------------------------------------------------------ running jobs */

static struct dsn_log_identity identity_of_running(const struct dsn_who *w, const char *file)
{
    struct dsn_log_identity log = identity_of(w);
    struct stat st;

    log.logfile = file;
    if (dsn__sys_fstatat(AT_FDCWD, file, &st, 0) == 0 && S_ISDIR(st.st_mode)) {
        log.logfile = "";
        log.directory = file;
        log.is_flat = 1;
    }
    return log;
}

enum dsn_recovered dsn__recover_running(const char *directory, uint64_t key, const char *log, dsn_log_maker *make,
                                        char *path, size_t size)
{
    enum dsn_recovered r = DSN_RECOVER_FAILED;
    struct dsn_participants m = { 0 };
    struct dsn_log_identity identity;
    struct tree_files files;
    int failed;

    if (!open_files(&files, directory, key)) {
        dsn__format(path, size, "%s", strerror(errno));
        return r;
    }
    failed = convert_all(&files, &m, 1);
    look(&files);
    /* of processes that have ended, or end meanwhile: an exit record is written before the survival file is removed */
    read_all(&files, &m);
    m.is_recovered = 1;
    if (m.are_unread) {
        dsn__format(path, size, UNREAD);
    } else if (!chief(&m) || !any_runs(&files)) {
        dsn__format(path, size, failed > 0 ? "it is ending, or its library is from another release" : "it has ended");
        r = DSN_RECOVER_NEEDLESS;
    } else {
        identity = identity_of_running(chief(&m), log);
        dsn__format(path, size, "cannot write the log");
        if (dsn__participants_assign_ranks(&m, NULL, NULL, 0) && make(&m, &identity, path, size))
            r = DSN_RECOVERED;
    }
    close_files(&files);
    return r;
}

bool dsn__recover_has(const char *directory, uint64_t key, int64_t pid)
{
    struct tree_files files;
    int found = 0;

    if (!open_files(&files, directory, key))
        return false;
    for (const char *name = NULL; !found && files.names && (name = dsn__next_name(files.names, name));)
        found = is_survival_file(&files, name) && dsn__pid_of(number_in(&files, name)) == pid && runs(&files, name);
    close_files(&files);
    return found;
}

void dsn__recover_count(const char *directory, uint64_t key, struct dsn_leftover_counts *left)
{
    struct dsn_participants m = { 0 };
    struct dsn_survival_identity f;
    struct tree_files files;

    *left = (struct dsn_leftover_counts){ 0 };
    if (!open_files(&files, directory, key))
        return;
    for (const char *name = NULL; files.names && (name = dsn__next_name(files.names, name));)
        if (is_survival_file(&files, name) && dsn__survival_read_identity(files.dir, name, geteuid(), &f) &&
            !f.is_empty) {
            if (left->survival_files++ == 0 || f.is_mpi) /* a rank's own children count by it */
                left->jobid = f.jobid;
        }
    left->running = any_runs(&files);
    read_all(&files, &m);
    for (const struct dsn_exit_record *record = m.exit_records; record; record = record->next) {
        if (left->exit_records++ == 0 && left->survival_files == 0)
            left->jobid = record->who->origin.jobid;
    }
    close_files(&files);
}

enum dsn_recovered dsn__recover(const char *directory, uint64_t key, const char *log_directory, dsn_log_maker *make,
                                char *path, size_t size)
{
    enum dsn_recovered r = DSN_RECOVER_FAILED;
    struct tree_files files;
    int fd;

    if (!open_files(&files, directory, key)) {
        dsn__format(path, size, "%s", strerror(errno));
        return r;
    }
    fd = lock(&files);
    if (fd >= 0) {
        files.log_directory = log_directory;
        files.make = make;
        r = recover(&files, path, size);
        unlock(&files, fd);
    } else {
        dsn__format(path, size, "cannot lock it: %s", strerror(errno));
    }
    close_files(&files);
    return r;
}

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

/* Leftovers of a process tree. */
struct leftovers {
    const char *directory,
        *log_directory; /* where they are, and where the log goes (NULL: where the job would have written it) */
    uint64_t key;
    dsn_log_maker *make;
    int dir;
    char prefix[32];
    struct dsn_names_in *names;
};

static bool is_survival_file(const struct leftovers *leftovers, const char *name)
{
    return dsn__begins_with(name, leftovers->prefix) && dsn__is_survival_file(name);
}

static bool is_exit_records(const struct leftovers *leftovers, const char *name)
{
    return dsn__begins_with(name, leftovers->prefix) && dsn__is_exit_records(name);
}

/* The process in a file's name. */
static int64_t number_in(const struct leftovers *leftovers, const char *name)
{
    return dsn__number_in(name + strlen(leftovers->prefix));
}

static void look(struct leftovers *leftovers)
{
    dsn__names_in_free(leftovers->names);
    lseek(leftovers->dir, 0, SEEK_SET);
    leftovers->names = dsn__names_in(leftovers->dir);
}

static bool runs(const struct leftovers *leftovers, const char *name)
{
    struct dsn_survival_identity f;

    return !dsn__survival_is_aside(name) && dsn__survival_read_identity(leftovers->dir, name, geteuid(), &f) &&
           !dsn__owner_is_dead(&f.owner);
}

static bool any_runs(const struct leftovers *leftovers)
{
    for (const char *name = NULL; leftovers->names && (name = dsn__next_name(leftovers->names, name));)
        if (is_survival_file(leftovers, name) && runs(leftovers, name))
            return true;
    return false;
}

/* ------------------------------------------------------------------ survival files */

/* Converts those of this release; others are kept. With `running` the processes may be alive, and nothing is removed.
 * Returns the number of files, of exit records, too, that should be readable but are not. */
static int convert_all(const struct leftovers *leftovers, struct dsn_participants *participants, int running)
{
    int failed = 0;

    for (const char *name = NULL; leftovers->names && (name = dsn__next_name(leftovers->names, name));) {
        struct dsn_survival_identity f;
        char path[DSN_SURVIVAL_PATH_MAX + 64];

        if (is_exit_records(leftovers, name) && dsn__exit_records_are_foreign(leftovers->dir, name))
            failed++;
        if (!is_survival_file(leftovers, name))
            continue;
        if (!dsn__survival_read_identity(leftovers->dir, name, geteuid(), &f)) {
            failed++;
            continue;
        }
        if (f.is_empty) {
            if (!running)
                dsn__survival_remove_empty(leftovers->dir, name);
            continue;
        }
        if ((size_t)dsn__format(path, sizeof path, "%s/%s", leftovers->directory, name) >= sizeof path ||
            !dsn__leftover_add(path, participants, running && runs(leftovers, name)))
            failed++;
    }
    return failed;
}

/* ------------------------------------------------------------------ the log */

static void read_all(const struct leftovers *leftovers, struct dsn_participants *participants)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];

    for (const char *name = NULL; leftovers->names && (name = dsn__next_name(leftovers->names, name));)
        if (is_exit_records(leftovers, name) &&
            (size_t)dsn__format(path, sizeof path, "%s/%s", leftovers->directory, name) < sizeof path)
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
static void remove_exit_records(const struct leftovers *leftovers, int64_t root, bool others)
{
    for (const char *name = NULL; leftovers->names && (name = dsn__next_name(leftovers->names, name));)
        if (is_exit_records(leftovers, name) && (number_in(leftovers, name) == root) != others &&
            !dsn__exit_records_are_foreign(leftovers->dir, name))
            unlinkat(leftovers->dir, name, 0);
}

/* The files of the process that the log is named after are removed last: until then the leftovers are known to be in
 * that log. */
static void remove_all(const struct leftovers *leftovers, const struct dsn_participants *participants,
                       const struct dsn_who *last)
{
    dsn__participants_remove(participants, last->member.number, 1);
    remove_exit_records(leftovers, last->member.root, true);
    remove_exit_records(leftovers, last->member.root, false);
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

static enum dsn_recovered make_log(const struct leftovers *leftovers, struct dsn_participants *participants, char *path,
                                   size_t size)
{
    struct dsn_log_identity log;
    const struct dsn_who *who;

    read_all(leftovers, participants);
    who = chief(participants);
    if (!who)
        return DSN_RECOVER_NOTHING;
    if (!has_records(participants) || has_log(who)) {
        remove_all(leftovers, participants, who);
        return DSN_RECOVER_NOTHING;
    }
    log = identity_of(who);
    dsn__log_file_drop_partial(&log);
    log.key = key_of_log(who);
    if (leftovers->log_directory) {
        log.directory = leftovers->log_directory;
        log.is_flat = 1;
        log.logfile = "";
    }
    participants->is_recovered = 1;
    if (!dsn__participants_assign_ranks(participants, NULL, NULL, 0) ||
        !leftovers->make(participants, &log, path, size)) {
        dsn__format(path, size, "cannot write the log");
        return DSN_RECOVER_FAILED;
    }
    remove_all(leftovers, participants, who);
    return DSN_RECOVERED;
}

/* Whether the open file no longer has this name. */
static bool is_replaced(const struct leftovers *leftovers, const char *name, int fd)
{
    struct stat open, there;

    if (dsn__sys_fstatat(leftovers->dir, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return dsn__sys_fstat(fd, &open) == 0 && (open.st_dev != there.st_dev || open.st_ino != there.st_ino);
}

/* One process at a time; a second one finds nothing. A process that waited for a lock file which its owner has removed
 * does not block later ones: it waits for theirs. A lock that is held too long is not ours. */
static int lock(const struct leftovers *leftovers)
{
    const struct timespec nap = { 0, 2000000 };
    const int64_t begin = dsn__now();
    char name[64];
    int fd;

    dsn__format(name, sizeof name, "%s0.lock", leftovers->prefix);
    do {
        fd = dsn__open_file(leftovers->dir, name, O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && !is_replaced(leftovers, name, fd))
            return fd;
        close(fd);
        nanosleep(&nap, NULL);
    } while (dsn__now() - begin < PATIENCE);
    errno = ETIMEDOUT;
    return -1;
}

static void unlock(const struct leftovers *leftovers, int fd)
{
    char name[64];

    dsn__format(name, sizeof name, "%s0.lock", leftovers->prefix);
    unlinkat(leftovers->dir, name, 0);
    close(fd);
}

static enum dsn_recovered recover(struct leftovers *leftovers, char *path, size_t size)
{
    struct dsn_participants m = { 0 };
    enum dsn_recovered r;
    int failed;

    look(leftovers);
    if (any_runs(leftovers)) {
        dsn__format(path, size, "some of its processes are still running");
        return DSN_RECOVER_RUNNING;
    }
    failed = convert_all(leftovers, &m, 0);
    look(leftovers);
    r = make_log(leftovers, &m, path, size);
    if (r == DSN_RECOVER_NOTHING && failed > 0) {
        dsn__format(path, size,
                    "%d of its files cannot be read, or belong to another release: use that release's darshan-recover",
                    failed);
        return DSN_RECOVER_FAILED;
    }
    return r;
}

static bool open_leftovers(struct leftovers *leftovers, const char *directory, uint64_t key)
{
    *leftovers = (struct leftovers){ .directory = directory, .key = key };
    leftovers->dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    dsn__format(leftovers->prefix, sizeof leftovers->prefix, "k%016llx-", (unsigned long long)key);
    if (leftovers->dir < 0)
        return false;
    look(leftovers);
    return true;
}

static void close_leftovers(struct leftovers *leftovers)
{
    dsn__names_in_free(leftovers->names);
    if (leftovers->dir >= 0)
        close(leftovers->dir);
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
    struct leftovers leftovers;
    int failed;

    if (!open_leftovers(&leftovers, directory, key)) {
        dsn__format(path, size, "%s", strerror(errno));
        return r;
    }
    failed = convert_all(&leftovers, &m, 1);
    look(&leftovers);
    read_all(&leftovers,
             &m); /* of processes that have ended, or end meanwhile: an exit record is written before the survival file
                   * is removed */
    m.is_recovered = 1;
    if (!chief(&m) || !any_runs(&leftovers)) {
        dsn__format(path, size, failed > 0 ? "it is ending, or its library is from another release" : "it has ended");
        r = DSN_RECOVER_NOTHING;
    } else {
        identity = identity_of_running(chief(&m), log);
        dsn__format(path, size, "cannot write the log");
        if (dsn__participants_assign_ranks(&m, NULL, NULL, 0) && make(&m, &identity, path, size))
            r = DSN_RECOVERED;
    }
    close_leftovers(&leftovers);
    return r;
}

bool dsn__recover_has(const char *directory, uint64_t key, int64_t pid)
{
    struct leftovers leftovers;
    int found = 0;

    if (!open_leftovers(&leftovers, directory, key))
        return false;
    for (const char *name = NULL; !found && leftovers.names && (name = dsn__next_name(leftovers.names, name));)
        found = is_survival_file(&leftovers, name) && dsn__pid_of(number_in(&leftovers, name)) == pid &&
                runs(&leftovers, name);
    close_leftovers(&leftovers);
    return found;
}

void dsn__recover_count(const char *directory, uint64_t key, struct dsn_leftovers *left)
{
    struct dsn_participants m = { 0 };
    struct dsn_survival_identity f;
    struct leftovers leftovers;

    *left = (struct dsn_leftovers){ 0 };
    if (!open_leftovers(&leftovers, directory, key))
        return;
    for (const char *name = NULL; leftovers.names && (name = dsn__next_name(leftovers.names, name));)
        if (is_survival_file(&leftovers, name) && dsn__survival_read_identity(leftovers.dir, name, geteuid(), &f) &&
            !f.is_empty) {
            if (left->survival_files++ == 0 || f.is_mpi) /* a rank's own children count by it */
                left->jobid = f.jobid;
        }
    left->running = any_runs(&leftovers);
    read_all(&leftovers, &m);
    for (const struct dsn_exit_record *record = m.exit_records; record; record = record->next) {
        if (left->exit_records++ == 0 && left->survival_files == 0)
            left->jobid = record->who->origin.jobid;
    }
    close_leftovers(&leftovers);
}

enum dsn_recovered dsn__recover(const char *directory, uint64_t key, const char *log_directory, dsn_log_maker *make,
                                char *path, size_t size)
{
    enum dsn_recovered r = DSN_RECOVER_FAILED;
    struct leftovers leftovers;
    int fd;

    if (!open_leftovers(&leftovers, directory, key)) {
        dsn__format(path, size, "%s", strerror(errno));
        return r;
    }
    fd = lock(&leftovers);
    if (fd >= 0) {
        leftovers.log_directory = log_directory;
        leftovers.make = make;
        r = recover(&leftovers, path, size);
        unlock(&leftovers, fd);
    } else {
        dsn__format(path, size, "cannot lock it: %s", strerror(errno));
    }
    close_leftovers(&leftovers);
    return r;
}

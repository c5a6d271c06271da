/* identity.c - reads the identity of a survival file's process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/identity.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "config/who.h"
#include "survive/survival.h"

int dsn__survival_open_at(int dir, const char *name, unsigned uid, struct stat *st)
{
    const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && (dsn__sys_fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_uid != uid)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Reads the head; what the file lacks is zero. */
static ssize_t read_beginning(int fd, struct dsn_survival_head *b)
{
    memset(b, 0, sizeof *b);
    return pread(fd, b, sizeof *b, 0);
}

/* Checks the liveness lock, then reads the head: before a process that execs releases the lock, it says so in the head.
 * If the file is being created meanwhile, its head first says that it is locked. */
static ssize_t ask_twice(int fd, struct dsn_survival_head *b, enum dsn_liveness *hold)
{
    int was_locked;
    ssize_t n = read_beginning(fd, b);

    if (n < 0)
        return n;
    was_locked = b->survival_file.is_locked;
    *hold = dsn__liveness_of(fd);
    n = read_beginning(fd, b);
    if (*hold == DSN_LIVENESS_NOBODY && b->survival_file.is_locked && !was_locked)
        *hold = DSN_LIVENESS_SOMEBODY;
    return n;
}

/* The pid in the file's name. */
static int64_t number_of(const char *name)
{
    const char *base = strrchr(name, '/'), *dash = strchr(base ? base : name, '-');

    return dash ? dsn__number_in(dash + 1) : 0;
}

/* For an unfinished file only the name says anything. */
static struct dsn_owner owner_of(const struct dsn_survival_head *b, const char *name, enum dsn_liveness hold)
{
    if (b->survival_file.layout != dsn__survival_layout())
        return (struct dsn_owner){ .hold = hold,
                                   .was_locked = hold == DSN_LIVENESS_NOBODY,
                                   .pid = dsn__pid_of(number_of(name)),
                                   .space = hold == DSN_LIVENESS_UNKNOWN ? dsn__pid_space() : 0,
                                   .created = INT64_MAX };
    return (struct dsn_owner){ .hold = hold,
                               .was_locked = b->survival_file.is_locked,
                               .executes = b->survival_file.executes,
                               .pid = dsn__pid_of(b->member.number),
                               .space = b->member.pid_space,
                               .created = b->survival_file.created };
}

bool dsn__survival_read_identity(int dir, const char *name, unsigned uid, struct dsn_survival_identity *identity)
{
    struct dsn_survival_head s;
    struct stat st;
    enum dsn_liveness hold = DSN_LIVENESS_UNKNOWN;
    const int fd = dsn__survival_open_at(dir, name, uid, &st);
    const ssize_t n = fd >= 0 ? ask_twice(fd, &s, &hold) : -1;
    int ok = n >= 0;

    /* a file that is too short is that of a process killed while creating it */
    if (ok && (n < (ssize_t)sizeof s || s.survival_file.magic == 0 || st.st_size < (off_t)dsn__survival_state_size))
        *identity = (struct dsn_survival_identity){ .is_empty = 1 };
    else if ((ok = ok && s.survival_file.magic == DSN_SURVIVAL_MAGIC &&
                   s.survival_file.layout == dsn__survival_layout()))
        *identity = (struct dsn_survival_identity){ .pid = s.member.number,
                                                    .root = s.member.root,
                                                    .parent = s.member.parent,
                                                    .rank = s.member.rank,
                                                    .nranks = s.member.nranks,
                                                    .is_mpi = s.member.is_mpi,
                                                    .key = s.origin.key,
                                                    .jobid = s.origin.jobid };
    if (ok)
        identity->owner = owner_of(&s, name, hold);
    if (fd >= 0)
        close(fd);
    return ok;
}

void dsn__survival_remove_empty(int dir, const char *name)
{
    const int fd = dsn__liveness_prevent(dir, name);
    uint64_t magic = 0;

    if (fd >= 0 && pread(fd, &magic, sizeof magic, 0) >= 0 && magic == 0)
        unlinkat(dir, name, 0);
    if (fd >= 0)
        close(fd);
}

const struct dsn_naming dsn__namings[DSN_NNAMINGS] = {
    { DSN_TREE_VARIABLE, DSN_SURVIVAL_SUFFIX, DSN_EXIT_RECORDS_SUFFIX },
    { "DARSHAN_FAMILY", ".image", ".spools" },
};

static bool ends_with(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);

    return n > m && strcmp(name + n - m, suffix) == 0;
}

bool dsn__is_survival_file(const char *name)
{
    for (unsigned i = 0; i < DSN_NNAMINGS; i++)
        if (ends_with(name, dsn__namings[i].survival_file))
            return true;
    return false;
}

bool dsn__is_exit_records(const char *name)
{
    for (unsigned i = 0; i < DSN_NNAMINGS; i++)
        if (ends_with(name, dsn__namings[i].exit_records))
            return true;
    return false;
}

bool dsn__survival_is_aside(const char *name)
{
    const char *base = strrchr(name, '/'), *dash = strchr(base ? base : name, '-');

    return dash && strchr(dash + 1, '-');
}

/* facts.c - what an image says of its process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/facts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "config/who.h"
#include "survive/image.h"

int dsn__image_open_at(int dir, const char *name, unsigned uid, struct stat *st)
{
    const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && (dsn__sys_fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_uid != uid)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Bytes; what is not there is zero. */
static ssize_t read_beginning(int fd, struct dsn_image_head *b)
{
    memset(b, 0, sizeof *b);
    return pread(fd, b, sizeof *b, 0);
}

/* Whether somebody holds it, and after that its beginning: it was told before the image is held no more that its process
 * executes another program. Of one that comes to be in these moments the beginning says first that it is held. */
static ssize_t ask_twice(int fd, struct dsn_image_head *b, enum dsn_hold *hold)
{
    int was_held;
    ssize_t n = read_beginning(fd, b);

    if (n < 0)
        return n;
    was_held = b->image.is_held;
    *hold = dsn__hold_ask(fd);
    n = read_beginning(fd, b);
    if (*hold == DSN_HOLD_NOBODY && b->image.is_held && !was_held)
        *hold = DSN_HOLD_SOMEBODY;
    return n;
}

/* The number of the process that the file is named by. */
static int64_t number_of(const char *name)
{
    const char *base = strrchr(name, '/'), *dash = strchr(base ? base : name, '-');

    return dash ? dsn__number_in(dash + 1) : 0;
}

/* Of one that was not finished only the name tells, if that. */
static struct dsn_holder holder_of(const struct dsn_image_head *b, const char *name, enum dsn_hold hold)
{
    if (b->image.layout != dsn__image_layout())
        return (struct dsn_holder){ .hold = hold,
                                    .is_held = hold == DSN_HOLD_NOBODY,
                                    .pid = dsn__pid_of(number_of(name)),
                                    .space = hold == DSN_HOLD_UNKNOWN ? dsn__pid_space() : 0,
                                    .created = INT64_MAX };
    return (struct dsn_holder){ .hold = hold,
                                .is_held = b->image.is_held,
                                .executes = b->image.executes,
                                .pid = dsn__pid_of(b->family.pid),
                                .space = b->family.pid_space,
                                .created = b->image.created };
}

int dsn__image_ask(int dir, const char *name, unsigned uid, struct dsn_image_facts *facts)
{
    struct dsn_image_head s;
    struct stat st;
    enum dsn_hold hold = DSN_HOLD_UNKNOWN;
    const int fd = dsn__image_open_at(dir, name, uid, &st);
    const ssize_t n = fd >= 0 ? ask_twice(fd, &s, &hold) : -1;
    int ok = n >= 0;

    /* one that is too short is that of a process that was killed while it made it */
    if (ok && (n < (ssize_t)sizeof s || s.image.magic == 0 || st.st_size < (off_t)dsn__image_state_size))
        *facts = (struct dsn_image_facts){ .is_empty = 1 };
    else if ((ok = ok && s.image.magic == DSN_IMAGE_MAGIC && s.image.layout == dsn__image_layout()))
        *facts = (struct dsn_image_facts){ .pid = s.family.pid,
                                           .host = s.family.host,
                                           .parent = s.family.parent,
                                           .rank = s.family.rank,
                                           .nranks = s.family.nranks,
                                           .is_mpi = s.family.is_mpi,
                                           .key = s.origin.key,
                                           .jobid = s.origin.jobid };
    if (ok)
        facts->holder = holder_of(&s, name, hold);
    if (fd >= 0)
        close(fd);
    return ok;
}

void dsn__image_remove_empty(int dir, const char *name)
{
    const int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    uint64_t magic = 0;

    if (fd >= 0 && dsn__hold_refuse(fd) && pread(fd, &magic, sizeof magic, 0) >= 0 && magic == 0)
        unlinkat(dir, name, 0);
    if (fd >= 0)
        close(fd);
}

int dsn__image_is_aside(const char *name)
{
    const char *base = strrchr(name, '/'), *dash = strchr(base ? base : name, '-');

    return dash && strchr(dash + 1, '-');
}

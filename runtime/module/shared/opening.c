/* opening.c - what opens for writing found
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/opening.h"

#include <time.h>

#include "base/kernel.h"

#define SECOND 1000000000

/* The clock of file systems moves in steps of up to 10 ms, and of one or two seconds where they store no more of one of
 * both times; one may be the time of the server, the other that of the client. */
static int64_t step_of(const struct dsn_birth *b)
{
    return b->born % SECOND == 0 || b->modified % SECOND == 0 ? 2 * (int64_t)SECOND : 10000000;
}

static bool is_near(int64_t a, int64_t b, int64_t distance)
{
    return a - b <= distance && b - a <= distance;
}

static int64_t time_of_day(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

/* Parallel file systems tell at once how much of a file this node knows, which may be nothing; to ask the servers is
 * expensive where many ranks open one file. Their blocks are large, those of local file systems are pages. */
static bool is_size_vague(const struct dsn_birth *b, int flags)
{
    return b->size == 0 && !(flags & (O_TRUNC | O_APPEND)) && b->block > 65536;
}

/* A file that nothing has modified since its birth was created by this open; dropping the content of an older one has
 * modified it. Without O_TRUNC it may also be an older file that is empty: then its birth is long ago. */
static enum dsn_was_there finding_of(const struct dsn_birth *b, int flags)
{
    const int64_t lately = 2 * (int64_t)SECOND;
    const bool is_untouched = b->born != 0 && is_near(b->born, b->modified, step_of(b));

    if (b->size > 0)
        return DSN_WAS_CONTENT;
    if ((flags & O_CREAT) && is_untouched && ((flags & O_TRUNC) || is_near(b->born, time_of_day(), lately)))
        return DSN_WAS_NOTHING;
    if ((flags & O_CREAT) && b->born == 0)
        return DSN_WAS_UNKNOWN;
    if (flags & O_TRUNC)
        return DSN_WAS_CONTENT;
    return is_size_vague(b, flags) ? DSN_WAS_CONTENT : DSN_WAS_EMPTY;
}

void dsn__opening_ask(int fd, int flags, struct dsn_opened *found)
{
    const bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE, creates = (flags & O_CREAT) || is_nameless;
    struct dsn_birth b;

    if (!creates && (flags & O_TRUNC)) /* content, or an empty file, as before */
        return;
    if (creates && ((flags & O_EXCL) || is_nameless)) {
        found->what = DSN_WAS_NOTHING;
        found->size = 0;
        return;
    }
    found->what = DSN_WAS_UNKNOWN;
    if (fd < 0 || dsn__sys_birth(fd, flags & O_APPEND, &b) != 0)
        return;
    found->mode = b.mode;
    found->is_for_writing = S_ISREG(b.mode);
    found->what = finding_of(&b, flags);
    if (found->what == DSN_WAS_NOTHING)
        found->size = 0;
    else if (!(flags & O_TRUNC) && !is_size_vague(&b, flags))
        found->size = b.size;
}

void dsn__opening_count(union dsn_val *v, int flags, const struct dsn_opened *found, bool is_of_many)
{
    if (v[FILE_WRITE_OPENS].i == 0 && !is_of_many)
        v[FILE_SIZE_BEFORE].i = found->size + 1;
    v[FILE_WRITE_OPENS].i++;
    v[FILE_CREATED].i += found->what == DSN_WAS_NOTHING;
    v[FILE_FOUND_EMPTY].i += found->what == DSN_WAS_EMPTY;
    v[FILE_TRUNCATED].i += found->what == DSN_WAS_CONTENT && (flags & O_TRUNC);
    v[FILE_UNKNOWN].i += found->what == DSN_WAS_UNKNOWN && (flags & O_CREAT);
}

/* What this process has itself written is no content that was there before. */
void dsn__opening_emptied(union dsn_val *v)
{
    v[FILE_TRUNCATED].i += v[FILE_TRUNCATED].i == 0 && v[FILE_SIZE_BEFORE].i > 1;
}

/* opening.c - what opens for writing found
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/opening.h"

#include <stddef.h>
#include <time.h>

#include "base/kernel.h"
#include "darshan-log-format/index.h"

#define SECOND 1000000000

/* The clock of file systems moves in steps of up to 10 ms, and in whole seconds where they store no more; one is the
 * time of the server, the other that of the client. */
static int64_t step_of(const struct dsn_birth *b)
{
    return b->born % SECOND == 0 && b->modified % SECOND == 0 ? SECOND : 10000000;
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

/* A file that nothing has modified since its birth was created by this open; dropping the content of an older one has
 * modified it. Without O_TRUNC it may also be an older file that is empty: then its birth is long ago. */
static enum dsn_finding finding_of(const struct dsn_birth *b, int flags)
{
    const int64_t lately = 2 * (int64_t)SECOND;
    const bool is_untouched = b->born != 0 && is_near(b->born, b->modified, step_of(b));

    if (b->size > 0)
        return DSN_FOUND_CONTENT;
    if (!(flags & O_CREAT))
        return DSN_FOUND_EMPTY;
    if (flags & O_TRUNC)
        return b->born == 0 ? DSN_FOUND_UNKNOWN : is_untouched ? DSN_FOUND_NOTHING : DSN_FOUND_CONTENT;
    return is_untouched && is_near(b->born, time_of_day(), lately) ? DSN_FOUND_NOTHING : DSN_FOUND_EMPTY;
}

void dsn__opening_ask(int fd, int flags, struct dsn_found *found)
{
    const bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE, creates = (flags & O_CREAT) || is_nameless;
    struct dsn_birth b;

    if (!creates && (flags & O_TRUNC)) /* content, or an empty file, as before */
        return;
    if (creates && ((flags & O_EXCL) || is_nameless)) {
        found->what = DSN_FOUND_NOTHING;
        found->size = 0;
        return;
    }
    found->what = DSN_FOUND_UNKNOWN;
    if (fd < 0 || dsn__sys_birth(fd, flags & O_TRUNC, &b) != 0)
        return;
    found->mode = b.mode;
    found->is_for_writing = S_ISREG(b.mode);
    found->what = finding_of(&b, flags);
    found->size = found->what == DSN_FOUND_NOTHING ? 0 : flags & O_TRUNC ? -1 : b.size;
}

void dsn__opening_count(struct dsn_opening *o, int flags, const struct dsn_found *found)
{
    if (o->write_opens == 0 && !o->is_of_many)
        o->size_before = found->size + 1;
    o->write_opens++;
    o->created += found->what == DSN_FOUND_NOTHING;
    o->found_empty += found->what == DSN_FOUND_EMPTY;
    o->truncated += found->what == DSN_FOUND_CONTENT && (flags & O_TRUNC);
    o->unknown += found->what == DSN_FOUND_UNKNOWN && (flags & O_TRUNC);
    atomic_store_explicit(&o->is_known, !o->is_of_many, memory_order_relaxed);
}

/* What this process has itself written is no content that was there before. */
void dsn__opening_emptied(struct dsn_opening *o)
{
    o->truncated += o->truncated == 0 && o->size_before > 1;
}

void dsn__opening_deleted(struct dsn_opening *o)
{
    o->deleted++;
    atomic_store_explicit(&o->is_known, 0, memory_order_relaxed);
}

void dsn__opening_publish(const struct dsn_opening *o, unsigned module, union dsn_val *v)
{
    v[FILE_MODULE].i = module;
    v[FILE_WRITE_OPENS].i = o->write_opens;
    v[FILE_CREATED].i = o->created;
    v[FILE_FOUND_EMPTY].i = o->found_empty;
    v[FILE_TRUNCATED].i = o->truncated;
    v[FILE_UNKNOWN].i = o->unknown;
    v[FILE_DELETED].i = o->deleted;
    v[FILE_SIZE_BEFORE].i = o->size_before;
    v[FILE_F_OPEN_TIME].i = o->open_time;
    v[FILE_F_CLOSE_TIME].i = o->close_time;
    v[FILE_F_SYNC_TIME].i = o->sync_time;
}

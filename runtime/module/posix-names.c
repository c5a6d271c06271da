/* posix-names.c - calls on file names, attributes and allocation
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/posix-names.h"

#include <linux/fs.h>

#include "module/posix.h"
#include "module/shared/calls.h"
#include "module/shared/mapped.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/record.h"

static struct dsn_record_state *known(int dirfd, const char *path)
{
    return path && path[0] != '\0' ? dsn__record_if_there(DSN_INDEX_POSIX, dirfd, path) : dsn__posix_of(dirfd);
}

void dsn__posix_touch(const struct dsn_span *s, int result, int fd)
{
    if (result >= 0 && dsn__posix_of(fd))
        dsn__posix_count_recordless(s, DSN_OTHER_METAS);
}

void dsn__posix_touch_at(const struct dsn_span *s, int result, int dirfd, const char *path)
{
    if (result >= 0 && known(dirfd, path))
        dsn__posix_count_recordless(s, DSN_OTHER_METAS);
}

void dsn__posix_remove(const struct dsn_span *s, int result, int dirfd, const char *path)
{
    if (result < 0 || dsn__path_known_excluded(DSN_INDEX_POSIX, path))
        return;
    if (!dsn__path_is_of_mpi(path)) /* as given: at each open by MPI-IO there are several */
        dsn__posix_count_recordless(s, DSN_DELETES);
    dsn__modules_note_gone(dirfd, path, 0);
}

/* The target gets a record only if the source has one: otherwise nothing is known about the file. */
static void note_rename(const struct dsn_span *s, struct dsn_record_state *source, int to_dir, const char *to)
{
    if (!source)
        return;
    dsn__posix_count(s, source, POSIX_RENAME_SOURCES);
    dsn__posix_renamed(dsn__record_at(DSN_INDEX_POSIX, to_dir, to), source->name->id);
}

void dsn__posix_rename(const struct dsn_span *s, int result, int from_dir, const char *from, int to_dir, const char *to,
                       unsigned flags)
{
    struct dsn_record_state *source, *other;

    if (result < 0)
        return;
    if (!dsn__path_known_excluded(DSN_INDEX_POSIX, from))
        dsn__posix_count_recordless(s, DSN_RENAMES);
    source = known(from_dir, from);
    other = (flags & RENAME_EXCHANGE) ? known(to_dir, to) : NULL;
    note_rename(s, source, to_dir, to);
    note_rename(s, other, from_dir, from);
    dsn__modules_note_gone(from_dir, from, 1);
}

void dsn__posix_resize(const struct dsn_span *s, int result, int fd, int64_t size, int may_shrink)
{
    struct dsn_record_state *state = result >= 0 ? dsn__posix_of(fd) : NULL;

    if (state)
        dsn__posix_count_recordless(s, DSN_OTHER_METAS);
    dsn__posix_sized(state, size, may_shrink);
    if (dsn__is_tracing_calls() && state && may_shrink)
        dsn__posix_trace_call(s, DSN_CALL_TRUNCATE, fd, size);
}

/* Its file is not known by the address. */
void dsn__posix_map_sync(const struct dsn_span *s, int result)
{
    if (result == 0)
        dsn__posix_count_recordless(s, DSN_MAP_SYNCS);
}

void dsn__posix_truncate(const struct dsn_span *s, int result, const char *path, int64_t size)
{
    struct dsn_record_state *state = result >= 0 ? known(AT_FDCWD, path) : NULL;

    if (state)
        dsn__posix_count_recordless(s, DSN_OTHER_METAS);
    dsn__posix_sized(state, size, 1);
    if (dsn__is_tracing_calls() && state)
        dsn__calls_add(s, DSN_CALL_TRUNCATE, dsn__calls_number(s, state->name->text), size, 0);
}

void dsn__posix_flush(const struct dsn_span *s, int result, int fd)
{
    if (result >= 0)
        dsn__posix_flushed(s, dsn__posix_of(fd), -1);
    if (dsn__is_tracing_calls() && result >= 0)
        dsn__posix_trace_call(s, DSN_CALL_SYNC, fd, 0);
}

/* Counts no time: page faults pay for the I/O later. */
void dsn__posix_map(int fd, const void *at, size_t size, int protection, int flags, int64_t offset)
{
    struct dsn_record_state *state = dsn__posix_of(fd);

    dsn__posix_count(NULL, state, POSIX_MMAPS);
    if (state)
        dsn__mapped_begins(state->name, fd, at, size, protection, flags, offset);
}

void dsn__posix_nameless(int fd)
{
    if (fd >= 0 && dsn__fd_description(fd))
        dsn__fd_set_description(fd, NULL, NULL);
}

void dsn__posix_nameless_pair(int result, const int fd[2])
{
    if (result < 0)
        return;
    dsn__posix_nameless(fd[0]);
    dsn__posix_nameless(fd[1]);
}

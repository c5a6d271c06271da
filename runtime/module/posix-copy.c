/* posix-copy.c - calls that copy between two descriptors inside the kernel
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted as a read of one file and, after it, a write of the other: each has half of the time, which was spent once. If
 * only one of them is a file that is counted, it has all of it. */
#include <config.h>

#include "module/posix-copy.h"

#include <stdbool.h>

#include "module/posix.h"
#include "record/fd.h"

/* `moved`, `grown`: what the call has done to the descriptor's position and to the file's size. */
static bool is_counted(int fd, int64_t moved, int64_t grown)
{
    const struct dsn_description *o = dsn__fd_description(fd);

    return dsn__description_is_unidentified(o) ? dsn__posix_identify(fd, moved, grown) != NULL : o != NULL;
}

void dsn__posix_copy(const struct dsn_span *s, ssize_t moved, int in, int64_t from, int out, int64_t to)
{
    struct dsn_span reading = *s, writing = *s;
    const int64_t bytes = moved > 0 ? moved : 0;
    const int is_read = is_counted(in, from == DSN_AT_CURSOR ? bytes : 0, 0);

    if (is_counted(out, to == DSN_AT_CURSOR ? bytes : 0, bytes) && is_read) {
        reading.end = writing.start = s->start + (s->end - s->start) / 2;
        writing.before += reading.end - reading.start;
    }
    dsn__posix_read(&reading, in, NULL, moved, from);
    dsn__posix_write(&writing, out, NULL, moved, to);
}

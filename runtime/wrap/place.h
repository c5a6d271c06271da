/* place.h - bytes moved by a stream call that does not return them, from the stream's position
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRAP_PLACE_H
#define DSN_WRAP_PLACE_H

#include <stdio.h>

#include "record/fd.h"
#include "record/span.h"

/* Position of the stream if its file is tracked; -1 otherwise. Call before the real call; preserves errno. */
static inline int64_t dsn__place(FILE *f)
{
    const int error = errno, before = dsn__own_begin();
    const int64_t at = dsn__stream_state(f) ? (int64_t)ftello(f) : -1;

    dsn__own_end(before);
    errno = error;
    return at;
}

/* Position after the real call; -1 if unknown, or if another thread has locked the stream: waiting for it could take
 * forever. */
static inline int64_t dsn__place_after(FILE *f)
{
    int64_t at;

    if (ftrylockfile(f) != 0)
        return -1;
    at = (int64_t)ftello(f);
    funlockfile(f);
    return at;
}

#endif

/* place.h - how far a stream went in a call that does not tell how many bytes it moved
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRAP_PLACE_H
#define DSN_WRAP_PLACE_H

#include <stdio.h>

#include "record/fd.h"
#include "record/span.h"

/* Where the stream is, if its file is tracked; -1 otherwise. To be called before the real call, for which errno stays
 * what it was. */
static inline int64_t dsn__place(FILE *f)
{
    const int error = errno, before = dsn__own_begin();
    const int64_t at = dsn__stream_state(f) ? (int64_t)ftello(f) : -1;

    dsn__own_end(before);
    errno = error;
    return at;
}

/* Where it is after the real call; -1 if that cannot be told, or another thread has the stream: to wait for that one
 * could take for ever. */
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

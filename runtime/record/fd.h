/* fd.h - what is known of a descriptor or a stream, found in a few instructions
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * These are what a call on a file that is not tracked costs, so they are inline and take no lock. */
#ifndef DSN_CORE_FD_H
#define DSN_CORE_FD_H

#include <stdio.h>

#include "record/core.h"
#include "record/start.h"
#include "life/state.h"

/* The entry of a descriptor; NULL if none near it was ever tracked. */
static inline _Atomic(struct dsn_fd *) *dsn__fd_page(unsigned fd)
{
    return fd < DSN_FDS_PER_PAGE ? &dsn__state.first_fd_page : &dsn__state.fd_page[fd / DSN_FDS_PER_PAGE];
}

static inline struct dsn_fd *dsn__fd(int fd)
{
    struct dsn_fd *page;

    if ((unsigned)fd >= DSN_FD_PAGES * DSN_FDS_PER_PAGE)
        return NULL;
    page = atomic_load_explicit(dsn__fd_page((unsigned)fd), memory_order_acquire);
    return page ? &page[(unsigned)fd % DSN_FDS_PER_PAGE] : NULL;
}

/* The open file description behind a descriptor, or NULL. */
static inline struct dsn_open *dsn__fd_open(int fd)
{
    struct dsn_fd *entry = dsn__fd(fd);

    return entry ? atomic_load_explicit(&entry->open, memory_order_acquire) : NULL;
}

/* Whether it stands for a descriptor whose file is not known yet. */
static inline int dsn__is_inherited(const struct dsn_open *o)
{
    return (uintptr_t)o - (uintptr_t)dsn__state.inherited < sizeof dsn__state.inherited;
}

/* The same for a call that needs to know the file: of a descriptor that the process was given it is asked for here. */
static inline struct dsn_open *dsn__fd_known(int fd)
{
    struct dsn_open *o = dsn__fd_open(fd);

    return __builtin_expect(dsn__is_inherited(o), 0) ? dsn__modules_identify(fd) : o;
}

/* The descriptor of a stream, -1: it has none. What fileno asks the C library, for whom _IO_IS_FILEBUF is this bit: a
 * stream in memory has whatever number stood there before. */
static inline int dsn__stream_fd(const FILE *stream)
{
    return stream->_flags & 0x2000 ? stream->_fileno : -1;
}

/* The STDIO record of a stream, or NULL. The descriptor is a field of the stream; what is found by it belongs to this
 * stream only if it says so, for streams without a file leave the field as it was. */
static inline struct dsn_live *dsn__stream_live(FILE *stream)
{
    struct dsn_fd *entry = stream ? dsn__fd(stream->_fileno) : NULL;

    if (!entry || atomic_load_explicit(&entry->owner, memory_order_relaxed) != (void *)stream)
        return NULL;
    return atomic_load_explicit(&entry->stream, memory_order_acquire);
}

/* Of a stream that has a record: what was given back to it. */
static inline _Atomic(int64_t) *dsn__stream_pushed(FILE *stream)
{
    return &dsn__fd(stream->_fileno)->pushed;
}

#endif

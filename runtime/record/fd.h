/* fd.h - what is known of a descriptor or a stream, found in a few instructions
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * These are what a call on a file that is not tracked costs, so they are inline and take no lock. */
#ifndef DSN_RECORD_FD_H
#define DSN_RECORD_FD_H

#include <stdio.h>

#include "record/module.h"

/* An open file description: what descriptors made by dup share. Guarded by the lock of its record, but when it becomes
 * another file's: then a thread that still uses a descriptor that the application has closed may see either, so that
 * all is loaded and stored in one piece (memory_order_relaxed will do). */
struct dsn_open {
    _Atomic(struct dsn_record_state *) state; /* the POSIX record */
    struct dsn_open *free_next;
    _Atomic(int64_t) offset; /* file position */
    atomic_uint flags;       /* DSN_OPEN_APPENDS; above it the number of this open in files of calls, 0: none yet */
    atomic_int refs;         /* 0: free */
};

#define DSN_OPEN_APPENDS 1u /* writes go to the end of the file */

static inline int dsn__open_appends(const struct dsn_open *o)
{
    return (atomic_load_explicit(&o->flags, memory_order_relaxed) & DSN_OPEN_APPENDS) != 0;
}

static inline struct dsn_record_state *dsn__open_state(const struct dsn_open *o)
{
    return atomic_load_explicit(&o->state, memory_order_relaxed);
}

/* What is known of a descriptor. Reading is lock-free. */
struct dsn_fd {
    _Atomic(struct dsn_open *) open;           /* NULL: not tracked by POSIX */
    _Atomic(struct dsn_record_state *) stream; /* STDIO record of the stream on it, or NULL */
    _Atomic(void *) owner;                     /* that stream */
    _Atomic(int64_t) pushed; /* bytes that were given back to it by ungetc, and not read again so far */
};

/* `fd` is from now on a new description of `state` (NULL: nothing that is tracked), whatever it was before: numbers
 * are closed in ways that are not seen. `own` is a description that lives with the record, taken if it is free.
 * Returns the description, or NULL. */
struct dsn_open *dsn__fd_set_open(int fd, struct dsn_record_state *state, struct dsn_open *own);

/* `fd` is from now on the description of `from`, which may be untracked. */
void dsn__fd_dup(int fd, int from);

/* The record of the stream `owner` on a descriptor; NULL: there is none that is tracked. It stays until the stream is
 * closed, whatever becomes of the descriptor underneath: dup2 onto 1 redirects stdout, but does not make it another
 * stream. Of several streams on one descriptor the last is known; NULL for another than that changes nothing. */
void dsn__fd_set_stream(int fd, void *owner, struct dsn_record_state *stream);

/* Descriptors below `n` (up to DSN_GIVEN) that are not known: the process may have had them when its records began.
 * `state` stands for what their files will turn out to be (dsn__fd_known). */
#define DSN_GIVEN 16
void dsn__fd_inherit(int n, struct dsn_record_state *state);

/* `fd` is closed, or about to be. Returns the POSIX record it belonged to, or NULL. */
struct dsn_record_state *dsn__fd_forget(int fd);
void dsn__fd_forget_range(unsigned first, unsigned last); /* both included */

/* A map from handles (pointers or numbers other than 0) to records; lookups are lock-free. */
#define DSN_HANDLE_BUCKETS 64
struct dsn_handle_node {
    _Atomic(uintptr_t) key; /* 0: free for reuse */
    _Atomic(void *) value;
    _Atomic(struct dsn_handle_node *) next;
};
struct dsn_handle_map {
    _Atomic(struct dsn_handle_node *) bucket[DSN_HANDLE_BUCKETS];
};

void *dsn__handle_get(struct dsn_handle_map *map, uintptr_t key);
void dsn__handle_set(struct dsn_handle_map *map, uintptr_t key, void *value);
void *dsn__handle_take(struct dsn_handle_map *map, uintptr_t key); /* removes it and returns what it was */

/* Zeroed memory for what lives as long as a handle; not from the arena, for handles do not compete with records. NULL
 * if there is none. What was given back is taken again from the same list, which holds things of one size. */
struct dsn_small {
    struct dsn_small *next;
};
void *dsn__small_take(struct dsn_small **free_list, size_t size);

/* For a process that can make no system calls any more. Caller holds the lock of the names. */
void dsn__small_prepare(void);

/* Gives back all that has been taken so, with what the table of descriptors is made of: of a former life, of which
 * nothing points there any more. */
void dsn__small_forget(void);
#define DSN_POOL_CHUNK ((size_t)64 * 1024)
void dsn__small_give(struct dsn_small **free_list, void *what);

#define DSN_FD_PAGES     2048
#define DSN_FDS_PER_PAGE 512 /* together: descriptors up to 1,048,575 */

/* Descriptors, and memory for what lives as long as a handle: guarded by names.lock. */
struct dsn_fds {
    struct dsn_pool {
        char *at;
        size_t left;
        void *last;    /* chunk, which begins with where the one before it is */
        int has_begun; /* with `first_small` */
        int has_fds;   /* `first_fds` are in use */
    } pool;
    struct dsn_open *free_opens; /* descriptions that may be used again */
    struct dsn_open
        inherited[DSN_GIVEN]; /* of descriptors whose files have not been asked for yet, see record/inherit.h */
    _Atomic(struct dsn_fd *) first_fd_page; /* in the place of fd_page[0] */
    _Alignas(8) char first_small[1024];
    struct dsn_fd first_fds[DSN_FDS_PER_PAGE];
    _Atomic(struct dsn_fd *) fd_page[DSN_FD_PAGES];
};

/* Part of what life/state.h composes. */
extern struct dsn_fds *const dsn__fds __attribute__((visibility("hidden")));

/* Forgets all; `keep`: a note is under way that goes on with what there was. */
void dsn__fds_forget(int keep);

/* The entry of a descriptor; NULL if none near it was ever tracked. */
static inline _Atomic(struct dsn_fd *) *dsn__fd_page(unsigned fd)
{
    return fd < DSN_FDS_PER_PAGE ? &dsn__fds->first_fd_page : &dsn__fds->fd_page[fd / DSN_FDS_PER_PAGE];
}

static inline struct dsn_fd *dsn__fd(int fd)
{
    struct dsn_fd *page;

    if (__builtin_expect((unsigned)fd < DSN_FDS_PER_PAGE, 1)) {
        page = atomic_load_explicit(&dsn__fds->first_fd_page, memory_order_acquire);
        return page ? &page[(unsigned)fd] : NULL;
    }
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
    return (uintptr_t)o - (uintptr_t)dsn__fds->inherited < sizeof dsn__fds->inherited;
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
static inline struct dsn_record_state *dsn__stream_state(FILE *stream)
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

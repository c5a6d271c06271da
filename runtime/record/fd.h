/* fd.h - lookup of descriptors and streams in a few instructions
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This is the cost of a call on a file that is not tracked, so lookups are inline and lock-free. */
#ifndef DSN_RECORD_FD_H
#define DSN_RECORD_FD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "record/module-events.h"
#include "record/module.h"

/* An open file description, shared by descriptors that dup made. Guarded by its record's lock. When it is reused for
 * another file, a thread that still uses a descriptor that the application closed may see either file; so every field
 * is loaded and stored atomically (memory_order_relaxed is enough). */
struct dsn_description {
    _Atomic(struct dsn_record_state *) state; /* the POSIX record */
    struct dsn_description *free_next;
    _Atomic(int64_t) offset; /* file position */
    atomic_uint flags;       /* DSN_DESCRIPTION_...; above them its number in files of calls, 0: none yet */
    atomic_int refs;         /* 0: free */
};

#define DSN_DESCRIPTION_APPENDS  1u /* O_APPEND: writes go to the end of the file */
#define DSN_DESCRIPTION_MAY_MOVE 2u /* by another process that has it, too: only the kernel knows the position */
#define DSN_DESCRIPTION_NUMBER   2  /* bits before the number */

static inline bool dsn__description_appends(const struct dsn_description *o)
{
    return (atomic_load_explicit(&o->flags, memory_order_relaxed) & DSN_DESCRIPTION_APPENDS) != 0;
}

static inline bool dsn__description_may_move(const struct dsn_description *o)
{
    return (atomic_load_explicit(&o->flags, memory_order_relaxed) & DSN_DESCRIPTION_MAY_MOVE) != 0;
}

static inline struct dsn_record_state *dsn__description_state(const struct dsn_description *o)
{
    return atomic_load_explicit(&o->state, memory_order_relaxed);
}

/* State of a descriptor. Reading is lock-free. A cache line: threads have streams of their own. */
struct dsn_fd {
    _Alignas(64) _Atomic(struct dsn_description *) description; /* NULL: not tracked by POSIX */
    _Atomic(struct dsn_record_state *) stream;                  /* STDIO record of the stream on it, or NULL */
    _Atomic(void *) owner;                                      /* that stream */
    _Atomic(int64_t) pushed;                                    /* bytes pushed back by ungetc and not yet read again */
    _Atomic(int64_t) offset;                                    /* the stream's position */
    atomic_uchar inlined; /* directions in which macros have moved bytes, unseen: 1, 2 */
};

/* Makes `fd` a new description of `state` (NULL: not tracked), whatever it was before: descriptors may be closed in
 * ways that are not seen. `own` is a description embedded in the record, used if it is free. Returns the description,
 * or NULL. */
struct dsn_description *dsn__fd_set_description(int fd, struct dsn_record_state *state, struct dsn_description *own);

/* For descriptions that no descriptor has (io_uring): a new one; one more reference to one, NULL if it was just closed; and
 * one less. `o` may be NULL. */
struct dsn_description *dsn__description_new(struct dsn_record_state *state, struct dsn_description *own);
struct dsn_description *dsn__description_keep(struct dsn_description *o);
void dsn__description_drop(struct dsn_description *o);

/* Makes `fd` share the description of `from`, which may be untracked. */
void dsn__fd_dup(int fd, int from);

/* A process is about to be started, or has been, that inherits all descriptions, and may move their positions. */
void dsn__fds_pass_on(void);

/* Sets the STDIO record of the stream `owner` on a descriptor; NULL: none that is tracked. It stays until the stream is
 * closed, whatever happens to the descriptor, but for dup2 onto that of a standard stream (dsn__stdio_redirected). Of
 * several streams on one descriptor the last is known; NULL for any other changes nothing. */
void dsn__fd_set_stream(int fd, void *owner, struct dsn_record_state *stream);

/* Descriptors below `n` (up to DSN_GIVEN) may have been inherited before recording began. `state` stands for their
 * files until these are known (dsn__fd_identified). */
#define DSN_GIVEN 16
void dsn__fds_set_unidentified(int n, struct dsn_record_state *state);

/* `fd` is closed, or about to be. Returns the POSIX record it belonged to, or NULL. */
struct dsn_record_state *dsn__fd_forget(int fd);
void dsn__fd_forget_range(unsigned first, unsigned last); /* [first, last] */

/* A map from handles (non-zero pointers or numbers) to records; lookups are lock-free. */
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

/* Zeroed memory for objects that live as long as a handle; not from the arena, since handles do not compete with
 * records. NULL if there is none. Freed objects are reused from the same list, all of whose objects have one size. */
struct dsn_small {
    struct dsn_small *next;
};
void *dsn__small_take(struct dsn_small **free_list, size_t size);

/* Frees all of it, and the table of descriptors, once nothing refers to them. */
void dsn__small_forget(void);
#define DSN_POOL_CHUNK ((size_t)64 * 1024)
void dsn__small_give(struct dsn_small **free_list, void *what);

#define DSN_FD_PAGES     4096
#define DSN_FDS_PER_PAGE 256 /* times DSN_FD_PAGES: descriptors up to 1,048,575 */

/* Descriptors, and memory for objects that live as long as a handle: guarded by names.lock. */
struct dsn_fds {
    struct dsn_pool {
        char *at;
        size_t left;
        void *last;    /* the last chunk; each begins with a pointer to the one before */
        int has_begun; /* `first_small` is in use */
        int has_fds;   /* `first_fds` are in use */
    } pool;
    struct dsn_description *free_descriptions; /* free list of descriptions */
    atomic_int are_passed_on; /* dsn__fds_pass_on was called: this process has started others, or tried to */
    struct dsn_description
        unidentified[DSN_GIVEN]; /* of descriptors whose files have not been looked up yet, see record/inherit.h */
    _Atomic(struct dsn_fd *) first_fd_page; /* instead of fd_page[0] */
    _Alignas(8) char first_small[1024];
    struct dsn_fd first_fds[DSN_FDS_PER_PAGE];
    _Atomic(struct dsn_fd *) fd_page[DSN_FD_PAGES];
};

/* Member of the state that life/state.h composes. */
extern struct dsn_fds *const dsn__fds __attribute__((visibility("hidden")));

/* Drops everything; `keep`: a note under way still uses the old tables. */
void dsn__fds_forget(int keep);

/* Where the page of a descriptor's entry is noted. */
static inline _Atomic(struct dsn_fd *) *dsn__fd_page(unsigned fd)
{
    return fd < DSN_FDS_PER_PAGE ? &dsn__fds->first_fd_page : &dsn__fds->fd_page[fd / DSN_FDS_PER_PAGE];
}

/* The entry of a descriptor; NULL if no descriptor of its page was ever tracked. */
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
static inline struct dsn_description *dsn__fd_description(int fd)
{
    struct dsn_fd *entry = dsn__fd(fd);

    return entry ? atomic_load_explicit(&entry->description, memory_order_acquire) : NULL;
}

/* Whether it stands for a descriptor whose file is not known yet. */
static inline bool dsn__description_is_unidentified(const struct dsn_description *o)
{
    return (uintptr_t)o - (uintptr_t)dsn__fds->unidentified < sizeof dsn__fds->unidentified;
}

static inline bool dsn__fd_is_tracked(int fd)
{
    const struct dsn_description *o = dsn__fd_description(fd);

    return o && !dsn__description_is_unidentified(o);
}

/* As dsn__fd_description, for calls that need the file: an inherited descriptor's is looked up now. */
static inline struct dsn_description *dsn__fd_identified(int fd)
{
    struct dsn_description *o = dsn__fd_description(fd);

    return __builtin_expect(dsn__description_is_unidentified(o), 0) ? dsn__modules_identify(fd) : o;
}

/* S_IFIFO, S_IFSOCK or S_IFCHR of a FIFO, a socket, a terminal: time in its calls is another process's or a person's, and no
 * storage's; else 0. What has a position is none; that costs less to ask for than its type, for which a file system may
 * have to ask its servers. */
mode_t dsn__fd_channel(int fd);

/* The descriptor of a stream, -1 if it has none. fileno tests the same bit (_IO_IS_FILEBUF in glibc): in a stream in
 * memory the field has a stale number. */
static inline int dsn__stream_fd(const FILE *stream)
{
    return stream->_flags & 0x2000 ? stream->_fileno : -1;
}

/* The entry of a stream, or NULL. Found through the stream's descriptor field and valid only if the entry names this
 * stream as its owner, because streams without a file leave a stale number there. */
static inline struct dsn_fd *dsn__stream_entry(FILE *stream)
{
    struct dsn_fd *entry = stream ? dsn__fd(stream->_fileno) : NULL;

    return entry && atomic_load_explicit(&entry->owner, memory_order_relaxed) == (void *)stream ? entry : NULL;
}

/* The STDIO record of an entry, or NULL. */
static inline struct dsn_record_state *dsn__entry_stream(const struct dsn_fd *entry)
{
    return entry ? atomic_load_explicit(&entry->stream, memory_order_acquire) : NULL;
}

/* The STDIO record of a stream, or NULL. */
static inline struct dsn_record_state *dsn__stream_state(FILE *stream)
{
    return dsn__entry_stream(dsn__stream_entry(stream));
}

#endif

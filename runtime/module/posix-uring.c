/* posix-uring.c - io_uring requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/posix-uring.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "module/posix-names.h"
#include "module/posix.h"
#include "record/fd.h"

static unsigned newest_result(const struct dsn_uring *ring)
{
    return __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE);
}

static bool any_unaligned(const struct iovec *iov, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!dsn__posix_aligned(iov[i].iov_base))
            return true;
    return false;
}

/* Returns whether the request is one that is counted. */
static bool describe(const struct io_uring_sqe *e, struct dsn_pending *p)
{
    const void *buf = (const void *)(uintptr_t)e->addr;

    p->offset = e->off == UINT64_MAX ? DSN_AT_CURSOR : (int64_t)e->off;
    switch (e->opcode) {
    case IORING_OP_READ:
    case IORING_OP_READ_FIXED:
        p->kind = DSN_PENDING_READ;
        p->unaligned = !dsn__posix_aligned(buf);
        return true;
    case IORING_OP_WRITE:
    case IORING_OP_WRITE_FIXED:
        p->kind = DSN_PENDING_WRITE;
        p->unaligned = !dsn__posix_aligned(buf);
        return true;
    case IORING_OP_READV:
        p->kind = DSN_PENDING_READ;
        p->unaligned = any_unaligned(buf, e->len);
        return true;
    case IORING_OP_WRITEV:
        p->kind = DSN_PENDING_WRITE;
        p->unaligned = any_unaligned(buf, e->len);
        return true;
    case IORING_OP_FSYNC:
        p->kind = (e->fsync_flags & IORING_FSYNC_DATASYNC) ? DSN_PENDING_FDSYNC : DSN_PENDING_FSYNC;
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ a ring's table of files */

struct ring {
    atomic_uint seen; /* position up to which completions have been processed */
    unsigned nfiles;
    struct dsn_description **file;
};

#define ANY_INDEX IORING_FILE_INDEX_ALLOC /* the kernel chooses one, and returns it */
#define MOST      (1U << 20)              /* files that the kernel allows */
#define BY_NUMBER (-1)                    /* an open that returns a descriptor rather than filling a slot */
#define TO_CHOOSE (-2)

/* A ring seen for the first time has no completions of requests that we know. */
static struct ring *ring_of(const struct dsn_uring *ring)
{
    struct ring *r = dsn__handle_get(&dsn__rings->map, (uintptr_t)ring);

    if (!r && (r = dsn__small_take(&dsn__rings->free, sizeof *r)) != NULL) {
        atomic_store(&r->seen, newest_result(ring));
        dsn__handle_set(&dsn__rings->map, (uintptr_t)ring, r);
    }
    return r;
}

static struct dsn_description *file_in(const struct ring *r, unsigned i)
{
    struct dsn_description *o = NULL;

    if (!r || i >= r->nfiles || !dsn__spin(&dsn__rings->lock))
        return NULL;
    if (i < r->nfiles)
        o = r->file[i];
    dsn__unspin(&dsn__rings->lock);
    return o;
}

/* Passes a reference to `o` on to the table; returns the record of the file that was there. */
static struct dsn_record_state *set_file(struct ring *r, unsigned i, struct dsn_description *o)
{
    struct dsn_description *before = o;
    struct dsn_record_state *state;

    if (r && i < r->nfiles && dsn__spin(&dsn__rings->lock)) {
        if (i < r->nfiles) {
            before = r->file[i];
            r->file[i] = o;
        }
        dsn__unspin(&dsn__rings->lock);
    }
    state = before && before != o ? dsn__description_state(before) : NULL;
    dsn__description_drop(before);
    return state;
}

static void replace_table(struct ring *r, struct dsn_description **file, unsigned n)
{
    struct dsn_description **before = file;
    unsigned nbefore = n;

    if (dsn__spin(&dsn__rings->lock)) {
        before = r->file;
        nbefore = r->nfiles;
        r->file = file;
        r->nfiles = n;
        dsn__unspin(&dsn__rings->lock);
    }
    for (unsigned i = 0; before && i < nbefore; i++)
        dsn__description_drop(before[i]);
    dsn__pages_free(before);
}

static void set_files(struct ring *r, unsigned first, const int *files, unsigned n)
{
    const unsigned room = r && first < r->nfiles ? r->nfiles - first : 0;

    for (unsigned i = 0; i < n && i < room; i++)
        if (!files || files[i] >= -1) /* not IORING_REGISTER_FILES_SKIP */
            set_file(r, first + i, files ? dsn__description_keep(dsn__fd_identified(files[i])) : NULL);
}

void dsn__uring_register(const struct dsn_uring *ring, int result, unsigned size, unsigned first, const int *files,
                         unsigned n)
{
    struct ring *r = result >= 0 && size <= MOST ? ring_of(ring) : NULL;
    struct dsn_description **file = r && size > 0 ? dsn__pages(size * sizeof(struct dsn_description *)) : NULL;

    if (!r || (size > 0 && !file))
        return;
    if (file)
        replace_table(r, file, size);
    if (files)
        set_files(r, first, files, size > 0 || (unsigned)result > n ? n : (unsigned)result);
}

void dsn__uring_unregister(const struct dsn_uring *ring, int result)
{
    struct ring *r = result >= 0 ? dsn__handle_get(&dsn__rings->map, (uintptr_t)ring) : NULL;

    if (r)
        replace_table(r, NULL, 0);
}

/* ------------------------------------------------------------------ requests */

/* The slot of a request that opens or closes. */
static int index_for(const struct io_uring_sqe *e)
{
    return e->file_index == 0 ? BY_NUMBER : e->file_index == ANY_INDEX ? TO_CHOOSE : (int)(e->file_index - 1);
}

/* The slot has its file from the submission on: requests submitted with this one use it. */
static void submit_open(struct dsn_pending *p, struct ring *r, const struct io_uring_sqe *e)
{
    uint64_t how[2] = { e->open_flags, e->len };

    if (e->opcode == IORING_OP_OPENAT2 && e->len >= sizeof(struct { uint64_t flags, mode, resolve; }))
        memcpy(how, (const void *)(uintptr_t)e->off, sizeof how); /* struct open_how, in addr2 */
    p->kind = DSN_PENDING_OPEN;
    p->fd = index_for(e);
    p->offset = (int64_t)(how[0] | how[1] << 32);
    p->state = dsn__posix_to_open(e->fd, (const char *)(uintptr_t)e->addr);
    p->description = p->state && p->fd != BY_NUMBER ? dsn__posix_new_description(p->state) : NULL;
    if (p->fd >= 0)
        set_file(r, (unsigned)p->fd, dsn__description_keep(p->description));
    if (!dsn__pending_add(p))
        dsn__description_drop(p->description);
}

static bool is_file(int fd)
{
    struct stat st;

    return dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* An open that failed leaves its slot empty. */
static void complete_open(const struct dsn_span *s, struct ring *r, const struct dsn_pending *p, int result)
{
    const struct dsn_span whole = { .start = p->start, .end = s->end, .before = s->before };
    /* seen late, the descriptor may have been closed, and its number given to another file */
    const int fd = p->fd == BY_NUMBER && result >= 0 && !dsn__fd_description(result) && is_file(result) ? result : -1;

    if (result >= 0 && p->fd == TO_CHOOSE)
        set_file(r, (unsigned)result, dsn__description_keep(p->description));
    else if (result < 0 && p->fd >= 0 && p->description && file_in(r, (unsigned)p->fd) == p->description)
        set_file(r, (unsigned)p->fd, NULL);
    if (result >= 0 && p->state)
        dsn__posix_opened(&whole, fd, p->state, p->description, (int)(p->offset & UINT32_MAX),
                          (mode_t)(p->offset >> 32));
    dsn__description_drop(p->description);
}

static void note_submission(const struct dsn_span *s, const struct dsn_uring *ring, const struct io_uring_sqe *e)
{
    const int is_fixed = (e->flags & IOSQE_FIXED_FILE) != 0;
    struct dsn_pending p = { .queue = ring, .key = e->user_data, .start = s->start, .fd = is_fixed ? -1 : e->fd };
    struct ring *r = dsn__handle_get(&dsn__rings->map, (uintptr_t)ring);

    switch (e->opcode) {
    case IORING_OP_OPENAT:
    case IORING_OP_OPENAT2:
        submit_open(&p, r, e);
        return;
    case IORING_OP_CLOSE:
        if (index_for(e) >= 0)
            dsn__posix_close(s, set_file(r, (unsigned)index_for(e), NULL));
        else if (dsn__fd_identified(e->fd))
            dsn__posix_close(s, dsn__posix_release(e->fd));
        return;
    case IORING_OP_FILES_UPDATE:
        if (e->off < MOST)
            set_files(r, (unsigned)e->off, (const int *)(uintptr_t)e->addr, e->len);
        return;
    default:
        break;
    }
    p.description = is_fixed ? file_in(r, (unsigned)e->fd) : dsn__fd_identified(e->fd);
    if (!p.description)
        return;
    p.state = dsn__description_state(p.description);
    p.append = (uint8_t)dsn__description_appends(p.description);
    if (describe(e, &p))
        dsn__pending_add(&p);
}

static void take_completions(const struct dsn_span *s, const struct dsn_uring *ring)
{
    const unsigned entries = *ring->cq.kring_mask + 1, wide = (ring->flags & IORING_SETUP_CQE32) != 0;
    const unsigned newest = newest_result(ring);
    struct ring *r = ring_of(ring);
    unsigned at = r ? atomic_load(&r->seen) : newest;
    struct dsn_pending p;

    if (at == newest)
        return;
    if (newest - at > entries)
        at = newest - entries; /* older entries have been overwritten */
    for (; at != newest; at++) {
        const struct io_uring_cqe *e = &ring->cq.cqes[(at & (entries - 1)) << wide];

        if (!dsn__pending_take(ring, e->user_data, &p))
            continue;
        if (p.kind == DSN_PENDING_OPEN)
            complete_open(s, r, &p, e->res);
        else
            dsn__posix_done(s, &p, e->res);
    }
    atomic_store(&r->seen, newest);
}

void dsn__uring_before(const struct dsn_span *s, const struct dsn_uring *ring, int hands_in)
{
    const unsigned wide = (ring->flags & IORING_SETUP_SQE128) != 0;

    take_completions(s, ring);
    for (unsigned at = ring->sq.sqe_head; hands_in && at != ring->sq.sqe_tail; at++)
        note_submission(s, ring, &ring->sq.sqes[(at & *ring->sq.kring_mask) << wide]);
}

void dsn__uring_after(const struct dsn_span *s, const struct dsn_uring *ring)
{
    take_completions(s, ring);
}

void dsn__uring_exit(const struct dsn_span *s, const struct dsn_uring *ring)
{
    struct ring *r;

    take_completions(s, ring);
    r = dsn__handle_take(&dsn__rings->map, (uintptr_t)ring);
    if (r) {
        replace_table(r, NULL, 0);
        dsn__small_give(&dsn__rings->free, r);
    }
    dsn__pending_drop(ring);
}

/* posix-uring.h - what io_uring requests count in the records of files, as far as liburing exposes them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Submissions and completions are entries in rings shared with the kernel, not calls. But a program calls liburing to
 * submit and to wait. These calls inspect the rings: entries about to be submitted, and completions since the last
 * inspection. A completion is matched with its request by ring and user data.
 *
 * A ring has a table of files of its own (registered files, direct descriptors), whose slots requests name instead of
 * descriptors. It is mirrored here from the calls that register files, and from requests that open, replace and close them.
 *
 * Not tracked: slots that the kernel chooses for IORING_OP_FILES_UPDATE, descriptors made from slots, completions that the
 * ring has overwritten, and completions after the last call. */
#ifndef DSN_MODULE_POSIX_URING_H
#define DSN_MODULE_POSIX_URING_H

#include <stddef.h>

#include "base/uring-abi.h"
#include "record/fd.h"
#include "record/span.h"

/* The first members of liburing's struct io_uring, since version 2.0. */
struct dsn_uring {
    struct {
        unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *kdropped, *array;
        struct io_uring_sqe *sqes;
        unsigned sqe_head, sqe_tail; /* entries in between have not been submitted */
        size_t ring_sz;
        void *ring_ptr;
        unsigned pad[4];
    } sq;
    struct {
        unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *koverflow;
        struct io_uring_cqe *cqes;
        size_t ring_sz;
        void *ring_ptr;
        unsigned pad[4];
    } cq;
    unsigned flags; /* IORING_SETUP_... */
    int ring_fd;
    unsigned features; /* IORING_FEAT_... */
};

/* Before and after a call on a ring; `hands_in`: the call submits all prepared entries. */
void dsn__uring_before(const struct dsn_span *s, const struct dsn_uring *ring, int hands_in);
void dsn__uring_after(const struct dsn_span *s, const struct dsn_uring *ring);

/* The ring is about to be destroyed. */
void dsn__uring_exit(const struct dsn_span *s, const struct dsn_uring *ring);

/* io_uring_register_files and its like, after the call: slots [first, first + n) now have these files, NULL: none. For a
 * new table `size` is its size, else 0. */
void dsn__uring_register(const struct dsn_uring *ring, int result, unsigned size, unsigned first, const int *files,
                         unsigned n);
void dsn__uring_unregister(const struct dsn_uring *ring, int result);

/* Member of the state that life/state.h composes. */
struct dsn_rings {
    struct dsn_handle_map map; /* what is known of a ring, by its address */
    struct dsn_small *free;
    dsn_lock lock; /* of the tables of files */
};
extern struct dsn_rings *const dsn__rings __attribute__((visibility("hidden")));

#endif

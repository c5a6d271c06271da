/* posix-uring.h - what requests to io_uring mean for the records of files, as far as liburing shows them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests are written into memory that is shared with the kernel, and so are results: neither is a call. But a program
 * calls liburing to hand them in and to wait. At these calls we look what lies in the rings: requests that are about to
 * be handed in, results that have come since we looked last. A result is matched with its request by the ring and by
 * what the program uses to tell them apart.
 *
 * Not followed: files registered with the ring (IOSQE_FIXED_FILE), files that are opened by a request, and results that
 * came more than a ring ago, or after the last call. */
#ifndef DSN_MODULE_POSIX_URING_H
#define DSN_MODULE_POSIX_URING_H

#include <linux/io_uring.h>
#include <stddef.h>

#include "record/fd.h"
#include "record/span.h"

/* How liburing, since its version 2.0, begins what it keeps of a ring. */
struct dsn_uring {
    struct {
        unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *kdropped, *array;
        struct io_uring_sqe *sqes;
        unsigned sqe_head, sqe_tail; /* what is between has not been handed in yet */
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

/* Before and after a call on a ring; `hands_in`: it hands in all requests that have been prepared. */
void dsn__uring_before(const struct dsn_span *s, const struct dsn_uring *ring, int hands_in);
void dsn__uring_after(const struct dsn_span *s, const struct dsn_uring *ring);

/* The ring is about to end. */
void dsn__uring_exit(const struct dsn_span *s, const struct dsn_uring *ring);

/* How far the results of each ring are known; part of what life/state.h composes. */
extern struct dsn_handle_map *const dsn__rings __attribute__((visibility("hidden")));

#endif

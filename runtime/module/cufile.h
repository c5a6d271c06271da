/* cufile.h - what calls of cuFile (GPUDirect Storage) count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-cufile.c inside a span. We neither link against cuFile nor include its header: the declarations below are those
 * of its public interface, as far as it is needed. Semantics: darshan-log-format/cufile.def. */
#ifndef DSN_MODULE_CUFILE_H
#define DSN_MODULE_CUFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* ------------------------------------------------------------------ the interface of cuFile */

#define DSN_CUFILE_NOT_INITIALIZED 5001 /* what a program gets if there is no library */
#define DSN_CUFILE_IS_FD           1

struct dsn_cufile_error {
    int err, cu_err; /* 0: success */
};

struct dsn_cufile_descriptor {
    int type;
    union {
        int fd;
        void *handle;
    } is;
    const void *operations;
};

struct dsn_cufile_request {
    int mode;
    struct {
        void *base;
        off_t offset, buffer_offset;
        size_t size;
    } of;
    void *handle;
    int opcode; /* enum dsn_direction */
    void *cookie;
};

enum dsn_cufile_status {
    DSN_CUFILE_INVALID = 0x4,
    DSN_CUFILE_CANCELED = 0x8,
    DSN_CUFILE_COMPLETE = 0x10,
    DSN_CUFILE_TIMEOUT = 0x20,
    DSN_CUFILE_FAILED = 0x40
};

struct dsn_cufile_event {
    void *cookie;
    int status;
    size_t bytes; /* or a negative error */
};

_Static_assert(sizeof(struct dsn_cufile_error) == 8 && sizeof(struct dsn_cufile_descriptor) == 24 &&
                   offsetof(struct dsn_cufile_descriptor, is) == 8 && sizeof(struct dsn_cufile_request) == 64 &&
                   offsetof(struct dsn_cufile_request, of) == 8 && offsetof(struct dsn_cufile_request, handle) == 40 &&
                   offsetof(struct dsn_cufile_request, cookie) == 56 && sizeof(struct dsn_cufile_event) == 24,
               "as in cufile.h of CUDA 11.8");

/* ------------------------------------------------------------------ around the real call */

/* What POSIX calls move inside it. `outer` is the previous state of the thread. */
struct dsn_cufile_call {
    int64_t posix[2]; /* by direction */
    uintptr_t outer;
};

/* Returns false in a call that the library makes inside another one, which is passed on. */
bool dsn__cufile_begins(struct dsn_cufile_call *c);
void dsn__cufile_ends(struct dsn_cufile_call *c);

/* ------------------------------------------------------------------ notes */

void dsn__cufile_register(const struct dsn_span *s, struct dsn_cufile_error result, void *const *handle,
                          const struct dsn_cufile_descriptor *d);

/* Before the real call, by which the handle may be another file's, and after it. */
struct dsn_record_state *dsn__cufile_release(void *handle);
void dsn__cufile_released(const struct dsn_span *s, struct dsn_record_state *state);

void dsn__cufile_buffer(const struct dsn_span *s, struct dsn_cufile_error result, size_t size);
void dsn__cufile_buffer_ends(const struct dsn_span *s, struct dsn_cufile_error result);
void dsn__cufile_io(const struct dsn_span *s, const struct dsn_cufile_call *c, ssize_t result, void *handle,
                    enum dsn_direction d, size_t size);

/* `size` is read before the call: what it points to may go as soon as the operation has ended. */
void dsn__cufile_async(const struct dsn_span *s, struct dsn_cufile_error result, void *handle, enum dsn_direction d,
                       size_t size);

/* Requests count before they are submitted, for another thread may ask for their end at once; if they cannot be submitted,
 * they are taken back. Returns the number of the first of them. */
uint64_t dsn__cufile_submits(const struct dsn_span *s, void *batch, unsigned n, const struct dsn_cufile_request *r);
void dsn__cufile_submitted(const struct dsn_span *s, struct dsn_cufile_error result, uint64_t first, unsigned n,
                           const struct dsn_cufile_request *r);
void dsn__cufile_events(struct dsn_cufile_error result, void *batch, const unsigned *n,
                        const struct dsn_cufile_event *events);

/* Nobody will ask for what is under way there. */
void dsn__cufile_forget_batch(void *batch);

struct dsn_cufile_operation;
struct dsn_cufile_handles {
    struct dsn_handle_map files;
    dsn_lock lock; /* of what follows */
    unsigned n;
    struct dsn_cufile_operation *under_way; /* of batches; the latest first */
    struct dsn_small *free_operations;
    _Atomic(uint64_t) numbers;
};

/* Member of the state that life/state.h composes. */
extern struct dsn_cufile_handles *const dsn__cufile __attribute__((visibility("hidden")));

#endif

/* wrap-aio.c - wrappers of asynchronous I/O
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <aio.h>
#include <fcntl.h>
#include <stdbool.h>

#define DSN_EARLY
#include "module/posix-aio.h"
#include "wrap/wrap.h"

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "only 64-bit systems");

#define V(name)
#include "wrap/aio.wrap"

/* A request is registered before the real call. */
#define SUBMIT(name, p, args, block, when, kind)                                                                       \
    DSN_REAL_DECL(int, name, p)                                                                                        \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        if (!(when) || !dsn__span_open(&s))                                                                            \
            return DSN_REAL(name) args;                                                                                \
        dsn__span_before(&s);                                                                                          \
        dsn__aio_begin(&s, (const struct aiocb *)(block), kind);                                                       \
        dsn__span_close(&s);                                                                                           \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__span_returned(&s);                                                                                        \
        dsn__aio_begun((const struct aiocb *)(block), ret);                                                            \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

/* <aio.h> declares the argument nonnull; applications may pass NULL all the same. */
DSN_OPAQUE static bool is_tracked(const void *block)
{
    return block && ON_FD(((const struct aiocb *)block)->aio_fildes);
}

#define SYNC_KIND (operation == O_DSYNC ? DSN_PENDING_FDSYNC : DSN_PENDING_FSYNC)

SUBMIT(aio_read, (struct aiocb * block), (block), block, is_tracked(block), DSN_PENDING_READ)
SUBMIT(aio_read64, (struct aiocb64 * block), (block), block, is_tracked(block), DSN_PENDING_READ)
SUBMIT(aio_write, (struct aiocb * block), (block), block, is_tracked(block), DSN_PENDING_WRITE)
SUBMIT(aio_write64, (struct aiocb64 * block), (block), block, is_tracked(block), DSN_PENDING_WRITE)
SUBMIT(aio_fsync, (int operation, struct aiocb *block), (operation, block), block, is_tracked(block), SYNC_KIND)
SUBMIT(aio_fsync64, (int operation, struct aiocb64 *block), (operation, block), block, is_tracked(block), SYNC_KIND)

/* If lio_listio fails, some requests may be in flight all the same; for the others the application will collect no
 * result. */
#define LIST(name, type)                                                                                               \
    DSN_REAL_DECL(int, name, (int mode, type *const list[], int n, struct sigevent *done))                             \
    DSN_EXPORT int DSN_SYM(name)(int mode, type *const list[], int n, struct sigevent *done)                           \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        if (dsn__span_open(&s)) {                                                                                      \
            dsn__span_before(&s);                                                                                      \
            dsn__aio_list(&s, (struct aiocb *const *)list, n);                                                         \
            dsn__span_close(&s);                                                                                       \
        }                                                                                                              \
        return DSN_REAL(name)(mode, list, n, done);                                                                    \
    }

LIST(lio_listio, struct aiocb)
LIST(lio_listio64, struct aiocb64)

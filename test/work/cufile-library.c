/* cufile-library.c - a stand-in for libcufile.so.0: files to memory, without a GPU
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By default data moves by system calls that no library sees, as it does when the driver moves it to the GPU; with STANDIN_COMPAT
 * by pread and pwrite on a descriptor that the library has opened itself, in a call's thread or, for what is queued, in a
 * thread of its own. It prints what it was called for at the end if STANDIN_COUNTS is set: the numbers are counted here by
 * hand. */
#define _GNU_SOURCE
#include "cufile-stand-in.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file {
    int fd;
};

struct batch {
    unsigned n;
    CUfileIOEvents_t event[64];
};

static const CUfileError_t success = { 0, 0 }, invalid = { 5022, 0 };
static atomic_long calls, moved[2];

static int is_compatible(void)
{
    return getenv("STANDIN_COMPAT") != NULL;
}

/* A system call that nothing can be interposed at. */
static long move_unseen(int is_write, int fd, const void *at, size_t size, off_t offset)
{
    long ret;
#if defined __x86_64__
    register long r10 __asm__("r10") = offset;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "0"(is_write ? SYS_pwrite64 : SYS_pread64), "D"((long)fd), "S"(at), "d"(size), "r"(r10)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long x8 __asm__("x8") = is_write ? SYS_pwrite64 : SYS_pread64, x0 __asm__("x0") = fd,
                     x1 __asm__("x1") = (long)at, x2 __asm__("x2") = (long)size, x3 __asm__("x3") = offset;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    ret = x0;
#else
#error "no such system call is known for this processor"
#endif
    return ret;
}

static ssize_t move(int is_write, CUfileHandle_t fh, void *base, size_t size, off_t offset, off_t buffer_offset)
{
    const struct file *f = fh;
    char *at = (char *)base + buffer_offset;
    ssize_t n;

    if (!f || offset < 0)
        return -5022;
    if (!is_compatible())
        n = move_unseen(is_write, f->fd, at, size, offset);
    else
        n = is_write ? pwrite(f->fd, at, size, offset) : pread(f->fd, at, size, offset);
    if (n > 0)
        moved[is_write] += n;
    return n < 0 ? -1 : n;
}

CUfileError_t cuFileHandleRegister(CUfileHandle_t *fh, CUfileDescr_t *descr)
{
    const int flags = fcntl(descr->handle.fd, F_GETFL);
    char link[64], path[4096];
    struct file *f;
    ssize_t n;

    calls++;
    if (descr->type != 1 || flags < 0 || (flags & O_APPEND))
        return (CUfileError_t){ 5019, 0 };
    f = malloc(sizeof *f);
    f->fd = descr->handle.fd;
    if (is_compatible()) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descr->handle.fd);
        n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        f->fd = open(path, flags & O_ACCMODE);
    }
    *fh = f;
    return success;
}

void cuFileHandleDeregister(CUfileHandle_t fh)
{
    calls++;
    if (is_compatible())
        close(((struct file *)fh)->fd);
    free(fh);
}

CUfileError_t cuFileBufRegister(const void *base, size_t length, int flags)
{
    (void)flags;
    calls++;
    return base && length > 0 ? success : invalid;
}

CUfileError_t cuFileBufDeregister(const void *base)
{
    calls++;
    return base ? success : invalid;
}

ssize_t cuFileRead(CUfileHandle_t fh, void *base, size_t size, off_t file_offset, off_t buffer_offset)
{
    calls++;
    return move(0, fh, base, size, file_offset, buffer_offset);
}

ssize_t cuFileWrite(CUfileHandle_t fh, const void *base, size_t size, off_t file_offset, off_t buffer_offset)
{
    calls++;
    return move(1, fh, (void *)(size_t)base, size, file_offset, buffer_offset);
}

/* ------------------------------------------------------------------ a stream: one operation after the other */

struct queued {
    struct queued *next;
    int is_write;
    CUfileHandle_t fh;
    void *base;
    size_t size;
    off_t offset, buffer_offset;
    ssize_t *bytes;
};

static struct queued *first, **last = &first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    (void)unused;
    for (struct queued *q; (q = first) != NULL; free(q)) {
        first = q->next;
        *q->bytes = move(q->is_write, q->fh, q->base, q->size, q->offset, q->buffer_offset);
    }
    last = &first;
    return NULL;
}

void standin_synchronize(void)
{
    pthread_t thread;

    pthread_mutex_lock(&mutex);
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
}

static CUfileError_t queue(struct queued q)
{
    calls++;
    if (!q.fh || q.offset < 0)
        return invalid;
    pthread_mutex_lock(&mutex);
    *last = malloc(sizeof q);
    **last = q;
    last = &(*last)->next;
    pthread_mutex_unlock(&mutex);
    return success;
}

CUfileError_t cuFileReadAsync(CUfileHandle_t fh, void *base, size_t *size, off_t *file_offset, off_t *buffer_offset,
                              ssize_t *bytes, CUstream stream)
{
    (void)stream;
    return queue((struct queued){ NULL, 0, fh, base, *size, *file_offset, *buffer_offset, bytes });
}

CUfileError_t cuFileWriteAsync(CUfileHandle_t fh, void *base, size_t *size, off_t *file_offset, off_t *buffer_offset,
                               ssize_t *bytes, CUstream stream)
{
    (void)stream;
    return queue((struct queued){ NULL, 1, fh, base, *size, *file_offset, *buffer_offset, bytes });
}

/* ------------------------------------------------------------------ batches: done when they are submitted */

CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t *batch, unsigned nr)
{
    calls++;
    if (nr == 0 || nr > 64)
        return invalid;
    *batch = calloc(1, sizeof(struct batch));
    return success;
}

CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t batch, unsigned nr, CUfileIOParams_t *params, unsigned flags)
{
    struct batch *b = batch;

    calls++;
    if (flags || b->n + nr > 64)
        return (CUfileError_t){ 5035, 0 };
    for (unsigned i = 0; i < nr; i++) {
        const CUfileIOParams_t *p = &params[i];
        const ssize_t n = move(p->opcode, p->fh, p->u.batch.devPtr_base, p->u.batch.size, p->u.batch.file_offset,
                               p->u.batch.devPtr_offset);

        b->event[b->n++] = (CUfileIOEvents_t){ p->cookie, n < 0 ? 0x40 : 0x10, (size_t)n };
    }
    return success;
}

/* If there is room for more events, another operation is said to be pending. */
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t batch, unsigned min_nr, unsigned *nr, CUfileIOEvents_t *events,
                                     struct timespec *timeout)
{
    struct batch *b = batch;
    unsigned n = *nr < b->n ? *nr : b->n;

    (void)timeout;
    calls++;
    if (min_nr > *nr)
        return invalid;
    memcpy(events, b->event, n * sizeof *events);
    memmove(b->event, b->event + n, (b->n - n) * sizeof *events);
    b->n -= n;
    if (n < *nr)
        events[n++] = (CUfileIOEvents_t){ NULL, 2, 0 };
    *nr = n;
    return success;
}

CUfileError_t cuFileBatchIOCancel(CUfileBatchHandle_t batch)
{
    (void)batch;
    calls++;
    return success;
}

void cuFileBatchIODestroy(CUfileBatchHandle_t batch)
{
    calls++;
    free(batch);
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("STANDIN_COUNTS"))
        fprintf(stderr, "stand-in: %ld calls, %ld bytes read, %ld written\n", calls, moved[0], moved[1]);
}

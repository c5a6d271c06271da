/* stream.c - stdio streams whose buffers are written through the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/stream.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "lbio/wrap.h"

#if defined __GLIBC__ && defined __LP64__
#if __GLIBC_PREREQ(2, 28) /* the members of FILE used here are public */
#define HAS_FUNCTIONS
#endif
#endif

#ifdef HAS_FUNCTIONS

#include <dlfcn.h>
#include <stdio_ext.h>

#define BUCKETS     1024
#define LEAST       ((size_t)65536)   /* bytes of a buffer */
#define MOST        ((size_t)4 << 20) /* where the file system prefers larger ones */
#define FIRST_AHEAD ((size_t)4096)

struct lbio_stream {
    struct lbio_stream *next; /* in its bucket */
    atomic_int is_used;
    _Atomic(FILE *) key; /* `logged`, until it is being closed */
    FILE *logged, *plain;
    void *buffer;
    size_t size;
    size_t ahead; /* most bytes that the next read gets: all are discarded by a seek */
    atomic_int is_plain;
};

/* By the number of the descriptor with which a stream was opened. Entries are never freed, but used again: there are no
 * more than there were streams at the same time. So threads need no lock, which a child of fork could find held. */
static struct {
    _Atomic(struct lbio_stream *) bucket[BUCKETS];
    atomic_int is_usual; /* whether the C library's functions are the next ones; -1: no, 0: unknown */
} all;

NEXT_DECL(FILE *, fopencookie, (void *cookie, const char *mode, cookie_io_functions_t functions))
NEXT_DECL(int, setvbuf, (FILE * stream, char *buffer, int mode, size_t size))
NEXT_DECL(int, fclose, (FILE * stream))

/* ------------------------------------------------------------------ the functions of a stream */

static ssize_t move(struct lbio_stream *s, int is_write, void *bytes, size_t n)
{
    const int fd = s->logged->_fileno;
    const struct iovec one = { bytes, n };
    struct lbio_call c;
    ssize_t ret;

    lbio__call_clear(&c);
    if (lbio__is_served(&c, lbio__begin_io(&c, is_write, fd, &one, 1, LBIO_AT_CURSOR)))
        ret = (ssize_t)c.ret;
    else
        ret = is_write ? dsn__sys_write(fd, bytes, n) : dsn__sys_read(fd, bytes, n);
    lbio__call_end(&c, ret);
    return ret;
}

/* After a seek a small piece, then larger ones: programs that jump do not read a whole buffer each time. */
static ssize_t read_bytes(void *stream, char *to, size_t n)
{
    struct lbio_stream *s = stream;
    const ssize_t got = move(s, 0, to, n < s->ahead ? n : s->ahead);

    if (s->ahead < s->size)
        s->ahead *= 2;
    return got;
}

/* A short count tells the C library of an error. */
static ssize_t write_bytes(void *stream, const char *from, size_t n)
{
    struct lbio_stream *s = stream;
    size_t done = 0;

    while (done < n) {
        const ssize_t more = move(s, 1, (void *)(uintptr_t)(from + done), n - done);

        if (more <= 0)
            break;
        done += (size_t)more;
    }
    if (s->logged->_offset >= 0)
        s->logged->_offset += (off64_t)done; /* as the C library's own function does */
    return (ssize_t)done;
}

static int seek(void *stream, off64_t *off, int whence)
{
    struct lbio_stream *s = stream;
    const int fd = s->logged->_fileno;
    struct lbio_call c;
    off64_t ret;

    if (whence != SEEK_CUR || *off != 0)
        s->ahead = FIRST_AHEAD;
    lbio__call_clear(&c);
    if (lbio__is_served(&c, lbio__begin_seek(&c, fd, *off, whence)))
        ret = c.ret;
    else
        ret = dsn__syscall(SYS_lseek, fd, *off, whence);
    lbio__call_end(&c, ret);
    if (ret < 0)
        return -1;
    *off = ret;
    return 0;
}

static int close_number(void *stream)
{
    struct lbio_stream *s = stream;
    struct lbio_call c;
    int ret;

    if (!s->logged) /* it could not be opened */
        return 0;
    lbio__call_clear(&c);
    if (lbio__is_served(&c, lbio__begin_close(&c, s->logged->_fileno)))
        ret = (int)c.ret;
    else
        ret = dsn__sys_close(s->logged->_fileno);
    lbio__call_end(&c, ret);
    return ret;
}

/* ------------------------------------------------------------------ open streams */

static _Atomic(struct lbio_stream *) *bucket_of(int fd)
{
    return &all.bucket[(unsigned)fd % BUCKETS];
}

static struct lbio_stream *reserve(int fd)
{
    _Atomic(struct lbio_stream *) *bucket = bucket_of(fd);
    struct lbio_stream *s;

    for (s = atomic_load(bucket); s; s = s->next)
        if (!atomic_exchange(&s->is_used, 1))
            return s;
    s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_store(&s->is_used, 1);
    s->next = atomic_load(bucket);
    while (!atomic_compare_exchange_weak(bucket, &s->next, s))
        ;
    return s;
}

struct lbio_stream *lbio__stream_of(FILE *stream)
{
    struct lbio_stream *s = stream ? atomic_load(bucket_of(stream->_fileno)) : NULL;

    while (s && atomic_load(&s->key) != stream)
        s = s->next;
    return s;
}

/* Frees the plain stream without closing its descriptor. */
static void let_go(struct lbio_stream *s, int with_plain)
{
    const int error = errno;

    dsn__pages_free(s->buffer);
    s->buffer = NULL;
    if (with_plain) {
        s->plain->_fileno = -1;
        NEXT(fclose)(s->plain);
    }
    s->logged = s->plain = NULL;
    atomic_store(&s->is_used, 0);
    errno = error;
}

void lbio__stream_closing(struct lbio_stream *s)
{
    atomic_store(&s->key, NULL); /* another thread may get a stream at the same address */
}

void lbio__stream_closed(struct lbio_stream *s)
{
    let_go(s, 1);
}

/* A wide stream still refers to what the plain one has lent: that is not freed. */
void lbio__stream_lost(struct lbio_stream *s)
{
    const int is_wide = s->logged->_mode > 0;

    lbio__stream_closing(s);
    if (!is_wide)
        lbio__stream_closed(s);
}

int lbio__stream_is_plain(const struct lbio_stream *s)
{
    return s->is_plain;
}

void lbio__stream_becomes_plain(struct lbio_stream *s)
{
    atomic_store(&s->is_plain, 1);
}

void lbio__stream_widens(FILE *stream)
{
    struct lbio_stream *s = stream && stream->_mode == 0 ? lbio__stream_of(stream) : NULL;
    const int error = errno;

    if (s && !lbio__stream_is_plain(s)) {
        lbio__plain_stream(stream->_fileno, 1);
        lbio__stream_becomes_plain(s);
    }
    errno = error;
}

/* ------------------------------------------------------------------ open */

/* Tools that wrap streams below this library know the plain one alone: if there are any, it is used. */
static int is_usual(void)
{
    Dl_info its, that;

    if (!all.is_usual && NEXT_IS(fopencookie) && NEXT_IS(setvbuf) && NEXT_IS(fclose))
        all.is_usual = dladdr((void *)NEXT(fopencookie), &its) && dladdr((void *)NEXT(fclose), &that) &&
                               its.dli_fbase == that.dli_fbase
                           ? 1
                           : -1;
    return all.is_usual == 1;
}

static size_t size_for(int fd)
{
    struct stat st;
    size_t size;

    if (dsn__sys_fstat(fd, &st) != 0 || st.st_blksize < 0)
        return LEAST;
    size = (size_t)st.st_blksize & ~(LEAST - 1);
    return size < LEAST ? LEAST : size > MOST ? MOST : size;
}

static const char *mode_of(FILE *stream)
{
    return !__fwritable(stream) ? "r" : __freadable(stream) ? "r+" : "w";
}

/* The C library's stream is as it is expected to be, or nothing is done with it. */
static FILE *make(struct lbio_stream *s)
{
    const cookie_io_functions_t functions = { read_bytes, write_bytes, seek, close_number };
    FILE *f = NEXT(fopencookie)(s, mode_of(s->plain), functions);

    if (!f)
        return NULL;
    if (f->_fileno >= 0 || f->_mode != -1 || !s->plain->_wide_data ||
        NEXT(setvbuf)(f, s->buffer, _IOFBF, s->size) != 0) {
        NEXT(fclose)(f);
        return NULL;
    }
    f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = NULL; /* as before the first use */
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = NULL;
    f->_fileno = s->plain->_fileno;
    f->_wide_data = s->plain->_wide_data;
    f->_mode = 0;
    f->_flags2 |= s->plain->_flags2;
    return f;
}

FILE *lbio__stream_open(FILE *plain)
{
    const int error = errno;
    struct lbio_stream *s = NULL;

    if (plain->_mode == 0 && lbio__is_logged(plain->_fileno) && is_usual())
        s = reserve(plain->_fileno);
    if (s) {
        s->plain = plain;
        s->size = s->ahead = size_for(plain->_fileno);
        s->is_plain = 0;
        s->buffer = dsn__pages(s->size);
        s->logged = s->buffer ? make(s) : NULL;
        if (!s->logged) {
            let_go(s, 0);
            s = NULL;
        }
    }
    if (s)
        atomic_store(&s->key, s->logged);
    errno = error;
    return s ? s->logged : NULL;
}

#else

FILE *lbio__stream_open(FILE *plain)
{
    (void)plain;
    return NULL;
}

struct lbio_stream *lbio__stream_of(FILE *stream)
{
    (void)stream;
    return NULL;
}

void lbio__stream_lost(struct lbio_stream *s)
{
    (void)s;
}

int lbio__stream_is_plain(const struct lbio_stream *s)
{
    (void)s;
    return 1;
}

void lbio__stream_becomes_plain(struct lbio_stream *s)
{
    (void)s;
}

void lbio__stream_closing(struct lbio_stream *s)
{
    (void)s;
}

void lbio__stream_closed(struct lbio_stream *s)
{
    (void)s;
}

void lbio__stream_widens(FILE *stream)
{
    (void)stream;
}

#endif

/* zio.c - decompression of a region by zlib or ISA-L, bzip2, or none
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "zio.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_BZ2
#include <bzlib.h>
#endif

#include "darshan-log-format/err.h"
#include "inflate.h"

#define INPUT_SIZE ((size_t)64 << 10) /* at most */

/* Limit of a region's decompressed size: deflate's ratio is at most 1032; bzip2 could expand a kilobyte to a gigabyte,
 * but no log does. */
#define MAX_RATIO  2048
#define FREE_BYTES (16 << 20)

enum step { STEP_MORE, STEP_END, STEP_STUCK, STEP_BAD, STEP_NO_MEMORY };

struct codec {
    int (*begin)(struct dsn__zio *z); /* before each stream; returns an enum dsn_err. NULL: nothing to do */
    enum step (*step)(struct dsn__zio *z);
    void (*end)(struct dsn__zio *z); /* after each stream; NULL: nothing to free before dsn__zio_end() */
};

struct dsn__zio {
    const struct dsn__file *file;
    const struct codec *codec;
    uint64_t pos, end; /* rest of the region to be read from the file */
    uint64_t left;     /* bytes that may still be decompressed */
    int cut;           /* the region extends beyond the end of the file */
    int in_stream;
    int err; /* enum dsn_err; sticky */
    const unsigned char *in;
    size_t avail_in;
    unsigned char *out;
    size_t avail_out;
    struct dsn__inflate *inflate; /* allocated for the first stream */
    uint64_t start;               /* file offset of the stream */
    uint64_t made;                /* bytes decompressed from the stream */
    uint64_t again;               /* of these, still to be decompressed again and dropped, after a restart */
#ifdef HAVE_BZ2
    bz_stream bzip2;
#endif
    size_t input_size;
    unsigned char input[]; /* preceded by the end of the previous block */
};

int dsn__file_read(const struct dsn__file *f, uint64_t off, void *buf, size_t n)
{
    unsigned char *p = buf;

    if (off > f->size || n > f->size - off)
        return 0;
    while (n > 0) {
        ssize_t got = pread(f->fd, p, n, (off_t)off);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        p += got;
        off += (uint64_t)got;
        n -= (size_t)got;
    }
    return 1;
}

/* ------------------------------------------------------------------ zlib */

static int zlib_begin(struct dsn__zio *z)
{
    if (!z->inflate)
        z->inflate = dsn__inflate_new();
    if (!z->inflate)
        return DSN_ERR_MEMORY;
    dsn__inflate_reset(z->inflate);
    z->start = z->pos - z->avail_in;
    z->made = 0;
    z->again = 0;
    return DSN_ERR_OK;
}

/* Restarts the stream with zlib. 0: the result is final. */
static int decompress_again(struct dsn__zio *z)
{
    if (!dsn__inflate_restart(z->inflate))
        return 0;
    z->again = z->made;
    z->pos = z->start;
    z->avail_in = 0;
    return 1;
}

static enum step zlib_step(struct dsn__zio *z)
{
    const size_t room = z->again > 0 && z->again < z->avail_out ? (size_t)z->again : z->avail_out;
    struct dsn__inflate_io io = { z->in, z->avail_in, z->pos == z->end, z->out, room };
    const enum dsn__inflate_result result = dsn__inflate_step(z->inflate, &io);

    z->in = io.in;
    z->avail_in = io.avail_in;
    if (z->again > 0) { /* already returned to the reader */
        z->again -= room - io.avail_out;
    } else {
        z->made += room - io.avail_out;
        z->out = io.out;
        z->avail_out = io.avail_out;
    }
    if (result == DSN_INFLATE_END)
        return STEP_END;
    if (result == DSN_INFLATE_MORE || decompress_again(z))
        return STEP_MORE;
    return result == DSN_INFLATE_CUT_OFF ? STEP_STUCK : STEP_BAD;
}

/* ------------------------------------------------------------------ bzip2 */

#ifdef HAVE_BZ2
static int bzip2_begin(struct dsn__zio *z)
{
    memset(&z->bzip2, 0, sizeof z->bzip2);
    return BZ2_bzDecompressInit(&z->bzip2, 0, 0) == BZ_OK ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

static enum step bzip2_step(struct dsn__zio *z)
{
    const unsigned in = z->avail_in < UINT_MAX ? (unsigned)z->avail_in : UINT_MAX;
    const unsigned out = z->avail_out < UINT_MAX ? (unsigned)z->avail_out : UINT_MAX;
    int rc;

    z->bzip2.next_in = (char *)z->in;
    z->bzip2.avail_in = in;
    z->bzip2.next_out = (char *)z->out;
    z->bzip2.avail_out = out;
    rc = BZ2_bzDecompress(&z->bzip2);
    z->in = (unsigned char *)z->bzip2.next_in;
    z->avail_in -= in - z->bzip2.avail_in;
    z->out = (unsigned char *)z->bzip2.next_out;
    z->avail_out -= out - z->bzip2.avail_out;
    if (rc == BZ_STREAM_END)
        return STEP_END;
    if (rc == BZ_MEM_ERROR)
        return STEP_NO_MEMORY;
    if (rc != BZ_OK)
        return STEP_BAD;
    return z->bzip2.avail_in == in && z->bzip2.avail_out == out ? STEP_STUCK : STEP_MORE;
}

static void bzip2_end(struct dsn__zio *z)
{
    BZ2_bzDecompressEnd(&z->bzip2);
}
#endif

/* ------------------------------------------------------------------ no compression */

/* Every block of input is a stream of its own: uncompressed bytes cannot end early. */
static enum step plain_step(struct dsn__zio *z)
{
    const size_t n = z->avail_in < z->avail_out ? z->avail_in : z->avail_out;

    memcpy(z->out, z->in, n);
    z->in += n;
    z->avail_in -= n;
    z->out += n;
    z->avail_out -= n;
    return STEP_END;
}

static const struct codec codecs[] = {
    [DSN_ZLIB] = { zlib_begin, zlib_step, NULL },
#ifdef HAVE_BZ2
    [DSN_BZIP2] = { bzip2_begin, bzip2_step, bzip2_end },
#endif
    [DSN_UNCOMPRESSED] = { NULL, plain_step, NULL },
};

/* ------------------------------------------------------------------ the stream */

int dsn__zio_begin(const struct dsn__file *f, struct dsn_map region, struct dsn__zio **out)
{
    const size_t input_size = region.len < INPUT_SIZE ? (size_t)region.len : INPUT_SIZE;
    struct dsn__zio *z;

    if (f->compression < 0 || f->compression > DSN_UNCOMPRESSED)
        return DSN_ERR_COMPRESSION;
    if (!codecs[f->compression].step)
        return DSN_ERR_BZIP2;
    z = malloc(sizeof *z + DSN_INFLATE_BACK + input_size);
    if (!z)
        return DSN_ERR_MEMORY;
    memset(z, 0, sizeof *z + DSN_INFLATE_BACK);
    z->input_size = input_size;
    z->in = z->input + DSN_INFLATE_BACK;
    z->file = f;
    z->codec = &codecs[f->compression];
    z->pos = region.off < f->size ? region.off : f->size;
    z->cut = region.off > f->size || region.len > f->size - region.off;
    z->end = z->cut ? f->size : region.off + region.len;
    z->left = (z->end - z->pos) * MAX_RATIO + FREE_BYTES;
    *out = z;
    return DSN_ERR_OK;
}

/* Reads the next block of input. 0 at the end of the region (or of the file). */
static int read_input(struct dsn__zio *z)
{
    const uint64_t rest = z->end - z->pos;
    const size_t n = rest < z->input_size ? (size_t)rest : z->input_size;

    if (n == 0)
        return 0;
    memmove(z->input, z->in - DSN_INFLATE_BACK, DSN_INFLATE_BACK);
    z->in = z->input + DSN_INFLATE_BACK;
    if (!dsn__file_read(z->file, z->pos, z->input + DSN_INFLATE_BACK, n)) {
        z->err = DSN_ERR_READ;
        return 0;
    }
    z->pos += n;
    z->avail_in = n;
    return 1;
}

static void end_stream(struct dsn__zio *z)
{
    if (z->codec->end)
        z->codec->end(z);
    z->in_stream = 0;
}

/* Calls the decompressor once. Without input it may still have output; if not, the stream is truncated. */
static void decompress_some(struct dsn__zio *z)
{
    enum step s;

    if (!z->in_stream) {
        if (z->codec->begin && (z->err = z->codec->begin(z)) != DSN_ERR_OK)
            return;
        z->in_stream = 1;
    }
    s = z->codec->step(z);
    if (s == STEP_MORE)
        return;
    end_stream(z);
    if (s == STEP_NO_MEMORY)
        z->err = DSN_ERR_MEMORY;
    else if (s == STEP_STUCK)
        z->err = z->cut ? DSN_ERR_RANGE : DSN_ERR_INFLATE;
    else if (s == STEP_BAD)
        z->err = DSN_ERR_INFLATE;
}

size_t dsn__zio_read(struct dsn__zio *z, void *buf, size_t n)
{
    z->out = buf;
    z->avail_out = n;
    while (z->avail_out > 0 && !z->err) {
        if (z->avail_in == 0 && !read_input(z) && !z->in_stream) {
            if (!z->err && z->cut)
                z->err = DSN_ERR_RANGE;
            break;
        }
        if (!z->err)
            decompress_some(z);
    }
    n -= z->avail_out;
    if (n > z->left) {
        z->err = DSN_ERR_INFLATE;
        return 0;
    }
    z->left -= n;
    return n;
}

int dsn__zio_error(const struct dsn__zio *z)
{
    return z->err;
}

void dsn__zio_end(struct dsn__zio *z)
{
    if (!z)
        return;
    if (z->in_stream)
        end_stream(z);
    dsn__inflate_free(z->inflate);
    free(z);
}

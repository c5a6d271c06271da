/* zio.c - codecs and the stream over a region
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "zio.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_BZ2
#include <bzlib.h>
#endif

#include "darshan-log-format/err.h"

#define INPUT_SIZE ((size_t)1 << 20) /* at most: a rank's stream fits, as a rule */

/* What a region may decompress to: deflate cannot do better than 1032 to 1; bzip2 could turn a kilobyte into a
 * gigabyte, but no log does. */
#define MAX_RATIO  2048
#define FREE_BYTES (16 << 20)

enum step { STEP_MORE, STEP_END, STEP_STUCK, STEP_BAD, STEP_NO_MEMORY };

struct codec {
    int (*begin)(struct dsn__zio *z); /* before each stream; an enum dsn_err */
    enum step (*step)(struct dsn__zio *z);
    int (*whole)(
        struct dsn__zio *z);         /* may be NULL; a stream that is in the input and fits in the output as a whole, in
                                       * one go; 0: it does not, or is damaged, and nothing was taken */
    void (*end)(struct dsn__zio *z); /* after each stream that was begun */
};

struct dsn__zio {
    const struct dsn__file *file;
    const struct codec *codec;
    uint64_t pos, end; /* what of the region has not been taken from the file */
    uint64_t left;     /* bytes that it may still decompress to */
    int cut;           /* the region goes on behind the end of the file */
    int may_pause;     /* dsn__zio_read_part(): a stream that does not fit is left for the next call */
    int paused;
    size_t last_whole; /* bytes that the last stream taken in one go gave */
    int in_stream;     /* between the first and the last byte of a stream */
    int err;           /* enum dsn_err; sticky */
    const unsigned char *in;
    size_t avail_in;
    unsigned char *out;
    size_t avail_out;
    z_stream zlib;
#ifdef HAVE_LIBDEFLATE
    struct libdeflate_decompressor *deflate; /* made when it is first needed */
    uint32_t checksum;                       /* of what the stream has given so far */
    uint32_t last_bytes;                     /* the last four of its input: at its end, the checksum it should have */
#endif
#ifdef HAVE_BZ2
    bz_stream bzip2;
#endif
    size_t input_size;
    unsigned char input[];
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

#ifdef HAVE_LIBDEFLATE
/* zlib's own checksum takes a third of its time: it is told to leave that out, and libdeflate makes it. */
static int begin_check(struct dsn__zio *z)
{
    z->checksum = 1; /* Adler-32 of nothing */
    z->last_bytes = 0;
    return inflateValidate(&z->zlib, 0);
}

static void check(struct dsn__zio *z, const unsigned char *in, const unsigned char *out)
{
    const size_t taken = (size_t)(z->zlib.next_in - in);

    z->checksum = libdeflate_adler32(z->checksum, out, (size_t)(z->zlib.next_out - out));
    for (size_t i = taken < 4 ? 0 : taken - 4; i < taken; i++)
        z->last_bytes = z->last_bytes << 8 | in[i];
}

static int is_sound(const struct dsn__zio *z)
{
    return z->checksum == z->last_bytes;
}

/* libdeflate is twice as fast as zlib, but cannot stop in the middle of a stream. */
static int zlib_whole(struct dsn__zio *z)
{
    size_t taken, given;

    if (!z->deflate)
        z->deflate = libdeflate_alloc_decompressor();
    if (!z->deflate || libdeflate_zlib_decompress_ex(z->deflate, z->in, z->avail_in, z->out, z->avail_out, &taken,
                                                     &given) != LIBDEFLATE_SUCCESS)
        return 0;
    z->in += taken;
    z->avail_in -= taken;
    z->out += given;
    z->avail_out -= given;
    z->last_whole = given;
    return 1;
}
#else
#define zlib_whole NULL

static int begin_check(struct dsn__zio *z)
{
    (void)z;
    return Z_OK;
}

static void check(const struct dsn__zio *z, const unsigned char *in, const unsigned char *out)
{
    (void)z;
    (void)in;
    (void)out;
}

static int is_sound(const struct dsn__zio *z)
{
    (void)z;
    return 1; /* zlib has looked */
}
#endif

static int zlib_begin(struct dsn__zio *z)
{
    memset(&z->zlib, 0, sizeof z->zlib);
    if (inflateInit(&z->zlib) != Z_OK)
        return DSN_ERR_MEMORY;
    if (begin_check(z) == Z_OK)
        return DSN_ERR_OK;
    inflateEnd(&z->zlib);
    return DSN_ERR_INFLATE;
}

static enum step zlib_step(struct dsn__zio *z)
{
    const uInt in = z->avail_in < UINT_MAX ? (uInt)z->avail_in : UINT_MAX;
    const uInt out = z->avail_out < UINT_MAX ? (uInt)z->avail_out : UINT_MAX;
    int rc;

    z->zlib.next_in = (unsigned char *)z->in;
    z->zlib.avail_in = in;
    z->zlib.next_out = z->out;
    z->zlib.avail_out = out;
    rc = inflate(&z->zlib, Z_NO_FLUSH);
    check(z, z->in, z->out);
    z->in = z->zlib.next_in;
    z->avail_in -= in - z->zlib.avail_in;
    z->out = z->zlib.next_out;
    z->avail_out -= out - z->zlib.avail_out;
    switch (rc) {
    case Z_OK:
        return STEP_MORE;
    case Z_STREAM_END:
        return is_sound(z) ? STEP_END : STEP_BAD;
    case Z_BUF_ERROR:
        return STEP_STUCK;
    case Z_MEM_ERROR:
        return STEP_NO_MEMORY;
    default:
        return STEP_BAD;
    }
}

static void zlib_end(struct dsn__zio *z)
{
    inflateEnd(&z->zlib);
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

static int plain_begin(struct dsn__zio *z)
{
    (void)z;
    return DSN_ERR_OK;
}

/* Every piece of input is a stream of its own: plain bytes cannot end too early. */
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

static void plain_end(struct dsn__zio *z)
{
    (void)z;
}

static const struct codec codecs[] = {
    [DSN_ZLIB] = { zlib_begin, zlib_step, zlib_whole, zlib_end },
#ifdef HAVE_BZ2
    [DSN_BZIP2] = { bzip2_begin, bzip2_step, NULL, bzip2_end },
#endif
    [DSN_UNCOMPRESSED] = { plain_begin, plain_step, NULL, plain_end },
};

/* ------------------------------------------------------------------ the stream */

int dsn__zio_begin(const struct dsn__file *f, struct dsn_map region, struct dsn__zio **out)
{
    const size_t input_size = region.len < INPUT_SIZE ? (size_t)region.len : INPUT_SIZE;
    struct dsn__zio *z;

    if (f->compression < 0 || f->compression > DSN_UNCOMPRESSED)
        return DSN_ERR_COMPRESSION;
    if (!codecs[f->compression].begin)
        return DSN_ERR_BZIP2;
    z = malloc(sizeof *z + input_size);
    if (!z)
        return DSN_ERR_MEMORY;
    memset(z, 0, sizeof *z);
    z->input_size = input_size;
    z->file = f;
    z->codec = &codecs[f->compression];
    z->pos = region.off < f->size ? region.off : f->size;
    z->cut = region.off > f->size || region.len > f->size - region.off;
    z->end = z->cut ? f->size : region.off + region.len;
    z->left = (z->end - z->pos) * MAX_RATIO + FREE_BYTES;
    *out = z;
    return DSN_ERR_OK;
}

/* More input. 0 at the end of the region (or of what there is of it). */
static int fill(struct dsn__zio *z)
{
    const uint64_t rest = z->end - z->pos;
    const size_t n = rest < z->input_size ? (size_t)rest : z->input_size;

    if (n == 0)
        return 0;
    if (!dsn__file_read(z->file, z->pos, z->input, n)) {
        z->err = DSN_ERR_READ;
        return 0;
    }
    z->pos += n;
    z->in = z->input;
    z->avail_in = n;
    return 1;
}

/* More input behind what there is, so that the next stream is all there. */
static void top_up(struct dsn__zio *z)
{
    const uint64_t rest = z->end - z->pos;
    size_t n = z->input_size - z->avail_in;

    n = rest < n ? (size_t)rest : n;
    if (n == 0 || z->avail_in > z->input_size / 2)
        return;
    memmove(z->input, z->in, z->avail_in);
    z->in = z->input;
    if (dsn__file_read(z->file, z->pos, z->input + z->avail_in, n)) {
        z->pos += n;
        z->avail_in += n;
    }
}

/* Takes the next stream in one go, if that can be done. 0: it has to be taken step by step. */
static int take_whole(struct dsn__zio *z)
{
    if (!z->codec->whole)
        return 0;
    top_up(z);
    if (!z->may_pause || z->avail_out >= z->last_whole) {
        if (z->codec->whole(z))
            return 1;
    }
    z->paused = z->may_pause;
    return z->paused;
}

/* One call of the decompressor. Without input it may still hold output; if it does not, the stream is cut off. */
static void advance(struct dsn__zio *z)
{
    enum step s;

    if (!z->in_stream) {
        if (take_whole(z))
            return;
        z->err = z->codec->begin(z);
        if (z->err)
            return;
        z->in_stream = 1;
    }
    s = z->codec->step(z);
    if (s == STEP_MORE)
        return;
    z->codec->end(z);
    z->in_stream = 0;
    if (s == STEP_NO_MEMORY)
        z->err = DSN_ERR_MEMORY;
    else if (s == STEP_STUCK)
        z->err = z->cut ? DSN_ERR_RANGE : DSN_ERR_INFLATE;
    else if (s == STEP_BAD)
        z->err = DSN_ERR_INFLATE;
}

static size_t read_bytes(struct dsn__zio *z, void *buf, size_t n, int part)
{
    z->out = buf;
    z->avail_out = n;
    z->paused = 0;
    while (z->avail_out > 0 && !z->err && !z->paused) {
        z->may_pause = part && z->avail_out < n;
        if (z->avail_in == 0 && !fill(z) && !z->in_stream) {
            if (!z->err && z->cut)
                z->err = DSN_ERR_RANGE;
            break;
        }
        if (!z->err)
            advance(z);
    }
    n -= z->avail_out;
    if (n > z->left) {
        z->err = DSN_ERR_INFLATE;
        return 0;
    }
    z->left -= n;
    return n;
}

size_t dsn__zio_read(struct dsn__zio *z, void *buf, size_t n)
{
    return read_bytes(z, buf, n, 0);
}

size_t dsn__zio_read_part(struct dsn__zio *z, void *buf, size_t n)
{
    return read_bytes(z, buf, n, 1);
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
        z->codec->end(z);
#ifdef HAVE_LIBDEFLATE
    if (z->deflate)
        libdeflate_free_decompressor(z->deflate);
#endif
    free(z);
}

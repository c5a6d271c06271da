/* zout.c - compresses into a file by zlib or bzip2
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "zout.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_BZ2
#include <bzlib.h>
#endif

#include "darshan-log-format/err.h"
#include "darshan-log-format/header.h"

#define OUTPUT_SIZE (64 * 1024)

enum step { STEP_MORE, STEP_END, STEP_BAD };

struct packer {
    int (*begin)(struct dsn__zout *z); /* returns an enum dsn_err */
    enum step (*step)(struct dsn__zout *z, int finish);
    void (*end)(struct dsn__zout *z);
};

struct dsn__zout {
    struct dsn__sink *sink;
    const struct packer *packer;
    const unsigned char *in;
    unsigned avail_in, avail_out;
    z_stream zlib;
#ifdef HAVE_BZ2
    bz_stream bzip2;
#endif
    unsigned char output[OUTPUT_SIZE];
};

int dsn__sink_put(struct dsn__sink *sink, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    while (n > 0 && sink->error == 0) {
        const ssize_t put = pwrite(sink->fd, p, n, (off_t)sink->end);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            sink->error = put < 0 ? errno : ENOSPC;
            break;
        }
        p += put;
        sink->end += (uint64_t)put;
        n -= (size_t)put;
    }
    return sink->error == 0;
}

/* ------------------------------------------------------------------ zlib */

static int zlib_begin(struct dsn__zout *z)
{
    memset(&z->zlib, 0, sizeof z->zlib);
    return deflateInit(&z->zlib, Z_DEFAULT_COMPRESSION) == Z_OK ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

static enum step zlib_step(struct dsn__zout *z, int finish)
{
    int rc;

    z->zlib.next_in = (unsigned char *)z->in;
    z->zlib.avail_in = z->avail_in;
    z->zlib.next_out = z->output + OUTPUT_SIZE - z->avail_out;
    z->zlib.avail_out = z->avail_out;
    rc = deflate(&z->zlib, finish ? Z_FINISH : Z_NO_FLUSH);
    z->in = z->zlib.next_in;
    z->avail_in = z->zlib.avail_in;
    z->avail_out = z->zlib.avail_out;
    if (rc == Z_STREAM_END)
        return STEP_END;
    return rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void zlib_end(struct dsn__zout *z)
{
    deflateEnd(&z->zlib);
}

/* ------------------------------------------------------------------ bzip2 */

#ifdef HAVE_BZ2
static int bzip2_begin(struct dsn__zout *z)
{
    memset(&z->bzip2, 0, sizeof z->bzip2);
    return BZ2_bzCompressInit(&z->bzip2, 9, 0, 30) == BZ_OK ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

static enum step bzip2_step(struct dsn__zout *z, int finish)
{
    int rc;

    z->bzip2.next_in = (char *)z->in;
    z->bzip2.avail_in = z->avail_in;
    z->bzip2.next_out = (char *)z->output + OUTPUT_SIZE - z->avail_out;
    z->bzip2.avail_out = z->avail_out;
    rc = BZ2_bzCompress(&z->bzip2, finish ? BZ_FINISH : BZ_RUN);
    z->in = (const unsigned char *)z->bzip2.next_in;
    z->avail_in = z->bzip2.avail_in;
    z->avail_out = z->bzip2.avail_out;
    if (rc == BZ_STREAM_END)
        return STEP_END;
    return rc == BZ_RUN_OK || rc == BZ_FINISH_OK ? STEP_MORE : STEP_BAD;
}

static void bzip2_end(struct dsn__zout *z)
{
    BZ2_bzCompressEnd(&z->bzip2);
}
#endif

static const struct packer packers[DSN_BZIP2 + 1] = {
    [DSN_ZLIB] = { zlib_begin, zlib_step, zlib_end },
#ifdef HAVE_BZ2
    [DSN_BZIP2] = { bzip2_begin, bzip2_step, bzip2_end },
#endif
};

/* ------------------------------------------------------------------ the stream */

int dsn__zout_begin(struct dsn__sink *sink, int compression, struct dsn__zout **out)
{
    struct dsn__zout *z;
    int rc;

    *out = NULL;
    if (compression != DSN_ZLIB && compression != DSN_BZIP2)
        return DSN_ERR_COMPRESSION;
    if (!packers[compression].begin)
        return DSN_ERR_BZIP2;
    z = malloc(sizeof *z);
    if (!z)
        return DSN_ERR_MEMORY;
    z->sink = sink;
    z->packer = &packers[compression];
    z->in = NULL;
    z->avail_in = 0;
    z->avail_out = OUTPUT_SIZE;
    rc = z->packer->begin(z);
    if (rc != DSN_ERR_OK) {
        free(z);
        return rc;
    }
    *out = z;
    return DSN_ERR_OK;
}

/* Calls the compressor once, and writes out the buffer when it is full or the stream ends. */
static enum step compress_some(struct dsn__zout *z, int finish)
{
    const enum step s = z->packer->step(z, finish);

    if (s == STEP_BAD && z->sink->error == 0)
        z->sink->error = EIO;
    if (z->avail_out == 0 || s == STEP_END) {
        if (!dsn__sink_put(z->sink, z->output, OUTPUT_SIZE - z->avail_out))
            return STEP_BAD;
        z->avail_out = OUTPUT_SIZE;
    }
    return s;
}

int dsn__zout_put(struct dsn__zout *z, const void *bytes, size_t n)
{
    z->in = bytes;
    while (n > 0) {
        const unsigned piece = n < UINT_MAX ? (unsigned)n : UINT_MAX;

        z->avail_in = piece;
        while (z->avail_in > 0)
            if (compress_some(z, 0) == STEP_BAD)
                return 0;
        n -= piece;
    }
    return z->sink->error == 0;
}

int dsn__zout_end(struct dsn__zout *z)
{
    enum step s = STEP_MORE;
    int ok;

    if (!z)
        return 1;
    while (s == STEP_MORE && z->sink->error == 0)
        s = compress_some(z, 1);
    ok = s == STEP_END && z->sink->error == 0;
    z->packer->end(z);
    free(z);
    return ok;
}

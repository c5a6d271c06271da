/* inflate.c - one interface to ISA-L and zlib
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "inflate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#define MOST ((size_t)1 << 30) /* bytes per call: both libraries have 32-bit counters */

struct dsn__inflate {
    int by_zlib;
    int has_zlib; /* its state is initialized */
    z_stream zlib;
#ifdef HAVE_ISAL
    struct inflate_state isal;
#endif
};

static unsigned at_most(size_t n)
{
    return (unsigned)(n < MOST ? n : MOST);
}

static void pass_over(struct dsn__inflate_io *io, size_t in, size_t out)
{
    io->in += in;
    io->avail_in -= in;
    io->out += out;
    io->avail_out -= out;
}

/* ------------------------------------------------------------------ zlib */

/* 0: no memory. */
static int reset_zlib(struct dsn__inflate *s)
{
    s->by_zlib = 1;
    if (s->has_zlib)
        return inflateReset(&s->zlib) == Z_OK;
    memset(&s->zlib, 0, sizeof s->zlib);
    s->has_zlib = inflateInit(&s->zlib) == Z_OK;
    return s->has_zlib;
}

static enum dsn__inflate_result step_zlib(struct dsn__inflate *s, struct dsn__inflate_io *io)
{
    const unsigned in = at_most(io->avail_in), out = at_most(io->avail_out);
    int rc;

    s->zlib.next_in = (unsigned char *)(size_t)io->in;
    s->zlib.avail_in = in;
    s->zlib.next_out = io->out;
    s->zlib.avail_out = out;
    rc = inflate(&s->zlib, Z_NO_FLUSH);
    pass_over(io, in - s->zlib.avail_in, out - s->zlib.avail_out);
    if (rc == Z_STREAM_END)
        return DSN_INFLATE_END;
    if (rc == Z_OK || rc == Z_BUF_ERROR || s->zlib.avail_out < out) /* damage is reported by the next call */
        return DSN_INFLATE_MORE;
    return DSN_INFLATE_BAD;
}

/* ------------------------------------------------------------------ ISA-L */

#ifdef HAVE_ISAL
static int reset_first(struct dsn__inflate *s)
{
    s->by_zlib = 0;
    isal_inflate_init(&s->isal);
    s->isal.crc_flag = ISAL_ZLIB;
    return 1;
}

static enum dsn__inflate_result step_first(struct dsn__inflate *s, struct dsn__inflate_io *io)
{
    const unsigned in = at_most(io->avail_in), out = at_most(io->avail_out);
    size_t unused = 0; /* bytes consumed only into its bit buffer */

    s->isal.next_in = (unsigned char *)(size_t)io->in;
    s->isal.avail_in = in;
    s->isal.next_out = io->out;
    s->isal.avail_out = out;
    if (isal_inflate(&s->isal) != ISAL_DECOMP_OK) /* the output may be garbage */
        return DSN_INFLATE_BAD;
    if (s->isal.block_state == ISAL_BLOCK_FINISH)
        unused = (size_t)s->isal.read_in_length / CHAR_BIT;
    pass_over(io, in - s->isal.avail_in, out - s->isal.avail_out);
    io->in -= unused;
    io->avail_in += unused;
    return s->isal.block_state == ISAL_BLOCK_FINISH ? DSN_INFLATE_END : DSN_INFLATE_MORE;
}
#else
static int reset_first(struct dsn__inflate *s)
{
    return reset_zlib(s);
}

static enum dsn__inflate_result step_first(struct dsn__inflate *s, struct dsn__inflate_io *io)
{
    return step_zlib(s, io);
}
#endif

/* ------------------------------------------------------------------ the stream */

struct dsn__inflate *dsn__inflate_new(void)
{
    struct dsn__inflate *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    s->has_zlib = 0;
    if (reset_first(s))
        return s;
    free(s);
    return NULL;
}

void dsn__inflate_free(struct dsn__inflate *s)
{
    if (s && s->has_zlib)
        inflateEnd(&s->zlib);
    free(s);
}

void dsn__inflate_reset(struct dsn__inflate *s)
{
    reset_first(s);
}

int dsn__inflate_restart(struct dsn__inflate *s)
{
    return !s->by_zlib && reset_zlib(s);
}

enum dsn__inflate_result dsn__inflate_step(struct dsn__inflate *s, struct dsn__inflate_io *io)
{
    const size_t room = io->avail_out;
    const enum dsn__inflate_result result = s->by_zlib ? step_zlib(s, io) : step_first(s, io);

    if (result == DSN_INFLATE_MORE && io->last && io->avail_in == 0 && io->avail_out == room)
        return DSN_INFLATE_CUT_OFF;
    return result;
}

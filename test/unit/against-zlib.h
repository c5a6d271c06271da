/* against-zlib.h - compares inflate.h with zlib: output and result
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For the unit test and the fuzzer of inflate.h. */
#ifndef DSN_AGAINST_ZLIB_H
#define DSN_AGAINST_ZLIB_H

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/lib/inflate.h"

struct outcome {
    enum dsn__inflate_result result; /* MORE: there was more than `room` */
    size_t made, taken;
    unsigned char *bytes;
};

/* Memory for what is made, as it is needed: a sanitizer takes time for each byte of it. */
static void make_room(struct outcome *o, size_t *room, size_t wanted)
{
    if (wanted <= *room)
        return;
    *room = 2 * *room > wanted ? 2 * *room : wanted;
    o->bytes = realloc(o->bytes, *room);
    if (!o->bytes)
        abort();
}

static struct outcome by_zlib(const unsigned char *in, size_t n, size_t room)
{
    struct outcome o = { DSN_INFLATE_BAD, 0, 0, NULL };
    size_t allocated = 0;
    z_stream z;
    int rc = Z_OK;

    memset(&z, 0, sizeof z);
    if (inflateInit(&z) != Z_OK)
        abort();
    z.next_in = (unsigned char *)(size_t)in;
    z.avail_in = (uInt)n;
    while (rc == Z_OK && o.made < room) {
        const size_t fit = room - o.made < 70000 ? room - o.made : 70000;

        make_room(&o, &allocated, o.made + fit);
        z.next_out = o.bytes + o.made;
        z.avail_out = (uInt)fit;
        rc = inflate(&z, Z_NO_FLUSH);
        o.made += fit - z.avail_out;
    }
    o.taken = n - z.avail_in;
    if (rc == Z_STREAM_END)
        o.result = DSN_INFLATE_END;
    else if (o.made == room)
        o.result = DSN_INFLATE_MORE;
    else if (rc == Z_BUF_ERROR)
        o.result = DSN_INFLATE_CUT_OFF;
    inflateEnd(&z);
    return o;
}

/* Input comes in pieces: of `piece` bytes; 0: all at once. What was made before a restart has to come again. */
static struct outcome by_us(const unsigned char *in, size_t n, size_t room, size_t piece)
{
    struct outcome o = { DSN_INFLATE_MORE, 0, 0, NULL };
    struct dsn__inflate *s = dsn__inflate_new();
    size_t before = 0, allocated = 0;

    piece = piece > 0 ? piece : n;
    while (o.result == DSN_INFLATE_MORE && o.made < room) {
        const size_t there = n - o.taken < piece ? n - o.taken : piece,
                     fit = room - o.made < 70000 ? room - o.made : 70000;
        const size_t back = o.taken < DSN_INFLATE_BACK ? o.taken : DSN_INFLATE_BACK;
        unsigned char *copy = malloc(back + there + 1); /* of its very size: reading over its end is noticed */
        unsigned char *out = malloc(fit);
        struct dsn__inflate_io io = { copy + 1 + back, there, there == n - o.taken, out, fit };
        size_t made;

        memcpy(copy + 1, in + o.taken - back, back + there);
        o.result = dsn__inflate_step(s, &io);
        o.taken = (size_t)((ptrdiff_t)o.taken + (io.in - (copy + 1 + back)));
        made = fit - io.avail_out;
        make_room(&o, &allocated, o.made + fit);
        if (before > o.made && memcmp(o.bytes + o.made, out, before - o.made < made ? before - o.made : made) != 0)
            abort();
        memcpy(o.bytes + o.made, out, made);
        o.made += made;
        free(copy);
        free(out);
        if ((o.result == DSN_INFLATE_BAD || o.result == DSN_INFLATE_CUT_OFF) && dsn__inflate_restart(s)) {
            before = o.made;
            o.result = DSN_INFLATE_MORE;
            o.made = o.taken = 0;
        }
    }
    dsn__inflate_free(s);
    return o;
}

/* NULL, or in which way they differ. What is made of damaged input counts, too. A stream whose checksum is right may be
 * complete for us though zlib finds fault with the description of its codes. */
static const char *difference(const unsigned char *in, size_t n, size_t room, size_t piece)
{
    struct outcome a = by_zlib(in, n, room), b = by_us(in, n, room, piece);
    const int is_pardoned = a.result == DSN_INFLATE_BAD && b.result == DSN_INFLATE_END && a.made <= b.made;
    const char *result = NULL;

    if (a.result == DSN_INFLATE_MORE || b.result == DSN_INFLATE_MORE)
        result = a.made != b.made ? "which goes on" : NULL;
    else if (is_pardoned)
        result = NULL;
    else if (a.result != b.result)
        result = "result";
    else if (a.made != b.made)
        result = "length";
    else if (a.result == DSN_INFLATE_END && a.taken != b.taken)
        result = "end of the stream";
    if (!result && memcmp(a.bytes, b.bytes, a.made) != 0)
        result = "bytes";
    free(a.bytes);
    free(b.bytes);
    return result;
}

#endif

/* operations.c - compact encoding of the operations of a trace
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/report/operations.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 4 /* of zlib: higher levels take much longer and save little */

/* Maximum length of a 64-bit number. */
#define LONGEST 10

static int reserve(struct dsn_op_writer *w, struct dsn_op_column *c)
{
    const size_t room = c->room ? 2 * c->room : 4096;
    unsigned char *bytes;

    if (w->failed || c->room - c->n >= LONGEST)
        return !w->failed;
    bytes = realloc(c->bytes, room);
    if (!bytes) {
        w->failed = 1;
        return 0;
    }
    c->bytes = bytes;
    c->room = room;
    return 1;
}

static void put_number(struct dsn_op_writer *w, unsigned column, uint64_t v)
{
    struct dsn_op_column *c = &w->column[column];

    if (!reserve(w, c))
        return;
    for (; v > 127; v >>= 7)
        c->bytes[c->n++] = (unsigned char)(v | 128);
    c->bytes[c->n++] = (unsigned char)v;
}

/* Differences wrap, and wrap back in the reader: numbers of a damaged log may have any value. */
static void put_signed(struct dsn_op_writer *w, unsigned column, int64_t v, int64_t before)
{
    const uint64_t d = (uint64_t)v - (uint64_t)before;

    put_number(w, column, d >> 63 ? ~(d << 1) : d << 1);
}

void dsn_op_begin(struct dsn_op_writer *w, double tick)
{
    memset(w, 0, sizeof *w);
    w->tick = tick;
}

void dsn_op_add(struct dsn_op_writer *w, const struct dsn_dxt_segment *s, int is_write)
{
    const int64_t start = (int64_t)(s->start / w->tick), end = (int64_t)(s->end / w->tick);

    put_signed(w, DSN_OP_STARTS, start, w->last_start);
    put_number(w, DSN_OP_DURATIONS, (uint64_t)(end > start ? end - start : 0));
    put_signed(w, DSN_OP_OFFSETS, s->offset, w->last_end);
    put_signed(w, DSN_OP_LENGTHS, s->length, w->last_length);
    w->last_start = start;
    w->last_end = s->offset < 0 ? s->offset : s->offset + s->length;
    w->last_length = s->length;
    w->n++;
    *(is_write ? &w->writes : &w->reads) += 1;
}

void dsn_op_end_record(struct dsn_op_writer *w, int is_mpiio, uint32_t file, int64_t rank)
{
    if (w->writes + w->reads > 0) {
        put_number(w, DSN_OP_RECORDS, (uint64_t)is_mpiio);
        put_number(w, DSN_OP_RECORDS, file);
        put_signed(w, DSN_OP_RECORDS, rank, 0);
        put_number(w, DSN_OP_RECORDS, (uint64_t)w->writes);
        put_number(w, DSN_OP_RECORDS, (uint64_t)w->reads);
        w->nrecords++;
    }
    w->writes = w->reads = 0;
    w->last_start = w->last_end = w->last_length = 0;
}

static int deflate_all(const struct dsn_op_writer *w, struct dsn_operations *out)
{
    z_stream z = { 0 };
    int rc = Z_OK;

    if (deflateInit(&z, LEVEL) != Z_OK)
        return 0;
    z.next_out = out->packed;
    for (unsigned i = 0; i < DSN_OP_COLUMNS && rc == Z_OK; i++) {
        z.next_in = w->column[i].bytes;
        z.avail_in = (uInt)w->column[i].n;
        z.avail_out = (uInt)(out->npacked - z.total_out);
        if (z.avail_in > 0)
            rc = deflate(&z, Z_NO_FLUSH);
    }
    if (rc == Z_OK) {
        z.avail_out = (uInt)(out->npacked - z.total_out);
        rc = deflate(&z, Z_FINISH);
    }
    out->npacked = z.total_out;
    deflateEnd(&z);
    return rc == Z_STREAM_END;
}

int dsn_op_finish(struct dsn_op_writer *w, struct dsn_operations *out)
{
    size_t all = 0;
    int ok;

    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < DSN_OP_COLUMNS; i++)
        all += out->sizes[i] = w->column[i].n;
    out->tick = w->tick;
    out->n = w->n;
    out->nrecords = w->nrecords;
    out->npacked = (size_t)compressBound((uLong)all) + 64;
    /* each of at most a few million operations has four numbers of up to ten bytes */
    out->packed = w->failed || out->npacked > UINT32_MAX ? NULL : malloc(out->npacked);
    ok = out->packed && deflate_all(w, out);
    if (!ok) {
        free(out->packed);
        out->packed = NULL;
    }
    for (unsigned i = 0; i < DSN_OP_COLUMNS; i++)
        free(w->column[i].bytes);
    return ok;
}

/* emit.c - rows of text out of records
 * SPDX-License-Identifier: BSD-3-Clause */
#include "emit.h"

#include <string.h>

/* Parts of a line that are longer than this are written piece by piece. */
#define SHORT_PART 4096

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t)
{
    e->text = text;
    e->table = t;
    for (unsigned at = 0; at < t->nvalues; at++) {
        const struct dsn_row *row = dsn_table_row(t, at);

        e->row[at].name = row->name;
        e->row[at].length = (uint16_t)strlen(row->name);
        e->row[at].kind = row->kind;
        e->row[at].unit = row->unit;
    }
}

static size_t format(char *to, const struct dsn_emit_row *row, union dsn_val v)
{
    if (row->kind == DSN_F64)
        return dsn_format_f64(to, v.f);
    return row->unit == DSN_RECID ? dsn_format_u64(to, (uint64_t)v.i) : dsn_format_i64(to, v.i);
}

/* "<module>\t<rank>\t<id>\t" */
static size_t head(char *to, const struct dsn_table *t, const struct dsn_rec *r)
{
    const size_t length = strlen(t->name);
    char *p = to + length;

    memcpy(to, t->name, length);
    *p++ = '\t';
    p += dsn_format_i64(p, r->rank);
    *p++ = '\t';
    p += dsn_format_u64(p, r->id);
    *p++ = '\t';
    return (size_t)(p - to);
}

static void put_tail(struct dsn_text *text, const struct dsn_emit_file *file)
{
    const char *part[3] = { file->name ? file->name : "(null)", file->mount, file->type };

    for (int i = 0; i < 3; i++) {
        dsn_text_bytes(text, "\t", 1);
        dsn_text_untrusted(text, part[i], strlen(part[i]));
    }
    dsn_text_bytes(text, "\n", 1);
}

/* "\t<name>\t<mount>\t<fs>\n" into `to`, or 0 if it does not fit or must be made safe first. */
static size_t tail(char *to, size_t room, const struct dsn_text *text, const struct dsn_emit_file *file)
{
    const char *part[3] = { file->name ? file->name : "(null)", file->mount, file->type };
    size_t n = 0;

    if (text->safe)
        return 0;
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(part[i]);

        if (length >= room - n - 2)
            return 0;
        to[n++] = '\t';
        memcpy(to + n, part[i], length);
        n += length;
    }
    to[n++] = '\n';
    return n;
}

void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_emit_file *file)
{
    struct dsn_text *text = e->text;
    char front[64 + 2 * DSN_INT_MAX], back[SHORT_PART];
    const size_t nfront = head(front, e->table, r), nback = tail(back, sizeof back, text, file);

    for (unsigned i = 0; i < e->table->nvalues; i++) {
        const struct dsn_emit_row *row = &e->row[i];
        char *start = dsn_text_room(text, nfront + row->length + 1 + DSN_DOUBLE_MAX + nback), *p = start;

        memcpy(p, front, nfront);
        p += nfront;
        memcpy(p, row->name, row->length);
        p += row->length;
        *p++ = '\t';
        p += format(p, row, r->v[i]);
        memcpy(p, back, nback);
        p += nback;
        text->used += (size_t)(p - start);
        if (nback == 0)
            put_tail(text, file);
    }
}

void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r)
{
    for (unsigned i = 0; i < e->table->nvalues; i++) {
        const struct dsn_emit_row *row = &e->row[i];
        char *p;

        dsn_text_printf(e->text, "total_%s: ", row->name);
        p = dsn_text_room(e->text, DSN_DOUBLE_MAX);
        e->text->used += row->kind == DSN_F64 ? dsn_format_f64(p, r->v[i].f) : dsn_format_i64(p, r->v[i].i);
        dsn_text_bytes(e->text, "\n", 1);
    }
}

/* emit.c - prints records as text, CSV or JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include "emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "darshan-log-format/index.h"

#define NAME_MAX_LENGTH 128 /* longer than any counter name with its element number */

static void add_row(struct dsn_emit *e, const struct dsn_row *row)
{
    e->row[e->nrows++] = (struct dsn__emit_row){
        .name = row->name,
        .length = (uint16_t)strlen(row->name),
        .at = (uint16_t)row->at,
        .kind = row->kind,
        .unit = row->unit,
        .role = row->role,
        .since = (uint8_t)row->since,
    };
}

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t)
{
    e->text = text;
    e->table = t;
    e->sync = 0;
    e->form = DSN_EMIT_TEXT;
    e->log = "";
    e->version = 0;
    e->several = 0;
    e->varies = t && dsn_table_varies(t);
    e->nrows = 0;
    if (!t)
        return;
    for (unsigned i = 0; i < t->nrows; i++)
        if (dsn_row_is_counter(&t->rows[i]))
            add_row(e, &t->rows[i]);
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].at >= 0 && t->rows[i].role == DSN_OWNER)
            add_row(e, &t->rows[i]);
}

/* ------------------------------------------------------------------ lines */

static size_t format_double(const struct dsn_emit *e, char *to, double v)
{
    if (e->form != DSN_EMIT_JSON || isfinite(v))
        return dsn_format_f64(to, v);
    memcpy(to, "null", 4);
    return 4;
}

/* In JSON an id is a string, because many parsers lack 64-bit integers. */
static size_t format_id(const struct dsn_emit *e, char *to, uint64_t id)
{
    size_t n;

    if (e->form != DSN_EMIT_JSON)
        return dsn_format_u64(to, id);
    to[0] = '"';
    n = dsn_format_u64(to + 1, id);
    to[n + 1] = '"';
    return n + 2;
}

static size_t format_value(const struct dsn_emit *e, char *to, const struct dsn__emit_row *row, union dsn_val v)
{
    if (e->form != DSN_EMIT_TEXT && e->version > 0 && row->since > e->version) {
        memcpy(to, "null", 4);
        return e->form == DSN_EMIT_JSON ? 4 : 0;
    }
    if (row->kind == DSN_F64)
        return format_double(e, to, v.f);
    if (row->unit == DSN_RECID)
        return format_id(e, to, (uint64_t)v.i);
    return row->kind == DSN_U64 ? dsn_format_u64(to, (uint64_t)v.i) : dsn_format_i64(to, v.i);
}

/* "<module>\t<rank>\t<id>\t" */
static size_t format_front(char *to, const struct dsn_table *t, int64_t rank, uint64_t id)
{
    const size_t length = strlen(t->name);
    char *p = to + length;

    memcpy(to, t->name, length);
    *p++ = '\t';
    p += dsn_format_i64(p, rank);
    *p++ = '\t';
    p += dsn_format_u64(p, id);
    *p++ = '\t';
    return (size_t)(p - to);
}

/* Escapes the character at p (n >= 1 bytes available); invalid UTF-8 becomes U+FFFD. Returns the number of bytes
 * consumed. */
static size_t json_escaped(struct dsn_text *out, const char *p, size_t n)
{
    const unsigned a = (unsigned char)p[0], b = n > 1 ? (unsigned char)p[1] ^ 0x80 : 0x40;
    const unsigned c = n > 2 ? (unsigned char)p[2] ^ 0x80 : 0x40;

    if (a == '"' || a == '\\')
        dsn_text_printf(out, "\\%c", (char)a);
    else if (a < 0x80)
        dsn_text_printf(out, "\\u%04x", a);
    else if (a >= 0xc2 && a < 0xe0 && b < 0x40) {
        dsn_text_printf(out, "\\u%04x", (a & 0x1f) << 6 | b);
        return 2;
    } else if ((a & 0xf0) == 0xe0 && b < 0x40 && c < 0x40 && (a > 0xe0 || b >= 0x20) && (a != 0xed || b < 0x20)) {
        dsn_text_printf(out, "\\u%04x", (a & 0x0f) << 12 | b << 6 | c);
        return 3;
    } else
        dsn_text_string(out, "\\ufffd");
    return 1;
}

void dsn_emit_quoted(struct dsn_text *out, enum dsn_emit_form form, const char *s, size_t n)
{
    dsn_text_bytes(out, "\"", 1);
    for (size_t i = 0; i < n;) {
        const size_t length = dsn_text_character(s + i, n - i), taken = length > 0 ? length : 1;

        if (form == DSN_EMIT_JSON && (length == 0 || s[i] == '"' || s[i] == '\\')) {
            i += json_escaped(out, s + i, n - i);
            continue;
        }
        if (s[i] == '"')
            dsn_text_bytes(out, "\"", 1);
        dsn_text_bytes(out, length == 0 && out->safe ? "?" : s + i, taken);
        i += taken;
    }
    dsn_text_bytes(out, "\"", 1);
}

static void put_text(struct dsn_emit *e, const char *s, size_t n)
{
    if (!s)
        dsn_text_string(e->text, e->form == DSN_EMIT_JSON ? "null" : "");
    else if (e->form == DSN_EMIT_TEXT)
        dsn_text_untrusted(e->text, s, n);
    else
        dsn_emit_quoted(e->text, e->form, s, n);
}

/* What follows the value in TEXT and CSV. */
static void put_tail(struct dsn_emit *e, const struct dsn_emit_file *file)
{
    const char *part[3] = { file->name ? file->name : "(null)", file->mount, file->type };

    if (e->form == DSN_EMIT_JSON)
        return;
    for (int i = 0; i < 3; i++) {
        dsn_text_bytes(e->text, e->form == DSN_EMIT_CSV ? "," : "\t", 1);
        put_text(e, part[i], strlen(part[i]));
    }
    dsn_text_string(e->text, e->form == DSN_EMIT_CSV ? "\r\n" : "\n");
}

/* Writes "\t<name>\t<mount>\t<fs>\n" to `to`; 0 if it does not fit, or needs control characters replaced. */
static size_t format_back(char *to, size_t room, const struct dsn_text *text, const struct dsn_emit_file *file)
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

/* The members of a record's object that precede its counters. */
static void begin_object(struct dsn_emit *e, int64_t rank, uint64_t id, const struct dsn_emit_file *file)
{
    static const char *const key[3] = { ",\"name\":", ",\"mount\":", ",\"fs\":" };
    const char *part[3] = { file->name, file->mount, file->type };

    dsn_text_printf(e->text, "%s\n{\"module\":\"%s\",\"rank\":%lld,\"id\":\"%llu\"", e->several ? "," : "",
                    e->table->name, (long long)rank, (unsigned long long)id);
    for (int i = 0; i < 3; i++) {
        dsn_text_string(e->text, key[i]);
        if (part[i])
            dsn_emit_quoted(e->text, DSN_EMIT_JSON, part[i], strlen(part[i]));
        else
            dsn_text_string(e->text, "null");
    }
    dsn_text_string(e->text, ",\"counters\":{");
    e->several = 1;
}

static void set_between(struct dsn_emit *e, const char *text)
{
    e->nbetween = strlen(text);
    memcpy(e->between, text, e->nbetween);
}

/* For a record of `file`, or (NULL) for figures without a file. */
static void begin_lines(struct dsn_emit *e, const struct dsn_emit_file *file)
{
    e->file = file;
    e->is_first = 1;
    e->is_long = 0;
    e->nback = 0;
    if (e->form == DSN_EMIT_JSON) {
        memcpy(e->front, ",\"", 2);
        e->nfront = 2;
        set_between(e, "\":");
    }
}

static void begin_record(struct dsn_emit *e, int64_t rank, uint64_t id, const struct dsn_emit_file *file)
{
    begin_lines(e, file);
    if (e->form == DSN_EMIT_JSON) {
        begin_object(e, rank, id, file);
    } else if (e->form == DSN_EMIT_CSV) {
        e->nfront = (size_t)snprintf(e->front, sizeof e->front, "%s,%s,%lld,%llu,", e->log, e->table->name,
                                     (long long)rank, (unsigned long long)id);
        e->is_long = 1;
        set_between(e, ",");
    } else {
        e->nfront = format_front(e->front, e->table, rank, id);
        e->nback = format_back(e->back, sizeof e->back, e->text, file);
        e->is_long = e->nback == 0;
        set_between(e, "\t");
    }
}

static void end_record(struct dsn_emit *e)
{
    if (e->form == DSN_EMIT_JSON)
        dsn_text_string(e->text, "}}");
}

/* Starts a line of the record: returns where put_name() and the value (at most NAME_MAX_LENGTH + 4 + DSN_DOUBLE_MAX
 * bytes) go; finish it with end_line(). */
static inline char *begin_line(struct dsn_emit *e)
{
    char *p = dsn_text_room(e->text, e->nfront + NAME_MAX_LENGTH + sizeof e->between + DSN_DOUBLE_MAX + e->nback);
    const size_t skipped = e->form == DSN_EMIT_JSON && e->is_first; /* no comma before the first */

    e->is_first = 0;
    memcpy(p, e->front + skipped, e->nfront - skipped);
    return p + e->nfront - skipped;
}

static inline void end_line(struct dsn_emit *e, char *p)
{
    memcpy(p, e->back, e->nback);
    e->text->used = (size_t)(p + e->nback - e->text->buffer);
    if (e->is_long)
        put_tail(e, e->file);
}

/* The name, and the separator before the value. */
static inline char *put_name(const struct dsn_emit *e, char *p, const char *name, size_t n)
{
    memcpy(p, name, n);
    memcpy(p + n, e->between, sizeof e->between);
    return p + n + e->nbetween;
}

static void line_i64(struct dsn_emit *e, const char *name, size_t length, int64_t v)
{
    char *p = put_name(e, begin_line(e), name, length);

    end_line(e, p + dsn_format_i64(p, v));
}

static void line_f64(struct dsn_emit *e, const char *name, double v)
{
    char *p = put_name(e, begin_line(e), name, strlen(name));

    end_line(e, p + format_double(e, p, v));
}

/* `text` is from the log: untrusted, of any length. */
static void line_text(struct dsn_emit *e, const char *name, const char *text, size_t n)
{
    char *p = put_name(e, begin_line(e), name, strlen(name));

    e->text->used = (size_t)(p - e->text->buffer);
    put_text(e, text, n);
    if (e->file)
        put_tail(e, e->file);
    else
        dsn_text_bytes(e->text, e->back, e->nback);
}

/* ------------------------------------------------------------------ arrays */

/* "<name>_<i>" for i = 0, 1, ... */
static void put_array(struct dsn_emit *e, const char *name, const int64_t *v, size_t n)
{
    char text[NAME_MAX_LENGTH];
    const size_t length = strlen(name);

    memcpy(text, name, length);
    text[length] = '_';
    for (size_t i = 0; i < n; i++)
        line_i64(e, text, length + 1 + dsn_format_u64(text + length + 1, i), v[i]);
}

static const char *pattern_text(int64_t pattern)
{
    static const char *const text[] = { [0] = "raid0", [2] = "mdt", [4] = "raid0,overstriped", [8] = "foreign" };

    return pattern >= 0 && pattern <= 8 && text[pattern] ? text[pattern] : "N/A";
}

/* Comma-separated names of the flags, truncated to 64 characters like the original's. */
static void flags_text(int64_t flags, char to[65])
{
    static const char *const bit[] = { "stale,",     "prefrd,", "prefwr,",   "offline,", "init,",    "nosync,",
                                       "extension,", "parity,", "compress,", "partial,", "nocompr,", "neg," };
    size_t n = 0;

    if (flags == -1) {
        memcpy(to, "N/A", 4);
        return;
    }
    for (size_t i = 0; i < sizeof bit / sizeof bit[0]; i++)
        for (const char *p = bit[i]; flags >> i & 1 && *p && n < 64; p++)
            to[n++] = *p;
    if (n == 0) {
        memcpy(to, "0", 2);
        return;
    }
    to[n - 1] = '\0';
}

/* The counters of a component: "LUSTRE_COMP" in the rows' names becomes "LUSTRE_COMP<number>". */
static void put_component(struct dsn_emit *e, size_t number, const struct dsn_lustre_comp *c, const int64_t *osts)
{
    static const size_t stem = sizeof "LUSTRE_COMP" - 1;
    const int64_t value[] = { c->stripe_size, c->stripe_count, 0, 0, c->start, c->end, c->mirror };
    char name[NAME_MAX_LENGTH], text[65] = "";

    for (unsigned i = 0; i <= 8; i++) {
        const struct dsn_row *row = dsn_table_array(e->table, i);

        snprintf(name, sizeof name, "LUSTRE_COMP%zu%s", number, row->name + stem);
        if (i == 2) {
            line_text(e, name, pattern_text(c->pattern), strlen(pattern_text(c->pattern)));
        } else if (i == 3) {
            flags_text(c->flags, text);
            line_text(e, name, text, strlen(text));
        } else if (i < 7) {
            line_i64(e, name, strlen(name), value[i]);
        } else if (i == 7) {
            const size_t length = strnlen(c->pool, sizeof c->pool);

            line_text(e, name, length > 0 ? c->pool : "N/A", length > 0 ? length : 3);
        } else {
            put_array(e, name, osts, (size_t)c->stripe_count);
        }
    }
}

static void put_arrays(struct dsn_emit *e, const struct dsn_tail *tail)
{
    const int64_t *osts = tail->values[0];

    switch (e->table->id) {
    case DSN_HEATMAP_MODULE: /* printed reads first, stored writes first */
        put_array(e, dsn_table_array(e->table, 1)->name, tail->values[1], tail->n);
        put_array(e, dsn_table_array(e->table, 0)->name, tail->values[0], tail->n);
        break;
    case DSN_MDHIM_MODULE:
        put_array(e, dsn_table_array(e->table, 0)->name, tail->values[0], tail->n);
        break;
    default:
        for (size_t i = 0; i < tail->ncomps; i++) {
            put_component(e, i + 1, &tail->comps[i], osts);
            osts += tail->comps[i].stripe_count;
        }
    }
}

/* ------------------------------------------------------------------ records */

void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_tail *tail,
                     const struct dsn_emit_file *file)
{
    begin_record(e, r->rank, r->id, file);
    if (e->table->id == DSN_APMPI_MODULE) {
        const char *name = (const char *)&r->v[MPI_PROCESSOR_NAME];

        line_text(e, "MPI_PROCESSOR_NAME", name, strnlen(name, DSN_APMPI_NAME_SIZE));
    }
    for (unsigned i = 0; i < e->nrows; i++) {
        const struct dsn__emit_row *row = &e->row[i];
        char *p;

        if (row->role == DSN_SYNC && !e->sync)
            continue;
        p = put_name(e, begin_line(e), row->name, row->length);
        end_line(e, p + format_value(e, p, row, r->v[row->at]));
    }
    if (e->varies)
        put_arrays(e, tail);
    end_record(e);
}

void dsn_emit_apmpi(struct dsn_emit *e, const struct dsn_apmpi_header *h, const struct dsn_emit_file *file)
{
    begin_record(e, h->rank, h->id, file);
    line_f64(e, "MPI_TOTAL_COMM_TIME_VARIANCE", h->comm_variance);
    if (h->sync)
        line_f64(e, "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", h->sync_variance);
    end_record(e);
}

/* ------------------------------------------------------------------ figures */

void dsn_emit_begin_group(struct dsn_emit *e, const char *group)
{
    static const char rest[] = ",,,\r\n"; /* empty name, mount and type */

    begin_lines(e, NULL);
    if (e->form == DSN_EMIT_JSON) {
        dsn_text_printf(e->text, ",\"%s\":{", group);
    } else if (e->form == DSN_EMIT_CSV) {
        e->nfront =
            (size_t)snprintf(e->front, sizeof e->front, "%s,%s,,,%s_", e->log, e->table ? e->table->name : "", group);
        e->nback = sizeof rest - 1;
        memcpy(e->back, rest, e->nback);
        set_between(e, ",");
    } else {
        e->nfront = (size_t)snprintf(e->front, sizeof e->front, "%s_", group);
        e->nback = 1;
        e->back[0] = '\n';
        set_between(e, ": ");
    }
}

void dsn_emit_end_group(struct dsn_emit *e)
{
    if (e->form == DSN_EMIT_JSON)
        dsn_text_string(e->text, "}");
}

void dsn_emit_figure_i64(struct dsn_emit *e, const char *name, int64_t v)
{
    line_i64(e, name, strlen(name), v);
}

void dsn_emit_figure_f64(struct dsn_emit *e, const char *name, double v)
{
    line_f64(e, name, v);
}

void dsn_emit_figure_text(struct dsn_emit *e, const char *name, const char *text)
{
    line_text(e, name, text, text ? strlen(text) : 0);
}

void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r)
{
    dsn_emit_begin_group(e, "total");
    for (unsigned i = 0; i < e->nrows; i++) {
        struct dsn__emit_row row = e->row[i];
        char *p;

        if (row.role == DSN_OWNER)
            continue;
        row.unit = DSN_COUNT; /* of ids, too */
        row.kind = row.kind == DSN_F64 ? DSN_F64 : DSN_I64;
        p = put_name(e, begin_line(e), row.name, row.length);
        end_line(e, p + format_value(e, p, &row, r->v[row.at]));
    }
    dsn_emit_end_group(e);
}

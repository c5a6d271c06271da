/* dxt-forms.c - prints traces as JSON and CSV
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dxt-forms.h"

static const char *const operation[2] = { "write", "read" };

void dsn_trace_columns(struct dsn_text *out)
{
    dsn_text_string(
        out, "log,module,rank,file_id,file_name,hostname,mount_pt,fs_type,operation,segment,offset,length,start,end,"
             "thread,osts\r\n");
}

/* ------------------------------------------------------------------ JSON */

static void print_stripes(struct dsn_text *out, const struct dsn_layout *layout)
{
    const int64_t *ost = layout->osts;

    dsn_text_string(out, ",\"stripes\":[");
    for (size_t i = 0; i < layout->ncomps; i++) {
        const struct dsn_lustre_comp *c = &layout->comps[i];

        dsn_text_printf(out, "%s{\"start\":%" PRId64 ",\"end\":", i > 0 ? "," : "", c->start);
        if (c->end == -1)
            dsn_text_string(out, "null");
        else
            dsn_text_printf(out, "%" PRId64, c->end);
        dsn_text_printf(out, ",\"stripe_size\":%" PRId64 ",\"stripe_count\":%" PRId64 ",\"osts\":[", c->stripe_size,
                        c->stripe_count);
        for (int64_t k = 0; k < c->stripe_count; k++)
            dsn_text_printf(out, "%s%" PRId64, k > 0 ? "," : "", *ost++);
        dsn_text_string(out, "]}");
    }
    dsn_text_string(out, "]");
}

void dsn_trace_begin(const struct dsn_trace *t, int is_first)
{
    struct dsn_text *out = t->out;

    if (t->form != DSN_EMIT_JSON)
        return;
    dsn_text_printf(out, "%s\n{\"module\":\"%s\",\"rank\":%" PRId64 ",\"file_id\":%" PRIu64 ",\"file_name\":",
                    is_first ? "" : ",", t->module, t->head->rank, t->head->id);
    if (t->name)
        dsn_json_quoted(out, "", t->name);
    else
        dsn_text_string(out, "null");
    dsn_text_string(out, ",\"hostname\":");
    dsn_emit_quoted(out, DSN_EMIT_JSON, t->head->host, strnlen(t->head->host, sizeof t->head->host));
    dsn_json_quoted(out, ",\"mount_pt\":", t->mount->path);
    dsn_json_quoted(out, ",\"fs_type\":", t->mount->type);
    dsn_text_printf(out, ",\n\"threads\":%" PRId64 ",\"write_count\":%" PRId64 ",\"read_count\":%" PRId64, t->threads,
                    t->head->nwrites, t->head->nreads);
    dsn_text_printf(out, ",\"left_out\":%" PRId64, t->head->left_out > 0 ? t->head->left_out : 0);
    if (t->layout)
        print_stripes(out, t->layout);
    dsn_text_string(out, ",\"segments\":[");
}

void dsn_trace_end(const struct dsn_trace *t)
{
    if (t->form == DSN_EMIT_JSON)
        dsn_text_string(t->out, "]}");
}

static void print_targets(const struct dsn_trace *t, const struct dsn_dxt_segment *s, const char *between)
{
    struct dsn_stripe_walk walk;
    const char *before = "";
    int64_t ost;

    dsn_stripe_walk_begin(&walk, t->layout, s->offset, s->length);
    for (; dsn_stripe_walk_next(&walk, &ost); before = between)
        dsn_text_printf(t->out, "%s%" PRId64, before, ost);
}

/* Values of a damaged log may be NaN, which JSON does not have. */
static void print_seconds(struct dsn_text *out, const char *before, double v)
{
    if (isfinite(v))
        dsn_text_printf(out, "%s%.4f", before, v);
    else
        dsn_text_printf(out, "%snull", before);
}

static void json_segment(const struct dsn_trace *t, int is_read, int64_t number, const struct dsn_dxt_segment *s)
{
    struct dsn_text *out = t->out;

    dsn_text_printf(out, "%s\n{\"operation\":\"%s\",\"segment\":%" PRId64 ",\"offset\":%" PRId64 ",\"length\":%" PRId64,
                    t->nsegments > 0 ? "," : "", operation[is_read], number, s->offset, s->length);
    print_seconds(out, ",\"start\":", s->start);
    print_seconds(out, ",\"end\":", s->end);
    if (t->has_threads)
        dsn_text_printf(out, ",\"thread\":%" PRIu64, s->thread);
    if (t->layout) {
        dsn_text_string(out, ",\"osts\":[");
        print_targets(t, s, ",");
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "}");
}

/* ------------------------------------------------------------------ CSV */

static void csv_text(struct dsn_text *out, const char *s, size_t n)
{
    dsn_text_string(out, ",");
    dsn_emit_quoted(out, DSN_EMIT_CSV, s, n);
}

static void csv_segment(const struct dsn_trace *t, int is_read, int64_t number, const struct dsn_dxt_segment *s)
{
    struct dsn_text *out = t->out;

    dsn_text_untrusted(out, t->column, strlen(t->column));
    dsn_text_printf(out, ",%s,%" PRId64 ",%" PRIu64, t->module, t->head->rank, t->head->id);
    csv_text(out, t->name ? t->name : "", t->name ? strlen(t->name) : 0);
    csv_text(out, t->head->host, strnlen(t->head->host, sizeof t->head->host));
    csv_text(out, t->mount->path, strlen(t->mount->path));
    csv_text(out, t->mount->type, strlen(t->mount->type));
    dsn_text_printf(out, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.4f,%.4f,", operation[is_read], number, s->offset,
                    s->length, s->start, s->end);
    if (t->has_threads)
        dsn_text_printf(out, "%" PRIu64, s->thread);
    dsn_text_string(out, ",");
    if (t->layout)
        print_targets(t, s, " ");
    dsn_text_string(out, "\r\n");
}

void dsn_trace_segment(struct dsn_trace *t, int is_read, int64_t number, const struct dsn_dxt_segment *s)
{
    if (t->form == DSN_EMIT_JSON)
        json_segment(t, is_read, number, s);
    else
        csv_segment(t, is_read, number, s);
    t->nsegments++;
}

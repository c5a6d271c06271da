/* written.c - rows as JSON (also read), CSV and OpenMetrics
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"
#include "darshan-log-format/shown.h"
#include "top/report.h"

#define FORMAT      "darshan-top"
#define END_OF_TIME 253402300800.0 /* the year 10000: what other nodes say may be any number */

static const void *place(const struct dsn_top_row *row, const struct dsn_top_field *f)
{
    return (const char *)row + f->at;
}

/* Characters that must not be displayed become '?', because names are untrusted. `quote`: the character to be doubled,
 * or preceded by `escape`. */
static void put_text(FILE *to, const char *text, const char *quote, int escape)
{
    for (const char *at = text ? text : ""; *at;) {
        const size_t n = dsn_shown((const unsigned char *)at);

        if (n == 1 && strchr(quote, *at))
            putc(escape ? escape : *at, to);
        fwrite(n > 0 ? at : "?", 1, n > 0 ? n : 1, to);
        at += n > 0 ? n : 1;
    }
}

static double number_of(const struct dsn_top_row *row, const struct dsn_top_field *f)
{
    const double v = *(const double *)place(row, f);

    return isfinite(v) ? v : 0;
}

/* ------------------------------------------------------------------ JSON */

static void put_json_text(FILE *to, const char *text)
{
    putc('"', to);
    put_text(to, text, "\"\\", '\\');
    putc('"', to);
}

static void put_json_field(FILE *to, const struct dsn_top_row *row, const struct dsn_top_field *f)
{
    fprintf(to, "\"%s\":", f->key);
    if (f->type == DSN_TOP_TEXT)
        put_json_text(to, *(const char *const *)place(row, f));
    else if (f->type == DSN_TOP_INTEGER)
        fprintf(to, "%" PRId64, *(const int64_t *)place(row, f));
    else
        fprintf(to, "%.15g", number_of(row, f));
}

/* `kinds`: bits of the fields of these rows; with `named` only identifying fields. */
static void put_json_rows(FILE *to, const char *name, const struct dsn_top_rows *rows, unsigned kinds, int named)
{
    fprintf(to, ",\"%s\":[", name);
    for (size_t i = 0; i < rows->n; i++) {
        const char *between = "{";

        fputs(i > 0 ? "," : "", to);
        for (size_t k = 0; k < dsn__top_nfields; k++) {
            const struct dsn_top_field *f = &dsn__top_fields[k];

            if (!(f->kinds & kinds) || (named && (f->type == DSN_TOP_NUMBER || strcmp(f->key, "files") == 0)))
                continue;
            fputs(between, to);
            put_json_field(to, &rows->row[i], f);
            between = ",";
        }
        putc('}', to);
    }
    putc(']', to);
}

int dsn__top_write_json(FILE *to, const struct dsn_top_report *r)
{
    fprintf(to, "{\"format\":\"" FORMAT "\",\"version\":1,\"host\":");
    put_json_text(to, r->host);
    fprintf(to, ",\"time\":%.3f,\"interval\":%.6f,\"nodes\":%" PRId64, r->time, r->interval, r->nodes);
    fprintf(to, ",\"unreadable\":%zu,\"other_release\":%zu,\"incomplete\":%zu", r->unreadable, r->foreign,
            r->incomplete);
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        put_json_rows(to, dsn__top_kinds[kind], &r->rows[kind], 1U << kind, 0);
    put_json_rows(to, "gone", &r->past, 1U << DSN_TOP_PROCESSES, 1);
    fputs("}\n", to);
    return fflush(to) == 0 && !ferror(to);
}

static int read_field(const json_t *from, const struct dsn_top_field *f, struct dsn_top_row *row)
{
    const json_t *v = json_object_get(from, f->key);
    void *to = (char *)row + f->at;

    if (!v)
        return 1;
    if (f->type == DSN_TOP_TEXT && json_is_string(v))
        *(const char **)to = json_string_value(v);
    else if (f->type == DSN_TOP_INTEGER && json_is_integer(v))
        *(int64_t *)to = json_integer_value(v);
    else if (f->type == DSN_TOP_NUMBER && json_is_number(v) && json_number_value(v) >= 0)
        *(double *)to = json_number_value(v);
    else
        return 0;
    return 1;
}

static uint64_t key_of(const struct dsn_top_row *row)
{
    const char *name = row->file ? row->file : row->mount ? row->mount : "";

    return dsn_hash(name, strlen(name), 0);
}

static int read_rows(const json_t *document, const char *name, struct dsn_top_rows *rows, int is_process,
                     const struct dsn_top_row *whose)
{
    const json_t *list = json_object_get(document, name), *one;
    size_t i;

    if (!json_is_array(list))
        return 0;
    json_array_foreach(list, i, one)
    {
        struct dsn_top_row row = { .rank = -1 };

        for (size_t k = 0; k < dsn__top_nfields; k++)
            if (!read_field(one, &dsn__top_fields[k], &row))
                return 0;
        row.user = whose->user ? whose->user : row.user;
        row.node = whose->node ? whose->node : row.node;
        row.processes = is_process || row.processes < 1 ? 1 : row.processes;
        row.key = is_process ? 0 : key_of(&row);
        if (row.busy > (double)row.processes || !dsn__top_add(rows, &row))
            return 0;
    }
    return 1;
}

static int64_t integer_of(const json_t *document, const char *key)
{
    const json_int_t v = json_integer_value(json_object_get(document, key));

    return v > 0 && v < 1000000000 ? v : 0;
}

static int read_document(json_t *document, struct dsn_top_report *r, const char *user)
{
    const struct dsn_top_row whose = { .user = user, .node = user ? r->host : NULL };
    const char *format = json_string_value(json_object_get(document, "format"));
    const double interval = json_number_value(json_object_get(document, "interval")),
                 time = json_number_value(json_object_get(document, "time"));
    int ok = format && strcmp(format, FORMAT) == 0 && integer_of(document, "version") == 1;

    for (int kind = 0; ok && kind < DSN_TOP_NKINDS; kind++)
        ok = read_rows(document, dsn__top_kinds[kind], &r->rows[kind], kind == DSN_TOP_PROCESSES, &whose);
    ok = ok && read_rows(document, "gone", &r->past, 1, &whose);
    r->nodes += user ? 0 : integer_of(document, "nodes");
    r->unreadable += (size_t)integer_of(document, "unreadable");
    r->foreign += (size_t)integer_of(document, "other_release");
    r->incomplete += (size_t)integer_of(document, "incomplete");
    r->interval = interval > r->interval ? interval : r->interval;
    r->time = time > r->time && time < END_OF_TIME ? time : r->time;
    return ok;
}

static int keep(struct dsn_top_report *r, json_t *document)
{
    struct json_t **grown = realloc(r->texts, (r->ntexts + 1) * sizeof *grown);

    if (!grown) {
        json_decref(document);
        return 0;
    }
    r->texts = grown;
    r->texts[r->ntexts++] = document;
    return 1;
}

int dsn__top_read_json(FILE *from, struct dsn_top_report *r, const char *user, char *error, size_t size)
{
    size_t n = 0;
    int c;

    for (;; n++) {
        json_error_t wrong;
        json_t *document;

        while ((c = getc(from)) == ' ' || c == '\n' || c == '\r' || c == '\t')
            ;
        if (c == EOF)
            break;
        ungetc(c, from);
        document = json_loadf(from, JSON_DISABLE_EOF_CHECK, &wrong);
        if (!document) {
            snprintf(error, size, "document %zu is not valid JSON: line %d: %s", n + 1, wrong.line, wrong.text);
            return 0;
        }
        if (!keep(r, document) || !read_document(document, r, user)) {
            snprintf(error, size, "document %zu is not output of darshan-top --json", n + 1);
            return 0;
        }
    }
    if (n == 0) {
        snprintf(error, size, "it is empty");
        return 0;
    }
    for (int kind = DSN_TOP_FILES; kind < DSN_TOP_NKINDS; kind++)
        dsn__top_unite(&r->rows[kind]);
    dsn__top_sort_busiest(&r->rows[DSN_TOP_PROCESSES]);
    return 1;
}

void dsn__top_texts_free(struct dsn_top_report *r)
{
    for (size_t i = 0; i < r->ntexts; i++)
        json_decref(r->texts[i]);
    r->ntexts = 0;
}

void dsn__top_report_free(struct dsn_top_report *r)
{
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        free(r->rows[kind].row);
    free(r->past.row);
    dsn__top_texts_free(r);
    free(r->texts);
    free(r->mounts);
    *r = (struct dsn_top_report){ .host = "" };
}

/* ------------------------------------------------------------------ CSV */

int dsn__top_write_csv(FILE *to, const struct dsn_top_report *r, enum dsn_top_kind kind)
{
    const struct dsn_top_rows *rows = &r->rows[kind];

    fputs("time,interval", to);
    for (size_t k = 0; k < dsn__top_nfields; k++)
        if (dsn__top_fields[k].kinds & 1U << kind)
            fprintf(to, ",%s", dsn__top_fields[k].key);
    putc('\n', to);
    for (size_t i = 0; i < rows->n; i++) {
        fprintf(to, "%.3f,%.6f", r->time, r->interval);
        for (size_t k = 0; k < dsn__top_nfields; k++) {
            const struct dsn_top_field *f = &dsn__top_fields[k];

            if (!(f->kinds & 1U << kind))
                continue;
            fputs(",", to);
            if (f->type == DSN_TOP_TEXT) {
                putc('"', to);
                put_text(to, *(const char *const *)place(&rows->row[i], f), "\"", 0);
                putc('"', to);
            } else if (f->type == DSN_TOP_INTEGER) {
                fprintf(to, "%" PRId64, *(const int64_t *)place(&rows->row[i], f));
            } else {
                fprintf(to, "%.15g", number_of(&rows->row[i], f));
            }
        }
        putc('\n', to);
    }
    return fflush(to) == 0 && !ferror(to);
}

/* ------------------------------------------------------------------ OpenMetrics */

static const struct metric {
    const char *name, *help;
    size_t at;
    int by_mount; /* otherwise by job */
} metrics[] = {
    { "darshan_job_processes", "Instrumented processes of the job that are running.",
      offsetof(struct dsn_top_row, processes), 0 },
    { "darshan_job_processes_in_io", "Mean number of processes of the job in I/O, over the last interval.",
      offsetof(struct dsn_top_row, busy), 0 },
    { "darshan_job_metadata_calls_per_second", "Metadata calls (open, stat, rename, delete) in the last interval.",
      offsetof(struct dsn_top_row, rate[DSN_TOP_METADATA]), 0 },
    { "darshan_mount_read_bytes_per_second", "Bytes that the job read, in the highest layer, in the last interval.",
      offsetof(struct dsn_top_row, rate[DSN_TOP_READ]), 1 },
    { "darshan_mount_write_bytes_per_second", "Bytes that the job wrote, in the highest layer, in the last interval.",
      offsetof(struct dsn_top_row, rate[DSN_TOP_WRITTEN]), 1 },
    { "darshan_mount_read_calls_per_second", "Calls that read, in the last interval.",
      offsetof(struct dsn_top_row, rate[DSN_TOP_READS]), 1 },
    { "darshan_mount_write_calls_per_second", "Calls that wrote, in the last interval.",
      offsetof(struct dsn_top_row, rate[DSN_TOP_WRITES]), 1 },
};

/* Merges the rows after the first `most`, which are the busiest and have their own labels. */
static int bounded(const struct dsn_top_rows *all, size_t most, struct dsn_top_rows *out)
{
    struct dsn_top_row rest = { .user = "other", .mount = "other", .job = -1 };

    for (size_t i = 0; i < all->n; i++)
        if (i < most) {
            if (!dsn__top_add(out, &all->row[i]))
                return 0;
        } else {
            rest.processes += all->row[i].processes;
            rest.busy += all->row[i].busy;
            for (int c = 0; c < DSN_TOP_NCOUNTS; c++)
                rest.rate[c] += all->row[i].rate[c];
        }
    return all->n <= most || dsn__top_add(out, &rest);
}

static void put_metric(FILE *to, const struct metric *m, const struct dsn_top_row *row)
{
    const int is_integer = m->at == offsetof(struct dsn_top_row, processes);
    const void *at = (const char *)row + m->at;

    fprintf(to, "%s{jobid=\"", m->name);
    if (row->job == -1)
        fputs("other", to);
    else
        fprintf(to, "%" PRId64, row->job);
    fputs("\",user=\"", to);
    put_text(to, row->user, "\"\\", '\\');
    if (m->by_mount) {
        fputs("\",mount=\"", to);
        put_text(to, row->mount, "\"\\", '\\');
    }
    fprintf(to, "\"} %.15g\n", is_integer ? (double)*(const int64_t *)at : *(const double *)at);
}

int dsn__top_write_metrics(FILE *to, const struct dsn_top_report *r, size_t most)
{
    struct dsn_top_rows rows[2] = { { 0 }, { 0 } };
    int ok = bounded(&r->rows[DSN_TOP_JOBS], most, &rows[0]) && bounded(&r->rows[DSN_TOP_MOUNTS], most, &rows[1]);

    for (size_t k = 0; ok && k < sizeof metrics / sizeof metrics[0]; k++) {
        const struct metric *m = &metrics[k];

        fprintf(to, "# TYPE %s gauge\n# HELP %s %s\n", m->name, m->name, m->help);
        for (size_t i = 0; i < rows[m->by_mount].n; i++)
            put_metric(to, m, &rows[m->by_mount].row[i]);
    }
    fprintf(to,
            "# TYPE darshan_unreadable_processes gauge\n# HELP darshan_unreadable_processes Running processes that "
            "could not be read.\ndarshan_unreadable_processes %zu\n# EOF\n",
            r->unreadable);
    free(rows[0].row);
    free(rows[1].row);
    return ok && fflush(to) == 0 && !ferror(to);
}

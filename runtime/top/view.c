/* view.c - rows as lines of text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "darshan-log-format/shown.h"

enum form { RATE, CALLS, SHARE, NUMBER, NAME };

#define P (1 << DSN_TOP_PROCESSES)
#define F (1 << DSN_TOP_FILES)
#define M (1 << DSN_TOP_MOUNTS)
#define J (1 << DSN_TOP_JOBS)

/* The last name of a line gets the remaining width. */
static const struct column {
    const char *name;
    int width;
    enum form form;
    size_t at;
    unsigned kinds;
    int rank; /* columns of the highest rank are dropped first */
} columns[] = {
    { "PID", 8, NUMBER, offsetof(struct dsn_top_row, pid), P, 1 },
    { "RANK", 6, NUMBER, offsetof(struct dsn_top_row, rank), P, 3 },
    { "JOB", 9, NUMBER, offsetof(struct dsn_top_row, job), P | F | M | J, 1 },
    { "USER", 9, NAME, offsetof(struct dsn_top_row, user), P | F | M | J, 2 },
    { "PROCS", 5, NUMBER, offsetof(struct dsn_top_row, processes), F | M | J, 2 },
    { "READ/s", 8, RATE, offsetof(struct dsn_top_row, rate[DSN_TOP_READ]), P | F | M | J, 1 },
    { "WRITE/s", 8, RATE, offsetof(struct dsn_top_row, rate[DSN_TOP_WRITTEN]), P | F | M | J, 1 },
    { "RDS/s", 7, CALLS, offsetof(struct dsn_top_row, rate[DSN_TOP_READS]), P | F | M | J, 4 },
    { "WRS/s", 7, CALLS, offsetof(struct dsn_top_row, rate[DSN_TOP_WRITES]), P | F | M | J, 4 },
    { "META/s", 7, CALLS, offsetof(struct dsn_top_row, rate[DSN_TOP_METADATA]), P | F | M | J, 2 },
    { "%I/O", 5, SHARE, 0, P | F | M | J, 1 },
    { "FILES", 6, NUMBER, offsetof(struct dsn_top_row, files), P | M | J, 5 },
    { "LAYER", 7, NAME, offsetof(struct dsn_top_row, layer), F, 5 },
    { "STATE", 8, NAME, offsetof(struct dsn_top_row, state), P, 5 },
    { "NODE", 8, NAME, offsetof(struct dsn_top_row, node), P, 6 },
    { "PROGRAM", 0, NAME, offsetof(struct dsn_top_row, program), P | J, 0 },
    { "FILE", 0, NAME, offsetof(struct dsn_top_row, file), F, 0 },
    { "MOUNT", 0, NAME, offsetof(struct dsn_top_row, mount), M, 0 },
};
#define NCOLUMNS ((int)(sizeof columns / sizeof columns[0]))

static const void *place(const struct dsn_top_row *row, const struct column *c)
{
    return (const char *)row + c->at;
}

static double value_of(const struct dsn_top_row *row, const struct column *c)
{
    if (c->form == SHARE)
        return dsn__top_share(row);
    return c->form == NUMBER ? (double)*(const int64_t *)place(row, c) : *(const double *)place(row, c);
}

static const char *name_of(const struct dsn_top_row *row, const struct column *c)
{
    const char *text = *(const char *const *)place(row, c);

    return text ? text : "";
}

/* ------------------------------------------------------------------ lines */

static void scaled(char *out, size_t size, double v, double step, const char *units)
{
    while (v >= step * 0.9995 && units[1]) {
        v /= step;
        units++;
    }
    if (v < 0.005)
        snprintf(out, size, "0");
    else if (*units == ' ' && v >= 100)
        snprintf(out, size, "%.0f", v);
    else
        snprintf(out, size, v < 9.995 ? "%.2f%c" : v < 99.95 ? "%.1f%c" : "%.0f%c", v, *units);
    if (*out && out[strlen(out) - 1] == ' ')
        out[strlen(out) - 1] = '\0';
}

static void format_value(char *out, size_t size, const struct dsn_top_row *row, const struct column *c)
{
    const double v = value_of(row, c);
    char text[32];

    if (c->form == SHARE)
        snprintf(text, sizeof text, "%.1f", v * 100);
    else if (c->form == RATE)
        scaled(text, sizeof text, v, 1024, " KMGTPE");
    else if (c->form == CALLS)
        scaled(text, sizeof text, v, 1000, " kMGTPE");
    else if (v < 0)
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.0f", v);
    snprintf(out, size, "%*s", c->width, text);
}

/* Prints untrusted text, one column per character, padded to `width`; of longer text its end. */
static void put_name(char *out, size_t size, const char *text, int width)
{
    const char *at = text;
    size_t used = 0;
    int all = 0, skip;

    for (const char *p = text; *p; all++) {
        const size_t n = dsn_shown((const unsigned char *)p);

        p += n > 0 ? n : 1;
    }
    skip = all > width ? all - width + 1 : 0;
    for (int i = 0; *at && used + 5 < size; i++) {
        const size_t n = dsn_shown((const unsigned char *)at);

        if (i >= skip || (i == 0 && skip > 0)) {
            memcpy(out + used, skip > 0 && i == 0 ? "<" : n > 0 ? at : "?", skip > 0 && i == 0 ? 1 : n > 0 ? n : 1);
            used += skip > 0 && i == 0 ? 1 : n > 0 ? n : 1;
        }
        at += n > 0 ? n : 1;
    }
    for (; all < width && used + 1 < size; all++)
        out[used++] = ' ';
    out[used] = '\0';
}

#define LAST_NAME 12 /* minimum width of the last name */

/* The highest rank of columns that fits. */
static int rank_shown(const struct dsn_top_view *v)
{
    int rank = 9, width;

    do {
        width = LAST_NAME;
        for (int i = 0; i < NCOLUMNS; i++)
            if (columns[i].kinds & 1U << v->kind && columns[i].rank < rank)
                width += columns[i].width + (columns[i].width > 0);
    } while (v->width > 0 && width > v->width && --rank > 1);
    return rank - 1;
}

static void put_line(char out[DSN_TOP_LINE], const struct dsn_top_view *v, const struct dsn_top_row *row)
{
    const int rank = rank_shown(v);
    size_t used = 0;
    int shown = 0;

    out[0] = '\0';
    for (int i = 0; i < NCOLUMNS; i++) {
        const struct column *c = &columns[i];
        const int width = c->width ? c->width : v->width ? v->width - shown : 200;
        char text[DSN_TOP_LINE];

        if (!(c->kinds & 1U << v->kind) || c->rank > rank || width <= 0)
            continue;
        if (!row)
            snprintf(text, sizeof text, c->form == NAME ? "%-*s" : "%*s", c->width, c->name);
        else if (c->form == NAME)
            put_name(text, sizeof text, name_of(row, c), c->width ? width : width < 200 ? width : 200);
        else
            format_value(text, sizeof text, row, c);
        used += (size_t)snprintf(out + used, DSN_TOP_LINE - used, "%s ", text);
        shown += c->width + 1;
    }
    for (used = strlen(out); used > 0 && out[used - 1] == ' ';)
        out[--used] = '\0';
}

void dsn__top_heading(char out[DSN_TOP_LINE], const struct dsn_top_view *v)
{
    put_line(out, v, NULL);
}

void dsn__top_line(char out[DSN_TOP_LINE], const struct dsn_top_view *v, const struct dsn_top_row *row)
{
    put_line(out, v, row);
}

void dsn__top_head(char out[DSN_TOP_LINE], int line, const struct dsn_top_report *r)
{
    double sum[DSN_TOP_NCOUNTS] = { 0 }, busy = 0;
    char text[3][32], when[16] = "", more[128] = "";
    const time_t now = (time_t)r->time;
    struct tm local;

    for (size_t i = 0; i < r->rows[DSN_TOP_JOBS].n; i++) {
        for (int c = 0; c < DSN_TOP_NCOUNTS; c++)
            sum[c] += r->rows[DSN_TOP_JOBS].row[i].rate[c];
        busy += r->rows[DSN_TOP_JOBS].row[i].busy;
    }
    if (line == 0) {
        if (localtime_r(&now, &local))
            strftime(when, sizeof when, "%H:%M:%S", &local);
        if (r->unreadable + r->foreign > 0)
            snprintf(more, sizeof more, ", %zu not readable (%zu of another release)", r->unreadable + r->foreign,
                     r->foreign);
        snprintf(out, DSN_TOP_LINE, "darshan-top - %s  jobs: %zu, processes: %zu, nodes: %" PRId64 ", gone: %zu%s",
                 when, r->rows[DSN_TOP_JOBS].n, r->rows[DSN_TOP_PROCESSES].n, r->nodes, r->past.n, more);
        return;
    }
    scaled(text[0], sizeof text[0], sum[DSN_TOP_READ], 1024, " KMGTPE");
    scaled(text[1], sizeof text[1], sum[DSN_TOP_WRITTEN], 1024, " KMGTPE");
    scaled(text[2], sizeof text[2], sum[DSN_TOP_METADATA], 1000, " kMGTPE");
    snprintf(out, DSN_TOP_LINE, "%.2f s: bytes/s read %s, written %s; metadata calls/s %s; %.1f of %zu in I/O",
             r->interval, text[0], text[1], text[2], busy, r->rows[DSN_TOP_PROCESSES].n);
}

const char *dsn__top_hint(const struct dsn_top_report *r, int line)
{
    static const char *const lines[DSN_TOP_HINTS] = {
        "No instrumented process that you selected, and may see, is running here.",
        "One is instrumented with LD_PRELOAD=PREFIX/lib/libdarshan.so, and",
        "DARSHAN_ENABLE_NONMPI=1 if it does not use MPI: see darshan(7).",
    };

    return r->rows[DSN_TOP_PROCESSES].n == 0 && line < DSN_TOP_HINTS ? lines[line] : NULL;
}

/* ------------------------------------------------------------------ order */

int dsn__top_sort(enum dsn_top_kind kind, const char *name)
{
    for (int i = 0; i < NCOLUMNS; i++)
        if (columns[i].kinds & 1U << kind && strcasecmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

const char *dsn__top_sort_name(enum dsn_top_kind kind, int sort)
{
    return sort >= 0 && sort < NCOLUMNS && columns[sort].kinds & 1U << kind ? columns[sort].name : NULL;
}

static const struct dsn_top_view *sorted_for; /* qsort has no context argument */

static int by_column(const void *a, const void *b)
{
    const struct column *c = &columns[sorted_for->sort];
    double x, y;
    int order;

    if (c->form == NAME) {
        order = strcmp(name_of(a, c), name_of(b, c));
    } else {
        x = value_of(a, c);
        y = value_of(b, c);
        order = x > y ? -1 : x < y;
    }
    return sorted_for->is_reversed ? -order : order;
}

static bool is_idle(const struct dsn_top_row *row)
{
    for (int i = 0; i < DSN_TOP_NCOUNTS; i++)
        if (row->rate[i] > 0)
            return false;
    return true;
}

static bool is_shown(const struct dsn_top_view *v, const struct dsn_top_row *row)
{
    const char *const texts[] = { row->user, row->program, row->state, row->file, row->mount, row->node };

    if (v->hides_idle && is_idle(row))
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i] && strstr(texts[i], v->filter))
            return true;
    return v->filter[0] == '\0';
}

size_t dsn__top_order(const struct dsn_top_view *v, struct dsn_top_rows *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++)
        if (is_shown(v, &rows->row[i])) {
            const struct dsn_top_row row = rows->row[i];

            rows->row[i] = rows->row[n];
            rows->row[n++] = row;
        }
    sorted_for = v;
    if (n > 0 && dsn__top_sort_name(v->kind, v->sort))
        qsort(rows->row, n, sizeof *rows->row, by_column);
    return n;
}

int dsn__top_write_text(FILE *to, const struct dsn_top_view *v, struct dsn_top_report *r)
{
    const size_t n = dsn__top_order(v, &r->rows[v->kind]);
    char line[DSN_TOP_LINE];

    for (int i = 0; i < DSN_TOP_HEADS; i++) {
        dsn__top_head(line, i, r);
        fprintf(to, "%s\n", line);
    }
    dsn__top_heading(line, v);
    fprintf(to, "\n%s\n", line);
    for (size_t i = 0; i < n; i++) {
        dsn__top_line(line, v, &r->rows[v->kind].row[i]);
        fprintf(to, "%s\n", line);
    }
    for (int i = 0; dsn__top_hint(r, i); i++)
        fprintf(to, "%s\n", dsn__top_hint(r, i));
    return fflush(to) == 0 && !ferror(to);
}

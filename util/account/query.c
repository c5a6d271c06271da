/* query.c - answers named queries as text, CSV or JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "accounting.h"
#include "columns.h"
#include "query.h"
#include "schema.h"
#include "sql-pg.h"
#include "top.h"
#include "util/lib/emit.h"
#include "util/command/common.h"

#define LOOK_AHEAD  200 /* rows that determine the widths of text columns */
#define MAX_COLUMNS 200

/* Parses "TOPIC; required data". Returns the next line. */
static const char *read_topic(const char *line, struct dsn_question *q)
{
    const size_t n = strcspn(line, ";\n"), end = strcspn(line, "\n");

    snprintf(q->topic, sizeof q->topic, "%.*s", (int)n, line);
    if (n + 2 < end)
        snprintf(q->takes, sizeof q->takes, "%.*s", (int)(end - n - 2), line + n + 2);
    return line + end + 1;
}

int dsn_next_question(const char **at, struct dsn_question *q)
{
    const char *begin = *at ? *at : dsn_sql_queries, *end, *name, *title;

    while ((begin = strstr(begin, "\n-- ")) != NULL && strncmp(begin + 4, "query: ", 7) != 0 &&
           strncmp(begin + 4, "study: ", 7) != 0)
        begin += 4;
    if (!begin)
        return 0;
    name = begin + 11;
    title = strchr(name, '\n') + 4; /* after "\n-- " */
    q->of_study = begin[4] == 's';
    q->sql = strchr(title, '\n') + 1;
    snprintf(q->name, sizeof q->name, "%.*s", (int)strcspn(name, "\n"), name);
    snprintf(q->title, sizeof q->title, "%.*s", (int)strcspn(title, "\n"), title);
    q->topic[0] = q->takes[0] = '\0';
    if (strncmp(q->sql, "-- topic: ", 10) == 0)
        q->sql = read_topic(q->sql + 10, q);
    end = strstr(q->sql, ";\n");
    q->length = (size_t)(end - q->sql);
    *at = end;
    return 1;
}

/* ------------------------------------------------------------------ asking */

static void bind_parameters(struct dsn_stmt *s, const struct dsn_accounting *a)
{
    const char *name;

    for (int at = 1; (name = dsn_bind_name(s, at)) != NULL; at++)
        if (strcmp(name, ":from") == 0)
            dsn_bind_i64(s, at, a->from);
        else if (strcmp(name, ":to") == 0)
            dsn_bind_i64(s, at, a->to);
        else if (strcmp(name, ":min_procs") == 0)
            dsn_bind_i64(s, at, a->min_procs);
        else if (strcmp(name, ":min_mib") == 0)
            dsn_bind_f64(s, at, a->min_mib);
        else if (strcmp(name, ":site_maximum") == 0)
            dsn_bind_f64(s, at, a->site_maximum);
        else if (strcmp(name, ":machine") == 0)
            dsn_bind_text(s, at, a->machine);
}

/* The column of that name, else the first whose name begins so. */
static const char *column_by(const struct dsn_stmt *s, const char *by)
{
    const char *found = NULL;

    for (int i = 0; i < dsn_column_count(s); i++)
        if (strcmp(dsn_column_name(s, i), by) == 0)
            return dsn_column_name(s, i);
        else if (!found && strncmp(dsn_column_name(s, i), by, strlen(by)) == 0)
            found = dsn_column_name(s, i);
    return found;
}

struct dsn_stmt *dsn_ask(const struct dsn_accounting *a, const struct dsn_question *q)
{
    char *sql = a->top ? dsn_top_sql(a, q) : strndup(q->sql, q->length), *ordered = NULL;
    struct dsn_stmt *s = sql ? dsn_db_prepare(a->db, sql) : NULL;

    if (s && a->by) {
        const char *column = column_by(s, a->by);

        if (!column)
            dsn_db_fail(a->db, "query %s has no column %s", q->name, a->by);
        else if (asprintf(&ordered, "SELECT * FROM (%s) AS answer ORDER BY \"%s\" IS NULL, \"%s\" DESC", sql, column,
                          column) < 0)
            dsn_db_fail(a->db, "out of memory");
        dsn_stmt_free(s); /* the column's name is its own */
        s = ordered && !dsn_db_error(a->db) ? dsn_db_prepare(a->db, ordered) : NULL;
        free(ordered);
    }
    if (!sql)
        dsn_db_fail(a->db, "out of memory");
    bind_parameters(s, a);
    free(sql);
    return s;
}

/* ------------------------------------------------------------------ values */

/* The shortest text that is read back as the same number; at most `digits` digits. */
static void format_real(char to[40], double v, int digits)
{
    for (int n = digits < 15 ? digits : 15; n <= digits; n++) {
        snprintf(to, 40, "%.*g", n, v);
        if (strtod(to, NULL) == v)
            return;
    }
}

const char *dsn_column_number_text(const struct dsn_stmt *s, int at, char to[40], int digits)
{
    switch (dsn_column_type(s, at)) {
    case DSN_IS_INTEGER:
        snprintf(to, 40, "%" PRId64, dsn_column_i64(s, at));
        return to;
    case DSN_IS_REAL:
        format_real(to, dsn_column_f64(s, at), digits);
        return to;
    case DSN_IS_NULL:
        return "";
    default:
        return NULL;
    }
}

void dsn_print_json_value(struct dsn_text *out, const struct dsn_stmt *s, int at)
{
    char number[40];
    const char *text = dsn_column_number_text(s, at, number, 17);

    if (!text) {
        const char *string = dsn_column_text(s, at);

        dsn_emit_quoted(out, DSN_EMIT_JSON, string, strlen(string));
    } else if (text[0] == '\0' || (dsn_column_type(s, at) == DSN_IS_REAL && !isfinite(dsn_column_f64(s, at)))) {
        dsn_text_string(out, "null");
    } else {
        dsn_text_string(out, text);
    }
}

static void print_json(struct dsn_text *out, struct dsn_stmt *s)
{
    const char *between = "[";
    int any = 0;

    for (; dsn_stmt_step(s); between = ",", any = 1) {
        dsn_text_printf(out, "%s\n{", between);
        for (int i = 0; i < dsn_column_count(s); i++) {
            dsn_text_printf(out, "%s\"%s\": ", i ? ", " : "", dsn_column_name(s, i));
            dsn_print_json_value(out, s, i);
        }
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, any ? "\n]\n" : "[]\n");
}

/* Whether a spreadsheet would take it for a formula: ASCII and full-width characters. */
static int is_formula(const char *text)
{
    return (text[0] && strchr("=+-@\t\r\n", text[0])) || strncmp(text, "\xef\xbc\x9d", 3) == 0 ||
           strncmp(text, "\xef\xbc\x8b", 3) == 0 || strncmp(text, "\xef\xbc\x8d", 3) == 0 ||
           strncmp(text, "\xef\xbc\xa0", 3) == 0;
}

static void print_unformula(struct dsn_text *out, const char *text)
{
    dsn_text_string(out, "\"'");
    for (size_t i = 0; text[i];) {
        const size_t length = dsn_text_character(text + i, strlen(text + i)), taken = length > 0 ? length : 1;

        if (text[i] == '"')
            dsn_text_bytes(out, "\"", 1);
        dsn_text_bytes(out, length == 0 && out->safe ? "?" : text + i, taken);
        i += taken;
    }
    dsn_text_string(out, "\"");
}

static void print_csv_text(struct dsn_text *out, const char *text, enum dsn_csv_text how)
{
    const char *encoded = how == DSN_CSV_UTF8 ? dsn_pg_encode(text) : text;

    if (!encoded)
        out->error = out->error ? out->error : ENOMEM;
    else if (how == DSN_CSV_SAFE && is_formula(text))
        print_unformula(out, text);
    else
        dsn_emit_quoted(out, DSN_EMIT_CSV, encoded, strlen(encoded));
    if (encoded != text)
        free((void *)(uintptr_t)encoded);
}

void dsn_print_csv_names(struct dsn_text *out, const struct dsn_stmt *s)
{
    for (int i = 0; i < dsn_column_count(s); i++)
        dsn_text_printf(out, "%s%s", i ? "," : "", dsn_column_name(s, i));
    dsn_text_string(out, "\n");
}

void dsn_print_csv_row(struct dsn_text *out, const struct dsn_stmt *s, enum dsn_csv_text how)
{
    for (int i = 0; i < dsn_column_count(s); i++) {
        char number[40];
        const char *text = dsn_column_number_text(s, i, number, 17);

        dsn_text_string(out, i ? "," : "");
        if (text)
            dsn_text_string(out, text);
        else
            print_csv_text(out, dsn_column_text(s, i), how);
    }
    dsn_text_string(out, "\n");
}

void dsn_print_csv(struct dsn_text *out, struct dsn_stmt *s, enum dsn_csv_text how)
{
    dsn_print_csv_names(out, s);
    while (dsn_stmt_step(s))
        dsn_print_csv_row(out, s, how);
}

/* ------------------------------------------------------------------ text in columns */

#define MOST_WIDTH 60 /* of a column */
#define LEAST_TEXT 24 /* of a column of text that does not fit in a terminal otherwise */

struct columns {
    int n, width[MAX_COLUMNS], most[MAX_COLUMNS], is_number[MAX_COLUMNS]; /* most: of its cells */
    enum dsn_column_kind kind[MAX_COLUMNS];
    int terminal; /* its width; 0: it is none */
    int is_fixed; /* widths have been chosen */
};

static int characters_in(const char *text, size_t n)
{
    int characters = 0;

    for (size_t i = 0; i < n; characters++) {
        const size_t length = dsn_text_character(text + i, n - i);

        i += length > 0 ? length : 1;
    }
    return characters;
}

/* Bytes of the first characters of a text. */
static size_t bytes_of(const char *text, int characters)
{
    const size_t n = strlen(text);
    size_t at = 0;

    for (; characters > 0 && at < n; characters--) {
        const size_t length = dsn_text_character(text + at, n - at);

        at += length > 0 ? length : 1;
    }
    return at;
}

/* Appends a row's cells, NUL-terminated, to `to`. */
static void keep_row(FILE *to, const struct dsn_stmt *s, struct columns *c)
{
    for (int i = 0; i < c->n; i++) {
        char number[DSN_VALUE_TEXT];
        const char *text = dsn_column_shown(s, i, c->kind[i], number);
        int width;

        c->is_number[i] &= text != NULL;
        text = text ? text : dsn_column_text(s, i);
        width = characters_in(text, strlen(text));
        if (width > c->width[i] && !c->is_fixed)
            c->width[i] = c->most[i] = width < MOST_WIDTH ? width : MOST_WIDTH;
        fwrite(text, 1, strlen(text) + 1, to);
    }
}

/* In a terminal what is too long is cut: a path at its beginning. */
static void print_cell(struct dsn_text *out, const struct columns *c, int i, const char *text, size_t bytes,
                       int is_path, int is_last)
{
    const int n = characters_in(text, bytes), width = c->width[i], pad = width > n ? width - n : 0;

    if (c->is_number[i])
        dsn_text_printf(out, "%*s", pad, "");
    if (!c->terminal || n <= width)
        dsn_text_untrusted(out, text, bytes);
    else if (is_path) {
        const size_t from = bytes_of(text, n - width + 3);

        dsn_text_string(out, "...");
        dsn_text_untrusted(out, text + from, bytes - from);
    } else {
        dsn_text_untrusted(out, text, bytes_of(text, width - 3));
        dsn_text_string(out, "...");
    }
    if (is_last)
        dsn_text_string(out, "\n");
    else
        dsn_text_printf(out, "%*s  ", c->is_number[i] ? 0 : pad, "");
}

/* The part of a heading in its line of that number: as many words as fit. Returns its length. */
static size_t heading_part(const char *name, int width, int line, const char **part)
{
    for (;; line--) {
        size_t n = strcspn(name, "_"), more;

        while (name[n] && (more = n + 1 + strcspn(name + n + 1, "_")) <= (size_t)width)
            n = more;
        *part = name;
        if (line == 0)
            return n;
        name += n + (name[n] == '_' && name[n + 1] != '\0');
        if (name[0] == '\0')
            return 0;
    }
}

/* A column needs at least the longest word of its heading. */
static int word_width(const char *name)
{
    size_t most = 0;

    for (size_t n; *name; name += n + (name[n] == '_')) {
        n = strcspn(name, "_");
        most = n > most ? n : most;
    }
    return (int)most;
}

/* 0: no terminal, and lines may have any length. */
static int terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static int is_path(const char *name)
{
    const size_t n = strlen(name);

    return strcmp(name, "path") == 0 || (n > 5 && strcmp(name + n - 5, "_path") == 0) || strcmp(name, "directory") == 0;
}

/* In a terminal a heading is as many lines as it needs, and text is cut, if the table does not fit otherwise. */
static void fit(struct columns *c, const struct dsn_stmt *s)
{
    int all = 0;

    for (int i = 0; i < c->n; i++) {
        const int name = (int)strlen(dsn_column_name(s, i));

        all += 2 + (c->width[i] > name ? c->width[i] : name);
    }
    for (int i = 0; i < c->n; i++) {
        const char *name = dsn_column_name(s, i);
        const int fits = !c->terminal || all - 2 <= c->terminal, word = fits ? (int)strlen(name) : word_width(name);

        if (!fits && !c->is_number[i] && c->width[i] > LEAST_TEXT)
            c->width[i] = LEAST_TEXT;
        c->width[i] = c->width[i] > word ? c->width[i] : word;
    }
}

/* Prints columns from `first` on that fit, behind the first of all, which says what a row is about. Returns the next one. */
static int print_block(struct dsn_text *out, struct columns *c, const struct dsn_stmt *s, const char *cells, int rows,
                       int first, int with_headings)
{
    int used = c->width[0], end = first, lines = 1;

    while (end < c->n && (end == first || !c->terminal || used + 2 + c->width[end] <= c->terminal))
        used += 2 + c->width[end++];
    if (c->terminal > used && c->most[end - 1] > c->width[end - 1]) /* the last one has what is left */
        c->width[end - 1] += c->terminal - used < c->most[end - 1] - c->width[end - 1]
                                 ? c->terminal - used
                                 : c->most[end - 1] - c->width[end - 1];
    for (int line = 0; with_headings && line < lines; line++)
        for (int i = 0; i < end; i = i == 0 ? first : i + 1) {
            const char *part = "", *next;
            const size_t n = heading_part(dsn_column_name(s, i), c->width[i], line, &part);

            if (n > 0 && heading_part(dsn_column_name(s, i), c->width[i], line + 1, &next) > 0)
                lines = line + 2 > lines ? line + 2 : lines;
            print_cell(out, c, i, part, n, 0, i == end - 1 || (i == 0 && first == end));
        }
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < c->n; i++, cells += strlen(cells) + 1)
            if (i == 0 || (i >= first && i < end))
                print_cell(out, c, i, cells, strlen(cells), is_path(dsn_column_name(s, i)),
                           i == end - 1 || first == end);
    return end;
}

/* A single row that does not fit is a line for each column. */
static void print_single(struct dsn_text *out, const struct columns *c, const struct dsn_stmt *s, const char *cells)
{
    int width = 0;

    for (int i = 0; i < c->n; i++) {
        const int n = (int)strlen(dsn_column_name(s, i));

        width = n > width ? n : width;
    }
    for (int i = 0; i < c->n; i++, cells += strlen(cells) + 1) {
        dsn_text_printf(out, "%-*s  ", width, dsn_column_name(s, i));
        dsn_text_untrusted(out, cells, strlen(cells));
        dsn_text_string(out, "\n");
    }
}

static int is_too_wide(const struct columns *c)
{
    int all = -2;

    for (int i = 0; i < c->n; i++)
        all += 2 + c->width[i];
    return c->terminal && all > c->terminal;
}

/* Column widths are those of the first rows. What does not fit in a terminal is printed in blocks, each a part of the columns.
 * Returns 0 if out of memory. */
static int print_text(struct dsn_text *out, struct dsn_stmt *s)
{
    struct columns c = { .n = dsn_column_count(s) < MAX_COLUMNS ? dsn_column_count(s) : MAX_COLUMNS,
                         .terminal = terminal_width() };
    int rows = LOOK_AHEAD;

    for (int i = 0; i < c.n; i++) {
        c.is_number[i] = 1;
        c.kind[i] = dsn_column_kind(dsn_column_name(s, i));
    }
    for (int first = 1; rows == LOOK_AHEAD; first = 0) {
        char *cells = NULL;
        size_t size;
        FILE *to = open_memstream(&cells, &size);

        if (!to)
            return 0;
        for (rows = 0; rows < LOOK_AHEAD && dsn_stmt_step(s); rows++)
            keep_row(to, s, &c);
        if (fclose(to) != 0 || !cells)
            return 0;
        if (!c.is_fixed)
            fit(&c, s);
        c.is_fixed = c.terminal > 0;
        if (first && rows == 1 && is_too_wide(&c))
            print_single(out, &c, s, cells);
        else
            for (int next = 1, many = 0; next < c.n || many == 0; many++) {
                dsn_text_string(out, many ? "\n" : "");
                next = print_block(out, &c, s, cells, rows, next, first || many || is_too_wide(&c));
            }
        free(cells);
    }
    return 1;
}

static int find(const char *name, struct dsn_question *q)
{
    const char *at = NULL;

    while (dsn_next_question(&at, q))
        if (strcmp(q->name, name) == 0)
            return 1;
    return 0;
}

/* Says what a question without an answer takes, and of limits which one left nothing. */
static void explain_nothing(const struct dsn_accounting *a, const struct dsn_question *q)
{
    struct dsn_question limits;
    struct dsn_stmt *s;

    fprintf(stderr, DSN_ACCOUNTING ": %s has no answer; it takes: %s\n", q->name, q->takes);
    if (!memmem(q->sql, q->length, ":min_procs", strlen(":min_procs")) || !find("limits", &limits))
        return;
    s = dsn_ask(a, &limits);
    if (dsn_stmt_step(s) && dsn_column_i64(s, 0) > 0)
        fprintf(stderr,
                DSN_ACCOUNTING ": of %" PRId64 " logs %" PRId64 " have %" PRId64
                               " processes or more (--min-procs; the most are %" PRId64 "), %" PRId64
                               " have %g MiB or more (--min-mib; the most are %.6g), of %" PRId64
                               " the number of nodes is known, and of %" PRId64 " a rate; %" PRId64 " have all\n",
                dsn_column_i64(s, 0), dsn_column_i64(s, 1), a->min_procs, dsn_column_i64(s, 2), dsn_column_i64(s, 3),
                a->min_mib, dsn_column_f64(s, 4), dsn_column_i64(s, 5), dsn_column_i64(s, 6), dsn_column_i64(s, 7));
    dsn_stmt_free(s);
}

static int answer(const struct dsn_accounting *a, struct dsn_text *out, const struct dsn_question *q, int explain)
{
    struct dsn_stmt *s = dsn_ask(a, q);

    if (!s)
        return 0;
    if (a->form == DSN_FORM_JSON)
        print_json(out, s);
    else if (a->form == DSN_FORM_CSV)
        dsn_print_csv(out, s, a->is_raw ? DSN_CSV_RAW : DSN_CSV_SAFE);
    else if (!print_text(out, s))
        dsn_db_fail(a->db, "out of memory");
    explain = explain && dsn_stmt_rows(s) == 0 && q->takes[0] && !dsn_db_error(a->db);
    dsn_stmt_free(s);
    if (explain) {
        dsn_text_flush(out);
        explain_nothing(a, q);
    }
    return !dsn_db_error(a->db);
}

/* ------------------------------------------------------------------ commands */

static void list(struct dsn_text *out)
{
    const char *at = NULL;
    struct dsn_question q;

    while (dsn_next_question(&at, &q))
        dsn_text_printf(out, "%-24s %s\n", q.name, q.title);
}

/* All queries of the study. JSON: an object of arrays. */
static int answer_study(const struct dsn_accounting *a, struct dsn_text *out)
{
    const char *at = NULL, *between = "{";
    struct dsn_question q;
    int ok = dsn_db_prepare_study(a->db, a->from, a->to);

    while (ok && dsn_next_question(&at, &q)) {
        if (!q.of_study)
            continue;
        if (a->form == DSN_FORM_JSON)
            dsn_text_printf(out, "%s\n\"%s\": ", between, q.name);
        else
            dsn_text_printf(out, "%s%s %s: %s\n", between[0] == '{' ? "" : "\n",
                            a->form == DSN_FORM_CSV ? "#" : "==", q.name, q.title);
        between = ",";
        ok = answer(a, out, &q, 0);
    }
    if (a->form == DSN_FORM_JSON)
        dsn_text_string(out, "}\n");
    return ok;
}

static int finish_output(const struct dsn_accounting *a, struct dsn_text *out, int ok)
{
    int rc;

    dsn_text_flush(out); /* before messages on stderr */
    rc = ok ? 0 : dsn_db_complain(a);
    rc |= dsn_end_output(out, DSN_ACCOUNTING);
    dsn_text_free(out);
    return rc;
}

static int begin_output(struct dsn_text *out)
{
    if (!dsn_text_init(out, STDOUT_FILENO)) {
        fprintf(stderr, DSN_ACCOUNTING ": out of memory\n");
        return 0;
    }
    out->safe = isatty(STDOUT_FILENO);
    return 1;
}

static int list_all(const struct dsn_accounting *a)
{
    struct dsn_text out;

    if (!begin_output(&out))
        return 1;
    list(&out);
    return finish_output(a, &out, 1);
}

const char *dsn_query_misuse(const struct dsn_accounting *a)
{
    struct dsn_question q;

    if (a->narguments == 0)
        return a->top ? "--top needs a query" : NULL;
    if (find(a->arguments[0], &q))
        return a->top ? dsn_top_misuse(&q) : NULL;
    return "there is no such query; `" DSN_ACCOUNTING " query` lists them";
}

int dsn_query(struct dsn_accounting *a)
{
    struct dsn_text out;
    struct dsn_question q;

    if (a->narguments == 0)
        return list_all(a);
    find(a->arguments[0], &q);
    if (a->top && !dsn_top_exists(a)) {
        if (!dsn_db_error(a->db))
            dsn_db_fail(a->db, "no program is ranked, so that none is at the top; `" DSN_ACCOUNTING
                               " query program-ranking` says what that takes");
        return dsn_db_complain(a);
    }
    return begin_output(&out) ? finish_output(a, &out, answer(a, &out, &q, 1)) : 1;
}

int dsn_study(struct dsn_accounting *a)
{
    struct dsn_text out;

    if (!begin_output(&out))
        return 1;
    return finish_output(a, &out, answer_study(a, &out));
}

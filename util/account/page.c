/* page.c - the study as one HTML page that needs nothing else: every answer as a table, with the query behind it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accounting.h"
#include "query.h"
#include "util/tools/common.h"

#define MAX_ROWS 500 /* of a table; a page is to be read */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>I/O of the site</title>\n<style>\n"
    "body { font: 15px sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }\n"
    "table { border-collapse: collapse; display: block; overflow-x: auto }\n"
    "th, td { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: left }\n"
    "td.n { text-align: right; font-variant-numeric: tabular-nums }\n"
    "pre { background: #f4f4f4; padding: 1em; overflow-x: auto }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } th, td { border-color: #444 } "
    "pre { background: #262626 } a { color: #8bf } }\n"
    "</style>\n</head>\n<body>\n<h1>I/O of the site</h1>\n";

/* Text out of logs: no character in it can end an element or begin one; what is no UTF-8, or a control character, is
 * shown as '?'. */
static void print_escaped(struct dsn_text *out, const char *s, size_t n)
{
    while (n > 0) {
        const size_t length = *s == '\n' ? 1 : dsn_text_character(s, n);

        if (length == 0)
            dsn_text_string(out, "?");
        else if (*s == '<')
            dsn_text_string(out, "&lt;");
        else if (*s == '>')
            dsn_text_string(out, "&gt;");
        else if (*s == '&')
            dsn_text_string(out, "&amp;");
        else if (*s == '"')
            dsn_text_string(out, "&quot;");
        else
            dsn_text_bytes(out, s, length);
        s += length ? length : 1;
        n -= length ? length : 1;
    }
}

static void print_row(struct dsn_text *out, const struct dsn_stmt *s)
{
    dsn_text_string(out, "<tr>");
    for (int i = 0; i < dsn_column_count(s); i++) {
        char number[40];
        const char *text = dsn_number_text(s, i, number, 6);

        dsn_text_string(out, text ? "<td class=\"n\">" : "<td>");
        text = text ? text : dsn_column_text(s, i);
        print_escaped(out, text, strlen(text));
        dsn_text_string(out, "</td>");
    }
    dsn_text_string(out, "</tr>\n");
}

static void print_table(struct dsn_text *out, struct dsn_stmt *s, const char *name)
{
    int rows = 0, more = 0;

    dsn_text_string(out, "<table>\n<thead><tr>");
    for (int i = 0; i < dsn_column_count(s); i++)
        dsn_text_printf(out, "<th>%s</th>", dsn_column_name(s, i));
    dsn_text_string(out, "</tr></thead>\n<tbody>\n");
    for (; (more = dsn_stmt_step(s)) && rows < MAX_ROWS; rows++)
        print_row(out, s);
    dsn_text_string(out, "</tbody>\n</table>\n");
    if (rows == 0)
        dsn_text_string(out, "<p>Nothing in the database that answers this.</p>\n");
    if (more)
        dsn_text_printf(out, "<p>The first %d rows; all: <code>" DSN_ACCOUNTING " query %s</code></p>\n", MAX_ROWS,
                        name);
}

static int print_answer(const struct dsn_accounting *a, struct dsn_text *out, const struct dsn_question *q)
{
    struct dsn_stmt *s = dsn_ask(a, q);

    if (!s)
        return 0;
    dsn_text_printf(out, "<h2 id=\"%s\">", q->name);
    print_escaped(out, q->title, strlen(q->title));
    dsn_text_string(out, "</h2>\n");
    print_table(out, s, q->name);
    dsn_text_printf(out, "<details><summary>query %s</summary><pre>", q->name);
    print_escaped(out, q->sql, q->length);
    dsn_text_string(out, "</pre></details>\n");
    dsn_stmt_free(s);
    return !dsn_db_error(a->db);
}

static int print_page(const struct dsn_accounting *a, struct dsn_text *out)
{
    const char *at = NULL;
    struct dsn_question q;
    int ok = 1;

    dsn_text_string(out, head);
    dsn_text_string(out, "<ul>\n");
    while (dsn_next_question(&at, &q)) {
        if (!q.of_study)
            continue;
        dsn_text_printf(out, "<li><a href=\"#%s\">", q.name);
        print_escaped(out, q.title, strlen(q.title));
        dsn_text_string(out, "</a></li>\n");
    }
    dsn_text_string(out, "</ul>\n");
    at = NULL;
    while (ok && dsn_next_question(&at, &q))
        ok = !q.of_study || print_answer(a, out, &q);
    dsn_text_string(out, "</body>\n</html>\n");
    return ok;
}

int dsn_report(struct dsn_accounting *a)
{
    const int fd = open(a->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct dsn_text out;
    int ok = 0, error = errno;

    if (fd >= 0 && dsn_text_init(&out, fd)) {
        ok = print_page(a, &out);
        dsn_text_flush(&out);
        error = out.error;
        dsn_text_free(&out);
    } else if (fd >= 0) {
        error = ENOMEM;
    }
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    if (fd < 0 || error != 0)
        dsn_warn(DSN_ACCOUNTING, a->output, "cannot be written: %s", strerror(error));
    else if (!ok)
        dsn_db_complain(a);
    return fd < 0 || error != 0 || !ok;
}

/* page.c - the study as a self-contained HTML page: questions, answers, and the queries behind them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page's script (util/page/site.js) draws charts and tables from one JSON document. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "accounting.h"
#include "columns.h"
#include "query.h"
#include "reports.h"
#include "util/lib/emit.h"
#include "util/page/shell.h"
#include "util/report/finding.h"
#include "util/command/common.h"
#include "util/command/save.h"

#define MAX_ROWS 10000 /* of an answer: more than a year of hours */

static void print_string(struct dsn_text *out, const char *s, size_t n)
{
    dsn_emit_quoted(out, DSN_EMIT_JSON, s, n);
}

static void print_columns(struct dsn_text *out, const struct dsn_stmt *s)
{
    for (int i = 0; i < dsn_column_count(s); i++) {
        dsn_text_string(out, i ? "," : "[");
        print_string(out, dsn_column_name(s, i), strlen(dsn_column_name(s, i)));
    }
    dsn_text_string(out, "]");
}

static void print_kinds(struct dsn_text *out, const struct dsn_stmt *s)
{
    for (int i = 0; i < dsn_column_count(s); i++)
        dsn_text_printf(out, "%s\"%s\"", i ? "," : "[", dsn_column_kind_name(dsn_column_kind(dsn_column_name(s, i))));
    dsn_text_string(out, "]");
}

static int is_path(const struct dsn_stmt *s, int column)
{
    const char *name = dsn_column_name(s, column);
    const size_t n = strlen(name);

    return strcmp(name, "path") == 0 || (n > 5 && strcmp(name + n - 5, "_path") == 0);
}

/* Prints rows as arrays, and remembers the logs that they name. Returns whether rows were omitted. */
static int print_rows(struct dsn_text *out, struct dsn_stmt *s, struct dsn_reports *reports)
{
    int more = 0;

    dsn_text_string(out, "[");
    for (int row = 0; (more = dsn_stmt_step(s)) && row < MAX_ROWS; row++) {
        dsn_text_string(out, row ? ",\n[" : "\n[");
        for (int i = 0; i < dsn_column_count(s); i++) {
            dsn_text_string(out, i ? "," : "");
            dsn_print_json_value(out, s, i);
            if (reports && is_path(s, i) && dsn_column_type(s, i) == DSN_IS_TEXT)
                dsn_reports_add(reports, dsn_column_text(s, i));
        }
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "]");
    return more;
}

static void print_answer(const struct dsn_accounting *a, struct dsn_text *out, const struct dsn_question *q,
                         struct dsn_reports *reports)
{
    struct dsn_stmt *s = dsn_ask(a, q);

    if (!s)
        return;
    dsn_text_string(out, "{\"name\":");
    print_string(out, q->name, strlen(q->name));
    dsn_text_string(out, ",\"title\":");
    print_string(out, q->title, strlen(q->title));
    dsn_text_string(out, ",\"topic\":");
    print_string(out, q->topic, strlen(q->topic));
    dsn_text_string(out, ",\"takes\":");
    print_string(out, q->takes, strlen(q->takes));
    dsn_text_string(out, ",\"sql\":");
    print_string(out, q->sql, q->length);
    dsn_text_string(out, ",\"columns\":");
    print_columns(out, s);
    dsn_text_string(out, ",\"kinds\":");
    print_kinds(out, s);
    dsn_text_string(out, ",\"rows\":");
    dsn_text_printf(out, ",\"more\":%s}", print_rows(out, s, a->reports ? reports : NULL) ? "true" : "false");
    dsn_stmt_free(s);
}

static void print_time(struct dsn_text *out, const char *name, int64_t time, int64_t none)
{
    if (time == none)
        dsn_text_printf(out, "\"%s\":null,", name);
    else
        dsn_text_printf(out, "\"%s\":%" PRId64 ",", name, time);
}

/* What reports of jobs call the findings that the database knows by their ids. */
static void print_findings(struct dsn_text *out)
{
    dsn_text_string(out, "\"findings\":");
    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_finding_row *row = dsn_finding_row((enum dsn_finding_id)i);

        dsn_text_string(out, i ? "," : "{");
        print_string(out, row->id, strlen(row->id));
        dsn_text_string(out, ":");
        print_string(out, row->title, strlen(row->title));
    }
    dsn_text_string(out, "},");
}

/* Prints the document, up to an error of the database; see dsn_db_error(). */
static void print_study(struct dsn_text *out, const void *context)
{
    const struct dsn_accounting *a = context;
    const char *at = NULL, *between = "\n";
    struct dsn_reports reports = { NULL, 0 };
    struct dsn_question q;

    dsn_text_printf(out, "{\"version\":\"%s\",\"made\":%" PRId64 ",", PACKAGE_VERSION, (int64_t)time(NULL));
    print_time(out, "from", a->from, 0);
    print_time(out, "to", a->to, INT64_MAX);
    dsn_text_string(out, "\"machine\":");
    print_string(out, a->machine, strlen(a->machine));
    dsn_text_string(out, ",\"zone\":");
    print_string(out, dsn_zone(), strlen(dsn_zone()));
    dsn_text_string(out, ",");
    print_findings(out);
    dsn_text_printf(out, "\"min_procs\":%" PRId64 ",\"min_mib\":%g,\"questions\":[", a->min_procs, a->min_mib);
    dsn_db_prepare_study(a->db, a->from, a->to);
    while (!dsn_db_error(a->db) && dsn_next_question(&at, &q)) {
        if (!q.of_study)
            continue;
        dsn_text_string(out, between);
        between = ",\n";
        print_answer(a, out, &q, &reports);
    }
    dsn_text_string(out, "],\"reports\":");
    dsn_reports_print(&reports, out, a->output, a->reports ? a->reports : "");
    dsn_text_string(out, "}");
}

static int write_page(struct dsn_text *out, const void *accounting)
{
    const struct dsn_accounting *a = accounting;
    int ok;

    dsn_page_begin(out, &dsn_site_js, "I/O of the site",
                   "This page is drawn by a script in this file. Without scripts: "
                   "darshan-accounting study prints its tables.");
    ok = dsn_page_data(out, "study", print_study, a);
    dsn_page_end(out, &dsn_site_js);
    return ok && !dsn_db_error(a->db);
}

int dsn_report(struct dsn_accounting *a)
{
    const int error = dsn_save(a->output, write_page, a);

    if (error == 0)
        return 0;
    if (dsn_db_error(a->db))
        return dsn_db_complain(a);
    dsn_warn(DSN_ACCOUNTING, a->output, "cannot be written: %s; name a file in a directory that you may write to",
             strerror(error));
    return 1;
}

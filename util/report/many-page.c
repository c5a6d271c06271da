/* many-page.c - a page that compares several logs, with links to their own pages
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contains no scripts, so it works in every browser and in mail. A Content-Security-Policy forbids it to load
 * anything. */
#include "many.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "compare.h"

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<title>I/O reports</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }\n"
    "th, td { border-bottom: 1px solid #8885; padding: 0.25rem 0.6rem; text-align: left; white-space: nowrap; }\n"
    "th { border-bottom-width: 2px; }\n"
    ".n { font-variant-numeric: tabular-nums; text-align: right; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

/* ------------------------------------------------------------------ text of logs */

/* Characters that must not be displayed become '?'; markup is escaped. */
static void put_text(struct dsn_text *out, const char *from)
{
    char safe[1024];

    dsn_text_fit(safe, sizeof safe, 250, 120, from);
    for (const char *p = safe; *p; p++)
        if (strchr("&<>\"'", *p))
            dsn_text_printf(out, "&#%d;", *p);
        else
            dsn_text_bytes(out, p, 1);
}

static void put_cell(struct dsn_text *out, int is_number, const char *text)
{
    dsn_text_string(out, is_number ? "<td class=\"n\">" : "<td>");
    put_text(out, text);
    dsn_text_string(out, "</td>");
}

static void put_heads(struct dsn_text *out, const char *const *heads, size_t n, size_t words)
{
    dsn_text_string(out, "<div class=\"wide\">\n<table>\n<thead><tr>");
    for (size_t i = 0; i < n; i++)
        dsn_text_printf(out, "<th%s>%s</th>", i < words ? "" : " class=\"n\"", heads[i]);
    dsn_text_string(out, "</tr></thead>\n<tbody>\n");
}

static void end_table(struct dsn_text *out)
{
    dsn_text_string(out, "</tbody>\n</table>\n</div>\n");
}

/* A link to the log's page, or its name if there is none. */
static void put_link(struct dsn_text *out, const struct dsn_brief *b)
{
    const char *slash = strrchr(b->file, '/');

    if (b->page)
        dsn_text_printf(out, "<a href=\"%s\">", b->page);
    put_text(out, slash && slash[1] ? slash + 1 : b->file);
    dsn_text_string(out, b->page ? "</a>" : "");
}

/* ------------------------------------------------------------------ the list */

static const char *finding_of(const struct dsn_brief *b)
{
    return b->worst >= 0 ? dsn_finding_row((enum dsn_finding_id)b->worst)->title : b->healthy ? "healthy" : "-";
}

static void put_log(struct dsn_text *out, const struct dsn_brief *b)
{
    static const enum dsn_brief_figure figures[] = { DSN_BRIEF_SHARE, DSN_BRIEF_TIME, DSN_BRIEF_RATE, DSN_BRIEF_RANKS,
                                                     DSN_BRIEF_RUN };
    const struct dsn_brief_finding *f = b->worst >= 0 ? &b->finding[b->worst] : NULL;
    const double run = b->figure[DSN_BRIEF_RUN];
    const time_t start = (time_t)b->start;
    char when[32] = "unknown";
    struct tm tm;

    if (localtime_r(&start, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
    dsn_text_string(out, "<tr><td>");
    put_link(out, b);
    dsn_text_string(out, "</td>");
    put_cell(out, 0, *b->program ? b->program : "-");
    put_cell(out, 0, when);
    put_cell(out, 0, finding_of(b));
    dsn_text_printf(out, "<td class=\"n\">%s%s</td>", f && f->at_most ? "at most " : "",
                    f ? dsn_seconds_text(f->seconds).s : "-");
    put_cell(out, 1, f && run > 0 ? dsn_share_text(f->seconds / run).s : "-");
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        put_cell(out, 1, dsn_brief_text(b, figures[i]).s);
    dsn_text_string(out, "</tr>\n");
}

static void put_logs(struct dsn_text *out, const struct dsn_briefs *all)
{
    static const char *const heads[] = { "log",     "program",    "start",    "what to fix",      "could save",
                                         "of run",  "I/O of run", "I/O time", "MiB/s at storage", "ranks",
                                         "run time" };

    put_heads(out, heads, sizeof heads / sizeof heads[0], 4);
    for (size_t i = 0; i < all->n; i++)
        put_log(out, &all->list[i]);
    end_table(out);
}

/* ------------------------------------------------------------------ from the first to the last */

static void put_changes(struct dsn_text *out, const struct dsn_brief *a, const struct dsn_brief *b)
{
    static const char *const heads[] = { "figure", "first run", "last run", "change" };

    put_heads(out, heads, sizeof heads / sizeof heads[0], 1);
    for (int i = 0; i < DSN_NBRIEF; i++) {
        const double x = a->figure[i], y = b->figure[i];

        if (x < 0 && y < 0)
            continue;
        dsn_text_string(out, "<tr>");
        put_cell(out, 0, dsn_brief_rows[i].label);
        put_cell(out, 1, dsn_brief_text(a, i).s);
        put_cell(out, 1, dsn_brief_text(b, i).s);
        put_cell(out, 1, dsn_change_text(x, y, dsn_brief_rows[i].text).s);
        dsn_text_string(out, "</tr>\n");
    }
    end_table(out);
}

static struct dsn_short_text cost_of(const struct dsn_brief_finding *f)
{
    return f->there ? dsn_seconds_text(f->seconds) : (struct dsn_short_text){ "-" };
}

static void put_findings(struct dsn_text *out, const struct dsn_brief *a, const struct dsn_brief *b)
{
    static const char *const heads[] = { "finding", "first run", "last run" };

    put_heads(out, heads, sizeof heads / sizeof heads[0], 1);
    for (int i = 0; i < DSN_NFINDINGS; i++) {
        const struct dsn_brief_finding *x = &a->finding[i], *y = &b->finding[i];

        if (!x->there && !y->there)
            continue;
        dsn_text_string(out, "<tr>");
        put_cell(out, 0, dsn_finding_row((enum dsn_finding_id)i)->title);
        put_cell(out, 1, cost_of(x).s);
        put_cell(out, 1, cost_of(y).s);
        dsn_text_string(out, "</tr>\n");
    }
    end_table(out);
}

/* ------------------------------------------------------------------ the page */

void dsn_many_page(struct dsn_text *out, const struct dsn_briefs *all, int compare)
{
    dsn_text_string(out, head);
    dsn_text_printf(out, "<h1>I/O of %zu %s%s</h1>\n", all->n, compare ? "run" : "log", all->n == 1 ? "" : "s");
    dsn_text_string(out, compare ? "<p>In the order in which they are compared" : "<p>Sorted by possible savings");
    dsn_text_string(out, "; I/O time is what the slowest rank waited for, and its share of the run time.</p>\n");
    if (compare && !dsn_is_same_program(all))
        dsn_text_string(out, "<p>They are not of the same program.</p>\n");
    if (all->left_out > 0)
        dsn_text_printf(out, "<p>Logs of other programs are left out: %zu.</p>\n", all->left_out);
    if (all->unreadable > 0)
        dsn_text_printf(out, "<p>Logs that could not be read: %" PRId64 ".</p>\n", all->unreadable);
    put_logs(out, all);
    if (compare && all->n > 1) {
        dsn_text_string(out, "<h2>From the first run to the last</h2>\n");
        put_changes(out, &all->list[0], &all->list[all->n - 1]);
        dsn_text_string(out, "<h2>Findings, and their cost</h2>\n");
        put_findings(out, &all->list[0], &all->list[all->n - 1]);
    }
    dsn_text_string(out, "</body>\n</html>\n");
}

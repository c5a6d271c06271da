/* page.c - a job's report as an HTML page
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/report/page.h"

#include <stdio.h>
#include <string.h>

#include "util/page/embedded.h"
#include "util/rhythm/rhythm.h"
#include "util/report/timeline.h"
#include "util/report/traces.h"
#include "util/report/what-if.h"

/* ------------------------------------------------------------------ data for charts */

struct series {
    struct darshan_reader *log;
    const struct dsn_layouts *layouts;
    int64_t most; /* operations in compact encoding */
    struct dsn_timelines timelines;
    struct dsn_traces traces;
    struct dsn_rhythm_input *operations;
    struct dsn_rhythm rhythm;
    struct darshan_reader_error rhythm_damage;
    struct dsn_what_if what_if;
    int has_failed; /* out of memory */
};

/* The same as found by darshan-cycles, as long as all operations of the traces are kept. 0: no memory. */
static int find_rhythm(struct series *s, const char *path)
{
    s->operations = dsn_rhythm_input_new(0);
    return s->operations && dsn_rhythm_take_log(s->operations, path, s->log, s->traces.operations, &s->rhythm_damage) &&
           dsn_rhythm_find(s->operations, NULL, &s->rhythm);
}

static void free_rhythm(struct series *s)
{
    dsn_rhythm_free(&s->rhythm);
    dsn_rhythm_input_free(s->operations);
}

static int make_series(struct series *s, const struct dsn_report *r, const char *path)
{
    if (dsn_timelines_make(r, &s->timelines) != DSN_ERR_OK)
        return 0;
    if (dsn_traces_make(s->log, s->most, &s->traces) == DSN_ERR_OK) {
        if (find_rhythm(s, path))
            return 1;
        free_rhythm(s);
        dsn_traces_free(&s->traces);
    }
    dsn_timelines_free(&s->timelines);
    return 0;
}

static void free_series(struct series *s)
{
    dsn_timelines_free(&s->timelines);
    free_rhythm(s);
    dsn_traces_free(&s->traces);
}

static void write_rhythm(struct dsn_text *out, struct series *s)
{
    if (s->rhythm.job.ops == 0) {
        dsn_text_string(out, "null");
        return;
    }
    dsn_text_string(out, "{");
    s->has_failed |= !dsn_rhythm_write(out, &s->rhythm, 0);
    dsn_text_string(out, "}");
}

static void write_series(struct dsn_text *out, const void *context)
{
    struct series *s = *(struct series *const *)context;

    dsn_text_string(out, "{\"timeline\":");
    dsn_timelines_write(out, &s->timelines);
    dsn_text_string(out, ",\"traces\":");
    if (s->traces.operations > 0)
        dsn_traces_write(out, s->log, s->layouts, &s->traces);
    else
        dsn_text_string(out, "null");
    dsn_text_string(out, ",\"phases\":");
    write_rhythm(out, s);
    dsn_text_string(out, ",\"what_if\":");
    dsn_what_if_write(out, &s->what_if);
    dsn_text_string(out, "}");
}

/* ------------------------------------------------------------------ the page */

static void report_damage(const struct series *s, struct darshan_reader_error *err)
{
    const struct darshan_reader_error *const damage[] = { &s->timelines.damage, &s->rhythm_damage, &s->traces.damage };

    for (size_t i = 0; i < sizeof damage / sizeof damage[0] && err->code == DSN_ERR_OK; i++)
        *err = *damage[i];
}

int dsn_page_write(struct dsn_text *out, const struct dsn_report *r, const char *path, int full_trace,
                   dsn_page_document *document, const void *context, struct darshan_reader_error *err)
{
    struct series s = { .log = r->log, .layouts = &r->layouts }, *const all = &s;
    int ok;

    memset(err, 0, sizeof *err);
    s.most = full_trace ? DSN_TRACE_FULL : DSN_TRACE_PAGE;
    if (!make_series(&s, r, path)) {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
        return err->code;
    }
    dsn_what_if_make(r->selection ? r->selection->path : path, s.traces.operations, s.traces.left_out, &s.what_if);
    dsn_page_begin(out, &dsn_page_js, "I/O report",
                   "This report is drawn by a script in this file. Without scripts, use "
                   "darshan-job-summary on a terminal.");
    ok = dsn_page_data(out, "report", document, context) && dsn_page_data(out, "series", write_series, &all);
    dsn_page_end(out, &dsn_page_js);
    if (ok && !s.has_failed) {
        report_damage(&s, err);
    } else {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
    }
    free_series(&s);
    return err->code;
}

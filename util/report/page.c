/* page.c - a job's report as one page
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/report/page.h"

#include <stdio.h>
#include <string.h>

#include "util/page/embedded.h"
#include "util/report/phases.h"
#include "util/report/timeline.h"
#include "util/report/traces.h"

/* ------------------------------------------------------------------ data for charts */

struct series {
    struct darshan_reader *log;
    const struct dsn_layouts *layouts;
    int64_t most; /* single operations in compact form */
    struct dsn_timelines timelines;
    struct dsn_traces traces;
    struct dsn_phases phases;
};

/* Phases first: what they need is gone again when the traces are added up. */
static int make_series(struct series *s, const struct dsn_report *r)
{
    if (dsn_timelines_make(r, &s->timelines) != DSN_ERR_OK)
        return 0;
    if (dsn_phases_make(s->log, &s->timelines, &s->phases) == DSN_ERR_OK) {
        if (dsn_traces_make(s->log, s->most, &s->traces) == DSN_ERR_OK)
            return 1;
        dsn_phases_free(&s->phases);
    }
    dsn_timelines_free(&s->timelines);
    return 0;
}

static void free_series(struct series *s)
{
    dsn_timelines_free(&s->timelines);
    dsn_phases_free(&s->phases);
    dsn_traces_free(&s->traces);
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
    dsn_phases_write(out, &s->phases);
    dsn_text_string(out, "}");
}

/* ------------------------------------------------------------------ the page */

static void tell(const struct series *s, struct darshan_reader_error *err)
{
    const struct darshan_reader_error *const damage[] = { &s->timelines.damage, &s->phases.damage, &s->traces.damage };

    for (size_t i = 0; i < sizeof damage / sizeof damage[0] && err->code == DSN_ERR_OK; i++)
        *err = *damage[i];
}

int dsn_page_write(struct dsn_text *out, const struct dsn_report *r, int full_trace, dsn_page_document *document,
                   const void *context, struct darshan_reader_error *err)
{
    struct series s = { .log = r->log, .layouts = &r->layouts }, *const all = &s;
    int ok;

    memset(err, 0, sizeof *err);
    s.most = full_trace ? DSN_TRACE_FULL : DSN_TRACE_PAGE;
    if (!make_series(&s, r)) {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
        return err->code;
    }
    dsn_page_begin(out, &dsn_page_js, "I/O report",
                   "This report is drawn by a script that stands in this very file, and needs it. Without one, "
                   "darshan-job-summary prints it on a terminal.");
    ok = dsn_page_data(out, "report", document, context) && dsn_page_data(out, "series", write_series, &all);
    dsn_page_end(out, &dsn_page_js);
    if (ok) {
        tell(&s, err);
    } else {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
    }
    free_series(&s);
    return err->code;
}

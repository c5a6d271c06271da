/* what-if.c - savings of a burst buffer, a larger page cache and read-ahead, for the page
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "what-if.h"

#include "util/simulate/workload.h"
#include "util/trace/trace.h"

/* The default burst buffer, of a typical configuration. */
#define ASKED "bb=64GiB/node,2GB/s; drain=1GB/s"

static int read_load(const char *file, struct dsn_load *load)
{
    struct darshan_trace *t;
    int ok;

    dsn_load_init(load);
    if (!darshan_trace_open(file, NULL, &t, &load->err))
        return 0;
    ok = dsn_load_take(load, t, 0, 0) && dsn_load_end(load);
    darshan_trace_close(t);
    return ok;
}

static int answer(const struct dsn_load *load, const struct dsn_whatif_question *q, struct dsn_what_if *out)
{
    struct dsn_answer a;
    const int ok = dsn_answer_make(load, q, &a) && dsn_scan_make(load, q, &a, &out->scan);

    if (ok) {
        dsn_answer_sentence(&a, q, out->sentence, sizeof out->sentence);
        dsn_scan_sentence(&out->scan, &a, q, out->matters, sizeof out->matters);
        out->was = a.was;
        out->will = a.will;
        out->error = a.check.error;
    }
    dsn_answer_free(&a);
    return ok;
}

void dsn_what_if_make(const char *file, int64_t operations, int64_t left_out, struct dsn_what_if *out)
{
    struct dsn_whatif_question q = { .text = ASKED };
    struct dsn_load load;

    *out = (struct dsn_what_if){ .reason = NULL };
    if (operations == 0)
        out->reason = "it is simulated from traces";
    else if (left_out > 0)
        out->reason = "its traces lack operations";
    else if (operations > DSN_WHAT_IF_OPERATIONS)
        out->reason = "its traces are long: darshan-simulate answers";
    if (out->reason)
        return;
    if (!read_load(file, &load) || load.thinned || load.left_out > 0)
        out->reason = "its traces lack operations";
    else if (!dsn_spec_parse(ASKED, &q.change) || !answer(&load, &q, out))
        out->reason = "not enough memory to simulate it";
    dsn_spec_free(&q.change);
    dsn_load_free(&load);
}

static void put_range(struct dsn_text *out, const char *name, struct dsn_range r)
{
    dsn_text_printf(out, ",\"%s\":{\"low\":%.9g,\"high\":%.9g}", name, r.low, r.high);
}

void dsn_what_if_write(struct dsn_text *out, const struct dsn_what_if *w)
{
    int first = 1;

    if (w->reason) {
        dsn_text_printf(out, "{\"reason\":\"%s\"}", w->reason);
        return;
    }
    dsn_text_printf(out,
                    "{\"asked\":\"" ASKED "\",\"sentence\":\"%s\",\"matters\":\"%s\",\"calibrated\":%s,\"error\":%.4g",
                    w->sentence, w->matters, w->error <= DSN_FIT_GOOD ? "true" : "false", w->error);
    put_range(out, "was", w->was);
    put_range(out, "will", w->will);
    dsn_text_string(out, ",\"rows\":[");
    for (int i = 0; i < DSN_SCAN_ROWS; i++) {
        if (!w->scan.row[i].asked)
            continue;
        dsn_text_printf(out, "%s{\"with\":\"%s\"", first ? "" : ",", w->scan.row[i].name);
        put_range(out, "will", w->scan.row[i].will);
        dsn_text_string(out, "}");
        first = 0;
    }
    dsn_text_string(out, "]}");
}

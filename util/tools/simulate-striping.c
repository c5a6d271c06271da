/* simulate-striping.c - darshan-simulate --what-if stripes=N for a log without traces: bounds from its counters
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "simulate.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "util/report/read.h"
#include "util/report/restripe.h"

/* The log, if it has no traces; else NULL. */
static struct darshan_reader *open_log(const char *name)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    const struct dsn_header *h;

    if (strcmp(name, "-") == 0 || darshan_reader_open(name, &log, &err) != DSN_ERR_OK)
        return NULL;
    h = darshan_reader_header(log);
    if (h->mod[DSN_DXT_POSIX_MODULE].len == 0 && h->mod[DSN_DXT_MPIIO_MODULE].len == 0)
        return log;
    darshan_reader_close(log);
    return NULL;
}

static int print_json(const char *what_if, const struct dsn_restripe *a, const char *sentence)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:{s:f, s:f}, s:{s:f, s:f}, s:f, s:o}", "sentence", sentence, "what_if",
                          what_if, "by", "counters", "calibrated", 0, "was_seconds", "low", a->was.low, "high",
                          a->was.high, "will_seconds", "low", a->will.low, "high", a->will.high, "concerned_seconds",
                          a->concerned, "striping", dsn_simulate_striping(&a->striping));
    const int rc = !o || json_dumpf(o, stdout, JSON_COMPACT) != 0 || fputc('\n', stdout) == EOF || fflush(stdout) != 0;

    json_decref(o);
    if (rc)
        fprintf(stderr, DSN_SIMULATE ": cannot write the output: %s\n", strerror(errno));
    return rc;
}

static int print_text(const struct dsn_simulate_arguments *a, const struct dsn_restripe *e, const char *sentence)
{
    struct dsn_text out;
    char text[48];
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return dsn_simulate_complain(a, "does not fit into memory");
    dsn_simulate_put_sentence(&out, sentence);
    dsn_text_string(&out, "\n");
    dsn_simulate_put_striping(&out, &e->striping);
    dsn_text_printf(&out, "%-14s reading and writing them took the slowest rank %s at most\n", "",
                    dsn_range_said((struct dsn_range){ e->concerned, e->concerned }, text, sizeof text));
    dsn_text_printf(&out,
                    "%-14s counters do not say whether targets were what limited it;\n"
                    "%-14s DXT_ENABLE_IO_TRACE=1 makes the runtime write traces,\n"
                    "%-14s with which the run is simulated\n",
                    "", "", "");
    rc = dsn_end_output(&out, DSN_SIMULATE);
    dsn_text_free(&out);
    return rc;
}

static int answer(const struct dsn_simulate_arguments *a, const struct dsn_spec *spec, const struct dsn_report *r)
{
    struct dsn_restripe e;
    char sentence[600];

    if (!dsn_restripe_make(r, spec, &e))
        return dsn_simulate_complain(a, "does not fit into memory");
    if (e.striping.files == 0)
        return dsn_simulate_complain(a,
                                     "is a log without traces, and without records of Lustre, which would tell how its "
                                     "files are striped; DXT_ENABLE_IO_TRACE=1 makes the runtime write traces");
    dsn_restripe_sentence(&e, r, spec, sentence, sizeof sentence);
    return a->json ? print_json(a->what_if, &e, sentence) : print_text(a, &e, sentence);
}

int dsn_simulate_by_counters(const struct dsn_simulate_arguments *a, const struct dsn_spec *spec, int *rc)
{
    const int only = spec->has == DSN_SPEC_STRIPES && spec->stripes_were <= 0 && a->noperands == 1 && !a->scan &&
                     !a->profile && !a->save && !a->open.format;
    struct darshan_reader *log = only ? open_log(a->operands[0]) : NULL;
    struct dsn_report r;

    if (!log)
        return 0;
    if (dsn_report_read(&r, log, 0) != DSN_ERR_OK)
        *rc = dsn_simulate_complain(a, "does not fit into memory");
    else
        *rc = answer(a, spec, &r);
    if (r.f.damage.code != DSN_ERR_OK)
        *rc = dsn_simulate_complain(a, r.f.damage.text);
    dsn_report_free(&r);
    darshan_reader_close(log);
    return 1;
}

/* cycles.c - darshan-cycles: the rhythm of a program's I/O, from a trace or a heat map
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "cycles.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"

#define COMMAND "darshan-cycles"

enum {
    OPT_FROM = 1,
    OPT_BASE,
    OPT_TICK,
    OPT_FIGURE,
    OPT_MEMORY,
    OPT_CLOCK,
    OPT_PAUSE,
    OPT_BIN,
    OPT_PROCESSES,
    OPT_SERIES,
    OPT_JSON,
    OPT_CSV,
    OPT_PHASE,
};

struct settings {
    struct darshan_trace_options open;
    struct dsn_rhythm_options find;
    int json, csv, series;
    const char *phase;
    char **operands;
    int noperands;
};

/* clang-format off */
static const struct dsn_option options[] = {
    { "clock", "CLOCK", "wall or cpu (default: cpu for one process whose trace has CPU times, else wall)", OPT_CLOCK },
    { "pause", "SECONDS", "seconds of pause that separate bursts (default: determined from the trace)", OPT_PAUSE },
    { "phase", "NAME", "of a log with traces: only operations while the program was in that phase, which it has named", OPT_PHASE },
    { "processes", NULL, "analyse every process individually, too, even if the job has a rhythm", OPT_PROCESSES },
    { "json", NULL, "print JSON", OPT_JSON },
    { "csv", NULL, "print the bursts as CSV", OPT_CSV },
    { "series", NULL, "print operations and bytes over time as CSV; with --json, include them", OPT_SERIES },
    { "bin", "SECONDS", "bin width of --series in seconds (1)", OPT_BIN },
    { "from", "FORMAT", "input format, instead of detecting it; `darshan-trace --formats` lists them", OPT_FROM },
    { "base", "N", "seed text: base of its numbers, 10 or 16", OPT_BASE },
    { "tick-us", "N", "seed text: microseconds per unit of time (10)", OPT_TICK },
    { "fig1", NULL, "seed text: nine fields per line, in the order of the study's figure", OPT_FIGURE },
    { "memory", "MIB", "MiB of memory for sorting events (64); others go to $TMPDIR", OPT_MEMORY },
};
static const struct dsn_command command = {
    COMMAND, "[options] LOG|TRACE...", "Prints whether a program's I/O is periodic, the period, and what each burst consists of.",
    options, sizeof options / sizeof options[0], NULL
};
/* clang-format on */

/* ------------------------------------------------------------------ messages */

static void warn(const struct settings *s, const char *text)
{
    if (s->noperands == 1)
        dsn_warn(COMMAND, strcmp(s->operands[0], "-") == 0 ? "standard input" : s->operands[0], "%s", text);
    else
        fprintf(stderr, COMMAND ": %s\n", text);
}

static int no_memory(const struct settings *s)
{
    warn(s, "does not fit into memory");
    return 1;
}

/* Prints the notes of a trace after reading it. */
static void tell_trace(const struct settings *s, const struct darshan_trace *t)
{
    const struct darshan_trace_info *info = darshan_trace_info(t);
    char text[160];

    for (size_t i = 0; i < darshan_trace_notes(t); i++)
        warn(s, darshan_trace_note(t, i));
    if (info->left_out > 0) {
        snprintf(text, sizeof text,
                 "the trace lacks %" PRIu64 " operations, which its collector dropped: cycles may be incomplete",
                 info->left_out);
        warn(s, text);
    } else if (info->thinned) {
        warn(s, "the trace lacks operations, because its collector ran out of memory or was killed: cycles may be "
                "incomplete");
    }
}

static void tell_rhythm(const struct settings *s, const struct dsn_rhythm *r)
{
    char text[200], closest[32];

    if (r->resolution_lost > 0) {
        snprintf(text, sizeof text, "does not fit into memory: similar operations within %s of each other were merged",
                 dsn_rhythm_seconds(closest, (double)r->resolution_lost / 1e9));
        warn(s, text);
    }
    if (r->left_out > 0) {
        snprintf(text, sizeof text,
                 "does not fit into memory: the last %" PRIu64
                 " operations were ignored; split it with darshan-trace cut --time",
                 r->left_out);
        warn(s, text);
    }
}

/* ------------------------------------------------------------------ reading */

/* A log without traces, whose heat map is used; NULL: it is something else. */
static struct darshan_reader *log_without_trace(const struct settings *s)
{
    struct darshan_reader *log;
    struct stat st;

    if (s->noperands != 1 || s->open.format || stat(s->operands[0], &st) != 0 || !S_ISREG(st.st_mode) ||
        darshan_reader_open_nameless(s->operands[0], &log, NULL) != DSN_ERR_OK)
        return NULL;
    if (darshan_reader_header(log)->mod[DSN_DXT_POSIX_MODULE].len == 0 &&
        darshan_reader_header(log)->mod[DSN_DXT_MPIIO_MODULE].len == 0)
        return log;
    darshan_reader_close(log);
    return NULL;
}

static int read_heat(const struct settings *s, struct darshan_reader *log, struct dsn_rhythm_input *in)
{
    struct darshan_reader_error err;
    const int has_heat = darshan_reader_header(log)->mod[DSN_HEATMAP_MODULE].len > 0;
    const char *layer = dsn_rhythm_take_heat(in, log, &err);
    int status = 0;

    if (err.code == DSN_ERR_MEMORY) {
        status = no_memory(s);
    } else if (err.code != DSN_ERR_OK) {
        warn(s, err.text);
        status = 1;
    } else if (!layer && !has_heat) {
        warn(s, "has neither traces nor a heat map, so no rhythm can be found; DXT_ENABLE_IO_TRACE=1 makes "
                "the runtime record traces");
        status = 1;
    }
    darshan_reader_close(log);
    return status;
}

static int read_trace(const struct settings *s, struct dsn_rhythm_input *in)
{
    struct darshan_trace *t;
    struct darshan_trace_error err;
    int rc;

    if (!darshan_trace_open_many((const char *const *)s->operands, (size_t)s->noperands, &s->open, &t, &err)) {
        warn(s, err.text);
        return 1;
    }
    rc = dsn_rhythm_take_trace(in, t, &err);
    if (rc == 0)
        no_memory(s);
    else if (rc < 0)
        warn(s, err.text);
    tell_trace(s, t);
    darshan_trace_close(t);
    return rc > 0 ? 0 : rc < 0 ? 1 : -1;
}

/* ------------------------------------------------------------------ CSV */

static void print_bursts(struct dsn_text *out, const struct dsn_rhythm_part *p)
{
    dsn_text_string(out, "burst,start,end,operations,bytes_read,bytes_written,kind,cycle,place\n");
    for (size_t i = 0; i < p->nbursts; i++) {
        const struct dsn_rhythm_burst *b = &p->bursts[i];

        dsn_text_printf(out, "%zu,%.9f,%.9f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",", i + 1,
                        (double)b->start / 1e9, (double)b->end / 1e9, b->ops, b->bytes[0], b->bytes[1],
                        b->signature + 1);
        if (b->cycle > 0)
            dsn_text_printf(out, "%" PRIu32 ",%" PRIu32 "\n", b->cycle, b->place + 1);
        else
            dsn_text_string(out, ",\n");
    }
}

static void print_series(struct dsn_text *out, const char *clock, const struct dsn_rhythm_series *s)
{
    for (size_t i = 0; i < s->n; i++)
        dsn_text_printf(out, "%s,%.9g,%.9g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", clock,
                        (double)i * (double)s->width / 1e9, (double)s->width / 1e9, s->ops[i][0], s->ops[i][1],
                        s->bytes[i][0], s->bytes[i][1]);
}

/* ------------------------------------------------------------------ printing */

/* 0: no memory. */
static int print_to(struct dsn_text *out, const struct settings *s, const struct dsn_rhythm *r)
{
    int ok = 1;

    if (s->json) {
        dsn_text_string(out, "{\"format\":\"" COMMAND " 1\",");
        ok = dsn_rhythm_write(out, r, s->series);
        dsn_text_string(out, "}\n");
    } else if (s->series) {
        dsn_text_string(out, "clock,start,seconds,reads,writes,bytes_read,bytes_written\n");
        print_series(out, "wall", &r->wall);
        print_series(out, "cpu", &r->used);
    } else if (s->csv) {
        print_bursts(out, r->verdict == DSN_RHYTHM_OF_PROCESSES ? &r->process : &r->job);
    } else {
        ok = dsn_cycles_print(out, r);
    }
    return ok;
}

static int print(const struct settings *s, const struct dsn_rhythm *r)
{
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return no_memory(s);
    rc = print_to(&out, s, r) ? dsn_end_output(&out, COMMAND) : no_memory(s);
    dsn_text_free(&out);
    return rc;
}

/* The phase's row of the log that tells longest when it was; NULL: there is none. */
static const struct dsn_rec *find_phase(const struct darshan_reader *log, const char *name)
{
    const struct dsn_rec *longest = NULL;

    for (size_t i = 0; i < darshan_reader_phases(log); i++) {
        const struct dsn_rec *row = darshan_reader_phase(log, i);

        if (strcmp(darshan_reader_phase_name(row), name) == 0 &&
            (!longest || row->v[PHASE_F_LONGEST_TIME].f > longest->v[PHASE_F_LONGEST_TIME].f))
            longest = row;
    }
    return longest;
}

/* Restricts what is read to the phase that is asked for. Returns 0 after saying why that is not possible. */
static int take_phase(const struct settings *s, int has_trace, struct dsn_rhythm_input *in)
{
    struct darshan_reader *log = NULL;
    const struct dsn_rec *phase = NULL;
    const char *why = NULL;

    if (!s->phase)
        return 1;
    if (s->noperands != 1 || darshan_reader_open_nameless(s->operands[0], &log, NULL) != DSN_ERR_OK)
        why = "--phase needs one log";
    else if (!has_trace)
        why = "has no traces, which --phase needs; DXT_ENABLE_IO_TRACE=1 makes the runtime record them";
    else if ((phase = find_phase(log, s->phase)) == NULL)
        why = "has no phase of that name; darshan-job-summary prints those that there are";
    else
        dsn_rhythm_only(in, phase);
    if (why)
        warn(s, why);
    if (log)
        darshan_reader_close(log);
    return !why;
}

static int run(const struct settings *s)
{
    struct dsn_rhythm_input *in = dsn_rhythm_input_new(0);
    struct darshan_reader *log = in ? log_without_trace(s) : NULL;
    struct dsn_rhythm r;
    int status = 1;

    if (!in)
        return no_memory(s);
    if (!take_phase(s, !log, in)) {
        if (log)
            darshan_reader_close(log);
        dsn_rhythm_input_free(in);
        return 1;
    }
    status = log ? read_heat(s, log, in) : read_trace(s, in);
    if (status >= 0 && (status == 0 || dsn_rhythm_taken(in) > 0)) {
        if (dsn_rhythm_find(in, &s->find, &r)) {
            status |= print(s, &r);
            tell_rhythm(s, &r);
            dsn_rhythm_free(&r);
        } else {
            status = no_memory(s);
        }
    }
    dsn_rhythm_input_free(in);
    return status != 0;
}

/* ------------------------------------------------------------------ the command line */

/* A decimal number from a microsecond to a million seconds. */
static int seconds(const char *argument, double *out)
{
    char *end;

    if (argument[strspn(argument, "0123456789.e-")])
        return 0;
    *out = strtod(argument, &end);
    return end != argument && *end == '\0' && *out >= 1e-6 && *out <= 1e6;
}

static int small(const char *argument, int64_t most, int64_t *out)
{
    return dsn_number(argument, 1, out) && *out <= most;
}

static int take_reading(struct settings *s, int value, const char *argument)
{
    int64_t n = 0;

    switch (value) {
    case OPT_FROM:
        s->open.format = argument;
        return 1;
    case OPT_FIGURE:
        s->open.figure = 1;
        return 1;
    case OPT_BASE:
        s->open.base = strcmp(argument, "10") == 0 ? 10 : strcmp(argument, "16") == 0 ? 16 : 0;
        return s->open.base != 0;
    case OPT_TICK:
        if (!small(argument, 1000000000, &n))
            return 0;
        s->open.tick_us = (uint32_t)n;
        return 1;
    default: /* OPT_MEMORY */
        if (!small(argument, 1 << 20, &n))
            return 0;
        s->open.memory = (size_t)n << 20;
        return 1;
    }
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;

    switch (value) {
    case OPT_CLOCK:
        s->find.clock = strcmp(argument, "wall") == 0  ? DSN_CLOCK_WALL
                        : strcmp(argument, "cpu") == 0 ? DSN_CLOCK_CPU
                                                       : DSN_CLOCK_AUTO;
        return s->find.clock != DSN_CLOCK_AUTO;
    case OPT_PAUSE:
        return seconds(argument, &s->find.pause);
    case OPT_BIN:
        return seconds(argument, &s->find.bin);
    case OPT_PROCESSES:
        s->find.per_process = 1;
        return 1;
    case OPT_PHASE:
        s->phase = argument;
        return 1;
    case OPT_SERIES:
        s->series = 1;
        return 1;
    case OPT_JSON:
        s->json = 1;
        return 1;
    case OPT_CSV:
        s->csv = 1;
        return 1;
    default:
        return take_reading(s, value, argument);
    }
}

int main(int argc, char **argv)
{
    struct settings s = { .find = { .clock = DSN_CLOCK_AUTO } };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &s);
    if (rc >= 0)
        return rc;
    s.operands = argv + optind;
    s.noperands = argc - optind;
    if (s.noperands == 0)
        return dsn_usage(&command, "no log or trace given");
    if (s.json && s.csv)
        return dsn_usage(&command, "--json and --csv exclude each other");
    return run(&s);
}

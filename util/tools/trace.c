/* trace.c - darshan-trace: reads, writes, generates, converts, merges and filters traces of I/O
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "trace.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "util/trace/cut.h"
#include "util/trace/gen.h"

#define COMMAND "darshan-trace"

enum {
    OPT_FROM = 1,
    OPT_TO,
    OPT_BASE,
    OPT_TICK,
    OPT_FIGURE,
    OPT_MEMORY,
    OPT_JSON,
    OPT_LARGE,
    OPT_FILES,
    OPT_MIPS,
    OPT_FLOPS,
    OPT_BETA,
    OPT_MIX,
    OPT_COPIES,
    OPT_PID,
    OPT_SCALE,
    OPT_TIME,
    OPT_RANKS,
    OPT_FILE,
    OPT_CLASS,
    OPT_OP,
    OPT_LIST,
    OPT_ZSTD,
    OPT_OUTPUT = 'o',
};

/* clang-format off */
#define READING                                                                                                        \
    { "from", "FORMAT", "input format, instead of detecting it", OPT_FROM },                                     \
    { "base", "N", "Miller text: base of its numbers, 10 or 16", OPT_BASE },                                              \
    { "tick-us", "N", "Miller text: microseconds per unit of time (10)", OPT_TICK },                         \
    { "fig1", NULL, "Miller text: nine fields per line, in the order of the study's figure", OPT_FIGURE },                 \
    { "memory", "MIB", "MiB of memory for sorting events (64); others go to $TMPDIR", OPT_MEMORY }

#define PACKING                                                                                                        \
    { "zstd", NULL, "compress the output with zstd", OPT_ZSTD }

static const struct dsn_option reading[] = { READING };
static const struct dsn_option merging[] = { READING, PACKING };
static const struct dsn_option exporting[] = {
    READING,
    PACKING,
    { "to", "FORMAT", "output format; `darshan-trace --formats` lists them", OPT_TO },
    { "output", "PREFIX", "formats with one process per file: write PREFIX.<process>", OPT_OUTPUT },
};
static const struct dsn_option statistics[] = {
    READING,
    { "json", NULL, "print JSON", OPT_JSON },
    { "large-files", "BYTES", "only files of which at least this many bytes were accessed", OPT_LARGE },
    { "files", "N", "list N files (10)", OPT_FILES },
    { "mips", "N", "million instructions per CPU second, for Amdahl's ratio (1000)", OPT_MIPS },
    { "mflops", "N", "million floating point operations per CPU second, for bytes per FLOP", OPT_FLOPS },
};
static const struct dsn_option paging[] = {
    READING,
    { "output", "FILE", "the page", OPT_OUTPUT },
    { "files", "N", "list N files (10)", OPT_FILES },
};
static const struct dsn_option making[] = {
    PACKING,
    { "beta", "N", "bursts take 1/N of a cycle (5)", OPT_BETA },
    { "mix", NULL, "reads and writes alternate within a burst", OPT_MIX },
    { "copies", "N", "N copies of the program, started together (1)", OPT_COPIES },
    { "pid", "N", "process id of the first (1)", OPT_PID },
    { "scale", "N", "scale operations and data down to 1/N (1)", OPT_SCALE },
};
static const struct dsn_option cutting[] = {
    READING,
    PACKING,
    { "time", "FROM-TO", "seconds since the start of the trace; either may be omitted", OPT_TIME },
    { "ranks", "LIST", "processes or ranks, as 0,4-7", OPT_RANKS },
    { "file", "NAME", "files: an id, or a name with * and ?; may be repeated", OPT_FILE },
    { "class", "NAME", "data, metadata, read-ahead, paging, logical or physical", OPT_CLASS },
    { "op", "NAME", "read, write, open, close, seek, sync, truncate or discard", OPT_OP },
};
static const struct dsn_option general[] = {
    { "formats", NULL, "list the formats, and what each cannot represent", OPT_LIST },
};
/* clang-format on */

/* All command line arguments. */
struct settings {
    struct dsn_trace_arguments a;
    struct dsn_trace_making making;
    struct dsn_trace_cut cut;
    int list;
};

/* ------------------------------------------------------------------ reading and telling */

void dsn_trace_warn(const struct dsn_trace_arguments *a, const char *text)
{
    const char *name = a->noperands == 1 ? a->operands[0] : NULL;

    if (name)
        dsn_warn(COMMAND, strcmp(name, "-") == 0 ? "standard input" : name, "%s", text);
    else
        fprintf(stderr, COMMAND ": %s\n", text);
}

int dsn_trace_open(const struct dsn_trace_arguments *a, struct darshan_trace **out)
{
    struct darshan_trace_error err;

    if (darshan_trace_open_many((const char *const *)a->operands, (size_t)a->noperands, &a->open, out, &err))
        return 1;
    dsn_trace_warn(a, err.text);
    return 0;
}

void dsn_trace_done(const struct dsn_trace_arguments *a, struct darshan_trace *t)
{
    char text[120];

    for (size_t i = 0; i < darshan_trace_notes(t); i++)
        dsn_trace_warn(a, darshan_trace_note(t, i));
    if (darshan_trace_info(t)->left_out > 0) {
        snprintf(text, sizeof text, "the trace lacks %" PRIu64 " operations, which its collector dropped",
                 darshan_trace_info(t)->left_out);
        dsn_trace_warn(a, text);
    } else if (darshan_trace_info(t)->thinned) {
        dsn_trace_warn(a, "the trace lacks operations: its collector ran out of memory, or was killed");
    }
    darshan_trace_close(t);
}

static int tell_writer(const struct dsn_trace_arguments *a, struct darshan_trace_writer *w,
                       const struct darshan_trace_info *info)
{
    struct darshan_trace_error err;
    int ok = darshan_trace_finish(w, info, &err);

    if (!ok)
        fprintf(stderr, COMMAND ": the output %s\n", err.text);
    for (size_t i = 0; i < darshan_trace_writer_notes(w); i++)
        dsn_trace_warn(a, darshan_trace_writer_note(w, i));
    darshan_trace_free(w);
    return !ok;
}

static int cannot_write(struct darshan_trace_writer *w, const struct darshan_trace_error *err)
{
    fprintf(stderr, COMMAND ": the output %s\n", err->text);
    darshan_trace_free(w);
    return 1;
}

/* Creates a writer, with compression if requested. */
static int create(const struct dsn_trace_arguments *a, const char *to, const struct darshan_trace_info *info,
                  struct darshan_trace_writer **out, struct darshan_trace_error *err)
{
    if (a->zstd && isatty(STDOUT_FILENO))
        return snprintf(err->text, sizeof err->text, "is a terminal, which --zstd is not for") < 0;
    if (!darshan_trace_create(STDOUT_FILENO, to, a->prefix, info, out, err))
        return 0;
    if (!a->zstd || darshan_trace_compress(*out, err))
        return 1;
    darshan_trace_free(*out);
    *out = NULL;
    return 0;
}

/* Copies all events that pass `cut`. Returns the exit status. */
static int copy(const struct dsn_trace_arguments *a, struct dsn_trace_cut *cut, const char *to)
{
    struct darshan_trace *t;
    struct darshan_trace_writer *w = NULL;
    struct darshan_trace_event e;
    struct darshan_trace_error err = { "" };
    struct darshan_trace_info info;
    size_t remarks = 0;
    int rc, has, status = 0;

    if (!dsn_trace_open(a, &t))
        return 1;
    has = darshan_trace_next(t, &e, &err); /* the trace's information may be in its first lines */
    info = *darshan_trace_info(t);
    info.tick_us = info.tick_us ? info.tick_us : 1;
    if (info.tick_us != 10 || (strcmp(info.format, "miller") != 0 && strcmp(info.format, "several") != 0))
        info.directives = 1; /* what is written must say so itself */
    if (!create(a, to, &info, &w, &err)) {
        status = cannot_write(NULL, &err);
        has = 0;
    }
    for (rc = has; rc > 0; rc = darshan_trace_next(t, &e, &err)) {
        while (remarks < darshan_trace_comments(t))
            darshan_trace_remark(w, darshan_trace_comment(t, remarks++));
        if ((!cut || dsn_trace_passes(cut, &e)) && !darshan_trace_put(w, &e, &err)) {
            status = cannot_write(w, &err);
            w = NULL;
            break;
        }
    }
    while (w && remarks < darshan_trace_comments(t))
        darshan_trace_remark(w, darshan_trace_comment(t, remarks++));
    if (w)
        status |= tell_writer(a, w, darshan_trace_info(t));
    if (rc < 0 && !status) {
        dsn_trace_warn(a, err.text);
        status = 1;
    }
    dsn_trace_done(a, t);
    return status;
}

/* ------------------------------------------------------------------ what it does */

static int run_cat(struct settings *s)
{
    return copy(&s->a, NULL, "list");
}

static int run_import(struct settings *s)
{
    return copy(&s->a, NULL, "miller");
}

static int run_cut(struct settings *s)
{
    return copy(&s->a, &s->cut, "miller");
}

static int run_stat(struct settings *s)
{
    return dsn_trace_stat(&s->a);
}

static const struct dsn_command *present; /* for usage errors */

static int run_page(struct settings *s)
{
    if (!s->a.prefix)
        return dsn_usage(present, "no --output FILE given");
    for (int i = 0; i < s->a.noperands; i++)
        if (strcmp(s->a.operands[i], "-") == 0)
            return dsn_usage(present, "a page needs files, which it reads twice: not standard input");
    return dsn_trace_page(&s->a);
}

static int run_export(struct settings *s)
{
    if (!s->a.to)
        return dsn_usage(present, "no --to FORMAT given");
    if (s->a.zstd && s->a.prefix)
        return dsn_usage(present, "--zstd compresses what goes to standard output, not files of --output");
    return copy(&s->a, NULL, s->a.to);
}

static int run_gen(struct settings *s)
{
    const struct dsn_trace_application *a = NULL;
    struct dsn_trace_generator *g;
    struct darshan_trace_writer *w = NULL;
    struct darshan_trace_error err;
    struct darshan_trace_event e;

    for (size_t i = 0; (a = dsn_trace_application(i)) != NULL && strcmp(a->name, s->a.operands[0]) != 0;)
        i++;
    if (!a)
        return dsn_usage(present, "%s: unknown application: use bvi, ccm, forma, gcm, les, upw or venus",
                         s->a.operands[0]);
    g = dsn_trace_generator_new(a, &s->making);
    if (!g)
        snprintf(err.text, sizeof err.text, "cannot be written: out of memory");
    if (!g || !create(&s->a, "miller", NULL, &w, &err)) {
        dsn_trace_generator_free(g);
        return cannot_write(NULL, &err);
    }
    while (dsn_trace_generate(g, &e))
        if (!darshan_trace_put(w, &e, &err)) {
            dsn_trace_generator_free(g);
            return cannot_write(w, &err);
        }
    dsn_trace_generator_free(g);
    return tell_writer(&s->a, w, NULL);
}

static int list_formats(void)
{
    const struct darshan_trace_format *f;
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": out of memory\n");
        return 1;
    }
    for (size_t i = 0; (f = darshan_trace_format(i)) != NULL; i++) {
        dsn_text_printf(&out, "%-12s %-5s %-6s %s\n", f->name, f->reads ? "reads" : "", f->writes ? "writes" : "",
                        f->title);
        if (f->lost)
            dsn_text_printf(&out, "%26snot represented: %s\n", "", f->lost);
    }
    rc = dsn_end_output(&out, COMMAND);
    dsn_text_free(&out);
    return rc;
}

/* ------------------------------------------------------------------ the command line */

#define OPTIONS(rows) rows, sizeof rows / sizeof rows[0], NULL

/* clang-format off */
static const struct word {
    const char *name;
    struct dsn_command command;
    int least, most; /* operands; most < 0: any number */
    int (*run)(struct settings *s);
} words[] = {
    { "cat", { COMMAND " cat", "[options] FILE...", "Lists the events of traces.", OPTIONS(reading) }, 1, -1, run_cat },
    { "stat", { COMMAND " stat", "[options] FILE", "Prints statistics of a trace.", OPTIONS(statistics) }, 1, -1, run_stat },
    { "page", { COMMAND " page", "-o FILE [options] TRACE...", "Writes an HTML page: rates over time, cycles, sizes, files, idle time by size of a cache.", OPTIONS(paging) }, 1, -1, run_page },
    { "gen", { COMMAND " gen", "[options] APP", "Generates the trace of an application of the 1992 study (Miller and Katz): bvi, ccm, forma, gcm, les, upw or venus.", OPTIONS(making) }, 1, 1, run_gen },
    { "import", { COMMAND " import", "[options] FILE...", "Converts a trace of any format to Miller text.", OPTIONS(merging) }, 1, -1, run_import },
    { "export", { COMMAND " export", "--to FORMAT [options] FILE...", "Converts a trace to another format.", OPTIONS(exporting) }, 1, -1, run_export },
    { "merge", { COMMAND " merge", "[options] FILE...", "Merges several traces, of processes or batches, by time.", OPTIONS(merging) }, 1, -1, run_import },
    { "cut", { COMMAND " cut", "[options] FILE...", "Extracts part of a trace.", OPTIONS(cutting) }, 1, -1, run_cut },
};
/* clang-format on */
#define NWORDS (sizeof words / sizeof words[0])

static int small(const char *argument, int64_t least, int64_t most, int64_t *out)
{
    return dsn_number(argument, least, out) && *out <= most;
}

/* Options of reading, and of what is printed. -1: another option. */
static int take_reading(struct settings *s, int value, const char *argument)
{
    int64_t n = 0;

    switch (value) {
    case OPT_FROM:
        s->a.open.format = argument;
        return 1;
    case OPT_TO:
        s->a.to = argument;
        return 1;
    case OPT_OUTPUT:
        s->a.prefix = argument;
        return 1;
    case OPT_FIGURE:
        s->a.open.figure = 1;
        return 1;
    case OPT_JSON:
        s->a.json = 1;
        return 1;
    case OPT_ZSTD:
        s->a.zstd = 1;
        return 1;
    case OPT_BASE:
        s->a.open.base = strcmp(argument, "10") == 0 ? 10 : strcmp(argument, "16") == 0 ? 16 : 0;
        return s->a.open.base != 0;
    case OPT_TICK:
        if (!small(argument, 1, 1000000000, &n))
            return 0;
        s->a.open.tick_us = (uint32_t)n;
        return 1;
    case OPT_MEMORY:
        if (!small(argument, 1, 1 << 20, &n))
            return 0;
        s->a.open.memory = (size_t)n << 20;
        return 1;
    case OPT_LARGE:
        if (!small(argument, 0, INT64_MAX, &n))
            return 0;
        s->a.large = (uint64_t)n;
        return 1;
    case OPT_FILES:
        if (!small(argument, 0, INT32_MAX, &n))
            return 0;
        s->a.files = (int)n;
        return 1;
    case OPT_MIPS:
        if (!small(argument, 1, INT32_MAX, &n))
            return 0;
        s->a.mips = (double)n;
        return 1;
    case OPT_FLOPS:
        if (!small(argument, 1, INT32_MAX, &n))
            return 0;
        s->a.flops_per_second = (double)n * 1e6;
        return 1;
    }
    return -1;
}

/* Options of generating. */
static int take_making(struct settings *s, int value, const char *argument)
{
    int64_t n = 0;

    if (value == OPT_MIX) {
        s->making.mix = 1;
        return 1;
    }
    if (!small(argument, 1, value == OPT_PID ? INT64_MAX : value == OPT_COPIES ? 100000 : 1000000, &n))
        return 0;
    if (value == OPT_BETA)
        s->making.burst = (unsigned)n;
    else if (value == OPT_COPIES)
        s->making.copies = (unsigned)n;
    else if (value == OPT_SCALE)
        s->making.scale = (unsigned)n;
    else
        s->making.pid = (uint64_t)n;
    return 1;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;
    const int rc = take_reading(s, value, argument);

    if (rc >= 0)
        return rc;
    switch (value) {
    case OPT_TIME:
        return dsn_trace_cut_time(&s->cut, argument);
    case OPT_RANKS:
        return dsn_trace_cut_processes(&s->cut, argument);
    case OPT_FILE:
        return dsn_trace_cut_file(&s->cut, argument);
    case OPT_CLASS:
        return dsn_trace_cut_class(&s->cut, argument);
    case OPT_OP:
        return dsn_trace_cut_op(&s->cut, argument);
    case OPT_LIST:
        s->list = 1;
        return 1;
    }
    return take_making(s, value, argument);
}

/* The usage text with the list of subcommands. */
static const char *purpose(void)
{
    static char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "I/O traces: every call or request, with its time.\n\n");

    for (size_t i = 0; i < NWORDS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-7s %s\n", words[i].name, words[i].command.purpose);
    snprintf(text + n, sizeof text - n, "\nFILE - is standard input. `" COMMAND " COMMAND --help` prints its options.");
    return text;
}

static int run_general(int argc, char **argv, struct settings *s)
{
    struct dsn_command command = { COMMAND, "COMMAND [options] FILE...", purpose(), OPTIONS(general) };
    struct dsn_nearest nearest = { .word = argc > 1 ? argv[1] : "" };
    int rc;

    for (size_t i = 0; i < NWORDS; i++)
        dsn_nearest(&nearest, words[i].name);
    if (argc > 1 && argv[1][0] != '-')
        return dsn_unknown(&command, &nearest);
    rc = dsn_options(&command, argc, argv, take_option, s);
    if (rc >= 0)
        return rc;
    return s->list ? list_formats() : dsn_usage(&command, "no command given");
}

int main(int argc, char **argv)
{
    struct settings s = { .a = { .open = { .whole = 1 }, .files = 10, .mips = 1000 } };
    const struct word *word = words;
    int rc;

    dsn_begin();
    while (word < words + NWORDS && (argc < 2 || strcmp(word->name, argv[1]) != 0))
        word++;
    if (word == words + NWORDS)
        return run_general(argc, argv, &s);
    present = &word->command;
    rc = dsn_options(&word->command, argc - 1, argv + 1, take_option, &s);
    if (rc >= 0)
        return rc;
    s.a.operands = argv + 1 + optind;
    s.a.noperands = argc - 1 - optind;
    if (s.a.noperands < word->least)
        return dsn_usage(&word->command, word->run == run_gen ? "no application given" : "no trace given");
    if (word->most >= 0 && s.a.noperands > word->most)
        return dsn_usage(&word->command, "unexpected argument %s", s.a.operands[word->most]);
    rc = word->run(&s);
    dsn_trace_cut_free(&s.cut);
    return rc;
}

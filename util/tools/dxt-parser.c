/* dxt-parser.c - darshan-dxt-parser: prints the traces of a log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The output is parsed by scripts: spec parser-output.md 6, identical except for the wording of comments. */
#include <config.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "dxt-forms.h"
#include "command-line/options.h"
#include "util/lib/striping.h"

#define COMMAND   "darshan-dxt-parser"
#define NSEGMENTS 512 /* read at a time */

enum { OPT_INCOMPLETE = 1, OPT_JSON, OPT_CSV };

static const struct dsn_option options[] = {
    { "show-incomplete", NULL, "also print incomplete traces", OPT_INCOMPLETE },
    { "json", NULL, "print JSON", OPT_JSON },
    { "csv", NULL, "print CSV, a line per read and write", OPT_CSV },
};

static const struct dsn_command command = { COMMAND,
                                            "[options] LOG...",
                                            "Prints the traces of Darshan logs as text.",
                                            options,
                                            sizeof options / sizeof options[0],
                                            NULL };

/* State of the command. */
struct run {
    struct dsn_printing p; /* must be first: print_log() casts it */
    unsigned show_incomplete;
    enum dsn_emit_form form;
    int nlogs, ntraces;        /* logs opened so far; traces of the current one */
    char column[DSN_EMIT_LOG]; /* CSV: the log's name */
    struct darshan_reader *log;
    struct dsn_layouts layouts;
};

/* ------------------------------------------------------------------ segments */

/* Common parts of a record's lines. */
struct record {
    struct dsn_text *out;
    char front[2][64]; /* module, rank, "write" or "read" */
    size_t nfront[2];
    char number[DSN_INT_MAX], length[DSN_INT_MAX]; /* columns of the last segment, which are similar in the next one */
    size_t nnumber, nlength;
    struct dsn_column start, end;
    int64_t last_number, last_length;
    char back[DSN_INT_MAX + 8]; /* blank, thread and newline of the last segment */
    size_t nback;
    uint64_t thread;
    const struct dsn_layout *layout; /* NULL: no column of storage targets */
    int has_threads;
};

/* Formats the end of the line, which is usually the same for all segments of a record. */
static void prepare_thread(struct record *rec, uint64_t thread)
{
    if (rec->has_threads)
        rec->nback = (size_t)snprintf(rec->back, sizeof rec->back, " %4" PRIu64 "\n", thread);
    else
        rec->nback = (size_t)snprintf(rec->back, sizeof rec->back, " N/A\n");
    rec->thread = thread;
}

static void prepare(struct record *rec, const char *label, int64_t rank)
{
    static const char *const direction[2] = { "write", "read" };

    for (int i = 0; i < 2; i++)
        rec->nfront[i] =
            (size_t)snprintf(rec->front[i], sizeof rec->front[i], "%8s%8" PRId64 "%7s", label, rank, direction[i]);
    prepare_thread(rec, 0);
    rec->last_number = 0;
    rec->nnumber = dsn_format_i64_in(rec->number, 9, 0);
    rec->last_length = 0;
    rec->nlength = dsn_format_i64_in(rec->length, 16, 0);
}

/* Increments the formatted number. */
static inline void prepare_number(struct record *rec, int64_t number)
{
    if (number == rec->last_number + 1 && rec->number[rec->nnumber - 1] != '9')
        rec->number[rec->nnumber - 1]++;
    else
        rec->nnumber = dsn_format_i64_in(rec->number, 9, number);
    rec->last_number = number;
}

static inline void prepare_length(struct record *rec, int64_t length)
{
    if (length != rec->last_length)
        rec->nlength = dsn_format_i64_in(rec->length, 16, length);
    rec->last_length = length;
}

static void print_targets(struct dsn_text *out, const struct dsn_layout *layout, const struct dsn_dxt_segment *s)
{
    struct dsn_stripe_walk walk;
    int64_t ost;

    dsn_stripe_walk_begin(&walk, layout, s->offset, s->length);
    while (dsn_stripe_walk_next(&walk, &ost)) {
        char *start = dsn_text_room(out, DSN_INT_MAX + 3), *p = start;

        *p++ = ' ';
        *p++ = '[';
        p += dsn_format_i64(p, ost);
        *p++ = ']';
        out->used += (size_t)(p - start);
    }
    if (layout->ncomps > 0)
        dsn_text_bytes(out, "  ", 2);
}

static void print_segment(struct record *rec, int is_read, int64_t number, const struct dsn_dxt_segment *s)
{
    struct dsn_text *out = rec->out;
    char *start = dsn_text_room(out, sizeof rec->front[0] + 4 * DSN_INT_MAX + 2 * DSN_DOUBLE_MAX + sizeof rec->back),
         *p = start;

    memcpy(p, rec->front[is_read], sizeof rec->front[is_read]); /* faster with a constant size */
    p += rec->nfront[is_read];
    prepare_number(rec, number);
    memcpy(p, rec->number, sizeof rec->number);
    p += rec->nnumber;
    p += dsn_format_i64_in(p, 16, s->offset);
    prepare_length(rec, s->length);
    memcpy(p, rec->length, sizeof rec->length);
    p += rec->nlength;
    p += dsn_format_f64_4_next(&rec->start, p, 12, s->start);
    p += dsn_format_f64_4_next(&rec->end, p, 12, s->end);
    *p++ = ' ';
    *p++ = ' ';
    if (rec->layout) {
        out->used += (size_t)(p - start);
        print_targets(out, rec->layout, s);
        start = p = dsn_text_room(out, sizeof rec->back);
    }
    if (s->thread != rec->thread)
        prepare_thread(rec, s->thread);
    memcpy(p, rec->back, sizeof rec->back);
    p += rec->nback;
    out->used += (size_t)(p - start);
}

static void print_segments(struct record *rec, struct darshan_dxt *it, const struct dsn_dxt_head *head,
                           struct darshan_reader_error *err)
{
    struct dsn_dxt_segment segment[NSEGMENTS];
    int64_t at = 0;
    size_t n;

    while ((n = darshan_dxt_segments(it, segment, NSEGMENTS, err)) > 0)
        for (size_t i = 0; i < n; i++, at++) {
            const int is_read = at >= head->nwrites;

            print_segment(rec, is_read, is_read ? at - head->nwrites : at, &segment[i]);
        }
}

/* ------------------------------------------------------------------ records */

static void print_untrusted(struct dsn_text *out, const char *s)
{
    dsn_text_untrusted(out, s, strlen(s));
}

static void print_layout(struct dsn_text *out, const struct dsn_layout *layout)
{
    const int64_t *ost = layout->osts;

    dsn_text_string(out, "# DXT, Lustre stripe components:\n");
    for (size_t i = 0; i < layout->ncomps; i++) {
        const struct dsn_lustre_comp *c = &layout->comps[i];

        dsn_text_printf(out, "#\t[Component %zu] stripe_ext: %" PRId64 " - ", i + 1, c->start);
        if (c->end == -1)
            dsn_text_string(out, "EOF");
        else
            dsn_text_printf(out, "%" PRId64, c->end);
        dsn_text_printf(out, ", stripe_size: %" PRId64 ", stripe_count: %" PRId64 ", OSTs:", c->stripe_size,
                        c->stripe_count);
        for (int64_t k = 0; k < c->stripe_count; k++)
            dsn_text_printf(out, " %" PRId64, *ost++);
        dsn_text_string(out, "\n");
    }
}

/* Everything except the segments. */
static void print_head(struct run *run, const struct record *rec, const struct dsn_dxt_head *head, int64_t threads)
{
    struct dsn_text *out = &run->p.out;
    const char *name = darshan_reader_name(run->log, head->id);
    const struct darshan_reader_mount *mount = darshan_reader_mount_of(run->log, name);

    dsn_text_printf(out, "\n# DXT, file_id: %" PRIu64 ", file_name: ", head->id);
    print_untrusted(out, name ? name : "(null)");
    dsn_text_printf(out, "\n# DXT, rank: %" PRId64 ", hostname: ", head->rank);
    dsn_text_untrusted(out, head->host, strnlen(head->host, sizeof head->host));
    dsn_text_printf(out, "\n# DXT, number of threads: %" PRId64 "\n", threads);
    dsn_text_printf(out, "# DXT, write_count: %" PRId64 ", read_count: %" PRId64 "\n", head->nwrites, head->nreads);
    if (head->left_out > 0)
        dsn_text_printf(out, "# DXT, left_out: %" PRId64 "\n", head->left_out);
    dsn_text_string(out, "# DXT, mnt_pt: ");
    print_untrusted(out, mount->path);
    dsn_text_string(out, ", fs_type: ");
    print_untrusted(out, mount->type);
    dsn_text_string(out, "\n");
    if (rec->layout)
        print_layout(out, rec->layout);
    dsn_text_printf(out,
                    "# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)%s"
                    "   Pthread-ID\n",
                    rec->layout ? "   [OST]" : "");
}

static void print_form(struct run *run, struct dsn_trace *t, struct darshan_dxt *it, struct darshan_reader_error *err)
{
    struct dsn_dxt_segment segment[NSEGMENTS];
    int64_t at = 0;
    size_t n;

    t->name = darshan_reader_name(run->log, t->head->id);
    t->mount = darshan_reader_mount_of(run->log, t->name);
    dsn_trace_begin(t, run->ntraces++ == 0);
    while ((n = darshan_dxt_segments(it, segment, NSEGMENTS, err)) > 0)
        for (size_t i = 0; i < n; i++, at++) {
            const int is_read = at >= t->head->nwrites;

            dsn_trace_segment(t, is_read, is_read ? at - t->head->nwrites : at, &segment[i]);
        }
    dsn_trace_end(t);
}

static void print_records(struct run *run, unsigned module, struct darshan_dxt *it)
{
    const int posix = module == DSN_DXT_POSIX_MODULE;
    struct record rec = { .out = &run->p.out, .has_threads = darshan_dxt_has_threads(it) };
    struct darshan_reader_error err;
    const struct dsn_dxt_head *head;

    while ((head = darshan_dxt_next(it, &err)) != NULL) {
        const int64_t threads = darshan_dxt_threads(it, &err);

        if (threads < 0)
            break;
        rec.layout = posix ? dsn_layouts_get(&run->layouts, head->id) : NULL;
        if (run->form != DSN_EMIT_TEXT) {
            struct dsn_trace trace = { .out = &run->p.out,
                                       .form = run->form,
                                       .column = run->column,
                                       .module = dsn_module_name(module),
                                       .head = head,
                                       .layout = rec.layout,
                                       .has_threads = rec.has_threads,
                                       .threads = threads };

            print_form(run, &trace, it, &err);
            continue;
        }
        prepare(&rec, posix ? "X_POSIX" : "X_MPIIO", head->rank);
        print_head(run, &rec, head, threads);
        print_segments(&rec, it, head, &err);
    }
    if (err.code != DSN_ERR_OK)
        dsn_note(&run->p, &err);
}

/* ------------------------------------------------------------------ modules */

static void print_module(struct run *run, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_dxt *it;

    if (module == DSN_LUSTRE_MODULE) {
        if (dsn_layouts_read(&run->layouts, run->log, &err) != DSN_ERR_OK)
            dsn_note(&run->p, &err);
        return;
    }
    if (darshan_dxt_begin(run->log, module, &it, &err) != DSN_ERR_OK) {
        dsn_note(&run->p, &err);
        return;
    }
    print_records(run, module, it);
    darshan_dxt_end(it);
}

/* 0: stop. LUSTRE (8) precedes the traces (10, 11), which need its layouts. */
static int print_slot(struct run *run, unsigned module)
{
    const struct dsn_header *h = darshan_reader_header(run->log);
    const int is_trace = module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE;

    if (h->mod[module].len == 0)
        return 1;
    if (!is_trace && module != DSN_LUSTRE_MODULE) {
        if (!dsn_module_name(module))
            dsn_warn(COMMAND, run->p.file, "skipping data of the unknown module %u: probably from a newer release",
                     module);
        return 1;
    }
    if (is_trace && run->form == DSN_EMIT_TEXT)
        dsn_print_banner(&run->p.out, module, DSN_DXT_BANNER);
    if ((h->partial >> module & 1) && !(run->show_incomplete && run->form != DSN_EMIT_TEXT) &&
        !dsn_print_incomplete(&run->p.out, COMMAND, run->p.file, module, run->show_incomplete))
        return 0;
    print_module(run, module);
    return 1;
}

/* Returns the exit status, ignoring read errors. */
static int print_traces(struct run *run)
{
    const struct dsn_header *h = darshan_reader_header(run->log);

    if (h->mod[DSN_DXT_POSIX_MODULE].len == 0 && h->mod[DSN_DXT_MPIIO_MODULE].len == 0) {
        if (run->form == DSN_EMIT_TEXT)
            dsn_text_string(&run->p.out, "\n# no DXT module data available for this Darshan log.\n");
        return 0;
    }
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        if (!print_slot(run, i))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ main */

static void print_front(struct run *run)
{
    if (run->form == DSN_EMIT_JSON) {
        dsn_json_begin_log(&run->p.out, run->log, run->p.file, run->nlogs == 1);
        dsn_text_string(&run->p.out, ",\n\"traces\":[");
    } else if (run->form == DSN_EMIT_CSV) {
        dsn_csv_column(run->column, sizeof run->column, run->p.file);
    } else {
        dsn_print_header(&run->p.out, run->log);
    }
}

static int print_log(struct dsn_printing *p)
{
    struct run *run = (struct run *)p;
    struct darshan_reader_error err;
    int rc;

    if (darshan_reader_open(p->file, &run->log, &err) != DSN_ERR_OK) {
        dsn_note(p, &err);
        return 1;
    }
    run->nlogs++;
    run->ntraces = 0;
    dsn_layouts_init(&run->layouts);
    print_front(run);
    rc = print_traces(run);
    if (run->form == DSN_EMIT_JSON)
        dsn_text_string(&p->out, "\n]}\n");
    if (darshan_reader_damage(run->log, &err) != DSN_ERR_OK)
        dsn_note(p, &err);
    dsn_layouts_free(&run->layouts);
    darshan_reader_close(run->log);
    return rc;
}

static int take_option(void *context, int value, const char *argument)
{
    struct run *run = context;

    (void)argument;
    if (value == OPT_INCOMPLETE)
        run->show_incomplete = 1;
    else
        run->form = value == OPT_JSON ? DSN_EMIT_JSON : DSN_EMIT_CSV;
    return 1;
}

int main(int argc, char **argv)
{
    static struct run run = { .p = { .command = COMMAND, .print = print_log } };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &run);
    if (rc >= 0)
        return rc;
    if (optind >= argc)
        return dsn_usage(&command, "no log given");
    if (!dsn_text_init(&run.p.out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": %s\n", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    if (run.form == DSN_EMIT_CSV)
        dsn_trace_columns(&run.p.out);
    rc = dsn_print_forms(&run.p, run.form, argv + optind, argc - optind);
    rc |= dsn_end_output(&run.p.out, COMMAND);
    dsn_text_free(&run.p.out);
    return rc;
}

/* parser.c - darshan-parser: prints a log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The output is parsed by scripts: spec parser-output.md, identical except for the wording of comments. */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "description.h"
#include "forms.h"
#include "command-line/options.h"
#include "place.h"
#include "summary.h"
#include "util/lib/processes.h"

#define COMMAND    "darshan-parser"
#define NSUMMARIES 5 /* modules with summaries */

enum show {
    BASE = 1,
    TOTAL = 2,
    FILES = 4,
    PERF = 8,
    INCOMPLETE = 16,
    SUMMARIES = TOTAL | FILES | PERF,
    MODULES = BASE | SUMMARIES, /* requires reading modules */
    ALL = MODULES | INCOMPLETE,
    CN = 32,
    EXTRA = 64
};

enum { OPT_JSON = 256, OPT_CSV, OPT_RAW, OPT_NODES };

/* Values: enum show, or one of the above. */
static const struct dsn_option options[] = {
    { "base", NULL, "every counter of every record (default)", BASE },
    { "total", NULL, "counters summed over all records of a module", TOTAL },
    { "file", NULL, "numbers of files by type of access", FILES },
    { "perf", NULL, "estimate of the job's I/O performance", PERF },
    { "all", NULL, "all of the above, and --show-incomplete", ALL },
    { "show-incomplete", NULL, "also print modules whose data is incomplete", INCOMPLETE },
    { "cn", NULL, "MiB/s per compute node (MiB/s/CN)", CN },
    { "extra", NULL, "totals of each rank, and how many ranks read and wrote each shared file, where the log has them",
      EXTRA },
    { "nodes", "N", "number of compute nodes, for logs that do not contain it; implies --cn", OPT_NODES },
    { "json", NULL, "print JSON", OPT_JSON },
    { "csv", NULL, "print CSV", OPT_CSV },
    { "raw", NULL, "print names unchanged on a terminal, too, including control characters", OPT_RAW },
};

static const struct dsn_command command = {
    COMMAND, "[options] LOG...", "Prints Darshan logs as text.", options, sizeof options / sizeof options[0], NULL
};

/* Summary of a module. */
struct summary {
    struct dsn_accum sums;
    unsigned version;
};

/* State of the command. */
struct run {
    struct dsn_printing p; /* must be first: print_log() casts it */
    unsigned show;         /* bit mask of enum show */
    enum dsn_emit_form form;
    int64_t nodes;             /* 0: not given */
    int nlogs;                 /* logs opened so far */
    char column[DSN_EMIT_LOG]; /* CSV: the log's name */
    struct darshan_reader *log;
    struct dsn_figures_pass *figures; /* NULL: not needed */
    int nrecords;                     /* JSON: records printed of this log */
    struct dsn_turn *turns;           /* processes that started each other, for --perf */
    size_t nturns;
    struct summary kept[NSUMMARIES]; /* JSON: printed after all records */
    unsigned nkept;
};

static void note(struct run *run, int code)
{
    struct darshan_reader_error err = { .code = code };

    snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
    dsn_note(&run->p, &err);
}

static void begin_emit(const struct run *run, struct dsn_emit *emit, struct dsn_text *out, const struct dsn_table *t)
{
    dsn_emit_init(emit, out, t);
    emit->form = run->form;
    emit->log = run->column;
    emit->several = run->nrecords;
    emit->version = t && t->id != DSN_NULL_MODULE ? darshan_reader_header(run->log)->mod_version[t->id] : 0;
}

/* ------------------------------------------------------------------ modules */

/* Whether --total, --file and --perf apply to a module. */
static int has_summary(unsigned module)
{
    return module == DSN_POSIX_MODULE || module == DSN_MPIIO_MODULE || module == DSN_STDIO_MODULE ||
           module == DSN_DFS_MODULE || module == DSN_DAOS_MODULE;
}

static unsigned accum_what(const struct run *run)
{
    return (run->show & TOTAL ? DSN_ACCUM_TOTAL : 0) | (run->show & FILES ? DSN_ACCUM_FILES : 0) |
           (run->show & PERF ? DSN_ACCUM_PERF : 0);
}

static void print_summary(const struct run *run, struct dsn_emit *emit, const struct summary *s)
{
    if (run->show & TOTAL)
        dsn_print_total(emit, &s->sums, s->version);
    if (run->show & FILES)
        dsn_print_files(emit, &s->sums);
    if (run->show & PERF)
        dsn_print_perf(emit, &s->sums, run->turns, run->nturns);
}

/* APMPI's records are preceded by a header. */
static void print_apmpi_header(struct dsn_emit *emit, struct darshan_reader_records *it)
{
    const struct dsn_emit_file nothing = { "", "", "" };
    const struct dsn_apmpi_header *h = darshan_reader_apmpi(it, NULL);

    if (!h)
        return; /* the error is reported by reading the first record */
    emit->sync = h->sync != 0;
    dsn_emit_apmpi(emit, h, &nothing);
}

/* Adds a record to all summaries. */
static int add_record(struct run *run, struct summary *s, const struct dsn_rec *r)
{
    int rc = dsn_accum_add(&s->sums, r);

    if (rc == DSN_ERR_OK && run->figures)
        rc = dsn_figures_add(run->figures, s->sums.table, r);
    return rc;
}

/* Prints and adds all records. 0: reading ended with an error, which was recorded. */
static int read_records(struct run *run, struct dsn_emit *emit, struct summary *s)
{
    const struct dsn_table *t = s->sums.table;
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int good = 1;

    if (darshan_reader_begin(run->log, t->id, &it, &err) != DSN_ERR_OK) {
        dsn_note(&run->p, &err);
        return 0;
    }
    if (t->id == DSN_APMPI_MODULE)
        print_apmpi_header(emit, it);
    while (good && (r = darshan_reader_next(it, &err)) != NULL) {
        if (run->show & BASE) {
            struct dsn_place place;

            dsn_locate(run->log, t, r, &place);
            dsn_emit_record(emit, r, darshan_reader_tail(it), &place.file);
        }
        good = add_record(run, s, r) == DSN_ERR_OK;
    }
    darshan_reader_end(it);
    if (!good)
        note(run, DSN_ERR_MEMORY);
    else if (err.code != DSN_ERR_OK)
        dsn_note(&run->p, &err);
    return good && err.code == DSN_ERR_OK;
}

static void print_module(struct run *run, const struct dsn_table *t)
{
    struct summary s = { .version = darshan_reader_header(run->log)->mod_version[t->id] };
    struct dsn_emit emit;

    begin_emit(run, &emit, &run->p.out, t);
    dsn_accum_init(&s.sums, t, has_summary(t->id) ? accum_what(run) : 0);
    if (run->show & BASE && run->form == DSN_EMIT_TEXT) {
        dsn_print_description(&run->p.out, t, s.version);
        dsn_text_string(&run->p.out, "\n#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t"
                                     "<fs type>\n");
    }
    if (!read_records(run, &emit, &s) || !has_summary(t->id) || !(run->show & SUMMARIES)) {
        dsn_accum_free(&s.sums);
    } else if (run->form == DSN_EMIT_JSON) {
        run->kept[run->nkept++] = s;
    } else {
        print_summary(run, &emit, &s);
        dsn_accum_free(&s.sums);
    }
    run->nrecords = emit.several;
}

/* Whether a module with data is to be printed; reports it if it cannot be. */
static int is_wanted(struct run *run, unsigned module)
{
    const char *name = dsn_module_name(module);

    if (module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE)
        return 0; /* printed by darshan-dxt-parser */
    if (name && !has_summary(module) && !(run->show & BASE))
        return 0;
    if (dsn_table(module))
        return 1;
    dsn_text_flush(&run->p.out);
    if (name)
        dsn_warn(COMMAND, run->p.file, "skipping data of the %s module: this release cannot read it", name);
    else
        dsn_warn(COMMAND, run->p.file, "skipping data of the unknown module %u: probably from a newer release", module);
    return 0;
}

/* Prints the heading, and the warning if the module lost data. 0: the module must not be printed. */
static int begin_module(struct run *run, unsigned module, int partial)
{
    const unsigned show = run->show & INCOMPLETE;

    if (run->form == DSN_EMIT_TEXT)
        dsn_print_banner(&run->p.out, module, DSN_PARSER_BANNER);
    if (!partial || (show && run->form != DSN_EMIT_TEXT))
        return 1;
    return dsn_print_incomplete(&run->p.out, COMMAND, run->p.file, module, show);
}

/* 0: stop. */
static int print_slot(struct run *run, unsigned module)
{
    const struct dsn_header *h = darshan_reader_header(run->log);
    const int partial = h->partial >> module & 1, empty = h->mod[module].len == 0;

    if (empty ? !partial || !dsn_module_name(module) : !is_wanted(run, module))
        return 1;
    if (!begin_module(run, module, partial))
        return 0;
    if (!empty)
        print_module(run, dsn_table(module));
    return 1;
}

/* Returns the exit status, ignoring read errors. */
static int print_modules(struct run *run)
{
    const struct dsn_header *h = darshan_reader_header(run->log);
    int nempty = 0;

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        if (!print_slot(run, i))
            return 1;
        nempty += h->mod[i].len == 0;
    }
    if (nempty == DSN_MODULE_SLOTS && run->form == DSN_EMIT_TEXT)
        dsn_text_string(&run->p.out, "\n# no module data available.\n");
    return 0;
}

/* ------------------------------------------------------------------ JSON and CSV */

/* Starts the log's object, up to its list of records, if any. */
static void begin_json(struct run *run)
{
    dsn_json_begin_log(&run->p.out, run->log, run->p.file, run->nlogs == 1);
    if (run->show & BASE)
        dsn_text_string(&run->p.out, ",\n\"records\":[");
}

/* Prints the list of module summaries. */
static void print_kept(struct run *run)
{
    dsn_text_string(&run->p.out, ",\n\"modules\":[");
    for (unsigned i = 0; i < run->nkept; i++) {
        const struct dsn_table *t = run->kept[i].sums.table;
        struct dsn_emit emit;

        begin_emit(run, &emit, &run->p.out, t);
        dsn_text_printf(&run->p.out, "%s\n{\"module\":\"%s\"", i > 0 ? "," : "", t->name);
        print_summary(run, &emit, &run->kept[i]);
        dsn_text_string(&run->p.out, "}");
        dsn_accum_free(&run->kept[i].sums);
    }
    dsn_text_string(&run->p.out, "\n]");
    run->nkept = 0;
}

/* ------------------------------------------------------------------ the extension section */

/* A row per rank, with its node. */
static void print_ranks(struct run *run, struct dsn_emit *emit)
{
    const char *const *nodes;
    const size_t nnodes = darshan_reader_nodes(run->log, &nodes);

    begin_emit(run, emit, &run->p.out, &dsn_rank_table);
    for (size_t i = 0; i < darshan_reader_ranks(run->log); i++) {
        const struct dsn_rec *r = darshan_reader_rank(run->log, i);
        const uint64_t node = (uint64_t)r->v[RANK_NODE].i;
        const struct dsn_emit_file on = { node < nnodes ? nodes[node] : "", "", "" };

        dsn_emit_record(emit, r, NULL, &on);
    }
    run->nrecords = emit->several;
}

/* A row per record that the part has something of, grouped by module, whose number is the row's first value. */
static void print_rows(struct run *run, struct dsn_emit *emit, const struct dsn_table *of, size_t n,
                       const struct dsn_rec *(*row_of)(const struct darshan_reader *, size_t))
{
    struct dsn_table t = *of;
    int64_t module = -1;

    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *r = row_of(run->log, i);
        const int64_t its = r->v[0].i;
        struct dsn_place place;

        if (its < 0 || its >= DSN_MODULE_SLOTS || !dsn_table((unsigned)its))
            continue; /* of a newer release */
        if (its != module) {
            t.name = dsn_module_name((unsigned)its);
            begin_emit(run, emit, &run->p.out, &t);
            module = its;
        }
        dsn_locate(run->log, dsn_table((unsigned)its), r, &place);
        dsn_emit_record(emit, r, NULL, &place.file);
        run->nrecords = emit->several;
    }
}

/* A row per file that was mapped into memory, and rank. */
static void print_mapped(struct run *run, struct dsn_emit *emit)
{
    struct dsn_table t = dsn_mapped_table;

    t.name = dsn_module_name(DSN_POSIX_MODULE);
    if (darshan_reader_mapped(run->log) > 0)
        begin_emit(run, emit, &run->p.out, &t);
    for (size_t i = 0; i < darshan_reader_mapped(run->log); i++) {
        const struct dsn_rec *r = darshan_reader_mapped_row(run->log, i);
        struct dsn_place place;

        dsn_locate(run->log, dsn_table(DSN_POSIX_MODULE), r, &place);
        dsn_emit_record(emit, r, NULL, &place.file);
        run->nrecords = emit->several;
    }
}

/* A row per file that cuFile has accessed, and rank; that of buffers has a name that is not in the log. */
static void print_cufile(struct run *run, struct dsn_emit *emit)
{
    static const struct dsn_emit_file buffers = { DSN_CUFILE_BUFFERS, "", "" };

    if (darshan_reader_cufile(run->log) > 0)
        begin_emit(run, emit, &run->p.out, &dsn_cufile_table);
    for (size_t i = 0; i < darshan_reader_cufile(run->log); i++) {
        const struct dsn_rec *r = darshan_reader_cufile_row(run->log, i);
        struct dsn_place place;

        dsn_locate(run->log, dsn_table(DSN_POSIX_MODULE), r, &place);
        dsn_emit_record(emit, r, NULL, r->id == dsn_cufile_buffers() ? &buffers : &place.file);
        run->nrecords = emit->several;
    }
}

/* A row per rank that used log-based I/O. */
static void print_lbio(struct run *run, struct dsn_emit *emit)
{
    static const struct dsn_emit_file none = { "", "", "" };

    if (darshan_reader_lbio(run->log) == 0)
        return;
    begin_emit(run, emit, &run->p.out, &dsn_lbio_table);
    for (size_t i = 0; i < darshan_reader_lbio(run->log); i++)
        dsn_emit_record(emit, darshan_reader_lbio_row(run->log, i), NULL, &none);
    run->nrecords = emit->several;
}

/* A row per phase, with its name; those of some ranks only have one per rank. */
static void print_phases(struct run *run, struct dsn_emit *emit)
{
    if (darshan_reader_phases(run->log) == 0)
        return;
    begin_emit(run, emit, &run->p.out, &dsn_phases_table);
    for (size_t i = 0; i < darshan_reader_phases(run->log); i++) {
        const struct dsn_rec *r = darshan_reader_phase(run->log, i);
        const struct dsn_emit_file called = { darshan_reader_phase_name(r), "", "" };

        dsn_emit_record(emit, r, NULL, &called);
    }
    run->nrecords = emit->several;
}

/* A row per call site, and rank, with the file that it uses and, for its mount point, its chain of calls in one line. */
static void print_sites(struct run *run, struct dsn_emit *emit)
{
    const size_t n = darshan_reader_sites(run->log);

    if (n > 0)
        begin_emit(run, emit, &run->p.out, &dsn_sites_table);
    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *r = darshan_reader_site(run->log, i);
        const char *text = darshan_reader_stack(run->log, (uint64_t)r->v[SITE_STACK].i);
        char *line = strdup(text ? text : "not looked at");
        const char *file = darshan_reader_name(run->log, (uint64_t)r->v[SITE_FILE].i);
        const struct dsn_emit_file at = { file ? file : "", line, "" };

        if (!line) {
            note(run, DSN_ERR_MEMORY);
            return;
        }
        for (char *c = line; *c; c++)
            *c = *c == '\n' ? ';' : *c == '\t' ? ' ' : *c;
        if (r->v[SITE_LAYER].i >= 0)
            dsn_emit_record(emit, r, NULL, &at);
        free(line);
    }
    run->nrecords = n > 0 ? emit->several : run->nrecords;
}

static void print_extra(struct run *run)
{
    struct dsn_emit *emit = malloc(sizeof *emit);

    if (!emit) {
        note(run, DSN_ERR_MEMORY);
        return;
    }
    run->nrecords = 0;
    if (run->form == DSN_EMIT_TEXT)
        dsn_text_string(&run->p.out, "\n# extension section: ranks, ranks that did I/O on shared files, what opens of "
                                     "files found, mapped files, GPUDirect Storage, phases, and "
                                     "call sites\n"
                                     "# -----------\n");
    if (run->form == DSN_EMIT_JSON)
        dsn_text_string(&run->p.out, ",\n\"extra\":[");
    print_ranks(run, emit);
    print_rows(run, emit, &dsn_sharing_table, darshan_reader_shared(run->log), darshan_reader_shared_row);
    print_rows(run, emit, &dsn_files_table, darshan_reader_files(run->log), darshan_reader_file_row);
    print_mapped(run, emit);
    print_cufile(run, emit);
    print_lbio(run, emit);
    print_phases(run, emit);
    print_sites(run, emit);
    if (run->form == DSN_EMIT_JSON)
        dsn_text_string(&run->p.out, "\n]");
    else if (run->form == DSN_EMIT_TEXT && darshan_reader_ranks(run->log) == 0 &&
             darshan_reader_shared(run->log) == 0 && darshan_reader_lbio(run->log) == 0)
        dsn_text_string(&run->p.out, "# this log has none\n");
    free(emit);
}

/* ------------------------------------------------------------------ main */

static void print_front(struct run *run)
{
    if (run->form == DSN_EMIT_JSON) {
        begin_json(run);
    } else if (run->form == DSN_EMIT_CSV) {
        dsn_csv_column(run->column, sizeof run->column, run->p.file);
    } else {
        dsn_print_header(&run->p.out, run->log);
        if (run->show & BASE)
            dsn_print_columns(&run->p.out);
    }
}

/* Prints the rate per compute node: computed in the same pass, or in a separate one if not all modules were read. */
static void print_cn(struct run *run, int all_read)
{
    struct dsn_figures f;
    struct dsn_emit emit;
    int rc = DSN_ERR_OK;

    if (run->figures)
        rc = dsn_figures_end(run->figures, run->nodes, &f);
    if (!run->figures || !all_read)
        rc = dsn_figures_make(run->log, run->nodes, &f);
    run->figures = NULL;
    if (rc != DSN_ERR_OK) {
        note(run, DSN_ERR_MEMORY);
        return;
    }
    if (f.damage.code != DSN_ERR_OK && run->p.nerrors == 0)
        dsn_note(&run->p, &f.damage);
    begin_emit(run, &emit, &run->p.out, NULL);
    dsn_print_cn(&emit, &f);
}

/* Which processes of a script ran one after another. */
static int read_turns(struct run *run)
{
    const int64_t nprocs = darshan_reader_job(run->log)->nprocs;
    struct dsn_processes all;
    int rc = dsn_processes_read(run->log, &all);

    free(run->turns);
    run->turns = NULL;
    run->nturns = 0;
    if (rc == DSN_ERR_OK && nprocs > 1)
        rc = dsn_turns_make(&all, (size_t)nprocs, &run->turns, &run->nturns);
    dsn_processes_free(&all);
    return rc == DSN_ERR_OK;
}

/* Returns the exit status, ignoring read errors. */
static int print_open_log(struct run *run)
{
    struct darshan_reader_error err;
    int rc = 0;

    if (run->show & CN && run->show & MODULES) {
        run->figures = dsn_figures_begin(run->log);
        if (!run->figures)
            note(run, DSN_ERR_MEMORY);
    }
    if (run->show & PERF && !read_turns(run))
        note(run, DSN_ERR_MEMORY);
    print_front(run);
    if (run->show & MODULES)
        rc = print_modules(run);
    if (run->form == DSN_EMIT_JSON && run->show & BASE)
        dsn_text_string(&run->p.out, "\n]");
    if (run->form == DSN_EMIT_JSON && run->show & SUMMARIES)
        print_kept(run);
    if (run->show & CN)
        print_cn(run, rc == 0);
    if (run->show & EXTRA)
        print_extra(run);
    if (run->form == DSN_EMIT_JSON)
        dsn_text_string(&run->p.out, "}\n");
    if (darshan_reader_damage(run->log, &err) != DSN_ERR_OK)
        dsn_note(&run->p, &err);
    return rc;
}

static int print_log(struct dsn_printing *p)
{
    struct run *run = (struct run *)p;
    const int needs_names = (run->show & (BASE | CN | EXTRA)) != 0;
    struct darshan_reader_error err;
    int rc;

    if ((needs_names ? darshan_reader_open : darshan_reader_open_nameless)(p->file, &run->log, &err) != DSN_ERR_OK) {
        dsn_note(p, &err);
        return 1;
    }
    run->nrecords = 0;
    run->nlogs++;
    rc = print_open_log(run);
    darshan_reader_close(run->log);
    return rc;
}

static int take_option(void *context, int value, const char *argument)
{
    struct run *run = context;

    switch (value) {
    case OPT_JSON:
        run->form = DSN_EMIT_JSON;
        return 1;
    case OPT_CSV:
        run->form = DSN_EMIT_CSV;
        return 1;
    case OPT_RAW:
        run->p.out.safe = 0;
        return 1;
    case OPT_NODES:
        run->show |= CN;
        return dsn_number(argument, 1, &run->nodes);
    default:
        run->show |= (unsigned)value;
        return 1;
    }
}

static int print_logs(struct run *run, char **files, int n)
{
    int rc;

    if (run->form == DSN_EMIT_CSV)
        dsn_text_string(&run->p.out, "log,module,rank,record_id,counter,value,file_name,mount_pt,fs_type\r\n");
    rc = dsn_print_forms(&run->p, run->form, files, n);
    return rc | dsn_end_output(&run->p.out, COMMAND);
}

int main(int argc, char **argv)
{
    static struct run run = { .p = { .command = COMMAND, .print = print_log } };
    int rc;

    dsn_begin();
    if (!dsn_text_init(&run.p.out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": %s\n", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    rc = dsn_options(&command, argc, argv, take_option, &run);
    if (rc < 0 && optind >= argc)
        rc = dsn_usage(&command, "no log given");
    if ((run.show & ~(unsigned)INCOMPLETE) == 0)
        run.show |= BASE;
    if (rc < 0)
        rc = print_logs(&run, argv + optind, argc - optind);
    dsn_text_free(&run.p.out);
    return rc;
}

/* parser.c - darshan-parser: a log as text
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is printed is an interface that scripts parse: spec parser-output.md, byte for byte but for the wording of
 * comments. */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "util/lib/accum.h"
#include "util/lib/emit.h"
#include "util/lib/figures.h"

#define COMMAND     "darshan-parser"
#define UUID_LENGTH 36 /* as text */

enum show {
    BASE = 1,
    TOTAL = 2,
    FILES = 4,
    PERF = 8,
    INCOMPLETE = 16,
    ALL = BASE | TOTAL | FILES | PERF | INCOMPLETE,
    CN = 32
};

enum { OPT_HELP = 256, OPT_VERSION, OPT_JSON, OPT_CSV, OPT_RAW, OPT_NODES };

static const struct {
    const char *name, *help;
    int value; /* enum show, or one of the above */
} options[] = {
    { "base", "every counter of every record (default)", BASE },
    { "total", "counters summed over all records of a module", TOTAL },
    { "file", "numbers of files by how they were used", FILES },
    { "perf", "estimate of the I/O performance that the job had", PERF },
    { "all", "all of the above, and --show-incomplete", ALL },
    { "show-incomplete", "print modules whose data is incomplete, too", INCOMPLETE },
    { "cn", "MiB/s of a compute node (MiB/s/CN)", CN },
    { "nodes", "number of compute nodes, for logs that do not tell; implies --cn", OPT_NODES },
    { "json", "every counter of every record as JSON", OPT_JSON },
    { "csv", "every counter of every record as CSV", OPT_CSV },
    { "raw", "names as they are also on a terminal, control characters included", OPT_RAW },
    { "help", "print this text and exit", OPT_HELP },
    { "version", "print the release that the output is compatible with and exit", OPT_VERSION },
};
#define NOPTIONS (sizeof options / sizeof options[0])

/* One run of the command. */
struct run {
    const char *file;
    unsigned show; /* enum show, or'ed together */
    enum dsn_emit_form form;
    int64_t nodes;             /* 0: not given */
    int several;               /* logs */
    int nlogs;                 /* that could be opened so far */
    int nrecords;              /* JSON: some were printed of this log */
    char column[DSN_EMIT_LOG]; /* CSV: the log's name */
    struct darshan_reader *log;
    struct dsn_text out;
    struct darshan_reader_error first; /* of what could not be read; told at the end */
    int nerrors;
};

static int usage(void)
{
    fprintf(stderr, "Usage: " COMMAND " [options] LOG...\n\nPrints Darshan logs as text.\n\n");
    for (size_t i = 0; i < NOPTIONS; i++)
        fprintf(stderr, "  --%-16s %s\n", options[i].name, options[i].help);
    return 1;
}

static void complain(struct run *run, const struct darshan_reader_error *err)
{
    if (run->nerrors++ == 0)
        run->first = *err;
}

/* ------------------------------------------------------------------ descriptions */

static void print_columns(struct dsn_text *out)
{
    dsn_text_string(out, "\n# description of columns:\n"
                         "#   <module>: module that made the record.\n"
                         "#   <rank>: MPI rank that accessed the file; -1 if all ranks did and\n"
                         "#      their records were combined into one.\n"
                         "#   <record id>: hash of the record's name.\n"
                         "#   <counter> and <value>: a counter and what it says.\n"
                         "#      A value of -1 means that the counter was not available when\n"
                         "#      the log was written.\n"
                         "#   <file name>: full name of the file or object.\n"
                         "#   <mount pt>: mount point of the file system that the file lies on.\n"
                         "#   <fs type>: type of that file system.\n");
}

/* What the counters of a module are called in the line above their description: its prefix, but for some. */
static const char *family(const struct dsn_table *t)
{
    switch (t->id) {
    case DSN_H5F_MODULE:
    case DSN_H5D_MODULE:
        return "HDF5";
    case DSN_PNETCDF_FILE_MODULE:
    case DSN_PNETCDF_VAR_MODULE:
        return "PnetCDF";
    case DSN_HEATMAP_MODULE:
        return "heatmap";
    default:
        return t->key;
    }
}

static int is_described(const struct dsn_row *row)
{
    return row->fate == DSN_ARRAY || (row->at >= 0 && row->role != DSN_PLACE);
}

/* Whether a row before this one has the same meaning, but for what it counts. */
static int is_known(const struct dsn_table *t, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (t->rows[k].doc == t->rows[i].doc || strcmp(t->rows[k].doc, t->rows[i].doc) == 0)
            return 1;
    return 0;
}

/* Meaning of a module's counters; those of one meaning stand on one line. */
static void print_description(struct dsn_text *out, const struct dsn_table *t, unsigned version)
{
    dsn_text_printf(out, "\n# description of %s counters:\n", family(t));
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *first = &t->rows[i], *last = first;

        if (!is_described(first) || is_known(t, i))
            continue;
        for (unsigned k = i + 1; k < t->nrows && strcmp(t->rows[k].doc, first->doc) == 0; k++)
            last = &t->rows[k];
        dsn_text_printf(out, "#   %s%s%s: %s.\n", first->name, last == first ? "" : " ... ",
                        last == first ? "" : last->name, first->doc);
    }
    for (unsigned i = 0; i < t->nnotes; i++)
        if (version >= t->notes[i].since && (version <= t->notes[i].until || t->notes[i].until == 0))
            dsn_text_printf(out, "\n# Note: %s.\n", t->notes[i].text);
}

/* ------------------------------------------------------------------ summaries */

static void print_files(struct dsn_text *out, const struct dsn_accum *a)
{
    struct dsn_file_count c[DSN_NCATEGORIES];
    static const struct {
        const char *name;
        enum dsn_category category;
    } line[] = { { "total", DSN_ALL_FILES },       { "read_only", DSN_READ_ONLY }, { "write_only", DSN_WRITE_ONLY },
                 { "read_write", DSN_READ_WRITE }, { "unique", DSN_UNIQUE },       { "shared", DSN_SHARED } };

    dsn_accum_files(a, c);
    /* "shared" has always been the sum of both kinds, extents included */
    c[DSN_SHARED].files += c[DSN_PARTLY_SHARED].files;
    c[DSN_SHARED].bytes += c[DSN_PARTLY_SHARED].bytes;
    c[DSN_SHARED].extent += c[DSN_PARTLY_SHARED].extent;
    dsn_text_string(out, "\n# Total file counts\n# -----\n"
                         "# <file_type>: the kind of file:\n"
                         "#    *total: all files\n"
                         "#    *read_only: files that were only read\n"
                         "#    *write_only: files that were only written\n"
                         "#    *read_write: files that were read and written\n"
                         "#    *unique: files that one rank accessed\n"
                         "#    *shared: files that several ranks accessed\n"
                         "# <file_count>, <total_bytes>: number of such files, bytes read and written\n"
                         "# <max_byte_offset>: highest offset accessed in such a file\n"
                         "\n# <file_type> <file_count> <total_bytes> <max_byte_offset>\n");
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++)
        dsn_text_printf(out, "# %s: %" PRId64 " %" PRId64 " %" PRId64 "\n", line[i].name, c[line[i].category].files,
                        c[line[i].category].bytes, c[line[i].category].extent);
}

static void print_perf(struct dsn_text *out, const struct dsn_accum *a)
{
    static const char dots[] = "# ...........................\n";
    struct dsn_perf p;

    dsn_accum_perf(a, &p);
    dsn_text_printf(out, "\n# performance\n# -----------\n# total_bytes: %" PRId64 "\n#\n", p.bytes);
    dsn_text_printf(out, "# I/O timing for unique files (seconds):\n%s", dots);
    dsn_text_printf(out, "# unique files: slowest_rank_io_time: %f\n", p.unique_io);
    dsn_text_printf(out, "# unique files: slowest_rank_meta_only_time: %f\n", p.unique_meta);
    dsn_text_printf(out, "# unique files: slowest_rank_rw_only_time: %f\n", p.unique_rw);
    dsn_text_printf(out, "# unique files: slowest_rank: %" PRId64 "\n#\n", p.unique_rank);
    dsn_text_printf(out, "# I/O timing for shared files (seconds):\n%s", dots);
    dsn_text_printf(out, "# shared files: time_by_slowest: %f\n#\n", p.shared_io);
    dsn_text_printf(out, "# Aggregate performance, including both shared and unique files:\n%s", dots);
    dsn_text_printf(out, "# agg_time_by_slowest: %f # seconds\n", p.io);
    dsn_text_printf(out, "# agg_perf_by_slowest: %f # MiB/s\n", p.mib_per_second);
}

static void print_summaries(struct run *run, struct dsn_emit *emit, const struct dsn_accum *a, unsigned version)
{
    if (run->show & TOTAL) {
        print_description(&run->out, a->table, version);
        dsn_text_string(&run->out, "\n");
        dsn_emit_totals(emit, dsn_accum_total(a));
    }
    if (run->show & FILES)
        print_files(&run->out, a);
    if (run->show & PERF)
        print_perf(&run->out, a);
}

/* ------------------------------------------------------------------ modules */

/* Whether --total, --file and --perf have something to say about a module. */
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

/* Where a record's object lies, and room for texts that are made of its values. */
struct place {
    struct dsn_emit_file file;
    char name[2 * DSN_INT_MAX + 2], mount[2 * UUID_LENGTH + 2];
};

static void format_uuid(char *to, const union dsn_val v[2])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];

    memcpy(bytes, v, sizeof bytes);
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        *to++ = hex[bytes[i] >> 4];
        *to++ = hex[bytes[i] & 15];
    }
}

/* "<pool>:<container>" */
static void use_pool(struct place *p, const union dsn_val pool[2], const union dsn_val container[2])
{
    format_uuid(p->mount, pool);
    p->mount[UUID_LENGTH] = ':';
    format_uuid(p->mount + UUID_LENGTH + 1, container);
    p->mount[2 * UUID_LENGTH + 1] = '\0';
    p->file.mount = p->mount;
    p->file.type = "N/A";
}

static int is_zero(const union dsn_val v[2])
{
    return v[0].i == 0 && v[1].i == 0;
}

static void locate(const struct darshan_reader *log, const struct dsn_table *t, const struct dsn_rec *r,
                   struct place *p)
{
    const struct darshan_reader_mount *mount;

    if (t->id == DSN_APMPI_MODULE) {
        p->file = (struct dsn_emit_file){ "", "", "" };
        return;
    }
    p->file.name = darshan_reader_name(log, r->id);
    if (!p->file.name && t->id == DSN_BGQ_MODULE)
        p->file.name = "darshan-bgq-record";
    if (t->id == DSN_DFS_MODULE) {
        use_pool(p, &r->v[DFS_POOL_UUID], &r->v[DFS_CONT_UUID]);
        if (is_zero(&r->v[DFS_POOL_UUID]) || is_zero(&r->v[DFS_CONT_UUID]))
            p->file.mount = "UNKNOWN";
        return;
    }
    if (t->id == DSN_DAOS_MODULE) {
        snprintf(p->name, sizeof p->name, "%" PRIu64 ".%" PRIu64, (uint64_t)r->v[DAOS_OID_HI].i,
                 (uint64_t)r->v[DAOS_OID_LO].i);
        p->file.name = p->name;
        use_pool(p, &r->v[DAOS_POOL_UUID], &r->v[DAOS_CONT_UUID]);
        return;
    }
    mount = darshan_reader_mount_of(log, p->file.name);
    p->file.mount = mount->path;
    p->file.type = mount->type;
}

/* APMPI's records have a header in front. */
static void print_apmpi_header(struct dsn_emit *emit, struct darshan_reader_records *it)
{
    const struct dsn_emit_file nothing = { "", "", "" };
    const struct dsn_apmpi_header *h = darshan_reader_apmpi(it, NULL);

    if (!h)
        return; /* why, the first record tells */
    emit->sync = h->sync != 0;
    dsn_emit_apmpi(emit, h, &nothing);
}

/* Prints and adds up all records. 0: reading ended with an error, which was reported. */
static int read_records(struct run *run, struct dsn_emit *emit, struct dsn_accum *a)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;

    if (darshan_reader_begin(run->log, a->table->id, &it, &err) != DSN_ERR_OK) {
        complain(run, &err);
        return 0;
    }
    if (a->table->id == DSN_APMPI_MODULE)
        print_apmpi_header(emit, it);
    while ((r = darshan_reader_next(it, &err)) != NULL) {
        if (run->show & BASE) {
            struct place place;

            locate(run->log, a->table, r, &place);
            dsn_emit_record(emit, r, darshan_reader_tail(it), &place.file);
        }
        if (dsn_accum_add(a, r) != DSN_ERR_OK) {
            err.code = DSN_ERR_MEMORY;
            snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
            break;
        }
    }
    darshan_reader_end(it);
    if (err.code != DSN_ERR_OK)
        complain(run, &err);
    return err.code == DSN_ERR_OK;
}

static void print_module(struct run *run, const struct dsn_table *t)
{
    const unsigned version = darshan_reader_header(run->log)->mod_version[t->id];
    struct dsn_accum a;
    struct dsn_emit emit;

    dsn_emit_init(&emit, &run->out, t);
    emit.form = run->form;
    emit.log = run->column;
    emit.several = run->nrecords;
    dsn_accum_init(&a, t, has_summary(t->id) ? accum_what(run) : 0);
    if (run->show & BASE && run->form == DSN_EMIT_TEXT) {
        print_description(&run->out, t, version);
        dsn_text_string(&run->out, "\n#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t"
                                   "<fs type>\n");
    }
    if (read_records(run, &emit, &a) && has_summary(t->id))
        print_summaries(run, &emit, &a, version);
    run->nrecords = emit.several;
    dsn_accum_free(&a);
}

/* Whether a module with data is to be printed; says so if it cannot be. */
static int is_wanted(struct run *run, unsigned module)
{
    const char *name = dsn_module_name(module);

    if (module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE)
        return 0; /* darshan-dxt-parser's */
    if (name && !has_summary(module) && !(run->show & BASE))
        return 0;
    if (dsn_table(module))
        return 1;
    dsn_text_flush(&run->out);
    if (name)
        dsn_warn(COMMAND, run->file, "data of the %s module is skipped: this release cannot read it", name);
    else
        dsn_warn(COMMAND, run->file, "data of the unknown module %u is skipped: likely from a newer release", module);
    return 0;
}

/* 0: the run ends here. */
static int print_slot(struct run *run, unsigned module)
{
    const struct dsn_header *h = darshan_reader_header(run->log);
    const int partial = h->partial >> module & 1, empty = h->mod[module].len == 0;

    if (empty ? !partial || !dsn_module_name(module) : !is_wanted(run, module))
        return 1;
    if (run->form != DSN_EMIT_TEXT) {
        if (partial && !(run->show & INCOMPLETE))
            return dsn_print_incomplete(&run->out, COMMAND, run->file, module, 0);
        if (!empty)
            print_module(run, dsn_table(module));
        return 1;
    }
    dsn_print_banner(&run->out, module, DSN_PARSER_BANNER);
    if (partial && !dsn_print_incomplete(&run->out, COMMAND, run->file, module, run->show & INCOMPLETE))
        return 0;
    if (!empty)
        print_module(run, dsn_table(module));
    return 1;
}

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
        dsn_text_string(&run->out, "\n# no module data available.\n");
    return 0;
}

/* ------------------------------------------------------------------ figures of a compute node */

static void print_rate(struct dsn_text *out, const char *key, double rate)
{
    if (rate < 0)
        dsn_text_printf(out, "# %s: unknown\n", key);
    else
        dsn_text_printf(out, "# %s: %f\n", key, rate);
}

static void print_cn(struct run *run)
{
    static const char *const source[] = {
        [DSN_NODES_GIVEN] = "given", [DSN_NODES_METADATA] = "job's metadata", [DSN_NODES_EXTENSION] = "log"
    };
    struct darshan_reader_error err = { .code = DSN_ERR_MEMORY, .text = "out of memory" };
    struct dsn_figures f;

    if (dsn_figures_make(run->log, run->nodes, &f) != DSN_ERR_OK) {
        complain(run, &err);
        return;
    }
    if (f.damage.code != DSN_ERR_OK && !(run->show & ALL))
        complain(run, &f.damage);
    dsn_text_printf(&run->out,
                    "\n# performance of a compute node (POSIX and STDIO)\n# -----------\n"
                    "# slowest_rank_io_time: %f # seconds\n",
                    f.slowest_time);
    if (f.nodes > 0)
        dsn_text_printf(&run->out, "# compute_nodes: %" PRId64 " # %s\n", f.nodes, source[f.nodes_source]);
    else
        dsn_text_string(&run->out, "# compute_nodes: unknown # give --nodes\n");
    print_rate(&run->out, "MiB/s", dsn_figures_rate(&f));
    print_rate(&run->out, "MiB/s/CN", dsn_figures_rate_per_node(&f));
}

/* ------------------------------------------------------------------ JSON and CSV */

static void print_json_text(struct dsn_text *out, const char *before, const char *s)
{
    dsn_text_string(out, before);
    dsn_emit_quoted(out, DSN_EMIT_JSON, s, strlen(s));
}

/* The log's object up to its list of records. */
static void begin_json(struct run *run)
{
    struct dsn_text *out = &run->out;
    const struct dsn_job *job = darshan_reader_job(run->log);
    const struct darshan_reader_mount *mount;
    const size_t n = darshan_reader_mounts(run->log, &mount);
    const struct dsn_header *h = darshan_reader_header(run->log);
    struct darshan_reader_metadata m;
    const char *comma = "";
    size_t pos = 0;

    print_json_text(out, run->nlogs > 1 ? ",{\"log\":" : "{\"log\":", run->file);
    dsn_text_string(out, ",\"version\":");
    dsn_emit_quoted(out, DSN_EMIT_JSON, h->version, strnlen(h->version, sizeof h->version));
    print_json_text(out, ",\"exe\":", darshan_reader_exe(run->log));
    dsn_text_printf(out, ",\n\"uid\":%" PRId64 ",\"jobid\":%" PRId64 ",\"start_time\":%" PRId64, job->uid, job->jobid,
                    job->start_sec);
    dsn_text_printf(out, ",\"end_time\":%" PRId64 ",\"nprocs\":%" PRId64 ",\"run_time\":%.4f,\n\"metadata\":{",
                    job->end_sec, job->nprocs, darshan_reader_runtime(run->log));
    for (; darshan_reader_metadata(run->log, &pos, &m); comma = ",") {
        dsn_text_string(out, comma);
        dsn_emit_quoted(out, DSN_EMIT_JSON, m.key, m.key_length);
        dsn_text_string(out, ":");
        dsn_emit_quoted(out, DSN_EMIT_JSON, m.value, m.value_length);
    }
    dsn_text_string(out, "},\n\"mounts\":[");
    for (size_t i = 0; i < n; i++) {
        print_json_text(out, i > 0 ? ",{\"mount\":" : "{\"mount\":", mount[i].path);
        print_json_text(out, ",\"fs\":", mount[i].type);
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "],\n\"records\":[");
}

/* The first column of every line of CSV. */
static void make_column(struct run *run)
{
    char *p = run->column, *end = p + sizeof run->column - 4;

    *p++ = '"';
    for (const char *s = run->file; *s && p < end; s++) {
        if (*s == '"')
            *p++ = '"';
        *p++ = *s;
    }
    *p++ = '"';
    *p = '\0';
}

/* ------------------------------------------------------------------ main */

static void print_front(struct run *run)
{
    if (run->form == DSN_EMIT_JSON) {
        begin_json(run);
    } else if (run->form == DSN_EMIT_CSV) {
        make_column(run);
    } else {
        dsn_print_header(&run->out, run->log);
        if (run->show & BASE)
            print_columns(&run->out);
    }
}

/* Returns the exit status. */
static int print_open_log(struct run *run)
{
    struct darshan_reader_error err;
    int rc = 0;

    run->nlogs++;
    print_front(run);
    if (run->show & ALL)
        rc = print_modules(run);
    if (run->show & CN)
        print_cn(run);
    if (run->form == DSN_EMIT_JSON)
        dsn_text_string(&run->out, "\n]}\n");
    if (darshan_reader_damage(run->log, &err) != DSN_ERR_OK)
        complain(run, &err);
    return rc;
}

static int print_log(struct run *run)
{
    const int needs_names = (run->show & (BASE | CN)) != 0;
    struct darshan_reader_error err;
    int rc = 1;

    run->nerrors = 0;
    run->nrecords = 0;
    if (run->several && run->form == DSN_EMIT_TEXT) {
        dsn_text_string(&run->out, "# log: ");
        dsn_text_untrusted(&run->out, run->file, strlen(run->file));
        dsn_text_string(&run->out, "\n");
    }
    if ((needs_names ? darshan_reader_open : darshan_reader_open_nameless)(run->file, &run->log, &err) != DSN_ERR_OK) {
        complain(run, &err);
    } else {
        rc = print_open_log(run);
        darshan_reader_close(run->log);
    }
    if (run->nerrors == 0)
        return rc;
    dsn_text_flush(&run->out);
    dsn_complain(COMMAND, run->file, &run->first, run->nerrors - 1);
    return 1;
}

/* 0: it is no number of nodes. */
static int read_nodes(struct run *run, const char *text)
{
    char *end;

    errno = 0;
    run->nodes = strtoll(text, &end, 10);
    run->show |= CN;
    return errno == 0 && end != text && *end == '\0' && run->nodes > 0;
}

/* One option. Returns 0 if the command is to be told how to use it. */
static int read_option(struct run *run, int c)
{
    switch (c) {
    case '?':
    case OPT_HELP:
        return 0;
    case OPT_JSON:
        run->form = DSN_EMIT_JSON;
        return 1;
    case OPT_CSV:
        run->form = DSN_EMIT_CSV;
        return 1;
    case OPT_RAW:
        run->out.safe = 0;
        return 1;
    case OPT_NODES:
        return read_nodes(run, optarg);
    default:
        run->show |= (unsigned)c;
        return 1;
    }
}

/* Reads options into `run`. Returns -1 to go on, else the exit status. */
static int read_options(struct run *run, int argc, char **argv)
{
    struct option long_options[NOPTIONS + 1];
    int c;

    memset(long_options, 0, sizeof long_options);
    for (size_t i = 0; i < NOPTIONS; i++) {
        long_options[i].name = options[i].name;
        long_options[i].val = options[i].value;
        long_options[i].has_arg = options[i].value == OPT_NODES ? required_argument : no_argument;
    }
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (c == OPT_VERSION) {
            puts(DSN_COMPAT_VERSION);
            return 0;
        }
        if (!read_option(run, c))
            return usage();
    }
    if (optind >= argc)
        return usage();
    if ((run->show & ~(unsigned)INCOMPLETE) == 0)
        run->show |= BASE;
    if (run->form != DSN_EMIT_TEXT && (run->show & ~(unsigned)INCOMPLETE) != BASE) {
        fprintf(stderr, COMMAND ": --json and --csv print records: they go with --base and --show-incomplete only\n");
        return 1;
    }
    return -1;
}

/* Returns the exit status: 1 if any of the logs had an error. */
static int print_logs(struct run *run, char **files, int n)
{
    const int is_list = n > 1 && run->form == DSN_EMIT_JSON;
    int rc = 0;

    run->several = n > 1;
    if (run->form == DSN_EMIT_CSV)
        dsn_text_string(&run->out, "log,module,rank,record_id,counter,value,file_name,mount_pt,fs_type\r\n");
    if (is_list)
        dsn_text_string(&run->out, "[");
    for (int i = 0; i < n && run->out.error == 0; i++) {
        run->file = files[i];
        rc |= print_log(run);
    }
    if (is_list)
        dsn_text_string(&run->out, "]\n");
    return rc;
}

int main(int argc, char **argv)
{
    static struct run run;
    int rc;

    if (!dsn_text_init(&run.out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": %s\n", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    rc = read_options(&run, argc, argv);
    if (rc < 0) {
        rc = print_logs(&run, argv + optind, argc - optind);
        dsn_text_flush(&run.out);
        if (run.out.error) {
            fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(run.out.error));
            rc = 1;
        }
    }
    dsn_text_free(&run.out);
    return rc;
}

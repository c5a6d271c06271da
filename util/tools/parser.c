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
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "util/lib/accum.h"
#include "util/lib/emit.h"

#define COMMAND     "darshan-parser"
#define UUID_LENGTH 36 /* as text */

enum show { BASE = 1, TOTAL = 2, FILES = 4, PERF = 8, INCOMPLETE = 16, ALL = BASE | TOTAL | FILES | PERF | INCOMPLETE };

enum { OPT_HELP = 256, OPT_VERSION };

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
    { "help", "print this text and exit", OPT_HELP },
    { "version", "print the release that the output is compatible with and exit", OPT_VERSION },
};
#define NOPTIONS (sizeof options / sizeof options[0])

/* One run of the command. */
struct run {
    const char *file;
    unsigned show; /* enum show, or'ed together */
    struct darshan_reader *log;
    struct dsn_text out;
    struct darshan_reader_error first; /* of what could not be read; told at the end */
    int nerrors;
};

static int usage(void)
{
    fprintf(stderr, "Usage: " COMMAND " [options] LOG\n\nPrints a Darshan log as text.\n\n");
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
    dsn_accum_init(&a, t, has_summary(t->id) ? accum_what(run) : 0);
    if (run->show & BASE) {
        print_description(&run->out, t, version);
        dsn_text_string(&run->out, "\n#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t"
                                   "<fs type>\n");
    }
    if (read_records(run, &emit, &a) && has_summary(t->id))
        print_summaries(run, &emit, &a, version);
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
    if (nempty == DSN_MODULE_SLOTS)
        dsn_text_string(&run->out, "\n# no module data available.\n");
    return 0;
}

/* ------------------------------------------------------------------ main */

static int print_log(struct run *run)
{
    struct darshan_reader_error err;
    int rc;

    if (darshan_reader_open(run->file, &run->log, &err) != DSN_ERR_OK) {
        complain(run, &err);
        return 1;
    }
    dsn_print_header(&run->out, run->log);
    if (run->show & BASE)
        print_columns(&run->out);
    rc = print_modules(run);
    if (darshan_reader_damage(run->log, &err) != DSN_ERR_OK)
        complain(run, &err);
    darshan_reader_close(run->log);
    return rc || run->nerrors > 0;
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
    }
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (c == '?' || c == OPT_HELP)
            return usage();
        if (c == OPT_VERSION) {
            puts(DSN_COMPAT_VERSION);
            return 0;
        }
        run->show |= (unsigned)c;
    }
    if (optind >= argc)
        return usage();
    run->file = argv[optind];
    if ((run->show & ~(unsigned)INCOMPLETE) == 0)
        run->show |= BASE;
    return -1;
}

int main(int argc, char **argv)
{
    struct run run = { 0 };
    int rc = read_options(&run, argc, argv);

    if (rc >= 0)
        return rc;
    if (!dsn_text_init(&run.out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": %s\n", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    rc = print_log(&run);
    dsn_text_flush(&run.out);
    if (run.nerrors > 0)
        dsn_complain(COMMAND, run.file, &run.first, run.nerrors - 1);
    if (run.out.error) {
        fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(run.out.error));
        rc = 1;
    }
    dsn_text_free(&run.out);
    return rc;
}

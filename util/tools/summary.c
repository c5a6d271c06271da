/* summary.c - prints totals, kinds of files and performance, in every format
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "description.h"

void dsn_print_total(struct dsn_emit *e, const struct dsn_accum *a, unsigned version)
{
    if (e->form == DSN_EMIT_TEXT) {
        dsn_print_description(e->text, a->table, version);
        dsn_text_string(e->text, "\n");
    }
    dsn_emit_totals(e, dsn_accum_total(a));
}

/* ------------------------------------------------------------------ files */

static const struct {
    const char *name;
    enum dsn_category category;
} kinds[] = { { "total", DSN_ALL_FILES },       { "read_only", DSN_READ_ONLY }, { "write_only", DSN_WRITE_ONLY },
              { "read_write", DSN_READ_WRITE }, { "unique", DSN_UNIQUE },       { "shared", DSN_SHARED } };
#define NKINDS (sizeof kinds / sizeof kinds[0])

static void print_files_text(struct dsn_text *out, const struct dsn_file_count *c)
{
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
    for (size_t i = 0; i < NKINDS; i++, c++)
        dsn_text_printf(out, "# %s: %" PRId64 " %" PRId64 " %" PRId64 "\n", kinds[i].name, c->files, c->bytes,
                        c->extent);
}

void dsn_print_files(struct dsn_emit *e, const struct dsn_accum *a)
{
    struct dsn_file_count all[DSN_NCATEGORIES], c[NKINDS];

    dsn_accum_files(a, all);
    /* as in the original, "shared" is the sum of both kinds, extents included */
    all[DSN_SHARED].files += all[DSN_PARTLY_SHARED].files;
    all[DSN_SHARED].bytes = dsn_plus(all[DSN_SHARED].bytes, all[DSN_PARTLY_SHARED].bytes);
    all[DSN_SHARED].extent = dsn_plus(all[DSN_SHARED].extent, all[DSN_PARTLY_SHARED].extent);
    for (size_t i = 0; i < NKINDS; i++)
        c[i] = all[kinds[i].category];
    if (e->form == DSN_EMIT_TEXT) {
        print_files_text(e->text, c);
        return;
    }
    dsn_emit_begin_group(e, "file");
    for (size_t i = 0; i < NKINDS; i++) {
        const int64_t value[] = { c[i].files, c[i].bytes, c[i].extent };
        static const char *const what[] = { "count", "bytes", "max_byte_offset" };

        for (int k = 0; k < 3; k++) {
            char name[64];

            snprintf(name, sizeof name, "%s_%s", kinds[i].name, what[k]);
            dsn_emit_figure_i64(e, name, value[k]);
        }
    }
    dsn_emit_end_group(e);
}

/* ------------------------------------------------------------------ performance */

static void print_perf_text(struct dsn_text *out, const struct dsn_perf *p)
{
    static const char dots[] = "# ...........................\n";

    dsn_text_printf(out, "\n# performance\n# -----------\n# total_bytes: %" PRId64 "\n#\n", p->bytes);
    dsn_text_printf(out, "# I/O timing for unique files (seconds):\n%s", dots);
    dsn_text_printf(out, "# unique files: slowest_rank_io_time: %f\n", p->unique_io);
    dsn_text_printf(out, "# unique files: slowest_rank_meta_only_time: %f\n", p->unique_meta);
    dsn_text_printf(out, "# unique files: slowest_rank_rw_only_time: %f\n", p->unique_rw);
    dsn_text_printf(out, "# unique files: slowest_rank: %" PRId64 "\n#\n", p->unique_rank);
    dsn_text_printf(out, "# I/O timing for shared files (seconds):\n%s", dots);
    dsn_text_printf(out, "# shared files: time_by_slowest: %f\n#\n", p->shared_io);
    dsn_text_printf(out, "# Aggregate performance, including both shared and unique files:\n%s", dots);
    if (p->in_turn > 0)
        dsn_text_printf(out, "# processes one after another: time_in_turn: %f # seconds\n", p->in_turn);
    dsn_text_printf(out, "# agg_time_by_slowest: %f # seconds\n", p->io);
    dsn_text_printf(out, "# agg_perf_by_slowest: %f # MiB/s\n", p->mib_per_second);
}

void dsn_print_perf(struct dsn_emit *e, const struct dsn_accum *a, struct dsn_turn *turns, size_t n)
{
    struct dsn_perf p;

    dsn_accum_perf(a, turns, n, &p);
    if (e->form == DSN_EMIT_TEXT) {
        print_perf_text(e->text, &p);
        return;
    }
    dsn_emit_begin_group(e, "perf");
    dsn_emit_figure_i64(e, "total_bytes", p.bytes);
    dsn_emit_figure_f64(e, "slowest_rank_io_time", p.unique_io);
    dsn_emit_figure_f64(e, "slowest_rank_meta_only_time", p.unique_meta);
    dsn_emit_figure_f64(e, "slowest_rank_rw_only_time", p.unique_rw);
    dsn_emit_figure_i64(e, "slowest_rank", p.unique_rank);
    dsn_emit_figure_f64(e, "time_by_slowest", p.shared_io);
    if (p.in_turn > 0)
        dsn_emit_figure_f64(e, "time_in_turn", p.in_turn);
    dsn_emit_figure_f64(e, "agg_time_by_slowest", p.io);
    dsn_emit_figure_f64(e, "agg_perf_by_slowest", p.mib_per_second);
    dsn_emit_end_group(e);
}

/* ------------------------------------------------------------------ figures of a compute node */

static const char *const nodes_from[] = {
    [DSN_NODES_GIVEN] = "given", [DSN_NODES_METADATA] = "job's metadata", [DSN_NODES_EXTENSION] = "log"
};

/* A negative rate is unknown. */
static void print_rate(struct dsn_emit *e, const char *key, double rate)
{
    if (e->form == DSN_EMIT_TEXT && rate < 0)
        dsn_text_printf(e->text, "# %s: unknown\n", key);
    else if (e->form == DSN_EMIT_TEXT)
        dsn_text_printf(e->text, "# %s: %f\n", key, rate);
    else if (rate < 0)
        dsn_emit_figure_text(e, key, NULL);
    else
        dsn_emit_figure_f64(e, key, rate);
}

static void print_rates(struct dsn_emit *e, const struct dsn_figures *f)
{
    print_rate(e, "MiB/s", dsn_figures_rate(f));
    print_rate(e, "MiB/s/CN", dsn_figures_rate_per_node(f));
}

void dsn_print_cn(struct dsn_emit *e, const struct dsn_figures *f)
{
    const char *from = nodes_from[f->nodes_source];

    if (e->form == DSN_EMIT_TEXT) {
        dsn_text_printf(e->text,
                        "\n# performance of a compute node (POSIX and STDIO)\n# -----------\n"
                        "# slowest_rank_io_time: %f # seconds\n",
                        f->slowest_time);
        if (f->passed > f->slowest_time)
            dsn_text_printf(e->text, "# time_in_turn: %f # seconds of processes one after another\n", f->passed);
        if (f->nodes > 0)
            dsn_text_printf(e->text, "# compute_nodes: %" PRId64 " # %s\n", f->nodes, from);
        else
            dsn_text_string(e->text, "# compute_nodes: unknown # give --nodes\n");
        print_rates(e, f);
        return;
    }
    dsn_emit_begin_group(e, "cn");
    dsn_emit_figure_f64(e, "slowest_rank_io_time", f->slowest_time);
    if (f->passed > f->slowest_time)
        dsn_emit_figure_f64(e, "time_in_turn", f->passed);
    if (f->nodes > 0)
        dsn_emit_figure_i64(e, "compute_nodes", f->nodes);
    else
        dsn_emit_figure_text(e, "compute_nodes", NULL);
    dsn_emit_figure_text(e, "compute_nodes_from", from);
    print_rates(e, f);
    dsn_emit_end_group(e);
}

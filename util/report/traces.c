/* traces.c - charts of the operations of a trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two passes: the first determines the number of operations, their files, and the ranges of times and offsets; the
 * second adds them to the charts, and encodes the longest. */
#include "util/report/traces.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/lib/emit.h"
#include "util/lib/idmap.h"

#define SEGMENTS     256 /* read per call */
#define RANK_ROWS    256
#define RANK_CELLS   ((size_t)1 << 17)
#define OFFSET_ROWS  96
#define OFFSET_BINS  1024
#define RANK_FILLED  20000 /* nonzero cells of a chart in a page: 54 KB each for reads and writes */
#define FILE_FILLED  8000
#define NMODULES     2
#define FARTHEST     ((int64_t)1 << 62)  /* larger offsets are damage */
#define LONGEST_TIME 1e9                 /* seconds; likewise */
#define DURATIONS    1024                /* classes of durations: 16 for each power of two */
#define LEAST_TICK   1e-6                /* seconds */
#define MOST_TICKS   ((double)(1 << 25)) /* if the trace is long: ticks in its range */
#define TARGETS      20000               /* in layouts of a page */
#define NAMES        400000              /* bytes of file names in a page */
#define PACKED_BYTES 3000000             /* of operations in compact encoding in a page, before base64 */

static const unsigned modules[NMODULES] = { DSN_DXT_POSIX_MODULE, DSN_DXT_MPIIO_MODULE };

/* A file in the trace of a module. */
struct file {
    uint64_t id;
    int64_t bytes, operations;
    int64_t from, to; /* range of offsets */
};

struct module {
    struct dsn__idmap index; /* index of a file by its id */
    struct file *files;
    size_t n, room;
    int64_t operations, nranks;
};

struct making {
    struct dsn_traces *t;
    struct darshan_reader *log;
    struct module module[NMODULES];
    size_t nexact;
    int64_t *took; /* number of operations by duration */
    struct dsn_op_writer ops;
    double least;              /* seconds; shorter operations are left out */
    struct dsn__idmap numbers; /* of the files of these operations */
    struct dsn_spans read[DSN_TRACE_VIEWS], write[DSN_TRACE_VIEWS];
};

/* Called for each operation of a pass. */
typedef void take_fn(struct making *m, unsigned which, const struct dsn_dxt_head *head, struct file *file,
                     const struct dsn_dxt_segment *s, int is_write);

static take_fn measure, keep, pack, add_up_and_pack;

static int is_sound(const struct dsn_dxt_segment *s)
{
    return s->start >= 0 && s->start < LONGEST_TIME && s->end >= s->start && s->end < LONGEST_TIME && s->length >= 0 &&
           s->length < FARTHEST && s->offset < FARTHEST;
}

/* NULL: no memory. */
static struct file *file_of(struct module *m, uint64_t id)
{
    const uint32_t at = dsn__idmap_add(&m->index, id, (uint32_t)m->n);

    if (at == DSN_IDMAP_NONE)
        return NULL;
    if (at < m->n)
        return &m->files[at];
    if (!dsn_grow(&m->files, &m->room, sizeof *m->files, m->n))
        return NULL;
    m->files[m->n] = (struct file){ .id = id, .from = FARTHEST };
    return &m->files[m->n++];
}

static void note_damage(struct dsn_traces *t, const struct darshan_reader_error *err)
{
    if (t->damage.code == DSN_ERR_OK)
        t->damage = *err;
}

/* The index of the file of an operation. DSN_IDMAP_NONE: out of memory, which is then an error of the writer. */
static uint32_t number_of(struct making *m, uint64_t id)
{
    const uint32_t at = dsn__idmap_add(&m->numbers, id, (uint32_t)m->numbers.used);

    m->ops.failed |= at == DSN_IDMAP_NONE;
    return at;
}

/* 0: no memory. */
static int go_over_record(struct making *m, unsigned which, struct darshan_dxt *it, const struct dsn_dxt_head *head,
                          take_fn *add_segment)
{
    struct file *file = file_of(&m->module[which], head->id);
    int64_t writes = head->nwrites;
    struct dsn_dxt_segment s[SEGMENTS];
    struct darshan_reader_error err;
    size_t n;

    if (!file)
        return 0;
    if (add_segment == measure && head->left_out > 0 && head->left_out < INT64_MAX - m->t->left_out)
        m->t->left_out += head->left_out;
    while ((n = darshan_dxt_segments(it, s, SEGMENTS, &err)) > 0)
        for (size_t i = 0; i < n; i++, writes--)
            if (is_sound(&s[i]))
                add_segment(m, which, head, file, &s[i], writes > 0);
    note_damage(m->t, &err);
    if (add_segment == pack || add_segment == add_up_and_pack)
        dsn_op_end_record(&m->ops, modules[which] == DSN_DXT_MPIIO_MODULE, number_of(m, head->id), head->rank);
    return 1;
}

static int go_over(struct making *m, unsigned which, take_fn *add_segment)
{
    const struct dsn_dxt_head *head;
    struct darshan_reader_error err;
    struct darshan_dxt *it;
    int rc = darshan_dxt_begin(m->log, modules[which], &it, &err);

    if (rc != DSN_ERR_OK) {
        note_damage(m->t, &err);
        return rc != DSN_ERR_MEMORY;
    }
    rc = 1;
    while (rc && (head = darshan_dxt_next(it, &err)) != NULL)
        rc = go_over_record(m, which, it, head, add_segment);
    if (rc)
        note_damage(m->t, &err);
    darshan_dxt_end(it);
    return rc;
}

/* ------------------------------------------------------------------ first pass */

/* Starting at 2^-32 seconds. */
static unsigned duration_class(double seconds)
{
    int exponent;
    const double part = frexp(seconds, &exponent); /* 0.5 to 1 */
    const int at = (exponent + 32) * 16 + (int)((part - 0.5) * 32);

    return !(seconds > 0) || at < 0 ? 0 : at < DURATIONS ? (unsigned)at : DURATIONS - 1;
}

/* Lower bound of the class. */
static double least_of(unsigned class)
{
    return ldexp(0.5 + (class % 16) / 32.0, (int)(class / 16) - 32);
}

static void measure(struct making *m, unsigned which, const struct dsn_dxt_head *head, struct file *file,
                    const struct dsn_dxt_segment *s, int is_write)
{
    struct dsn_traces *t = m->t;
    struct module *module = &m->module[which];

    (void)is_write;
    m->took[duration_class(s->end - s->start)]++;
    if (t->operations++ == 0 || s->start < t->start)
        t->start = s->start;
    t->end = s->end > t->end ? s->end : t->end;
    module->operations++;
    module->nranks = head->rank >= module->nranks && head->rank < INT64_MAX ? head->rank + 1 : module->nranks;
    file->operations++;
    if (s->length < INT64_MAX - file->bytes)
        file->bytes += s->length;
    if (s->offset < 0)
        return;
    file->from = s->offset < file->from ? s->offset : file->from;
    file->to = s->offset + s->length > file->to ? s->offset + s->length : file->to;
}

/* ------------------------------------------------------------------ second pass */

static void keep(struct making *m, unsigned which, const struct dsn_dxt_head *head, struct file *file,
                 const struct dsn_dxt_segment *s, int is_write)
{
    if (m->nexact < (size_t)m->t->operations)
        m->t->exact[m->nexact++] = (struct dsn_trace_segment){ modules[which], is_write, file->id, head->rank, *s };
}

static void pack(struct making *m, unsigned which, const struct dsn_dxt_head *head, struct file *file,
                 const struct dsn_dxt_segment *s, int is_write)
{
    (void)which;
    (void)head;
    (void)file;
    if (s->end - s->start >= m->least)
        dsn_op_add(&m->ops, s, is_write);
}

/* Adds to the rows of all offsets of the operation. */
static void add_offsets(struct dsn_spans *to, const struct dsn_trace_view *v, const struct dsn_dxt_segment *s)
{
    const double from = (double)(s->offset - v->first) / (double)v->per_row;
    const double end = from + (double)s->length / (double)v->per_row;
    const size_t rows = to->sums.rows;

    for (size_t row = (size_t)from; row < rows && (double)row < end; row++) {
        const double top = (double)row + 1 < end ? (double)row + 1 : end,
                     bottom = (double)row > from ? (double)row : from;

        dsn_spans_add(to, row, s->start, s->end, (double)s->length * (top - bottom) / (end - from));
    }
}

static void add_up_and_pack(struct making *m, unsigned which, const struct dsn_dxt_head *head, struct file *file,
                            const struct dsn_dxt_segment *s, int is_write)
{
    pack(m, which, head, file, s, is_write);
    for (size_t i = 0; i < m->t->nviews; i++) {
        struct dsn_trace_view *v = &m->t->view[i];
        struct dsn_spans *to = is_write ? &m->write[i] : &m->read[i];

        if (v->module != modules[which] || (v->kind == DSN_TRACE_OFFSETS && v->id != file->id))
            continue;
        if (v->kind == DSN_TRACE_OFFSETS && s->offset < 0)
            continue;
        v->operations++;
        if (s->length == 0)
            continue;
        if (v->kind == DSN_TRACE_RANKS && head->rank >= 0)
            dsn_spans_add(to, (size_t)(head->rank / v->per_row), s->start, s->end, (double)s->length);
        else if (v->kind == DSN_TRACE_OFFSETS)
            add_offsets(to, v, s);
    }
}

/* 0: no memory. */
static int begin_view(struct making *m, struct dsn_trace_view v, size_t rows, size_t bins)
{
    const size_t i = m->t->nviews;
    const double span = m->t->end - m->t->start;

    v.start = m->t->start;
    v.width = span > 0 ? span / (double)bins : 1e-6;
    if (!dsn_spans_init(&m->read[i], rows, bins, v.start, v.width) ||
        !dsn_spans_init(&m->write[i], rows, bins, v.start, v.width))
        return 0;
    m->t->view[i] = v;
    m->t->nviews++;
    return 1;
}

static int by_bytes(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static int begin_views(struct making *m, unsigned which)
{
    struct module *module = &m->module[which];
    const int64_t nranks = module->nranks > 0 ? module->nranks : 1, per_row = (nranks - 1) / RANK_ROWS + 1;
    const size_t rows = (size_t)((nranks - 1) / per_row + 1);
    size_t bins = RANK_CELLS / rows;

    bins = bins < 8192 ? bins : 8192;
    if (!begin_view(m, (struct dsn_trace_view){ .module = modules[which], .per_row = per_row }, rows, bins))
        return 0;
    qsort(module->files, module->n, sizeof *module->files, by_bytes);
    for (size_t i = 0; i < module->n && i < DSN_TRACE_FILES; i++) {
        const struct file *f = &module->files[i];
        struct dsn_trace_view v = {
            .kind = DSN_TRACE_OFFSETS, .module = modules[which], .id = f->id, .first = f->from
        };

        if (f->to <= f->from)
            continue;
        v.per_row = (f->to - f->from - 1) / OFFSET_ROWS + 1;
        if (!begin_view(m, v, (size_t)((f->to - f->from - 1) / v.per_row + 1), OFFSET_BINS))
            return 0;
    }
    /* the files were sorted, so the index is invalid; the second pass only needs ids */
    dsn__idmap_free(&module->index);
    dsn__idmap_init(&module->index);
    for (size_t i = 0; i < module->n; i++)
        if (dsn__idmap_add(&module->index, module->files[i].id, (uint32_t)i) == DSN_IDMAP_NONE)
            return 0;
    return 1;
}

static int make_exact(struct making *m)
{
    m->t->exact = calloc((size_t)m->t->operations, sizeof *m->t->exact);
    if (!m->t->exact)
        return 0;
    for (unsigned i = 0; i < NMODULES; i++)
        if (!go_over(m, i, keep))
            return 0;
    return 1;
}

/* The minimum duration with which at most `most` operations, the longest, remain. */
static double limit_of(const struct making *m, int64_t most)
{
    int64_t sum = 0;
    unsigned class = DURATIONS;

    while (class > 0 && sum + m->took[class - 1] <= most)
        sum += m->took[--class];
    return class > 0 ? least_of(class < DURATIONS ? class : DURATIONS - 1) : 0;
}

/* Goes over all operations, of which up to `most`, the longest, are encoded. */
static int pack_operations(struct making *m, int64_t most, take_fn *add_segment)
{
    const double span = m->t->end - m->t->start, tick = span / MOST_TICKS;

    m->least = limit_of(m, most);
    dsn_op_begin(&m->ops, tick > LEAST_TICK ? tick : LEAST_TICK);
    for (unsigned i = 0; i < NMODULES; i++)
        if (!go_over(m, i, add_segment))
            m->ops.failed = 1;
    if (!dsn_op_finish(&m->ops, &m->t->packed))
        return 0;
    m->t->packed.least = m->least;
    return 1;
}

/* Makes the charts and encodes operations; fewer of them, in a pass more, if the result is too large. */
static int make_charts(struct making *m, int64_t most)
{
    struct dsn_traces *t = m->t;

    for (unsigned i = 0; i < NMODULES; i++)
        if (m->module[i].operations > 0 && !begin_views(m, i))
            return 0;
    if (!pack_operations(m, most, add_up_and_pack))
        return 0;
    for (size_t i = 0; i < t->nviews; i++) {
        dsn_spans_take(&m->read[i], &t->view[i].read);
        dsn_spans_take(&m->write[i], &t->view[i].write);
    }
    if (t->packed.npacked > PACKED_BYTES) {
        const double fits = (double)t->packed.n * PACKED_BYTES / (double)t->packed.npacked;

        free(t->packed.packed);
        memset(&t->packed, 0, sizeof t->packed);
        if (!pack_operations(m, (int64_t)(0.95 * fits), pack))
            return 0;
    }
    t->nfiles = m->numbers.used;
    t->file = calloc(t->nfiles + 1, sizeof *t->file);
    if (t->file && t->nfiles > 0)
        memcpy(t->file, m->numbers.keys, t->nfiles * sizeof *t->file);
    return t->file != NULL;
}

int dsn_traces_make(struct darshan_reader *log, int64_t most, struct dsn_traces *out)
{
    struct making m = { .t = out, .log = log };
    int64_t took[DURATIONS] = { 0 };
    int ok = 1;

    m.took = took;
    dsn__idmap_init(&m.numbers);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < NMODULES; i++)
        dsn__idmap_init(&m.module[i].index);
    for (unsigned i = 0; i < NMODULES && ok; i++)
        ok = go_over(&m, i, measure);
    if (ok && out->operations > 0)
        ok = out->operations <= DSN_TRACE_EXACT ? make_exact(&m) : make_charts(&m, most);
    dsn__idmap_free(&m.numbers);
    for (size_t i = 0; i < DSN_TRACE_VIEWS; i++) {
        dsn_spans_free(&m.read[i]);
        dsn_spans_free(&m.write[i]);
    }
    for (unsigned i = 0; i < NMODULES; i++) {
        dsn__idmap_free(&m.module[i].index);
        free(m.module[i].files);
    }
    if (ok)
        return DSN_ERR_OK;
    dsn_traces_free(out);
    return DSN_ERR_MEMORY;
}

void dsn_traces_free(struct dsn_traces *t)
{
    for (size_t i = 0; i < t->nviews; i++) {
        dsn_matrix_free(&t->view[i].read);
        dsn_matrix_free(&t->view[i].write);
    }
    free(t->exact);
    free(t->packed.packed);
    free(t->file);
    t->exact = NULL;
    t->packed.packed = NULL;
    t->file = NULL;
    t->nviews = 0;
}

/* ------------------------------------------------------------------ in a page */

static void write_name(struct dsn_text *out, struct darshan_reader *log, uint64_t id)
{
    const char *name = darshan_reader_name(log, id);

    if (name)
        dsn_emit_quoted(out, DSN_EMIT_JSON, name, strlen(name));
    else
        dsn_text_printf(out, "\"record %" PRIu64 "\"", id);
}

static void write_view(struct dsn_text *out, struct darshan_reader *log, struct dsn_trace_view *v)
{
    const size_t most = v->kind == DSN_TRACE_RANKS ? RANK_FILLED : FILE_FILLED;

    for (; v->read.bins > 1 && (dsn_matrix_filled(&v->read) > most || dsn_matrix_filled(&v->write) > most);
         v->width *= 2) {
        dsn_matrix_halve_bins(&v->read);
        dsn_matrix_halve_bins(&v->write);
    }
    dsn_text_printf(out,
                    "{\"kind\":\"%s\",\"module\":\"%s\",\"file\":", v->kind == DSN_TRACE_RANKS ? "ranks" : "offsets",
                    dsn_module_name(v->module));
    if (v->kind == DSN_TRACE_OFFSETS)
        write_name(out, log, v->id);
    else
        dsn_text_string(out, "null");
    dsn_text_printf(out,
                    ",\"first\":%" PRId64 ",\"per_row\":%" PRId64
                    ",\"rows\":%zu,\"bins\":%zu,\"start\":%.9g,\"width\":%.9g,\"operations\":%" PRId64 ",\"read\":",
                    v->first, v->per_row, v->read.rows, v->read.bins, v->start, v->width, v->operations);
    dsn_matrix_write(out, &v->read);
    dsn_text_string(out, ",\"write\":");
    dsn_matrix_write(out, &v->write);
    dsn_text_string(out, "}");
}

static int64_t targets_of(const struct dsn_layout *l)
{
    int64_t sum = 0;

    for (size_t i = 0; l && i < l->ncomps; i++)
        sum += l->comps[i].stripe_count > 0 && sum < TARGETS ? l->comps[i].stripe_count : 0;
    return sum < 2 * TARGETS ? sum : 2 * TARGETS;
}

/* Layouts of files: null, or the components [start, end, stripe size, [targets]]; end -1 is open. */
static void write_layout(struct dsn_text *out, const struct dsn_layout *l)
{
    const int64_t *osts = l ? l->osts : NULL;
    const char *comma = "";

    if (!l) {
        dsn_text_string(out, "null");
        return;
    }
    dsn_text_string(out, "[");
    for (size_t i = 0; i < l->ncomps; i++) {
        const struct dsn_lustre_comp *c = &l->comps[i];

        if (c->stripe_count <= 0)
            continue;
        dsn_text_printf(out, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",[", comma, c->start, c->end, c->stripe_size);
        for (int64_t k = 0; k < c->stripe_count; k++)
            dsn_text_printf(out, "%s%" PRId64, k ? "," : "", *osts++);
        dsn_text_string(out, "]]");
        comma = ",";
    }
    dsn_text_string(out, "]");
}

static void write_files(struct dsn_text *out, struct darshan_reader *log, const struct dsn_layouts *layouts,
                        const uint64_t *ids, size_t n)
{
    int64_t left = TARGETS;
    size_t room = NAMES;

    dsn_text_string(out, "\"files\":[");
    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name(log, ids[i]);
        const size_t length = name ? strlen(name) : 24;

        if (i > 0)
            dsn_text_string(out, ",");
        if (length < room)
            write_name(out, log, ids[i]);
        else
            dsn_text_string(out, "\"\""); /* limit of the page's size */
        room -= length < room ? length : 0;
    }
    dsn_text_string(out, "],\"layouts\":[");
    for (size_t i = 0; layouts->table.n > 0 && i < n; i++) {
        const struct dsn_layout *l = dsn_layouts_get(layouts, ids[i]);

        left -= targets_of(l);
        if (i > 0)
            dsn_text_string(out, ",");
        write_layout(out, left >= 0 ? l : NULL);
    }
    dsn_text_string(out, "]");
}

static void write_packed(struct dsn_text *out, const struct dsn_operations *p)
{
    dsn_text_printf(
        out, "\"packed\":{\"operations\":%" PRId64 ",\"records\":%" PRId64 ",\"tick\":%.17g,\"least\":%.9g,\"sizes\":[",
        p->n, p->nrecords, p->tick, p->least);
    for (unsigned i = 0; i < DSN_OP_COLUMNS; i++)
        dsn_text_printf(out, "%s%zu", i ? "," : "", p->sizes[i]);
    dsn_text_string(out, "],\"data\":");
    dsn_base64_write(out, p->packed, p->npacked);
    dsn_text_string(out, "},");
}

/* An array per operation: [module, is it a write, file, rank, offset, length, start, duration]; module and file are
 * indexes of the arrays above. */
static void write_exact(struct dsn_text *out, struct darshan_reader *log, const struct dsn_layouts *layouts,
                        const struct dsn_traces *t)
{
    struct dsn__idmap files;

    dsn__idmap_init(&files);
    dsn_text_string(out, "\"modules\":[\"DXT_POSIX\",\"DXT_MPIIO\"],\"segments\":[");
    for (int64_t i = 0; i < t->operations; i++) {
        const struct dsn_trace_segment *x = &t->exact[i];
        const uint32_t file = dsn__idmap_add(&files, x->id, (uint32_t)files.used);

        dsn_text_printf(out, "%s[%d,%d,%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.0f,%.0f]", i ? "," : "",
                        x->module == DSN_DXT_MPIIO_MODULE, x->is_write, (unsigned)file, x->rank, x->segment.offset,
                        x->segment.length, 1e9 * x->segment.start, 1e9 * (x->segment.end - x->segment.start));
    }
    dsn_text_string(out, "],");
    write_files(out, log, layouts, files.keys, files.used);
    dsn__idmap_free(&files);
}

void dsn_traces_write(struct dsn_text *out, struct darshan_reader *log, const struct dsn_layouts *layouts,
                      struct dsn_traces *t)
{
    dsn_text_printf(out, "{\"operations\":%" PRId64 ",\"left_out\":%" PRId64 ",\"start\":%.9g,\"end\":%.9g,",
                    t->operations, t->left_out, t->start, t->end);
    if (t->exact) {
        write_exact(out, log, layouts, t);
    } else {
        write_packed(out, &t->packed);
        write_files(out, log, layouts, t->file, t->nfiles);
        dsn_text_string(out, ",");
        dsn_text_string(out, "\"views\":[");
        for (size_t i = 0; i < t->nviews; i++) {
            if (i > 0)
                dsn_text_string(out, ",");
            write_view(out, log, &t->view[i]);
        }
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "}");
}

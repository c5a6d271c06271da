/* timeline.c - bytes per rank over time
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/report/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "darshan-log-format/hash.h"

#define LEAST_WIDTH 1e-6  /* seconds; a shorter bin is damage */
#define MOST_FILLED 30000 /* nonzero cells of a matrix in a page: 80 KB */
#define SEGMENTS    256   /* read per call */

/* Layers, in display order. */
static const struct layer {
    const char *name, *record; /* record: of HEATMAP */
    unsigned trace;            /* 0: none */
} layers[] = {
    { "POSIX", "heatmap:POSIX", DSN_DXT_POSIX_MODULE },
    { "MPI-IO", "heatmap:MPIIO", DSN_DXT_MPIIO_MODULE },
    { "STDIO", "heatmap:STDIO", 0 },
    { "DFS", "heatmap:DFS", 0 },
    { "DAOS", "heatmap:DAOS", 0 },
};
#define NLAYERS (sizeof layers / sizeof layers[0])

struct making {
    struct dsn_timelines *t;
    struct dsn_timeline line[NLAYERS];
    struct dsn_spans read[NLAYERS], write[NLAYERS]; /* of traces */
    int there[NLAYERS];
};

static void note_damage(struct dsn_timelines *t, const struct darshan_reader_error *err)
{
    if (t->damage.code == DSN_ERR_OK)
        t->damage = *err;
}

/* Row of a rank; -1: not a rank of the job. */
static int64_t row_of(const struct dsn_timelines *t, int64_t rank)
{
    return rank >= 0 && rank < t->nprocs ? rank / t->ranks_per_row : -1;
}

/* ------------------------------------------------------------------ HEATMAP */

static size_t layer_of(uint64_t id)
{
    size_t i = 0;

    while (i < NLAYERS && dsn_hash(layers[i].record, strlen(layers[i].record), 0) != id)
        i++;
    return i;
}

/* The first record of a layer determines the width of its bins. 0: no memory. */
static int begin_line(struct making *m, size_t layer, double width, size_t bins)
{
    struct dsn_timeline *line = &m->line[layer];
    const size_t merged = (bins - 1) / DSN_TIMELINE_BINS + 1;

    line->layer = layers[layer].name;
    line->source = "HEATMAP";
    line->width = width * (double)merged;
    bins = (bins - 1) / merged + 1;
    if (!dsn_spans_init(&m->read[layer], m->t->rows, bins, 0, line->width))
        return 0;
    if (!dsn_spans_init(&m->write[layer], m->t->rows, bins, 0, line->width))
        return 0;
    m->there[layer] = 1;
    return 1;
}

/* Slightly less than the whole bin, so that rounding does not put its edges into neighbours. */
static void add_bins(struct dsn_spans *s, size_t row, double width, const int64_t *bytes, size_t n)
{
    for (size_t i = 0; bytes && i < n; i++)
        if (bytes[i] > 0)
            dsn_spans_add(s, row, (double)i * width + width / 1000, ((double)i + 0.999) * width, (double)bytes[i]);
}

/* 0: no memory. */
static int add_record(struct making *m, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t layer = layer_of(r->id);
    const double width = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;
    const int64_t row = row_of(m->t, r->rank);

    if (layer == NLAYERS || tail->n == 0 || !(width > LEAST_WIDTH) || width > 1e12)
        return 1;
    if (!m->there[layer] && !begin_line(m, layer, width, tail->n))
        return 0;
    if (row < 0) {
        m->line[layer].strays++;
        return 1;
    }
    add_bins(&m->write[layer], (size_t)row, width, tail->values[0], tail->n);
    add_bins(&m->read[layer], (size_t)row, width, tail->values[1], tail->n);
    return 1;
}

static int add_heatmaps(struct making *m, struct darshan_reader *log)
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(log, DSN_HEATMAP_MODULE, &it, &err);

    if (rc != DSN_ERR_OK) {
        note_damage(m->t, &err);
        return rc != DSN_ERR_MEMORY;
    }
    rc = 1;
    while (rc && (r = darshan_reader_next(it, &err)) != NULL)
        rc = add_record(m, r, darshan_reader_tail(it));
    if (rc)
        note_damage(m->t, &err);
    darshan_reader_end(it);
    return rc;
}

/* ------------------------------------------------------------------ traces */

/* Adds the segments of a record, writes first. */
static void add_segments(struct making *m, size_t layer, struct darshan_dxt *it, const struct dsn_dxt_head *head,
                         double *last_end)
{
    const int64_t row = row_of(m->t, head->rank);
    struct darshan_reader_error err;
    struct dsn_dxt_segment s[SEGMENTS];
    int64_t writes = head->nwrites;
    size_t n;

    while ((n = darshan_dxt_segments(it, s, SEGMENTS, &err)) > 0)
        for (size_t i = 0; i < n; i++, writes--) {
            if (last_end)
                *last_end = s[i].end > *last_end ? s[i].end : *last_end;
            else if (row >= 0 && s[i].length > 0)
                dsn_spans_add(writes > 0 ? &m->write[layer] : &m->read[layer], (size_t)row, s[i].start, s[i].end,
                              (double)s[i].length);
        }
    note_damage(m->t, &err);
}

/* Finds the end of a layer's trace if `last_end` is given, else adds its segments. 0: no memory. */
static int go_over(struct making *m, size_t layer, struct darshan_reader *log, double *last_end)
{
    const struct dsn_dxt_head *head;
    struct darshan_reader_error err;
    struct darshan_dxt *it;
    const int rc = darshan_dxt_begin(log, layers[layer].trace, &it, &err);

    if (rc != DSN_ERR_OK) {
        note_damage(m->t, &err);
        return rc != DSN_ERR_MEMORY;
    }
    while ((head = darshan_dxt_next(it, &err)) != NULL) {
        if (!last_end && row_of(m->t, head->rank) < 0)
            m->line[layer].strays++;
        add_segments(m, layer, it, head, last_end);
    }
    note_damage(m->t, &err);
    darshan_dxt_end(it);
    return 1;
}

static int add_trace(struct making *m, size_t layer, struct darshan_reader *log)
{
    const struct dsn_job *job = darshan_reader_job(log);
    double end = m->t->runtime;

    /* a run time in whole seconds may be shorter than the trace */
    if ((end <= 0 || (job->start_nsec == 0 && job->end_nsec == 0)) && !go_over(m, layer, log, &end))
        return 0;
    if (!(end > 0) || end > 1e12)
        return 1;
    if (!begin_line(m, layer, end / DSN_TIMELINE_BINS, DSN_TIMELINE_BINS))
        return 0;
    m->line[layer].source = dsn_module_name(layers[layer].trace);
    return go_over(m, layer, log, NULL);
}

/* ------------------------------------------------------------------ first opens */

static void count_open(struct dsn_timelines *t, int64_t rank, double at)
{
    const int64_t row = row_of(t, rank);
    const double bin = at / t->opens_width, most = (double)t->opens.bins - 1;

    if (row >= 0 && t->opens.bins > 0)
        t->opens.cell[(size_t)row * t->opens.bins + (size_t)(bin < most ? bin : most)]++;
}

/* Uses the times of first opens in the report, unless several ranks have records of their own of a file. Returns 0
 * then. */
static int take_opens(struct dsn_timelines *t, const struct dsn_report *r)
{
    for (size_t i = 0; i < r->nfiles; i++)
        if (!r->files[i].is_reduced && r->files[i].ranks > 1)
            return 0;
    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];

        if (f->is_exempt || !(f->first_open > 0))
            continue;
        if (f->is_reduced)
            t->shared_opens++;
        else
            count_open(t, f->rank, f->first_open);
    }
    return 1;
}

static int is_exempt(const struct dsn_report *r, uint64_t id)
{
    const uint32_t at = dsn__idmap_get(&r->file_index, id);

    return at != DSN_IDMAP_NONE && r->files[at].is_exempt;
}

/* From the records: a rank that accesses a file through calls and through streams has two. 0: no memory. */
static int add_opens(struct dsn_timelines *t, const struct dsn_report *r, unsigned module, unsigned opens,
                     unsigned first_open)
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err;
    const struct dsn_rec *rec;
    const int rc = darshan_reader_begin(r->log, module, &it, &err);

    if (rc != DSN_ERR_OK) {
        note_damage(t, &err);
        return rc != DSN_ERR_MEMORY;
    }
    while ((rec = darshan_reader_next(it, &err)) != NULL) {
        if (rec->v[opens].i <= 0 || !(rec->v[first_open].f > 0) || is_exempt(r, rec->id))
            continue;
        if (rec->rank == -1)
            t->shared_opens++;
        else
            count_open(t, rec->rank, rec->v[first_open].f);
    }
    note_damage(t, &err);
    darshan_reader_end(it);
    return 1;
}

/* With the same bin width as the other charts, for comparison. */
static int make_opens(struct dsn_timelines *t, const struct dsn_report *r)
{
    size_t bins = t->runtime > 0 ? DSN_TIMELINE_BINS : 0;

    t->opens_width = t->runtime / DSN_TIMELINE_BINS;
    if (t->n > 0) {
        t->opens_width = t->line[0].width;
        bins = t->line[0].read.bins;
    }
    if (!dsn_matrix_init(&t->opens, t->rows, bins))
        return 0;
    return take_opens(t, r) || (add_opens(t, r, DSN_POSIX_MODULE, POSIX_OPENS, POSIX_F_OPEN_START_TIMESTAMP) &&
                                add_opens(t, r, DSN_STDIO_MODULE, STDIO_OPENS, STDIO_F_OPEN_START_TIMESTAMP));
}

/* ------------------------------------------------------------------ all of them */

static int make_lines(struct making *m, struct darshan_reader *log)
{
    if (!add_heatmaps(m, log))
        return 0;
    for (size_t i = 0; i < NLAYERS; i++)
        if (!m->there[i] && layers[i].trace && darshan_reader_header(log)->mod[layers[i].trace].len > 0 &&
            !add_trace(m, i, log))
            return 0;
    for (size_t i = 0; i < NLAYERS; i++) {
        struct dsn_timeline *line = &m->t->line[m->t->n];

        if (!m->there[i])
            continue;
        *line = m->line[i];
        dsn_spans_take(&m->read[i], &line->read);
        dsn_spans_take(&m->write[i], &line->write);
        m->t->n++;
    }
    return 1;
}

int dsn_timelines_make(const struct dsn_report *r, struct dsn_timelines *out)
{
    struct darshan_reader *log = r->log;
    struct making m = { .t = out };
    int ok;

    memset(out, 0, sizeof *out);
    out->nprocs = darshan_reader_job(log)->nprocs > 0 ? darshan_reader_job(log)->nprocs : 1;
    out->ranks_per_row = (out->nprocs - 1) / DSN_TIMELINE_ROWS + 1;
    out->rows = (size_t)((out->nprocs - 1) / out->ranks_per_row + 1);
    out->runtime = darshan_reader_runtime(log);
    if (!(out->runtime > 0) || out->runtime > 1e12)
        out->runtime = 0;
    ok = make_lines(&m, log) && make_opens(out, r);
    for (size_t i = 0; i < NLAYERS; i++) {
        dsn_spans_free(&m.read[i]);
        dsn_spans_free(&m.write[i]);
    }
    if (ok)
        return DSN_ERR_OK;
    dsn_timelines_free(out);
    return DSN_ERR_MEMORY;
}

void dsn_timelines_free(struct dsn_timelines *t)
{
    for (size_t i = 0; i < t->n; i++) {
        dsn_matrix_free(&t->line[i].read);
        dsn_matrix_free(&t->line[i].write);
    }
    dsn_matrix_free(&t->opens);
    t->n = 0;
}

/* ------------------------------------------------------------------ in a page */

static void write_line(struct dsn_text *out, struct dsn_timelines *t, struct dsn_timeline *line)
{
    int64_t per = t->ranks_per_row;

    while (line->read.rows > 1 &&
           (dsn_matrix_filled(&line->read) > MOST_FILLED || dsn_matrix_filled(&line->write) > MOST_FILLED)) {
        dsn_matrix_halve_rows(&line->read);
        dsn_matrix_halve_rows(&line->write);
        per *= 2;
    }
    dsn_text_printf(
        out,
        "{\"layer\":\"%s\",\"source\":\"%s\",\"width\":%.9g,\"bins\":%zu,\"rows\":%zu,\"ranks_per_row\":%" PRId64
        ",\"strays\":%" PRId64 ",\"bytes_read\":%.0f,\"bytes_written\":%.0f,\"read\":",
        line->layer, line->source, line->width, line->read.bins, line->read.rows, per, line->strays,
        dsn_matrix_sum(&line->read), dsn_matrix_sum(&line->write));
    dsn_matrix_write(out, &line->read);
    dsn_text_string(out, ",\"write\":");
    dsn_matrix_write(out, &line->write);
    dsn_text_string(out, "}");
}

void dsn_timelines_write(struct dsn_text *out, struct dsn_timelines *t)
{
    int64_t per = t->ranks_per_row;

    dsn_text_printf(out, "{\"nprocs\":%" PRId64 ",\"runtime\":%.9g,\"lines\":[", t->nprocs, t->runtime);
    for (size_t i = 0; i < t->n; i++) {
        if (i > 0)
            dsn_text_string(out, ",");
        write_line(out, t, &t->line[i]);
    }
    for (; t->opens.rows > 1 && dsn_matrix_filled(&t->opens) > MOST_FILLED; per *= 2)
        dsn_matrix_halve_rows(&t->opens);
    dsn_text_printf(out,
                    "],\"opens\":{\"width\":%.9g,\"bins\":%zu,\"rows\":%zu,\"ranks_per_row\":%" PRId64
                    ",\"files\":%.0f,\"shared\":%" PRId64 ",\"count\":",
                    t->opens_width, t->opens.bins, t->opens.rows, per, dsn_matrix_sum(&t->opens), t->shared_opens);
    dsn_matrix_write(out, &t->opens);
    dsn_text_string(out, "}}");
}

/* h5d.c - counters of the H5D module (HDF5 datasets)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec modules-io.md 7. */
#include <config.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "module/h5.h"
#include "module/shared/access.h"
#include "module/shared/beside.h"
#include "module/shared/shape.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/pattern.h"
#include "record/record.h"
#include "record/salvaged.h"

/* Constants of HDF5's headers; identical in all supported versions. */
enum {
    H5_TYPE_DATASET = 5,      /* H5I_DATASET */
    H5_LAYOUT_CHUNKED = 2,    /* H5D_CHUNKED */
    H5_SELECT_POINTS = 1,     /* H5S_SEL_POINTS */
    H5_SELECT_HYPERSLABS = 2, /* H5S_SEL_HYPERSLABS */
    H5_SELECT_ALL = 3,        /* H5S_SEL_ALL */
    H5_MPIO_COLLECTIVE = 1,   /* H5FD_MPIO_COLLECTIVE */
    H5_LAST_SPECIAL = 2       /* the largest of H5S_ALL, H5S_BLOCK and H5S_PLIST, which are not identifiers */
};

struct h5d_object {
    struct dsn_record_state state;
    struct dsn_times times[2];
    struct dsn_time_sum meta;
    int last_op; /* 1 + enum dsn_direction; 0: none yet */
    struct dsn_shapes shapes;
};

static const struct io_rows {
    int ops, bytes, size_bin, max_size;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { H5D_READS,
                   H5D_BYTES_READ,
                   H5D_SIZE_READ_AGG_0_100,
                   H5D_MAX_READ_TIME_SIZE,
                   { H5D_F_READ_START_TIMESTAMP, H5D_F_READ_END_TIMESTAMP, H5D_F_READ_TIME, H5D_F_MAX_READ_TIME } },
    [DSN_WRITE] = { H5D_WRITES,
                    H5D_BYTES_WRITTEN,
                    H5D_SIZE_WRITE_AGG_0_100,
                    H5D_MAX_WRITE_TIME_SIZE,
                    { H5D_F_WRITE_START_TIMESTAMP, H5D_F_WRITE_END_TIMESTAMP, H5D_F_WRITE_TIME,
                      H5D_F_MAX_WRITE_TIME } },
};

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct h5d_object *d = (struct h5d_object *)state;

    (void)r;
    for (int i = DSN_READ; i <= DSN_WRITE; i++)
        dsn__publish_times(&d->times[i], &rows[i].times, state->rec->v);
    state->rec->v[H5D_F_META_TIME].i = d->meta.total;
    dsn__shapes_publish(&d->shapes, &state->rec->v[H5D_ACCESS1_ACCESS]);
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    return dsn__shapes_salvage(&((struct h5d_object *)state)->shapes, r);
}

const struct dsn_module_info dsn__h5d_module = {
    .id = DSN_H5D_MODULE,
    .state_size = sizeof(struct h5d_object),
    .path_named = 1,
    .finalize = finalize,
    .salvage = salvage,
};

/* ------------------------------------------------------------------ opening */

/* What is queried when a dataset is opened. */
struct summary {
    char file[PATH_MAX], name[PATH_MAX]; /* full path of the file; "<file>:<path in the file>" */
    int ndims;
    int64_t points, element;
    uint64_t chunk[DSN_SHAPE_NDIMS]; /* the fastest-varying dimension first */
};

static void ask_space(struct dsn_h5 *h5, dsn_hid dataset, struct summary *f)
{
    const dsn_hid space = h5->calls.H5Dget_space(dataset);

    if (space < 0)
        return;
    f->ndims = h5->calls.H5Sget_simple_extent_ndims(space);
    f->points = h5->calls.H5Sget_simple_extent_npoints(space);
    h5->calls.H5Idec_ref(space);
}

static void ask_type(struct dsn_h5 *h5, dsn_hid dataset, struct summary *f)
{
    const dsn_hid type = h5->calls.H5Dget_type(dataset);

    if (type < 0)
        return;
    f->element = (int64_t)h5->calls.H5Tget_size(type);
    h5->calls.H5Idec_ref(type);
}

static void ask_chunks(struct dsn_h5 *h5, dsn_hid dataset, struct summary *f)
{
    const dsn_hid list = h5->calls.H5Dget_create_plist(dataset);
    uint64_t dims[DSN_H5_MAX_NDIMS];
    int n = 0;

    if (list < 0)
        return;
    if (h5->calls.H5Pget_layout(list) == H5_LAYOUT_CHUNKED)
        n = h5->calls.H5Pget_chunk(list, DSN_H5_MAX_NDIMS, dims);
    for (int i = 0; i < n && i < DSN_SHAPE_NDIMS; i++)
        f->chunk[i] = dims[n - 1 - i];
    h5->calls.H5Idec_ref(list);
}

/* HDF5 would search the whole file for the path of a dataset that was opened by its address: such a dataset is recorded
 * under the file's name alone. */
static bool ask_name(struct dsn_h5 *h5, dsn_hid dataset, const char *given, struct summary *f)
{
    size_t n;
    ssize_t rest = 0;

    if (!dsn__h5_file_name(h5, dataset, f->file, sizeof f->file))
        return false;
    n = (size_t)dsn__format(f->name, sizeof f->name, "%s:", f->file);
    if (n >= sizeof f->name - 1)
        return false;
    if (given)
        rest = h5->calls.H5Iget_name(dataset, f->name + n, sizeof f->name - n);
    if (rest <= 0) /* no path, or an error */
        f->name[n] = '\0';
    return true;
}

/* Queries everything; or, if a query would wait for asynchronous operations, takes what the arguments tell. */
static bool query_dataset(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *given, int how,
                          dsn_hid events, struct summary *f)
{
    struct dsn_h5_quiet q;
    int ok;

    memset(f->chunk, 0, sizeof f->chunk);
    f->ndims = 0;
    f->points = f->element = 0;
    if (!dsn__h5_begin(h5, &q, s, DSN_H5_MAY_FAIL))
        return false;
    ok = !(how & DSN_H5_ANY_OBJECT) || h5->calls.H5Iget_type(id) == H5_TYPE_DATASET;
    if (ok && dsn__h5_answers(h5, id, events)) {
        ok = ask_name(h5, id, given, f);
        ask_space(h5, id, f);
        ask_type(h5, id, f);
        ask_chunks(h5, id, f);
    } else {
        ok = 0;
    }
    dsn__h5_end(h5, &q);
    return ok;
}

/* Facts of a single dataset; not for a record that others are aggregated into. */
static void note_summary(union dsn_val *v, const struct summary *f, int how)
{
    v[H5D_FILE_REC_ID].i = (int64_t)dsn_hash(f->file, strlen(f->file), 0);
    v[H5D_DATASPACE_NDIMS].i = f->ndims;
    v[H5D_DATASPACE_NPOINTS].i = f->points;
    v[H5D_DATATYPE_SIZE].i = f->element;
    for (int i = 0; i < DSN_SHAPE_NDIMS; i++)
        v[H5D_CHUNK_SIZE_D1 + i].i = (int64_t)f->chunk[i];
    v[H5D_USE_DEPRECATED].i = (how & DSN_H5_OUTDATED) != 0;
}

void dsn__h5d_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *name, int how, dsn_hid events)
{
    struct summary f;
    struct h5d_object *d;
    union dsn_val *v;

    if (id < 0 || !query_dataset(h5, s, id, name, how, events, &f))
        return;
    d = (struct h5d_object *)dsn__record(DSN_INDEX_H5D, f.name);
    if (!d)
        return;
    dsn__h5_opened(
        h5, id,
        &(struct dsn_h5_open){
            .state = &d->state, .module = DSN_INDEX_H5D, .points = f.points, .ndims = f.ndims, .element = f.element });
    if (!dsn__lock(&d->state))
        return;
    v = d->state.rec->v;
    v[H5D_OPENS].i++;
    dsn__stamp(&v[H5D_F_OPEN_START_TIMESTAMP].i, &v[H5D_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time(&d->meta, s);
    if (strncmp(d->state.name->text, f.file, strlen(f.file)) == 0 && !dsn__is_pattern(d->state.name->text))
        note_summary(v, &f, how);
    dsn__unlock(&d->state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, &d->state, s, 0);
}

/* ------------------------------------------------------------------ transfers */

/* The selection in the file of a transfer. */
struct selection {
    int64_t points;
    int counter; /* counter for the type of selection, or -1 */
    struct dsn_slab shape;
    int collective;
};

/* Keeps the last five dimensions, aligned so that the slowest of fewer is D5. Returns the number of points. */
static int64_t ask_hyperslab(struct dsn_h5 *h5, dsn_hid space, int n, struct dsn_slab *shape)
{
    uint64_t start[DSN_H5_MAX_NDIMS], stride[DSN_H5_MAX_NDIMS], count[DSN_H5_MAX_NDIMS], block[DSN_H5_MAX_NDIMS];
    const int from = n > DSN_SHAPE_NDIMS ? n - DSN_SHAPE_NDIMS : 0;
    int64_t points = 1;

    if (n <= 0 || n > DSN_H5_MAX_NDIMS || h5->calls.H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return 0;
    for (int i = 0; i < n; i++)
        points *= (int64_t)(count[i] * block[i]);
    for (int i = from; i < n; i++) {
        shape->length[DSN_SHAPE_NDIMS - 1 - (i - from)] = (int64_t)(count[i] * block[i]);
        shape->stride[DSN_SHAPE_NDIMS - 1 - (i - from)] = (int64_t)stride[i];
    }
    return points;
}

/* A whole dataset is not a selection: it has neither a counter nor lengths in the log. */
static void ask_selection(struct dsn_h5 *h5, const struct dsn_h5d_io *io, const struct dsn_h5_open *o,
                          struct selection *sel)
{
    const int is_all = io->space <= H5_LAST_SPECIAL; /* a selection by property list cannot be queried */
    const int type = is_all ? H5_SELECT_ALL : h5->calls.H5Sget_select_type(io->space);

    if (type == H5_SELECT_HYPERSLABS && h5->calls.H5Sis_regular_hyperslab(io->space) > 0) {
        sel->counter = H5D_REGULAR_HYPERSLAB_SELECTS;
        sel->points = ask_hyperslab(h5, io->space, o->ndims, &sel->shape);
        return;
    }
    sel->points = is_all ? o->points : h5->calls.H5Sget_select_npoints(io->space);
    if (type == H5_SELECT_POINTS)
        sel->counter = H5D_POINT_SELECTS;
    else if (type == H5_SELECT_HYPERSLABS)
        sel->counter = H5D_IRREGULAR_HYPERSLAB_SELECTS;
}

static bool is_collective(struct dsn_h5 *h5, dsn_hid transfer)
{
    int mode = 0;

    return transfer != DSN_H5_DEFAULT && h5->calls.H5Pget_dxpl_mpio &&
           h5->calls.H5Pget_dxpl_mpio(transfer, &mode) >= 0 && mode == H5_MPIO_COLLECTIVE;
}

static void count(struct h5d_object *d, const struct dsn_span *s, enum dsn_direction direction,
                  const struct selection *sel)
{
    const struct io_rows *r = &rows[direction];
    const int64_t bytes = sel->shape.size;
    union dsn_val *v;

    if (!dsn__lock(&d->state))
        return;
    v = d->state.rec->v;
    v[r->ops].i++;
    v[r->bytes].i += bytes;
    v[r->size_bin + (int)dsn_size_bin(bytes)].i++;
    if (sel->counter >= 0)
        v[sel->counter].i++;
    v[H5D_USE_MPIIO_COLLECTIVE].i |= sel->collective;
    dsn__shapes_add(&d->shapes, &sel->shape);
    if (d->last_op != 0 && d->last_op != 1 + (int)direction)
        v[H5D_RW_SWITCHES].i++;
    d->last_op = 1 + (int)direction;
    if (dsn__note_times(&d->times[direction], s))
        v[r->max_size].i = bytes;
    dsn__unlock(&d->state);
    dsn__count_beside(DSN_LAYER_HDF5, dsn__call_kind(direction), &d->state, s, bytes);
}

void dsn__h5d_io(struct dsn_h5 *h5, const struct dsn_span *s, int result, const struct dsn_h5d_io *io)
{
    struct dsn_h5_open o;
    struct selection sel = { .counter = -1 };
    struct dsn_h5_quiet q;

    if (result < 0 || !dsn__h5_find(h5, io->dataset, DSN_INDEX_H5D, &o) || !dsn__h5_begin(h5, &q, s, DSN_H5_SURE))
        return;
    ask_selection(h5, io, &o, &sel);
    sel.collective = is_collective(h5, io->transfer);
    dsn__h5_end(h5, &q);
    sel.shape.size = sel.points > 0 ? sel.points * o.element : 0;
    count((struct h5d_object *)o.state, s, io->direction, &sel);
}

void dsn__h5d_multi(struct dsn_h5 *h5, const struct dsn_span *s, int result, size_t n, const dsn_hid *datasets,
                    const dsn_hid *spaces, struct dsn_h5d_io io)
{
    for (size_t i = 0; i < n; i++) {
        io.dataset = datasets[i];
        io.space = spaces[i];
        dsn__h5d_io(h5, s, result, &io);
    }
}

/* ------------------------------------------------------------------ other calls */

void dsn__h5d_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset)
{
    struct dsn_h5_open o;
    struct h5d_object *d;

    if (result < 0 || !dsn__h5_find(h5, dataset, DSN_INDEX_H5D, &o) || !dsn__lock(o.state))
        return;
    d = (struct h5d_object *)o.state;
    d->state.rec->v[H5D_FLUSHES].i++;
    dsn__add_time(&d->meta, s);
    dsn__unlock(&d->state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, &d->state, s, 0);
}

/* From now on a transfer of the whole dataset has its new size. */
void dsn__h5d_extent(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset, dsn_hid events)
{
    struct dsn_h5_open o;
    struct dsn_h5_quiet q;
    dsn_hid space;

    if (result < 0 || !dsn__h5_find(h5, dataset, DSN_INDEX_H5D, &o) || !dsn__h5_begin(h5, &q, s, DSN_H5_MAY_FAIL))
        return;
    space = dsn__h5_answers(h5, dataset, events) ? h5->calls.H5Dget_space(dataset) : -1;
    if (space >= 0) {
        dsn__h5_resized(h5, dataset, h5->calls.H5Sget_simple_extent_npoints(space));
        h5->calls.H5Idec_ref(space);
    }
    dsn__h5_end(h5, &q);
}

void dsn__h5d_close(const struct dsn_span *s, struct dsn_record_state *state)
{
    struct h5d_object *d = (struct h5d_object *)state;
    union dsn_val *v = state->rec->v;

    if (!dsn__lock(state))
        return;
    dsn__stamp(&v[H5D_F_CLOSE_START_TIMESTAMP].i, &v[H5D_F_CLOSE_END_TIMESTAMP].i, s);
    dsn__add_time(&d->meta, s);
    dsn__unlock(state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, state, s, 0);
}

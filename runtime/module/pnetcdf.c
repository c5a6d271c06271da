/* pnetcdf.c - counters of the PNETCDF_FILE and PNETCDF_VAR modules
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec modules-io.md 8 and 9. */
#include <config.h>

#include "module/pnetcdf.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/driver.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "module/shared/access.h"
#include "module/shared/direction.h"
#include "module/shared/beside.h"
#include "module/shared/shape.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/pattern.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/span.h"

/* ------------------------------------------------------------------ records */

struct file_record {
    struct dsn_record_state state;
    struct dsn_time_sum meta;
    struct dsn_times wait;
};

struct var_record {
    struct dsn_record_state state;
    struct dsn_times times[2];
    struct dsn_time_sum meta;
    int last_op; /* 1 + enum dsn_direction; 0: none yet */
    struct dsn_shapes shapes;
};

static const struct dsn_time_rows file_wait_rows = { PNETCDF_FILE_F_WAIT_START_TIMESTAMP,
                                                     PNETCDF_FILE_F_WAIT_END_TIMESTAMP, PNETCDF_FILE_F_WAIT_TIME, -1 };

static const struct io_rows {
    int bytes, size_bin, max_size;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { PNETCDF_VAR_BYTES_READ,
                   PNETCDF_VAR_SIZE_READ_AGG_0_100,
                   PNETCDF_VAR_MAX_READ_TIME_SIZE,
                   { PNETCDF_VAR_F_READ_START_TIMESTAMP, PNETCDF_VAR_F_READ_END_TIMESTAMP, PNETCDF_VAR_F_READ_TIME,
                     PNETCDF_VAR_F_MAX_READ_TIME } },
    [DSN_WRITE] = { PNETCDF_VAR_BYTES_WRITTEN,
                    PNETCDF_VAR_SIZE_WRITE_AGG_0_100,
                    PNETCDF_VAR_MAX_WRITE_TIME_SIZE,
                    { PNETCDF_VAR_F_WRITE_START_TIMESTAMP, PNETCDF_VAR_F_WRITE_END_TIMESTAMP, PNETCDF_VAR_F_WRITE_TIME,
                      PNETCDF_VAR_F_MAX_WRITE_TIME } },
};

/* For each kind of call: direction, operation counter, first of the counters by shape. */
static const struct kind_rows {
    enum dsn_direction direction;
    int ops[3], shapes;
} kinds[] = {
    [DSN_NC_get] = { DSN_READ, { PNETCDF_VAR_INDEP_READS, PNETCDF_VAR_COLL_READS }, PNETCDF_VAR_GET_VAR },
    [DSN_NC_put] = { DSN_WRITE, { PNETCDF_VAR_INDEP_WRITES, PNETCDF_VAR_COLL_WRITES }, PNETCDF_VAR_PUT_VAR },
    [DSN_NC_iget] = { DSN_READ, { [DSN_NC_NB] = PNETCDF_VAR_NB_READS }, PNETCDF_VAR_IGET_VAR },
    [DSN_NC_iput] = { DSN_WRITE, { [DSN_NC_NB] = PNETCDF_VAR_NB_WRITES }, PNETCDF_VAR_IPUT_VAR },
    [DSN_NC_bput] = { DSN_WRITE, { [DSN_NC_NB] = PNETCDF_VAR_NB_WRITES }, PNETCDF_VAR_BPUT_VAR },
};

static void finalize_file(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct file_record *f = (struct file_record *)state;

    (void)r;
    state->rec->v[PNETCDF_FILE_F_META_TIME].i = f->meta.total;
    dsn__publish_times(&f->wait, &file_wait_rows, state->rec->v);
}

static void finalize_var(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct var_record *v = (struct var_record *)state;

    (void)r;
    for (int i = DSN_READ; i <= DSN_WRITE; i++)
        dsn__publish_times(&v->times[i], &rows[i].times, state->rec->v);
    state->rec->v[PNETCDF_VAR_F_META_TIME].i = v->meta.total;
    dsn__shapes_publish(&v->shapes, &state->rec->v[PNETCDF_VAR_ACCESS1_ACCESS]);
}

static enum dsn_salvage_result salvage_var(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    return dsn__shapes_salvage(&((struct var_record *)state)->shapes, r);
}

const struct dsn_module_info dsn__pnetcdf_file_module = {
    .id = DSN_PNETCDF_FILE_MODULE,
    .state_size = sizeof(struct file_record),
    .path_named = 1,
    .finalize = finalize_file,
};

const struct dsn_module_info dsn__pnetcdf_var_module = {
    .id = DSN_PNETCDF_VAR_MODULE,
    .state_size = sizeof(struct var_record),
    .path_named = 1,
    .finalize = finalize_var,
    .salvage = salvage_var,
};

/* ------------------------------------------------------------------ open files and variables */

struct nc_var {
    struct dsn_record_state *state;
    struct nc_var *next; /* of the same file */
    uintptr_t key;
    int ndims, is_record;
    int record_dim;
    int64_t points, element;
};

/* A nonblocking request that has not been waited for. */
struct nc_request {
    struct var_record *record; /* NULL: none of this number */
    int64_t size;
    enum dsn_nc_kind kind;
    enum dsn_nc_shape shape;
};

#define MOST_REQUESTS (1 << 20) /* others are not remembered: they count even if they are cancelled */

struct dsn_nc_file {
    struct file_record *record; /* NULL: the module is disabled, or the file excluded */
    _Atomic(struct nc_var *) vars;
    dsn_lock lock; /* of the requests */
    struct nc_request *request;
    unsigned requests; /* room */
    int bytes_known;
    int64_t bytes_read, bytes_written; /* at close */
    char path[];
};

#define FILE_BYTES (sizeof(struct dsn_nc_file) + PATH_MAX)

static uintptr_t file_key(int file)
{
    return ((uintptr_t)(unsigned)file << 32) + ((uintptr_t)1 << 32);
}

static uintptr_t var_key(int file, int var)
{
    return file_key(file) | (unsigned)(var + 1);
}

static struct dsn_nc_file *file_of(int file)
{
    return dsn__handle_get(&dsn__pnetcdf->files, file_key(file));
}

void dsn__nc_open(const struct dsn_span *s, int result, const char *path, const int *file, int counter)
{
    struct dsn_nc_file *f;
    struct file_record *r;
    union dsn_val *v;

    if (result != 0 || !(f = dsn__small_take(&dsn__pnetcdf->free_files, FILE_BYTES)))
        return;
    path = dsn__without_driver(path);
    r = (struct file_record *)dsn__record(DSN_INDEX_PNETCDF_FILE, path);
    if (!dsn__clean_path(path, f->path, PATH_MAX)) {
        dsn__small_give(&dsn__pnetcdf->free_files, f);
        return;
    }
    f->record = r;
    dsn__handle_set(&dsn__pnetcdf->files, file_key(*file), f);
    if (!r || !dsn__lock(&r->state))
        return;
    v = r->state.rec->v;
    v[counter].i++;
    dsn__stamp(&v[PNETCDF_FILE_F_OPEN_START_TIMESTAMP].i, &v[PNETCDF_FILE_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time(&r->meta, s);
    dsn__unlock(&r->state);
    dsn__count_beside(DSN_LAYER_PNETCDF, DSN_CALL_IS_META, &r->state, s, 0);
}

void dsn__nc_meta(const struct dsn_span *s, int result, int file, int counter)
{
    const struct dsn_nc_file *f = result == 0 ? file_of(file) : NULL;
    struct file_record *r = f ? f->record : NULL;

    if (!r || !dsn__lock(&r->state))
        return;
    if (counter >= 0)
        r->state.rec->v[counter].i++;
    dsn__add_time(&r->meta, s);
    dsn__unlock(&r->state);
    dsn__count_beside(DSN_LAYER_PNETCDF, DSN_CALL_IS_META, &r->state, s, 0);
}

void dsn__nc_wait(const struct dsn_span *s, int result, int file, int counter)
{
    const struct dsn_nc_file *f = file_of(file);
    struct file_record *r = f ? f->record : NULL;

    if (!r || !dsn__lock(&r->state))
        return;
    r->state.rec->v[result == 0 ? counter : PNETCDF_FILE_WAIT_FAILURES].i++;
    dsn__note_times(&r->wait, s);
    dsn__unlock(&r->state);
    dsn__count_beside(DSN_LAYER_PNETCDF, DSN_CALL_IS_META, &r->state, s, 0);
}

/* Takes back what dsn__nc_io has counted, except for its time and its frequent size. */
static void uncount(const struct nc_request *q)
{
    const struct kind_rows *kind = &kinds[q->kind];
    const struct io_rows *row = &rows[kind->direction];
    union dsn_val *v = q->record->state.rec->v;

    if (!dsn__lock(&q->record->state))
        return;
    v[kind->ops[DSN_NC_NB]].i--;
    v[kind->shapes + (int)q->shape].i--;
    v[row->bytes].i -= q->size;
    v[row->size_bin + (int)dsn_size_bin(q->size)].i--;
    dsn__unlock(&q->record->state);
}

/* PnetCDF's NC_REQ_ALL, NC_GET_REQ_ALL, NC_PUT_REQ_ALL, in place of a number of requests */
#define DSN_NC_ALL     (-1)
#define DSN_NC_ALL_GET (-2)
#define DSN_NC_ALL_PUT (-3)

/* Removes request `i` if there is one of the kind that `all` stands for. */
static void end_request(struct dsn_nc_file *f, unsigned i, int all, enum dsn_nc_end how)
{
    struct nc_request q = { .record = NULL };

    if (!dsn__spin(&f->lock))
        return;
    if (i < f->requests && (all == DSN_NC_ALL || (all == DSN_NC_ALL_GET) == (f->request[i].kind == DSN_NC_iget))) {
        q = f->request[i];
        f->request[i].record = NULL;
    }
    dsn__unspin(&f->lock);
    if (q.record && how == DSN_NC_CANCELLED)
        uncount(&q);
}

static void end_requests(struct dsn_nc_file *f, int n, const int *requests, enum dsn_nc_end how)
{
    for (unsigned i = 0; n < 0 && i < f->requests; i++)
        end_request(f, i, n, how);
    for (int i = 0; requests && i < n; i++)
        if (requests[i] >= 0)
            end_request(f, (unsigned)requests[i], DSN_NC_ALL, how);
}

void dsn__nc_end(int file, int n, const int *requests, enum dsn_nc_end how)
{
    struct dsn_nc_file *f = file_of(file);

    if (f)
        end_requests(f, n, requests, how);
}

/* PnetCDF numbers requests from 0 on, again and again. */
static void remember_request(struct dsn_nc_file *f, int number, const struct nc_request *q)
{
    unsigned room = f->requests ? f->requests : 64;
    struct nc_request *more;

    if (number < 0 || number >= MOST_REQUESTS || !dsn__spin(&f->lock))
        return;
    while (room <= (unsigned)number)
        room *= 2;
    if (room > f->requests && (more = dsn__pages_grow(f->request, room * sizeof *more)) != NULL) {
        f->request = more;
        f->requests = room;
    }
    if ((unsigned)number < f->requests)
        f->request[number] = *q;
    dsn__unspin(&f->lock);
}

struct dsn_nc_file *dsn__nc_release(const struct dsn_nc *nc, int file)
{
    struct dsn_nc_file *f = dsn__handle_take(&dsn__pnetcdf->files, file_key(file));
    dsn_offset read = 0, written = 0;

    if (!f)
        return NULL;
    end_requests(f, DSN_NC_ALL, NULL, DSN_NC_CANCELLED);
    f->bytes_known = nc->ncmpi_inq_get_size(file, &read) == 0 && nc->ncmpi_inq_put_size(file, &written) == 0;
    f->bytes_read = read;
    f->bytes_written = written;
    for (struct nc_var *v = atomic_load(&f->vars), *next; v; v = next) {
        next = v->next;
        dsn__handle_take(&dsn__pnetcdf->vars, v->key);
        dsn__small_give(&dsn__pnetcdf->free_vars, v);
    }
    return f;
}

/* An unknown amount makes the sum unknown for good. */
static void add_bytes(union dsn_val *v, int64_t bytes, int is_known)
{
    if (!is_known)
        v->i = -1;
    else if (v->i >= 0)
        v->i += bytes;
}

void dsn__nc_close(const struct dsn_span *s, struct dsn_nc_file *f)
{
    struct file_record *r = f ? f->record : NULL;
    union dsn_val *v;

    if (r && dsn__lock(&r->state)) {
        v = r->state.rec->v;
        add_bytes(&v[PNETCDF_FILE_BYTES_READ], f->bytes_read, f->bytes_known);
        add_bytes(&v[PNETCDF_FILE_BYTES_WRITTEN], f->bytes_written, f->bytes_known);
        dsn__stamp(&v[PNETCDF_FILE_F_CLOSE_START_TIMESTAMP].i, &v[PNETCDF_FILE_F_CLOSE_END_TIMESTAMP].i, s);
        dsn__add_time(&r->meta, s);
        dsn__unlock(&r->state);
        dsn__count_beside(DSN_LAYER_PNETCDF, DSN_CALL_IS_META, &r->state, s, 0);
    }
    if (f) {
        dsn__pages_free(f->request);
        dsn__small_give(&dsn__pnetcdf->free_files, f);
    }
}

/* ------------------------------------------------------------------ variables */

/* Bytes of an element by nc_type: byte char short int float double ubyte ushort uint int64 uint64. */
static int64_t element_of(int type)
{
    static const int64_t bytes[] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };

    return type > 0 && type < (int)(sizeof bytes / sizeof bytes[0]) ? bytes[type] : 0;
}

/* Queries a variable. Only its first dimension can be the unlimited one. */
static bool query_variable(const struct dsn_nc *nc, int file, int var, struct nc_var *v, char *name)
{
    int dims[DSN_NC_MAX_DIMS], type = 0, unlimited = -1;
    dsn_offset length;

    if (nc->ncmpi_inq_varndims(file, var, &v->ndims) != 0 || v->ndims > DSN_NC_MAX_DIMS ||
        nc->ncmpi_inq_var(file, var, name, &type, NULL, dims, NULL) != 0)
        return false;
    nc->ncmpi_inq_unlimdim(file, &unlimited);
    v->element = element_of(type);
    v->points = 1;
    v->is_record = v->ndims > 0 && unlimited >= 0 && dims[0] == unlimited;
    v->record_dim = unlimited;
    for (int i = v->is_record; i < v->ndims; i++)
        v->points *= nc->ncmpi_inq_dimlen(file, dims[i], &length) == 0 ? length : 0;
    return true;
}

static void note_summary(struct dsn_record_state *state, const struct nc_var *v, const char *path)
{
    union dsn_val *to = state->rec->v;

    if (strncmp(state->name->text, path, strlen(path)) != 0 || dsn__is_pattern(state->name->text))
        return; /* a record that others are aggregated into has none */
    to[PNETCDF_VAR_FILE_REC_ID].i = (int64_t)dsn_hash(path, strlen(path), 0);
    to[PNETCDF_VAR_NDIMS].i = v->ndims;
    to[PNETCDF_VAR_NPOINTS].i = v->points;
    to[PNETCDF_VAR_DATATYPE_SIZE].i = v->element;
    to[PNETCDF_VAR_IS_RECORD_VAR].i = v->is_record;
}

/* Finds the variable, querying it if it is new: programs may use variable ids without ever asking for names. */
static struct nc_var *find_var(const struct dsn_nc *nc, int file, int var)
{
    struct nc_var *v = dsn__handle_get(&dsn__pnetcdf->vars, var_key(file, var));
    struct dsn_nc_file *f = v ? NULL : file_of(file);
    char var_name[DSN_NC_MAX_NAME + 1], name[PATH_MAX];
    struct nc_var now = { .key = var_key(file, var) };

    if (v || !f || !query_variable(nc, file, var, &now, var_name) ||
        dsn__format(name, sizeof name, "%s:%s", f->path, var_name) >= (int)sizeof name)
        return v;
    now.state = dsn__record(DSN_INDEX_PNETCDF_VAR, name);
    v = now.state ? dsn__small_take(&dsn__pnetcdf->free_vars, sizeof *v) : NULL;
    if (!v)
        return NULL;
    *v = now;
    v->next = atomic_load(&f->vars);
    while (!atomic_compare_exchange_weak(&f->vars, &v->next, v))
        ;
    dsn__handle_set(&dsn__pnetcdf->vars, v->key, v);
    if (dsn__lock(v->state)) {
        note_summary(v->state, v, f->path);
        dsn__unlock(v->state);
    }
    return v;
}

/* Returns a copy, because another thread may be closing the file. */
static bool var_of(const struct dsn_nc *nc, int file, int var, struct nc_var *out)
{
    const struct nc_var *v = find_var(nc, file, var);

    if (!v)
        return false;
    *out = *v;
    return out->state != NULL;
}

void dsn__nc_var_open(const struct dsn_nc *nc, const struct dsn_span *s, int result, int file, const int *var)
{
    struct nc_var v;
    struct var_record *r;
    union dsn_val *to;

    if (result != 0 || !var || !var_of(nc, file, *var, &v) || !dsn__lock(v.state))
        return;
    r = (struct var_record *)v.state;
    to = r->state.rec->v;
    to[PNETCDF_VAR_OPENS].i++;
    dsn__stamp(&to[PNETCDF_VAR_F_OPEN_START_TIMESTAMP].i, &to[PNETCDF_VAR_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time(&r->meta, s);
    dsn__unlock(&r->state);
    dsn__count_beside(DSN_LAYER_PNETCDF, DSN_CALL_IS_META, &r->state, s, 0);
}

/* ------------------------------------------------------------------ transfers */

static int64_t product(const dsn_offset *count, int n)
{
    int64_t points = 1;

    for (int i = 0; count && i < n; i++)
        points *= count[i];
    return points;
}

static int64_t points_of_list(const struct dsn_nc_io *io, int ndims)
{
    int64_t points = 0;

    for (int i = 0; i < io->num; i++)
        points += product(io->counts ? io->counts[i] : NULL, ndims);
    return points;
}

/* A whole record variable has as many records as the file at the time. */
static int64_t points_of_all(const struct dsn_nc *nc, const struct nc_var *v, int file)
{
    dsn_offset records = 1;

    if (v->is_record && nc->ncmpi_inq_dimlen(file, v->record_dim, &records) != 0)
        records = 0;
    return v->points * records;
}

static int64_t bytes_of(const struct dsn_nc *nc, const struct nc_var *v, const struct dsn_nc_io *io)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    switch (io->shape) {
    case DSN_NC_var:
        return points_of_all(nc, v, io->file) * v->element;
    case DSN_NC_var1:
        return v->element;
    case DSN_NC_varn:
        return points_of_list(io, v->ndims) * v->element;
    case DSN_NC_vard:
        return mpi ? mpi->type_size(io->type) : 0;
    default:
        return product(io->count, v->ndims) * v->element;
    }
}

/* The last five dimensions in order; a variable with fewer starts at D1. */
static void fill_shape(const struct nc_var *v, const struct dsn_nc_io *io, struct dsn_slab *shape)
{
    const int from = v->ndims > DSN_SHAPE_NDIMS ? v->ndims - DSN_SHAPE_NDIMS : 0;
    const int is_strided = io->shape == DSN_NC_vars || io->shape == DSN_NC_varm;

    for (int i = from; io->count && i < v->ndims; i++) {
        shape->length[i - from] = io->count[i];
        if (is_strided)
            shape->stride[i - from] = io->stride ? io->stride[i] : 1;
    }
}

void dsn__nc_io(const struct dsn_nc *nc, const struct dsn_span *s, int result, const struct dsn_nc_io *io)
{
    const struct kind_rows *kind = &kinds[io->kind];
    const struct io_rows *row = &rows[kind->direction];
    struct dsn_slab shape = { 0 };
    struct dsn_nc_file *f;
    struct var_record *r;
    struct nc_var v;
    union dsn_val *to;

    if (result != 0 || !var_of(nc, io->file, io->var, &v))
        return;
    shape.size = bytes_of(nc, &v, io);
    fill_shape(&v, io, &shape);
    r = (struct var_record *)v.state;
    if (!dsn__lock(&r->state))
        return;
    to = r->state.rec->v;
    to[kind->ops[io->how]].i++;
    to[kind->shapes + (int)io->shape].i++;
    to[row->bytes].i += shape.size;
    to[row->size_bin + (int)dsn_size_bin(shape.size)].i++;
    dsn__shapes_add(&r->shapes, &shape);
    if (r->last_op != 0 && r->last_op != 1 + (int)kind->direction)
        to[PNETCDF_VAR_RW_SWITCHES].i++;
    r->last_op = 1 + (int)kind->direction;
    if (dsn__note_times(&r->times[kind->direction], s))
        to[row->max_size].i = shape.size;
    dsn__unlock(&r->state);
    dsn__count_beside(DSN_LAYER_PNETCDF, dsn__call_kind(kind->direction), &r->state, s, shape.size);
    if (io->request && (f = file_of(io->file)) != NULL)
        remember_request(f, *io->request, &(struct nc_request){ r, shape.size, io->kind, io->shape });
}

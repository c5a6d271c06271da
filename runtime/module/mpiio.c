/* mpiio.c - counters of the MPI-IO module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec modules-io.md 4. Sizes are those of the request, computed in 64 bits. */
#include <config.h>

#include "module/mpiio.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/driver.h"
#include "base/mpi.h"
#include "module/shared/access.h"
#include "module/shared/auxiliary.h"
#include "module/shared/dxt.h"
#include "module/shared/heatmap.h"
#include "module/shared/beside.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/shards.h"
#include "record/span.h"

struct mpiio_file {
    struct dsn_record_state state;
    struct dsn_recent recent;
    int last_op; /* 1 + enum dsn_direction; 0: none yet */
    struct dsn_times times[2];
    struct dsn_time_sum meta;
    struct dsn_heat heat;
    dsn_trace_ref trace;
    struct dsn_common access;
};

static const struct io_rows {
    int bytes, size_bin, max_size;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { MPIIO_BYTES_READ,
                   MPIIO_SIZE_READ_AGG_0_100,
                   MPIIO_MAX_READ_TIME_SIZE,
                   { MPIIO_F_READ_START_TIMESTAMP, MPIIO_F_READ_END_TIMESTAMP, MPIIO_F_READ_TIME,
                     MPIIO_F_MAX_READ_TIME } },
    [DSN_WRITE] = { MPIIO_BYTES_WRITTEN,
                    MPIIO_SIZE_WRITE_AGG_0_100,
                    MPIIO_MAX_WRITE_TIME_SIZE,
                    { MPIIO_F_WRITE_START_TIMESTAMP, MPIIO_F_WRITE_END_TIMESTAMP, MPIIO_F_WRITE_TIME,
                      MPIIO_F_MAX_WRITE_TIME } },
};

static union dsn_val *counters(struct mpiio_file *f)
{
    return f->state.rec->v;
}

static bool init(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    struct mpiio_file *f = (struct mpiio_file *)state;

    (void)alloc;
    (void)all_at_once;
    dsn__common_begin(&f->access, &state->rec->v[MPIIO_ACCESS1_ACCESS]);
    return true;
}

static void flush(struct dsn_record_state *state, const struct dsn_recording *r)
{
    struct mpiio_file *f = (struct mpiio_file *)state;

    dsn__heat_flush(&f->heat, DSN_HEAT_MPIIO, r);
    dsn__common_flush(&f->recent);
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    struct mpiio_file *f = (struct mpiio_file *)state;

    (void)r;
    for (int d = DSN_READ; d <= DSN_WRITE; d++)
        dsn__publish_times(&f->times[d], &rows[d].times, state->rec->v);
    state->rec->v[MPIIO_F_META_TIME].i = f->meta.total;
    state->rec->v[MPIIO_NVALUES + FILE_MODULE].i = DSN_MPIIO_MODULE;
    dsn__common_publish(&f->access, &f->recent);
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    struct mpiio_file *f = (struct mpiio_file *)state;

    return dsn__common_salvage(&f->access, &f->recent, &state->rec->v[MPIIO_ACCESS1_ACCESS], r);
}

static unsigned frequent(const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX])
{
    (void)at;
    return dsn__common_values(&((const struct mpiio_file *)state)->access, out);
}

const struct dsn_module_info dsn__mpiio_module = {
    .id = DSN_MPIIO_MODULE,
    .state_size = sizeof(struct mpiio_file),
    .path_named = 1,
    .init = init,
    .flush = flush,
    .finalize = finalize,
    .values = frequent,
    .salvage = salvage,
};

static struct mpiio_file *file_of(dsn_handle file)
{
    return dsn__handle_get(dsn__mpi_files, (uintptr_t)file);
}

/* MPI_File is a pointer in every MPI. */
static uintptr_t handle_at(const void *file)
{
    uintptr_t h;

    memcpy(&h, file, sizeof h);
    return h;
}

void dsn__mpiio_open(const struct dsn_span *s, int result, dsn_handle comm, const char *path, int amode,
                     dsn_handle info, const void *file)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;
    struct mpiio_file *f;

    if (result != DSN_MPI_SUCCESS || !mpi)
        return;
    f = (struct mpiio_file *)dsn__record(DSN_INDEX_MPIIO, dsn__without_driver(path));
    if (!f)
        return;
    dsn__handle_set(dsn__mpi_files, handle_at(file), f);
    if (!dsn__lock(&f->state))
        return;
    counters(f)[MPIIO_MODE].i = amode;
    counters(f)[mpi->comm_size(comm) > 1 ? MPIIO_COLL_OPENS : MPIIO_INDEP_OPENS].i++;
    counters(f)[MPIIO_HINTS].i += mpi->info_given(info);
    dsn__stamp(&counters(f)[MPIIO_F_OPEN_START_TIMESTAMP].i, &counters(f)[MPIIO_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time_of(&f->meta, s, &counters(f)[MPIIO_NVALUES + FILE_F_OPEN_TIME].i);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, DSN_CALL_IS_META, &f->state, s, 0);
}

void dsn__mpiio_place(struct dsn_span *s, dsn_handle file, int64_t offset, int is_shared)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    s->place = -1;
    if (is_shared || !mpi || !file_of(file))
        return;
    dsn__span_before(s);
    s->place = mpi->byte_of(file, offset);
    dsn__span_close(s);
    s->start = dsn__ticks();
}

/* A trace is of the whole file. */
static struct mpiio_file *locked_shard_of(struct mpiio_file *whole, int is_traced)
{
    if (is_traced ? dsn__lock(&whole->state) : dsn__lock_uncontended(&whole->state))
        return whole;
    return is_traced ? NULL : (struct mpiio_file *)dsn__lock_shard(DSN_INDEX_MPIIO, &whole->state);
}

void dsn__mpiio_io(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file, int64_t count,
                   dsn_handle type, int counter)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;
    struct mpiio_file *const whole = file_of(file), *f;
    const struct io_rows *r = &rows[d];
    struct dsn_trace *trace;
    union dsn_val *v;
    int64_t bytes;

    if (!whole || !mpi || result != DSN_MPI_SUCCESS)
        return;
    bytes = count > 0 ? count * mpi->type_size(type) : 0;
    trace = dsn__trace_of(DSN_TRACE_MPIIO, &whole->trace, whole->state.name);
    f = locked_shard_of(whole, trace != NULL);
    if (!f)
        return;
    v = counters(f);
    v[r->bytes].i += bytes;
    v[counter].i++;
    v[r->size_bin + (int)dsn_size_bin(bytes)].i++;
    dsn__common_add(&f->access, &f->recent, bytes);
    if (f->last_op != 0 && f->last_op != 1 + (int)d)
        v[MPIIO_RW_SWITCHES].i++;
    f->last_op = 1 + (int)d;
    if (f == whole ? dsn__note_times(&f->times[d], s) : dsn__note_shard_times(&f->times[d], s))
        v[r->max_size].i = bytes;
    DSN_HEAT_ADD(&f->heat, DSN_HEAT_MPIIO, d, s, bytes);
    if (__builtin_expect(trace != NULL, 0))
        dsn__trace_add(trace, s, d, s->place, bytes);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, dsn__call_kind(d), &whole->state, s, bytes);
    if (f != whole)
        dsn__add_time_later(&whole->state, &whole->times[d].sum, s);
}

void dsn__mpiio_sync(const struct dsn_span *s, int result, dsn_handle file)
{
    struct mpiio_file *f = file_of(file);

    if (!f || result != DSN_MPI_SUCCESS || !dsn__lock(&f->state))
        return;
    counters(f)[MPIIO_SYNCS].i++;
    dsn__add_time_of(&f->times[DSN_WRITE].sum, s, &counters(f)[MPIIO_NVALUES + FILE_F_SYNC_TIME].i);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, DSN_CALL_CONTINUES_WRITE, &f->state, s, 0);
}

void dsn__mpiio_view(const struct dsn_span *s, int result, dsn_handle file, dsn_handle info)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;
    struct mpiio_file *f = file_of(file);

    if (!f || !mpi || result != DSN_MPI_SUCCESS || !dsn__lock(&f->state))
        return;
    counters(f)[MPIIO_VIEWS].i++;
    counters(f)[MPIIO_HINTS].i += mpi->info_given(info);
    dsn__add_time(&f->meta, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, DSN_CALL_IS_META, &f->state, s, 0);
}

void *dsn__mpiio_release(const void *file)
{
    return dsn__handle_take(dsn__mpi_files, handle_at(file));
}

void dsn__mpiio_close(const struct dsn_span *s, void *released)
{
    struct mpiio_file *f = released;

    if (!f || !dsn__lock(&f->state))
        return;
    dsn__stamp(&counters(f)[MPIIO_F_CLOSE_START_TIMESTAMP].i, &counters(f)[MPIIO_F_CLOSE_END_TIMESTAMP].i, s);
    dsn__add_time_of(&f->meta, s, &counters(f)[MPIIO_NVALUES + FILE_F_CLOSE_TIME].i);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, DSN_CALL_IS_META, &f->state, s, 0);
}

void dsn__mpiio_end(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file)
{
    struct mpiio_file *f = file_of(file);

    if (!f || result != DSN_MPI_SUCCESS || !dsn__lock(&f->state))
        return;
    dsn__stamp(&f->times[d].first, &f->times[d].last, s);
    dsn__add_time(&f->times[d].sum, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_MPIIO, d == DSN_READ ? DSN_CALL_CONTINUES_READ : DSN_CALL_CONTINUES_WRITE, &f->state, s,
                      0);
}

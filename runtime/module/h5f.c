/* h5f.c - counters of the H5F module (HDF5 files)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec modules-io.md 6. */
#include <config.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "module/h5.h"
#include "base/driver.h"
#include "module/shared/access.h"
#include "module/shared/beside.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/record.h"

struct h5f_file {
    struct dsn_record_state state;
    struct dsn_time_sum meta;
};

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct h5f_file *f = (struct h5f_file *)state;

    (void)r;
    state->rec->v[H5F_F_META_TIME].i = f->meta.total;
}

const struct dsn_module_info dsn__h5f_module = {
    .id = DSN_H5F_MODULE,
    .state_size = sizeof(struct h5f_file),
    .path_named = 1,
    .finalize = finalize,
};

/* The driver of an access property list can be determined only by reading the driver's own properties. */
static bool uses_mpiio(struct dsn_h5 *h5, dsn_hid access)
{
    return access != DSN_H5_DEFAULT && h5->calls.H5Pget_fapl_mpio &&
           h5->calls.H5Pget_fapl_mpio(access, NULL, NULL) >= 0;
}

void dsn__h5f_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *path, dsn_hid access)
{
    struct dsn_h5_quiet q;
    struct h5f_file *f;
    union dsn_val *v;
    int mpiio;

    if (id < 0 || !dsn__h5_begin(h5, &q, s, DSN_H5_MAY_FAIL))
        return;
    mpiio = uses_mpiio(h5, access);
    dsn__h5_end(h5, &q);
    path = dsn__without_driver(path);
    f = (struct h5f_file *)dsn__record(DSN_INDEX_H5F, path);
    if (!f)
        return;
    dsn__h5_opened(h5, id,
                   &(struct dsn_h5_open){
                       .state = &f->state, .module = DSN_INDEX_H5F, .name = dsn__h5_name_known(path, &f->state) });
    if (!dsn__lock(&f->state))
        return;
    v = f->state.rec->v;
    v[H5F_OPENS].i++;
    v[H5F_USE_MPIIO].i = mpiio;
    dsn__stamp(&v[H5F_F_OPEN_START_TIMESTAMP].i, &v[H5F_F_OPEN_END_TIMESTAMP].i, s);
    dsn__add_time(&f->meta, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, &f->state, s, 0);
}

/* Record of the file that contains an object. */
static struct dsn_record_state *file_of(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid object, dsn_hid events)
{
    struct dsn_h5_open o;
    struct dsn_h5_quiet q;
    char name[PATH_MAX];
    int ok;

    if (dsn__h5_find(h5, object, DSN_INDEX_H5F, &o))
        return o.state;
    if (!dsn__h5_begin(h5, &q, s, DSN_H5_MAY_FAIL))
        return NULL;
    ok = dsn__h5_answers(h5, object, events) && dsn__h5_file_name(h5, object, name, sizeof name);
    dsn__h5_end(h5, &q);
    return ok ? dsn__record(DSN_INDEX_H5F, name) : NULL;
}

void dsn__h5f_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid object, dsn_hid events)
{
    struct h5f_file *f = result < 0 ? NULL : (struct h5f_file *)file_of(h5, s, object, events);

    if (!f || !dsn__lock(&f->state))
        return;
    f->state.rec->v[H5F_FLUSHES].i++;
    dsn__add_time(&f->meta, s);
    dsn__unlock(&f->state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, &f->state, s, 0);
}

void dsn__h5f_close(const struct dsn_span *s, struct dsn_record_state *state)
{
    struct h5f_file *f = (struct h5f_file *)state;
    union dsn_val *v = state->rec->v;

    if (!dsn__lock(state))
        return;
    dsn__stamp(&v[H5F_F_CLOSE_START_TIMESTAMP].i, &v[H5F_F_CLOSE_END_TIMESTAMP].i, s);
    dsn__add_time(&f->meta, s);
    dsn__unlock(state);
    dsn__count_beside(DSN_LAYER_HDF5, DSN_CALL_IS_META, state, s, 0);
}

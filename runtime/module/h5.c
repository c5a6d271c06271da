/* h5.c - queries to the application's HDF5 library, and a table of open identifiers
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/h5.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/driver.h"
#include "base/warn.h"
#include "darshan-log-format/hash.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/record.h"
#include "record/span.h"

/* ------------------------------------------------------------------ queries */

/* Identifiers are 64 bits wide since HDF5 1.10. */
static int look_at_version(struct dsn_h5 *h5)
{
    unsigned major = 0, minor = 0, release = 0;
    int state = DSN_H5_UNUSABLE;

    if (h5->calls.H5get_libversion && h5->calls.H5get_libversion(&major, &minor, &release) >= 0 &&
        ((major == 1 && minor >= 10) || major == 2))
        state = DSN_H5_USABLE;
#define C(r, name, p)                                                                                                  \
    if (!h5->calls.name)                                                                                               \
        state = DSN_H5_UNUSABLE;
#define X(r, name, p) C(r, name, p)
#define O(r, name, p)
#include "module/h5-calls.def"
#undef C
#undef O
#undef X
    if (atomic_exchange(&h5->state, state) == DSN_H5_UNKNOWN && state == DSN_H5_UNUSABLE)
        dsn__say("HDF5 %u.%u.%u is not a version that is supported: H5F and H5D are off", major, minor, release);
    return state;
}

static void mute(struct dsn_h5 *h5, struct dsn_h5_quiet *q)
{
    const struct dsn_h5_calls *c = &h5->calls;

    q->is_v2 = 1;
    q->muted = c->H5Eauto_is_v2(DSN_H5_DEFAULT, &q->is_v2) >= 0;
    if (q->muted && q->is_v2)
        q->muted = c->H5Eget_auto2(DSN_H5_DEFAULT, &q->report, &q->data) >= 0 &&
                   c->H5Eset_auto2(DSN_H5_DEFAULT, NULL, NULL) >= 0;
    else if (q->muted) /* the application uses the error API of HDF5 1.6: its handler must be restored through the same
                        * API */
        q->muted = c->H5Eget_auto1 && c->H5Eset_auto1 && c->H5Eget_auto1(&q->report, &q->data) >= 0 &&
                   c->H5Eset_auto1(NULL, NULL) >= 0;
}

static void unmute(struct dsn_h5 *h5, const struct dsn_h5_quiet *q)
{
    if (q->is_v2)
        h5->calls.H5Eset_auto2(DSN_H5_DEFAULT, q->report, q->data);
    else
        h5->calls.H5Eset_auto1(q->report, q->data);
}

bool dsn__h5_begin(struct dsn_h5 *h5, struct dsn_h5_quiet *q, const struct dsn_span *s, enum dsn_h5_questions what)
{
    int state = atomic_load_explicit(&h5->state, memory_order_relaxed);

    q->span = s;
    q->errors = 0;
    dsn__unmark(); /* I/O that HDF5 does on our behalf is recorded as any other */
    if (state == DSN_H5_UNKNOWN)
        state = look_at_version(h5);
    if (state == DSN_H5_UNUSABLE) {
        dsn__mark(s);
        return false;
    }
    if (h5->calls.H5Eget_num(DSN_H5_DEFAULT) > 0)
        q->errors = h5->calls.H5Eget_current_stack();
    q->muted = 0;
    if (what == DSN_H5_MAY_FAIL)
        mute(h5, q);
    return true;
}

void dsn__h5_end(struct dsn_h5 *h5, struct dsn_h5_quiet *q)
{
    if (q->muted) {
        unmute(h5, q);
        h5->calls.H5Eclear2(DSN_H5_DEFAULT);
    }
    if (q->errors > 0)
        h5->calls.H5Eset_current_stack(q->errors); /* this also releases the copy */
    dsn__mark(q->span);
}

bool dsn__h5_answers(const struct dsn_h5 *h5, dsn_hid object, dsn_hid events)
{
    _Bool is_native = 0;

    if (events == DSN_H5_DEFAULT)
        return true;
    return h5->calls.H5VLobject_is_native && h5->calls.H5VLobject_is_native(object, &is_native) >= 0 && is_native;
}

/* ------------------------------------------------------------------ identifiers */

/* The upper byte of an identifier is its type, the rest a serial number; no program creates 2^48 of them. */
static uintptr_t key_of(const struct dsn_h5 *h5, dsn_hid id)
{
    return (uintptr_t)id ^ (uintptr_t)h5->number << 48;
}

static struct dsn_h5_open *open_of(const struct dsn_h5 *h5, dsn_hid id)
{
    return dsn__handle_get(&dsn__h5->ids, key_of(h5, id));
}

/* One list for files and one for datasets, so that a thread that looks late never takes one for the other. */
static struct dsn_small **free_list(enum dsn_module_index module)
{
    return module == DSN_INDEX_H5F ? &dsn__h5->free_files : &dsn__h5->free_sets;
}

bool dsn__h5_find(const struct dsn_h5 *h5, dsn_hid id, enum dsn_module_index module, struct dsn_h5_open *what)
{
    const struct dsn_h5_open *o = open_of(h5, id);

    if (!o)
        return false;
    *what = *o;
    return what->module == module && what->state;
}

void dsn__h5_opened(const struct dsn_h5 *h5, dsn_hid id, const struct dsn_h5_open *what)
{
    struct dsn_h5_open *o = dsn__small_take(free_list(what->module), sizeof *o);

    if (!o)
        return;
    *o = *what;
    dsn__handle_set(&dsn__h5->ids, key_of(h5, id), o);
}

void dsn__h5_resized(const struct dsn_h5 *h5, dsn_hid id, int64_t points)
{
    struct dsn_h5_open *o = open_of(h5, id);

    if (o)
        o->points = points;
}

bool dsn__h5_closed(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, struct dsn_h5_open *what)
{
    struct dsn_h5_open *o = open_of(h5, id);
    struct dsn_h5_quiet q;
    int in_use;

    if (!o || !dsn__h5_begin(h5, &q, s, DSN_H5_SURE))
        return false;
    in_use = h5->calls.H5Iis_valid(id) > 0; /* in use as long as it was closed less often than its reference count was
                                             * raised */
    dsn__h5_end(h5, &q);
    if (in_use)
        return false;
    o = dsn__handle_take(&dsn__h5->ids, key_of(h5, id));
    if (!o)
        return false;
    *what = *o;
    dsn__small_give(free_list(what->module), o);
    return true;
}

void dsn__h5_close(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid id)
{
    struct dsn_h5_open o;

    if (result < 0 || !dsn__h5_closed(h5, s, id, &o))
        return;
    if (o.name)
        dsn__handle_take(&dsn__h5->names, o.name);
    if (o.module == DSN_INDEX_H5F)
        dsn__h5f_close(s, o.state);
    else
        dsn__h5d_close(s, o.state);
}

/* ------------------------------------------------------------------ file names */

static uintptr_t key_of_name(const char *given)
{
    return (uintptr_t)dsn_hash(given, strlen(given), 0) | 1;
}

uintptr_t dsn__h5_name_known(const char *given, struct dsn_record_state *file)
{
    if (given[0] == '/')
        return 0;
    dsn__handle_set(&dsn__h5->names, key_of_name(given), file);
    return key_of_name(given);
}

bool dsn__h5_file_name(const struct dsn_h5 *h5, dsn_hid object, char *out, size_t size)
{
    const struct dsn_record_state *file = NULL;
    char given[PATH_MAX];
    ssize_t n = h5->calls.H5Fget_name(object, given, sizeof given);
    const char *path = dsn__without_driver(given);

    if (n <= 0 || (size_t)n >= sizeof given)
        return false;
    if (path[0] != '/')
        file = dsn__handle_get(&dsn__h5->names, key_of_name(path));
    if (!file)
        return dsn__clean_path(path, out, size);
    n = (ssize_t)strlen(file->name->text) + 1;
    if ((size_t)n > size)
        return false;
    memcpy(out, file->name->text, (size_t)n);
    return true;
}

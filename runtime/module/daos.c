/* daos.c - counters of the DFS and DAOS modules
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Semantics: spec modules-other.md 5 and 6, wrapped-calls.md 8. */
#include <config.h>

#include "module/daos.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/index.h"
#include "module/shared/access.h"
#include "module/shared/heatmap.h"
#include "module/shared/beside.h"
#include "record/fd.h"
#include "record/inner.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/shards.h"
#include "record/span.h"

#define UUID_BYTES 16

/* ------------------------------------------------------------------ records */

/* A file of DFS, or an object of DAOS. */
struct object {
    struct dsn_record_state state;
    struct dsn_recent recent;
    int last_op; /* 1 + enum dsn_direction; 0: none yet */
    struct dsn_times times[2];
    struct dsn_time_sum meta;
    _Atomic(int64_t)
        longest[2]; /* ticks, of calls that are counted in shards: the total, which forgets gaps, is no less */
    struct dsn_heat heat;
    struct dsn_common access;
};

struct io_rows {
    int bytes, size_bin, max_size, asynchronous;
    struct dsn_time_rows times;
};

static const struct layer {
    enum dsn_module_index module;
    enum dsn_heat_of heat;
    enum dsn_layer beside;
    struct io_rows io[2];
    int access, switches, pool, container;
    int open_start, open_end, close_start, close_end, meta;
} layers[] = {
    [DSN_BY_DFS] = { .module = DSN_INDEX_DFS,
                     .heat = DSN_HEAT_DFS,
                     .beside = DSN_LAYER_DFS,
                     .io = { [DSN_READ] = { DFS_BYTES_READ,
                                            DFS_SIZE_READ_0_100,
                                            DFS_MAX_READ_TIME_SIZE,
                                            DFS_NB_READS,
                                            { DFS_F_READ_START_TIMESTAMP, DFS_F_READ_END_TIMESTAMP, DFS_F_READ_TIME,
                                              DFS_F_MAX_READ_TIME } },
                             [DSN_WRITE] = { DFS_BYTES_WRITTEN,
                                             DFS_SIZE_WRITE_0_100,
                                             DFS_MAX_WRITE_TIME_SIZE,
                                             DFS_NB_WRITES,
                                             { DFS_F_WRITE_START_TIMESTAMP, DFS_F_WRITE_END_TIMESTAMP, DFS_F_WRITE_TIME,
                                               DFS_F_MAX_WRITE_TIME } } },
                     .access = DFS_ACCESS1_ACCESS,
                     .switches = DFS_RW_SWITCHES,
                     .pool = DFS_POOL_UUID,
                     .container = DFS_CONT_UUID,
                     .open_start = DFS_F_OPEN_START_TIMESTAMP,
                     .open_end = DFS_F_OPEN_END_TIMESTAMP,
                     .close_start = DFS_F_CLOSE_START_TIMESTAMP,
                     .close_end = DFS_F_CLOSE_END_TIMESTAMP,
                     .meta = DFS_F_META_TIME },
    [DSN_BY_DAOS] = { .module = DSN_INDEX_DAOS,
                      .heat = DSN_HEAT_DAOS,
                      .beside = DSN_LAYER_DAOS,
                      .io = { [DSN_READ] = { DAOS_BYTES_READ,
                                             DAOS_SIZE_READ_0_100,
                                             DAOS_MAX_READ_TIME_SIZE,
                                             DAOS_NB_OPS,
                                             { DAOS_F_READ_START_TIMESTAMP, DAOS_F_READ_END_TIMESTAMP, DAOS_F_READ_TIME,
                                               DAOS_F_MAX_READ_TIME } },
                              [DSN_WRITE] = { DAOS_BYTES_WRITTEN,
                                              DAOS_SIZE_WRITE_0_100,
                                              DAOS_MAX_WRITE_TIME_SIZE,
                                              DAOS_NB_OPS,
                                              { DAOS_F_WRITE_START_TIMESTAMP, DAOS_F_WRITE_END_TIMESTAMP,
                                                DAOS_F_WRITE_TIME, DAOS_F_MAX_WRITE_TIME } } },
                      .access = DAOS_ACCESS1_ACCESS,
                      .switches = DAOS_RW_SWITCHES,
                      .pool = DAOS_POOL_UUID,
                      .container = DAOS_CONT_UUID,
                      .open_start = DAOS_F_OPEN_START_TIMESTAMP,
                      .open_end = DAOS_F_OPEN_END_TIMESTAMP,
                      .close_start = DAOS_F_CLOSE_START_TIMESTAMP,
                      .close_end = DAOS_F_CLOSE_END_TIMESTAMP,
                      .meta = DAOS_F_META_TIME },
};

static bool init(struct object *f, const struct layer *row)
{
    dsn__common_begin(&f->access, &f->state.rec->v[row->access]);
    return true;
}

static bool init_file(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    (void)alloc;
    (void)all_at_once;
    return init((struct object *)state, &layers[DSN_BY_DFS]);
}

static bool init_object(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    (void)alloc;
    (void)all_at_once;
    return init((struct object *)state, &layers[DSN_BY_DAOS]);
}

static void flush(struct object *f, const struct layer *row, const struct dsn_recording *r)
{
    dsn__heat_flush(&f->heat, row->heat, r);
    dsn__common_flush(&f->recent);
}

static void flush_file(struct dsn_record_state *state, const struct dsn_recording *r)
{
    flush((struct object *)state, &layers[DSN_BY_DFS], r);
}

static void flush_object(struct dsn_record_state *state, const struct dsn_recording *r)
{
    flush((struct object *)state, &layers[DSN_BY_DAOS], r);
}

static void finalize(struct object *f, const struct layer *row)
{
    union dsn_val *v = f->state.rec->v;

    for (int d = DSN_READ; d <= DSN_WRITE; d++) {
        dsn__publish_times(&f->times[d], &row->io[d].times, v);
        dsn__raise(&v[row->io[d].times.time], atomic_load(&f->longest[d]));
    }
    v[row->meta].i = f->meta.total;
    dsn__common_publish(&f->access, &f->recent);
}

static void finalize_file(struct dsn_record_state *state, const struct dsn_recording *r)
{
    (void)r;
    finalize((struct object *)state, &layers[DSN_BY_DFS]);
}

static void finalize_object(struct dsn_record_state *state, const struct dsn_recording *r)
{
    (void)r;
    finalize((struct object *)state, &layers[DSN_BY_DAOS]);
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r, int access)
{
    struct object *f = (struct object *)state;

    return dsn__common_salvage(&f->access, &f->recent, &state->rec->v[access], r);
}

static enum dsn_salvage_result salvage_file(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    return salvage(state, r, DFS_ACCESS1_ACCESS);
}

static enum dsn_salvage_result salvage_object(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    return salvage(state, r, DAOS_ACCESS1_ACCESS);
}

static unsigned frequent(const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX])
{
    (void)at;
    return dsn__common_values(&((const struct object *)state)->access, out);
}

static bool any_of(const union dsn_val *v, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (v[i].i != 0)
            return true;
    return false;
}

/* What was only opened is not in the log, as a directory on the way to a file. */
static bool file_is_used(const struct dsn_rec *rec)
{
    return any_of(rec->v, DFS_READS, DFS_STATS);
}

static bool object_is_used(const struct dsn_rec *rec)
{
    return any_of(rec->v, DAOS_OBJ_FETCHES, DAOS_OBJ_RECX_LISTS) ||
           any_of(rec->v, DAOS_ARRAY_READS, DAOS_ARRAY_DESTROYS) || any_of(rec->v, DAOS_KV_GETS, DAOS_KV_DESTROYS);
}

/* Their names are no paths of this machine: the list of excluded prefixes is not about them. */
const struct dsn_module_info dsn__dfs_module = {
    .id = DSN_DFS_MODULE,
    .state_size = sizeof(struct object),
    .init = init_file,
    .flush = flush_file,
    .finalize = finalize_file,
    .wanted = file_is_used,
    .values = frequent,
    .salvage = salvage_file,
};
const struct dsn_module_info dsn__daos_module = {
    .id = DSN_DAOS_MODULE,
    .state_size = sizeof(struct object),
    .init = init_object,
    .flush = flush_object,
    .finalize = finalize_object,
    .wanted = object_is_used,
    .values = frequent,
    .salvage = salvage_object,
};

/* ------------------------------------------------------------------ counting */

static const struct layer *layer_of(const struct dsn_record_state *state, enum dsn_daos_layer layer)
{
    return state ? &layers[layer] : NULL;
}

/* A metadata call; `stamps`: rows of its first start and last end, or NULL. */
static void count_meta(struct dsn_record_state *state, enum dsn_daos_layer layer, const struct dsn_span *s, int counter,
                       const int *stamps, bool is_asynchronous)
{
    const struct layer *row = layer_of(state, layer);
    struct object *f = (struct object *)state;
    union dsn_val *v;

    if (!row || !dsn__lock(state))
        return;
    v = state->rec->v;
    if (counter >= 0)
        v[counter].i++;
    if (is_asynchronous && layer == DSN_BY_DAOS)
        v[DAOS_NB_OPS].i++;
    if (stamps)
        dsn__stamp(&v[stamps[0]].i, &v[stamps[1]].i, s);
    dsn__add_time(&f->meta, s);
    dsn__unlock(state);
    dsn__count_beside(row->beside, DSN_CALL_IS_META, state, s, 0);
}

static void raise_longest(struct object *whole, enum dsn_direction d, int64_t ticks)
{
    int64_t longest = atomic_load_explicit(&whole->longest[d], memory_order_relaxed);

    while (longest < ticks && !atomic_compare_exchange_weak(&whole->longest[d], &longest, ticks))
        ;
}

static void count_io(struct dsn_record_state *state, enum dsn_daos_layer layer, const struct dsn_span *s,
                     enum dsn_direction d, int counter, int64_t bytes, bool is_asynchronous)
{
    const struct layer *row = &layers[layer];
    const struct io_rows *rows = &row->io[d];
    struct object *const whole = (struct object *)state, *f = whole;
    union dsn_val *v;

    if (!dsn__lock_uncontended(state))
        f = (struct object *)dsn__lock_shard(row->module, state);
    if (!f)
        return;
    v = f->state.rec->v;
    v[counter].i++;
    v[rows->bytes].i += bytes;
    v[rows->size_bin + (int)dsn_size_bin(bytes)].i++;
    v[rows->asynchronous].i += is_asynchronous;
    dsn__common_add(&f->access, &f->recent, bytes);
    if (f->last_op != 0 && f->last_op != 1 + (int)d)
        v[row->switches].i++;
    f->last_op = 1 + (int)d;
    if (f == whole ? dsn__note_times(&f->times[d], s) : dsn__note_shard_times(&f->times[d], s))
        v[rows->max_size].i = bytes;
    DSN_HEAT_ADD(&f->heat, row->heat, d, s, bytes);
    dsn__unlock(&f->state);
    dsn__count_beside(row->beside, dsn__call_kind(d), &whole->state, s, bytes);
    if (f == whole)
        return;
    raise_longest(whole, d, s->end - s->start);
    dsn__add_time_later(&whole->state, &whole->times[d].sum, s);
}

int64_t dsn__daos_length(const struct dsn_daos_sgl *list, unsigned n)
{
    int64_t bytes = 0;

    for (unsigned i = 0; list && i < n; i++)
        for (uint32_t k = 0; list[i].iov && k < list[i].n; k++)
            bytes += (int64_t)list[i].iov[k].length;
    return bytes;
}

/* A fetch without buffers only asks for sizes. */
int64_t dsn__daos_fetched(const struct dsn_daos_iod *iod, const struct dsn_daos_sgl *list, unsigned n)
{
    int64_t bytes = 0;

    for (unsigned i = 0; iod && list && i < n; i++) {
        uint64_t cells = iod[i].type == DSN_DAOS_ARRAY ? 0 : 1;

        for (uint32_t k = 0; iod[i].type == DSN_DAOS_ARRAY && iod[i].extent && k < iod[i].n; k++)
            cells += iod[i].extent[k].n;
        bytes += iod[i].size > 0 ? (int64_t)(iod[i].size * cells) : dsn__daos_length(&list[i], 1);
    }
    return bytes;
}

/* ------------------------------------------------------------------ handles */

struct ids {
    unsigned char pool[UUID_BYTES], container[UUID_BYTES]; /* zeros: unknown */
};

enum kind { POOL, CONTAINER, MOUNT, OPEN_FILE, OPEN_OBJECT };

/* What a handle or a pointer of DAOS stands for. */
struct open {
    enum kind kind;
    struct ids ids;
    struct dsn_record_state *state; /* of a file or an object; NULL: it has no record */
    struct dsn_span span;           /* of an array whose id is not known yet: the call that opened it */
};

/* Copies what is known of a handle, because another thread may be closing it. Returns false if it is none of that kind. */
static bool find(struct dsn_handle_map *map, uintptr_t key, enum kind kind, struct open *out)
{
    const struct open *o = dsn__handle_get(map, key);

    if (!o)
        return false;
    *out = *o;
    return out->kind == kind;
}

static struct dsn_record_state *state_of(struct dsn_handle_map *map, uintptr_t key, enum kind kind)
{
    struct open o;

    return find(map, key, kind, &o) ? o.state : NULL;
}

static void set(struct dsn_handle_map *map, uintptr_t key, const struct open *what)
{
    struct open *o = dsn__small_take(&dsn__daos->free, sizeof *o), *before;

    if (!o)
        return;
    *o = *what;
    before = dsn__handle_take(map, key); /* it was given back in a way that was not seen */
    if (before)
        dsn__small_give(&dsn__daos->free, (void *)before);
    dsn__handle_set(map, key, o);
}

void *dsn__daos_release(struct dsn_daos_handle handle)
{
    return dsn__handle_take(&dsn__daos->handles, handle.cookie);
}

void *dsn__dfs_release(void *what)
{
    return dsn__handle_take(&dsn__daos->pointers, (uintptr_t)what);
}

static void released(struct dsn_handle_map *map, uintptr_t key, int result, struct open *o, const struct dsn_span *s)
{
    enum dsn_daos_layer layer;

    if (!o)
        return;
    if (result != 0) {
        dsn__handle_set(map, key, o);
        return;
    }
    layer = o->kind == OPEN_FILE ? DSN_BY_DFS : DSN_BY_DAOS;
    count_meta(o->state, layer, s, -1, (const int[]){ layers[layer].close_start, layers[layer].close_end }, false);
    dsn__small_give(&dsn__daos->free, (void *)o);
}

void dsn__daos_released(const struct dsn_span *s, int result, struct dsn_daos_handle handle, void *o)
{
    released(&dsn__daos->handles, handle.cookie, result, o, s);
}

void dsn__dfs_released(const struct dsn_span *s, int result, void *what, void *o)
{
    released(&dsn__daos->pointers, (uintptr_t)what, result, o, s);
}

/* ------------------------------------------------------------------ pools, containers, mounts */

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Parses "d0e93d4c-fc99-4657-96a8-fb9fa4f43073"; another text is a label, and leaves `uuid` as it is. */
static void parse_uuid(const char *text, unsigned char *uuid)
{
    unsigned char bytes[UUID_BYTES];
    int n = 0;

    for (int at = 0; text && at < 36; at++) {
        const bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
        const int digit = digit_of(text[at]);

        if (is_dash ? text[at] != '-' : digit < 0)
            return;
        if (is_dash)
            continue;
        bytes[n / 2] = (unsigned char)(n % 2 ? bytes[n / 2] << 4 | digit : digit);
        n++;
    }
    if (text && text[36] == '\0')
        memcpy(uuid, bytes, sizeof bytes);
}

void dsn__daos_pool(int result, const char *given, const struct dsn_daos_handle *pool, const void *info, void *event)
{
    struct open o = { .kind = POOL };

    if (result != 0 || event || !pool)
        return;
    parse_uuid(given, o.ids.pool);
    if (info)
        memcpy(o.ids.pool, info, sizeof o.ids.pool);
    set(&dsn__daos->handles, pool->cookie, &o);
}

void dsn__daos_container(const struct dsn_daos *daos, int result, struct dsn_daos_handle pool, const char *given,
                         const struct dsn_daos_handle *container, const void *info, void *event)
{
    struct open o, of_pool;

    if (result != 0 || event || !container)
        return;
    o = (struct open){ .kind = CONTAINER };
    if (find(&dsn__daos->handles, pool.cookie, POOL, &of_pool))
        o.ids = of_pool.ids;
    parse_uuid(given, o.ids.container);
    if (info)
        memcpy(o.ids.container, info, sizeof o.ids.container);
    if (daos->dc_cont_hdl2uuid)
        daos->dc_cont_hdl2uuid(*container, NULL, o.ids.container);
    set(&dsn__daos->handles, container->cookie, &o);
    atomic_store(&dsn__daos->last, container->cookie);
    atomic_fetch_add(&dsn__daos->opened, 1);
}

/* A container may have been opened with an event, or before recording began. */
static struct ids ids_of(const struct dsn_daos *daos, struct dsn_daos_handle container)
{
    struct open o = { .kind = CONTAINER };

    if (find(&dsn__daos->handles, container.cookie, CONTAINER, &o))
        return o.ids;
    o = (struct open){ .kind = CONTAINER };
    if (daos->dc_cont_hdl2uuid && daos->dc_cont_hdl2uuid(container, NULL, o.ids.container) == 0)
        set(&dsn__daos->handles, container.cookie, &o);
    return o.ids;
}

uintptr_t dsn__daos_opened(void)
{
    return atomic_load(&dsn__daos->opened);
}

void dsn__dfs_mount(const struct dsn_daos *daos, int result, struct dsn_daos_handle container, void *const *mount)
{
    struct open o = { .kind = MOUNT };

    if (result != 0)
        return;
    o.ids = ids_of(daos, container);
    set(&dsn__daos->pointers, (uintptr_t)*mount, &o);
}

void dsn__dfs_connect(const struct dsn_daos *daos, int result, uintptr_t before, void *const *mount)
{
    if (result == 0 && !dsn__handle_get(&dsn__daos->pointers, (uintptr_t)*mount) && dsn__daos_opened() == before + 1)
        dsn__dfs_mount(daos, 0, (struct dsn_daos_handle){ atomic_load(&dsn__daos->last) }, mount);
}

/* ------------------------------------------------------------------ records of objects */

#define ID_TEXT    48 /* "<high half>.<low half>", as tools print it */
#define SPARE      8  /* of a name that will probably stay */
#define NO_ID      "objects of unknown id"
#define TYPE_SHIFT 56 /* in the high half of an id: the object's type */

static void id_text(const struct dsn_daos_oid *oid, char *out)
{
    dsn__format(out, ID_TEXT, "%llu.%llu", (unsigned long long)oid->hi, (unsigned long long)oid->lo);
}

/* Without the pool's UUID, which is zeros here: not each rank can know it, and the container's is unique. */
static uint64_t id_of(const struct ids *ids, const struct dsn_daos_oid *oid)
{
    unsigned char bytes[2 * UUID_BYTES + sizeof *oid] = { 0 };

    memcpy(bytes + UUID_BYTES, ids->container, UUID_BYTES);
    memcpy(bytes + 2 * (size_t)UUID_BYTES, &oid->lo, sizeof oid->lo);
    memcpy(bytes + 2 * (size_t)UUID_BYTES + sizeof oid->lo, &oid->hi, sizeof oid->hi);
    return dsn_hash(bytes, sizeof bytes, 0);
}

/* What a record says of its object, unless others are aggregated into it. */
static void note_object(struct dsn_record_state *state, enum dsn_daos_layer layer, uint64_t id, const struct ids *ids,
                        const struct dsn_daos_oid *oid)
{
    union dsn_val *v;

    if (state->name->id != id || !dsn__lock(state))
        return;
    v = state->rec->v;
    memcpy(&v[layers[layer].pool], ids->pool, UUID_BYTES);
    memcpy(&v[layers[layer].container], ids->container, UUID_BYTES);
    if (layer == DSN_BY_DAOS) {
        v[DAOS_OID_HI].i = (int64_t)oid->hi;
        v[DAOS_OID_LO].i = (int64_t)oid->lo;
        v[DAOS_OBJ_OTYPE].i = (int64_t)(oid->hi >> TYPE_SHIFT);
    }
    dsn__unlock(state);
}

/* The record of an object; `name`: its path, or NULL. An object of DAOS that a call of DFS opens may become a file's name
 * when that returns. */
static struct dsn_record_state *record_of(enum dsn_daos_layer layer, const struct ids *ids,
                                          const struct dsn_daos_oid *oid, const char *name)
{
    const uint64_t id = id_of(ids, oid);
    struct dsn_record_state *state;
    char text[ID_TEXT];
    const bool is_within = layer == DSN_BY_DAOS && dsn__is_inside(dsn__thread.daos[DSN_BY_DFS], text);

    id_text(oid, text);
    state = dsn__record_by_id(layers[layer].module, id, name ? name : text,
                              name ? 0 : SPARE + (is_within ? dsn__thread.naming : 0));
    if (!state)
        return NULL;
    if (name && state->name->id == id)
        dsn__name_set_text(state->name, text, name);
    note_object(state, layer, id, ids, oid);
    return state;
}

/* ------------------------------------------------------------------ files of DFS */

/* The name of the record of an open directory; "/": the root. */
static const char *name_of(void *directory)
{
    const struct dsn_record_state *state =
        directory ? state_of(&dsn__daos->pointers, (uintptr_t)directory, OPEN_FILE) : NULL;

    return state ? state->name->text : "/";
}

intptr_t dsn__dfs_opens(void *parent, const char *name)
{
    const size_t n = name ? strlen(name_of(parent)) + strlen(name) + 2 : 0;

    dsn__thread.naming = n < PATH_MAX ? (unsigned)n : 0;
    dsn__thread.unnamed = 0;
    return 0;
}

/* Returns false if there is none, or it is too long. */
static bool path_of(void *parent, const char *name, char *out, size_t size)
{
    const char *directory = name_of(parent);
    const size_t n = strlen(directory);
    char path[PATH_MAX];

    if (!name)
        return false;
    if (name[0] == '/')
        return dsn__clean_path(name, out, size);
    if (dsn__format(path, sizeof path, "%s%s%s", directory, n > 0 && directory[n - 1] == '/' ? "" : "/", name) >=
        (int)sizeof path)
        return false;
    if (path[0] == '/')
        return dsn__clean_path(path, out, size);
    return dsn__format(out, size, "%s", path) < (int)size; /* below what has no name but its id */
}

static const int stamps_of_open[] = { DAOS_F_OPEN_START_TIMESTAMP, DAOS_F_OPEN_END_TIMESTAMP };

static void note_array(struct dsn_record_state *state, uint64_t cell, uint64_t chunk)
{
    if (!state || cell == 0 || !dsn__lock(state))
        return;
    state->rec->v[DAOS_ARRAY_CELL_SIZE].i = (int64_t)cell;
    state->rec->v[DAOS_ARRAY_CHUNK_SIZE].i = (int64_t)chunk;
    dsn__unlock(state);
}

/* An array that a call of DFS opened from another process's handle is the file's. */
static void name_array(const struct dsn_daos *daos, const struct dsn_daos_oid *oid)
{
    const struct dsn_daos_handle handle = { dsn__thread.unnamed };
    uint64_t chunk = 0, cell = 0;
    struct open o;

    dsn__thread.unnamed = 0;
    if (!handle.cookie || !find(&dsn__daos->handles, handle.cookie, OPEN_OBJECT, &o) || o.state)
        return;
    o.state = record_of(DSN_BY_DAOS, &o.ids, oid, NULL);
    count_meta(o.state, DSN_BY_DAOS, &o.span, DAOS_ARRAY_OPENS, stamps_of_open, false);
    if (daos->daos_array_get_attr && daos->daos_array_get_attr(handle, &chunk, &cell) == 0)
        note_array(o.state, cell, chunk);
    set(&dsn__daos->handles, handle.cookie, &o);
}

static void note_open(const struct dsn_span *s, struct open *o, void *file, int counter)
{
    count_meta(o->state, DSN_BY_DFS, s, counter, (const int[]){ DFS_F_OPEN_START_TIMESTAMP, DFS_F_OPEN_END_TIMESTAMP },
               false);
    o->kind = OPEN_FILE;
    set(&dsn__daos->pointers, (uintptr_t)file, o);
}

void dsn__dfs_open(const struct dsn_daos *daos, const struct dsn_span *s, int result, void *mount, void *parent,
                   const char *name, void *const *file, int counter)
{
    struct open o = { .kind = MOUNT };
    struct dsn_daos_oid oid;
    char path[PATH_MAX];

    dsn__thread.naming = 0;
    if (result != 0 || !*file || !daos->dfs_obj2id || daos->dfs_obj2id(*file, &oid) != 0)
        return;
    if (!find(&dsn__daos->pointers, (uintptr_t)mount, MOUNT, &o))
        o = (struct open){ .kind = MOUNT };
    name_array(daos, &oid);
    o.state = record_of(DSN_BY_DFS, &o.ids, &oid, path_of(parent, name, path, sizeof path) ? path : NULL);
    note_open(s, &o, *file, counter);
}

void dsn__dfs_dup(const struct dsn_span *s, int result, void *file, void *const *copy)
{
    struct open o;

    dsn__thread.naming = 0;
    if (result == 0 && find(&dsn__daos->pointers, (uintptr_t)file, OPEN_FILE, &o))
        note_open(s, &o, *copy, DFS_DUPS);
}

void dsn__dfs_remove(const struct dsn_span *s, int result, void *mount, void *parent, const char *name,
                     const struct dsn_daos_oid *oid)
{
    struct open o;
    char path[PATH_MAX];

    dsn__thread.naming = 0;
    if (result != 0 || (oid->lo | oid->hi) == 0)
        return;
    if (!find(&dsn__daos->pointers, (uintptr_t)mount, MOUNT, &o))
        o = (struct open){ .kind = MOUNT };
    count_meta(record_of(DSN_BY_DFS, &o.ids, oid, path_of(parent, name, path, sizeof path) ? path : NULL), DSN_BY_DFS,
               s, DFS_REMOVES, NULL, false);
}

void dsn__dfs_meta(const struct dsn_span *s, int result, void *file, int counter)
{
    if (result == 0)
        count_meta(state_of(&dsn__daos->pointers, (uintptr_t)file, OPEN_FILE), DSN_BY_DFS, s, counter, NULL, false);
}

void dsn__dfs_io(const struct dsn_daos *daos, const struct dsn_span *s, int result, void *file, int counter,
                 int64_t bytes, void *event)
{
    struct dsn_record_state *state = result == 0 ? state_of(&dsn__daos->pointers, (uintptr_t)file, OPEN_FILE) : NULL;
    uint64_t chunk = 0;

    if (!state)
        return;
    count_io(state, DSN_BY_DFS, s, counter == DFS_READS || counter == DFS_READXS ? DSN_READ : DSN_WRITE, counter, bytes,
             event != NULL);
    if (__atomic_load_n(&state->rec->v[DFS_CHUNK_SIZE].i, __ATOMIC_RELAXED) != 0 || !daos->dfs_get_chunk_size ||
        daos->dfs_get_chunk_size(file, &chunk) != 0 || !dsn__lock(state))
        return;
    __atomic_store_n(&state->rec->v[DFS_CHUNK_SIZE].i, (int64_t)chunk, __ATOMIC_RELAXED);
    dsn__unlock(state);
}

/* ------------------------------------------------------------------ objects of DAOS */

/* Opens with an event that have not ended. Not part of the state, which may begin anew while DAOS has their addresses. An
 * entry is free again when both the call and the event have ended; a call that fails may have no such end, and keeps it. */
static struct pending {
    atomic_int is_used, ended;
    struct ids ids;
    struct dsn_daos_oid oid;
    const struct dsn_daos_handle *handle; /* valid until the event has ended */
} pending[DSN_DAOS_PENDING];

static void end_pending(struct pending *p)
{
    if (atomic_fetch_add(&p->ended, 1) == 1)
        atomic_store(&p->is_used, 0);
}

/* Called by DAOS, in any thread. */
static int event_ended(void *context, void *event, int result)
{
    struct pending *p = context;
    struct open o = { .kind = OPEN_OBJECT };
    struct dsn_span s;

    (void)event;
    if (result == 0 && dsn__span_open(&s)) {
        dsn__span_before(&s);
        o.ids = p->ids;
        o.state = record_of(DSN_BY_DAOS, &p->ids, &p->oid, NULL);
        set(&dsn__daos->handles, p->handle->cookie, &o);
        dsn__span_close(&s);
    }
    end_pending(p);
    return 0;
}

intptr_t dsn__daos_opens(const struct dsn_daos *daos, const struct dsn_daos_opening *o, void *event)
{
    if (!event || !daos->daos_event_register_comp_cb)
        return 0;
    for (struct pending *p = pending; p < pending + DSN_DAOS_PENDING; p++) {
        int is_free = 0;

        if (!atomic_compare_exchange_strong(&p->is_used, &is_free, 1))
            continue;
        atomic_store(&p->ended, 0);
        p->ids = ids_of(daos, o->container);
        p->oid = o->oid;
        p->handle = o->handle;
        if (daos->daos_event_register_comp_cb(event, event_ended, p) == 0)
            return (intptr_t)p;
        atomic_store(&p->is_used, 0);
        return 0;
    }
    return 0;
}

void dsn__daos_open(const struct dsn_daos *daos, const struct dsn_span *s, int result,
                    const struct dsn_daos_opening *opening, void *event, intptr_t before)
{
    struct open o = { .kind = OPEN_OBJECT };

    if (before)
        end_pending((struct pending *)before);
    if (result != 0)
        return;
    o.ids = ids_of(daos, opening->container);
    o.state = record_of(DSN_BY_DAOS, &o.ids, &opening->oid, NULL);
    count_meta(o.state, DSN_BY_DAOS, s, opening->counter, stamps_of_open, event != NULL);
    note_array(o.state, opening->cell, opening->chunk);
    if (!event)
        set(&dsn__daos->handles, opening->handle->cookie, &o);
}

void dsn__daos_from_global(const struct dsn_daos *daos, const struct dsn_span *s, int result,
                           struct dsn_daos_handle container, const struct dsn_daos_handle *handle)
{
    static const struct dsn_daos_oid unknown;
    struct open o = { .kind = OPEN_OBJECT, .span = *s };

    if (result != 0)
        return;
    o.ids = ids_of(daos, container);
    if (dsn__is_inside(dsn__thread.daos[DSN_BY_DFS], &o)) {
        dsn__thread.unnamed = handle->cookie;
    } else {
        o.state = dsn__record_by_id(DSN_INDEX_DAOS, id_of(&o.ids, &unknown), NO_ID, 0);
        if (o.state)
            note_object(o.state, DSN_BY_DAOS, id_of(&o.ids, &unknown), &o.ids, &unknown);
        count_meta(o.state, DSN_BY_DAOS, s, DAOS_ARRAY_OPENS, stamps_of_open, false);
    }
    set(&dsn__daos->handles, handle->cookie, &o);
}

void dsn__daos_meta(const struct dsn_span *s, int result, struct dsn_daos_handle object, int counter, void *event)
{
    if (result == 0)
        count_meta(state_of(&dsn__daos->handles, object.cookie, OPEN_OBJECT), DSN_BY_DAOS, s, counter, NULL,
                   event != NULL);
}

void dsn__daos_io(const struct dsn_span *s, int result, struct dsn_daos_handle object, int counter, int64_t bytes,
                  void *event)
{
    struct dsn_record_state *state = result == 0 ? state_of(&dsn__daos->handles, object.cookie, OPEN_OBJECT) : NULL;
    const bool is_read = counter == DAOS_OBJ_FETCHES || counter == DAOS_ARRAY_READS || counter == DAOS_KV_GETS;

    if (state)
        count_io(state, DSN_BY_DAOS, s, is_read ? DSN_READ : DSN_WRITE, counter, bytes, event != NULL);
}

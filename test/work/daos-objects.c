/* daos-objects.c - stands in for libdaos: objects in the memory of each process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Enough of DAOS for calls to be counted. A handle that was made global is worth something in every process, where the object is
 * empty at first. A call with an event ends when the program asks for that (daos_event_test): only then the handle is stored, or
 * the data. Nothing here calls a function that others may have wrapped. */
#include "daos-facts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

struct object {
    daos_obj_id_t oid;
    char *bytes; /* of an array */
    uint64_t size;
    struct value {
        char key[32];
        char bytes[128];
        uint64_t size;
    } value[16];
};

struct open {
    enum { NONE, POOL, CONTAINER, OBJECT } kind;
    unsigned char uuid[16];
    struct object *object;
    uint64_t cell, chunk;
};

struct global {
    uint64_t container;
    daos_obj_id_t oid;
    uint64_t cell, chunk;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open opens[MOST];
static struct object objects[MOST];
static unsigned nobjects;

static struct open *open_of(daos_handle_t h, int kind)
{
    return h.cookie > 0 && h.cookie < MOST && (int)opens[h.cookie].kind == kind ? &opens[h.cookie] : NULL;
}

static uint64_t new_open(const struct open *o)
{
    uint64_t i = 1;

    pthread_mutex_lock(&lock);
    while (i < MOST && opens[i].kind != NONE)
        i++;
    opens[i] = *o;
    pthread_mutex_unlock(&lock);
    return i;
}

static struct object *object_of(daos_obj_id_t oid)
{
    unsigned i = 0;

    pthread_mutex_lock(&lock);
    while (i < nobjects && (objects[i].oid.lo != oid.lo || objects[i].oid.hi != oid.hi))
        i++;
    if (i == nobjects)
        objects[nobjects++].oid = oid;
    pthread_mutex_unlock(&lock);
    return &objects[i];
}

/* ------------------------------------------------------------------ events */

int daos_event_init(daos_event_t *ev, daos_handle_t eq, daos_event_t *parent)
{
    (void)eq;
    (void)parent;
    memset(ev, 0, sizeof *ev);
    return 0;
}

int daos_event_register_comp_cb(daos_event_t *ev, daos_event_comp_cb_t call, void *context)
{
    if (ev->is_launched || ev->ncalls == 4)
        return -DER_INVAL;
    ev->calls[ev->ncalls].call = call;
    ev->calls[ev->ncalls++].context = context;
    return 0;
}

int daos_event_test(daos_event_t *ev, int64_t timeout, bool *is_done)
{
    int result = 0;

    (void)timeout;
    if (ev->work.handle)
        *ev->work.handle = ev->work.stored;
    if (ev->work.list)
        daos_stand_in_read((daos_handle_t){ ev->work.array }, ev->work.offset, ev->work.list, ev->work.size);
    for (int i = 0; i < ev->ncalls; i++)
        result = ev->calls[i].call(ev->calls[i].context, ev, result);
    ev->ncalls = ev->is_launched = 0;
    *is_done = true;
    return result;
}

static int launched(daos_event_t *ev)
{
    if (ev)
        ev->is_launched = 1;
    return 0;
}

/* ------------------------------------------------------------------ pools, containers */

int daos_pool_connect2(const char *pool, const char *sys, unsigned flags, daos_handle_t *poh, void *info,
                       daos_event_t *ev)
{
    struct open o = { .kind = POOL };

    (void)sys;
    (void)flags;
    memset(o.uuid, pool[0], sizeof o.uuid);
    if (info)
        memcpy(info, o.uuid, sizeof o.uuid);
    poh->cookie = new_open(&o);
    return launched(ev);
}

static int close_handle(daos_handle_t h, int kind, daos_event_t *ev)
{
    struct open *o = open_of(h, kind);

    if (!o)
        return -DER_NO_HDL;
    o->kind = NONE;
    return launched(ev);
}

int daos_pool_disconnect(daos_handle_t poh, daos_event_t *ev)
{
    return close_handle(poh, POOL, ev);
}

int daos_cont_open2(daos_handle_t poh, const char *cont, unsigned flags, daos_handle_t *coh, void *info,
                    daos_event_t *ev)
{
    struct open o = { .kind = CONTAINER };

    (void)flags;
    if (!open_of(poh, POOL))
        return -DER_NO_HDL;
    memset(o.uuid, cont[0], sizeof o.uuid);
    if (info)
        memcpy(info, o.uuid, sizeof o.uuid);
    coh->cookie = new_open(&o);
    return launched(ev);
}

int daos_cont_close(daos_handle_t coh, daos_event_t *ev)
{
    return close_handle(coh, CONTAINER, ev);
}

int daos_cont_local2global(daos_handle_t coh, d_iov_t *glob)
{
    if (glob->iov_buf)
        memcpy(glob->iov_buf, open_of(coh, CONTAINER)->uuid, 16);
    glob->iov_buf_len = glob->iov_len = 16;
    return 0;
}

int daos_cont_global2local(daos_handle_t poh, d_iov_t glob, daos_handle_t *coh)
{
    struct open o = { .kind = CONTAINER };

    (void)poh;
    memcpy(o.uuid, glob.iov_buf, sizeof o.uuid);
    coh->cookie = new_open(&o);
    return 0;
}

int dc_cont_hdl2uuid(daos_handle_t coh, unsigned char *of_handle, unsigned char *uuid)
{
    const struct open *o = open_of(coh, CONTAINER);

    if (!o)
        return -DER_NO_HDL;
    if (of_handle)
        memset(of_handle, 0xff, 16);
    memcpy(uuid, o->uuid, sizeof o->uuid);
    return 0;
}

/* ------------------------------------------------------------------ objects */

static int open_object(daos_handle_t coh, daos_obj_id_t oid, uint64_t cell, uint64_t chunk, daos_handle_t *oh,
                       daos_event_t *ev)
{
    struct open o = { .kind = OBJECT, .cell = cell, .chunk = chunk };
    daos_handle_t h;

    if (!open_of(coh, CONTAINER))
        return -DER_NO_HDL;
    o.object = object_of(oid);
    h.cookie = new_open(&o);
    if (ev) {
        ev->work.handle = oh;
        ev->work.stored = h;
    } else {
        *oh = h;
    }
    return launched(ev);
}

int daos_obj_open(daos_handle_t coh, daos_obj_id_t oid, unsigned mode, daos_handle_t *oh, daos_event_t *ev)
{
    (void)mode;
    return open_object(coh, oid, 0, 0, oh, ev);
}

int daos_obj_close(daos_handle_t oh, daos_event_t *ev)
{
    return close_handle(oh, OBJECT, ev);
}

/* The value of a key, in a place of its own if it is new; NULL: there is none. */
static struct value *value_of(struct object *o, const char *dkey, size_t nd, const char *akey, size_t na, int is_new)
{
    char key[32] = "";

    memcpy(key, dkey, nd < 15 ? nd : 15);
    memcpy(key + 16, akey, na < 15 ? na : 15);
    for (int i = 0; i < 16; i++)
        if (memcmp(o->value[i].key, key, sizeof key) == 0)
            return &o->value[i];
    for (int i = 0; is_new && i < 16; i++)
        if (o->value[i].key[0] == '\0') {
            memcpy(o->value[i].key, key, sizeof key);
            return &o->value[i];
        }
    return NULL;
}

int daos_obj_fetch(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey, unsigned nr, daos_iod_t *iods,
                   d_sg_list_t *sgls, void *ioms, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    (void)flags;
    (void)ioms;
    if (!o)
        return -DER_NO_HDL;
    for (unsigned i = 0; i < nr; i++) {
        const struct value *v =
            value_of(o->object, dkey->iov_buf, dkey->iov_len, iods[i].iod_name.iov_buf, iods[i].iod_name.iov_len, 0);

        if (iods[i].iod_type == DAOS_IOD_SINGLE)
            iods[i].iod_size = v ? v->size : 0;
        if (v && sgls)
            memcpy(sgls[i].sg_iovs[0].iov_buf, v->bytes,
                   v->size < sgls[i].sg_iovs[0].iov_buf_len ? v->size : sgls[i].sg_iovs[0].iov_buf_len);
    }
    return launched(ev);
}

int daos_obj_update(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey, unsigned nr, daos_iod_t *iods,
                    d_sg_list_t *sgls, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    (void)flags;
    if (!o)
        return -DER_NO_HDL;
    for (unsigned i = 0; i < nr; i++) {
        struct value *v =
            value_of(o->object, dkey->iov_buf, dkey->iov_len, iods[i].iod_name.iov_buf, iods[i].iod_name.iov_len, 1);

        if (sgls[i].sg_iovs[0].iov_len > sizeof v->bytes)
            return -DER_INVAL;
        if (!v) /* there is no room for it: nobody will look */
            continue;
        v->size = sgls[i].sg_iovs[0].iov_len;
        memcpy(v->bytes, sgls[i].sg_iovs[0].iov_buf, v->size);
    }
    return launched(ev);
}

/* Of calls whose effect nobody looks at. */
static int is_open(daos_handle_t oh, daos_event_t *ev)
{
    return open_of(oh, OBJECT) ? launched(ev) : -DER_NO_HDL;
}

int daos_obj_punch(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_event_t *ev)
{
    (void)th;
    (void)flags;
    return is_open(oh, ev);
}

int daos_obj_punch_dkeys(daos_handle_t oh, daos_handle_t th, uint64_t flags, unsigned nr, daos_key_t *dkeys,
                         daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    (void)flags;
    for (int i = 0; o && nr > 0 && i < 16; i++)
        if (strncmp(o->object->value[i].key, dkeys->iov_buf, dkeys->iov_len < 15 ? dkeys->iov_len : 15) == 0)
            memset(&o->object->value[i], 0, sizeof o->object->value[i]);
    return is_open(oh, ev);
}

int daos_obj_punch_akeys(daos_handle_t oh, daos_handle_t th, uint64_t flags, daos_key_t *dkey, unsigned nr,
                         daos_key_t *akeys, daos_event_t *ev)
{
    (void)th;
    (void)flags;
    (void)dkey;
    (void)nr;
    (void)akeys;
    return is_open(oh, ev);
}

int daos_obj_list_dkey(daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds, d_sg_list_t *sgl, void *anchor,
                       daos_event_t *ev)
{
    (void)th;
    (void)kds;
    (void)sgl;
    (void)anchor;
    *nr = 0;
    return is_open(oh, ev);
}

int daos_obj_list_akey(daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, uint32_t *nr, void *kds, d_sg_list_t *sgl,
                       void *anchor, daos_event_t *ev)
{
    (void)dkey;
    (void)th;
    (void)kds;
    (void)sgl;
    (void)anchor;
    *nr = 0;
    return is_open(oh, ev);
}

int daos_obj_list_recx(daos_handle_t oh, daos_handle_t th, daos_key_t *dkey, daos_key_t *akey, daos_size_t *size,
                       daos_iod_type_t type, uint32_t *nr, daos_recx_t *recxs, void *eprs, void *anchor,
                       bool incr_order, daos_event_t *ev)
{
    (void)th;
    (void)dkey;
    (void)akey;
    (void)type;
    (void)recxs;
    (void)eprs;
    (void)anchor;
    *nr = 0;
    *size = 1;
    return incr_order ? is_open(oh, ev) : -DER_INVAL;
}

/* ------------------------------------------------------------------ arrays */

int daos_array_create(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, daos_size_t cell, daos_size_t chunk,
                      daos_handle_t *oh, daos_event_t *ev)
{
    (void)th;
    return open_object(coh, oid, cell, chunk, oh, ev);
}

int daos_array_open(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, unsigned mode, daos_size_t *cell,
                    daos_size_t *chunk, daos_handle_t *oh, daos_event_t *ev)
{
    (void)th;
    (void)mode;
    *cell = 8;
    *chunk = 4096;
    return open_object(coh, oid, *cell, *chunk, oh, ev);
}

int daos_array_open_with_attr(daos_handle_t coh, daos_obj_id_t oid, daos_handle_t th, unsigned mode, daos_size_t cell,
                              daos_size_t chunk, daos_handle_t *oh, daos_event_t *ev)
{
    (void)th;
    (void)mode;
    return open_object(coh, oid, cell, chunk, oh, ev);
}

int daos_array_local2global(daos_handle_t oh, d_iov_t *glob)
{
    const struct open *o = open_of(oh, OBJECT);
    const struct global g = { .oid = o->object->oid, .cell = o->cell, .chunk = o->chunk };

    if (glob->iov_buf)
        memcpy(glob->iov_buf, &g, sizeof g);
    glob->iov_buf_len = glob->iov_len = sizeof g;
    return 0;
}

int daos_array_global2local(daos_handle_t coh, d_iov_t glob, unsigned mode, daos_handle_t *oh)
{
    struct global g;

    (void)mode;
    memcpy(&g, glob.iov_buf, sizeof g);
    return open_object(coh, g.oid, g.cell, g.chunk, oh, NULL);
}

int daos_array_close(daos_handle_t oh, daos_event_t *ev)
{
    return close_handle(oh, OBJECT, ev);
}

int daos_array_destroy(daos_handle_t oh, daos_handle_t th, daos_event_t *ev)
{
    (void)th;
    return is_open(oh, ev);
}

int daos_stand_in_read(daos_handle_t oh, daos_off_t offset, d_sg_list_t *sgl, daos_size_t *size)
{
    struct open *o = open_of(oh, OBJECT);
    daos_size_t done = 0;

    if (!o)
        return -DER_NO_HDL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < sgl->sg_nr; i++) {
        const uint64_t left = offset < o->object->size ? o->object->size - offset : 0;
        const uint64_t n = sgl->sg_iovs[i].iov_len < left ? sgl->sg_iovs[i].iov_len : left;

        memset(sgl->sg_iovs[i].iov_buf, 0, sgl->sg_iovs[i].iov_len);
        memcpy(sgl->sg_iovs[i].iov_buf, o->object->bytes + (n ? offset : 0), n);
        offset += n;
        done += n;
    }
    pthread_mutex_unlock(&lock);
    if (size)
        *size = done;
    return 0;
}

int daos_array_read(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    if (!o || !sgl)
        return -DER_INVAL;
    if (!ev)
        return daos_stand_in_read(oh, iod->arr_rgs[0].rg_idx * o->cell, sgl, NULL);
    ev->work.array = oh.cookie;
    ev->work.list = sgl;
    ev->work.offset = iod->arr_rgs[0].rg_idx * o->cell;
    return launched(ev);
}

int daos_array_write(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, d_sg_list_t *sgl, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);
    uint64_t at;

    (void)th;
    if (!o || !sgl)
        return -DER_INVAL;
    at = iod->arr_rgs[0].rg_idx * o->cell;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < sgl->sg_nr; i++) {
        const uint64_t end = at + sgl->sg_iovs[i].iov_len;

        if (end > o->object->size) {
            o->object->bytes = realloc(o->object->bytes, end);
            memset(o->object->bytes + o->object->size, 0, end - o->object->size);
            o->object->size = end;
        }
        memcpy(o->object->bytes + at, sgl->sg_iovs[i].iov_buf, sgl->sg_iovs[i].iov_len);
        at = end;
    }
    pthread_mutex_unlock(&lock);
    return launched(ev);
}

int daos_array_get_size(daos_handle_t oh, daos_handle_t th, daos_size_t *size, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    if (o)
        *size = o->object->size / o->cell;
    return is_open(oh, ev);
}

int daos_array_set_size(daos_handle_t oh, daos_handle_t th, daos_size_t size, daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);

    (void)th;
    if (o && size * o->cell < o->object->size)
        o->object->size = size * o->cell;
    return is_open(oh, ev);
}

int daos_array_stat(daos_handle_t oh, daos_handle_t th, void *stbuf, daos_event_t *ev)
{
    (void)th;
    (void)stbuf;
    return is_open(oh, ev);
}

int daos_array_punch(daos_handle_t oh, daos_handle_t th, daos_array_iod_t *iod, daos_event_t *ev)
{
    (void)th;
    (void)iod;
    return is_open(oh, ev);
}

int daos_array_get_attr(daos_handle_t oh, daos_size_t *chunk, daos_size_t *cell)
{
    const struct open *o = open_of(oh, OBJECT);

    if (!o)
        return -DER_NO_HDL;
    *chunk = o->chunk;
    *cell = o->cell;
    return 0;
}

/* ------------------------------------------------------------------ key-value stores */

int daos_kv_open(daos_handle_t coh, daos_obj_id_t oid, unsigned mode, daos_handle_t *oh, daos_event_t *ev)
{
    (void)mode;
    return open_object(coh, oid, 0, 0, oh, ev);
}

int daos_kv_close(daos_handle_t oh, daos_event_t *ev)
{
    return close_handle(oh, OBJECT, ev);
}

int daos_kv_destroy(daos_handle_t oh, daos_handle_t th, daos_event_t *ev)
{
    (void)th;
    return is_open(oh, ev);
}

int daos_kv_put(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key, daos_size_t size, const void *buf,
                daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);
    struct value *v = o ? value_of(o->object, key, strlen(key), "", 0, 1) : NULL;

    (void)th;
    (void)flags;
    if (!v || size > sizeof v->bytes)
        return -DER_INVAL;
    memcpy(v->bytes, buf, size);
    v->size = size;
    return launched(ev);
}

int daos_kv_get(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key, daos_size_t *size, void *buf,
                daos_event_t *ev)
{
    struct open *o = open_of(oh, OBJECT);
    const struct value *v = o ? value_of(o->object, key, strlen(key), "", 0, 0) : NULL;

    (void)th;
    (void)flags;
    if (!v)
        return -DER_NONEXIST;
    if (buf)
        memcpy(buf, v->bytes, v->size < *size ? v->size : *size);
    *size = v->size;
    return launched(ev);
}

int daos_kv_remove(daos_handle_t oh, daos_handle_t th, uint64_t flags, const char *key, daos_event_t *ev)
{
    (void)th;
    (void)flags;
    (void)key;
    return is_open(oh, ev);
}

int daos_kv_list(daos_handle_t oh, daos_handle_t th, uint32_t *nr, void *kds, d_sg_list_t *sgl, void *anchor,
                 daos_event_t *ev)
{
    (void)th;
    (void)kds;
    (void)sgl;
    (void)anchor;
    *nr = 0;
    return is_open(oh, ev);
}

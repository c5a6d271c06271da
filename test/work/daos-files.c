/* daos-files.c - stands in for libdfs: files and directories made of objects of libdaos, as DFS makes them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An entry of a directory is a value of 88 bytes in the directory's object, found by one fetch; a file is an array of bytes. Ids are
 * made of the path's components, so that all processes have the same. Some functions call others that programs call, too, as
 * libraries do: that is no call of the program. */
#include "daos-facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY    88
#define CHUNK    1048576
#define IS_ARRAY ((uint64_t)13 << 56)

struct dfs {
    daos_handle_t poh, coh;
    int is_connected;
    struct dfs_obj *root;
};

struct dfs_obj {
    daos_obj_id_t oid;
    mode_t mode;
    daos_handle_t oh;
};

struct entry {
    daos_obj_id_t oid;
    mode_t mode;
};

static int open_object(dfs_t *dfs, const struct entry *e, dfs_obj_t **obj)
{
    dfs_obj_t *o = calloc(1, sizeof *o);
    int rc;

    o->oid = e->oid;
    o->mode = e->mode;
    if (S_ISDIR(e->mode))
        rc = daos_obj_open(dfs->coh, e->oid, 0, &o->oh, NULL);
    else
        rc = daos_array_open_with_attr(dfs->coh, e->oid, DAOS_TX_NONE, 0, 1, CHUNK, &o->oh, NULL);
    if (rc != 0) {
        free(o);
        return EIO;
    }
    *obj = o;
    return 0;
}

static int open_root(dfs_t *dfs)
{
    return open_object(dfs, &(struct entry){ .oid = { 1, 2251804108652544 }, .mode = S_IFDIR }, &dfs->root);
}

int dfs_mount(daos_handle_t poh, daos_handle_t coh, int flags, dfs_t **dfs)
{
    (void)flags;
    *dfs = calloc(1, sizeof **dfs);
    (*dfs)->poh = poh;
    (*dfs)->coh = coh;
    return open_root(*dfs);
}

int dfs_umount(dfs_t *dfs)
{
    daos_obj_close(dfs->root->oh, NULL);
    free(dfs->root);
    free(dfs);
    return 0;
}

int dfs_connect(const char *pool, const char *sys, const char *cont, int flags, void *attr, dfs_t **dfs)
{
    daos_handle_t poh, coh;

    (void)attr;
    if (daos_pool_connect2(pool, sys, 0, &poh, NULL, NULL) != 0 || daos_cont_open2(poh, cont, 0, &coh, NULL, NULL) != 0)
        return EIO;
    return dfs_mount(poh, coh, flags, dfs);
}

int dfs_disconnect(dfs_t *dfs)
{
    const daos_handle_t poh = dfs->poh, coh = dfs->coh;

    dfs_umount(dfs);
    daos_cont_close(coh, NULL);
    daos_pool_disconnect(poh, NULL);
    return 0;
}

int dfs_local2global(dfs_t *dfs, d_iov_t *glob)
{
    return daos_cont_local2global(dfs->coh, glob);
}

int dfs_global2local(daos_handle_t poh, daos_handle_t coh, int flags, d_iov_t glob, dfs_t **dfs)
{
    (void)glob;
    return dfs_mount(poh, coh, flags, dfs);
}

/* The entry of a name in a directory: read, or, if `e` has an id, written. */
static int move_entry(dfs_obj_t *directory, const char *name, struct entry *e)
{
    char bytes[ENTRY] = "";
    const int is_write = (e->oid.lo | e->oid.hi) != 0;
    daos_key_t key = { (void *)(uintptr_t)name, strlen(name), strlen(name) };
    daos_recx_t extent = { 0, ENTRY };
    daos_iod_t iod = { .iod_name = { (void *)(uintptr_t) "entry", 5, 5 },
                       .iod_type = DAOS_IOD_ARRAY,
                       .iod_size = 1,
                       .iod_nr = 1,
                       .iod_recxs = &extent };
    d_iov_t iov = { bytes, ENTRY, ENTRY };
    d_sg_list_t list = { 1, 0, &iov };

    if (is_write) {
        memcpy(bytes, e, sizeof *e);
        return daos_obj_update(directory->oh, DAOS_TX_NONE, 0, &key, 1, &iod, &list, NULL) == 0 ? 0 : EIO;
    }
    if (daos_obj_fetch(directory->oh, DAOS_TX_NONE, 0, &key, 1, &iod, &list, NULL, NULL) != 0)
        return EIO;
    memcpy(e, bytes, sizeof *e);
    return (e->oid.lo | e->oid.hi) != 0 ? 0 : ENOENT;
}

int dfs_lookup_rel(dfs_t *dfs, dfs_obj_t *parent, const char *name, int flags, dfs_obj_t **obj, mode_t *mode,
                   struct stat *st)
{
    struct entry e = { .mode = 0 };
    const int rc = move_entry(parent ? parent : dfs->root, name, &e);

    (void)flags;
    (void)st;
    if (rc != 0)
        return rc;
    if (mode)
        *mode = e.mode;
    return open_object(dfs, &e, obj);
}

int dfs_lookup(dfs_t *dfs, const char *path, int flags, dfs_obj_t **obj, mode_t *mode, struct stat *st)
{
    dfs_obj_t *at = NULL, *next;
    char copy[4096], *rest = NULL;

    if (strlen(path) >= sizeof copy)
        return ENAMETOOLONG;
    strcpy(copy, path);
    for (char *name = strtok_r(copy, "/", &rest); name; name = strtok_r(NULL, "/", &rest), at = next) {
        const int rc = dfs_lookup_rel(dfs, at, name, flags, &next, mode, st);

        if (at)
            dfs_release(at);
        if (rc != 0)
            return rc;
    }
    *obj = at;
    return at ? 0 : EINVAL;
}

int dfs_open_stat(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags, daos_oclass_id_t cid,
                  daos_size_t chunk_size, const char *value, dfs_obj_t **obj, struct stat *st)
{
    dfs_obj_t *directory = parent ? parent : dfs->root;
    struct entry e = { .mode = 0 };

    (void)cid;
    (void)chunk_size;
    (void)value;
    if (!(flags & O_CREAT))
        return dfs_lookup_rel(dfs, parent, name, flags, obj, NULL, st);
    e.oid.lo = directory->oid.lo;
    for (const char *c = name; *c; c++)
        e.oid.lo = e.oid.lo * 1099511628211U + (unsigned char)*c;
    e.oid.hi = S_ISDIR(mode) ? 0 : IS_ARRAY;
    e.mode = mode;
    if (move_entry(directory, name, &e) != 0)
        return EIO;
    return open_object(dfs, &e, obj);
}

int dfs_open(dfs_t *dfs, dfs_obj_t *parent, const char *name, mode_t mode, int flags, daos_oclass_id_t cid,
             daos_size_t chunk_size, const char *value, dfs_obj_t **obj)
{
    return dfs_open_stat(dfs, parent, name, mode, flags, cid, chunk_size, value, obj, NULL);
}

int dfs_dup(dfs_t *dfs, dfs_obj_t *obj, int flags, dfs_obj_t **copy)
{
    (void)flags;
    return open_object(dfs, &(struct entry){ .oid = obj->oid, .mode = obj->mode }, copy);
}

int dfs_obj_local2global(dfs_t *dfs, dfs_obj_t *obj, d_iov_t *glob)
{
    (void)dfs;
    return daos_array_local2global(obj->oh, glob);
}

int dfs_obj_global2local(dfs_t *dfs, int flags, d_iov_t glob, dfs_obj_t **obj)
{
    dfs_obj_t *o = calloc(1, sizeof *o);

    (void)flags;
    memcpy(&o->oid, (char *)glob.iov_buf + 8, sizeof o->oid);
    o->mode = S_IFREG;
    *obj = o;
    return daos_array_global2local(dfs->coh, glob, 0, &o->oh) == 0 ? 0 : EIO;
}

int dfs_release(dfs_obj_t *obj)
{
    if (S_ISDIR(obj->mode))
        daos_obj_close(obj->oh, NULL);
    else
        daos_array_close(obj->oh, NULL);
    free(obj);
    return 0;
}

static int transfer(dfs_obj_t *obj, daos_off_t off, d_sg_list_t *sgl, daos_event_t *ev, int is_write)
{
    daos_range_t range = { off, 0 };
    daos_array_iod_t iod = { 1, &range };

    for (uint32_t i = 0; i < sgl->sg_nr; i++)
        range.rg_len += sgl->sg_iovs[i].iov_len;
    return (is_write ? daos_array_write : daos_array_read)(obj->oh, DAOS_TX_NONE, &iod, sgl, ev) == 0 ? 0 : EIO;
}

int dfs_read(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_size_t *size, daos_event_t *ev)
{
    int rc;

    (void)dfs;
    if (!S_ISREG(obj->mode))
        return EINVAL;
    rc = transfer(obj, off, sgl, ev, 0);
    if (ev)
        ev->work.size = size;
    else if (rc == 0)
        rc = daos_stand_in_read(obj->oh, off, sgl, size) == 0 ? 0 : EIO;
    return rc;
}

int dfs_readx(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_size_t *size, daos_event_t *ev)
{
    return dfs_read(dfs, obj, sgl, iod->iod_rgs[0].rg_idx, size, ev);
}

int dfs_write(dfs_t *dfs, dfs_obj_t *obj, d_sg_list_t *sgl, daos_off_t off, daos_event_t *ev)
{
    (void)dfs;
    return S_ISREG(obj->mode) ? transfer(obj, off, sgl, ev, 1) : EINVAL;
}

int dfs_writex(dfs_t *dfs, dfs_obj_t *obj, dfs_iod_t *iod, d_sg_list_t *sgl, daos_event_t *ev)
{
    return dfs_write(dfs, obj, sgl, iod->iod_rgs[0].rg_idx, ev);
}

int dfs_get_size(dfs_t *dfs, dfs_obj_t *obj, daos_size_t *size)
{
    (void)dfs;
    return daos_array_get_size(obj->oh, DAOS_TX_NONE, size, NULL) == 0 ? 0 : EIO;
}

int dfs_punch(dfs_t *dfs, dfs_obj_t *obj, daos_off_t offset, daos_size_t len)
{
    (void)dfs;
    (void)len;
    return daos_array_set_size(obj->oh, DAOS_TX_NONE, offset, NULL) == 0 ? 0 : EIO;
}

int dfs_remove(dfs_t *dfs, dfs_obj_t *parent, const char *name, bool force, daos_obj_id_t *oid)
{
    dfs_obj_t *directory = parent ? parent : dfs->root;
    daos_key_t key = { (void *)(uintptr_t)name, strlen(name), strlen(name) };
    struct entry e = { .mode = 0 };
    const int rc = move_entry(directory, name, &e);
    daos_handle_t oh;

    (void)force;
    if (rc != 0)
        return rc;
    daos_obj_punch_dkeys(directory->oh, DAOS_TX_NONE, 0, 1, &key, NULL);
    daos_obj_open(dfs->coh, e.oid, 0, &oh, NULL);
    daos_obj_punch(oh, DAOS_TX_NONE, 0, NULL);
    daos_obj_close(oh, NULL);
    if (oid)
        *oid = e.oid;
    return 0;
}

int dfs_move(dfs_t *dfs, dfs_obj_t *parent, const char *name, dfs_obj_t *new_parent, const char *new_name,
             daos_obj_id_t *oid)
{
    daos_key_t key = { (void *)(uintptr_t)name, strlen(name), strlen(name) };
    struct entry e = { .mode = 0 };
    const int rc = move_entry(parent ? parent : dfs->root, name, &e);

    (void)oid;
    if (rc != 0)
        return rc;
    daos_obj_punch_dkeys((parent ? parent : dfs->root)->oh, DAOS_TX_NONE, 0, 1, &key, NULL);
    return move_entry(new_parent ? new_parent : dfs->root, new_name, &e);
}

int dfs_ostat(dfs_t *dfs, dfs_obj_t *obj, struct stat *st)
{
    (void)dfs;
    memset(st, 0, sizeof *st);
    st->st_mode = obj->mode;
    return S_ISREG(obj->mode) ? daos_array_stat(obj->oh, DAOS_TX_NONE, NULL, NULL) : 0;
}

int dfs_osetattr(dfs_t *dfs, dfs_obj_t *obj, struct stat *st, int flags)
{
    (void)dfs;
    (void)obj;
    (void)st;
    return flags ? 0 : EINVAL;
}

int dfs_obj2id(dfs_obj_t *obj, daos_obj_id_t *oid)
{
    *oid = obj->oid;
    return 0;
}

int dfs_get_chunk_size(dfs_obj_t *obj, daos_size_t *size)
{
    if (!S_ISREG(obj->mode))
        return EINVAL;
    *size = CHUNK;
    return 0;
}

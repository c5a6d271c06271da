/* daos.h - what calls of DAOS and of its file system DFS count
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two layers: what libdfs calls of libdaos counts as objects of DAOS, too. A call inside of one of the same layer is part
 * of that. Called by wrap-dfs.c and wrap-daos.c inside a span, after the real call, whose result is `result`; failed calls
 * are not counted. We do not link against DAOS: the wrappers pass the few query functions, all of which answer from memory.
 *
 * A record is that of an object, by its id and its container's UUID: a file that is renamed keeps its record, and the name
 * that it was first opened with. What is opened without a name, as from another rank's handle, is named by its id.
 *
 * A call with an event counts when it is made: the bytes are those of the request, the time is that of the call. What the
 * program hands to it is read before the call, and not again. */
#ifndef DSN_MODULE_DAOS_H
#define DSN_MODULE_DAOS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* The types of DAOS's headers (2.x) that are passed by value or read. */
struct dsn_daos_handle { /* daos_handle_t */
    uint64_t cookie;
};
struct dsn_daos_oid { /* daos_obj_id_t */
    uint64_t lo, hi;
};
struct dsn_daos_iov { /* d_iov_t */
    void *at;
    size_t room, length;
};
struct dsn_daos_sgl { /* d_sg_list_t */
    uint32_t n, n_out;
    struct dsn_daos_iov *iov;
};
struct dsn_daos_extent { /* daos_recx_t */
    uint64_t first, n;
};
struct dsn_daos_iod { /* daos_iod_t */
    struct dsn_daos_iov key;
    int type; /* DSN_DAOS_SINGLE, DSN_DAOS_ARRAY */
    uint64_t size, flags;
    uint32_t n;
    struct dsn_daos_extent *extent;
};
enum { DSN_DAOS_SINGLE = 1, DSN_DAOS_ARRAY = 2 };

/* The query functions, any of which may be missing. The last is in no header, but exported by all versions; it tells a
 * container's UUID on each rank, however it came to its handle, without asking a server. */
#define DSN_DFS_CALLS                                                                                                  \
    C(dfs_obj2id, (void *file, struct dsn_daos_oid *oid))                                                              \
    C(dfs_get_chunk_size, (void *file, uint64_t *size))
#define DSN_DAOS_CALLS                                                                                                 \
    C(daos_array_get_attr, (struct dsn_daos_handle array, uint64_t * chunk, uint64_t * cell))                          \
    C(daos_event_register_comp_cb, (void *event, int (*call)(void *context, void *event, int result), void *context))  \
    C(dc_cont_hdl2uuid, (struct dsn_daos_handle container, unsigned char *of_handle, unsigned char *uuid))

struct dsn_daos {
#define C(name, p) int(*name) p;
    DSN_DFS_CALLS DSN_DAOS_CALLS
#undef C
};

enum dsn_daos_layer { DSN_BY_DFS, DSN_BY_DAOS }; /* of dsn_thread.daos */

/* Bytes of a list of buffers, of several, and of a fetch, whose size may be known only after it. */
int64_t dsn__daos_length(const struct dsn_daos_sgl *list, unsigned n);
int64_t dsn__daos_fetched(const struct dsn_daos_iod *iod, const struct dsn_daos_sgl *list, unsigned n);

/* ------------------------------------------------------------------ pools, containers, mounts */

/* A pool was connected to, with its UUID at `info` (NULL: not asked for) or as the text `given` (or a label, or NULL). */
void dsn__daos_pool(int result, const char *given, const struct dsn_daos_handle *pool, const void *info, void *event);
void dsn__daos_container(const struct dsn_daos *daos, int result, struct dsn_daos_handle pool, const char *given,
                         const struct dsn_daos_handle *container, const void *info, void *event);

/* A file system was mounted: its container's handle is known, or it is the only one that was opened during the call, which
 * `before` was dsn__daos_opened(). */
uintptr_t dsn__daos_opened(void);
void dsn__dfs_mount(const struct dsn_daos *daos, int result, struct dsn_daos_handle container, void *const *mount);
void dsn__dfs_connect(const struct dsn_daos *daos, int result, uintptr_t before, void *const *mount);

/* Before a handle, a mount or a file is given back, and after it: if that failed, it still is what it was. */
void *dsn__daos_release(struct dsn_daos_handle handle);
void dsn__daos_released(const struct dsn_span *s, int result, struct dsn_daos_handle handle, void *released);
void *dsn__dfs_release(void *what);
void dsn__dfs_released(const struct dsn_span *s, int result, void *what, void *released);

/* ------------------------------------------------------------------ files of DFS */

/* Before something is opened: `name` in the directory `parent` (NULL: the root, or `name` is the whole path). Sets
 * dsn_thread.naming, for objects of DAOS that are opened within. */
intptr_t dsn__dfs_opens(void *parent, const char *name);

/* `name` is NULL if the call has none. */
void dsn__dfs_open(const struct dsn_daos *daos, const struct dsn_span *s, int result, void *mount, void *parent,
                   const char *name, void *const *file, int counter);
void dsn__dfs_dup(const struct dsn_span *s, int result, void *file, void *const *copy);
void dsn__dfs_remove(const struct dsn_span *s, int result, void *mount, void *parent, const char *name,
                     const struct dsn_daos_oid *oid);
void dsn__dfs_meta(const struct dsn_span *s, int result, void *file, int counter);
void dsn__dfs_io(const struct dsn_daos *daos, const struct dsn_span *s, int result, void *file, int counter,
                 int64_t bytes, void *event);

/* ------------------------------------------------------------------ objects of DAOS */

/* An object, array or key-value store that a call opens. `handle` is where the call stores its handle; cell and chunk are
 * an array's, 0: none, or not known yet. */
struct dsn_daos_opening {
    struct dsn_daos_handle container;
    struct dsn_daos_oid oid;
    const struct dsn_daos_handle *handle;
    int counter;
    uint64_t cell, chunk;
};

/* Before and after an open. With an event the handle is known at its end, of which DAOS tells. */
intptr_t dsn__daos_opens(const struct dsn_daos *daos, const struct dsn_daos_opening *o, void *event);
void dsn__daos_open(const struct dsn_daos *daos, const struct dsn_span *s, int result, const struct dsn_daos_opening *o,
                    void *event, intptr_t before);

/* An array from another process's handle: its id is known when the file that it belongs to is (dsn__dfs_open), else never. */
void dsn__daos_from_global(const struct dsn_daos *daos, const struct dsn_span *s, int result,
                           struct dsn_daos_handle container, const struct dsn_daos_handle *handle);

void dsn__daos_meta(const struct dsn_span *s, int result, struct dsn_daos_handle object, int counter, void *event);
void dsn__daos_io(const struct dsn_span *s, int result, struct dsn_daos_handle object, int counter, int64_t bytes,
                  void *event);

/* ------------------------------------------------------------------ state */

#define DSN_DAOS_PENDING 32 /* opens with an event that have not ended */

struct dsn_daos_handles {
    struct dsn_small *free;
    struct dsn_handle_map handles;  /* by cookie: pools, containers, objects */
    struct dsn_handle_map pointers; /* mounts and files of DFS */
    atomic_uint opened;             /* containers so far */
    _Atomic(uint64_t) last;         /* cookie of the last of them */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_daos_handles *const dsn__daos __attribute__((visibility("hidden")));

#endif

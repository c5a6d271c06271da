/* fd.c - tables of descriptors and handles
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/fd.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"

mode_t dsn__fd_channel(int fd)
{
    struct stat st;

    if (fd < 0 || dsn__sys_position(fd) >= 0 || dsn__sys_fstat_known(fd, &st) != 0)
        return 0;
    return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode) ? st.st_mode & S_IFMT : 0;
}

/* The first chunks, enough for most processes, lie beside data that every process touches. */
static bool begin_chunk(struct dsn_pool *pool, size_t size)
{
    const size_t chunk = DSN_POOL_CHUNK;
    void *p;

    if (!pool->has_begun && size <= sizeof dsn__fds->first_small) {
        pool->has_begun = 1;
        pool->at = dsn__fds->first_small;
        pool->left = sizeof dsn__fds->first_small;
        return true;
    }
    p = dsn__sys_mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    *(void **)p = pool->last;
    pool->last = p;
    pool->at = (char *)p + 2 * sizeof p;
    pool->left = chunk - 2 * sizeof p;
    return true;
}

/* Descriptors and handles are not allocated from the arena: a file that has a record must not go uncounted because
 * other records have filled it. The memory needed is bounded by the number that is open. The caller holds the lock. */
static void *take_small(size_t size)
{
    struct dsn_pool *pool = &dsn__fds->pool;
    void *p;

    size = (size + 7) & ~(size_t)7;
    if (pool->left < size && !begin_chunk(pool, size))
        return NULL;
    p = pool->at;
    pool->left -= size; /* first: a thread cancelled here wastes memory instead of handing it out twice */
    atomic_signal_fence(memory_order_seq_cst);
    pool->at += size;
    return p;
}

void dsn__small_forget(void)
{
    struct dsn_pool *pool = &dsn__fds->pool;

    while (pool->last) {
        void *before = *(void **)pool->last;

        dsn__sys_munmap(pool->last, DSN_POOL_CHUNK);
        pool->last = before;
    }
    pool->has_begun = 0;
    pool->has_fds = 0;
    pool->left = 0;
}

void dsn__fds_forget(int keep)
{
    if (!keep)
        dsn__small_forget();
    memset(dsn__fds, 0, offsetof(struct dsn_fds, first_small));
    if (!keep)
        memset(dsn__fds->first_small, 0, offsetof(struct dsn_fds, fd_page) - offsetof(struct dsn_fds, first_small));
    memset(dsn__fds->fd_page, 0, sizeof dsn__fds->fd_page);
    dsn__fds->pool.has_begun = dsn__fds->pool.has_fds = keep;
}

static void miss(void)
{
    atomic_fetch_add(&dsn__incomplete->missed, 1);
}

void *dsn__small_take(struct dsn_small **free_list, size_t size)
{
    void *p;

    if (!dsn__spin(&dsn__names->lock))
        return NULL;
    p = *free_list;
    if (p) {
        *free_list = (*free_list)->next;
        memset(p, 0, size);
    } else {
        p = take_small(size);
    }
    dsn__unspin(&dsn__names->lock);
    if (!p)
        miss();
    return p;
}

void dsn__small_give(struct dsn_small **free_list, void *what)
{
    struct dsn_small *s = what;

    if (!dsn__spin(&dsn__names->lock))
        return;
    s->next = *free_list;
    *free_list = s;
    dsn__unspin(&dsn__names->lock);
}

/* The caller holds the lock. */
static struct dsn_fd *take_page(void)
{
    struct dsn_pool *pool = &dsn__fds->pool;
    const size_t line = _Alignof(struct dsn_fd);
    char *p;

    if (pool->has_fds) {
        p = take_small(sizeof dsn__fds->first_fds + line - 8); /* which is aligned to 8 */
        return p ? (struct dsn_fd *)(p + (line - (uintptr_t)p % line) % line) : NULL;
    }
    pool->has_fds = 1;
    return dsn__fds->first_fds;
}

static __attribute__((noinline, cold)) struct dsn_fd *add_page(int fd)
{
    _Atomic(struct dsn_fd *) *page;

    if (fd < 0 || fd >= DSN_FD_PAGES * DSN_FDS_PER_PAGE)
        return NULL;
    page = dsn__fd_page((unsigned)fd);
    if (dsn__spin(&dsn__names->lock)) {
        if (!atomic_load(page))
            atomic_store(page, take_page());
        dsn__unspin(&dsn__names->lock);
    }
    return dsn__fd(fd);
}

static inline struct dsn_fd *make_entry(int fd)
{
    struct dsn_fd *entry = dsn__fd(fd);

    return entry ? entry : add_page(fd);
}

static struct dsn_description *take_description(void)
{
    struct dsn_description *o;

    if (!dsn__spin(&dsn__names->lock))
        return NULL;
    o = dsn__fds->free_descriptions;
    if (o)
        dsn__fds->free_descriptions = o->free_next;
    else
        o = take_small(sizeof *o);
    dsn__unspin(&dsn__names->lock);
    if (o)
        atomic_store(&o->refs, 1);
    return o;
}

/* A description that is embedded in its record points to itself, and is never on the free list. */
struct dsn_description *dsn__description_new(struct dsn_record_state *state, struct dsn_description *own)
{
    struct dsn_description *o = own;
    int nobody = 0;

    if (!atomic_compare_exchange_strong(&own->refs, &nobody, 1))
        o = take_description();
    else if (o->free_next != o)
        o->free_next = o;
    if (!o)
        return NULL;
    atomic_store_explicit(&o->state, state, memory_order_relaxed);
    atomic_store_explicit(&o->offset, 0, memory_order_relaxed);
    atomic_store_explicit(&o->flags, 0, memory_order_relaxed);
    return o;
}

/* If a description is reused while another thread still counts into it, that thread's call goes to another file's
 * record, never to freed memory: the application closed a descriptor that it was using. */
static inline void unref(struct dsn_description *o)
{
    int is_embedded;

    if (!o)
        return;
    is_embedded = o->free_next == o;
    if (atomic_fetch_sub(&o->refs, 1) != 1 || is_embedded || !dsn__spin(&dsn__names->lock))
        return;
    o->free_next = dsn__fds->free_descriptions;
    dsn__fds->free_descriptions = o;
    dsn__unspin(&dsn__names->lock);
}

void dsn__description_drop(struct dsn_description *o)
{
    unref(o);
}

static inline struct dsn_description *replace(struct dsn_fd *entry, struct dsn_description *o)
{
    if (!entry) {
        if (o)
            miss();
        unref(o);
        return NULL;
    }
    /* a descriptor just created is visible to no other thread */
    if (!atomic_load_explicit(&entry->description, memory_order_relaxed))
        atomic_store_explicit(&entry->description, o, memory_order_release);
    else
        unref(atomic_exchange(&entry->description, o));
    return o;
}

struct dsn_description *dsn__fd_set_description(int fd, struct dsn_record_state *state, struct dsn_description *own)
{
    struct dsn_description *o = state ? dsn__description_new(state, own) : NULL;

    if (state && !o)
        miss();
    return replace(o ? make_entry(fd) : dsn__fd(fd), o);
}

/* Inherited descriptions are never freed. */
void dsn__fds_set_unidentified(int n, struct dsn_record_state *state)
{
    for (int fd = 0; fd < n; fd++) {
        struct dsn_description *o = &dsn__fds->unidentified[fd];
        struct dsn_fd *entry = make_entry(fd);

        atomic_store_explicit(&o->state, state, memory_order_relaxed);
        atomic_store_explicit(&o->refs, 1 << 30, memory_order_relaxed);
        o->free_next = o;
        if (entry && !atomic_load_explicit(&entry->description, memory_order_relaxed))
            atomic_store_explicit(&entry->description, o, memory_order_release);
    }
}

/* Takes a reference, unless another thread has just closed the last descriptor. */
struct dsn_description *dsn__description_keep(struct dsn_description *o)
{
    int refs = o ? atomic_load(&o->refs) : 0;

    while (refs > 0)
        if (atomic_compare_exchange_weak(&o->refs, &refs, refs + 1))
            return o;
    return NULL;
}

void dsn__fd_dup(int fd, int from)
{
    struct dsn_description *o;

    if (fd == from)
        return;
    o = dsn__description_keep(dsn__fd_description(from));
    replace(o ? make_entry(fd) : dsn__fd(fd), o);
}

void dsn__fds_pass_on(void)
{
    atomic_store_explicit(&dsn__fds->are_passed_on, 1, memory_order_relaxed);
    for (int page = 0; page < DSN_FD_PAGES; page++)
        for (int i = 0; dsn__fd(page * DSN_FDS_PER_PAGE) && i < DSN_FDS_PER_PAGE; i++) {
            struct dsn_description *o = dsn__fd_description(page * DSN_FDS_PER_PAGE + i);

            if (o && !dsn__description_may_move(o))
                atomic_fetch_or(&o->flags, DSN_DESCRIPTION_MAY_MOVE);
        }
}

void dsn__fd_set_stream(int fd, void *owner, struct dsn_record_state *stream)
{
    struct dsn_fd *entry = stream ? make_entry(fd) : dsn__fd(fd);

    if (!entry || (!stream && atomic_load_explicit(&entry->owner, memory_order_relaxed) != owner))
        return;
    atomic_store_explicit(&entry->pushed, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->offset, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->inlined, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->stream, stream, memory_order_release);
    atomic_store_explicit(&entry->owner, owner, memory_order_release);
}

/* For close_range: visits only pages that exist. */
void dsn__fd_forget_range(unsigned first, unsigned last)
{
    const unsigned end = DSN_FD_PAGES * DSN_FDS_PER_PAGE;
    unsigned fd = first;

    while (fd <= last && fd < end) {
        if (dsn__fd((int)fd))
            dsn__fd_forget((int)fd++);
        else
            fd = (fd / DSN_FDS_PER_PAGE + 1) * DSN_FDS_PER_PAGE;
    }
}

struct dsn_record_state *dsn__fd_forget(int fd)
{
    struct dsn_fd *entry = dsn__fd(fd);
    struct dsn_description *o;
    struct dsn_record_state *state;

    if (!entry || !atomic_load_explicit(&entry->description, memory_order_relaxed))
        return NULL;
    o = atomic_exchange(&entry->description, NULL);
    state = o && !dsn__description_is_unidentified(o) ? dsn__description_state(o) : NULL;
    unref(o);
    return state;
}

/* ------------------------------------------------------------------ handles */

static _Atomic(struct dsn_handle_node *) *bucket_of(struct dsn_handle_map *map, uintptr_t key)
{
    return &map->bucket[(key * 0x9e3779b97f4a7c15) >> 58];
}

_Static_assert(DSN_HANDLE_BUCKETS == 64, "bucket_of takes the upper 6 bits");

/* The node in the key's bucket that holds `what`: the key, or 0 for a free node. */
static struct dsn_handle_node *node_of(struct dsn_handle_map *map, uintptr_t key, uintptr_t what)
{
    struct dsn_handle_node *n = atomic_load_explicit(bucket_of(map, key), memory_order_acquire);

    while (n && atomic_load_explicit(&n->key, memory_order_acquire) != what)
        n = atomic_load_explicit(&n->next, memory_order_acquire);
    return n;
}

void *dsn__handle_get(struct dsn_handle_map *map, uintptr_t key)
{
    struct dsn_handle_node *n = node_of(map, key, key);

    return n ? atomic_load_explicit(&n->value, memory_order_acquire) : NULL;
}

void dsn__handle_set(struct dsn_handle_map *map, uintptr_t key, void *value)
{
    _Atomic(struct dsn_handle_node *) *bucket = bucket_of(map, key);
    struct dsn_handle_node *n;

    if (key == 0 || !dsn__spin(&dsn__names->lock))
        return;
    n = node_of(map, key, key);
    if (!n)
        n = node_of(map, key, 0);
    if (n) {
        atomic_store_explicit(&n->value, value, memory_order_release);
        atomic_store_explicit(&n->key, key, memory_order_release);
    } else if ((n = take_small(sizeof *n)) != NULL) {
        atomic_store(&n->value, value);
        atomic_store(&n->key, key);
        atomic_store(&n->next, atomic_load(bucket));
        atomic_store_explicit(bucket, n, memory_order_release);
    } else {
        miss();
    }
    dsn__unspin(&dsn__names->lock);
}

/* Under the lock: of two threads that remove the same handle one gets nothing, and neither removes what a third has put
 * there since. */
void *dsn__handle_take(struct dsn_handle_map *map, uintptr_t key)
{
    struct dsn_handle_node *n = node_of(map, key, key);
    void *value = NULL;

    if (!n || !dsn__spin(&dsn__names->lock))
        return NULL;
    n = node_of(map, key, key);
    if (n) {
        value = atomic_exchange(&n->value, NULL);
        atomic_store_explicit(&n->key, 0, memory_order_release);
    }
    dsn__unspin(&dsn__names->lock);
    return value;
}

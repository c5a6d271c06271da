/* opened.c - open files and descriptors of processes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "opened.h"

#include <stdlib.h>
#include <string.h>

#include "pairmap.h"
#include "util/lib/grow.h"

struct dsn__descriptors {
    uint64_t refs;
    size_t room;
    struct dsn__opened **files; /* by descriptor */
};

void dsn__processes_init(struct dsn__processes *p)
{
    memset(p, 0, sizeof *p);
    dsn__idmap_init(&p->index);
}

static void release(struct dsn__opened *o)
{
    if (!o || --o->refs > 0)
        return;
    free(o->path);
    free(o);
}

static void release_all(struct dsn__descriptors *d)
{
    if (!d || --d->refs > 0)
        return;
    for (size_t i = 0; i < d->room; i++)
        release(d->files[i]);
    free(d->files);
    free(d);
}

void dsn__processes_free(struct dsn__processes *p)
{
    for (size_t i = 0; i < p->index.used && i < p->room; i++) {
        release_all(p->all[i].of);
        free(p->all[i].pending);
    }
    free(p->all);
    dsn__idmap_free(&p->index);
}

struct dsn__process *dsn__process_of(struct dsn__processes *p, uint64_t id)
{
    const uint32_t at = dsn__idmap_add(&p->index, id, (uint32_t)p->index.used);

    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&p->all, &p->room, sizeof *p->all, at))
        return NULL;
    p->all[at].id = id;
    return &p->all[at];
}

struct dsn__opened *dsn__opened(const struct dsn__process *p, uint64_t fd)
{
    return p->of && fd < p->of->room ? p->of->files[fd] : NULL;
}

/* The entry of a descriptor; NULL: no memory, or the number is too large. */
static struct dsn__opened **place(struct dsn__process *p, uint64_t fd)
{
    if (fd > DSN__MAX_DESCRIPTOR)
        return NULL;
    if (!p->of) {
        p->of = calloc(1, sizeof *p->of);
        if (!p->of)
            return NULL;
        p->of->refs = 1;
    }
    if (!dsn_grow_zeroed(&p->of->files, &p->of->room, sizeof(struct dsn__opened *), (size_t)fd))
        return NULL;
    return &p->of->files[fd];
}

struct dsn__opened *dsn__open(struct dsn__processes *all, struct dsn__process *p, uint64_t fd, const char *path,
                              size_t length)
{
    struct dsn__opened **at = place(p, fd), *o;

    if (!at)
        return NULL;
    o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->refs = 1;
    o->id = ++all->last_id;
    if (path) {
        o->path = malloc(length + 1);
        if (!o->path) {
            free(o);
            return NULL;
        }
        memcpy(o->path, path, length);
        o->path[length] = '\0';
    }
    release(*at);
    *at = o;
    return o;
}

void dsn__close(struct dsn__process *p, uint64_t fd)
{
    if (!dsn__opened(p, fd))
        return;
    release(p->of->files[fd]);
    p->of->files[fd] = NULL;
}

int dsn__duplicate(struct dsn__process *p, uint64_t from, uint64_t to)
{
    struct dsn__opened *o = dsn__opened(p, from), **at;

    if (!o || from == to || to > DSN__MAX_DESCRIPTOR)
        return 1;
    at = place(p, to);
    if (!at)
        return 0;
    o->refs++;
    release(*at);
    *at = o;
    return 1;
}

int dsn__inherit(struct dsn__processes *all, uint64_t parent, uint64_t child, int shared)
{
    struct dsn__process *to = dsn__process_of(all, child), *from;

    if (!to)
        return 0;
    from = dsn__process_of(all, parent); /* adding it may have moved `to` */
    to = dsn__process_of(all, child);
    if (!from || !to || !from->of || from == to || to->of) /* the child may appear before its parent's call returns */
        return from && to;
    if (shared) {
        to->of = from->of;
        to->of->refs++;
        return 1;
    }
    to->of = calloc(1, sizeof *to->of);
    if (!to->of)
        return 0;
    to->of->refs = 1;
    to->of->files = malloc(from->of->room * sizeof(struct dsn__opened *));
    if (!to->of->files && from->of->room > 0)
        return 0;
    to->of->room = from->of->room;
    for (size_t i = 0; i < to->of->room; i++) {
        to->of->files[i] = from->of->files[i];
        if (to->of->files[i])
            to->of->files[i]->refs++;
    }
    return 1;
}

void dsn__exit(struct dsn__process *p)
{
    release_all(p->of);
    p->of = NULL;
    free(p->pending);
    p->pending = NULL;
}

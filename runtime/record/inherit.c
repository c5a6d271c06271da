/* inherit.c - passes the parent's table of descriptors to a forked child
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/inherit.h"

#include <string.h>

#include "base/pages.h"
#include "record/fd.h"
#include "record/mappings.h"
#include "record/module.h"
#include "record/record.h"

/* A descriptor, or a mapping; followed by the name of its file, and of its stream. */
struct entry {
    int fd;      /* -1: a mapping */
    int mapping; /* its place */
    int append, is_open, has_stream;
    int64_t offset;
    const void *description; /* identity of a description that several descriptors share, or NULL */
    void *owner;
    size_t name, stream_name; /* bytes, including the NULs */
};

struct dsn_inherited {
    size_t used, room;
    char bytes[];
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static struct dsn_inherited *add_inherited(struct dsn_inherited *to, const struct entry *e, const char *name,
                                           const char *stream_name)
{
    const size_t size = padded(sizeof *e + e->name + e->stream_name);

    if (!to || size > to->room - to->used) {
        const size_t room = 2 * ((to ? to->room : 4096) + size);
        struct dsn_inherited *larger = dsn__pages_grow(to, sizeof *to + room);

        if (!larger)
            return to;
        larger->room = room;
        to = larger;
    }
    memcpy(to->bytes + to->used, e, sizeof *e);
    memcpy(to->bytes + to->used + sizeof *e, name, e->name);
    memcpy(to->bytes + to->used + sizeof *e + e->name, stream_name, e->stream_name);
    to->used += size;
    return to;
}

static struct dsn_inherited *add_descriptor(struct dsn_inherited *to, int fd)
{
    const struct dsn_fd *d = dsn__fd(fd);
    const struct dsn_description *at = atomic_load(&d->description),
                                 *o = dsn__description_is_unidentified(at) ? NULL : at;
    const struct dsn_record_state *stream = atomic_load(&d->stream), *state = o ? dsn__description_state(o) : NULL;
    const char *name = state ? state->name->text : "", *stream_name = stream ? stream->name->text : "";
    const int is_standard = stream_name[0] == '<'; /* each process opens those itself */
    const struct entry e = { .fd = fd,
                             .is_open = state != NULL,
                             .append = o ? dsn__description_appends(o) : 0,
                             .offset = o ? atomic_load(&o->offset) : 0,
                             .description = o && atomic_load(&o->refs) > 1 ? o : NULL,
                             .has_stream = stream != NULL && !is_standard,
                             .owner = atomic_load(&d->owner),
                             .name = strlen(name) + 1,
                             .stream_name = strlen(stream_name) + 1 };

    return e.is_open || e.has_stream ? add_inherited(to, &e, name, stream_name) : to;
}

/* They stay in their table, without their records. */
static struct dsn_inherited *add_mappings(struct dsn_inherited *to)
{
    struct dsn_mapping m;

    for (int next = 0; dsn__mappings_next(&next, &m);)
        if (m.of) {
            const struct entry e = {
                .fd = -1, .mapping = next - 1, .name = strlen(m.of->name->text) + 1, .stream_name = 1
            };

            to = add_inherited(to, &e, m.of->name->text, "");
            dsn__mappings_give_record(next - 1, NULL);
        }
    return to;
}

struct dsn_inherited *dsn__inherit_save(void)
{
    struct dsn_inherited *to = NULL;

    for (int page = 0; page < DSN_FD_PAGES; page++)
        for (int i = 0; dsn__fd(page * DSN_FDS_PER_PAGE) && i < DSN_FDS_PER_PAGE; i++)
            to = add_descriptor(to, page * DSN_FDS_PER_PAGE + i);
    return add_mappings(to);
}

/* The descriptor of an earlier entry with the same description, or -1. */
static int earlier_fd(const struct dsn_inherited *from, const struct entry *e)
{
    for (size_t at = 0; from->bytes + at < (const char *)e;) {
        const struct entry *other = (const struct entry *)(const void *)(from->bytes + at);

        if (other->is_open && other->description == e->description)
            return other->fd;
        at += padded(sizeof *other + other->name + other->stream_name);
    }
    return -1;
}

static void take_open(const struct dsn_inherited *from, const struct entry *e, const char *name,
                      struct dsn_description *(*open)(int fd, const char *name))
{
    const int other = e->description ? earlier_fd(from, e) : -1;
    struct dsn_description *o;

    if (other >= 0) {
        dsn__fd_dup(e->fd, other);
        return;
    }
    o = open(e->fd, name);
    if (o) {
        atomic_store(&o->offset, e->offset);
        atomic_store(&o->flags, DSN_DESCRIPTION_MAY_MOVE | (e->append ? DSN_DESCRIPTION_APPENDS : 0));
    }
}

void dsn__inherit_restore(struct dsn_inherited *from, struct dsn_description *(*open)(int fd, const char *name),
                          void (*map)(int place, const char *name))
{
    for (size_t at = 0; from && at < from->used;) {
        const struct entry *e = (const struct entry *)(const void *)(from->bytes + at);
        const char *name = (const char *)(e + 1);

        if (e->fd < 0)
            map(e->mapping, name);
        if (e->is_open)
            take_open(from, e, name, open);
        if (e->has_stream)
            dsn__fd_set_stream(e->fd, e->owner, dsn__record(DSN_INDEX_STDIO, name + e->name));
        at += padded(sizeof *e + e->name + e->stream_name);
    }
    dsn__pages_free(from);
}

/* tally.c - histograms and owners
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "tally.h"
#include "util/lib/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY 86400

void dsn_tally_init(struct dsn_tally *t, int64_t now)
{
    memset(t, 0, sizeof *t);
    t->now = now;
    t->largest = -1;
    dsn__idmap_init(&t->users.index);
    dsn__idmap_init(&t->groups.index);
    dsn__idmap_init(&t->projects.index);
}

void dsn_tally_free(struct dsn_tally *t)
{
    dsn__idmap_free(&t->users.index);
    dsn__idmap_free(&t->groups.index);
    dsn__idmap_free(&t->projects.index);
    free(t->users.owners);
    free(t->groups.owners);
    free(t->projects.owners);
}

static unsigned bin_of(uint64_t value)
{
    return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}

static void add_value(struct dsn_tally *t, enum dsn_histogram h, uint64_t value, int64_t bytes)
{
    struct dsn_bin *bin = &t->bin[h][bin_of(value)];

    bin->count++;
    bin->bytes += bytes;
}

void dsn_tally_value(struct dsn_tally *t, enum dsn_histogram h, uint64_t value)
{
    add_value(t, h, value, 0);
}

static int add_owner(struct dsn_owners *o, uint32_t id, int64_t files, int64_t bytes)
{
    uint32_t at;

    if (!dsn_grow(&o->owners, &o->room, sizeof *o->owners, o->n))
        return 0;
    at = dsn__idmap_add(&o->index, id, (uint32_t)o->n);
    if (at == DSN_IDMAP_NONE)
        return 0;
    if (at == o->n)
        o->owners[o->n++] = (struct dsn_owner_sum){ .id = id };
    o->owners[at].files += files;
    o->owners[at].bytes += bytes;
    return 1;
}

static uint64_t days(const struct dsn_tally *t, int64_t then)
{
    return then < t->now ? (uint64_t)(t->now - then) / DAY : 0;
}

int dsn_tally_file(struct dsn_tally *t, const struct statx *s, uint32_t project, const char *directory,
                   const char *name)
{
    const int is_root = strcmp(directory, ".") == 0;
    const int64_t size = (int64_t)s->stx_size, space = (int64_t)s->stx_blocks * 512;

    if (size > t->largest) {
        t->largest = size;
        t->largest_owner = s->stx_uid;
        snprintf(t->largest_path, sizeof t->largest_path, "%s%s%s", is_root ? "" : directory, is_root ? "" : "/", name);
    }
    t->files++;
    t->bytes += size;
    t->space += space;
    t->linked += s->stx_nlink > 1;
    add_value(t, DSN_H_SIZE, s->stx_size, size);
    add_value(t, DSN_H_CAPACITY, (uint64_t)space, space);
    add_value(t, DSN_H_ACCESS, days(t, s->stx_atime.tv_sec), size);
    add_value(t, DSN_H_MODIFY, days(t, s->stx_mtime.tv_sec), size);
    add_value(t, DSN_H_LINKS, s->stx_nlink, size);
    return add_owner(&t->users, s->stx_uid, 1, size) && add_owner(&t->groups, s->stx_gid, 1, size) &&
           (project == 0 || add_owner(&t->projects, project, 1, size));
}

void dsn_tally_unreadable(struct dsn_tally *t, const char *path, int error)
{
    if (t->unreadable++ > 0)
        return;
    snprintf(t->unreadable_path, sizeof t->unreadable_path, "%s", path);
    t->unreadable_error = error;
}

static int add_owners(struct dsn_owners *to, const struct dsn_owners *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!add_owner(to, from->owners[i].id, from->owners[i].files, from->owners[i].bytes))
            return 0;
    return 1;
}

int dsn_tally_add(struct dsn_tally *to, const struct dsn_tally *from)
{
    to->files += from->files;
    to->directories += from->directories;
    to->others += from->others;
    to->bytes += from->bytes;
    to->space += from->space;
    to->linked += from->linked;
    to->mounts += from->mounts;
    to->vanished += from->vanished;
    if (from->unreadable > 0 && to->unreadable == 0) {
        memcpy(to->unreadable_path, from->unreadable_path, sizeof to->unreadable_path);
        to->unreadable_error = from->unreadable_error;
    }
    to->unreadable += from->unreadable;
    if (from->largest > to->largest) {
        to->largest = from->largest;
        to->largest_owner = from->largest_owner;
        memcpy(to->largest_path, from->largest_path, sizeof to->largest_path);
    }
    for (int h = 0; h < DSN_NHISTOGRAMS; h++)
        for (int i = 0; i < DSN_NBINS; i++) {
            to->bin[h][i].count += from->bin[h][i].count;
            to->bin[h][i].bytes += from->bin[h][i].bytes;
        }
    return add_owners(&to->users, &from->users) && add_owners(&to->groups, &from->groups) &&
           add_owners(&to->projects, &from->projects);
}

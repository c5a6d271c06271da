/* striping.c - layouts of files on Lustre
 * SPDX-License-Identifier: BSD-3-Clause */
#include "striping.h"

#include <stdlib.h>
#include <string.h>

#include "reader.h"

/* Copies to one allocation, components first. 0: no memory. */
static int copy_layout(struct dsn_layout *to, const struct dsn_tail *tail)
{
    const size_t comps = tail->ncomps * sizeof *tail->comps, osts = tail->n * sizeof *tail->values[0];
    unsigned char *bytes = malloc(comps + osts + 1);

    if (!bytes)
        return 0;
    if (comps > 0)
        memcpy(bytes, tail->comps, comps);
    if (osts > 0)
        memcpy(bytes + comps, tail->values[0], osts);
    to->ncomps = tail->ncomps;
    to->comps = (const struct dsn_lustre_comp *)(const void *)bytes;
    to->osts = (const int64_t *)(const void *)(bytes + comps);
    return 1;
}

static void free_layout(const struct dsn_layout *layout)
{
    free((void *)(uintptr_t)layout->comps);
}

static int add_layout(struct dsn_layouts *l, uint64_t id, const struct dsn_tail *tail)
{
    int fresh;
    struct dsn_layout *layout = dsn__idtable_element(&l->table, id, &fresh);

    if (!layout)
        return DSN_ERR_MEMORY;
    free_layout(layout);
    *layout = (struct dsn_layout){ 0 };
    return copy_layout(layout, tail) ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

void dsn_layouts_init(struct dsn_layouts *l)
{
    dsn__idtable_init(&l->table, sizeof(struct dsn_layout));
}

int dsn_layouts_read(struct dsn_layouts *l, struct darshan_reader *log, struct darshan_reader_error *err)
{
    struct darshan_reader_records *it;
    struct darshan_reader_error why;
    const struct dsn_rec *r;

    if (darshan_reader_begin(log, DSN_LUSTRE_MODULE, &it, &why) == DSN_ERR_OK) {
        while ((r = darshan_reader_next(it, &why)) != NULL)
            if (add_layout(l, r->id, darshan_reader_tail(it)) != DSN_ERR_OK) {
                dsn__fail(&why, DSN_ERR_MEMORY, NULL);
                break;
            }
        darshan_reader_end(it);
    }
    if (err)
        *err = why;
    return why.code;
}

void dsn_layouts_free(struct dsn_layouts *l)
{
    for (size_t i = 0; i < l->table.n; i++)
        free_layout(dsn_layouts_at(l, i));
    dsn__idtable_free(&l->table);
}

const struct dsn_layout *dsn_layouts_get(const struct dsn_layouts *l, uint64_t id)
{
    return dsn__idtable_find(&l->table, id);
}

/* ------------------------------------------------------------------ which targets */

void dsn_stripe_walk_begin(struct dsn_stripe_walk *w, const struct dsn_layout *layout, int64_t offset, int64_t length)
{
    memset(w, 0, sizeof *w);
    w->layout = layout;
    w->at = offset;
    w->end = dsn_plus(offset, length);
}

/* Offset relative to the start of the component. */
static int64_t within(const struct dsn_stripe_walk *w, const struct dsn_lustre_comp *c)
{
    return (int64_t)((uint64_t)w->at - (uint64_t)c->start);
}

static int is_before_end(const struct dsn_stripe_walk *w, const struct dsn_lustre_comp *c)
{
    return c->end == -1 || w->at < c->end;
}

/* Returns whether the access is within the component. */
static int enter_component(struct dsn_stripe_walk *w, const struct dsn_lustre_comp *c)
{
    if (c->stripe_count <= 0 || c->stripe_size <= 0 || w->at < c->start || !is_before_end(w, c))
        return 0;
    w->k = within(w, c) / c->stripe_size % c->stripe_count;
    w->inside = 1;
    return 1;
}

static void leave_component(struct dsn_stripe_walk *w, const struct dsn_lustre_comp *c)
{
    w->inside = 0;
    w->base += (size_t)c->stripe_count;
    w->comp++;
}

/* As in the original's output, the count continues across components: once a component has returned all of its targets,
 * later ones only return targets until their own count exceeds it. */
int dsn_stripe_walk_next(struct dsn_stripe_walk *w, int64_t *ost)
{
    while (w->comp < w->layout->ncomps) {
        const struct dsn_lustre_comp *c = &w->layout->comps[w->comp];

        if (!w->inside && !enter_component(w, c)) {
            leave_component(w, c);
            continue;
        }
        if (w->at >= w->end || !is_before_end(w, c) || within(w, c) < 0) {
            leave_component(w, c);
            continue;
        }
        *ost = w->layout->osts[w->base + (size_t)w->k];
        w->k = w->k + 1 == c->stripe_count ? 0 : w->k + 1;
        w->at = dsn_plus(w->at, c->stripe_size - within(w, c) % c->stripe_size);
        if (++w->count >= c->stripe_count) {
            w->at = c->end == -1 ? w->end : c->end;
            leave_component(w, c);
        }
        return 1;
    }
    return 0;
}

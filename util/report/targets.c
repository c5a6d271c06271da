/* targets.c - what each storage target of Lustre holds of a job's files
 * SPDX-License-Identifier: BSD-3-Clause */
#include "targets.h"

#include <math.h>
#include <stdlib.h>

#include "util/lib/idtable.h"

/* Bytes of the first `length` of a component that are in stripe number k. */
static double in_stripe(const struct dsn_lustre_comp *c, double length, int64_t k)
{
    const double size = (double)c->stripe_size, round = size * (double)c->stripe_count;
    const double whole = floor(length / round), rest = length - whole * round;

    return whole * size + fmin(fmax(rest - (double)k * size, 0), size);
}

struct adding {
    const struct dsn_report_file *file;
    struct dsn__idtable *table; /* of struct dsn_target, by mount and number */
    double extent;
    double placed; /* bytes of the file for which a target was found */
};

/* Returns 0 without memory. */
static int add_stripe(struct adding *a, int64_t ost, double bytes)
{
    const uint64_t key = (uint64_t)a->file->mount << 32 | (uint32_t)ost;
    const double share = bytes / a->extent;
    struct dsn_target *t;
    int fresh = 0;

    if (ost < 0 || ost > UINT32_MAX || !(bytes > 0))
        return 1;
    t = dsn__idtable_find(a->table, key);
    if (!t && a->table->n < DSN_TARGETS_MOST && !(t = dsn__idtable_element(a->table, key, &fresh)))
        return 0;
    if (!t)
        return 1;
    t->mount = a->file->mount;
    t->ost = ost;
    t->files++;
    t->bytes_read += share * (double)a->file->work.bytes_read;
    t->bytes_written += share * (double)a->file->work.bytes_written;
    a->placed += bytes;
    return 1;
}

/* Components come in the order of their bytes; those that begin before the end of one before them are its mirrors. */
static int add_file(struct adding *a, const struct dsn_layout *layout)
{
    const int64_t *osts = layout->osts;
    double end = 0;

    for (size_t i = 0; i < layout->ncomps && end < a->extent; i++) {
        const struct dsn_lustre_comp *c = &layout->comps[i];
        const double start = (double)c->start, stop = c->end < 0 ? a->extent : fmin((double)c->end, a->extent);

        if (c->stripe_count > 0 && c->stripe_size > 0 && start >= end && stop > start) {
            for (int64_t k = 0; k < c->stripe_count; k++)
                if (!add_stripe(a, osts[k], in_stripe(c, stop - start, k)))
                    return 0;
        }
        osts += c->stripe_count > 0 ? c->stripe_count : 0;
        end = fmax(end, stop);
    }
    return 1;
}

static int by_bytes(const void *a, const void *b)
{
    const struct dsn_target *x = a, *y = b;
    const double bx = dsn_target_bytes(x), by = dsn_target_bytes(y);

    if (bx != by)
        return (bx < by) - (bx > by);
    return x->mount != y->mount ? x->mount - y->mount : (x->ost > y->ost) - (x->ost < y->ost);
}

static int64_t highest_of(const struct dsn_layout *layout)
{
    const int64_t *osts = layout->osts;
    int64_t highest = -1;

    for (size_t i = 0; i < layout->ncomps; i++)
        for (int64_t k = 0; k < layout->comps[i].stripe_count; k++, osts++)
            highest = *osts > highest && *osts <= UINT32_MAX ? *osts : highest;
    return highest;
}

/* Targets of all file systems together, as far as their numbers tell. Returns -1 without memory. */
static int64_t count_targets(const struct dsn_report *r)
{
    int64_t *most = calloc(r->nmounts + 1, sizeof *most), sum = 0;

    for (size_t i = 0; most && i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];
        const int64_t n = f->layout < 0 ? 0 : highest_of(dsn_layouts_at(&r->layouts, (size_t)f->layout)) + 1;

        most[f->mount] = n > most[f->mount] ? n : most[f->mount];
    }
    for (size_t i = 0; most && i < r->nmounts; i++)
        sum += most[i];
    if (!most)
        return -1;
    free(most);
    return sum;
}

int dsn_targets_make(const struct dsn_report *r, struct dsn_targets *out)
{
    struct dsn__idtable table;
    int ok;

    *out = (struct dsn_targets){ .there = count_targets(r) };
    dsn__idtable_init(&table, sizeof(struct dsn_target));
    ok = out->there >= 0;
    for (size_t i = 0; ok && i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];
        struct adding a = { .file = f, .table = &table, .extent = dsn_extent(f) };

        if (f->layout < 0 || !(dsn_work_bytes(&f->work) > 0) || f->is_aggregated)
            continue;
        if (a.extent > 0)
            ok = add_file(&a, dsn_layouts_at(&r->layouts, (size_t)f->layout));
        out->files += a.placed > 0;
        out->undivided += !(a.placed > 0);
        out->undivided_bytes += dsn_work_bytes(&f->work) * (a.extent > 0 ? fmax(1 - a.placed / a.extent, 0) : 1);
    }
    if (table.n > 0)
        qsort(table.elements, table.n, sizeof(struct dsn_target), by_bytes);
    out->list = table.elements;
    out->n = table.n;
    table.elements = NULL;
    dsn__idtable_free(&table);
    return ok ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

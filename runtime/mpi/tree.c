/* tree.c - collective operations over point-to-point calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "mpi/tree.h"

#include <stdlib.h>
#include <string.h>

/* The children of a rank are rank + 1, rank + 2, rank + 4, ... as far as they lie below the next multiple of its
 * lowest set bit; the parent is the rank without that bit. */
static int has_child(const struct dsn_tree *t, int step)
{
    return step < t->size && (t->rank & step) == 0 && t->rank + step < t->size;
}

static int beyond(const struct dsn_tree *t, int step)
{
    return step >= t->size || (t->rank & step) != 0;
}

static int parent(const struct dsn_tree *t)
{
    return t->rank & (t->rank - 1);
}

int dsn__tree_span(const struct dsn_tree *t)
{
    const int low = t->rank == 0 ? t->size : t->rank & -t->rank;

    return t->rank + low > t->size ? t->size - t->rank : low;
}

static int up(struct dsn_tree *t, const void *data, size_t size)
{
    if (!t->failed && t->mpi->send(data, size, parent(t), t->deadline) != 0)
        t->failed = 1;
    return t->failed ? -1 : 0;
}

/* Receives exactly `size` bytes from `peer` into an allocated buffer; NULL on error. */
static void *take(struct dsn_tree *t, int peer, size_t size)
{
    void *data = NULL;
    size_t got = 0;

    if (t->failed)
        return NULL;
    if (t->mpi->recv(&data, &got, peer, t->deadline) != 0) {
        t->failed = 1;
        return NULL;
    }
    if (got != size) {
        free(data);
        t->failed = 1;
        return NULL;
    }
    return data;
}

int dsn__tree_bcast(struct dsn_tree *t, void **data, size_t *size)
{
    int step = 1;

    if (!t->failed && t->rank != 0 && t->mpi->recv(data, size, parent(t), t->deadline) != 0)
        t->failed = 1;
    while (!beyond(t, step))
        step *= 2;
    for (step /= 2; step >= 1 && !t->failed; step /= 2) /* the largest subtree first */
        if (has_child(t, step) && t->mpi->send(*data, *size, t->rank + step, t->deadline) != 0)
            t->failed = 1;
    return t->failed ? -1 : 0;
}

int dsn__tree_gather(struct dsn_tree *t, const void *mine, size_t each, void *all)
{
    memcpy(all, mine, each);
    for (int step = 1; !beyond(t, step); step *= 2) {
        int ranks = t->size - (t->rank + step) < step ? t->size - (t->rank + step) : step;
        void *theirs;

        if (!has_child(t, step))
            continue;
        theirs = take(t, t->rank + step, (size_t)ranks * each);
        if (!theirs)
            return -1;
        memcpy((char *)all + (size_t)step * each, theirs, (size_t)ranks * each);
        free(theirs);
    }
    return t->rank == 0 ? 0 : up(t, all, (size_t)dsn__tree_span(t) * each);
}

int dsn__tree_reduce(struct dsn_tree *t, void *mine, size_t size, dsn_merge merge, void *context)
{
    for (int step = 1; !beyond(t, step); step *= 2) {
        void *theirs;

        if (!has_child(t, step))
            continue;
        theirs = take(t, t->rank + step, size);
        if (!theirs)
            return -1;
        merge(context, theirs, mine);
        free(theirs);
    }
    return t->rank == 0 ? (t->failed ? -1 : 0) : up(t, mine, size);
}

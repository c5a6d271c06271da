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

static int outcome(const struct dsn_tree *t)
{
    return t->failed || t->given_up ? -1 : 0;
}

static void give(struct dsn_tree *t, const void *data, size_t size, int peer)
{
    if (!t->failed && t->mpi->send(data, t->given_up ? 0 : size, peer, t->deadline) != 0)
        t->failed = 1;
}

/* What `peer` sends: `*size` bytes, or as many as come if it is 0. NULL if there is nothing to be had from it. */
static void *take(struct dsn_tree *t, int peer, size_t *size)
{
    void *data = NULL;
    size_t got = 0;

    if (!t->failed && t->mpi->recv(&data, &got, peer, t->deadline) != 0)
        t->failed = 1;
    if (t->failed)
        return NULL;
    if (got == 0 || (*size != 0 && got != *size)) {
        free(data);
        t->given_up = 1;
        return NULL;
    }
    *size = got;
    return data;
}

int dsn__tree_bcast(struct dsn_tree *t, void **data, size_t *size)
{
    int step = 1;

    if (t->rank != 0) {
        *size = 0;
        *data = take(t, parent(t), size);
    }
    while (!beyond(t, step))
        step *= 2;
    for (step /= 2; step >= 1; step /= 2) /* the largest subtree first */
        if (has_child(t, step))
            give(t, *data, *size, t->rank + step);
    return outcome(t);
}

int dsn__tree_gather(struct dsn_tree *t, const void *mine, size_t each, void *all)
{
    if (!t->given_up)
        memcpy(all, mine, each);
    for (int step = 1; !beyond(t, step); step *= 2) {
        int ranks = t->size - (t->rank + step) < step ? t->size - (t->rank + step) : step;
        size_t size = (size_t)ranks * each;
        void *theirs;

        if (!has_child(t, step))
            continue;
        theirs = take(t, t->rank + step, &size);
        if (theirs && !t->given_up)
            memcpy((char *)all + (size_t)step * each, theirs, size);
        free(theirs);
    }
    if (t->rank != 0)
        give(t, all, (size_t)dsn__tree_span(t) * each, parent(t));
    return outcome(t);
}

int dsn__tree_reduce(struct dsn_tree *t, void *mine, size_t size, dsn_merge merge, void *context)
{
    for (int step = 1; !beyond(t, step); step *= 2) {
        size_t expected = size;
        void *theirs;

        if (!has_child(t, step))
            continue;
        theirs = take(t, t->rank + step, &expected);
        if (theirs && !t->given_up)
            merge(context, theirs, mine);
        free(theirs);
    }
    if (t->rank != 0)
        give(t, mine, size, parent(t));
    return outcome(t);
}

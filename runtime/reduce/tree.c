/* tree.c - collective operations over point-to-point calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "reduce/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The children of a rank are rank + 1, rank + 2, rank + 4, ... as far as they lie below the next multiple of its
 * lowest set bit; the parent is the rank without that bit. */
static bool has_child(const struct dsn_rank_tree *t, int step)
{
    return step < t->size && (t->rank & step) == 0 && t->rank + step < t->size;
}

static bool beyond(const struct dsn_rank_tree *t, int step)
{
    return step >= t->size || (t->rank & step) != 0;
}

static int parent(const struct dsn_rank_tree *t)
{
    return t->rank & (t->rank - 1);
}

static int peer_of(const struct dsn_rank_tree *t, int rank)
{
    return t->every > 1 ? rank * t->every : rank;
}

int dsn__rank_tree_neighbours(const struct dsn_rank_tree *t, int ranks[DSN_NEIGHBOURS_MAX])
{
    int n = 0;

    if (t->rank != 0)
        ranks[n++] = peer_of(t, parent(t));
    for (int step = 1; !beyond(t, step); step *= 2)
        if (has_child(t, step))
            ranks[n++] = peer_of(t, t->rank + step);
    return n;
}

static int outcome(const struct dsn_rank_tree *t)
{
    return t->failed || t->given_up ? -1 : 0;
}

/* Interprets the result of a shim call. */
static void note(struct dsn_rank_tree *t, int result)
{
    if (result == DSN_DEAD)
        t->lost = t->given_up = 1;
    else if (result != 0)
        t->failed = 1;
}

static void give(struct dsn_rank_tree *t, const void *data, size_t size, int peer)
{
    static const char lost[1];

    if (t->lost)
        data = lost;
    if (t->given_up)
        size = t->lost ? sizeof lost : 0;
    if (!t->failed)
        note(t, t->mpi->send(data, size, peer_of(t, peer), t->deadline));
}

/* Receives from `peer`: `*size` bytes, or any number if it is 0. NULL if that fails. `before`: NULL, or an earlier
 * message, whose memory is reused, because its pages exist already. */
static void *receive_message(struct dsn_rank_tree *t, void *before, int peer, size_t *size)
{
    void *data = before;
    size_t got = 0;
    int result;

    if (t->failed) {
        free(before);
        return NULL;
    }
    result = t->mpi->recv(&data, &got, peer_of(t, peer), t->deadline);
    note(t, result);
    if (result != 0) /* the memory stays: a late message may still arrive in it */
        return NULL;
    if (got <= 1 || (*size != 0 && got != *size)) {
        free(data);
        t->given_up = 1;
        t->lost |= got == 1;
        return NULL;
    }
    *size = got;
    return data;
}

void dsn__rank_tree_leave(struct dsn_rank_tree *t, int64_t deadline)
{
    t->deadline = deadline;
    if (t->rank != 0)
        give(t, NULL, 0, parent(t));
}

int dsn__rank_tree_bcast(struct dsn_rank_tree *t, void **data, size_t *size)
{
    int step = 1;

    if (t->rank != 0) {
        *size = 0;
        *data = receive_message(t, NULL, parent(t), size);
    }
    while (!beyond(t, step))
        step *= 2;
    for (step /= 2; step >= 1; step /= 2) /* the largest subtree first */
        if (has_child(t, step))
            give(t, *data, *size, t->rank + step);
    return outcome(t);
}

int dsn__rank_tree_up(struct dsn_rank_tree *t, const struct dsn_cargo *cargo, void *context)
{
    void *theirs = NULL;

    for (int step = 1; !beyond(t, step); step *= 2) {
        size_t size = 0;

        if (!has_child(t, step))
            continue;
        theirs = receive_message(t, theirs, t->rank + step, &size);
        if (theirs && !t->given_up && !cargo->take(context, &theirs, size))
            t->given_up = 1;
    }
    free(theirs);
    if (t->rank != 0) {
        size_t size = 0;
        const void *all = t->failed || t->given_up ? NULL : cargo->give(context, &size);

        if (!all)
            t->given_up = 1;
        give(t, all, size, parent(t));
    }
    return outcome(t);
}

/* ------------------------------------------------------------------ prefix sums */

static void add_sums(uint64_t *to, const uint64_t *more, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] += more[i];
}

static void sum_up(struct dsn_rank_tree *t, struct dsn_scan *s, unsigned n)
{
    size_t size = n * sizeof s->own[0];
    int k = 0;

    if (s)
        memcpy(s->sum, s->own, size);
    for (int step = 1; !beyond(t, step); step *= 2, k++) {
        void *theirs = has_child(t, step) ? receive_message(t, NULL, t->rank + step, &size) : NULL;

        if (theirs && s) {
            memcpy(s->child[k], theirs, size);
            add_sums(s->sum, s->child[k], n);
        }
        free(theirs);
    }
    if (t->rank != 0)
        give(t, s ? s->sum : NULL, size, parent(t));
}

/* Sends each subtree its offset: they follow this rank, one after another. */
static void place_subtrees(struct dsn_rank_tree *t, struct dsn_scan *s, unsigned n)
{
    size_t size = n * sizeof s->own[0];
    uint64_t begin[DSN_SCAN_MAX], length[DSN_SCAN_MAX];
    int k = 0;

    if (s) {
        memcpy(length, s->own, size);
        memcpy(s->own, s->first, size);
        memcpy(begin, s->first, size);
        add_sums(begin, length, n);
    }
    for (int step = 1; !beyond(t, step); step *= 2, k++) {
        if (s)
            memcpy(s->begin[k], begin, size);
        if (has_child(t, step))
            give(t, s ? s->begin[k] : NULL, size, t->rank + step);
        if (s)
            add_sums(begin, s->child[k], n);
    }
}

int dsn__rank_tree_scan(struct dsn_rank_tree *t, struct dsn_scan *s, unsigned n,
                        void (*place)(void *context, const uint64_t *sums, uint64_t *begins), void *context)
{
    size_t size = n * sizeof s->own[0];
    void *answer = NULL;

    if (!s)
        t->given_up = 1;
    sum_up(t, s, n);
    if (t->rank != 0 && (answer = receive_message(t, NULL, parent(t), &size)) && s)
        memcpy(s->first, answer, size);
    else if (t->rank == 0 && outcome(t) == 0)
        place(context, s->sum, s->first);
    free(answer);
    place_subtrees(t, s, n);
    return outcome(t);
}

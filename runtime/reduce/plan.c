/* plan.c - rank summaries, and the plan made from them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "reduce/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/sort.h"
#include "record/module.h"

#define PACKS          8                   /* records are compressed at least by this factor, unless they are traces */
#define COLLECTED_MOST (UINT64_C(1) << 29) /* raw bytes that one rank collects */
#define WRITERS                                                                                                        \
    16 /* writers share what one could write alone only up to this number: opening a file by more takes
                       * longer than writing it */

#define STAMPS (INT64_C(1) << 19) /* of CPU time beside traces, of all ranks: 20 MiB, before they are compressed */

struct dsn_known_id *dsn__rank_summary_ids(const struct dsn_rank_summary *summary)
{
    return (struct dsn_known_id *)(uintptr_t)(summary + 1);
}

struct dsn_node *dsn__rank_summary_nodes(const struct dsn_rank_summary *summary)
{
    return (struct dsn_node *)(uintptr_t)(dsn__rank_summary_ids(summary) + summary->nids);
}

size_t dsn__rank_summary_size(const struct dsn_rank_summary *summary)
{
    return sizeof *summary + summary->nids * sizeof(struct dsn_known_id) + summary->nnodes * sizeof(struct dsn_node);
}

struct dsn_rank_summary *dsn__rank_summary_new(uint64_t nids, uint64_t nnodes)
{
    const struct dsn_rank_summary empty = { .nids = nids, .nnodes = nnodes };
    struct dsn_rank_summary *summary = dsn__pages(dsn__rank_summary_size(&empty));

    if (summary)
        *summary = empty;
    return summary;
}

/* ------------------------------------------------------------------ merging summaries */

static bool earlier(int64_t s1, int64_t n1, int64_t s2, int64_t n2)
{
    return s1 < s2 || (s1 == s2 && n1 < n2);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Times are those of ranks that record. */
static void join_times(struct dsn_rank_summary *summary, const struct dsn_rank_summary *a,
                       const struct dsn_rank_summary *b)
{
    if (b->participants > 0 &&
        (a->participants == 0 || earlier(b->start_sec, b->start_nsec, a->start_sec, a->start_nsec))) {
        summary->start_sec = b->start_sec;
        summary->start_nsec = b->start_nsec;
    }
    if (b->participants > 0 && (a->participants == 0 || earlier(a->end_sec, a->end_nsec, b->end_sec, b->end_nsec))) {
        summary->end_sec = b->end_sec;
        summary->end_nsec = b->end_nsec;
    }
}

static struct dsn_time_spread join_spreads(struct dsn_time_spread a, struct dsn_time_spread b)
{
    if (a.n == 0 || b.n == 0)
        return a.n ? a : b;
    return (struct dsn_time_spread){ .n = a.n + b.n,
                                     .sum = a.sum + b.sum,
                                     .squares =
                                         dsn_spread((double)a.n, a.sum, a.squares, (double)b.n, b.sum, b.squares) };
}

static void join_sums(struct dsn_rank_summary *summary, const struct dsn_rank_summary *a,
                      const struct dsn_rank_summary *b)
{
    summary->ranks = a->ranks + b->ranks;
    summary->participants = a->participants + b->participants;
    summary->ended = larger(a->ended, b->ended);
    summary->took_init = larger(a->took_init, b->took_init);
    summary->lowest_records = a->lowest_records;
    summary->active = a->active | b->active;
    summary->partial = a->partial | b->partial;
    summary->bytes = a->bytes + b->bytes;
    summary->comm = join_spreads(a->comm, b->comm);
    summary->sync = join_spreads(a->sync, b->sync);
}

static uint64_t modules_of_both(uint64_t x, uint64_t y)
{
    const uint64_t both = x & y & DSN_ID_MODULES;

    return both | ((x | y) & both * DSN_MORE_VALUES);
}

/* Intersects the ids of both, with the modules in which both have records. Returns their number. */
static uint64_t join_ids(const struct dsn_rank_summary *a, const struct dsn_rank_summary *b, struct dsn_known_id *out)
{
    const struct dsn_known_id *x = dsn__rank_summary_ids(a), *y = dsn__rank_summary_ids(b);
    const struct dsn_known_id *xend = x + a->nids, *yend = y + b->nids;
    uint64_t n = 0;

    while (x < xend && y < yend) {
        const int before = x->id <= y->id, behind = x->id >= y->id;

        if (before && behind && (x->modules & y->modules & DSN_ID_MODULES) != 0)
            out[n++] = (struct dsn_known_id){ x->id, modules_of_both(x->modules, y->modules) };
        x += before;
        y += behind;
    }
    return n;
}

static int node_order(const struct dsn_node *x, const struct dsn_node *y)
{
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* A node in both gets its lowest rank in `a`. */
static uint64_t join_nodes(const struct dsn_rank_summary *a, const struct dsn_rank_summary *b, struct dsn_node *out)
{
    const struct dsn_node *x = dsn__rank_summary_nodes(a), *y = dsn__rank_summary_nodes(b);
    const struct dsn_node *xend = x + a->nnodes, *yend = y + b->nnodes;
    uint64_t n = 0;

    while (x < xend || y < yend) {
        const int order = x == xend ? 1 : y == yend ? -1 : node_order(x, y);

        out[n++] = order <= 0 ? *x : *y;
        x += order <= 0;
        y += order >= 0;
    }
    return n;
}

static uint64_t most_ids(const struct dsn_rank_summary *a, const struct dsn_rank_summary *b)
{
    if (a->participants == 0 || b->participants == 0)
        return a->nids + b->nids;
    return a->nids < b->nids ? a->nids : b->nids;
}

/* Whether all of b's nodes are among those of a. */
static bool has_nodes(const struct dsn_rank_summary *a, const struct dsn_rank_summary *b)
{
    const struct dsn_node *x = dsn__rank_summary_nodes(a), *y = dsn__rank_summary_nodes(b);
    uint64_t i = 0, k = 0;

    for (; i < a->nnodes && k < b->nnodes; i++)
        k += node_order(&x[i], &y[k]) == 0;
    return k == b->nnodes;
}

/* Merges in place if the result is no larger than `mine`: hundreds of processes of one node are merged one by one. */
static void join_in_place(struct dsn_rank_summary *mine, const struct dsn_rank_summary *theirs)
{
    const struct dsn_node *nodes = dsn__rank_summary_nodes(mine);

    join_times(mine, mine, theirs);
    mine->nids = join_ids(mine, theirs, dsn__rank_summary_ids(mine));
    join_sums(mine, mine, theirs);
    memmove(dsn__rank_summary_nodes(mine), nodes, mine->nnodes * sizeof *nodes);
}

struct dsn_rank_summary *dsn__rank_summary_join(struct dsn_rank_summary *mine, const struct dsn_rank_summary *theirs)
{
    const uint64_t nodes = mine->nnodes + theirs->nnodes;
    struct dsn_known_id *ids;
    struct dsn_rank_summary *summary;

    if (mine->participants > 0 && theirs->participants > 0 && has_nodes(mine, theirs)) {
        join_in_place(mine, theirs);
        return mine;
    }
    summary = dsn__rank_summary_new(most_ids(mine, theirs), nodes);
    if (!summary)
        return NULL;
    ids = dsn__rank_summary_ids(summary);
    summary->start_sec = mine->start_sec;
    summary->start_nsec = mine->start_nsec;
    summary->end_sec = mine->end_sec;
    summary->end_nsec = mine->end_nsec;
    join_times(summary, mine, theirs);
    join_sums(summary, mine, theirs);
    if (mine->participants > 0 && theirs->participants > 0)
        summary->nids = join_ids(mine, theirs, ids);
    else
        memcpy(ids, dsn__rank_summary_ids(mine->participants > 0 ? mine : theirs), summary->nids * sizeof *ids);
    summary->nnodes = join_nodes(mine, theirs, dsn__rank_summary_nodes(summary));
    dsn__pages_free(mine);
    return summary;
}

/* ------------------------------------------------------------------ the plan */

const struct dsn_known_id *dsn__plan_shared_ids(const struct dsn_plan *p)
{
    return (const struct dsn_known_id *)(p + 1);
}

const struct dsn_node_number *dsn__plan_nodes(const struct dsn_plan *p)
{
    return (const struct dsn_node_number *)(dsn__plan_shared_ids(p) + p->n);
}

const char *dsn__plan_path(const struct dsn_plan *p)
{
    return p->path_size ? (const char *)(dsn__plan_nodes(p) + p->nnodes) : NULL;
}

size_t dsn__plan_size(const struct dsn_plan *p)
{
    return sizeof *p + p->n * sizeof(struct dsn_known_id) + p->nnodes * sizeof(struct dsn_node_number) + p->path_size;
}

/* Raw bytes of the ranks' records other than the shared ones. */
static uint64_t own_bytes(const struct dsn_rank_summary *summary, int reduce, uint64_t names)
{
    const struct dsn_known_id *m = dsn__rank_summary_ids(summary);
    uint64_t shared = names;

    for (uint64_t i = 0; reduce && i < summary->nids; i++)
        for (int module = 0; module < DSN_NMODULES; module++)
            if (m[i].modules >> module & 1 && dsn__modules[module]->sharing != DSN_ALL_RANKS)
                shared += dsn__record_size((enum dsn_module_index)module);
    shared *= (uint64_t)summary->participants;
    return shared < summary->bytes ? summary->bytes - shared : 0;
}

int64_t dsn__plan_ranks_per_writer(const struct dsn_rank_summary *summary, int reduce, uint64_t names, uint64_t limit,
                                   int64_t writers)
{
    const uint64_t bytes = own_bytes(summary, reduce, names), each = bytes / (uint64_t)summary->ranks;
    int64_t ranks = 1;

    if (bytes / PACKS <= limit || summary->ranks == 1)
        return 0;
    while (ranks < summary->ranks && (uint64_t)ranks * each < COLLECTED_MOST &&
           (ranks * (int64_t)summary->nnodes * writers < summary->ranks ||
            (uint64_t)ranks * each / PACKS < limit / WRITERS))
        ranks *= 2;
    return ranks;
}

static int by_rank(const void *a, const void *b)
{
    const struct dsn_node *x = *(const struct dsn_node *const *)a, *y = *(const struct dsn_node *const *)b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Returns false if there is no memory. */
static bool number_nodes(const struct dsn_rank_summary *summary, struct dsn_node_number *out)
{
    const struct dsn_node *node = dsn__rank_summary_nodes(summary);
    const struct dsn_node **sorted = dsn__pages(summary->nnodes * sizeof sorted[0]);

    if (!sorted)
        return false;
    for (uint64_t i = 0; i < summary->nnodes; i++)
        sorted[i] = &node[i];
    dsn__sort(sorted, summary->nnodes, sizeof sorted[0], by_rank);
    for (uint64_t i = 0; i < summary->nnodes; i++)
        out[sorted[i] - node] = (struct dsn_node_number){ sorted[i]->hash, i };
    dsn__pages_free(sorted);
    return true;
}

struct dsn_plan *dsn__plan_make(const struct dsn_rank_summary *summary, int reduce, int64_t ranks_per_writer,
                                const char *path)
{
    const struct dsn_plan head = { .reduce = reduce,
                                   .ended = summary->ended,
                                   .ranks_per_writer = ranks_per_writer,
                                   .stamps = 64 + STAMPS / (summary->ranks > 0 ? summary->ranks : 1),
                                   .comm = summary->comm,
                                   .sync = summary->sync,
                                   .n = summary->lowest_records ? summary->nids : 0,
                                   .nnodes = summary->nnodes,
                                   .path_size = path ? strlen(path) + 1 : 0 };
    struct dsn_plan *p = dsn__pages(dsn__plan_size(&head));

    if (!p)
        return NULL;
    *p = head;
    memcpy(p + 1, dsn__rank_summary_ids(summary), p->n * sizeof(struct dsn_known_id));
    if (!number_nodes(summary, (struct dsn_node_number *)(uintptr_t)dsn__plan_nodes(p))) {
        dsn__pages_free(p);
        return NULL;
    }
    if (path)
        memcpy((char *)(uintptr_t)dsn__plan_path(p), path, p->path_size);
    return p;
}

/* Binary search for a key among `n` elements of `each` bytes that begin with theirs; NULL: not found. */
static const void *find(const void *things, uint64_t n, size_t each, uint64_t key)
{
    const char *at = things;

    while (n > 0) {
        const char *middle = at + n / 2 * each;
        uint64_t there;

        memcpy(&there, middle, sizeof there);
        if (there == key)
            return middle;
        if (there < key) {
            at = middle + each;
            n -= n / 2 + 1;
        } else {
            n /= 2;
        }
    }
    return NULL;
}

uint64_t dsn__shared_modules(const struct dsn_plan *p, uint64_t id)
{
    const struct dsn_known_id *m = p->n ? find(dsn__plan_shared_ids(p), p->n, sizeof *m, id) : NULL;

    return m ? m->modules & DSN_ID_MODULES : 0;
}

uint64_t dsn__node_number(const struct dsn_plan *p, uint64_t hash)
{
    const struct dsn_node_number *m = find(dsn__plan_nodes(p), p->nnodes, sizeof *m, hash);

    return m ? m->number : 0;
}

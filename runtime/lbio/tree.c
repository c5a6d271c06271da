/* tree.c - maps ranges of a file to its newest data in the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/tree.h"

#include <string.h>

#include "base/pages.h"

struct lbio_node {
    struct lbio_extent e;
    uint32_t left, right, priority;
};

#define FIRST_ROOM 100 /* nodes: they fit into a page */

static int64_t end_of(const struct lbio_tree *t, uint32_t n)
{
    return t->node[n].e.off + t->node[n].e.len;
}

int lbio__tree_reserve(struct lbio_tree *t, uint32_t n)
{
    const uint32_t nodes = t->count + 1 + n;
    uint32_t room = t->room > 0 ? t->room : FIRST_ROOM;
    struct lbio_node *more;

    if (nodes <= t->room)
        return 1;
    while (room < nodes)
        room *= 2;
    more = dsn__pages_grow(t->node, (size_t)room * sizeof *more);
    if (!more)
        return 0;
    t->node = more;
    t->room = room;
    if (t->used == 0)
        t->used = 1;
    return 1;
}

/* xorshift32: random priorities give logarithmic depth for any order of keys */
static uint32_t draw(struct lbio_tree *t)
{
    uint32_t x = t->seed ? t->seed : 2463534242U;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return t->seed = x;
}

static uint32_t new_node(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos)
{
    uint32_t n = t->unused;

    if (n)
        t->unused = t->node[n].right;
    else
        n = t->used++;
    t->node[n] = (struct lbio_node){ .e = { off, len, pos }, .priority = draw(t) };
    t->count++;
    t->bytes += len;
    return n;
}

static void drop_all(struct lbio_tree *t, uint32_t n)
{
    if (!n)
        return;
    drop_all(t, t->node[n].left);
    drop_all(t, t->node[n].right);
    t->node[n].right = t->unused;
    t->unused = n;
    t->count--;
    t->bytes -= t->node[n].e.len;
}

static void shorten(struct lbio_tree *t, uint32_t n, int64_t len)
{
    t->bytes -= t->node[n].e.len - len;
    t->node[n].e.len = len;
}

/* Moves extents that start before `key` to *low, the others to *high. */
static void split(struct lbio_tree *t, uint32_t n, int64_t key, uint32_t *low, uint32_t *high)
{
    if (!n) {
        *low = *high = 0;
    } else if (t->node[n].e.off < key) {
        uint32_t right;

        split(t, t->node[n].right, key, &right, high);
        t->node[n].right = right;
        *low = n;
    } else {
        uint32_t left;

        split(t, t->node[n].left, key, low, &left);
        t->node[n].left = left;
        *high = n;
    }
}

/* All of `low` starts before all of `high`. */
static uint32_t join(struct lbio_tree *t, uint32_t low, uint32_t high)
{
    if (!low || !high)
        return low ? low : high;
    if (t->node[low].priority > t->node[high].priority) {
        t->node[low].right = join(t, t->node[low].right, high);
        return low;
    }
    t->node[high].left = join(t, low, t->node[high].left);
    return high;
}

static uint32_t last_of(const struct lbio_tree *t, uint32_t n)
{
    while (n && t->node[n].right)
        n = t->node[n].right;
    return n;
}

static uint32_t first_of(const struct lbio_tree *t, uint32_t n)
{
    while (n && t->node[n].left)
        n = t->node[n].left;
    return n;
}

/* The same, but an extent that contains `key` is split in two. */
static void split_at(struct lbio_tree *t, uint32_t n, int64_t key, uint32_t *low, uint32_t *high)
{
    uint32_t last;

    split(t, n, key, low, high);
    last = last_of(t, *low);
    if (last && end_of(t, last) > key) {
        const struct lbio_extent e = t->node[last].e;
        const int64_t front = key - e.off;

        shorten(t, last, front);
        *high = join(t, new_node(t, key, e.len - front, e.pos + front), *high);
    }
}

/* Whether b is adjacent to a, in the file and in the log. */
static int continues(const struct lbio_extent *a, const struct lbio_extent *b)
{
    return a->off + a->len == b->off && a->pos + a->len == b->pos;
}

int lbio__tree_insert(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos)
{
    struct lbio_extent e = { off, len, pos };
    uint32_t low, middle, high, last, first, grown;

    if (len <= 0)
        return 1;
    if (!lbio__tree_reserve(t, 3))
        return 0;
    split_at(t, t->root, off, &low, &middle);
    split_at(t, middle, off + len, &middle, &high);
    drop_all(t, middle);
    last = last_of(t, low);
    if (last && continues(&t->node[last].e, &e)) {
        e = (struct lbio_extent){ t->node[last].e.off, t->node[last].e.len + len, t->node[last].e.pos };
        split(t, low, e.off, &low, &grown);
        drop_all(t, grown);
    }
    first = first_of(t, high);
    if (first && continues(&e, &t->node[first].e)) {
        const int64_t next = t->node[first].e.off + 1;

        e.len += t->node[first].e.len;
        split(t, high, next, &grown, &high);
        drop_all(t, grown);
    }
    t->root = join(t, join(t, low, new_node(t, e.off, e.len, e.pos)), high);
    return 1;
}

static void remove_range(struct lbio_tree *t, int64_t off, int64_t end)
{
    uint32_t low, middle, high;

    split_at(t, t->root, off, &low, &middle);
    split_at(t, middle, end, &middle, &high);
    drop_all(t, middle);
    t->root = join(t, low, high);
}

void lbio__tree_truncate(struct lbio_tree *t, int64_t size)
{
    uint32_t low, high, last;

    if (!t->root)
        return;
    split(t, t->root, size, &low, &high);
    drop_all(t, high);
    last = last_of(t, low);
    if (last && end_of(t, last) > size)
        shorten(t, last, size - t->node[last].e.off);
    t->root = low;
}

int lbio__tree_forget(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos)
{
    const int64_t end = off + len;
    struct lbio_extent e;

    while (off < end && lbio__tree_lookup(t, off, end - off, &e, 1) == 1) {
        if (e.pos - e.off == pos - off) {
            if (!lbio__tree_reserve(t, 2))
                return 0;
            remove_range(t, e.off, e.off + e.len);
        }
        pos += e.off + e.len - off;
        off = e.off + e.len;
    }
    return 1;
}

static size_t list_overlaps(const struct lbio_tree *t, uint32_t n, const struct lbio_extent *range,
                            struct lbio_extent *out, size_t max)
{
    const int64_t end = range->off + range->len;
    struct lbio_extent e;
    size_t k = 0;

    if (!n || max == 0)
        return 0;
    e = t->node[n].e;
    if (e.off > range->off)
        k = list_overlaps(t, t->node[n].left, range, out, max);
    if (k < max && e.off < end && e.off + e.len > range->off) {
        const int64_t from = e.off > range->off ? e.off : range->off;
        const int64_t to = e.off + e.len < end ? e.off + e.len : end;

        out[k++] = (struct lbio_extent){ from, to - from, e.pos + from - e.off };
    }
    if (e.off + e.len < end)
        k += list_overlaps(t, t->node[n].right, range, out + k, max - k);
    return k;
}

size_t lbio__tree_lookup(const struct lbio_tree *t, int64_t off, int64_t len, struct lbio_extent *out, size_t max)
{
    const struct lbio_extent range = { off, len, 0 };

    return len > 0 ? list_overlaps(t, t->root, &range, out, max) : 0;
}

int64_t lbio__tree_end(const struct lbio_tree *t)
{
    const uint32_t last = last_of(t, t->root);

    return last ? end_of(t, last) : 0;
}

void lbio__tree_free(struct lbio_tree *t)
{
    dsn__pages_free(t->node);
    memset(t, 0, sizeof *t);
}

/* tree.h - maps ranges of a file to its newest data in the log: disjoint extents, newest wins
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A treap with 32-bit indices into one mapped block, 40 bytes per extent. It does not use malloc, which a signal
 * handler that writes may have interrupted. Not thread-safe. */
#ifndef LBIO_TREE_H
#define LBIO_TREE_H

#include <stddef.h>
#include <stdint.h>

struct lbio_extent {
    int64_t off, len; /* in the file */
    int64_t pos;      /* in the log's data */
};

struct lbio_tree {
    struct lbio_node *node; /* [0] is unused; NULL: never used */
    uint32_t root, unused;  /* `unused`: free list, linked by `right` */
    uint32_t used, room;    /* nodes in use or free, and allocated */
    uint32_t count;         /* number of extents */
    int64_t bytes;          /* of all extents */
    uint32_t seed;
};

/* Makes room for `n` more extents. 0: no memory; the tree is unchanged. */
int lbio__tree_reserve(struct lbio_tree *t, uint32_t n);

/* Replaces these bytes; an extent that is adjacent in the file and in the log is merged. Needs room for 3 more extents
 * (lbio__tree_reserve), or returns 0. */
int lbio__tree_insert(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos);

/* Removes everything from `size` on. */
void lbio__tree_truncate(struct lbio_tree *t, int64_t size);

/* Removes those bytes that are still at `pos`; those replaced by a later write are kept. Needs room for one more
 * extent, or returns 0. */
int lbio__tree_forget(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos);

/* The extents in [off, off + len), in order, clipped to it; at most `max`. */
size_t lbio__tree_lookup(const struct lbio_tree *t, int64_t off, int64_t len, struct lbio_extent *out, size_t max);

/* End of the last extent; 0: none. */
int64_t lbio__tree_end(const struct lbio_tree *t);

/* Empties the tree and frees its memory. */
void lbio__tree_free(struct lbio_tree *t);

#endif

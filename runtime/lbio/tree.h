/* tree.h - where the newest bytes of a file lie in the log: disjoint extents, newest wins
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A treap over 32-bit indices into one block of pages, 40 bytes an extent: no malloc, which a signal handler that
 * writes may have interrupted. One thread at a time. */
#ifndef LBIO_TREE_H
#define LBIO_TREE_H

#include <stddef.h>
#include <stdint.h>

struct lbio_extent {
    int64_t off, len; /* in the file */
    int64_t pos;      /* in the log's data */
};

struct lbio_tree {
    struct lbio_node *node; /* [0] is no node; NULL: nothing was ever in it */
    uint32_t root, unused;  /* `unused`: first of a list by way of `right` */
    uint32_t used, room;    /* how far `node` is in use, and how far it reaches */
    uint32_t count;         /* extents */
    uint32_t seed;
};

/* Room for `n` more extents. 0: there is no memory, and the tree is as it was. */
int lbio__tree_reserve(struct lbio_tree *t, uint32_t n);

/* What was known of these bytes is replaced; what touches an extent in the file and in the log becomes part of it. Needs
 * room for 3 more extents (lbio__tree_reserve), or returns 0. */
int lbio__tree_insert(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos);

/* The bytes of the file from `size` on are in no log any more. */
void lbio__tree_truncate(struct lbio_tree *t, int64_t size);

/* The bytes that still lie where `pos` was given for them go; those that a later write has replaced stay. Needs room for
 * one more extent, or returns 0. */
int lbio__tree_forget(struct lbio_tree *t, int64_t off, int64_t len, int64_t pos);

/* The extents in [off, off + len), in order, clipped to it, at most `max` of them. */
size_t lbio__tree_lookup(const struct lbio_tree *t, int64_t off, int64_t len, struct lbio_extent *out, size_t max);

/* Where the last extent ends; 0: there is none. */
int64_t lbio__tree_end(const struct lbio_tree *t);

/* Empty, and without memory. */
void lbio__tree_free(struct lbio_tree *t);

#endif

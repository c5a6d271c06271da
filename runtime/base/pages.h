/* pages.h - memory for making the log, from the kernel instead of malloc
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The log may be made while the application is inside malloc: when a signal handler calls exit, say. */
#ifndef DSN_BASE_PAGES_H
#define DSN_BASE_PAGES_H
#include <stddef.h>

/* Where pages begin: a multiple of the page size of the machines that survival files are made on. */
#if defined __x86_64__
#define DSN_PAGE 4096
#else
#define DSN_PAGE 65536
#endif

/* At least `size` zeroed bytes, or NULL. For a handful of blocks, not for small change: what does not fit into a few
 * pages that are there for it is a mapping of its own. */
void *dsn__pages(size_t size);

/* Whether so many bytes could be had. */
int dsn__pages_are_there(size_t size);

/* Keeps so much address space, and no memory, for what comes at the end, when the process may have used up what it is
 * allowed; and lets it go. */
void dsn__pages_keep(size_t size);
void dsn__pages_let_go(void);

/* A forked child has nothing of it. */
void dsn__pages_forget(void);

/* A block of dsn__pages (NULL: none) with room for `size` bytes, more than it had; what was in it stays. NULL if there
 * is no memory; then the block is what it was. */
void *dsn__pages_grow(void *block, size_t size);

/* Gives a block of dsn__pages back; NULL is none. */
void dsn__pages_free(void *block);

/* Small things that are given back together: zeroed, 64-aligned, or NULL. */
struct dsn_bump {
    struct dsn_bump_block *last;
    size_t left;
};
void *dsn__bump(struct dsn_bump *b, size_t size);
void dsn__bump_free(struct dsn_bump *b);

/* The same, for what is about to be used in the same way again. */
void dsn__bump_clear(struct dsn_bump *b);

#endif

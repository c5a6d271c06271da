/* pages.h - memory for writing the log, mapped instead of malloced
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The log may be written while the application is inside malloc, for example when a signal handler calls exit. */
#ifndef DSN_BASE_PAGES_H
#define DSN_BASE_PAGES_H
#include <stdbool.h>
#include <stddef.h>

/* Alignment of pages: the largest page size of this architecture. */
#if defined __x86_64__
#define DSN_PAGE 4096
#else
#define DSN_PAGE 65536
#endif

/* Returns at least `size` zeroed bytes, 64-byte aligned, or NULL. Meant for a few large blocks: what does not fit into a
 * small static buffer is a mapping of its own. */
void *dsn__pages(size_t size);

/* Whether `size` bytes could be allocated. */
bool dsn__pages_are_there(size_t size);

/* Reserves address space, without memory, for shutdown, when the process may have reached its limit; and releases
 * it. */
void dsn__pages_keep(size_t size);
void dsn__pages_let_go(void);

/* For a forked child, which does not inherit the reservation. */
void dsn__pages_forget(void);

/* Grows a block of dsn__pages (NULL: none) to `size` bytes and keeps its contents. NULL if there is no memory; the
 * block is then unchanged. */
void *dsn__pages_grow(void *block, size_t size);

/* Frees a block of dsn__pages; NULL is allowed. */
void dsn__pages_free(void *block);

/* A bump allocator: zeroed memory, 64-byte aligned, or NULL, freed all at once. */
struct dsn_bump {
    struct dsn_bump_block *last;
    size_t left;
};
void *dsn__bump(struct dsn_bump *b, size_t size);
void dsn__bump_free(struct dsn_bump *b);

/* Frees all, but keeps the memory if one block was enough, for the same use again. */
void dsn__bump_clear(struct dsn_bump *b);

#endif

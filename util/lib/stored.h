/* stored.h - names that are too many for memory: in a temporary file, with an index by id beside them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory is fixed but for the longest name. Records come mostly in the order of their names, so that the name after the
 * last one is looked at first; only if it is another one's the index is asked. A name takes its length, 24 bytes and 30
 * more on average in the file, and 24 while the index is made. Private to util/lib. */
#ifndef DSN_STORED_H
#define DSN_STORED_H

#include <stddef.h>
#include <stdint.h>

struct dsn__stored;

/* NULL: there is no place for a temporary file, or no memory. */
struct dsn__stored *dsn__stored_new(void);
void dsn__stored_free(struct dsn__stored *s);

/* Adds the next name of the table, which has no NULs. An id may come again: its first name counts, unless that is
 * empty. Returns 0 if there is no room; nothing can be done with it then but to free it. */
int dsn__stored_add(struct dsn__stored *s, uint64_t id, const char *text, size_t length);

/* No more will be added; from now on names can be had. Returns as dsn__stored_add(). */
int dsn__stored_finish(struct dsn__stored *s);

/* How many were taken, those left out that are known not to count; after dsn__stored_finish(): how many ids have a
 * name. */
size_t dsn__stored_count(const struct dsn__stored *s);

/* The name of an id; NULL: it has none, or the file cannot be read. Valid until the next call for any name. */
const char *dsn__stored_get(struct dsn__stored *s, uint64_t id);

/* Name number i, less than dsn__stored_count(), in the order in which ids came first. To ask for 0, 1, 2, ... is fast;
 * who goes back pays for all names up to there. If the file cannot be read: "", and 0 as the id. */
const char *dsn__stored_at(struct dsn__stored *s, size_t i, uint64_t *id);

/* Whether the file could not be read some time. */
int dsn__stored_failed(const struct dsn__stored *s);

#endif

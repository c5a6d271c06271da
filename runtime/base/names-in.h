/* names-in.h - what is in a directory, without malloc
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_NAMES_IN_H
#define DSN_BASE_NAMES_IN_H

/* All names in the directory that is open, as they are at the time; NULL if there is no memory, or it cannot be
 * read. */
struct dsn_names_in *dsn__names_in(int dir);

/* The one after `name` (NULL: the first); NULL at the end. */
const char *dsn__next_name(const struct dsn_names_in *names, const char *name);

void dsn__names_free(struct dsn_names_in *names);

#endif

/* names-in.h - names in a directory, without malloc
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_NAMES_IN_H
#define DSN_BASE_NAMES_IN_H

/* Reads all names in the open directory `dir`. Returns NULL if it cannot be read or there is no memory. */
struct dsn_names_in *dsn__names_in(int dir);

/* The name after `name` (NULL: the first); NULL at the end. */
const char *dsn__next_name(const struct dsn_names_in *names, const char *name);

void dsn__names_in_free(struct dsn_names_in *names);

#endif

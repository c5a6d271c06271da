/* anonym.h - pseudonyms: with the same key, a name always has the same one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pseudonym is a keyed hash (HMAC-SHA-256 truncated to 80 bits; 63 bits for numbers). The database does not contain
 * the key, only the pseudonym of a fixed text, by which the key is verified. */
#ifndef DSN_ANONYM_H
#define DSN_ANONYM_H

#include <stdint.h>

#include "accounting.h"
#include "taken.h"

#define DSN_PSEUDONYM 21 /* bytes, with NUL */

/* Reads the key: the whole file except newlines at its end. NULL: failed, which was reported. */
struct dsn_anonym *dsn_anonym_read(const char *path);
void dsn_anonym_free(struct dsn_anonym *an); /* NULL is allowed */

/* The pseudonym of a text; "" stays "". Thread-safe. */
void dsn_anonym_text(const struct dsn_anonym *an, const char *name, char out[DSN_PSEUDONYM]);
int64_t dsn_anonym_number(const struct dsn_anonym *an, int64_t v);

/* Replaces all names of a log: user, program, files, mount points, and the ids that are hashes of names. Returns 0 if
 * out of memory. */
int dsn_anonym_taken(const struct dsn_anonym *an, struct dsn_taken *t);

/* Whether the command's key matches the database's, or there is none in both. An empty database is given the command's.
 * Returns 0 if not, see dsn_db_error(). */
int dsn_anonym_agree(const struct dsn_accounting *a);

#endif

/* anonym.h - names become pseudonyms: the same name always the same one, for who has the key
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pseudonym is a keyed hash (HMAC-SHA-256, cut to 80 bits; of a number 63 bits). The database holds none of the key,
 * only the pseudonym of a word by which the key is known again. */
#ifndef DSN_ANONYM_H
#define DSN_ANONYM_H

#include <stdint.h>

#include "accounting.h"
#include "taken.h"

#define DSN_PSEUDONYM 21 /* bytes, with NUL */

/* Reads the key: all bytes of the file but line ends at its end. NULL: that was not possible, which is said. */
struct dsn_anonym *dsn_anonym_read(const char *path);
void dsn_anonym_free(struct dsn_anonym *an); /* NULL is allowed */

/* Of a text; "" stays "". Any number of threads may do this at once. */
void dsn_anonym_text(const struct dsn_anonym *an, const char *name, char out[DSN_PSEUDONYM]);
int64_t dsn_anonym_number(const struct dsn_anonym *an, int64_t v);

/* Replaces all names of a log: who ran what, files, mount points, and the ids that are hashes of names. Returns 0 if
 * there is no memory. */
int dsn_anonym_taken(const struct dsn_anonym *an, struct dsn_taken *t);

/* Whether the command's key is that of the database, or both have none. An empty database gets the command's. Returns 0
 * if not, which dsn_db_error() tells. */
int dsn_anonym_agree(const struct dsn_accounting *a);

#endif

/* hash.h - the 64-bit hash behind record ids
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_HASH_H
#define DSN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of n bytes, the same on machines of either byte order. A record's id is dsn_hash(name, strlen(name), 0).
 * Source: Bob Jenkins, "lookup8" (1997, public domain), the variant over bytes; spec container.md 9. */
uint64_t dsn_hash(const void *bytes, size_t n, uint64_t level);

#endif

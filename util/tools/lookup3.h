/* lookup3.h - the 32-bit hash that replaces hidden parts of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOOKUP3_H
#define DSN_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

/* Hash of n bytes, independent of byte order. `key` is the initial value. Source: Bob Jenkins, "lookup3" (2006, public
 * domain), the little-endian variant. */
uint32_t dsn_lookup3(const void *bytes, size_t n, uint32_t key);

#endif

/* lookup3.h - the 32-bit hash that stands for what a log is not to tell
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOOKUP3_H
#define DSN_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

/* Hash of n bytes, the same on machines of either byte order. `key` is its initial value.
 * Source: Bob Jenkins, "lookup3" (2006, public domain), the little-endian variant. */
uint32_t dsn_lookup3(const void *bytes, size_t n, uint32_t key);

#endif

/* sort.h - sorting without malloc, which qsort calls
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_SORT_H
#define DSN_BASE_SORT_H

#include <stddef.h>

/* As qsort, for elements whose size is a multiple of 8 bytes, up to 64. Not stable. */
void dsn__sort(void *things, size_t n, size_t each, int (*compare)(const void *a, const void *b));

#endif

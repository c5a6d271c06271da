/* grow.h - arrays that grow
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `array` is the address of the pointer to an array of elements of `size` bytes; it may be of any type, and NULL while
 * the array is empty. Each function returns 0 if out of memory, or if that many bytes cannot be counted; then the array
 * and *room are what they were. The caller frees the array. */
#ifndef DSN_GROW_H
#define DSN_GROW_H

#include <stddef.h>

/* Makes room for element number `i`: *room, the number of elements that fit, is doubled as often as necessary. */
int dsn_grow(void *array, size_t *room, size_t size, size_t i);

/* The same; new elements are zero. */
int dsn_grow_zeroed(void *array, size_t *room, size_t size, size_t i);

/* Makes the array one of `n` elements, at least one. */
int dsn_resize(void *array, size_t n, size_t size);

#endif

/* grow.h - arrays that grow at powers of two
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_GROW_H
#define DSN_GROW_H

#include <stdlib.h>

/* Makes room for one more element after `n`. `array` points to the array pointer. Returns 0 if out of memory. */
static inline int dsn_grow(void *array, size_t n, size_t size)
{
    void *bigger;

    if ((n & (n - 1)) != 0)
        return 1;
    bigger = realloc(*(void **)array, (n ? 2 * n : 1) * size);
    if (bigger)
        *(void **)array = bigger;
    return bigger != NULL;
}

#endif

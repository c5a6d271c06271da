/* grow.c - arrays that grow
 * SPDX-License-Identifier: BSD-3-Clause */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

/* The caller's pointer is copied, because its type is not known here. */
int dsn_resize(void *array, size_t n, size_t size)
{
    void *old, *resized;

    if (n > PTRDIFF_MAX / size)
        return 0;
    memcpy(&old, array, sizeof old);
    resized = realloc(old, n * size);
    if (!resized)
        return 0;
    memcpy(array, &resized, sizeof resized);
    return 1;
}

int dsn_grow(void *array, size_t *room, size_t size, size_t i)
{
    size_t more = *room ? *room : FIRST_ROOM;

    if (i < *room)
        return 1;
    while (more <= i && more <= SIZE_MAX / 2)
        more *= 2;
    if (more <= i || !dsn_resize(array, more, size))
        return 0;
    *room = more;
    return 1;
}

int dsn_grow_zeroed(void *array, size_t *room, size_t size, size_t i)
{
    const size_t before = *room;
    char *elements;

    if (!dsn_grow(array, room, size, i))
        return 0;
    memcpy(&elements, array, sizeof elements);
    if (*room > before)
        memset(elements + before * size, 0, (*room - before) * size);
    return 1;
}

/* sort.c - heap sort
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: J. W. J. Williams, "Algorithm 232 - Heapsort", CACM 7 (1964); R. W. Floyd's way to build the heap. */
#include <config.h>

#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#define MOST 64

static void sift(char *a, size_t parent, size_t n, size_t each, int (*compare)(const void *, const void *))
{
    char held[MOST];
    size_t child;

    memcpy(held, a + parent * each, each);
    while ((child = 2 * parent + 1) < n) {
        if (child + 1 < n && compare(a + child * each, a + (child + 1) * each) < 0)
            child++;
        if (compare(held, a + child * each) >= 0)
            break;
        memcpy(a + parent * each, a + child * each, each);
        parent = child;
    }
    memcpy(a + parent * each, held, each);
}

static bool is_sorted(const char *a, size_t n, size_t each, int (*compare)(const void *, const void *))
{
    for (size_t i = 1; i < n; i++)
        if (compare(a + (i - 1) * each, a + i * each) > 0)
            return false;
    return true;
}

void dsn__sort(void *things, size_t n, size_t each, int (*compare)(const void *a, const void *b))
{
    char *a = things, held[MOST];

    if (n < 2 || is_sorted(a, n, each, compare))
        return;
    for (size_t i = n / 2; i-- > 0;)
        sift(a, i, n, each, compare);
    for (size_t end = n - 1; end > 0; end--) {
        memcpy(held, a, each);
        memcpy(a, a + end * each, each);
        memcpy(a + end * each, held, each);
        sift(a, 0, end, each, compare);
    }
}

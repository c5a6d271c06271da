/* sparse.c - zeros out of words, and back
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/sparse.h"

#include <stdint.h>
#include <string.h>

#define WORD  sizeof(uint64_t)
#define GROUP ((size_t)64) /* words */

size_t dsn__sparse_bound(size_t size)
{
    const size_t n = size / WORD;

    return (n + (n + GROUP - 1) / GROUP) * WORD;
}

size_t dsn__sparse(const void *bytes, size_t size, void *out)
{
    const char *from = bytes;
    char *to = out;

    for (size_t left = size / WORD, n; left > 0; left -= n) {
        char *const mask_at = to;
        uint64_t mask = 0, word;

        n = left < GROUP ? left : GROUP;
        to += WORD;
        for (size_t i = 0; i < n; i++, from += WORD) {
            memcpy(&word, from, WORD);
            if (word == 0)
                continue;
            mask |= (uint64_t)1 << i;
            memcpy(to, &word, WORD);
            to += WORD;
        }
        memcpy(mask_at, &mask, WORD);
    }
    return (size_t)(to - (char *)out);
}

int dsn__sparse_back(const void *from, size_t packed, void *to, size_t size)
{
    const char *at = from, *const end = at + packed;
    char *out = to;

    memset(to, 0, size);
    for (size_t left = size / WORD, n; left > 0; left -= n, out += n * WORD) {
        uint64_t mask;

        n = left < GROUP ? left : GROUP;
        if ((size_t)(end - at) < WORD)
            return 0;
        memcpy(&mask, at, WORD);
        at += WORD;
        if ((n < GROUP && mask >> n) || (size_t)(end - at) / WORD < (size_t)__builtin_popcountll(mask))
            return 0;
        for (; mask; mask &= mask - 1, at += WORD)
            memcpy(out + (size_t)__builtin_ctzll(mask) * WORD, at, WORD);
    }
    return at == end && size % WORD == 0;
}

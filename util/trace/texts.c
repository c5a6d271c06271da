/* texts.c - a table of distinct strings
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "texts.h"
#include "util/lib/grow.h"

#include <stdlib.h>
#include <string.h>

void dsn__texts_init(struct dsn__texts *n)
{
    n->texts = NULL;
    n->room = 0;
    dsn__pairmap_init(&n->index);
}

void dsn__texts_free(struct dsn__texts *n)
{
    for (size_t i = 0; i < n->index.used && i < n->room; i++)
        free(n->texts[i]);
    free(n->texts);
    dsn__pairmap_free(&n->index);
    dsn__texts_init(n);
}

static uint64_t hash(uint64_t seed, const char *text, size_t length)
{
    uint64_t h = seed ^ length, part;

    for (; length >= sizeof part; text += sizeof part, length -= sizeof part) {
        memcpy(&part, text, sizeof part);
        h = dsn__pair_hash(h, part);
    }
    part = 0;
    memcpy(&part, text, length);
    return dsn__pair_hash(h, part);
}

uint32_t dsn__texts_add(struct dsn__texts *n, const char *text, size_t length)
{
    const uint64_t key = hash(n->index.seed, text, length);

    for (uint32_t which = 0;; which++) { /* texts with the same hash */
        const size_t before = n->index.used;
        const uint32_t at = dsn__pairmap_add(&n->index, key, length, which);

        if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&n->texts, &n->room, sizeof *n->texts, at))
            return DSN__NO_TEXT;
        if (at == before) {
            n->texts[at] = malloc(length + 1);
            if (!n->texts[at])
                return DSN__NO_TEXT;
            memcpy(n->texts[at], text, length);
            n->texts[at][length] = '\0';
            return at;
        }
        if (n->texts[at] && memcmp(n->texts[at], text, length) == 0)
            return at;
    }
}

const char *dsn__texts_text(const struct dsn__texts *n, uint32_t number)
{
    return number == DSN__NO_TEXT ? NULL : n->texts[number];
}

size_t dsn__mark_numbers(char *name, char mark)
{
    size_t n = 0;

    for (size_t i = 0; name[i]; i++) {
        const int is_digit = name[i] >= '0' && name[i] <= '9';

        if (!is_digit || n == 0 || name[n - 1] != mark)
            name[n++] = is_digit ? mark : name[i];
    }
    name[n] = '\0';
    return n;
}

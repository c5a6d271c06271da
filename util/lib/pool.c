/* pool.c - texts by what they do not share with the one before
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SHARED 255

void dsn__pool_free(struct dsn__pool *p)
{
    free(p->bytes);
    free(p->start);
    free(p->text);
    memset(p, 0, sizeof *p);
}

/* Room for `n` elements in all, twice as much as before if that is not enough. */
static int reserve(void **array, size_t *room, size_t n, size_t size)
{
    size_t more = *room ? *room : 1024;
    void *bigger;

    if (n <= *room)
        return 1;
    while (more < n)
        more *= 2;
    bigger = realloc(*array, more * size);
    if (!bigger)
        return 0;
    *array = bigger;
    *room = more;
    return 1;
}

/* Room for one text more, in all three arrays. */
static int make_room(struct dsn__pool *p, size_t length)
{
    void *bytes = p->bytes, *start = p->start, *text = p->text;
    size_t starts = p->n == 0 ? 0 : (p->n - 1) / DSN_POOL_GROUP + 1;
    int ok = reserve(&bytes, &p->room, p->used + length + 2, 1) && reserve(&text, &p->text_room, length + 1, 1);

    if (ok && p->n % DSN_POOL_GROUP == 0 && (starts & (starts - 1)) == 0) { /* it grows at powers of two */
        void *bigger = realloc(start, (starts ? 2 * starts : 1) * sizeof *p->start);

        ok = bigger != NULL;
        start = bigger ? bigger : start;
    }
    p->bytes = bytes;
    p->start = start;
    p->text = text;
    return ok;
}

static size_t shared(const struct dsn__pool *p, const char *text, size_t length)
{
    const size_t most = length < p->text_length ? length : p->text_length;
    size_t n = 0;

    while (n < most && n < MOST_SHARED && text[n] == p->text[n])
        n++;
    return n;
}

int dsn__pool_add(struct dsn__pool *p, const char *text, size_t length)
{
    size_t same = 0;

    if (!make_room(p, length))
        return 0;
    if (p->n % DSN_POOL_GROUP == 0) {
        p->start[p->n / DSN_POOL_GROUP] = p->used;
    } else {
        dsn__pool_get(p, p->n - 1);
        same = shared(p, text, length);
    }
    p->bytes[p->used] = (unsigned char)same;
    memcpy(p->bytes + p->used + 1, text + same, length - same);
    p->bytes[p->used + 1 + length - same] = '\0';
    p->used += length - same + 2;
    memcpy(p->text + same, text + same, length - same);
    p->text[length] = '\0';
    p->text_length = length;
    p->text_number = p->n++;
    p->text_end = p->used;
    return 1;
}

const char *dsn__pool_get(struct dsn__pool *p, size_t i)
{
    size_t k = p->text_number + 1, at = p->text_end;

    if (p->text_number == i)
        return p->text;
    if (k > i || k <= i / DSN_POOL_GROUP * DSN_POOL_GROUP) {
        k = i / DSN_POOL_GROUP * DSN_POOL_GROUP;
        at = p->start[i / DSN_POOL_GROUP];
    }
    for (; k <= i; k++) {
        const size_t same = p->bytes[at], rest = strlen((const char *)p->bytes + at + 1);

        memcpy(p->text + same, p->bytes + at + 1, rest + 1);
        p->text_length = same + rest;
        at += rest + 2;
    }
    p->text_number = i;
    p->text_end = at;
    return p->text;
}

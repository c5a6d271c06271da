/* shown.c - untrusted text, made to fit
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shown.h"

#include <string.h>

/* Number of characters; each invalid byte counts as one. */
static size_t columns_of(const char *s)
{
    size_t n = 0;

    for (; *s; n++) {
        const size_t length = dsn_shown((const unsigned char *)s);

        s += length > 0 ? length : 1;
    }
    return n;
}

size_t dsn_text_fit(char *to, size_t n, size_t columns, size_t head, const char *from)
{
    static const char gap[] = "...";
    const size_t all = columns_of(from);
    const size_t tail = all > columns ? all - (columns - 3 - head) : 0; /* first column of the retained end */
    size_t used = 0, column = 0, shown = 0;

    for (const char *p = from; *p; column++) {
        const size_t length = dsn_shown((const unsigned char *)p);

        if (used + 5 >= n)
            break;
        if (column < head || column >= tail) {
            memcpy(to + used, length > 0 ? p : "?", length > 0 ? length : 1);
            used += length > 0 ? length : 1;
            shown++;
        } else if (column == head) {
            memcpy(to + used, gap, 3);
            used += 3;
            shown += 3;
        }
        p += length > 0 ? length : 1;
    }
    to[used] = '\0';
    return shown;
}

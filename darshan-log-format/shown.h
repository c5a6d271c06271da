/* shown.h - which bytes of untrusted text may be displayed
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SHOWN_H
#define DSN_SHOWN_H

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the character at p, where a NUL ends the text; 0 if it is not a complete UTF-8 sequence (overlong
 * forms and surrogates are invalid) or must not be displayed: C0 and C1 controls, DEL, line separators, and Unicode's
 * invisible format characters (Cf), among them all that change the direction of text. */
static inline size_t dsn_shown(const unsigned char *p)
{
    uint32_t c = p[0];
    const size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    static const uint32_t hidden[][2] = { { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x61c, 0x61c },
                                          { 0x180e, 0x180e },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
                                          { 0x2060, 0x206f },   { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },
                                          { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
                                          { 0xe0000, 0xe007f } };

    if (c < 0x7f)
        return c >= 0x20;
    if (n == 0)
        return 0;
    c &= n == 1 ? 0x7f : 0xffu >> (n + 1);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (c >= hidden[i][0] && c <= hidden[i][1])
            return 0;
    return n;
}

/* Copies at most n - 1 bytes of a log's text to `to` (n >= 8 bytes) so that it is safe to display: control characters
 * become '?', and text longer than `columns` is shortened to the first `head` (at most columns - 3) and as many of the
 * last columns as fit ("/scratch...run7/x.h5"). UTF-8 sequences stay whole; invalid bytes become '?'. NUL-terminated.
 * Returns the number of columns, one per character. */
size_t dsn_text_fit(char *to, size_t n, size_t columns, size_t head, const char *from);

#endif

/* huffman.c - tables out of code lengths
 * SPDX-License-Identifier: BSD-3-Clause */
#include "huffman.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define CODE_BITS 15 /* longest code */

/* What a table is made for. */
struct alphabet {
    unsigned root;                      /* bits of the first look-up */
    int may_be_short;                   /* one code may be all */
    uint32_t (*entry)(unsigned symbol); /* extra bits, kind, value */
};

static uint32_t order_entry(unsigned symbol)
{
    return symbol << 16;
}

/* Source of this and the next: RFC 1951, 3.2.5. */
static uint32_t litlen_entry(unsigned symbol)
{
    const unsigned k = symbol - 257, extra = k < 8 ? 0 : k / 4 - 1;

    if (symbol < 256)
        return HUFF_LITERAL | symbol << 16;
    if (symbol == 256)
        return HUFF_SPECIAL | HUFF_END;
    if (k > 28)
        return HUFF_SPECIAL | HUFF_INVALID;
    if (k == 28)
        return HUFF_LONGEST_MATCH << 16;
    return (k < 8 ? 3 + k : 3 + ((4 + k % 4) << extra)) << 16 | extra;
}

static uint32_t dist_entry(unsigned symbol)
{
    const unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;

    if (symbol > 29)
        return HUFF_SPECIAL | HUFF_INVALID;
    return (symbol < 4 ? 1 + symbol : 1 + ((2 + symbol % 2) << extra)) << 16 | extra;
}

/* The lowest n bits (at most 16) the other way around. */
static inline unsigned reversed(unsigned v, unsigned n)
{
    v = (v & 0x5555) << 1 | (v >> 1 & 0x5555);
    v = (v & 0x3333) << 2 | (v >> 2 & 0x3333);
    v = (v & 0x0f0f) << 4 | (v >> 4 & 0x0f0f);
    v = (v & 0x00ff) << 8 | (v >> 8 & 0x00ff);
    return v >> (16 - n);
}

/* As in zlib: codes use all bit patterns; but there may be none, or (`may_be_short`) one of one bit only. */
static int is_good(const unsigned count[CODE_BITS + 1], int may_be_short)
{
    int left = 1;
    unsigned n = 0;

    for (unsigned length = 1; length <= CODE_BITS; length++) {
        left = 2 * left - (int)count[length];
        n += count[length];
        if (left < 0)
            return 0;
    }
    return left == 0 || n == 0 || (may_be_short && n == 1 && count[1] == 1);
}

/* Index bits of the second table whose first code has `length` bits, of which count[length] are left. */
static unsigned second_bits(const unsigned count[CODE_BITS + 1], unsigned length, unsigned root)
{
    unsigned n = length - root;
    int left = (1 << n) - (int)count[length];

    for (; left > 0 && n + root < CODE_BITS; left = 2 * left - (int)count[n + root])
        n++;
    return n;
}

/* Symbols that have a code, by its length, then by their own order: that of their codes. Returns how many. */
static unsigned sort_symbols(const unsigned count[CODE_BITS + 1], const unsigned char *lengths, unsigned n,
                             uint16_t *sorted)
{
    unsigned at[CODE_BITS + 2] = { 0 };

    for (unsigned length = 1; length <= CODE_BITS; length++)
        at[length + 1] = at[length] + count[length];
    for (unsigned i = 0; i < n; i++)
        if (lengths[i] > 0)
            sorted[at[lengths[i]]++] = (uint16_t)i;
    return at[CODE_BITS];
}

/* An entry for a code, of which `bits` are decided by this table. */
static inline uint32_t finished(uint32_t e, unsigned bits)
{
    return (e + bits) | (e & HUFF_SPECIAL ? 0 : bits << 8);
}

/* Not inline, for then memcpy() would be too, as a loop that starts slowly. */
static __attribute__((noinline)) void double_table(uint32_t *table, size_t n)
{
    memcpy(table + n, table, n * sizeof *table);
}

/* Codes that are longer than a->root bits: `n` symbols, the first one with this code of a->root + 1 bits or the first
 * longer one that follows from it. */
static inline void add_second_tables(uint32_t *table, const struct alphabet *a, const unsigned char *lengths,
                                     const uint16_t *symbols, unsigned n, unsigned code, unsigned *count)
{
    unsigned length = a->root + 1, last = UINT_MAX, bits = 0, next = 1U << a->root;
    uint32_t *second = table;

    for (unsigned i = 0; i < n; i++, code++) {
        unsigned r;

        for (; length < lengths[symbols[i]]; length++)
            code <<= 1;
        r = reversed(code, length);
        if ((r & ((1U << a->root) - 1)) != last) {
            last = r & ((1U << a->root) - 1);
            bits = second_bits(count, length, a->root);
            table[last] = next << 16 | HUFF_SPECIAL | HUFF_SECOND | bits << 8 | a->root;
            second = table + next;
            next += 1U << bits;
        }
        for (r >>= a->root; r < 1U << bits; r += 1U << (length - a->root))
            second[r] = finished(a->entry(symbols[i]), length - a->root);
        count[length]--;
    }
}

/* Makes a table of the code whose symbols have these lengths (0: not used). Returns 0 if there is no such code. A table
 * for codes of so many bits, taken twice, is one for codes of one bit more, but for those. */
static inline __attribute__((always_inline)) int make_table(uint32_t *table, const struct alphabet *a,
                                                            const unsigned char *lengths, unsigned n)
{
    unsigned count[CODE_BITS + 1] = { 0 }, code = 0, nsorted, done = 0;
    uint16_t sorted[HUFF_LITLENS];

    for (unsigned i = 0; i < n; i++)
        count[lengths[i]]++;
    if (!is_good(count, a->may_be_short))
        return 0;
    nsorted = sort_symbols(count, lengths, n, sorted);
    table[0] = table[1] = HUFF_SPECIAL | HUFF_INVALID | 1;
    for (unsigned length = 1; length <= a->root; length++, code <<= 1) {
        if (length > 1)
            double_table(table, (size_t)1 << (length - 1));
        for (unsigned k = 0; k < count[length]; k++)
            table[reversed(code++, length)] = finished(a->entry(sorted[done++]), length);
    }
    add_second_tables(table, a, lengths, sorted + done, nsorted - done, code, count);
    return 1;
}

int dsn__huffman_litlen(uint32_t table[HUFF_LITLEN_SIZE], const unsigned char *lengths, unsigned n)
{
    static const struct alphabet a = { HUFF_LITLEN_BITS, 1, litlen_entry };

    return make_table(table, &a, lengths, n);
}

int dsn__huffman_dist(uint32_t table[HUFF_DIST_SIZE], const unsigned char *lengths, unsigned n)
{
    static const struct alphabet a = { HUFF_DIST_BITS, 1, dist_entry };

    return make_table(table, &a, lengths, n);
}

int dsn__huffman_order(uint32_t table[1 << HUFF_ORDER_BITS], const unsigned char *lengths, unsigned n)
{
    static const struct alphabet a = { HUFF_ORDER_BITS, 0, order_entry };

    return make_table(table, &a, lengths, n);
}

/* huffman.h - codes of deflate (RFC 1951) as tables: a symbol in one look-up, or two if its code is long
 * SPDX-License-Identifier: BSD-3-Clause
 * Private to util/lib/inflate.c. */
#ifndef DSN_HUFFMAN_H
#define DSN_HUFFMAN_H

#include <stdint.h>

#define HUFF_LONGEST_MATCH 258

/* Codes of at most so many bits are found in the first look-up, longer ones in a second. A second table of 2^k entries
 * serves at least k + 1 codes; so at worst (k = 15 - 11 = 4) each 5 codes need 16 entries. */
#define HUFF_LITLENS     288
#define HUFF_LITLEN_BITS 11
#define HUFF_LITLEN_MASK ((1U << HUFF_LITLEN_BITS) - 1)
#define HUFF_LITLEN_SIZE ((1 << HUFF_LITLEN_BITS) + (HUFF_LITLENS / 5 + 1) * 16)
#define HUFF_DISTS       32
#define HUFF_DIST_BITS   9
#define HUFF_DIST_SIZE   ((1 << HUFF_DIST_BITS) + (HUFF_DISTS / 7 + 1) * 64)
#define HUFF_ORDERS      19
#define HUFF_ORDER_BITS  7

/* An entry of a table, found by the next bits of input. Bits 0-5: bits that it takes, extra bits included. */
#define HUFF_TAKES(e) ((e)&63)
#define HUFF_LITERAL  (1U << 6)
#define HUFF_SPECIAL  (1U << 7) /* HUFF_SECOND, HUFF_END or HUFF_INVALID */
/* Bits 8-12: of them, bits of the code itself; or bits that index the second table. */
#define HUFF_CODE(e) ((e) >> 8 & 31)
#define HUFF_SECOND  (1U << 13) /* special: go on in the second table */
#define HUFF_END     (1U << 14) /* special: of the block */
#define HUFF_INVALID (1U << 15) /* special */
/* Bits 16-31: the literal; base of a length or distance; where the second table begins. */
#define HUFF_VALUE(e) ((e) >> 16)

/* Each makes the table of the code whose symbols have these lengths (at most 15; 0: not used). Returns 0 if there is no
 * such code, or one that leaves patterns unused; but as in zlib, there may be one symbol of one bit, or none. Patterns
 * without a symbol take one bit then. */
int dsn__huffman_litlen(uint32_t table[HUFF_LITLEN_SIZE], const unsigned char *lengths, unsigned n);
int dsn__huffman_dist(uint32_t table[HUFF_DIST_SIZE], const unsigned char *lengths, unsigned n);

/* For the lengths of the codes themselves: one symbol alone is not enough here. HUFF_VALUE() is the symbol; if there is
 * none at all, it is always 0. */
int dsn__huffman_order(uint32_t table[1 << HUFF_ORDER_BITS], const unsigned char *lengths, unsigned n);

#endif

/* record.c - checksums of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/record.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78U /* Castagnoli's, reflected */

static uint32_t table[8][256];

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
        table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

static uint32_t by_table(uint32_t c, const unsigned char *b, size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_table);
    for (; n >= 8; n -= 8, b += 8) {
        const uint32_t low = c ^ ((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);

        c = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
            table[3][b[4]] ^ table[2][b[5]] ^ table[1][b[6]] ^ table[0][b[7]];
    }
    for (; n > 0; n--, b++)
        c = c >> 8 ^ table[0][(c ^ *b) & 255];
    return c;
}

uint32_t lbio__sum(uint32_t before, const void *bytes, size_t n)
{
    return ~by_table(~before, bytes, n);
}

/* fuzz-inflate.c - any bytes as a zlib stream: the same output and result as zlib
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "fuzz.h"
#include "test/unit/against-zlib.h"

#define ROOM ((size_t)1 << 18) /* more than the decompressor holds */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *what = difference(bytes, n, ROOM, n % 3 ? 0 : 5000);

    if (what) {
        fprintf(stderr, "ERROR: not as zlib: %s\n", what);
        abort();
    }
    return 0;
}

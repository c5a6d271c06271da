/* fuzz-dxt.c - any bytes as traces
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first bytes choose module, version and byte order; the others are the region, uncompressed. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < FUZZ_CHOICES)
        return 0;
    return fuzz_region(bytes, n, bytes[0] & 1 ? DSN_DXT_MPIIO_MODULE : DSN_DXT_POSIX_MODULE, fuzz_dxt);
}

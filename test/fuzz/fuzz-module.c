/* fuzz-module.c - any bytes as the records of a module of a version
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first bytes choose module, version and byte order; the others are the region, uncompressed, so that nothing
 * stands between the fuzzer and the records. With -DMODULE=<id>, of that module only. */
#include "fuzz.h"

#ifndef MODULE
#define MODULE (bytes[0] % DSN_KNOWN_MODULES)
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < FUZZ_CHOICES)
        return 0;
    return fuzz_region(bytes, n, MODULE, fuzz_records);
}

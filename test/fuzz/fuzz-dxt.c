/* fuzz-dxt.c - any bytes as traces
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first bytes choose module, version and byte order; the others are the region, uncompressed. */
#include "fuzz.h"

#define CHOICES 3

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    unsigned module;

    if (n < CHOICES)
        return 0;
    module = bytes[0] & 1 ? DSN_DXT_MPIIO_MODULE : DSN_DXT_POSIX_MODULE;
    if (darshan_reader_open(fuzz_log(module, bytes[1] % 8, bytes[2] & 1, bytes + CHOICES, n - CHOICES), &log, &err) !=
        DSN_ERR_OK)
        return 0;
    fuzz_dxt(log, module);
    darshan_reader_close(log);
    return 0;
}

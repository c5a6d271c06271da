/* fuzz-module.c - any bytes as the records of a module of a version
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first bytes choose module, version and byte order; the others are the region, uncompressed, so that nothing
 * stands between the fuzzer and the records. With -DMODULE=<id>, of that module only. */
#include "fuzz.h"

#define CHOICES 3

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    unsigned module;

    if (n < CHOICES)
        return 0;
#ifdef MODULE
    module = MODULE;
#else
    module = bytes[0] % DSN_KNOWN_MODULES;
#endif
    if (darshan_reader_open(fuzz_log(module, bytes[1] % 8, bytes[2] & 1, bytes + CHOICES, n - CHOICES), &log, &err) !=
        DSN_ERR_OK)
        return 0;
    fuzz_records(log, module);
    darshan_reader_close(log);
    return 0;
}

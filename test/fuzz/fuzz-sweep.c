/* fuzz-sweep.c - any bytes as the record of a sweep: read, evaluated, printed as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "measure/sweep/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct dsn_sweep_record r;
    static struct dsn_verdict v;
    struct dsn_samples samples = { .n = 0 };
    struct dsn_text out;
    char error[160] = "";
    const int fd = open(fuzz_file(bytes, n), O_RDONLY), null = open("/dev/null", O_WRONLY);
    const int ok = dsn_record_read(fd, &r, &samples, error, sizeof error);

    if (!ok && !*error) {
        fprintf(stderr, "ERROR: refused without a reason\n");
        abort();
    }
    if (ok && dsn_verdict_make(&samples, (int)(n & 1), &v) && dsn_text_init(&out, null)) {
        json_t *document = dsn_sweep_document(&r, &v, 0);

        dsn_sweep_text(&out, &r, &v, 0);
        json_decref(document);
        dsn_text_free(&out);
    }
    dsn_verdict_free(&v);
    dsn_samples_free(&samples);
    close(fd);
    close(null);
    return 0;
}

/* fuzz-block.c - any bytes as pages of the kernel's ring buffer, and as a format description
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "measure/block/ring.h"

static const char issue[] =
    "ID: 258\nfield:int common_pid;\toffset:4;\tsize:4;\nfield:dev_t dev;\toffset:8;\tsize:4;\n"
    "field:sector_t sector;\toffset:16;\tsize:8;\nfield:unsigned int nr_sector;\toffset:24;\tsize:4;\n"
    "field:char rwbs[10];\toffset:34;\tsize:10;\n";
static const char header[] = "field: u64 timestamp;\toffset:0;\tsize:8;\nfield: local_t commit;\toffset:8;\tsize:8;\n"
                             "field: char data;\toffset:16;\tsize:4080;\n";

static int take(void *context, const struct dsn_block_event *e)
{
    (void)context;
    fuzz_sink += e->time + strlen(e->what) + e->bytes;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct dsn_ring_formats f;
    struct dsn_event_format read;
    char *text = malloc(n + 1);
    unsigned char *page = malloc(n); /* of its own, so that its end is watched */

    if (!dsn_event_format(issue, &f.issue) || !dsn_page_format(header, &f.page))
        abort();
    f.complete = f.issue;
    f.complete.id = 772;
    memcpy(page, bytes, n);
    fuzz_sink += (uint64_t)dsn_ring_page(&f, page, n, take, NULL);
    memcpy(text, bytes, n);
    text[n] = '\0';
    if (dsn_event_format(text, &read)) {
        f.issue = read;
        fuzz_sink += (uint64_t)dsn_ring_page(&f, page, n, take, NULL);
    }
    fuzz_sink += (uint64_t)dsn_page_format(text, &f.page);
    free(page);
    free(text);
    return 0;
}

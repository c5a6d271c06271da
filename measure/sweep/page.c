/* page.c - a sweep as an HTML page with its curves
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "document.h"

#include "util/page/shell.h"

static int put(const char *bytes, size_t n, void *out)
{
    dsn_text_bytes(out, bytes, n);
    return 0;
}

static void write_document(struct dsn_text *out, const void *document)
{
    json_dump_callback(document, put, out, JSON_COMPACT);
}

int dsn_sweep_page(struct dsn_text *out, const void *document)
{
    int ok;

    dsn_page_begin(out, &dsn_sweep_js, "What a file system delivers",
                   "This page is drawn by a script in this file. Without scripts, use darshan-sweep "
                   "on a terminal.");
    ok = dsn_page_data(out, "sweep", write_document, document);
    dsn_page_end(out, &dsn_sweep_js);
    return ok;
}

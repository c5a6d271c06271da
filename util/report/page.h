/* page.h - a job's report as one page: a file that a browser opens from disk, without a network
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The page is made of its style, its scripts, and two JSON documents: that of the report, which `--json` prints, too,
 * and "series", which is for charts: {"timeline", "traces", "phases", "what_if"}. Everything else the page's
 * script makes of them in the browser, where names out of a log only ever become text. A Content-Security-Policy lets nothing run but the
 * scripts whose hashes it names, and nothing be fetched. */
#ifndef DSN_PAGE_H
#define DSN_PAGE_H

#include "util/lib/text.h"
#include "util/page/shell.h"
#include "util/report/report.h"

/* Writes the page of the log at `path`; `document` writes the report's document; `full_trace`: with as many single operations of traces as
 * 5 MB have room for. Returns DSN_ERR_OK, DSN_ERR_MEMORY, or the code of damage
 * in what only the page reads of the log (`err`; the page is whole then). Whether all could be written, `out` tells. */
int dsn_page_write(struct dsn_text *out, const struct dsn_report *r, const char *path, int full_trace,
                   dsn_page_document *document, const void *context, struct darshan_reader_error *err);

#endif

/* embedded.h - files of the page, embedded into the program
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_EMBEDDED_H
#define DSN_EMBEDDED_H

#include <stddef.h>

struct dsn_embedded {
    const char *bytes, *end;
    const char *hash; /* for a Content-Security-Policy: "'sha256-...'" */
};

/* dsn_page_js draws the page of a job, dsn_site_js that of a site, dsn_sweep_js that of a sweep, dsn_block_js that of
 * requests to devices, dsn_trace_page_js that of a trace. dsn_charts_js is Apache ECharts; empty if built without it. */
extern const struct dsn_embedded dsn_page_css, dsn_page_js, dsn_site_js, dsn_sweep_js, dsn_block_js, dsn_trace_page_js,
    dsn_charts_js;

static inline size_t dsn_embedded_size(const struct dsn_embedded *e)
{
    return (size_t)(e->end - e->bytes);
}

#endif

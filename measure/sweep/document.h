/* document.h - a sweep as text, as JSON that is a storage profile, and as a page with its curves
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to measure/sweep and its command. */
#ifndef DSN_SWEEP_DOCUMENT_H
#define DSN_SWEEP_DOCUMENT_H

#include <jansson.h>

#include "record.h"
#include "util/lib/text.h"
#include "verdict.h"

/* A storage profile for simulators (doc/simulate.md), which also contains the sweep. NULL: no memory. */
json_t *dsn_sweep_document(const struct dsn_sweep_record *r, const struct dsn_verdict *v, int is_partial);

void dsn_sweep_text(struct dsn_text *out, const struct dsn_sweep_record *r, const struct dsn_verdict *v,
                    int is_partial);

/* Writes the document as an HTML page. 0: no memory. */
int dsn_sweep_page(struct dsn_text *out, const void *document);

#endif

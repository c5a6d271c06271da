/* shell.h - what pages have in common: one file with style, data and scripts, that needs no network
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * dsn_page_begin(), dsn_page_data() for each document, dsn_page_end(). A Content-Security-Policy lets nothing run but
 * the scripts that are named, and nothing be fetched. */
#ifndef DSN_SHELL_H
#define DSN_SHELL_H

#include "util/lib/text.h"
#include "util/page/embedded.h"

/* Up to the documents. `title` and `without` (what is shown where no script runs) are HTML. */
void dsn_page_begin(struct dsn_text *out, const struct dsn_embedded *script, const char *title, const char *without);

/* Writes a document as JSON. */
typedef void dsn_page_document(struct dsn_text *out, const void *context);

/* A document, for the script to find by its id. Whatever stands in it, it cannot end the element that it stands in.
 * Returns 0 if there is no memory. */
int dsn_page_data(struct dsn_text *out, const char *id, dsn_page_document *document, const void *context);

/* The charts, if the program was built with them, and the script. */
void dsn_page_end(struct dsn_text *out, const struct dsn_embedded *script);

#endif

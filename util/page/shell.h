/* shell.h - the common parts of HTML pages: one file with style, data and scripts, which needs no network
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * dsn_page_begin(), dsn_page_data() for each document, dsn_page_end(). A Content-Security-Policy only allows the
 * scripts listed, and no requests. */
#ifndef DSN_SHELL_H
#define DSN_SHELL_H

#include "util/lib/text.h"
#include "util/page/embedded.h"

/* Everything before the documents. `title` and `without` (shown without scripts) are HTML. */
void dsn_page_begin(struct dsn_text *out, const struct dsn_embedded *script, const char *title, const char *without);

/* Writes a document as JSON. */
typedef void dsn_page_document(struct dsn_text *out, const void *context);

/* Writes a document, with an id by which the script finds it. No content can end the element. Returns 0 if out of
 * memory. */
int dsn_page_data(struct dsn_text *out, const char *id, dsn_page_document *document, const void *context);

/* The charts library, if the program was built with it, and the script. */
void dsn_page_end(struct dsn_text *out, const struct dsn_embedded *script);

#endif

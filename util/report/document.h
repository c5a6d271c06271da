/* document.h - a report as a JSON document
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Its schema is share/job-summary.schema.json. The same document is what the page shows. Text of a log is made valid
 * UTF-8; a figure that is not known, or no number, is null; doubles have all their digits. */
#ifndef DSN_DOCUMENT_H
#define DSN_DOCUMENT_H

#include <jansson.h>

#include "findings.h"
#include "report.h"

#define DSN_DOCUMENT_SCHEMA "darshan-job-summary/1"
#define DSN_DOCUMENT_FILES  1000 /* files that are told one by one */
#define DSN_DOCUMENT_BINS   512  /* of ranks */

/* The whole document; NULL: no memory. `file` is the log's name as the user gave it. To be given to json_decref(). */
json_t *dsn_document_make(const struct dsn_report *r, const struct dsn_findings *f, const char *file);

/* Prints it on stdout, on one line. Returns DSN_ERR_OK or MEMORY; what could not be written, stdout tells. */
int dsn_document_print(const json_t *document);

/* ------------------------------------------------------------------ for those who make members of it */

/* From begin on it is noted if jansson gets no memory for something. */
void dsn_document_begin(void);
int dsn_document_failed(void);

/* A string out of a log's bytes: what is no UTF-8 becomes U+FFFD, and so does DEL, which would go out
 * unescaped. NULL is null. */
json_t *dsn_json_text(const char *bytes);
json_t *dsn_json_bytes(const char *bytes, size_t n);

/* A figure; not finite, or negative where that means "not known": null. */
json_t *dsn_json_f64(double v);
json_t *dsn_json_known(double v);

/* Ids need more digits than a double has: they are strings. */
json_t *dsn_json_id(uint64_t id);

#endif

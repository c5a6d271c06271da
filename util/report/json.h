/* json.h - JSON values from a log's bytes and figures
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_JSON_H
#define DSN_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Prints a document on stdout, on one line. Returns DSN_ERR_OK or MEMORY; what could not be written, stdout tells. */
int dsn_document_print(const json_t *document);

/* From begin on, failed allocations of jansson are recorded. */
void dsn_document_begin(void);
int dsn_document_failed(void);

/* A string from a log's bytes: invalid UTF-8 becomes U+FFFD, and so does DEL, which jansson does not escape. NULL is
 * null. */
json_t *dsn_json_text(const char *bytes);
json_t *dsn_json_bytes(const char *bytes, size_t n);

/* A figure; not finite, or negative where that means "not known": null. */
json_t *dsn_json_f64(double v);
json_t *dsn_json_known(double v);

/* Ids need more digits than a double has, so they are strings. */
json_t *dsn_json_id(uint64_t id);

#endif

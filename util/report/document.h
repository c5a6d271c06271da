/* document.h - a report as a JSON document
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Its schema is share/job-summary.schema.json. The same document is what the page shows. Text of a log is made valid
 * UTF-8; a figure that is not known, or no number, is null; doubles have all their digits. */
#ifndef DSN_DOCUMENT_H
#define DSN_DOCUMENT_H

#include "findings.h"
#include "json.h"
#include "report.h"

#define DSN_DOCUMENT_SCHEMA "darshan-job-summary/1"

/* The whole document; NULL: no memory. `file` is the log's name as given by the user. Release it with json_decref(). */
json_t *dsn_document_make(const struct dsn_report *r, const struct dsn_findings *f, const char *file);

#endif

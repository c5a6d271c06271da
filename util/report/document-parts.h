/* document-parts.h - the members of the JSON document that are tables
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. Each returns a new value, or NULL if there is no memory. */
#ifndef DSN_DOCUMENT_PARTS_H
#define DSN_DOCUMENT_PARTS_H

#include "json.h"
#include "phases.h"
#include "report.h"

#define DSN_DOCUMENT_FILES 1000 /* files listed individually */
#define DSN_DOCUMENT_BINS  512  /* of ranks */

json_t *dsn__layers_part(const struct dsn_report *r);
json_t *dsn__modules_part(const struct dsn_report *r);
json_t *dsn__ranks_part(const struct dsn_report *r);
json_t *dsn__sizes_part(const struct dsn_report *r);
json_t *dsn__access_part(const struct dsn_report *r);
json_t *dsn__sharing_part(const struct dsn_report *r);
json_t *dsn__files_part(const struct dsn_report *r);
json_t *dsn__file_patterns_part(const struct dsn_report *r);
json_t *dsn__phases_part(const struct dsn_report *r);
struct dsn_sites;
json_t *dsn__sites_part(const struct dsn_report *r, const struct dsn_sites *s);
json_t *dsn__targets_part(const struct dsn_report *r);
json_t *dsn__mounts_part(const struct dsn_report *r);
json_t *dsn__partition_part(const struct dsn_report *r);
json_t *dsn__store_part(const struct dsn_report *r);
json_t *dsn__written_part(const struct dsn_report *r);
json_t *dsn__mapped_part(const struct dsn_report *r);
json_t *dsn__cufile_part(const struct dsn_report *r);
json_t *dsn__traffic_part(const struct dsn_report *r);
json_t *dsn__times_apart_part(const struct dsn_report *r);
json_t *dsn__lbio_part(const struct dsn_report *r);
json_t *dsn__communication_part(const struct dsn_report *r);
json_t *dsn__quality_part(const struct dsn_report *r);
json_t *dsn__definitions_part(const struct dsn_report *r);
json_t *dsn__glossary_part(const struct dsn_report *r);

/* What was called at each layer that was. */
json_t *dsn__layers_of_work(const struct dsn_work at[DSN_PHASE_LAYERS], const int64_t metas[DSN_PHASE_LAYERS]);

/* "read_seconds", "write_seconds", "metadata_seconds", "bytes_read", "bytes_written", "reads", "writes". */
json_t *dsn__work(const struct dsn_work *w);

/* The same figures of both directions apart. */
json_t *dsn__spread(const struct dsn_spread *s);

#endif

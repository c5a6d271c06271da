/* mapped.h - files that were mapped into memory: bounds of what loads and stores moved
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of logs whose extension section has the part "mapped"; of others nothing is known. */
#ifndef DSN_REPORT_MAPPED_H
#define DSN_REPORT_MAPPED_H

#include "report.h"

/* When all records are read and files are placed. Returns DSN_ERR_OK, or DSN_ERR_MEMORY. */
int dsn_mapped_read(struct dsn_report *r);

/* Whether mappings may have moved more than calls did. */
int dsn_mapped_may_be_most(const struct dsn_report *r);

#endif

/* report.h - results as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util; for rank 0. */
#ifndef DSN_SPMV_REPORT_H
#define DSN_SPMV_REPORT_H

#include "measure/spmv/spmv.h"

void dsn_spmv_text(FILE *to, const struct dsn_spmv *s, const char *matrix, const struct dsn_spmv_result *cells,
                   unsigned n);

/* Returns 0 if out of memory, or on a write error. */
int dsn_spmv_json(FILE *to, const struct dsn_spmv *s, const char *matrix, const struct dsn_spmv_result *cells,
                  unsigned n);

#endif

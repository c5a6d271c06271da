/* compare.h - what changed from one run to another, for programs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_COMPARE_H
#define DSN_COMPARE_H

#include "many.h"

/* Of at least two briefs: from the first to the last. */
json_t *dsn__comparison(const struct dsn_briefs *all);

#endif

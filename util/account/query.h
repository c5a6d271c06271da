/* query.h - rows as text
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_QUERY_H
#define DSN_QUERY_H

#include "db.h"
#include "util/lib/text.h"

/* All rows that a statement gives, as RFC 4180 has it (lines end with LF), the names of the columns first. */
void dsn_print_csv(struct dsn_text *out, struct dsn_stmt *s);

#endif

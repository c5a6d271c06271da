/* description.h - the comments in which darshan-parser explains columns and counters
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DESCRIPTION_H
#define DSN_DESCRIPTION_H

#include "darshan-log-format/table.h"
#include "util/lib/text.h"

/* What the columns of records are. */
void dsn_print_columns(struct dsn_text *out);

/* What a module's counters mean, and what is to be known of those of that version. */
void dsn_print_description(struct dsn_text *out, const struct dsn_table *t, unsigned version);

#endif

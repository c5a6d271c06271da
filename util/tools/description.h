/* description.h - the comments of darshan-parser that explain columns and counters
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DESCRIPTION_H
#define DSN_DESCRIPTION_H

#include "darshan-log-format/table.h"
#include "util/lib/text.h"

/* Describes the columns of records. */
void dsn_print_columns(struct dsn_text *out);

/* Describes a module's counters, including remarks on this version. */
void dsn_print_description(struct dsn_text *out, const struct dsn_table *t, unsigned version);

#endif

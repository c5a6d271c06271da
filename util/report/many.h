/* many.h - several logs together: ranked by possible savings, or compared
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MANY_H
#define DSN_MANY_H

#include <jansson.h>

#include "brief.h"
#include "util/lib/text.h"

#define DSN_MANY_SCHEMA "darshan-job-summaries/1"

/* Prints a line a log on stdout. Names are cut on a terminal only. Returns DSN_ERR_OK or MEMORY. */
int dsn_many_print(const struct dsn_briefs *all, int is_terminal);

/* Prints a line a log, from the last to the first: when it began, what it was, how long it ran. */
void dsn_list_print(const struct dsn_briefs *all, int is_terminal);

/* The same for programs: {"schema", "logs", "comparison"}; the comparison is null if none is asked for. The caller has
 * called dsn_document_begin(). */
json_t *dsn_many_document(const struct dsn_briefs *all, int compare);

/* The same as a page, with links to the logs' own pages beside it. Names out of logs only ever become text. */
void dsn_many_page(struct dsn_text *out, const struct dsn_briefs *all, int compare);

#endif

/* reports.h - reports of the jobs that a page names
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_REPORTS_H
#define DSN_REPORTS_H

#include <stddef.h>

#include "util/lib/text.h"

/* Logs of which a page that is being written names the path, each once. */
struct dsn_reports {
    char **paths;
    size_t n;
};

/* Remembers a log. Without memory it is left out. */
void dsn_reports_add(struct dsn_reports *r, const char *path);

/* Makes the report of each log, unless there is one that is newer, in `directory`, which is beside the page `page`, and
 * prints a JSON object: the path of a log, and the link to its report. Logs that are not there are left out. Forgets all. */
void dsn_reports_print(struct dsn_reports *r, struct dsn_text *out, const char *page, const char *directory);

#endif

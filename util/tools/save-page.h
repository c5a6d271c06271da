/* save-page.h - writes a report as a page
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_PAGE_H
#define DSN_SAVE_PAGE_H

#include "util/report/report.h"

/* Writes or replaces the file `path` with the page of a log. `file` is the log's name as given by the user. Returns the
 * exit status; errors are reported on stderr. Damage of data that only the page uses is stored in r->f.damage, and is
 * not an error: the page is complete. */
int dsn_save_page(const char *command, const char *path, int full_trace, struct dsn_report *r, const char *file);

#endif

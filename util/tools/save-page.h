/* save-page.h - the report as a page, in a file
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_PAGE_H
#define DSN_SAVE_PAGE_H

#include "util/report/report.h"

/* Writes the page of a log to the file `path`, which may be there already. `file` is the log's name as the user gave
 * it. Returns the exit status; says on stderr why it is 1. Damage in what only the page reads becomes r->f.damage, and is
 * no error: the page is whole. */
int dsn_save_page(const char *command, const char *path, int full_trace, struct dsn_report *r, const char *file);

#endif

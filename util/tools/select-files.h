/* select-files.h - restricts a log to files whose names match patterns
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SELECT_FILES_H
#define DSN_SELECT_FILES_H

#include "util/lib/log.h"
#include "util/report/report.h"

#define DSN_MOST_PATTERNS 64

/* Whether a name matches. Patterns are those of the shell, and # is any number, as reports show it. Without a slash the pattern is
 * of the name behind the last one; "out/a.*" begins at any directory, "/scratch/a*" at the root; * crosses slashes in these. */
int dsn_name_matches(const char *pattern, const char *name);

/* Makes a copy of the log `file` with only the records of files that match any of s->patterns, and opens it: without what is known of
 * all files together only, such as heat maps and totals of ranks. Sets s->path, at which the copy is for as long as this process runs.
 * Each pattern must match a name. Returns 0, or the exit status, after reporting the error. */
int dsn_select_files(const char *command, const char *file, struct dsn_selection *s, struct darshan_reader **log);

#endif

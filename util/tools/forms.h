/* forms.h - shared by commands that print logs as JSON or CSV
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FORMS_H
#define DSN_FORMS_H

#include "util/lib/emit.h"
#include "util/lib/log.h"

/* Prints `before` unchanged, then a text of the log as a JSON string. */
void dsn_json_quoted(struct dsn_text *out, const char *before, const char *s);

/* Starts a log's object, up to its mounts: the caller adds members and the closing brace. is_first: in a list of
 * logs. */
void dsn_json_begin_log(struct dsn_text *out, const struct darshan_reader *log, const char *file, int is_first);

/* Formats the first column of CSV lines: the log's name in quotes, truncated if necessary. */
void dsn_csv_column(char *column, size_t size, const char *file);

/* Like dsn_print_logs(); in JSON, several logs are a list, and only TEXT has comments. */
struct dsn_printing;
int dsn_print_forms(struct dsn_printing *p, enum dsn_emit_form form, char **files, int n);

#endif

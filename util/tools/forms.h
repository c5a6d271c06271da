/* forms.h - what commands that print logs as JSON or CSV have in common
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FORMS_H
#define DSN_FORMS_H

#include "util/lib/emit.h"
#include "util/lib/log.h"

/* `before` as it is, then a text of the log as a string of JSON. */
void dsn_json_text(struct dsn_text *out, const char *before, const char *s);

/* The object of a log, up to its mounts: members follow, and a brace ends it. is_first: of a list of logs. */
void dsn_json_begin_log(struct dsn_text *out, const struct darshan_reader *log, const char *file, int is_first);

/* The first column of every line of CSV: the log's name in quotes, cut off if it does not fit. */
void dsn_csv_column(char *column, size_t size, const char *file);

/* As dsn_print_logs(); several logs are a list in JSON, and only TEXT has comments. */
struct dsn_printing;
int dsn_print_forms(struct dsn_printing *p, enum dsn_emit_form form, char **files, int n);

#endif

/* shown.h - what commands print: text that others have chosen, on terminals and in logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each byte that darshan-log-format/shown.h does not allow is printed as a question mark: nothing that others have
 * named does anything to a terminal, or begins another line. */
#ifndef DSN_BASE_SHOWN_H
#define DSN_BASE_SHOWN_H

#include <stdio.h>

/* The name that lines on stderr begin with. */
void dsn__shown_command(const char *name);

/* One line on stderr, "NAME: ...", or on stdout. */
void dsn__shown_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dsn__shown_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A part of a line. */
void dsn__put_shown(FILE *to, const char *text);

#endif

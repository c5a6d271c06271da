/* warn.h - lines on standard error output, the only ones of the runtime
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_WARN_H
#define DSN_BASE_WARN_H

#include <stddef.h>

/* Remembers what descriptor 2 is, at the start of the process: later it may be a file of the application, in which our
 * lines have no business. */
void dsn__know_stderr(void);

/* One line on stderr, "darshan: ...": for what costs the user the log or a setting. */
void dsn__warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text of whole lines that the user asked for, on stderr; given up if nobody reads it. */
void dsn__print(const char *text, size_t size);

/* One line on stderr if the last of these was not 0 (DARSHAN_VERBOSE). */
void dsn__set_verbose(int is_verbose);
void dsn__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

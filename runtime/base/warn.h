/* warn.h - the runtime's only messages, on stderr
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_WARN_H
#define DSN_BASE_WARN_H

#include <stddef.h>

/* Records the identity of descriptor 2 at the start of the process: the application may later reuse the number for a
 * file of its own, which must not get our messages. */
void dsn__know_stderr(void);

/* From now on lines go to stderr even if the program closes its descriptor 2; until dsn__drop_stderr(), which a forked
 * child calls. */
void dsn__keep_stderr(void);
void dsn__drop_stderr(void);

/* Prints one line, "darshan: ...", on stderr: for what costs the user the log or a setting. */
void dsn__warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints whole lines that the user asked for on stderr; gives up if nobody reads them. */
void dsn__print(const char *text, size_t size);

/* As dsn__warn, if the last value given to dsn__set_verbose was not 0 (DARSHAN_VERBOSE). */
void dsn__set_verbose(int is_verbose);
void dsn__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* as-user.h - work on what a user has left, by a process that can do no more than that user
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECOVER_AS_USER_H
#define DSN_RECOVER_AS_USER_H

#include <stdint.h>
#include <sys/types.h>

#define DSN_RECOVER "darshan-recover"

/* Calls `work` in a process of its own, in a session of its own, for at most `seconds`: whose work it is when that ends
 * is killed with all that it has started. Who is root becomes user `uid` for it, as login does: with the groups that
 * the user database names, none if it does not know the user, and nothing that root has open. The process has at most
 * half of the machine's memory. What it prints is printed by this one, line by line, as by dsn__shown_line(). Returns
 * whether `work` returned 0; what else went wrong is said. */
int dsn__as_user(uid_t uid, int64_t seconds, int (*work)(void *context), void *context);

/* One line on stderr, "darshan-recover: ...", or on stdout. Whatever is no character, or would do something to a
 * terminal or begin another line, is a question mark. */
void dsn__shown_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dsn__shown_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* as-user.h - work on what a user has left, by a process that can do no more than that user
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMAND_AS_USER_H
#define DSN_COMMAND_AS_USER_H

#include <stdint.h>
#include <sys/types.h>

/* Calls `work` in a process of its own, in a session of its own, for at most `seconds`: whose work it is when that ends
 * is killed with all that it has started. Who is root becomes user `uid` for it, as login does: with the groups that
 * the user database names, none if it does not know the user, and nothing that root has open. The process has at most
 * half of the machine's memory. What it prints is printed by this one, line by line, as by dsn__shown_line(). Returns
 * whether `work` returned 0; what else went wrong is said. */
int dsn__as_user(uid_t uid, int64_t seconds, int (*work)(void *context), void *context);

/* The same for work that goes on: it is asked by what is written to `to`, its standard input, and answers by `from`, its
 * standard output; what it prints on stderr nobody sees. */
struct dsn_user_process {
    pid_t pid;
    int to, from;
};

/* 0: no process can be made, which was said. */
int dsn__user_process_begin(struct dsn_user_process *p, uid_t uid, int (*work)(void *context), void *context);

/* Kills it, with all that it has started. */
void dsn__user_process_end(struct dsn_user_process *p);

#endif

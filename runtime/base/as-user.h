/* as-user.h - work on what users have left, by processes that can do no more than those users
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Root never opens, reads or follows anything that another user has made, or can replace. It asks at most who owns it
 * (dsn__owner_at); a process that has become that user opens it, once, and makes sure that it is that user's. */
#ifndef DSN_BASE_AS_USER_H
#define DSN_BASE_AS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A user by name or number; false: there is no such user. */
bool dsn__find_user(const char *name, uid_t *uid);

/* Whether `name` in the directory is a directory, or (`is_file`) a regular file, and whose. Follows no link, and asks
 * no server of a file system, which may be a user's own program and not answer; for root, what is on such a file system is
 * nobody's. */
bool dsn__owner_at(int dir, const char *name, int is_file, uid_t *uid);

struct dsn_user_work {
    uid_t uid;
    int (*work)(void *context);
    void *context;
};

struct dsn_user_limits {
    int64_t seconds;  /* of each work */
    int has_any_size; /* it writes the user's files, which may be large; else half of the machine's memory */
    const char *kept; /* what else is left as it is, for messages */
};

/* Calls each work in a process of its own, in a session of its own, several side by side, for at most so many seconds:
 * when that ends it is killed with all that it has started. Who is root becomes the user for it, as login does: with
 * the groups that the user database names, none if it does not know the user, and nothing that root has open. All
 * together have at most half of the machine's memory. What they print is printed by this process, line by line, as by
 * dsn__shown_line(). Returns the number of works that did not return 0, or have not been begun within ten times that time;
 * what else went wrong is said. */
size_t dsn__as_users(const struct dsn_user_work *work, size_t n, const struct dsn_user_limits *limits);

/* The same for work that goes on: it is asked by what is written to `to`, its standard input, and answers by `from`, its
 * standard output; what it prints on stderr nobody sees. */
struct dsn_user_process {
    pid_t pid;
    int to, from;
};

/* False: no process can be made, which was said. */
bool dsn__user_process_begin(struct dsn_user_process *p, uid_t uid, int (*work)(void *context), void *context);

/* Kills it, with all that it has started. */
void dsn__user_process_end(struct dsn_user_process *p);

#endif

/* token.h - how many processes write to the shared file system at once
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A token is a byte of a file that all nodes share; a process has it while it locks that byte (F_OFD_SETLK). No server
 * is needed, and the kernel releases the lock of a dead process. A process that finds no free token polls, with growing
 * pauses. The modification time of the file shows that processes with tokens make progress: a stopped process keeps its
 * token, and if all of them are stopped, the others go on without. */
#ifndef LBIO_TOKEN_H
#define LBIO_TOKEN_H

#include <stdint.h>

struct lbio_token {
    int fd;    /* -1: none has been asked for, or there can be none */
    int which; /* -1: none is held */
    int has_failed;
    int64_t changed, since,
        renewed; /* when somebody last took one, or was at work with it: the file's time, and ours */
};

#define LBIO_NO_TOKEN                                                                                                  \
    {                                                                                                                  \
        -1, -1, 0, 0, 0, 0                                                                                             \
    }

/* One of `tokens` of the file, made if it is not there. 1: it is held; 0: none is free now; -1: there are none,
 * errno. */
int lbio__token_try(struct lbio_token *t, const char *path, int64_t tokens);

void lbio__token_release(struct lbio_token *t);

/* Says, once a second, that who holds it is at work. */
void lbio__token_renew(struct lbio_token *t);

/* In a child of fork: what is held stays the parent's. */
void lbio__token_forget(struct lbio_token *t);

/* For replay: waits until one is held, there can be none, none of those who hold one has been at work for ten seconds,
 * or the application holds one, which may be waiting for replay. */
void lbio__token_hold(struct lbio_token *t, const char *path, int64_t tokens);

/* The application's own: waits until there is one. 0, or -1 and errno. */
int lbio__token_acquire(const char *path, int tokens);
void lbio__token_give_back(void);
void lbio__token_forget_own(void); /* in a child of fork, as lbio__token_forget */

#endif

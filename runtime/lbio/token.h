/* token.h - limits the number of processes that write to the shared file system at once
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A token is a byte of a file shared by all nodes; a process holds it by locking that byte (F_OFD_SETLK). No server is
 * needed, and the kernel releases the locks of a dead process. A process that finds no free token polls with increasing
 * pauses. The file's modification time shows that processes with tokens make progress: a stopped process keeps its
 * token, and if all owners are stopped, the others continue without. */
#ifndef LBIO_TOKEN_H
#define LBIO_TOKEN_H

#include <stdint.h>

struct lbio_token {
    int fd;    /* -1: not opened, or impossible */
    int which; /* -1: none held */
    int has_failed;
    int64_t changed, since, renewed; /* last time any process took or renewed a token: the file's clock, and ours */
};

#define LBIO_NO_TOKEN                                                                                                  \
    {                                                                                                                  \
        -1, -1, 0, 0, 0, 0                                                                                             \
    }

/* Tries to get one of `tokens` tokens of the file, creating it if necessary. 1: held; 0: none is free; -1: impossible,
 * errno. */
int lbio__token_try(struct lbio_token *t, const char *path, int64_t tokens);

void lbio__token_release(struct lbio_token *t);

/* Shows, at most once a second, that this process makes progress. */
void lbio__token_renew(struct lbio_token *t);

/* In a child of fork: tokens stay the parent's. */
void lbio__token_forget(struct lbio_token *t);

/* For replay: waits until it holds a token, there can be none, no owner has made progress for ten seconds, or the
 * application holds one, which may be waiting for replay. */
void lbio__token_hold(struct lbio_token *t, const char *path, int64_t tokens);

/* For the application: waits for a token. 0, or -1 and errno. */
int lbio__token_acquire(const char *path, int tokens);
void lbio__token_give_back(void);
void lbio__token_forget_own(void); /* in a child of fork, like lbio__token_forget */

#endif

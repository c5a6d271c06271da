/* token.h - limits the number of processes that write to the shared file system at once
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A token is a byte of a file shared by all nodes; a process holds it by locking that byte (F_OFD_SETLK). That needs no
 * server, and the kernel releases the locks of a dead process. A process that finds no free byte polls with increasing
 * pauses. The file's modification time shows that processes with tokens make progress: a stopped process keeps its
 * byte, and if all owners are stopped, the others continue without. */
#ifndef LBIO_TOKEN_H
#define LBIO_TOKEN_H

#include <stdatomic.h>
#include <stdint.h>

struct lbio_token {
    atomic_int fd; /* of the file; -1: not opened, or impossible */
    int which;     /* -1: none held */
    int has_failed;
    int64_t changed, since, renewed; /* last time any process took or renewed a token: the file's clock, and ours */
};

#define LBIO_NO_TOKEN                                                                                                  \
    {                                                                                                                  \
        -1, -1, 0, 0, 0, 0                                                                                             \
    }

int lbio__token_is_held(const struct lbio_token *t);

void lbio__token_release(struct lbio_token *t);

/* Shows, at most once a second, that this process makes progress. */
void lbio__token_renew(struct lbio_token *t);

/* In a child of fork: tokens stay the parent's. */
void lbio__token_forget(struct lbio_token *t);

/* Whether the descriptor is this token's. */
int lbio__token_owns(const struct lbio_token *t, int fd);

/* For replay: waits until it holds one of `tokens` tokens of the file at this absolute path, there can be none, no owner
 * has made progress for ten seconds, or the application holds one, which may be waiting for replay. 0: it goes on
 * without a token that it should have. */
int lbio__token_hold(struct lbio_token *t, const char *path, int64_t tokens);

/* For the application: waits for a token. 0, or -1 and errno. */
int lbio__token_acquire(const char *path, int tokens);
void lbio__token_give_back(void);
void lbio__token_forget_own(void); /* in a child of fork, like lbio__token_forget */
int lbio__token_owns_own(int fd);  /* like lbio__token_owns */

#endif

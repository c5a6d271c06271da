/* token.h - limits the number of processes that write to the shared file system at once
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A token is either granted by a token server (token-client.h), or it is a byte of a file shared by all nodes; a process
 * holds it by locking that byte (F_OFD_SETLK). The latter needs no server, and the kernel releases the locks of a dead
 * process. A process that finds no free byte polls with increasing pauses. The file's modification time shows that
 * processes with tokens make progress: a stopped process keeps its byte, and if all owners are stopped, the others
 * continue without. */
#ifndef LBIO_TOKEN_H
#define LBIO_TOKEN_H

#include <stdint.h>

#include "lbio/options.h"
#include "lbio/token-client.h"

/* Where tokens come from. */
struct lbio_token_source {
    enum { LBIO_NO_TOKENS, LBIO_FILE, LBIO_SERVER } kind;
    const char *path; /* of the file */
    int64_t tokens;   /* in the file */
    const struct lbio_token_place *place;
};

struct lbio_token {
    atomic_int fd; /* of the file; -1: not opened, or impossible */
    int which;     /* -1: none held */
    int has_failed;
    int64_t changed, since, renewed; /* last time any process took or renewed a token: the file's clock, and ours */
    struct lbio_token_client client;
};

#define LBIO_NO_TOKEN                                                                                                  \
    {                                                                                                                  \
        -1, -1, 0, 0, 0, 0, LBIO_NO_CLIENT                                                                             \
    }

/* The source that the options name. Until lbio__token_set_rank_server a server of rank 0 is none. */
struct lbio_token_source lbio__token_source(const struct lbio_options *o);

/* After MPI_Init. */
void lbio__token_set_rank_server(const struct lbio_token_place *place);

int lbio__token_is_held(const struct lbio_token *t);

/* `bytes`: written while it was held. */
void lbio__token_release(struct lbio_token *t, int64_t bytes);

/* Shows, at most once a second, that this process makes progress. */
void lbio__token_renew(struct lbio_token *t);

/* In a child of fork: tokens stay the parent's. */
void lbio__token_forget(struct lbio_token *t);

/* Whether the descriptor is this token's. */
int lbio__token_owns(const struct lbio_token *t, int fd);

/* For replay: waits until it holds a token, there can be none, no owner has made progress for ten seconds, the server
 * has been silent for ten seconds in total, or the application holds one, which may be waiting for replay. `may_resolve`
 * as in token-client.h. 0: it goes on without a token that it should have. */
int lbio__token_hold(struct lbio_token *t, const struct lbio_token_source *from, int may_resolve);

/* For the application: waits for a token of the file at an absolute path, or of the server HOST:PORT. 0, or -1 and
 * errno. */
int lbio__token_acquire(const char *from, int tokens);
void lbio__token_keep(void); /* renews the lease of a server */
void lbio__token_give_back(void);
void lbio__token_forget_own(void); /* in a child of fork, like lbio__token_forget */
int lbio__token_owns_own(int fd);  /* like lbio__token_owns */

#endif

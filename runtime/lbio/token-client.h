/* token-client.h - gets tokens from a token server
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A server that is missing or silent costs a process ten seconds in total; from then on it goes on without tokens. It
 * asks again now and then, at growing intervals, without waiting for the answer. */
#ifndef LBIO_TOKEN_CLIENT_H
#define LBIO_TOKEN_CLIENT_H

#include "lbio/token-place.h"
#include "lbio/token-socket.h"

#define LBIO_ADDRESSES 6 /* of a server; the first ones are tried */

struct lbio_token_client {
    struct lbio_socket socket;
    enum { LBIO_APART, LBIO_CONNECTING, LBIO_GREETING, LBIO_READY, LBIO_QUEUED, LBIO_HOLDING } state;
    union lbio_address address[LBIO_ADDRESSES];
    int addresses, next;  /* next: to be tried */
    int is_lost;          /* goes on without */
    int64_t spent;        /* ns that it has cost */
    int64_t silent_since; /* 0: no answer is awaited */
    int64_t tried, asked; /* when connecting began; when STAT or KEEP were last sent */
    int64_t retry_at, retry_after;
    uint64_t grant;
    size_t size; /* of the line */
    char line[64];
};

#define LBIO_NO_CLIENT                                                                                                 \
    {                                                                                                                  \
        .socket = { -1, 0 }                                                                                            \
    }

/* Waits at most `ns` for a token. 1: held; 0: not yet, call it again; -1: it goes on without. `may_resolve`: in a thread
 * that may call functions of the C library that allocate memory, for names of hosts; in others only addresses work. */
int lbio__token_client_wait(struct lbio_token_client *c, const struct lbio_token_place *place, int64_t ns,
                            int may_resolve);

/* Shows, at most every few seconds, that this process makes progress. */
void lbio__token_client_keep(struct lbio_token_client *c);

/* Returns the token, after writing so many bytes. */
void lbio__token_client_release(struct lbio_token_client *c, int64_t bytes);

/* Ends the connection, and with it returns the token or leaves the queue. */
void lbio__token_client_end(struct lbio_token_client *c);

/* The same, and forgets what it knows of the server. */
void lbio__token_client_forget(struct lbio_token_client *c);

#endif

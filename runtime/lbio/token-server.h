/* token-server.h - who holds a token and who waits for one: a token server without its sockets
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers send lines, and are answered in lines:
 *
 *     HELLO [KEY] ID   must come first; KEY: if the server has one. ID is any text
 *     ACQ              asks for a token. Answer, as soon as it is this peer's turn: GRANT n; n is different each time
 *     REL n [BYTES]    returns it; BYTES: written meanwhile. Ignored if grant n is over
 *     KEEP             renews the lease of a token
 *     STAT             Answer: FREE WAITING GRANTED MOST, four numbers: tokens, peers, tokens, tokens
 *
 * Tokens are granted in the order of ACQ. A peer that disconnects returns its token and leaves the queue. One that holds
 * a token and is not heard of for LBIO_TOKEN_LEASE ns loses it. A peer that sends anything else is answered ERR and the
 * reason, and is disconnected, as is one that sends a line that is too long, does not say hello in time, or does not
 * read its answers. Peers are untrusted: all they can do is hold tokens. The cost of a line does not depend on their
 * number. Nothing here reads a clock: `now` is in ns. */
#ifndef LBIO_TOKEN_SERVER_H
#define LBIO_TOKEN_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "lbio/options.h"
#include "lbio/token-place.h"
#include "lbio/token-tuning.h"

#define LBIO_TOKEN_LEASE   INT64_C(60000000000)
#define LBIO_TOKEN_HELLO   INT64_C(10000000000) /* time to say hello */
#define LBIO_TOKEN_WINDOW  INT64_C(1000000000)  /* least duration of a window of measurement */
#define LBIO_TOKEN_LINE    128                  /* longest line, with its end */
#define LBIO_TOKEN_ANSWERS 512                  /* bytes of answers that a peer has not read yet */

struct lbio_token_peer {
    enum { LBIO_PEER_NONE, LBIO_PEER_NEW, LBIO_PEER_IDLE, LBIO_PEER_WAITING, LBIO_PEER_GRANTED } state;
    int before, behind; /* in the queue, or behind: in the list of unused ones */
    int is_over;        /* to be disconnected when it has been sent its answers */
    int64_t until;      /* of the lease, or for hello */
    uint64_t grant;
    size_t line_size, answers_size;
    char line[LBIO_TOKEN_LINE], answers[LBIO_TOKEN_ANSWERS];
};

struct lbio_token_server {
    struct lbio_token_peer *peer; /* `peers` of them */
    int peers, unused, first, last;
    int64_t waiting, granted;
    uint64_t grants; /* so far */
    char key[LBIO_TOKEN_KEY];
    struct lbio_tuning tuning; /* with the number of tokens */
    int is_auto;
    struct {
        int is_open; /* since it was, all tokens have been in use, and somebody has waited for the next */
        int64_t begun, bytes, grants;
        uint64_t last_old; /* grants up to this one are of before the last halving */
        int64_t old;       /* how many of them are not returned yet */
    } window;
};

/* Starts with a number of tokens, 1 to LBIO_TOKENS_MOST; is_auto: which tunes itself from there on. `key` may be "".
 * `peer`: room for `peers` at a time. */
void lbio__token_server_start(struct lbio_token_server *s, struct lbio_token_peer *peer, int peers, int64_t tokens,
                              int is_auto, const char *key);

/* A peer connects. Returns its index, or -1: there is no room. */
int lbio__token_server_connect(struct lbio_token_server *s, int64_t now);

/* The connection is closed. */
void lbio__token_server_disconnect(struct lbio_token_server *s, int peer, int64_t now);

/* Takes what a peer has sent; answers, to any peer, are appended to its `answers`. */
void lbio__token_server_take(struct lbio_token_server *s, int peer, const char *bytes, size_t n, int64_t now);

/* Ends leases. Call it about once a second. */
void lbio__token_server_expire(struct lbio_token_server *s, int64_t now);

#endif

/* token-service.h - a token server with its sockets
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread serves all connections, and none of them can block it. Those that it has no room for are answered ERR and
 * closed; all others cost a fixed amount of memory. */
#ifndef LBIO_TOKEN_SERVICE_H
#define LBIO_TOKEN_SERVICE_H

#include <signal.h>

#include "base/kernel.h"
#include "lbio/token-server.h"
#include "lbio/token-socket.h"

struct lbio_token_service {
    struct lbio_token_server server;
    struct lbio_socket listener;
    struct lbio_connection {
        struct lbio_socket socket;
        int64_t stuck_since; /* has not read its answers; 0: it has */
    } * connection;          /* of each peer */
    struct pollfd *poll;     /* the listener's, then those of connections */
    int *polled;             /* their indices */
    int peers, top;          /* top: no connection with this index or a higher one */
    int is_guest;            /* in an application's process */
    int64_t rests_until;     /* does not accept connections before: there were no descriptors */
};

/* `listener`: from lbio__socket_listen; the service owns it from here on. 0: no memory. */
int lbio__token_service_start(struct lbio_token_service *s, int listener, int is_guest, int peers, int64_t tokens,
                              int is_auto, const char *key);

/* Serves until *ends. `mask`: the thread's signal mask while it waits; NULL: unchanged. */
void lbio__token_service_run(struct lbio_token_service *s, const struct dsn_signal_set *mask,
                             const volatile sig_atomic_t *ends);

/* Whether the descriptor is one of the service's. May be called by any thread. */
int lbio__token_service_owns(const struct lbio_token_service *s, int fd);

/* Closes everything: in a child of fork, which would keep connections of its dead parent alive; or at the end. */
void lbio__token_service_close(struct lbio_token_service *s);

#endif

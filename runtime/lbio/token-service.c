/* token-service.c - a token server with its sockets
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-service.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"

#define SECOND        INT64_C(1000000000)
#define STUCK         (10 * SECOND)
#define MOST_AT_ONCE  64   /* connections accepted, before the others are served */
#define BYTES_AT_ONCE 1024 /* received from one connection, before the others are served */

int lbio__token_service_start(struct lbio_token_service *s, int listener, int is_guest, int peers, int64_t tokens,
                              int is_auto, const char *key)
{
    const size_t n = (size_t)peers;
    struct lbio_token_peer *peer = dsn__pages(n * sizeof *peer);

    memset(s, 0, sizeof *s);
    s->connection = dsn__pages(n * sizeof *s->connection);
    s->poll = dsn__pages((n + 1) * sizeof *s->poll);
    s->polled = dsn__pages((n + 1) * sizeof *s->polled);
    if (!peer || !s->connection || !s->poll || !s->polled) {
        dsn__pages_free(peer);
        dsn__pages_free(s->connection);
        dsn__pages_free(s->poll);
        dsn__pages_free(s->polled);
        dsn__sys_close(listener);
        return 0;
    }
    for (int i = 0; i < peers; i++)
        s->connection[i].socket.fd = -1;
    s->peers = peers;
    s->is_guest = is_guest;
    lbio__socket_keep(&s->listener, listener, is_guest);
    lbio__token_server_start(&s->server, peer, peers, tokens, is_auto, key);
    return 1;
}

static void end_connection(struct lbio_token_service *s, int i, int64_t now)
{
    lbio__socket_close(&s->connection[i].socket);
    lbio__token_server_disconnect(&s->server, i, now);
    while (s->top > 0 && s->connection[s->top - 1].socket.fd < 0)
        s->top--;
}

static void turn_away(int fd)
{
    static const char answer[] = "ERR too many connections\n";

    dsn__syscall(SYS_sendto, fd, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
    dsn__sys_close(fd);
}

static void accept_some(struct lbio_token_service *s, int64_t now)
{
    if (!lbio__socket_is_own(&s->listener)) {
        s->listener.fd = -1; /* closed by the application: those who are connected are still served */
        return;
    }
    for (int n = 0; n < MOST_AT_ONCE; n++) {
        const int fd = lbio__socket_accept(&s->listener);
        int i;

        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                s->rests_until = now + SECOND;
            return;
        }
        i = lbio__token_server_connect(&s->server, now);
        if (i < 0) {
            turn_away(fd);
            continue;
        }
        s->connection[i].stuck_since = 0;
        lbio__socket_keep(&s->connection[i].socket, fd, s->is_guest);
        if (s->top <= i)
            s->top = i + 1;
    }
}

static void receive(struct lbio_token_service *s, int i, int64_t now)
{
    char bytes[BYTES_AT_ONCE];
    const ssize_t n = lbio__socket_receive(&s->connection[i].socket, bytes, sizeof bytes);

    if (n < 0)
        end_connection(s, i, now);
    else
        lbio__token_server_take(&s->server, i, bytes, (size_t)n, now);
}

/* Sends what can be sent, and ends connections that are over. */
static void send_answers(struct lbio_token_service *s, int i, int64_t now)
{
    struct lbio_token_peer *p = &s->server.peer[i];
    struct lbio_connection *c = &s->connection[i];
    ssize_t n;

    if (c->socket.fd < 0 || (p->answers_size == 0 && !p->is_over))
        return;
    n = lbio__socket_send(&c->socket, p->answers, p->answers_size);
    if (n < 0 || p->is_over) {
        end_connection(s, i, now);
        return;
    }
    p->answers_size -= (size_t)n;
    memmove(p->answers, p->answers + n, p->answers_size);
    if (p->answers_size == 0)
        c->stuck_since = 0;
    else if (c->stuck_since == 0)
        c->stuck_since = now;
    else if (now - c->stuck_since > STUCK)
        end_connection(s, i, now);
}

/* A peer that does not read its answers is not listened to. Returns the number of descriptors. */
static int fill(struct lbio_token_service *s, int64_t now)
{
    int n = 1;

    s->poll[0] = (struct pollfd){ now < s->rests_until ? -1 : s->listener.fd, POLLIN, 0 };
    for (int i = 0; i < s->top; i++) {
        const int fd = s->connection[i].socket.fd;

        if (fd < 0)
            continue;
        s->poll[n] = (struct pollfd){ fd, s->server.peer[i].answers_size > 0 ? POLLOUT : POLLIN, 0 };
        s->polled[n++] = i;
    }
    return n;
}

void lbio__token_service_run(struct lbio_token_service *s, const struct dsn_signal_set *mask,
                             const volatile sig_atomic_t *ends)
{
    int64_t now = dsn__now(), checked = now;

    while (!*ends) {
        const int n = fill(s, now);
        struct timespec most = { 1, 0 };
        const int ready = (int)dsn__syscall(SYS_ppoll, s->poll, n, &most, mask, sizeof(struct dsn_signal_set));

        now = dsn__now();
        for (int k = 1; k < n && ready > 0; k++)
            if (s->poll[k].revents & ~POLLOUT)
                receive(s, s->polled[k], now);
        if (ready > 0 && s->poll[0].revents)
            accept_some(s, now);
        if (now - checked > SECOND) {
            lbio__token_server_expire(&s->server, now);
            checked = now;
        }
        for (int i = 0; i < s->top; i++)
            send_answers(s, i, now);
    }
}

int lbio__token_service_owns(const struct lbio_token_service *s, int fd)
{
    if (s->listener.fd == fd)
        return 1;
    for (int i = 0; i < s->peers; i++)
        if (s->connection[i].socket.fd == fd)
            return 1;
    return 0;
}

void lbio__token_service_close(struct lbio_token_service *s)
{
    lbio__socket_close(&s->listener);
    for (int i = 0; i < s->peers; i++)
        lbio__socket_close(&s->connection[i].socket);
}

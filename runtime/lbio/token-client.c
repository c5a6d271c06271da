/* token-client.c - gets tokens from a token server
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/text.h"
#include "lbio/token-server.h"

#define SECOND      INT64_C(1000000000)
#define PATIENCE    (10 * SECOND) /* in total */
#define GRACE       (3 * SECOND)  /* silence of a server that works; and all that one that was lost may cost again */
#define ASK_EVERY   (2 * SECOND)
#define KEEP_EVERY  (5 * SECOND)
#define TRY         (2 * SECOND) /* to connect to an address */
#define PAUSE       (SECOND / 5) /* before trying all of them again */
#define FIRST_RETRY (30 * SECOND)
#define LAST_RETRY  (3600 * SECOND)

/* ------------------------------------------------------------------ addresses */

static void set_port(union lbio_address *a, int port)
{
    if (a->any.sa_family == AF_INET6)
        a->v6.sin6_port = htons((uint16_t)port);
    else
        a->v4.sin_port = htons((uint16_t)port);
}

/* 0: it is a name */
static int read_address(union lbio_address *a, const char *host)
{
    memset(a, 0, sizeof *a);
    if (inet_pton(AF_INET, host, &a->v4.sin_addr) == 1)
        a->any.sa_family = AF_INET;
    else if (inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1)
        a->any.sa_family = AF_INET6;
    return a->any.sa_family != 0;
}

static void resolve(struct lbio_token_client *c, const char *host, int port)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found;

    if (getaddrinfo(host, NULL, &wanted, &found) != 0)
        return;
    for (const struct addrinfo *at = found; at && c->addresses < LBIO_ADDRESSES; at = at->ai_next)
        if (at->ai_addrlen <= sizeof c->address[0] && (at->ai_family == AF_INET || at->ai_family == AF_INET6)) {
            memcpy(&c->address[c->addresses], at->ai_addr, at->ai_addrlen);
            set_port(&c->address[c->addresses++], port);
        }
    freeaddrinfo(found);
}

static void find_addresses(struct lbio_token_client *c, const struct lbio_token_place *place, int may_resolve)
{
    char host[LBIO_PLACE_TEXT];

    c->next = 0;
    for (const char *at = place->text; *at && c->addresses < LBIO_ADDRESSES;) {
        const size_t n = strcspn(at, " ");
        const int port = lbio__token_place_read(at, n, host, sizeof host);

        if (port > 0 && read_address(&c->address[c->addresses], host))
            set_port(&c->address[c->addresses++], port);
        else if (port > 0 && may_resolve)
            resolve(c, host, port);
        at += n + (at[n] == ' ');
    }
}

/* ------------------------------------------------------------------ the connection */

void lbio__token_client_end(struct lbio_token_client *c)
{
    lbio__socket_close(&c->socket);
    c->state = LBIO_APART;
    c->size = 0;
    c->silent_since = 0;
}

/* Not by assigning all of it: another thread may ask whose the descriptor is. */
void lbio__token_client_forget(struct lbio_token_client *c)
{
    lbio__token_client_end(c);
    c->addresses = c->next = c->is_lost = 0;
    c->spent = c->tried = c->asked = c->retry_at = c->retry_after = 0;
}

/* The connection has failed, or the server has ended it. It may come back, until that takes too long. */
static void disconnect(struct lbio_token_client *c)
{
    const int64_t since = c->silent_since;

    lbio__token_client_end(c);
    c->silent_since = since;
}

static void give_up(struct lbio_token_client *c, const struct lbio_token_place *place)
{
    const int64_t now = dsn__now();

    c->retry_after = c->retry_after == 0 ? FIRST_RETRY : 2 * c->retry_after;
    if (c->retry_after > LAST_RETRY)
        c->retry_after = LAST_RETRY;
    c->retry_at = place->is_rank ? INT64_MAX : now + c->retry_after;
    c->spent = PATIENCE;
    c->is_lost = 1;
    c->addresses = c->next = 0; /* it may have moved */
    lbio__token_client_end(c);
}

static int say(struct lbio_token_client *c, const char *line)
{
    const size_t n = strlen(line);

    if (lbio__socket_send(&c->socket, line, n) == (ssize_t)n)
        return 1;
    disconnect(c);
    return 0;
}

/* Tries the addresses one after another, and after a pause once more. */
static void connect_next(struct lbio_token_client *c, const struct lbio_token_place *place, int64_t ns, int may_resolve)
{
    const struct timespec pause = { 0, ns < PAUSE ? ns : PAUSE };
    const int64_t now = dsn__now();
    int fd;

    if (c->next >= c->addresses && now - c->tried < PAUSE) {
        dsn__syscall(SYS_nanosleep, &pause, NULL);
        return;
    }
    c->tried = now;
    if (c->addresses == 0)
        find_addresses(c, place, may_resolve);
    if (c->next >= c->addresses)
        c->next = 0;
    fd = c->addresses > 0 ? lbio__socket_connect(&c->address[c->next++]) : -1;
    if (fd < 0)
        return;
    lbio__socket_keep(&c->socket, fd, 1);
    c->state = LBIO_CONNECTING;
}

static void greet(struct lbio_token_client *c, const struct lbio_token_place *place)
{
    const char *key = place->is_rank ? place->key : lbio__token_secret();
    struct utsname u;
    char line[LBIO_TOKEN_LINE];

    if (uname(&u) != 0)
        u.nodename[0] = '\0';
    dsn__format(line, sizeof line, "HELLO %s%s%.40s.%d\nSTAT\n", key, key[0] ? " " : "", u.nodename,
                (int)dsn__sys_getpid());
    c->asked = dsn__now();
    if (say(c, line))
        c->state = LBIO_GREETING;
}

static void await_connection(struct lbio_token_client *c, const struct lbio_token_place *place, int64_t ns)
{
    if (lbio__socket_wait(&c->socket, POLLOUT, c->is_lost ? 0 : ns)) {
        if (lbio__socket_error(&c->socket) == 0)
            greet(c, place);
        else
            disconnect(c);
    } else if (!c->is_lost && dsn__now() - c->tried > TRY) {
        disconnect(c);
    }
}

/* ------------------------------------------------------------------ answers */

/* A server that was lost, and answers again, is used again; but a second silence may not cost as much. */
static void note_life(struct lbio_token_client *c)
{
    const int64_t now = dsn__now();

    if (c->is_lost)
        c->spent = PATIENCE - GRACE;
    else if (c->silent_since && now - c->silent_since > GRACE)
        c->spent += now - c->silent_since;
    c->is_lost = 0;
    c->silent_since = now;
    c->next = 0;
}

/* Anything but an answer that is expected is a refusal, or comes from something else than a token server: it does not
 * count as a sign of life, so that waiting for it has an end. */
static void obey(struct lbio_token_client *c, const char *line)
{
    const int is_status = line[0] >= '0' && line[0] <= '9';
    int64_t n;

    if (c->state == LBIO_QUEUED && dsn__begins_with(line, "GRANT ") && dsn__number(line + 6, &n)) {
        c->state = LBIO_HOLDING;
        c->grant = (uint64_t)n;
    } else if (!is_status) {
        disconnect(c);
        return;
    } else if (c->state == LBIO_GREETING) {
        c->state = LBIO_READY;
    }
    note_life(c);
}

/* Nothing else is sent behind a grant, so the rest of the bytes may be left. */
static void listen_to(struct lbio_token_client *c)
{
    char bytes[256];
    const ssize_t n = lbio__socket_receive(&c->socket, bytes, sizeof bytes);

    if (n < 0)
        disconnect(c);
    for (ssize_t i = 0; i < n && c->state != LBIO_APART; i++) {
        if (bytes[i] != '\n' && c->size < sizeof c->line - 1) {
            c->line[c->size++] = bytes[i];
        } else if (bytes[i] != '\n') {
            disconnect(c); /* not a token server */
        } else {
            c->line[c->size] = '\0';
            c->size = 0;
            obey(c, c->line);
        }
    }
}

static void await_answer(struct lbio_token_client *c, int64_t ns)
{
    if (lbio__socket_wait(&c->socket, POLLIN, c->is_lost ? 0 : ns)) {
        listen_to(c);
    } else if (dsn__now() - c->asked > ASK_EVERY) {
        c->asked = dsn__now();
        say(c, "STAT\n");
    }
}

/* ------------------------------------------------------------------ tokens */

static void step(struct lbio_token_client *c, const struct lbio_token_place *place, int64_t ns, int may_resolve)
{
    switch (c->state) {
    case LBIO_APART:
        connect_next(c, place, ns, may_resolve);
        break;
    case LBIO_CONNECTING:
        await_connection(c, place, ns);
        break;
    case LBIO_READY:
        c->asked = dsn__now();
        if (say(c, "ACQ\n"))
            c->state = LBIO_QUEUED;
        break;
    case LBIO_GREETING:
    case LBIO_QUEUED:
        await_answer(c, ns);
        break;
    case LBIO_HOLDING:
        break;
    }
}

/* Not to be waited for any more. */
static int is_to_be_left(const struct lbio_token_client *c, const struct lbio_token_place *place)
{
    if (c->state == LBIO_APART && c->next >= c->addresses && (c->is_lost || place->is_rank))
        return 1;
    return !c->is_lost && dsn__now() - c->silent_since > PATIENCE - c->spent;
}

int lbio__token_client_wait(struct lbio_token_client *c, const struct lbio_token_place *place, int64_t ns,
                            int may_resolve)
{
    if (c->is_lost && c->state == LBIO_APART && dsn__now() < c->retry_at)
        return -1;
    if (c->silent_since == 0)
        c->silent_since = dsn__now();
    step(c, place, ns, may_resolve);
    if (c->state == LBIO_HOLDING) {
        c->silent_since = 0;
        c->asked = dsn__now();
        return 1;
    }
    if (is_to_be_left(c, place))
        give_up(c, place);
    return c->is_lost ? -1 : 0;
}

void lbio__token_client_keep(struct lbio_token_client *c)
{
    const int64_t now = dsn__now();

    if (c->state != LBIO_HOLDING || now - c->asked < KEEP_EVERY)
        return;
    c->asked = now;
    lbio__socket_send(&c->socket, "KEEP\n", 5); /* what is lost is noticed when the token is returned */
}

void lbio__token_client_release(struct lbio_token_client *c, int64_t bytes)
{
    char line[64];

    if (c->state != LBIO_HOLDING)
        return;
    dsn__format(line, sizeof line, "REL %llu %lld\n", (unsigned long long)c->grant, (long long)bytes);
    c->state = LBIO_READY;
    say(c, line);
}

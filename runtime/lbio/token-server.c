/* token-server.c - who holds a token and who waits for one: a token server without its sockets
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-server.h"

#include <string.h>

#include "base/text.h"

#define NOBODY   (-1)
#define MOST_REL (INT64_C(1) << 50) /* bytes of a grant: a peer may say anything */

void lbio__token_server_start(struct lbio_token_server *s, struct lbio_token_peer *peer, int peers, int64_t tokens,
                              int is_auto, const char *key)
{
    memset(s, 0, sizeof *s);
    s->peer = peer;
    s->peers = peers;
    s->unused = s->first = s->last = NOBODY;
    s->tuning.tokens = tokens;
    s->is_auto = is_auto;
    dsn__format(s->key, sizeof s->key, "%s", key);
    for (int i = peers - 1; i >= 0; i--) {
        peer[i].state = LBIO_PEER_NONE;
        peer[i].behind = s->unused;
        s->unused = i;
    }
}

/* ------------------------------------------------------------------ answers */

static void answer(struct lbio_token_peer *p, const char *line)
{
    const size_t n = strlen(line);

    if (n > sizeof p->answers - p->answers_size) {
        p->is_over = 1;
        return;
    }
    memcpy(p->answers + p->answers_size, line, n);
    p->answers_size += n;
}

static void refuse(struct lbio_token_peer *p, const char *why)
{
    char line[80];

    dsn__format(line, sizeof line, "ERR %s\n", why);
    answer(p, line);
    p->is_over = 1;
}

/* ------------------------------------------------------------------ the queue */

static void append(struct lbio_token_server *s, int i)
{
    s->peer[i].state = LBIO_PEER_WAITING;
    s->peer[i].before = s->last;
    s->peer[i].behind = NOBODY;
    if (s->last != NOBODY)
        s->peer[s->last].behind = i;
    else
        s->first = i;
    s->last = i;
    s->waiting++;
}

static void leave_queue(struct lbio_token_server *s, int i)
{
    const struct lbio_token_peer *p = &s->peer[i];

    if (p->before != NOBODY)
        s->peer[p->before].behind = p->behind;
    else
        s->first = p->behind;
    if (p->behind != NOBODY)
        s->peer[p->behind].before = p->before;
    else
        s->last = p->before;
    s->peer[i].state = LBIO_PEER_IDLE;
    s->waiting--;
}

static void grant(struct lbio_token_server *s, int i, int64_t now)
{
    struct lbio_token_peer *p = &s->peer[i];
    char line[40];

    leave_queue(s, i);
    p->state = LBIO_PEER_GRANTED;
    p->until = now + LBIO_TOKEN_LEASE;
    p->grant = ++s->grants;
    s->granted++;
    dsn__format(line, sizeof line, "GRANT %llu\n", (unsigned long long)p->grant);
    answer(p, line);
}

/* Grants what is free. A token that nobody waits for ends the window: more tokens would not be used. */
static void grant_free(struct lbio_token_server *s, int64_t now)
{
    while (s->granted < s->tuning.tokens && s->first != NOBODY)
        grant(s, s->first, now);
    if (s->granted < s->tuning.tokens)
        s->window.is_open = 0;
}

/* ------------------------------------------------------------------ the number of tokens */

static void open_window(struct lbio_token_server *s, int64_t now)
{
    s->window.is_open = s->is_auto && s->window.old == 0;
    s->window.begun = now;
    s->window.bytes = s->window.grants = 0;
}

/* A grant counts where it is returned, whenever it was granted. That is right as long as the number of tokens is about
 * the same; after a halving, grants of before would be too many for the window. */
static void measure(struct lbio_token_server *s, int64_t bytes, int64_t now)
{
    const int64_t tokens = s->tuning.tokens, elapsed = now - s->window.begun;

    if (!s->window.is_open)
        return;
    s->window.bytes += bytes;
    s->window.grants++;
    if (elapsed < LBIO_TOKEN_WINDOW || s->window.grants < tokens || s->window.bytes == 0)
        return;
    lbio__tuning_step(&s->tuning, (double)s->window.bytes / (double)elapsed, LBIO_TOKENS_MOST);
    if (s->tuning.tokens < tokens) {
        s->window.last_old = s->grants;
        s->window.old = s->granted;
    }
    open_window(s, now);
}

static void take_back(struct lbio_token_server *s, struct lbio_token_peer *p, int64_t now)
{
    p->state = LBIO_PEER_IDLE;
    s->granted--;
    if (s->window.old > 0 && p->grant <= s->window.last_old && --s->window.old == 0)
        open_window(s, now);
    grant_free(s, now);
}

/* ------------------------------------------------------------------ lines */

/* The rest of the line behind the command, or NULL: it is another one. */
static const char *after(const char *line, const char *command)
{
    if (!dsn__begins_with(line, command))
        return NULL;
    line += strlen(command);
    return *line == ' ' ? line + 1 : *line ? NULL : line;
}

static void hello(const struct lbio_token_server *s, struct lbio_token_peer *p, const char *id)
{
    if (p->state != LBIO_PEER_NEW)
        refuse(p, "HELLO comes once");
    else if (s->key[0] && !after(id, s->key))
        refuse(p, "wrong key");
    else
        p->state = LBIO_PEER_IDLE;
}

static void acquire(struct lbio_token_server *s, int i, int64_t now)
{
    if (s->peer[i].state != LBIO_PEER_IDLE) {
        refuse(&s->peer[i], "ACQ comes once for each token");
        return;
    }
    append(s, i);
    grant_free(s, now);
    if (s->first != NOBODY && !s->window.is_open)
        open_window(s, now);
}

static void release(struct lbio_token_server *s, struct lbio_token_peer *p, const char *text, int64_t now)
{
    int64_t which, bytes = 0;
    const char *rest = dsn__number(text, &which);

    if (rest && *rest)
        rest = dsn__number(rest, &bytes);
    if (!rest || *rest || bytes < 0) {
        refuse(p, "REL needs the number of the grant");
        return;
    }
    if (p->state != LBIO_PEER_GRANTED || (uint64_t)which != p->grant)
        return; /* the lease has ended */
    measure(s, bytes < MOST_REL ? bytes : MOST_REL, now);
    take_back(s, p, now);
}

static void tell(const struct lbio_token_server *s, struct lbio_token_peer *p)
{
    const int64_t most = s->tuning.tokens;
    char line[100];

    dsn__format(line, sizeof line, "%lld %lld %lld %lld\n",
                (long long)(s->granted < most ? most - s->granted : INT64_C(0)), (long long)s->waiting,
                (long long)s->granted, (long long)most);
    answer(p, line);
}

static void perform(struct lbio_token_server *s, int i, const char *line, int64_t now)
{
    struct lbio_token_peer *p = &s->peer[i];
    const char *text;

    if ((text = after(line, "HELLO")))
        hello(s, p, text);
    else if (p->state == LBIO_PEER_NEW)
        refuse(p, "HELLO must come first");
    else if (strcmp(line, "ACQ") == 0)
        acquire(s, i, now);
    else if ((text = after(line, "REL")))
        release(s, p, text, now);
    else if (strcmp(line, "STAT") == 0)
        tell(s, p);
    else if (strcmp(line, "KEEP") != 0)
        refuse(p, "unknown command");
    if (p->state == LBIO_PEER_GRANTED)
        p->until = now + LBIO_TOKEN_LEASE;
}

/* ------------------------------------------------------------------ peers */

int lbio__token_server_connect(struct lbio_token_server *s, int64_t now)
{
    const int i = s->unused;
    struct lbio_token_peer *p;

    if (i == NOBODY)
        return -1;
    p = &s->peer[i];
    s->unused = p->behind;
    p->state = LBIO_PEER_NEW;
    p->is_over = 0;
    p->line_size = p->answers_size = 0;
    p->until = now + LBIO_TOKEN_HELLO;
    return i;
}

static void let_go(struct lbio_token_server *s, int i, int64_t now)
{
    struct lbio_token_peer *p = &s->peer[i];

    if (p->state == LBIO_PEER_WAITING)
        leave_queue(s, i);
    else if (p->state == LBIO_PEER_GRANTED)
        take_back(s, p, now);
}

void lbio__token_server_disconnect(struct lbio_token_server *s, int i, int64_t now)
{
    let_go(s, i, now);
    s->peer[i].state = LBIO_PEER_NONE;
    s->peer[i].behind = s->unused;
    s->unused = i;
}

void lbio__token_server_take(struct lbio_token_server *s, int i, const char *bytes, size_t n, int64_t now)
{
    struct lbio_token_peer *p = &s->peer[i];

    for (size_t k = 0; k < n && !p->is_over; k++) {
        if (p->line_size == sizeof p->line) {
            refuse(p, "the line is too long");
        } else if (bytes[k] != '\n') {
            p->line[p->line_size++] = bytes[k];
        } else {
            p->line_size -= p->line_size > 0 && p->line[p->line_size - 1] == '\r';
            p->line[p->line_size] = '\0'; /* there is room: the loop refuses a full line before its end */
            p->line_size = 0;
            perform(s, i, p->line, now);
        }
    }
    if (p->is_over)
        let_go(s, i, now);
}

void lbio__token_server_expire(struct lbio_token_server *s, int64_t now)
{
    for (int i = 0; i < s->peers; i++) {
        struct lbio_token_peer *p = &s->peer[i];

        if (p->state == LBIO_PEER_NEW && now >= p->until && !p->is_over)
            refuse(p, "HELLO came too late");
        else if (p->state == LBIO_PEER_GRANTED && now >= p->until)
            take_back(s, p, now);
    }
}

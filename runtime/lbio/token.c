/* token.c - limits the number of processes that write to the shared file system at once
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/interrupt.h"

#define FIRST_PAUSE INT64_C(1000000) /* ns */
#define MOST_PAUSE  INT64_C(32000000)
#define RENEWAL     INT64_C(1000000000)
#define PATIENCE    INT64_C(10000000000)

#define STEP INT64_C(50000000)

/* ------------------------------------------------------------------ sources */

static struct lbio_token_place rank_server; /* set once, after MPI_Init */
static atomic_int has_rank_server;

void lbio__token_set_rank_server(const struct lbio_token_place *place)
{
    rank_server = *place;
    has_rank_server = 1;
}

struct lbio_token_source lbio__token_source(const struct lbio_options *o)
{
    struct lbio_token_source from = { .kind = LBIO_NO_TOKENS, .path = o->slots, .tokens = o->tokens.number };

    if (o->tokens.kind == LBIO_TOKENS_SERVER) {
        from.kind = LBIO_SERVER;
        from.place = &o->tokens.place;
    } else if (lbio__options_want_rank_server(o)) {
        from.kind = has_rank_server ? LBIO_SERVER : LBIO_NO_TOKENS;
        from.place = &rank_server;
    } else if (o->slots[0] == '/' && o->tokens.kind != LBIO_TOKENS_OFF) {
        from.kind = LBIO_FILE;
    }
    return from;
}

/* ------------------------------------------------------------------ bytes of a file */

static int set_lock(int fd, int which, short type)
{
    struct flock one = { .l_type = type, .l_whence = SEEK_SET, .l_start = which, .l_len = 1 };
    int ret;

    do
        ret = dsn__sys_lock(fd, F_OFD_SETLK, &one);
    while (ret != 0 && errno == EINTR);
    return ret;
}

/* At a descriptor number that the application neither closes nor gets. */
static int open_once(struct lbio_token *t, const char *path)
{
    int fd;

    if (t->fd >= 0 || t->has_failed)
        return t->has_failed ? -1 : 0;
    fd = lbio__open_shared(path, O_RDWR | O_CREAT, 0);
    if (fd >= 0)
        t->fd = lbio__out_of_the_way(fd);
    t->has_failed = fd < 0;
    return fd >= 0 ? 0 : -1;
}

void lbio__token_renew(struct lbio_token *t)
{
    const int64_t now = dsn__now();

    lbio__token_client_keep(&t->client);
    if (t->which < 0 || (t->renewed && now - t->renewed < RENEWAL))
        return;
    t->renewed = now;
    dsn__syscall(SYS_utimensat, t->fd, NULL, NULL, 0);
}

/* Tries to get one of `tokens` tokens of the file, creating it if necessary. 1: held; 0: none is free; -1: impossible,
 * errno. Each process starts at a different byte, so that few try one that is held. */
static int try_file(struct lbio_token *t, const char *path, int64_t tokens)
{
    const int first = (int)((int64_t)dsn__sys_getpid() % tokens);

    if (t->which >= 0)
        return 1;
    if (open_once(t, path) != 0)
        return -1;
    for (int i = 0; i < tokens; i++) {
        const int which = (first + i) % (int)tokens;

        if (set_lock(t->fd, which, F_WRLCK) == 0) {
            t->which = which;
            t->renewed = 0;
            lbio__token_renew(t);
            return 1;
        }
        if (errno != EAGAIN && errno != EACCES) {
            t->has_failed = 1;
            return -1;
        }
    }
    return 0;
}

static int64_t rest(int64_t pause)
{
    const struct timespec time = { 0, pause };

    dsn__syscall(SYS_nanosleep, &time, NULL);
    return pause < MOST_PAUSE ? 2 * pause : pause;
}

/* Whether any process with a token seems to have made progress recently. */
static int are_at_work(struct lbio_token *t)
{
    struct stat st;
    int64_t changed;

    if (dsn__sys_fstat(t->fd, &st) != 0)
        return 0;
    changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    if (changed != t->changed || !t->since) {
        t->changed = changed;
        t->since = dsn__now();
    }
    return dsn__now() - t->since < PATIENCE;
}

static atomic_int is_the_applications; /* the application holds a token */

static int hold_byte(struct lbio_token *t, const struct lbio_token_source *from)
{
    int64_t pause = FIRST_PAUSE;
    int ret = 0;

    while (!is_the_applications && (ret = try_file(t, from->path, from->tokens)) == 0 && are_at_work(t)) {
        lbio__signals_obey();
        pause = rest(pause);
    }
    return ret > 0 || is_the_applications;
}

/* ------------------------------------------------------------------ both */

int lbio__token_is_held(const struct lbio_token *t)
{
    return t->which >= 0 || t->client.state == LBIO_HOLDING;
}

void lbio__token_release(struct lbio_token *t, int64_t bytes)
{
    if (t->which >= 0)
        set_lock(t->fd, t->which, F_UNLCK);
    t->which = -1;
    lbio__token_client_release(&t->client, bytes);
}

void lbio__token_forget(struct lbio_token *t)
{
    if (t->fd >= 0)
        dsn__sys_close(t->fd);
    t->fd = t->which = -1;
    t->has_failed = 0;
    t->changed = t->since = t->renewed = 0;
    lbio__token_client_forget(&t->client);
}

int lbio__token_owns(const struct lbio_token *t, int fd)
{
    return t->fd == fd || t->client.socket.fd == fd;
}

static int hold_from_server(struct lbio_token *t, const struct lbio_token_source *from, int may_resolve)
{
    int ret = 0;

    while (!is_the_applications && (ret = lbio__token_client_wait(&t->client, from->place, STEP, may_resolve)) == 0)
        lbio__signals_obey();
    if (is_the_applications && ret <= 0)
        lbio__token_client_end(&t->client); /* it must not be granted one unawares */
    return ret > 0 || is_the_applications;
}

int lbio__token_hold(struct lbio_token *t, const struct lbio_token_source *from, int may_resolve)
{
    if (from->kind == LBIO_FILE)
        return hold_byte(t, from);
    if (from->kind == LBIO_SERVER)
        return hold_from_server(t, from, may_resolve);
    return 1;
}

/* ------------------------------------------------------------------ the application's token */

static struct lbio_token own = LBIO_NO_TOKEN; /* protected by the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int try_own(const char *path, int tokens, const struct lbio_token_place *place)
{
    int ret;

    pthread_mutex_lock(&lock);
    if (lbio__token_is_held(&own)) {
        errno = EBUSY;
        ret = -1;
    } else {
        ret = path ? try_file(&own, path, tokens) : lbio__token_client_wait(&own.client, place, STEP, 1);
        is_the_applications = ret > 0;
        if (ret < 0 || (ret == 0 && path)) {
            const int error = path ? errno : ETIMEDOUT;

            lbio__token_forget(&own);
            errno = error;
        }
    }
    pthread_mutex_unlock(&lock);
    return ret;
}

int lbio__token_acquire(const char *from, int tokens)
{
    const char *path = from[0] == '/' ? from : NULL;
    struct lbio_token_place place = { .is_rank = 0 };
    int64_t pause = FIRST_PAUSE;
    int ret;

    if (!path && lbio__token_place_read(from, strlen(from), NULL, 0) < 0) {
        errno = EINVAL;
        return -1;
    }
    dsn__format(place.text, sizeof place.text, "%s", from);
    while ((ret = try_own(path, tokens, &place)) == 0)
        if (path)
            pause = rest(pause);
    return ret > 0 ? 0 : -1;
}

void lbio__token_keep(void)
{
    pthread_mutex_lock(&lock);
    lbio__token_client_keep(&own.client);
    pthread_mutex_unlock(&lock);
}

void lbio__token_give_back(void)
{
    pthread_mutex_lock(&lock);
    is_the_applications = 0;
    lbio__token_release(&own, 0);
    lbio__token_forget(&own);
    pthread_mutex_unlock(&lock);
}

void lbio__token_forget_own(void)
{
    is_the_applications = 0;
    lbio__token_forget(&own);
}

int lbio__token_owns_own(int fd)
{
    return lbio__token_owns(&own, fd);
}

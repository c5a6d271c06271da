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

int lbio__token_hold(struct lbio_token *t, const char *path, int64_t tokens)
{
    int64_t pause = FIRST_PAUSE;
    int ret = 0;

    while (!is_the_applications && (ret = try_file(t, path, tokens)) == 0 && are_at_work(t)) {
        lbio__signals_obey();
        pause = rest(pause);
    }
    return ret > 0 || is_the_applications;
}

int lbio__token_is_held(const struct lbio_token *t)
{
    return t->which >= 0;
}

void lbio__token_release(struct lbio_token *t)
{
    if (t->which >= 0)
        set_lock(t->fd, t->which, F_UNLCK);
    t->which = -1;
}

void lbio__token_forget(struct lbio_token *t)
{
    if (t->fd >= 0)
        dsn__sys_close(t->fd);
    t->fd = t->which = -1;
    t->has_failed = 0;
    t->changed = t->since = t->renewed = 0;
}

int lbio__token_owns(const struct lbio_token *t, int fd)
{
    return t->fd == fd;
}

/* ------------------------------------------------------------------ the application's token */

static struct lbio_token own = LBIO_NO_TOKEN; /* protected by the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int try_own(const char *path, int tokens)
{
    int ret;

    pthread_mutex_lock(&lock);
    if (lbio__token_is_held(&own)) {
        errno = EBUSY;
        ret = -1;
    } else {
        ret = try_file(&own, path, tokens);
        is_the_applications = ret > 0;
        if (ret <= 0) {
            const int error = errno;

            lbio__token_forget(&own);
            errno = error;
        }
    }
    pthread_mutex_unlock(&lock);
    return ret;
}

int lbio__token_acquire(const char *path, int tokens)
{
    int64_t pause = FIRST_PAUSE;
    int ret;

    while ((ret = try_own(path, tokens)) == 0)
        pause = rest(pause);
    return ret > 0 ? 0 : -1;
}

void lbio__token_give_back(void)
{
    pthread_mutex_lock(&lock);
    is_the_applications = 0;
    lbio__token_release(&own);
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

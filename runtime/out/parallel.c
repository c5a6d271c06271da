/* parallel.c - collective writing, in a thread that can be left behind
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/gone.h"
#include "core/open-file.h"
#include "core/pages.h"

void dsn__parallel_pieces(struct dsn_parallel *p, const struct dsn_regions *r, const uint64_t *begins)
{
    p->n = 0;
    for (int part = 0; part < DSN_NPARTS; part++)
        if (r->of[part].packed > 0)
            p->piece[p->n++] = (struct dsn_piece){ r->of[part].bytes, r->of[part].packed, begins[part] };
}

/* Bytes as they stand in the file, in `room`; those that are not what they should be are written. 0: that cannot be. */
static int mend(int fd, const char *bytes, size_t size, uint64_t place, char *room)
{
    ssize_t n = pread(fd, room, size, (off_t)place);

    if (n == (ssize_t)size && memcmp(room, bytes, size) == 0)
        return 1;
    for (size_t done = 0; done < size; done += (size_t)n) {
        n = dsn__write_at(fd, bytes + done, size - done, (off_t)(place + done));
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return 0;
    }
    return dsn__sync_file(fd) == 0;
}

/* Whether all of this rank's pieces are in the file, now at least. */
static int check(const struct dsn_parallel *p)
{
    const size_t most = 1 << 20;
    const int fd = p->n > 0 ? open(p->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
    char *room = fd >= 0 ? dsn__pages(most) : NULL;
    int ok = room != NULL;

    for (size_t i = 0; i < p->n && ok; i++)
        for (size_t at = 0, n; at < p->piece[i].size && ok; at += n) {
            n = p->piece[i].size - at < most ? p->piece[i].size - at : most;
            ok = mend(fd, (const char *)p->piece[i].bytes + at, n, p->piece[i].place + at, room);
        }
    dsn__pages_free(room);
    if (fd >= 0)
        close(fd);
    return ok || p->n == 0;
}

static void *write_all(void *context)
{
    struct dsn_parallel *p = context;

    p->result = p->mpi->write_all(p->path, p->hints, p->every, p->piece, p->n);
    if (p->result == 0 && !check(p))
        p->result = -1;
    atomic_store(&p->is_done, 1);
    return NULL;
}

/* Signals are the application's threads' business. */
static int start(pthread_t *thread, struct dsn_parallel *p)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(thread, NULL, write_all, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Waits until it is done: 0; or for `deadline`: DSN_LATE; or as long as no rank is gone: DSN_GONE. */
static int wait_until(struct dsn_parallel *p, int64_t deadline)
{
    const int64_t patience = 1000000000;
    struct timespec nap = { 0, 20000 };
    int64_t now = dsn__now(), ask_next = now + patience;

    while (!atomic_load(&p->is_done)) {
        if (deadline != 0 && now >= deadline)
            return DSN_LATE;
        if (now >= ask_next && dsn__any_rank_is_gone())
            return DSN_GONE;
        if (now >= ask_next)
            ask_next = dsn__now() + 2 * patience;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 1000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
        now = dsn__now();
    }
    return 0;
}

int dsn__parallel_write(struct dsn_parallel *p, int64_t deadline, int64_t grace)
{
    pthread_t thread;
    int result;

    if (start(&thread, p) != 0) {
        write_all(p);
        return p->result;
    }
    result = wait_until(p, deadline);
    if (result == 0 || (result == DSN_LATE && wait_until(p, deadline + grace) == 0))
        pthread_join(thread, NULL);
    else
        pthread_detach(thread);
    return result == 0 ? p->result : result;
}

/* parallel.c - collective writing, in a thread that can be left behind
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/core.h"

void dsn__parallel_pieces(struct dsn_parallel *p, const struct dsn_regions *r, const uint64_t *begins)
{
    p->n = 0;
    for (int part = 0; part < DSN_NPARTS; part++)
        if (r->of[part].packed > 0)
            p->piece[p->n++] = (struct dsn_piece){ r->of[part].bytes, r->of[part].packed, begins[part] };
}

static void *write_all(void *context)
{
    struct dsn_parallel *p = context;

    p->result = p->mpi->write_all(p->path, p->hints, p->every, p->piece, p->n);
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

int dsn__parallel_write(struct dsn_parallel *p, int64_t deadline, int *in_time)
{
    struct timespec nap = { 0, 20000 };
    pthread_t thread;

    *in_time = 1;
    if (start(&thread, p) != 0) {
        write_all(p);
        return p->result;
    }
    while (!atomic_load(&p->is_done) && (deadline == 0 || dsn__now() < deadline)) {
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 1000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
    }
    if (!atomic_load(&p->is_done)) {
        *in_time = 0;
        pthread_detach(thread);
        return -1;
    }
    pthread_join(thread, NULL);
    return p->result;
}

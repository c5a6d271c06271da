/* signals.c - SIGXFSZ and SIGPIPE of our own writes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/signals.h"

#include <time.h>

static const int ours[] = { SIGXFSZ, SIGPIPE };

void dsn__signals_hold(struct dsn_signals *s)
{
    sigset_t hold;

    sigemptyset(&hold);
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        sigaddset(&hold, ours[i]);
    sigemptyset(&s->pending);
    sigpending(&s->pending);
    pthread_sigmask(SIG_BLOCK, &hold, &s->before);
}

/* What has come since is taken away before the mask is opened again. */
void dsn__signals_release(const struct dsn_signals *s)
{
    const struct timespec at_once = { 0, 0 };
    sigset_t mine;

    sigemptyset(&mine);
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (!sigismember(&s->pending, ours[i]))
            sigaddset(&mine, ours[i]);
    while (sigtimedwait(&mine, NULL, &at_once) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

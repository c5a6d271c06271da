/* signals.c - SIGXFSZ and SIGPIPE of our own writes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/signals.h"

#define WORD_BITS (8 * (int)sizeof(unsigned long))

static const int ours[] = { SIGXFSZ, SIGPIPE };

static unsigned long *word_of(struct dsn_signal_set *s, int signal)
{
    return &s->word[(signal - 1) / WORD_BITS];
}

static unsigned long bit_of(int signal)
{
    return 1UL << (signal - 1) % WORD_BITS;
}

void dsn__signals_hold(struct dsn_signals *s)
{
    struct dsn_signal_set hold = { { 0 } };

    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        *word_of(&hold, ours[i]) |= bit_of(ours[i]);
    if (dsn__sys_sigpending(&s->pending) != 0)
        s->pending = (struct dsn_signal_set){ { 0 } };
    dsn__sys_sigmask(SIG_BLOCK, &hold, &s->before);
}

/* What has come since is taken away before the mask is opened again. */
void dsn__signals_release(const struct dsn_signals *s)
{
    struct dsn_signal_set mine = { { 0 } }, pending = s->pending;

    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        *word_of(&mine, ours[i]) |= ~*word_of(&pending, ours[i]) & bit_of(ours[i]);
    while (dsn__sys_sigtake(&mine) > 0)
        ;
    dsn__sys_sigmask(SIG_SETMASK, &s->before, NULL);
}

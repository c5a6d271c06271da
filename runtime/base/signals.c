/* signals.c - suppresses SIGXFSZ and SIGPIPE of the library's writes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/signals.h"

#include <stdbool.h>

#include "base/kernel.h"

#define WORD_BITS (8 * (int)sizeof(unsigned long))

static const int ours[] = { SIGXFSZ, SIGPIPE };
static const int mistakes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };

static unsigned long *word_of(struct dsn_signal_set *s, int signal)
{
    return &s->word[(signal - 1) / WORD_BITS];
}

static unsigned long bit_of(int signal)
{
    return 1UL << (signal - 1) % WORD_BITS;
}

static void block_signals(struct dsn_signals *s, const struct dsn_signal_set *set)
{
    if (dsn__sys_sigpending(&s->pending) != 0)
        s->pending = (struct dsn_signal_set){ { 0 } };
    s->are_held = dsn__sys_sigmask(SIG_BLOCK, set, &s->before) == 0;
}

void dsn__signals_hold(struct dsn_signals *s)
{
    struct dsn_signal_set set = { { 0 } };

    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        *word_of(&set, ours[i]) |= bit_of(ours[i]);
    block_signals(s, &set);
}

void dsn__signals_hold_all(struct dsn_signals *s)
{
    struct dsn_signal_set set;

    for (unsigned i = 0; i < sizeof set.word / sizeof set.word[0]; i++)
        set.word[i] = ~0UL;
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        *word_of(&set, mistakes[i]) &= ~bit_of(mistakes[i]);
    block_signals(s, &set);
}

/* Signals raised meanwhile are discarded before the mask is restored. */
void dsn__signals_release(const struct dsn_signals *s)
{
    struct dsn_signal_set mine = { { 0 } }, pending = s->pending;

    if (!s->are_held)
        return;
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        *word_of(&mine, ours[i]) |= ~*word_of(&pending, ours[i]) & bit_of(ours[i]);
    while (dsn__sys_sigtake(&mine) > 0)
        ;
    dsn__sys_sigmask(SIG_SETMASK, &s->before, NULL);
}

void dsn__signals_let_library(void)
{
    static const int own[] = { 32, 33 }; /* SIGCANCEL, SIGSETXID of glibc */
    struct dsn_signal_set set = { { 0 } };

    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
        *word_of(&set, own[i]) |= bit_of(own[i]);
    dsn__sys_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool dsn__signals_are_all_blocked(void)
{
    struct dsn_signal_set mask;

    if (dsn__sys_sigmask(SIG_BLOCK, NULL, &mask) != 0)
        return false;
    for (int signal = 1; signal < 32; signal++)
        if (signal != SIGKILL && signal != SIGSTOP && !(*word_of(&mask, signal) & bit_of(signal)))
            return false;
    return true;
}

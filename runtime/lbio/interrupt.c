/* interrupt.c - signals during a call
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/interrupt.h"

#include <errno.h>
#include <signal.h>

#define BITS (8 * (int)sizeof(unsigned long))

/* Mask saved by the thread's current call. */
static __thread struct dsn_signals *current __attribute__((tls_model("initial-exec")));

void lbio__signals_hold(struct dsn_signals *held)
{
    dsn__signals_hold_all(held);
    current = held->are_held ? held : NULL;
}

void lbio__signals_release(const struct dsn_signals *held)
{
    current = NULL;
    dsn__signals_release(held);
}

/* Not signals caused by writing; the last ones are ignored by default. */
static int ends_process(int signal)
{
    static const int others[] = { SIGXFSZ, SIGPIPE, SIGCHLD, SIGCONT, SIGURG, SIGWINCH };
    unsigned long action[16] = { 0 }; /* a handler takes precedence */

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (signal == others[i])
            return 0;
    return dsn__syscall(SYS_rt_sigaction, signal, NULL, action, sizeof(struct dsn_signal_set)) == 0 && action[0] == 0;
}

/* Pending signals that the application has not blocked itself. */
static int has_come(struct dsn_signal_set *set)
{
    unsigned long any = 0;

    if (!current || dsn__sys_sigpending(set) != 0)
        return 0;
    for (size_t i = 0; i < sizeof set->word / sizeof set->word[0]; i++)
        any |= set->word[i] &= ~current->before.word[i];
    return any != 0;
}

void lbio__signals_obey(void)
{
    const int error = errno;
    struct dsn_signal_set come, one;

    for (int signal = 1; has_come(&come) && signal < _NSIG; signal++) {
        const int i = (signal - 1) / BITS;

        one = (struct dsn_signal_set){ { 0 } };
        one.word[i] = 1UL << (signal - 1) % BITS;
        if ((come.word[i] & one.word[i]) && ends_process(signal)) {
            dsn__sys_sigmask(SIG_UNBLOCK, &one, NULL);
            dsn__sys_sigmask(SIG_BLOCK, &one, NULL); /* the process was stopped and has been continued */
        }
    }
    errno = error;
}

void lbio__signals_deliver(void)
{
    const int error = errno;
    struct dsn_signals *held = current;
    struct dsn_signal_set come;

    if (has_come(&come)) {
        lbio__signals_release(held);
        lbio__signals_hold(held);
    }
    errno = error;
}

/* signals.h - blocks signals that the library's own writes may raise
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_SIGNALS_H
#define DSN_BASE_SIGNALS_H

#include <stdbool.h>

#include "base/kernel.h"

struct dsn_signals {
    struct dsn_signal_set before;  /* the thread's mask before */
    struct dsn_signal_set pending; /* signals pending before: they are the application's */
    int are_held;
};

/* Between these two, in one thread, a write over the file size limit (SIGXFSZ) or into a pipe without a reader
 * (SIGPIPE) fails with errno and kills nobody. */
void dsn__signals_hold(struct dsn_signals *s);

/* The same, and no handler of the application runs meanwhile, except for synchronous faults of the thread itself. For
 * sections that usually take microseconds, and seconds at most. */
void dsn__signals_hold_all(struct dsn_signals *s);
void dsn__signals_release(const struct dsn_signals *s);

/* In a thread that was created while signals were held: lets the C library's own through, by which setuid() has all threads
 * change their user. Since glibc 2.32 it does that itself. */
void dsn__signals_let_library(void);

/* Whether the thread blocks all signals that a thread can block. Those of real time are not looked at: emulators lack some. */
bool dsn__signals_are_all_blocked(void);

#endif

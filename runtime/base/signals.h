/* signals.h - signals that writing can raise are not the application's
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_SIGNALS_H
#define DSN_BASE_SIGNALS_H

#include "base/kernel.h"

struct dsn_signals {
    struct dsn_signal_set before;  /* the thread's mask */
    struct dsn_signal_set pending; /* what was waiting already: the application's own */
    int are_held;
};

/* Between these two, in one thread, a write over the file size limit (SIGXFSZ) or into a pipe that nobody reads
 * (SIGPIPE) fails with errno and kills nobody. */
void dsn__signals_hold(struct dsn_signals *s);

/* The same, and no handler of the application runs meanwhile, but for what a mistake of the thread itself raises. For
 * what takes some microseconds as a rule, and seconds at most. */
void dsn__signals_hold_all(struct dsn_signals *s);
void dsn__signals_release(const struct dsn_signals *s);

#endif

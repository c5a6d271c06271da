/* interrupt.h - signals during a call
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A handler that ran inside a call could deadlock on a lock the call holds, so signals are blocked while data is
 * logged. But waiting for replay may take minutes, and a signal that ends the process must not wait for that: what is
 * not in the files is in the log. */
#ifndef LBIO_INTERRUPT_H
#define LBIO_INTERRUPT_H

#include "base/signals.h"

/* Between these two no handler runs in this thread, except in the third and fourth. */
void lbio__signals_hold(struct dsn_signals *held);
void lbio__signals_release(const struct dsn_signals *held);

/* Lets a pending signal without a handler end or stop the process now, whatever locks the thread holds. */
void lbio__signals_obey(void);

/* The same, and runs handlers: for a thread that holds no lock. */
void lbio__signals_deliver(void);

#endif

/* interrupt.h - signals while a call is inside, or waits there
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A handler that ran inside a call might wait for what that call holds: signals are held back, for as long as it takes to
 * log some bytes. Waiting for replay may take minutes, and who ends the process does not want to wait: what is not in the
 * files is in the log. */
#ifndef LBIO_INTERRUPT_H
#define LBIO_INTERRUPT_H

#include "base/signals.h"

/* Between these two no handler runs in this thread, but for those of the third and fourth. */
void lbio__signals_hold(struct dsn_signals *held);
void lbio__signals_release(const struct dsn_signals *held);

/* A signal without a handler that ends or stops the process does so now, whatever the thread holds. */
void lbio__signals_obey(void);

/* That, and handlers run: for a thread that holds no lock. */
void lbio__signals_deliver(void);

#endif

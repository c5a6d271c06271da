/* lbio-figures.h - what log-based I/O did in this process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_LBIO_FIGURES_H
#define DSN_LIFE_LBIO_FIGURES_H

/* At the end of the program, or before exec: waits for replay, which would be waited for later anyway, and adds the
 * figures to the state. Does nothing if the process does not have liblbio.so. */
void dsn__lbio_figures_add(void);

#endif

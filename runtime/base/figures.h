/* figures.h - how one library in a process gives another one its figures
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * liblbio.so and libdarshan.so are built, loaded and linked separately, each with or without the other. So what the log
 * is to say of log-based I/O is asked for by a symbol that may be missing, and given by name: either library may know
 * figures that the other one does not. */
#ifndef DSN_BASE_FIGURES_H
#define DSN_BASE_FIGURES_H

#include <stdint.h>

/* A figure: a count, or seconds; the other one is 0. */
typedef void dsn_figure(void *context, const char *name, int64_t count, double seconds);

/* Of liblbio.so, if the process has it; else NULL. Waits until all logged data is in its files, or cannot be written,
 * and then gives all figures since the last call; largest sizes and what is still incomplete are those of now. */
void lbio_figures(dsn_figure *take, void *context) __attribute__((weak));

#endif

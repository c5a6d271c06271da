/* ordering.h - whether the program uses HDF5 or PnetCDF
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Their processes fill a dataset or move a variable, and have only a barrier before another process reads or writes the
 * same bytes: the file system has the order then, but logs do not. */
#ifndef LBIO_ORDERING_H
#define LBIO_ORDERING_H

/* Whether one of them is loaded, or linked statically into something that is. Not in a signal handler. */
int lbio__has_ordering_library(void);

#endif

/* emulate.h - runs a command with an emulated slow file system
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_EMULATE_H
#define LBIO_EMULATE_H

#include "lbio/emulation.h"

/* Runs the command; files below the directory are slow for it and everything that it starts on this node. `report`: a
 * file to which a line of counters is appended at the end, or NULL. Returns the command's exit status, 128 plus the
 * number of the signal that killed it, or -1 and errno. */
int lbio__emulate(const struct lbio_model *m, const char *directory, const char *report, char **command);

/* LD_PRELOAD with `library`: before the library of emulation, if that is there, else last. NULL: no memory. */
char *lbio__preload_with(const char *before, const char *library);

#endif

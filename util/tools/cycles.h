/* cycles.h - shared by the parts of darshan-cycles
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_CYCLES_H
#define DSN_TOOLS_CYCLES_H

#include "util/rhythm/rhythm.h"

/* Prints a rhythm as text. 0: no memory. */
int dsn_cycles_print(struct dsn_text *out, const struct dsn_rhythm *r);

#endif

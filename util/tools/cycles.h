/* cycles.h - what the parts of darshan-cycles share
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_CYCLES_H
#define DSN_TOOLS_CYCLES_H

#include "util/rhythm/rhythm.h"

/* A rhythm as text for people. 0: there is no memory. */
int dsn_cycles_print(struct dsn_text *out, const struct dsn_rhythm *r);

#endif

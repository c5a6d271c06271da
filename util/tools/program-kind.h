/* program-kind.h - whether a program can be recorded by a preloaded library
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PROGRAM_KIND_H
#define DSN_PROGRAM_KIND_H

/* Why it cannot, as the end of a sentence; NULL: nothing speaks against it, or it is not found. `name`: as a shell would
 * look for it; of a script its interpreter is looked at. */
const char *dsn_why_not_recorded(const char *name);

#endif

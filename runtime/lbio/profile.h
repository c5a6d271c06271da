/* profile.h - the number of tokens from a storage profile
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_PROFILE_H
#define LBIO_PROFILE_H

#include <stddef.h>

/* The number of writers with the highest bandwidth, from a profile of darshan-sweep: the smaller one of those for one
 * shared file and for a file per process. Returns 1 to 4096, or 0 with the reason in `why` (n bytes). */
int lbio__profile_tokens(const char *path, char *why, size_t n);

#endif

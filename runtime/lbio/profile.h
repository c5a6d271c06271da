/* profile.h - what a storage profile says of the number of tokens
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_PROFILE_H
#define LBIO_PROFILE_H

#include <stddef.h>

/* The number of writers with the highest bandwidth, from a profile that darshan-sweep has written; if it differs between
 * one shared file and a file for each, the smaller one. Returns 1 to 4096, or 0 with the reason in `why`, which has room
 * for n bytes. */
int lbio__profile_tokens(const char *path, char *why, size_t n);

#endif

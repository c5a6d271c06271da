/* marker.h - the file beside a target that says: not all of its bytes are in it yet
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `.<name>.lbio`, a line "host pid directory" for each process whose log holds bytes of it. Processes of many nodes may
 * come and go at once: each holds a lock (F_OFD_SETLKW) on the marker while it changes it, and the last one removes it. */
#ifndef LBIO_MARKER_H
#define LBIO_MARKER_H

#include <stddef.h>

/* The marker's path, or 0: the target's is too long for one. */
int lbio__marker_path(const char *target, char *out, size_t size);

/* Puts a line of this process there, or takes that of `pid` of this host away (and the marker, if it was the last). 0, or
 * -1 and errno. */
int lbio__marker_put(const char *target, const char *directory);
int lbio__marker_remove(const char *target, int pid, const char *directory);

#endif

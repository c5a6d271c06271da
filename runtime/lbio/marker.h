/* marker.h - the file beside a target that says: not all of its bytes are in it yet
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `.<name>.lbio`, a line "host pid directory" for each process whose log holds bytes of it, and "host pid closed
 * directory" once it has closed the target. Processes of many nodes may
 * come and go at once: each holds a lock (F_OFD_SETLKW) on the marker while it changes it, and the last one removes it. */
#ifndef LBIO_MARKER_H
#define LBIO_MARKER_H

#include <stddef.h>
#include <stdint.h>

#include "lbio/record.h"

#define LBIO_HOST_MAX 256

/* The marker's path, or 0: the target's is too long for one. */
int lbio__marker_path(const char *target, char *out, size_t size);

/* Puts a line of this process there, or takes those of `pid` of this host away (and the marker, if they were the last).
 * 0, or -1 and errno. */
int lbio__marker_put(const char *target, const char *directory, int is_closed);
int lbio__marker_remove(const char *target, int pid, const char *directory);

struct lbio_marker_line {
    char host[LBIO_HOST_MAX], log[LBIO_PATH_MAX];
    int64_t pid;
    int is_closed, is_own_host;
};

/* Calls each(line, data) for every line that is whole, until it does not return 0. What it returned last; 0: there is no
 * marker. */
int lbio__marker_each(const char *marker, int (*each)(const struct lbio_marker_line *line, void *data), void *data);

/* Waits until no other process that has closed the target, and is not known to be gone, has bytes of it; for half a
 * minute at most, and never again once that was in vain. */
void lbio__marker_await(const char *target);

#endif

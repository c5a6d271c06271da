/* marker.h - the file beside a target that says that the target is incomplete
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `.<name>.lbio` has a line "host pid directory" for each process whose log contains data of the target, and "host pid
 * closed directory" once that process has closed it. Processes of many nodes may start and end at the same time: each
 * holds a lock (F_OFD_SETLKW) on the marker while changing it, and the last one removes it. */
#ifndef LBIO_MARKER_H
#define LBIO_MARKER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "lbio/record.h"

#define LBIO_HOST_MAX 256

/* The marker's path; 0: it would be too long. */
int lbio__marker_path(const char *target, char *out, size_t size);

/* This process's open descriptor of a marker, so that it is not opened for each change. fd: -1: none. */
struct lbio_marker {
    atomic_int fd;
    atomic_int is_brief; /* it is opened for each change nevertheless: others see what was written when it is closed */
    uint64_t dev, ino;
    int64_t size; /* if it has only lines of this process; -1: it has others */
};

/* Whether it has, still, only lines of this process. */
int lbio__marker_is_own(const struct lbio_marker *m);

void lbio__marker_close(struct lbio_marker *m);

/* Adds a line for this process. 0, or -1 and errno. */
int lbio__marker_put(const char *target, const char *directory, int is_closed, struct lbio_marker *m);

/* Removes the lines of `pid` on this host, and the marker if it becomes empty; then closes `m`. 0, or -1 and errno. */
int lbio__marker_remove(const char *target, int pid, const char *directory, struct lbio_marker *m);

struct lbio_marker_line {
    char host[LBIO_HOST_MAX], log[LBIO_PATH_MAX];
    int64_t pid;
    int is_closed, is_own_host;
};

/* Calls each(line, data) for every complete line until it does not return 0. Returns its last result; 0: there is no
 * marker. `is_own`: only of a marker that this user has made. */
int lbio__marker_each(const char *marker, int is_own, int (*each)(const struct lbio_marker_line *line, void *data),
                      void *data);

/* Waits while other processes that have closed the target, and are not known to have ended, have pending data of it. 0: none
 * has; 1: the log of an ended one is there, on this host: its directory is in `left`, of LBIO_PATH_MAX bytes; -1: neither the
 * target nor its marker has changed for `patience` ns, now or when the same process was awaited before. */
int lbio__marker_await(const char *target, int64_t patience, char *left);

#endif

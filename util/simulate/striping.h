/* striping.h - bounds on the gain of striping files over more storage targets
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * If targets are the bottleneck, the time to move a file's bytes is inversely proportional to their number: M/N for N
 * targets instead of M. Only targets that would actually have bytes of the file count: a file shorter than a stripe is
 * on one target, however widely it is striped. And the run as a whole is limited by the busiest target: files that
 * already keep many targets busy together gain little. A log does not contain the number of targets of the file system;
 * it is at least the highest target in the log, and the number asked for. With fewer targets the time is N/M at worst.
 * Private to util. */
#ifndef DSN_SIMULATE_STRIPING_H
#define DSN_SIMULATE_STRIPING_H

#include <stddef.h>

#include "util/lib/striping.h"

struct dsn_striped {
    const struct dsn_layout *layout; /* NULL: not on Lustre, or unknown */
    double extent, bytes;            /* the used length of the file; bytes moved */
    size_t were, are;                /* out: targets used now, and then; 0: no layout */
    double factor;                   /* out: factor of the transfer time */
};

struct dsn_striping {
    size_t files;          /* with a layout and bytes */
    size_t changed;        /* of these, those with a different number of targets */
    size_t fewest, widest; /* targets used by those */
    size_t targets;        /* used by the whole run */
    double bytes;          /* bytes moved of the changed files */
};

/* Stripes files over `targets` targets with stripes of `size` bytes (0: unchanged). Returns 0 if out of memory. */
int dsn_striping_change(struct dsn_striped *files, size_t n, double targets, double size, struct dsn_striping *out);

#endif

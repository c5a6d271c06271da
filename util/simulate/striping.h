/* striping.h - what files would gain from lying on more storage targets, at best
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * If targets are what limits, what moves a file's bytes takes the less the more of them serve it: M/N of the time on N
 * targets instead of M. That counts targets on which bytes of the file would really lie: one that is shorter than a stripe is on one
 * target however wide it is striped. And the run as a whole is not faster than the target with most of its bytes lets it
 * be: files that keep many targets busy together already gain little from each being on more. How many targets the file
 * system has no log says; it has at least as many as the largest number of one that is named, and as are asked for. Fewer
 * targets take N/M times as long at worst. Private to util. */
#ifndef DSN_SIMULATE_STRIPING_H
#define DSN_SIMULATE_STRIPING_H

#include <stddef.h>

#include "util/lib/striping.h"

struct dsn_striped {
    const struct dsn_layout *layout; /* NULL: it is not on Lustre, or not known to be */
    double extent, bytes;            /* its length as far as it was used; moved */
    size_t were, are;                /* out: targets that it is on, that it would be on; 0: no layout */
    double factor;                   /* out: of the time that moves its bytes */
};

struct dsn_striping {
    size_t files;          /* with a layout and bytes */
    size_t changed;        /* of these, on another number of targets then */
    size_t fewest, widest; /* targets that those are on */
    size_t targets;        /* that the run uses together */
    double bytes;          /* moved of the changed ones */
};

/* Files over `targets` targets in stripes of `size` bytes (0: as they have). Returns 0 if there is no memory. */
int dsn_striping_change(struct dsn_striped *files, size_t n, double targets, double size, struct dsn_striping *out);

#endif

/* phases.h - bursts of I/O, and cycles in which they recur
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: spec analysis.md C4. Events are ordered by time; gaps that are long belong between bursts, short ones into
 * them. What is long is found where the sorted gaps have their widest jump, if it is to twice as much. A burst's
 * signature says which operations, files and sizes it is made of; bursts that recur in the same order at least three
 * times are a cycle. */
#ifndef DSN_PHASES_H
#define DSN_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/report/timeline.h"

#define DSN_LEAST_GAP  1e-6 /* seconds; shorter ones are noise of clocks */
#define DSN_MAX_PERIOD 64   /* bursts of a cycle */
#define DSN_MAX_CYCLES 32
#define DSN_MAX_EVENTS                                                                                                 \
    ((size_t)1 << 20) /* operations of a trace; the phases of a longer one are those of its heat map */

struct dsn_event {
    double start, end; /* seconds */
    uint64_t key;      /* the same for events of the same operation, file and size */
    uint64_t bytes : 63, is_write : 1;
};

struct dsn_burst {
    double start, end;
    size_t first, n;    /* of the events, as sorted */
    uint32_t signature; /* the same for bursts that are made of the same */
    int64_t read, written;
};

/* Bursts first ... first + period * repeats - 1: `period` different ones, again and again. */
struct dsn_cycle {
    size_t first, period, repeats;
    double start, end;
    double mean, deviation; /* seconds from one repeat's beginning to the next one's */
    int64_t read, written;  /* bytes of all repeats */
};

struct dsn_phases {
    const char *source; /* "DXT_POSIX", "HEATMAP" */
    double resolution;  /* seconds of a heat map's bin; 0: a trace, which is exact */
    size_t nevents;
    double threshold; /* gaps from here on part bursts; 0: there are none */
    struct dsn_burst *bursts;
    size_t nbursts;
    struct dsn_cycle cycle[DSN_MAX_CYCLES];
    size_t ncycles;
    double regularity; /* share of the events that is in cycles */
    size_t anchors;    /* bursts in which the same file, operation and size moves about as much as it does at most: the
                      * number of cycles, even if the first or the last one is cut */
    double interval;   /* median of the seconds between their beginnings; 0: there is one only */
    struct darshan_reader_error damage;
};

/* How bursts are told apart. */
enum dsn_burst_order {
    DSN_IN_ORDER, /* the events of one process: their order counts */
    DSN_ANY_ORDER /* of many: what is done at once may come in any order */
};

/* Sorts the events by time and finds bursts and cycles in them; counts that differ by up to 2 % are alike. `threshold`:
 * gaps that part bursts, in seconds; 0: to be found. Fills all but source, resolution and damage. 0: no memory, and
 * nothing is to be freed. */
int dsn_phases_find(struct dsn_event *events, size_t n, enum dsn_burst_order order, double threshold,
                    struct dsn_phases *out);

/* The same from a log's trace of POSIX, or else of MPI-IO; where there is none, or too long a one, from the job's heat
 * map: there a burst is a stretch of bins with I/O, and those are alike that moved about as much (by powers of two).
 * Returns DSN_ERR_OK (source is NULL if the log has neither) or DSN_ERR_MEMORY. */
int dsn_phases_make(struct darshan_reader *log, const struct dsn_timelines *heat, struct dsn_phases *out);
void dsn_phases_free(struct dsn_phases *p);

/* As JSON, with the bursts that moved most. */
void dsn_phases_write(struct dsn_text *out, const struct dsn_phases *p);

#endif

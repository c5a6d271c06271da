/* share.h - processor sharing, and an agenda of events: the basis of the simulation
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processor sharing: all requests in service progress at the same speed, which changes with their number. Progress is
 * one number for all, the work that a request present from the beginning would have received; a request ends when this
 * number has grown by its own work. So only the heap of ends is updated, and a request costs O(log n). Private to
 * util/simulate. */
#ifndef DSN_SIMULATE_SHARE_H
#define DSN_SIMULATE_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct dsn_share {
    struct dsn_share_end {
        double end; /* value of the common number at its end */
        uint32_t request;
    } * heap;
    size_t n, room;
    double done, since, speed; /* the common number at time `since`; its growth per second */
};

void dsn_share_free(struct dsn_share *s);

/* Advances to `now`. Call it before any change at that time. */
void dsn_share_advance(struct dsn_share *s, double now);

/* Starts a request with this amount of work. Returns 0 if out of memory. */
int dsn_share_add(struct dsn_share *s, double work, uint32_t request);

/* End of the first request at the current speed; infinity if there is none, or the speed is 0. */
double dsn_share_next(const struct dsn_share *s);

/* Removes a request that has ended: 1; 0 if there is none. */
int dsn_share_take(struct dsn_share *s, uint32_t *request);

/* ------------------------------------------------------------------ what happens next */

/* Each of a number of things happens at one time, or never (infinity). The heap contains those that will happen. */
struct dsn_agenda {
    struct dsn_agenda_entry {
        double time;
        uint32_t thing;
    } * heap;     /* by time */
    uint32_t *at; /* index of each in the heap, plus 1; 0: not in it */
    size_t n;
};

int dsn_agenda_init(struct dsn_agenda *a, size_t things); /* 0: no memory */
void dsn_agenda_free(struct dsn_agenda *a);
void dsn_agenda_set(struct dsn_agenda *a, uint32_t thing, double time);

/* The first thing to happen, of several at the same time the one with the lowest number. NULL: none. */
static inline const struct dsn_agenda_entry *dsn_agenda_first(const struct dsn_agenda *a)
{
    return a->n > 0 ? a->heap : NULL;
}

#endif

/* share.h - requests that share something, and the order of what happens next: what an event simulation is made of
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processor sharing: all requests in service get on at the same speed, which changes as they come and go. How far each
 * has got is one number for all, the work that a request would have got that was there from the beginning; a request
 * ends when this number has grown by its own work. So nothing is touched but the heap of ends, and a request costs
 * O(log n). Private to util/simulate. */
#ifndef DSN_SIMULATE_SHARE_H
#define DSN_SIMULATE_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct dsn_share {
    struct dsn_share_end {
        double end; /* of the common number */
        uint32_t request;
    } * heap;
    size_t n, room;
    double done, since, speed; /* the common number at the time `since`; what it grows by in a second */
};

void dsn_share_free(struct dsn_share *s);

/* Lets time pass until `now`. Before anything else is done at that time. */
void dsn_share_advance(struct dsn_share *s, double now);

/* A request with so much work begins. Returns 0 if there is no memory. */
int dsn_share_add(struct dsn_share *s, double work, uint32_t request);

/* When the first one ends, as things are; infinity if there is none, or the speed is 0. */
double dsn_share_next(const struct dsn_share *s);

/* Takes out the first one that has ended: 1; 0 if none has. */
int dsn_share_take(struct dsn_share *s, uint32_t *request);

/* ------------------------------------------------------------------ what happens next */

/* Each of some things happens at one time, or never (infinity). Only those that will happen are in the heap. */
struct dsn_agenda {
    struct dsn_agenda_entry {
        double time;
        uint32_t thing;
    } * heap;     /* by time */
    uint32_t *at; /* where each thing is, plus 1; 0: nowhere */
    size_t n;
};

int dsn_agenda_init(struct dsn_agenda *a, size_t things); /* 0: there is no memory */
void dsn_agenda_free(struct dsn_agenda *a);
void dsn_agenda_set(struct dsn_agenda *a, uint32_t thing, double time);

/* The thing that happens first, of several at once the one with the lowest number. NULL: nothing will. */
static inline const struct dsn_agenda_entry *dsn_agenda_first(const struct dsn_agenda *a)
{
    return a->n > 0 ? a->heap : NULL;
}

#endif

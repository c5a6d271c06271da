/* queue.h - a bounded queue between threads
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Items have a weight (bytes of memory); putting waits while the queue holds its most, unless it is empty. */
#ifndef DSN_QUEUE_H
#define DSN_QUEUE_H

#include <pthread.h>
#include <stddef.h>

struct dsn_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct dsn_queue_item {
        void *item;
        size_t weight;
    } * ring;
    size_t room, first, n; /* items */
    size_t weight, most;   /* of all */
    int ended, cancelled;
};

/* At most `room` items of `most` weight together. Returns 0 if there is no memory. */
int dsn_queue_init(struct dsn_queue *q, size_t room, size_t most);
void dsn_queue_free(struct dsn_queue *q); /* items that are left are the caller's: dsn_queue_get() them before */

/* Puts an item. Returns 0 if the queue was cancelled: the item is still the caller's. */
int dsn_queue_put(struct dsn_queue *q, void *item, size_t weight);

/* Takes one; NULL when there are no more and dsn_queue_end() was called. With `milliseconds` above 0, also if none came
 * for so long (*waited = 1). */
void *dsn_queue_get(struct dsn_queue *q, int milliseconds, int *waited);

/* Nothing more will be put. */
void dsn_queue_end(struct dsn_queue *q);

/* Nothing more shall be put: those who wait to do so give up. What is there can still be taken. */
void dsn_queue_cancel(struct dsn_queue *q);

#endif

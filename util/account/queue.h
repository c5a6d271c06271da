/* queue.h - a bounded queue between threads
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Items have a weight (bytes of memory); putting an item waits while the limit would be exceeded, unless the queue is
 * empty. */
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
    size_t weight, most;   /* total, and limit */
    int ended, cancelled;
};

/* At most `room` items with a total weight of `most`. Returns 0 if out of memory. */
int dsn_queue_init(struct dsn_queue *q, size_t room, size_t most);
void dsn_queue_free(struct dsn_queue *q); /* remaining items must be removed first by dsn_queue_get() */

/* Adds an item. Returns 0 if the queue was cancelled: the caller keeps the item. */
int dsn_queue_put(struct dsn_queue *q, void *item, size_t weight);

/* Removes an item; NULL if the queue is empty and was ended. With `milliseconds` > 0, also after that time without an
 * item (*waited = 1). */
void *dsn_queue_get(struct dsn_queue *q, int milliseconds, int *waited);

/* No more items will be added. */
void dsn_queue_end(struct dsn_queue *q);

/* No more items can be added: waiting producers give up. Items in the queue can still be removed. */
void dsn_queue_cancel(struct dsn_queue *q);

#endif

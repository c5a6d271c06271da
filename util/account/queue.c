/* queue.c - a ring buffer protected by a mutex
 * SPDX-License-Identifier: BSD-3-Clause */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int dsn_queue_init(struct dsn_queue *q, size_t room, size_t most)
{
    *q = (struct dsn_queue){ .room = room, .most = most, .ring = calloc(room, sizeof *q->ring) };
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return q->ring != NULL;
}

void dsn_queue_free(struct dsn_queue *q)
{
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q->ring);
}

int dsn_queue_put(struct dsn_queue *q, void *item, size_t weight)
{
    int put;

    pthread_mutex_lock(&q->lock);
    while (!q->cancelled && q->n > 0 && (q->n == q->room || q->weight + weight > q->most))
        pthread_cond_wait(&q->changed, &q->lock);
    put = !q->cancelled;
    if (put) {
        q->ring[(q->first + q->n++) % q->room] = (struct dsn_queue_item){ item, weight };
        q->weight += weight;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return put;
}

void *dsn_queue_get(struct dsn_queue *q, int milliseconds, int *waited)
{
    struct timespec until;
    void *item = NULL;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&q->lock);
    while (q->n == 0 && !q->ended && rc != ETIMEDOUT)
        rc = milliseconds > 0 ? pthread_cond_timedwait(&q->changed, &q->lock, &until)
                              : pthread_cond_wait(&q->changed, &q->lock);
    if (waited)
        *waited = q->n == 0 && !q->ended;
    if (q->n > 0) {
        item = q->ring[q->first].item;
        q->weight -= q->ring[q->first].weight;
        q->first = (q->first + 1) % q->room;
        q->n--;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return item;
}

void dsn_queue_end(struct dsn_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->ended = 1;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void dsn_queue_cancel(struct dsn_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->cancelled = 1;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

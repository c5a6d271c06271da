/* pending.c - asynchronous requests in flight
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/pending.h"

#include <stdbool.h>

#include "base/signals.h"
#include "record/arena.h"
#include "record/fd.h"
#include "record/names.h"
#include "record/span.h"
#include "record/times.h"

static struct dsn_pending *entry(struct dsn_pending_table *t, unsigned number)
{
    return &t->chunk[(number - 1) / DSN_PENDING_CHUNK][(number - 1) % DSN_PENDING_CHUNK];
}

static uint16_t *bucket_of(struct dsn_pending_table *t, const void *queue, uint64_t key)
{
    return &t->bucket[((key ^ (uintptr_t)queue) * 0x9e3779b97f4a7c15) >> 56];
}

_Static_assert(DSN_PENDING_BUCKETS == 256, "bucket_of takes the upper 8 bits");
_Static_assert(DSN_PENDING_CHUNK *DSN_PENDING_CHUNKS < UINT16_MAX, "numbers have 16 bits");

/* Allocates an entry. Returns 0 if there are no more. */
static unsigned take_number(struct dsn_pending_table *t)
{
    const unsigned chunk = t->made / DSN_PENDING_CHUNK;
    unsigned number = t->free;

    if (number) {
        t->free = entry(t, number)->next;
        return number;
    }
    if (chunk == DSN_PENDING_CHUNKS)
        return 0;
    if (!t->chunk[chunk])
        t->chunk[chunk] = dsn__alloc(DSN_PENDING_CHUNK * sizeof *t->chunk[0]);
    return t->chunk[chunk] ? ++t->made : 0;
}

/* Unlinks the entry that `l` points to. */
static void release(struct dsn_pending_table *t, uint16_t *link)
{
    const uint16_t number = *link;

    *link = entry(t, number)->next;
    entry(t, number)->next = t->free;
    t->free = number;
    atomic_fetch_sub(&t->count, 1);
}

/* Newest first, so the last match is the oldest. The caller holds the lock. */
static bool take_operation(struct dsn_pending_table *t, const void *queue, uint64_t key, struct dsn_pending *out)
{
    uint16_t *found = NULL;

    for (uint16_t *at = bucket_of(t, queue, key); *at; at = &entry(t, *at)->next)
        if (entry(t, *at)->key == key && entry(t, *at)->queue == queue)
            found = at;
    if (!found)
        return false;
    if (out)
        *out = *entry(t, *found);
    release(t, found);
    return true;
}

bool dsn__pending_add(const struct dsn_pending *request)
{
    struct dsn_pending_table *t = dsn__pending;
    uint16_t *bucket = bucket_of(t, request->queue, request->key);
    unsigned number = 0;

    dsn__calls_overlap();
    if (dsn__spin(&t->lock)) {
        if (!request->queue)
            take_operation(t, NULL, request->key, NULL);
        number = take_number(t);
        if (number) {
            *entry(t, number) = *request;
            entry(t, number)->next = *bucket;
            *bucket = (uint16_t)number;
            atomic_fetch_add(&t->count, 1);
        }
        dsn__unspin(&t->lock);
    }
    if (!number)
        atomic_fetch_add(&dsn__incomplete->missed, 1);
    return number != 0;
}

bool dsn__pending_take(const void *queue, uint64_t key, struct dsn_pending *request)
{
    struct dsn_pending_table *t = dsn__pending;
    int found;

    if (!dsn__spin(&t->lock))
        return false;
    found = take_operation(t, queue, key, request);
    dsn__unspin(&t->lock);
    return found;
}

/* The calls of the C library's threads come to our wrappers where aio_fsync() is in another library than fsync(), before
 * glibc 2.34, and in programs that are static altogether. These threads block all signals, which the application's hardly
 * do; those may sync a file, too, while a request for it waits for its result to be collected. */
bool dsn__pending_carry_out(int fd, enum dsn_pending_kind kind)
{
    struct dsn_pending_table *t = dsn__pending;
    struct dsn_pending *found = NULL;

    if (!dsn__pending_any() || !dsn__signals_are_all_blocked() || !dsn__spin(&t->lock))
        return false;
    for (unsigned i = 0; i < DSN_PENDING_BUCKETS && !found; i++)
        for (uint16_t at = t->bucket[i]; at && !found; at = entry(t, at)->next) {
            struct dsn_pending *e = entry(t, at);

            if (e->fd == fd && e->kind == kind && e->asker && e->asker != dsn__self())
                found = e;
        }
    if (found)
        found->asker = 0;
    dsn__unspin(&t->lock);
    return found != NULL;
}

/* Some requests at a time, because descriptions are dropped without the lock. */
static unsigned drop_some(const void *queue, struct dsn_description *description[], unsigned room)
{
    struct dsn_pending_table *t = dsn__pending;
    unsigned n = 0;

    if (!dsn__spin(&t->lock))
        return 0;
    for (unsigned i = 0; i < DSN_PENDING_BUCKETS; i++)
        for (uint16_t *at = &t->bucket[i]; *at && n < room;) {
            const struct dsn_pending *e = entry(t, *at);

            if (e->queue != queue) {
                at = &entry(t, *at)->next;
                continue;
            }
            description[n++] = e->kind == DSN_PENDING_OPEN ? e->description : NULL;
            release(t, at);
        }
    dsn__unspin(&t->lock);
    return n;
}

void dsn__pending_drop(const void *queue)
{
    struct dsn_description *description[32];
    const unsigned room = sizeof description / sizeof description[0];
    unsigned n = room;

    while (n == room && dsn__pending_any()) {
        n = drop_some(queue, description, room);
        for (unsigned i = 0; i < n; i++)
            dsn__description_drop(description[i]);
    }
}

bool dsn__pending_any(void)
{
    return atomic_load_explicit(&dsn__pending->count, memory_order_relaxed) != 0;
}

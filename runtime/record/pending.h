/* pending.h - requests that were handed in and whose results are not known yet
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A bounded table of what asynchronous I/O has under way. Requests beyond its size, or for which the arena has no room,
 * are not followed: they count as missed. */
#ifndef DSN_RECORD_PENDING_H
#define DSN_RECORD_PENDING_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/module.h"

enum dsn_pending_kind { DSN_PENDING_READ, DSN_PENDING_WRITE, DSN_PENDING_FSYNC, DSN_PENDING_FDSYNC };

struct dsn_pending {
    const void *queue;              /* what the key belongs to; NULL where keys are unique in the process */
    uint64_t key;                   /* by which the result will be known: the address of a control block, user data */
    struct dsn_record_state *state; /* the file's record, whatever becomes of the descriptor */
    int64_t start;                  /* ticks */
    int64_t offset;                 /* as given, or DSN_AT_CURSOR */
    int fd;
    uint8_t kind; /* enum dsn_pending_kind */
    uint8_t append;
    uint8_t unaligned; /* in memory */
    uint16_t next;     /* of the table: in the same bucket, or free */
};

#define DSN_PENDING_CHUNK   64 /* at a time from the arena */
#define DSN_PENDING_CHUNKS  64
#define DSN_PENDING_BUCKETS 256

struct dsn_pending_table {
    dsn_lock lock;
    atomic_uint count;
    uint16_t bucket[DSN_PENDING_BUCKETS]; /* 1 + number of an entry; 0: none */
    uint16_t free;
    unsigned made; /* entries that have memory */
    struct dsn_pending *chunk[DSN_PENDING_CHUNKS];
};

/* Remembers a request. One with the same key replaces what is there if it has no queue: then its result was never
 * asked for. */
void dsn__pending_add(const struct dsn_pending *request);

/* Forgets the request with that key, of several the oldest; fills `request`, if it is not NULL. Returns whether there
 * was one. */
int dsn__pending_take(const void *queue, uint64_t key, struct dsn_pending *request);

/* Forgets all of a queue. */
void dsn__pending_drop(const void *queue);

/* Whether there is any. */
int dsn__pending_any(void);

/* Part of what life/state.h composes. */
extern struct dsn_pending_table *const dsn__pending __attribute__((visibility("hidden")));

#endif

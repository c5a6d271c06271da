/* pending.h - asynchronous requests in flight
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A bounded table. Requests beyond its size, or for which the arena has no room, are not tracked: they count as missed.
 */
#ifndef DSN_RECORD_PENDING_H
#define DSN_RECORD_PENDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/module.h"

enum dsn_pending_kind {
    DSN_PENDING_READ,
    DSN_PENDING_WRITE,
    DSN_PENDING_FSYNC,
    DSN_PENDING_FDSYNC,
    DSN_PENDING_OPEN /* of io_uring alone */
};

struct dsn_description;

struct dsn_pending {
    const void *queue;              /* the queue that the key belongs to; NULL if keys are unique in the process */
    uint64_t key;                   /* identifies the completion: the address of a control block, or user data */
    struct dsn_record_state *state; /* the file's record, even if the descriptor is closed meanwhile */
    uintptr_t asker;                /* the thread (dsn__self) for which one of the C library may act; 0: none may */
    int64_t start;                  /* ticks */
    int64_t offset;                 /* as given, or DSN_AT_CURSOR; of an open: its flags, above them its mode */
    struct dsn_description *description; /* NULL: unknown */
    int fd;                              /* -1: none; of an open: the slot it is for, see module/posix-uring.c */
    uint8_t kind;                        /* enum dsn_pending_kind */
    uint8_t append;
    uint8_t unaligned; /* of the buffer's address */
    uint16_t next;     /* index of the next entry in the same bucket or the free list */
};

#define DSN_PENDING_CHUNK   64 /* entries allocated from the arena at a time */
#define DSN_PENDING_CHUNKS  64
#define DSN_PENDING_BUCKETS 256

struct dsn_pending_table {
    dsn_lock lock;
    atomic_uint count;
    uint16_t bucket[DSN_PENDING_BUCKETS]; /* 1 + number of an entry; 0: none */
    uint16_t free;
    unsigned made; /* entries allocated so far */
    struct dsn_pending *chunk[DSN_PENDING_CHUNKS];
};

/* Adds a request; false: there is no room, and it will not be counted. Without a queue, one with the same key replaces the old
 * entry, whose result was never collected. */
bool dsn__pending_add(const struct dsn_pending *request);

/* Removes the request with that key, the oldest if there are several, and copies it to `request` unless that is NULL.
 * Returns whether there was one. */
bool dsn__pending_take(const void *queue, uint64_t key, struct dsn_pending *request);

/* Whether the calling thread is one of the C library's, whose call of that kind has carried out a request that another
 * thread has made for the descriptor: the request is counted instead of the call. At most one call does so. */
bool dsn__pending_carry_out(int fd, enum dsn_pending_kind kind);

/* Removes all requests of a queue, and drops the descriptions that opens among them have made. */
void dsn__pending_drop(const void *queue);

/* Whether any request is in flight. */
bool dsn__pending_any(void);

/* Member of the state that life/state.h composes. */
extern struct dsn_pending_table *const dsn__pending __attribute__((visibility("hidden")));

#endif

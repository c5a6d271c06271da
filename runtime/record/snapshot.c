/* snapshot.c - consistent copies of a record while it is updated
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/snapshot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "record/module.h"

#define PAGE      4096
#define WORD_BITS 64

size_t dsn__snapshot_words(uint64_t size)
{
    return size / PAGE / WORD_BITS + 1;
}

/* Pages that are only partly in the file count as present. */
void dsn__snapshot_has(struct dsn_snapshot *s, uint64_t begin, uint64_t end)
{
    for (uint64_t page = begin / PAGE; page * PAGE < end; page++)
        s->present[page / WORD_BITS] |= (uint64_t)1 << page % WORD_BITS;
}

static bool is_present(const struct dsn_snapshot *s, uint64_t at, size_t size)
{
    if (at > s->size || size > s->size - at)
        return false;
    for (uint64_t page = at / PAGE; page * PAGE < at + size; page++)
        if (!(s->present[page / WORD_BITS] >> page % WORD_BITS & 1))
            return false;
    return true;
}

static const struct dsn_snapshot_piece *piece_of(const struct dsn_snapshot *s, const char *theirs, size_t size)
{
    for (unsigned i = 0; i < s->npieces; i++)
        if (s->piece[i].theirs == theirs && s->piece[i].size == size)
            return &s->piece[i];
    return NULL;
}

void dsn__snapshot_begin(struct dsn_snapshot *s, uint64_t at, void *here, size_t size)
{
    s->npieces = 0;
    s->used = 0;
    s->has_grown = 0;
    dsn__snapshot_fill(s, at, here, size);
}

void dsn__snapshot_fill(struct dsn_snapshot *s, uint64_t at, void *here, size_t size)
{
    const char *theirs = s->map + at;
    const struct dsn_snapshot_piece *known;

    if (!is_present(s, at, size))
        return;
    known = piece_of(s, theirs, size);
    if (known) {
        memcpy(here, s->room + known->at, size);
        return;
    }
    memcpy(here, theirs, size);
    if (s->npieces == DSN_SNAPSHOT_PIECES || size > sizeof s->room - s->used)
        return;
    s->piece[s->npieces++] = (struct dsn_snapshot_piece){ theirs, here, size, s->used };
    s->used += (size + 7) / 8 * 8;
    s->has_grown = 1;
}

/* Whether the record's lock is taken in the copy of its state. */
static bool is_locked(const struct dsn_snapshot *s)
{
    const struct dsn_record_state *state = (const struct dsn_record_state *)(const void *)s->room;

    return atomic_load_explicit(&state->lock, memory_order_relaxed) != 0;
}

static bool is_locked_now(const struct dsn_snapshot *s)
{
    const struct dsn_record_state *state = (const struct dsn_record_state *)(const void *)s->piece[0].theirs;

    return atomic_load_explicit(&state->lock, memory_order_relaxed) != 0;
}

static bool is_unchanged(const struct dsn_snapshot *s)
{
    for (unsigned i = 0; i < s->npieces; i++)
        if (memcmp(s->room + s->piece[i].at, s->piece[i].theirs, s->piece[i].size) != 0)
            return false;
    return true;
}

/* The lock's owner may have been preempted: it needs time, not another try. */
static void wait_for_lock(unsigned try)
{
    const struct timespec nap = { 0, 50000 };

    if (try % 100 == 99)
        nanosleep(&nap, NULL);
}

bool dsn__snapshot_copy(struct dsn_snapshot *s)
{
    s->has_grown = 0;
    for (unsigned try = 0; try < s->tries && s->npieces > 0; try++) {
        if (is_locked_now(s)) {
            wait_for_lock(try);
            continue;
        }
        for (unsigned i = 0; i < s->npieces; i++)
            memcpy(s->room + s->piece[i].at, s->piece[i].theirs, s->piece[i].size);
        atomic_thread_fence(memory_order_acquire);
        if (!is_locked(s) && is_unchanged(s))
            return true;
    }
    return false;
}

/* under-way.c - calls of MPI_X that may re-enter as PMPI_X
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "wrap/under-way.h"

#include <stdatomic.h>
#include <stdbool.h>

#define PLACES 64

static struct {
    _Atomic(uintptr_t) key[PLACES]; /* 0: free */
    atomic_uint n;                  /* entries in use: none if no other tool is interposed */
} calls;

static uintptr_t known_by(uintptr_t key)
{
    return key ? key : 1;
}

int dsn__call_begins(uintptr_t key)
{
    const uintptr_t own = known_by(key);

    for (unsigned i = 0; i < PLACES; i++) {
        const unsigned place = (unsigned)(own >> 4) + i;
        uintptr_t nobody = 0;

        if (atomic_compare_exchange_strong(&calls.key[place % PLACES], &nobody, own)) {
            atomic_fetch_add(&calls.n, 1);
            return (int)(place % PLACES);
        }
    }
    return DSN_NO_ROOM;
}

void dsn__call_ends(int place)
{
    if (place == DSN_NO_ROOM)
        return;
    atomic_fetch_sub(&calls.n, 1);
    atomic_store(&calls.key[place], 0);
}

bool dsn__is_inner(uintptr_t key)
{
    const uintptr_t own = known_by(key);

    if (atomic_load(&calls.n) == 0)
        return false;
    for (unsigned i = 0; i < PLACES; i++)
        if (atomic_load_explicit(&calls.key[i], memory_order_relaxed) == own)
            return true;
    return false;
}

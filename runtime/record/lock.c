/* lock.c - locks that cannot hang the application, and notes left by longjmp
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock's owner may never return. If its thread was cancelled, a waiter learns from the kernel that the thread no
 * longer exists and takes the lock over: at worst one call is half counted. If a signal handler left the note by
 * longjmp, the thread releases the lock at its next call. A waiter that waits longer gives up and marks the lock as
 * abandoned, so that nobody waits for it again, until the owner makes it usable. */
#include <config.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "config/job.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"
#include "record/times.h"

struct dsn_switch dsn__switch;

#define PATIENCE 2000000000 /* ns; longer than any scheduler keeps a thread off the processor */

enum { FREE, ABANDONED }; /* any other value is an owner: see dsn__self */

__thread struct dsn_thread dsn__thread;

uintptr_t dsn__lock_owner_id(void)
{
    return (uintptr_t)syscall(SYS_gettid) * 2;
}

static bool is_dead(uintptr_t owner)
{
    return owner > ABANDONED && syscall(SYS_tgkill, getpid(), (pid_t)(owner / 2), 0) != 0 && errno == ESRCH;
}

static inline void pause_processor(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* The thread announces which lock it wants before it acquires it, and clears that after releasing it: wherever a
 * longjmp happens, dsn__span_recover knows which lock to check. */
static bool take_lock(dsn_lock *lock, int only_while_on)
{
    const uintptr_t me = dsn__self();
    int64_t begin = 0;
    uintptr_t was;

    dsn__thread.held = lock;

    for (long turn = 0;; turn++) {
        was = atomic_load_explicit(lock, memory_order_relaxed);
        if (was == FREE &&
            atomic_compare_exchange_weak_explicit(lock, &was, me, memory_order_acquire, memory_order_relaxed))
            return true;
        if (was == me) /* a signal handler has interrupted this thread's note, and goes on from here, or has left it */
            return true;
        if (was == ABANDONED || (only_while_on && atomic_load(&dsn__switch.mode) != DSN_ON))
            break;
        if (turn < 100) {
            pause_processor();
            continue;
        }
        sched_yield();
        if (turn % 64 == 0 && is_dead(was) && atomic_compare_exchange_strong(lock, &was, me))
            return true;
        if (begin == 0)
            begin = dsn__now();
        else if (turn % 64 == 0 && dsn__now() - begin > PATIENCE) {
            atomic_compare_exchange_strong(lock, &was, ABANDONED);
            break;
        }
    }
    dsn__thread.held = NULL;
    return false;
}

static void give_back(dsn_lock *lock)
{
    atomic_store_explicit(lock, FREE, memory_order_release);
    dsn__thread.held = NULL;
}

bool dsn__spin(dsn_lock *lock)
{
    return dsn__lock_if_free(lock) || take_lock(lock, 0);
}

void dsn__unspin(dsn_lock *lock)
{
    give_back(lock);
}

bool dsn__lock_contended(struct dsn_record_state *state)
{
    const int error = errno, taken = take_lock(&state->lock, 1);

    errno = error;
    if (!taken && atomic_load(&dsn__switch.mode) == DSN_ON)
        atomic_fetch_add(&dsn__incomplete->missed, 1);
    return taken;
}

bool dsn__begin_if_waiting(void)
{
    return dsn__may_record() && !dsn__is_on() ? dsn__switch.end_waiting() : dsn__is_on();
}

static bool on_alternate_stack(void)
{
    stack_t s;

    return dsn__sys_sigaltstack(NULL, &s) == 0 && (s.ss_flags & SS_ONSTACK);
}

/* A thread that is not the first to make calls. */
static void meet_thread(void)
{
    dsn__thread.inside = DSN_OUTSIDE;
    dsn__thread.beside |= dsn__switch.beside;
    if (dsn__self() != dsn__io_time->first)
        dsn__calls_overlap();
}

/* A call made within a note has a deeper stack than the note. A call at the same depth or above comes later: the note
 * was left by longjmp. */
bool dsn__span_recover(void *span)
{
    if (dsn__thread.inside == DSN_NEW) {
        meet_thread();
        return true;
    }
    if (dsn__thread.inside == DSN_OWN_WORK)
        return false;
    if (dsn__thread.inside == DSN_VFORKED) {
        if (dsn__sys_getpid() != dsn__run->pid)
            return false;
        dsn__thread.inside = DSN_OUTSIDE;
        return true;
    }
    if ((uintptr_t)span < dsn__thread.frame || on_alternate_stack()) {
        atomic_fetch_add_explicit(&dsn__incomplete->missed, 1, memory_order_relaxed);
        return false;
    }
    if (dsn__thread.held && atomic_load(dsn__thread.held) == dsn__self())
        give_back(dsn__thread.held);
    dsn__thread.inside = DSN_OUTSIDE;
    return true;
}

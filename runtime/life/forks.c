/* forks.c - fork handlers
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/kernel.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/stack.h"
#include "base/warn.h"
#include "life/ending.h"
#include "life/start.h"
#include "life/state.h"
#include "module/shared/calls.h"
#include "record/fd.h"
#include "record/inherit.h"
#include "record/names.h"
#include "record/span.h"
#include "record/times.h"

/* The child goes on with records of its own, which become part of its parent's log, or of the log of the parent's
 * collector. What the parent has counted stays with the parent. */
static void go_on(void *unused)
{
    const int before = dsn__own_begin();
    struct dsn_inherited *inherited = NULL;
    int was_on;

    (void)unused;
    dsn__thread.self = 0;                     /* the child's thread has another tid */
    atomic_store(&dsn__switch.mode, DSN_OFF); /* the kernel wipes it only since 4.14 */
    dsn__pages_forget();
    dsn__calls_forget(before == DSN_NOTING);
    if (!dsn__survival_leave(before == DSN_NOTING)) {
        dsn__own_end(before);
        return;
    }
    dsn__times_forget(); /* from here on the state is its own */
    atomic_store(&dsn__io_time->can_overlap, 0);
    was_on = dsn__state.process.is_on;
    if (was_on)
        inherited = dsn__inherit_note();
    dsn__state.process.is_child = 1;
    dsn__state.process.has_forked = 0; /* the copy of the parent's flag may be set */
    if (was_on || dsn__mpi->table)
        dsn__stop();
    if (was_on && dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_take(inherited);
    }
    if (!was_on)
        dsn__survival_unmap(); /* the child would keep the parent's survival file alive */
    dsn__own_end(before);
}

static __thread int becomes_daemon __attribute__((tls_model("initial-exec")));

static void in_child(void)
{
    const int error = errno;

    becomes_daemon = 0;
    if (dsn__state.process.is_filtered) /* no call may be made */
        return;
    dsn__drop_stderr();
    dsn__exit_forget();
    dsn__with_stack(go_on, NULL);
    errno = error;
}

/* Called after a failed fork, too. */
static void in_parent(void)
{
    const int error = errno;

    dsn__state.process.has_forked = 1;
    if (dsn__is_on())
        dsn__fd_share();
    if (becomes_daemon)
        dsn__end_process();
    errno = error;
}

void dsn__daemon_begin(void)
{
    becomes_daemon = dsn__is_on();
}

void dsn__daemon_failed(void)
{
    if (becomes_daemon && !dsn__is_on())
        dsn__begin_again();
    becomes_daemon = 0;
}

int dsn__parent_begins(void)
{
    if (!dsn__is_on())
        return 0;
    dsn__state.process.has_forked = 1;
    dsn__fd_share();
    return 1;
}

void dsn__child_begins(void)
{
    in_child();
}

#ifdef DSN_PRELOAD
/* glibc's implementation of pthread_atfork(). Called without a library handle: handlers registered with one are dropped
 * when that library's destructors have run, and this process writes its log after those. */
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);
#endif

static int watch_forks(void)
{
#ifdef DSN_PRELOAD
    if (dsn__state.process.ends_last)
        return __register_atfork(NULL, in_parent, in_child, NULL);
#endif
    return pthread_atfork(NULL, in_parent, in_child);
}

/* quick_exit runs no destructors; its handlers run last to first. */
int dsn__watch_forks(void)
{
    at_quick_exit(dsn__end_process);
    return watch_forks() == 0;
}

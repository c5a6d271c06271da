/* ending.c - leaving what was counted
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/ending.h"

#include <time.h>
#include <unistd.h>

#include "core/exclude.h"
#include "core/family.h"
#include "core/inherit.h"
#include "core/pages.h"
#include "core/signals.h"
#include "core/span.h"
#include "core/stack.h"
#include "core/start.h"
#include "core/state.h"
#include "darshan-log-format/hash.h"
#include "out/recover.h"

int dsn__is_another_process(void)
{
    return getpid() != dsn__state.pid;
}

/* 0: not without spoiling the image, of which darshan-recover can make the log. Where the other ranks of MPI wait for what
 * this one has counted the image is given up. */
static int finish(int others_wait)
{
    if (!dsn__image_seal()) {
        if (!others_wait)
            return 0;
        dsn__state.image.magic = 0;
    }
    dsn__state.ended = dsn__now() - dsn__state.clock.origin.ns;
    dsn__finish_records();
    return 1;
}

int dsn__stop_counting(int others_wait)
{
    dsn__freeze_records();
    dsn__exclude_late();
    dsn__family_close();
    return finish(others_wait);
}

int dsn__is_left_to_host(void)
{
    const struct dsn_family *f = &dsn__state.family;

    return dsn__state.image.is_file && !f->is_mpi && f->host != f->pid && !dsn__image_is_reachable() &&
           !dsn__family_is_gone(f->host, INT64_MAX);
}

void dsn__give_back_records(void)
{
    for (int slot = 0; slot < DSN_NSLOTS; slot++) {
        dsn__pages_free(dsn__state.late_records[slot]);
        dsn__state.late_records[slot] = NULL;
    }
}

int dsn__leave(int64_t heir, enum dsn_ending ending)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    size_t size = 0;
    void *spool = heir > 0 ? dsn__spool_make(ending, &size) : NULL;
    int ok = 0;

    dsn__family_path(path, sizeof path, heir, "spools");
    if (spool && heir == dsn__state.family.pid)
        ok = dsn__family_append(path, spool, size);
    else if (spool)
        ok = dsn__family_leave(heir, spool, size);
    dsn__pages_free(spool);
    return ok;
}

/* ------------------------------------------------------------------ ranks */

/* Whoever is the last of the node finds nobody running. */
static void leave_rank(void)
{
    struct dsn_state *s = &dsn__state;
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    if (dsn__is_another_process() || !dsn__drain() || !s->image.is_file) {
        dsn__own_end(before);
        return;
    }
    if (dsn__stop_counting(0)) {
        dsn__signals_hold(&signals);
        if (dsn__leave(s->family.pid, DSN_ENDED))
            dsn__image_drop();
        dsn__recover_here();
        dsn__signals_release(&signals);
    }
    dsn__stop();
    dsn__own_end(before);
}

static void end_process(void *unused)
{
    (void)unused;
    if (dsn__state.family.is_mpi)
        leave_rank();
    else
        dsn__shutdown();
}

void dsn__end_process(void)
{
    if (dsn__is_on() && !dsn__is_another_process())
        dsn__with_stack(end_process, NULL);
}

/* ------------------------------------------------------------------ threads that end the process together */

static _Atomic(uintptr_t) leaving; /* the thread that has called exit() */

/* While the mode is `mode` (enum dsn_mode). A child made by vfork has nothing to wait for. */
static void await(int mode, int64_t patience)
{
    const struct timespec nap = { 0, 100000 };
    const int64_t begin = dsn__now();

    while (atomic_load(&dsn__switch.mode) == mode && !dsn__is_another_process() && dsn__now() - begin < patience)
        nanosleep(&nap, NULL);
}

/* The other ranks of MPI may never come: who ends the process then has perhaps waited too long for them already. */
void dsn__await_end(void)
{
    const int64_t patience = 5000000000;

    if (!dsn__state.mpi_attached && atomic_load(&dsn__switch.mode) == DSN_DRAINING &&
        atomic_load(&dsn__switch.drainer) != dsn__self())
        await(DSN_DRAINING, patience);
}

/* The first one may have handlers to run before ours, which may even wait for the other thread. */
void dsn__exit_begins(void)
{
    const int64_t patience = 1000000000;
    uintptr_t first = 0;

    if (atomic_load(&dsn__switch.mode) == DSN_OFF || dsn__is_another_process())
        return;
    if (atomic_compare_exchange_strong(&leaving, &first, dsn__self()) || first == dsn__self())
        return;
    await(DSN_ON, patience);
    dsn__await_end();
}

void dsn__exit_forget(void)
{
    atomic_store(&leaving, 0);
}

/* ------------------------------------------------------------------ exec */

static int has_counted(void)
{
    const struct dsn_names *n = &dsn__state.names;

    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (const struct dsn_live *l = n->live_first[slot]; l; l = l->next)
            if (!dsn__slots[slot]->is_used || dsn__slots[slot]->is_used(l))
                return 1;
    return 0;
}

/* Nobody makes a log of what is left: this process does so now, and begins another one if the program cannot be executed.
 * A forked child with a log of its own has a family of its own, of which the environment does not tell the program. */
static int has_no_heir(void)
{
    const struct dsn_state *s = &dsn__state;

    return !s->image.is_file || (s->config.log_per_process && s->process.is_child);
}

/* A rank of MPI leaves its image, which says all. */
static int exec_begin(void)
{
    struct dsn_state *s = &dsn__state;
    const int before = dsn__own_begin();
    struct dsn_signals signals;
    int64_t heir;
    int begun = 0, is_left = 1;

    if (s->family.is_mpi || dsn__is_another_process()) {
        dsn__own_end(before);
        return 0;
    }
    if (has_no_heir()) {
        if (has_counted()) {
            dsn__shutdown();
            begun = 2;
        }
    } else if (dsn__drain()) {
        dsn__freeze_records();
        dsn__signals_hold(&signals);
        begun = 1;
        heir = dsn__family_heir();
        if (has_counted()) {
            dsn__exclude_late();
            is_left = dsn__image_is_reachable() && finish(0) &&
                      dsn__leave(heir > 0 ? heir : s->family.pid, DSN_EXECUTES);
            dsn__give_back_records();
        }
        if (is_left) /* else the image is what there is */
            dsn__image_empty(1);
        dsn__signals_release(&signals);
    }
    dsn__own_end(before);
    return begun;
}

static void begin_on_stack(void *begun)
{
    *(int *)begun = exec_begin();
}

int dsn__exec_begin(void)
{
    int begun = 0;

    if (dsn__is_on() && !dsn__is_another_process())
        dsn__with_stack(begin_on_stack, &begun);
    return begun;
}

/* Settings stay, as in a forked child: to read them again would need malloc, whose lock a thread of the parent may have
 * held when this process was forked. */
void dsn__begin_again(void)
{
    struct dsn_state *s = &dsn__state;
    struct dsn_inherited *inherited = dsn__inherit_note();
    const int is_child = s->process.is_child;

    s->process.is_child = 1;
    s->origin.key = dsn_hash((const char *)&s->ended, sizeof s->ended, s->origin.key); /* the first log has that name */
    if (dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_take(inherited);
    }
    s->process.is_child = is_child;
}

static void exec_failed(void *context)
{
    const int begun = *(const int *)context;
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    if (begun == 2) {
        dsn__begin_again();
    } else if (begun == 1) {
        dsn__signals_hold(&signals);
        dsn__image_empty(0);
        dsn__signals_release(&signals);
        dsn__image_unseal();
        dsn__state.process.is_on = 1;
        atomic_store(&dsn__switch.mode, DSN_ON);
    }
    dsn__own_end(before);
}

void dsn__exec_failed(int begun)
{
    if (begun)
        dsn__with_stack(exec_failed, &begun);
}

/* ending.c - leaving what was counted
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/ending.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/signals.h"
#include "base/stack.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "life/start.h"
#include "life/state.h"
#include "record/finish.h"
#include "record/inherit.h"
#include "record/late.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"
#include "survive/family.h"
#include "survive/image.h"
#include "survive/recover.h"
#include "survive/running.h"
#include "survive/spool.h"

/* Of the C library, since 2.32: it alone knows of threads that are not ours. */
extern char __libc_single_threaded __attribute__((weak));

int dsn__is_another_process(void)
{
    return dsn__sys_getpid() != dsn__run->pid;
}

/* The image is opened once for all that is done with it. */
static int open_image(void)
{
    const struct dsn_image *m = dsn__image;

    return m->is_file && !m->is_copy ? dsn__image_open() : -1;
}

/* 0: not without spoiling the image, of which darshan-recover can make the log. Where the other ranks of MPI wait for what
 * this one has counted the image is given up. */
static int finish(int fd, int others_wait)
{
    if (!dsn__image_seal(fd)) {
        if (!others_wait)
            return 0;
        dsn__image->magic = 0;
    }
    dsn__run->ended = dsn__now() - dsn__clock->origin.ns;
    dsn__finish_records();
    return 1;
}

/* It has another user's rights, or another root directory, so that it cannot go to its host's image either. */
static int is_left_to_host(void)
{
    const struct dsn_family *f = dsn__family;

    return dsn__image->is_file && !dsn__image->is_copy && !f->is_mpi && f->host != f->pid &&
           !dsn__process_is_gone(dsn__pid_of(f->host), INT64_MAX);
}

/* Its spool is all that becomes of the image, and nobody but this thread looks at that: neither another one nor a child that
 * has just been forked, and has not left it yet. */
static int is_alone(void)
{
    return dsn__image->is_file && !dsn__image->is_copy && dsn__image->ncuts == 0 && !dsn__family->is_mpi &&
           dsn__family->host != dsn__family->pid && !dsn__state.process.has_forked && &__libc_single_threaded &&
           __libc_single_threaded;
}

enum dsn_stopped dsn__stop_counting(int others_wait)
{
    int fd, is_done;

    dsn__freeze_records();
    dsn__exclude_late();
    fd = open_image();
    if (fd < 0 && is_left_to_host())
        return DSN_LEFT_TO_HOST;
    dsn__family_close(fd);
    is_done = !others_wait && is_alone() && dsn__finish_prepare_in_place() && dsn__image->ncuts == 0;
    if (is_done) {
        dsn__run->ended = dsn__now() - dsn__clock->origin.ns;
        dsn__finish_in_place();
    } else {
        is_done = finish(fd, others_wait);
    }
    if (fd >= 0)
        dsn__sys_close(fd);
    return is_done ? DSN_STOPPED : DSN_LEFT_IN_IMAGE;
}

int dsn__keep_image(void)
{
    const int fd = open_image(), is_kept = dsn__image_seal(fd);

    if (fd >= 0)
        dsn__sys_close(fd);
    return is_kept;
}

void dsn__give_back_records(void)
{
    for (int slot = 0; slot < DSN_NSLOTS; slot++) {
        dsn__pages_free(dsn__late_records[slot]);
        dsn__late_records[slot] = NULL;
    }
}

static int leave_to(int64_t pid, const void *spool, size_t size)
{
    char path[DSN_IMAGE_PATH_MAX + 64];

    if (pid != dsn__family->pid)
        return dsn__family_leave(pid, spool, size);
    dsn__family_path(path, sizeof path, pid, "spools");
    return dsn__family_append(path, spool, size);
}

int dsn__leave(enum dsn_left_to to, enum dsn_ending ending)
{
    int64_t pids[DSN_HEIRS + 1];
    int n = to == DSN_TO_ITSELF ? 0 : dsn__family_heirs(pids), ok = 0;
    struct dsn_spool_room here;
    size_t size = 0;
    void *spool;

    if (to != DSN_TO_HEIR)
        pids[n++] = dsn__family->pid;
    spool = n > 0 ? dsn__spool_make(ending, &here, &size) : NULL;
    for (int i = 0; spool && i < n && !ok; i++)
        ok = leave_to(pids[i], spool, size);
    dsn__spool_free(spool, &here);
    return ok;
}

/* ------------------------------------------------------------------ ranks */

/* Whoever is the last of the node finds nobody running. */
static void leave_rank(void)
{
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    if (dsn__is_another_process() || !dsn__drain() || !dsn__image->is_file) {
        dsn__own_end(before);
        return;
    }
    if (dsn__stop_counting(0) == DSN_STOPPED) {
        dsn__signals_hold(&signals);
        if (dsn__leave(DSN_TO_ITSELF, DSN_ENDED))
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
    if (dsn__family->is_mpi)
        leave_rank();
    else
        dsn__shutdown();
}

void dsn__end_process(void)
{
    if (dsn__are_calls_barred()) { /* what was counted stays where it is */
        dsn__image->has_ended |= dsn__is_on();
        return;
    }
    if (dsn__is_on() && !dsn__is_another_process())
        dsn__with_stack(end_process, NULL);
    dsn__await_end(); /* who was faster */
}

/* ------------------------------------------------------------------ threads that end the process together */

static _Atomic(uintptr_t) leaving; /* the thread that has called exit() */
static int ends_unseen;            /* what is called at the end has been called in the parent, and is not once more */

/* While the mode is `mode` (enum dsn_mode). A child made by vfork has nothing to wait for. */
static void await(int mode, int64_t patience)
{
    const struct timespec nap = { 0, 100000 };
    const int64_t begin = dsn__now();
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    while (atomic_load(&dsn__switch.mode) == mode && !dsn__is_another_process() && dsn__now() - begin < patience)
        nanosleep(&nap, NULL);
    pthread_setcancelstate(before, NULL);
}

/* The other ranks of MPI may never come: who ends the process then has perhaps waited too long for them already. */
void dsn__await_end(void)
{
    const int64_t patience = 5000000000;

    if (atomic_load(&dsn__switch.mode) == DSN_DRAINING && !dsn__mpi->attached &&
        atomic_load(&dsn__switch.drainer) != dsn__self())
        await(DSN_DRAINING, patience);
}

/* The first one may have handlers to run before ours, which may even wait for the other thread. */
void dsn__exit_begins(void)
{
    const int64_t patience = 1000000000;
    uintptr_t first = 0;
    int is_first;

    if (atomic_load(&dsn__switch.mode) == DSN_OFF || dsn__is_another_process())
        return;
    is_first = atomic_compare_exchange_strong(&leaving, &first, dsn__self()) || first == dsn__self();
    if (ends_unseen)
        dsn__end_process();
    if (is_first)
        return;
    await(DSN_ON, patience);
    dsn__await_end();
}

void dsn__exit_forget(void)
{
    const uintptr_t who = atomic_exchange(&leaving, 0);

    ends_unseen |= who != 0 && who != dsn__self() && (dsn__image->is_copy || atomic_load(&dsn__finishing->is_in_place));
}

/* ------------------------------------------------------------------ exec */

/* Standard streams are in each process's. */
static int has_records(void)
{
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        if (dsn__names->live_first[slot])
            return 1;
    return 0;
}

static int has_counted(void)
{
    const struct dsn_names *n = dsn__names;

    for (int kind = 0; kind < DSN_NBESIDE; kind++)
        if (atomic_load(&dsn__beside[kind].calls) > 0)
            return 1;
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (const struct dsn_live *l = n->live_first[slot]; l; l = l->next)
            if (!dsn__slots[slot]->is_used || dsn__slots[slot]->is_used(l))
                return 1;
    return 0;
}

/* The job goes by the name of the program that has started its processes. */
static int has_started_any(void)
{
    char path[DSN_IMAGE_PATH_MAX + 64];

    if (dsn__family->host != dsn__family->pid)
        return 0;
    dsn__family_path(path, sizeof path, dsn__family->pid, "spools");
    return dsn__state.process.has_forked || access(path, F_OK) == 0;
}

/* Nobody makes a log of what is left: this process does so now, and begins another one if the program cannot be executed.
 * A forked child with a log of its own has a family of its own, of which the environment does not tell the program. */
static int has_no_heir(void)
{
    return !dsn__image->is_file || (dsn__config->log_per_process && dsn__state.process.is_child);
}

/* 0: the image is what there is. */
static int leave_before_exec(void)
{
    const int fd = open_image(), can_undo = fd >= 0 && (dsn__image->ncuts == 0 || dsn__image_keep_cuts()),
              can = can_undo && finish(fd, 0);

    if (fd >= 0)
        dsn__sys_close(fd);
    return can && dsn__leave(DSN_TO_ANYONE, DSN_EXECUTES);
}

/* As far as the C library or the kernel can say. */
static int has_threads(void)
{
    return !(&__libc_single_threaded && __libc_single_threaded) && dsn__threads() != 1;
}

/* A rank of MPI leaves its image, which says all; so does a process with other threads, for they go on until the program
 * has been executed, and for good if it cannot be. */
static int exec_begin(void)
{
    const int before = dsn__own_begin();
    struct dsn_signals signals;
    int begun = 0, is_left = 1;

    if (dsn__is_another_process()) {
        dsn__own_end(before);
        return 0;
    }
    dsn__image_executes(1);
    if (dsn__family->is_mpi || (!has_no_heir() && has_threads())) {
        dsn__own_end(before);
        return 0;
    }
    if (has_no_heir()) {
        if (has_records()) {
            dsn__shutdown();
            begun = 2;
        }
    } else if (dsn__drain()) {
        dsn__freeze_records();
        dsn__signals_hold(&signals);
        begun = 1;
        dsn__run->names_job = has_counted() || has_started_any();
        if (dsn__run->names_job || (has_records() && dsn__family->host != dsn__family->pid)) {
            dsn__exclude_late();
            is_left = leave_before_exec();
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
 * held when this process was forked. What could only be left in the image stays there. */
void dsn__begin_again(void)
{
    struct dsn_inherited *inherited = dsn__inherit_note();
    const int is_child = dsn__state.process.is_child;

    if (!dsn__image_leave(0))
        return;
    dsn__state.process.is_child = 1;
    dsn__origin->key = dsn_hash((const char *)&dsn__run->ended, sizeof dsn__run->ended,
                                dsn__origin->key); /* the first log has that name */
    if (dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_take(inherited);
    }
    dsn__state.process.is_child = is_child;
}

static void exec_failed(void *context)
{
    const int begun = *(const int *)context;
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    if (begun == 2) {
        dsn__begin_again();
        if (has_threads()) /* which may have called us meanwhile */
            atomic_fetch_add(&dsn__incomplete->missed, 1);
    } else if (begun == 1) {
        dsn__signals_hold(&signals);
        dsn__image_empty(0);
        dsn__signals_release(&signals);
        if (dsn__image_unseal()) {
            dsn__state.process.is_on = 1;
            atomic_store(&dsn__switch.mode, DSN_ON);
        } else { /* somebody has removed the file: what was counted is in the spool */
            dsn__stop();
            dsn__begin_again();
        }
    }
    if (!dsn__is_another_process())
        dsn__image_executes(0);
    dsn__own_end(before);
}

void dsn__exec_failed(int begun)
{
    if (begun)
        dsn__with_stack(exec_failed, &begun);
    else if (!dsn__is_another_process())
        dsn__image_executes(0);
}

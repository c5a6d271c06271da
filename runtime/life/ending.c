/* ending.c - hands over what was counted when the process ends or execs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/ending.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/signals.h"
#include "base/stack.h"
#include "base/warn.h"
#include "config/config.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "life/figures.h"
#include "life/start.h"
#include "life/state.h"
#include "module/shared/auxiliary.h"
#include "record/arena.h"
#include "record/exclude-late.h"
#include "record/finalize.h"
#include "record/inherit.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"
#include "survive/exit-record.h"
#include "survive/liveness.h"
#include "survive/process-tree.h"
#include "survive/survival.h"

/* Declared weak: glibc has it since 2.32. Only the C library knows about threads that we did not see start. */
extern char __libc_single_threaded __attribute__((weak));

int dsn__is_another_process(void)
{
    return dsn__sys_getpid() != dsn__run->pid;
}

/* The process has another user's rights, or another root directory, and so cannot reach its root process's survival
 * file. */
static int is_left_to_root(void)
{
    const struct dsn_process_tree *f = dsn__process_tree;

    return dsn__survival->is_file && !f->is_mpi && f->root != f->pid &&
           !dsn__process_is_dead(dsn__pid_of(f->root), INT64_MAX);
}

static void finalize(void)
{
    dsn__state.process.is_ending = 1;
    dsn__finalize_prepare();
    dsn__run->ended = dsn__now() - dsn__clock->origin.ns;
    dsn__finalize_records(&dsn__recording);
}

int dsn__stop_counting(void)
{
    int fd;

    dsn__freeze_records();
    dsn__exclude_late();
    fd = dsn__survival->is_file ? dsn__survival_open() : -1;
    if (fd < 0 && is_left_to_root())
        return 0;
    dsn__process_tree_close(fd);
    if (fd >= 0)
        dsn__sys_close(fd);
    finalize();
    return 1;
}

void dsn__give_back_records(void)
{
    for (int module = 0; module < DSN_NMODULES; module++) {
        dsn__pages_free(dsn__late_records[module]);
        dsn__late_records[module] = NULL;
    }
}

static int leave_to(int64_t pid, const void *exit_record, size_t size)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];

    if (pid != dsn__process_tree->pid)
        return dsn__process_tree_leave(pid, exit_record, size);
    dsn__own_path(path, sizeof path, pid, "spools");
    return dsn__process_tree_append(path, exit_record, size);
}

int dsn__leave(enum dsn_left_to to, enum dsn_ending ending)
{
    const struct dsn_end end = { ending, dsn__survival->created };
    int64_t pids[DSN_COLLECTORS + 1];
    int n = to == DSN_TO_ITSELF ? 0 : dsn__collectors(pids), ok = 0;
    struct dsn_exit_record_room here;
    size_t size = 0;
    void *exit_record;

    if (to != DSN_TO_COLLECTOR)
        pids[n++] = dsn__process_tree->pid;
    exit_record = n > 0 ? dsn__exit_record_make(&dsn__recording, &end, &here, &size) : NULL;
    for (int i = 0; exit_record && i < n && !ok; i++)
        ok = leave_to(pids[i], exit_record, size);
    dsn__exit_record_free(exit_record, &here);
    return ok;
}

/* ------------------------------------------------------------------ ranks */

/* The last rank of the node finds no other one running. */
static void leave_rank(void)
{
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    if (dsn__is_another_process() || !dsn__drain() || !dsn__survival->is_file) {
        dsn__own_end(before);
        return;
    }
    if (dsn__stop_counting()) {
        dsn__signals_hold(&signals);
        if (dsn__leave(DSN_TO_ITSELF, DSN_ENDED))
            dsn__survival_drop();
        if (!dsn__state.process.is_filtered) /* it goes on, and is counted on in MPI_Finalize */
            dsn__make_log_of_left();
        dsn__signals_release(&signals);
    }
    dsn__stop();
    dsn__own_end(before);
}

static void end_process(void *unused)
{
    (void)unused;
    if (dsn__process_tree->is_mpi)
        leave_rank();
    else
        dsn__shutdown();
}

/* ------------------------------------------------------------------ without a log */

static struct {
    const char *reason;
    pid_t pid;
} no_log;

void dsn__no_log_because(const char *reason)
{
    no_log.reason = dsn__config_flag(offsetof(struct dsn_config, verbose)) ? reason : NULL;
    no_log.pid = dsn__sys_getpid();
}

/* Of a program and those that it starts the first says so. */
static void say_why_no_log(void)
{
    const int before = dsn__own_begin(), error = errno;

    if (!dsn__process_maps(getppid(), "libdarshan.so"))
        dsn__say("no log of %s: %s", program_invocation_short_name, no_log.reason);
    no_log.reason = NULL;
    errno = error;
    dsn__own_end(before);
}

void dsn__end_process(void)
{
    if (dsn__is_on() && !dsn__is_another_process())
        dsn__with_stack(end_process, NULL);
    dsn__await_end(); /* another rank was faster */
    if (no_log.reason && no_log.pid == dsn__sys_getpid())
        say_why_no_log();
}

/* ------------------------------------------------------------------ threads that end the process concurrently */

static _Atomic(uintptr_t) exiting; /* the thread that has called exit() */
static int ends_unseen;            /* exit handlers have run in the parent, and do not run again */

/* Waits while the mode is `mode` (enum dsn_mode). A vfork child has nothing to wait for. */
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

/* Bounded: the thread that ends the process may be waiting for other MPI ranks that never arrive. */
void dsn__await_end(void)
{
    const int64_t patience = 5000000000;

    if (atomic_load(&dsn__switch.mode) == DSN_DRAINING && !dsn__mpi->attached &&
        atomic_load(&dsn__switch.drainer) != dsn__self())
        await(DSN_DRAINING, patience);
}

/* The first thread may have exit handlers to run before ours, which may even wait for the second thread. */
void dsn__exit_begins(void)
{
    const int64_t patience = 1000000000;
    uintptr_t first = 0;
    int is_first;

    if (atomic_load(&dsn__switch.mode) == DSN_OFF || dsn__is_another_process())
        return;
    is_first = atomic_compare_exchange_strong(&exiting, &first, dsn__self()) || first == dsn__self();
    if (ends_unseen)
        dsn__end_process();
    if (is_first)
        return;
    await(DSN_ON, patience);
    dsn__await_end();
}

void dsn__exit_forget(void)
{
    const uintptr_t who = atomic_exchange(&exiting, 0);

    ends_unseen |= who != 0 && who != dsn__self() && dsn__state.process.is_ending;
    dsn__state.process.is_ending = 0;
}

/* ------------------------------------------------------------------ exec */

/* Standard streams do not count: every process has them. */
static int has_records(void)
{
    for (int module = 0; module < DSN_NMODULES; module++)
        if (dsn__names->first_state[module])
            return 1;
    return 0;
}

static int has_counted(void)
{
    const struct dsn_names *n = dsn__names;

    for (int kind = 0; kind < DSN_NBESIDE; kind++)
        if (atomic_load(&dsn__beside[kind].calls) > 0)
            return 1;
    for (int module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *l = n->first_state[module]; l; l = l->next)
            if (!dsn__modules[module]->is_used || dsn__modules[module]->is_used(l))
                return 1;
    return 0;
}

/* The job is named after the program that started its processes. */
static int has_started_any(void)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];

    if (dsn__process_tree->root != dsn__process_tree->pid)
        return 0;
    dsn__own_path(path, sizeof path, dsn__process_tree->pid, "spools");
    return dsn__state.process.has_forked || access(path, F_OK) == 0;
}

/* Nobody collects an exit record: this process writes its log now, and starts another one if exec fails. A forked child
 * with its own log is the root of a process tree that is not passed on in the environment. */
static int has_no_collector(void)
{
    return !dsn__survival->is_file || (dsn__config->log_per_process && dsn__state.process.is_child);
}

/* As far as the C library or the kernel knows. */
static int has_threads(void)
{
    return !(&__libc_single_threaded && __libc_single_threaded) && dsn__threads() != 1;
}

/* Hands everything over whether exec succeeds or not: if not, what follows is another part of the same program. */
static enum dsn_exec leave_part(void)
{
    dsn__run->names_job = has_counted() || has_started_any();
    if (!dsn__run->names_job && (!has_records() || dsn__process_tree->root == dsn__process_tree->pid)) {
        dsn__survival_empty(1);
        return DSN_EXEC_NOTHING_LEFT;
    }
    dsn__exclude_late();
    finalize();
    if (!dsn__leave(DSN_TO_ANYONE, DSN_EXECUTES)) /* only the survival file is left */
        return DSN_EXEC_FILE_LEFT;
    dsn__survival_empty(1);
    return DSN_EXEC_PART_LEFT;
}

/* Otherwise there is hardly room for an exit record. */
static int was_room(void)
{
    return atomic_load(&dsn__arena->used) <= atomic_load(&dsn__arena->in_file) && dsn__auxiliary_is_in_file();
}

/* These leave the survival file, which contains everything: an MPI rank; a process with other threads, because they go
 * on until exec succeeds, and for good if it fails; and one whose file system is full. */
static enum dsn_exec exec_begin(void)
{
    struct dsn_signals signals;
    enum dsn_exec begun = DSN_EXEC_COUNTS;

    if (dsn__is_another_process())
        return begun;
    dsn__figures_take();
    dsn__survival_executes(1);
    if (dsn__process_tree->is_mpi || (!has_no_collector() && (has_threads() || !was_room())))
        return begun;
    if (has_no_collector()) {
        if (has_records()) {
            dsn__shutdown();
            begun = DSN_EXEC_LOG_MADE;
        }
    } else if (dsn__drain()) {
        dsn__freeze_records();
        dsn__signals_hold(&signals);
        begun = leave_part();
        dsn__give_back_records();
        dsn__signals_release(&signals);
    }
    return begun;
}

static void begin_on_stack(void *begun)
{
    const int before = dsn__own_begin();

    *(enum dsn_exec *)begun = exec_begin();
    dsn__own_end(before);
}

enum dsn_exec dsn__exec_begin(void)
{
    enum dsn_exec begun = DSN_EXEC_COUNTS;

    if (dsn__is_on() && !dsn__is_another_process())
        dsn__with_stack(begin_on_stack, &begun);
    return begun;
}

/* Settings are kept, as in a forked child: reading them again needs malloc, whose lock a thread of the parent may have
 * held at the fork. What could be left only in the survival file stays there. */
void dsn__begin_again(void)
{
    struct dsn_inherited *inherited = dsn__inherit_note();
    const int is_child = dsn__state.process.is_child;

    if (!dsn__survival_leave(0))
        return;
    dsn__state.process.is_child = 1;
    dsn__origin->key = dsn_hash((const char *)&dsn__run->ended, sizeof dsn__run->ended,
                                dsn__origin->key); /* that name is the first log's */
    if (dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_take(inherited);
    }
    dsn__state.process.is_child = is_child;
}

/* Starts another part of the same program, which the reader adds to the parts before. */
static void begin_part(void)
{
    struct dsn_inherited *inherited = dsn__inherit_note();

    if (dsn__start_part()) {
        dsn__switch_on();
        dsn__inherit_take(inherited);
    }
}

static void go_on(enum dsn_exec begun)
{
    switch (begun) {
    case DSN_EXEC_LOG_MADE:
        dsn__begin_again();
        if (has_threads()) /* threads that may have called us meanwhile */
            atomic_fetch_add(&dsn__incomplete->missed, 1);
        break;
    case DSN_EXEC_NOTHING_LEFT:
        dsn__survival_empty(0);
        dsn__switch_again();
        break;
    case DSN_EXEC_PART_LEFT:
        begin_part();
        break;
    case DSN_EXEC_FILE_LEFT: /* nor is there room for another part: the survival file says that it is incomplete */
        atomic_fetch_add(&dsn__incomplete->missed, 1);
        dsn__stop();
        break;
    case DSN_EXEC_COUNTS:
        break;
    }
}

static void exec_failed(void *begun)
{
    const int before = dsn__own_begin();
    struct dsn_signals signals;

    dsn__signals_hold(&signals);
    go_on(*(const enum dsn_exec *)begun);
    dsn__signals_release(&signals);
    if (!dsn__is_another_process())
        dsn__survival_executes(0);
    dsn__own_end(before);
}

void dsn__exec_failed(enum dsn_exec begun)
{
    if (begun != DSN_EXEC_COUNTS)
        dsn__with_stack(exec_failed, &begun);
    else if (!dsn__is_another_process())
        dsn__survival_executes(0);
}

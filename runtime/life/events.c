/* events.c - what happens to what a process has counted, by event and role
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table says where the records go; below it is one function for each event. A process that starts becomes a
 * descendant in a process tree, or founds one (life/state.c); MPI_Init makes it a rank (life/start-mpi.c). If a process is
 * killed, its survival file stays, for the process that makes the log, or for darshan-recover. */
#include <config.h>

#include "life/events.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/signals.h"
#include "base/stack.h"
#include "base/text.h"
#include "base/warn.h"
#include "config/config.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/index.h"
#include "life/lbio-figures.h"
#include "life/make-log.h"
#include "life/state.h"
#include "module/posix.h"
#include "module/shared/auxiliary.h"
#include "module/shared/calls.h"
#include "module/shared/mapped.h"
#include "module/shared/sites.h"
#include "record/arena.h"
#include "record/exclude-late.h"
#include "record/fd.h"
#include "record/finalize.h"
#include "record/inherit.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"
#include "record/times.h"
#include "survive/exit-record.h"
#include "survive/identity.h"
#include "survive/leftovers.h"
#include "survive/liveness.h"
#include "survive/process-tree.h"
#include "survive/survival.h"

enum event { EXECUTES, ENDS, FINALIZES, INSTALLS_FILTER };

/* What a process is to others. */
enum role {
    ROOT,       /* the first process of a process tree: makes the log of all of them */
    DESCENDANT, /* any other process of the tree; its collector is the root process, or its parent */
    RANK,       /* of MPI, since MPI_Init */
    BYSTANDER,  /* a rank that takes part in the log of the others, and is not recorded itself (DARSHAN_APP_EXCLUDE) */
    APART,      /* it has no survival file, or each process is to have a log of its own: nobody looks for it; where it
                 * knows a collector, it can leave an exit record even so */
    NROLES
};

enum destination {
    STAY,        /* the records stay in the survival file, and counting goes on */
    EXIT_RECORD, /* an exit record for whoever comes; if exec fails, counting begins anew */
    COLLECT,     /* an exit record for the collector; if there is none, or it has ended, as LOG */
    LOG,         /* a log, with what other processes have left, unless it needs none */
    GATHER,      /* a log of all ranks, which make it together */
    LAST_RANK,   /* an exit record: the last rank of the node makes a log of all these */
    NOWHERE      /* there is nothing */
};

/* clang-format off */
static const enum destination destinations[][NROLES] = {
    /*                     ROOT         DESCENDANT   RANK       BYSTANDER    APART */
    [EXECUTES]        = {  EXIT_RECORD, EXIT_RECORD, STAY,      EXIT_RECORD, COLLECT  },
    [ENDS]            = {  LOG,         COLLECT,     LAST_RANK, GATHER,      COLLECT  },
    [FINALIZES]       = {  LOG,         COLLECT,     GATHER,    GATHER,      COLLECT  },
    [INSTALLS_FILTER] = {  LOG,         COLLECT,     LAST_RANK, NOWHERE,     COLLECT  },
};
/* clang-format on */

static enum role role_of_process(void)
{
    const struct dsn_member *t = dsn__member;

    if (t->is_mpi)
        return RANK;
    if (dsn__mpi->attached)
        return BYSTANDER;
    if (!dsn__survival->is_file || (dsn__config->log_per_process && dsn__state.process.is_child))
        return APART;
    return dsn__is_root_process(t) ? ROOT : DESCENDANT;
}

/* A process forked without our knowledge (by a bare system call) has a copy of its parent's records, and none of its
 * own. */
static bool is_another_process(void)
{
    return dsn__sys_getpid() != dsn__run->pid;
}

/* ------------------------------------------------------------------ what there is to hand over */

/* Descriptors that it has only inherited do not count. */
static bool process_has_counted(void)
{
    for (int kind = 0; kind < DSN_NRECORDLESS; kind++)
        if (atomic_load(&dsn__recordless[kind].calls) > 0)
            return true;
    for (int module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = dsn__names->first_state[module]; state; state = state->next)
            if (!dsn__modules[module]->is_used || dsn__modules[module]->is_used(state))
                return true;
    return false;
}

/* Of the root process: whether it has started processes, or others have left it something. */
static bool process_has_started_any(void)
{
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];

    if (!dsn__is_root_process(dsn__member))
        return false;
    dsn__tree_path(exit_records, sizeof exit_records, dsn__member->number, DSN_EXIT_RECORDS_SUFFIX);
    return dsn__has_started_processes() || access(exit_records, F_OK) == 0;
}

/* Whether `file` is in DIRECTORY/lib or lib64, where the program is DIRECTORY/bin/NAME, or says that this is a virtual
 * environment of Python. */
static bool is_installed_with(const char *program, const char *file)
{
    const char *end = program[0] == '/' ? strrchr(program, '/') : NULL;
    const size_t n = end && end - program > 4 && memcmp(end - 4, "/bin", 4) == 0 ? (size_t)(end - program) - 3 : 0;

    return n > 0 && strncmp(file, program, n) == 0 &&
           (dsn__begins_with(file + n, "lib/") || dsn__begins_with(file + n, "lib64/") ||
            strcmp(file + n, "pyvenv.cfg") == 0);
}

/* Whether a finalized record says that the process has opened the file itself, or has transferred bytes: streams that it
 * has inherited, and copies of their descriptors, which count as opens, are nothing that it has done. */
static bool is_own_io(int module, const struct dsn_record_state *state)
{
    const union dsn_val *v = state->rec->v;
    const int is_stream = state->name->text[0] == '<';

    switch (module) {
    case DSN_INDEX_POSIX:
        return (!is_stream && v[POSIX_OPENS].i > v[POSIX_DUPS].i + v[POSIX_FILENOS].i) || v[POSIX_BYTES_READ].i ||
               v[POSIX_BYTES_WRITTEN].i;
    case DSN_INDEX_STDIO:
        return (!is_stream && v[STDIO_OPENS].i > v[STDIO_FDOPENS].i) || v[STDIO_BYTES_READ].i ||
               v[STDIO_BYTES_WRITTEN].i;
    case DSN_INDEX_LUSTRE:
    case DSN_INDEX_DXT_POSIX:
    case DSN_INDEX_DXT_MPIIO:
    case DSN_INDEX_HEATMAP:
    case DSN_INDEX_MAPPED: /* of files that have one of the others */
    case DSN_INDEX_SITE:
        return false;
    default:
        return true;
    }
}

/* Modules that an interpreter reads from its own directories (a Python of pyenv or conda, a virtual environment),
 * whatever it is started for, are no I/O of the process. */
static bool process_has_done_io(void)
{
    char exe[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[n > 0 ? n : 0] = '\0';
    for (int module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = dsn__names->first_state[module]; state; state = state->next) {
            const union dsn_val *v = state->rec->v;
            const int is_written = (module == DSN_INDEX_POSIX && v[POSIX_BYTES_WRITTEN].i) ||
                                   (module == DSN_INDEX_STDIO && v[STDIO_BYTES_WRITTEN].i);

            if (is_own_io(module, state) &&
                (is_written || (!is_installed_with(exe, state->name->text) &&
                                !is_installed_with(program_invocation_name, state->name->text))))
                return true;
        }
    return false;
}

/* A process that has outlived the log of its tree without doing any I/O, and without exit records of children, needs
 * none; nor does an excluded program that has started none which is recorded. */
static bool process_needs_log(void)
{
    const struct dsn_member *t = dsn__member;
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];

    if (!dsn__state.process.is_excluded &&
        (dsn__is_root_process(t) || !dsn__survival->is_file || process_has_done_io()))
        return true;
    dsn__tree_path(exit_records, sizeof exit_records, t->number, DSN_EXIT_RECORDS_SUFFIX);
    return dsn__survival->is_file &&
           (access(exit_records, F_OK) == 0 || (dsn__has_started_processes() && dsn__leftovers_find_mine()));
}

static void finalize_records(void)
{
    dsn__state.process.is_ending = 1;
    dsn__finalize_prepare();
    dsn__run->ended = dsn__now() - dsn__clock->origin.ns;
    dsn__finalize_records(&dsn__recording);
}

static void free_late_records(void)
{
    dsn__aggregated_free(&dsn__lookup->aggregated);
    for (int module = 0; module < DSN_NMODULES; module++) {
        dsn__pages_free(dsn__late_records[module]);
        dsn__late_records[module] = NULL;
    }
}

/* ------------------------------------------------------------------ the end: exit, MPI_Finalize, a filter */

/* Returns false if another thread was faster. */
static bool hand_over(enum event event)
{
    const int64_t begin = dsn__now();
    const enum destination to = destinations[event][role_of_process()];
    const bool is_collected = to == COLLECT && !dsn__is_root_process(dsn__member);
    struct dsn_signals signals;
    bool participates, can_reach_tree;

    dsn__lbio_figures_add();
    participates = dsn__drain();
    /* A rank without records takes part in the log even so. */
    if (!participates && (to != GATHER || atomic_load(&dsn__switch.mode) != DSN_OFF))
        return false;
    if (is_collected) /* it takes little time: nothing is to interrupt it */
        dsn__signals_hold_all(&signals);
    dsn__freeze_records();
    dsn__exclude_late();
    can_reach_tree = dsn__close_for_exit_records();
    if (can_reach_tree)
        finalize_records();
    if (!is_collected)
        dsn__signals_hold(&signals);
    if (dsn__mpi->table)
        dsn__pages_let_go();

    /* Two get to GATHER, where logs are made, through what precedes it: LOG, and COLLECT if there is no collector. */
    switch (can_reach_tree ? to : STAY) {
    case STAY: /* the root process takes the survival file */
    case EXIT_RECORD:
        break;
    case LAST_RANK:
        if (!dsn__survival->is_file) /* there is no way to the other ranks */
            break;
        if (dsn__exit_record_write(DSN_FOR_ITSELF, DSN_ENDED))
            dsn__survival_drop();
        if (event != INSTALLS_FILTER) /* then it goes on, and tells the others in MPI_Finalize */
            dsn__make_log_of_ended_ranks();
        break;
    case COLLECT:
        if (dsn__exit_record_write(DSN_FOR_COLLECTOR, event == EXECUTES ? DSN_EXECUTES : DSN_ENDED)) {
            dsn__survival_drop();
            break;
        }
        if (is_collected) { /* a log takes longer: most signals are let through */
            dsn__signals_release(&signals);
            dsn__signals_hold(&signals);
        }
        /* fallthrough */
    case LOG:
        if (!process_needs_log()) {
            dsn__survival_drop();
            break;
        }
        /* fallthrough */
    case GATHER:
        dsn__no_log_because(NULL); /* there is one */
        dsn__make_log_of_job(participates, begin);
        break;
    case NOWHERE:
        dsn__survival_drop();
        break;
    }
    dsn__signals_release(&signals);
    free_late_records();
    dsn__stop();
    if (event != INSTALLS_FILTER)
        dsn__mpi_forget();
    return true;
}

void dsn__finalize_mpi(void)
{
    const int before = dsn__own_begin();

    if (dsn__state.process.is_filtered && dsn__mpi->attached) { /* it makes no system call of its own */
        dsn__refuse_log_of_job();
        dsn__mpi_forget();
    } else if ((dsn__is_on() || dsn__mpi->attached) && !is_another_process()) {
        hand_over(FINALIZES);
    }
    dsn__own_end(before);
}

static void end_on_stack(void *event)
{
    const int before = dsn__own_begin();

    hand_over(*(const enum event *)event);
    dsn__own_end(before);
}

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

static void end_process(enum event event)
{
    if (dsn__begin_if_waiting() && !is_another_process())
        dsn__with_stack(end_on_stack, &event);
    dsn__await_end(); /* another thread was faster */
    if (no_log.reason && no_log.pid == dsn__sys_getpid())
        say_why_no_log();
}

void dsn__end_process(void)
{
    end_process(ENDS);
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
    while (atomic_load(&dsn__switch.mode) == mode && !is_another_process() && dsn__now() - begin < patience)
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

    if (atomic_load(&dsn__switch.mode) == DSN_OFF || is_another_process())
        return;
    is_first = atomic_compare_exchange_strong(&exiting, &first, dsn__self()) || first == dsn__self();
    if (ends_unseen)
        dsn__end_process();
    if (is_first)
        return;
    await(DSN_ON, patience);
    dsn__await_end();
}

/* In a child whose state is still a copy of its parent's: nobody has called exit() in it yet. */
static void forget_exit(void)
{
    const uintptr_t who = atomic_exchange(&exiting, 0);

    ends_unseen |= who != 0 && who != dsn__self() && dsn__state.process.is_ending;
    dsn__state.process.is_ending = 0;
}

/* ------------------------------------------------------------------ exec */

/* As far as the C library or the kernel knows. Declared weak: glibc has it since 2.32. Only the C library knows about
 * threads that we did not see start. */
extern char __libc_single_threaded __attribute__((weak));

static bool process_has_threads(void)
{
    return !(&__libc_single_threaded && __libc_single_threaded) && dsn__threads() != 1;
}

/* Otherwise there is hardly room for an exit record. */
static bool was_room(void)
{
    return atomic_load(&dsn__arena->used) <= atomic_load(&dsn__arena->in_file) && dsn__auxiliary_is_in_file();
}

/* What is handed over is so whether exec succeeds or not: if not, what follows goes to another exit record of the same
 * program. Other threads go on until exec succeeds, and for good if it fails: then the survival file stays, which contains
 * everything. */
static void exec_on_stack(void *result)
{
    const int before = dsn__own_begin();
    const enum destination to = destinations[EXECUTES][role_of_process()];
    enum dsn_exec begun = DSN_EXEC_COUNTS;
    struct dsn_signals signals;

    dsn__lbio_figures_add();
    dsn__survival_note_exec(1);
    /* the job is named after the program that started its processes */
    dsn__run->names_job = process_has_counted() || process_has_started_any();
    if (to == COLLECT && process_has_counted()) {
        if (hand_over(EXECUTES))
            begun = DSN_EXEC_ENDED;
    } else if (to == COLLECT && dsn__drain()) { /* nobody would find the survival file */
        dsn__freeze_records();
        dsn__survival_drop();
        dsn__stop();
        begun = DSN_EXEC_ENDED;
    } else if (to == EXIT_RECORD && !process_has_threads() && was_room() && dsn__drain()) {
        dsn__freeze_records();
        dsn__signals_hold(&signals);
        if (!dsn__run->names_job) {
            begun = DSN_EXEC_NOTHING_LEFT;
        } else {
            dsn__exclude_late();
            finalize_records();
            begun = dsn__exit_record_write(DSN_FOR_COLLECTOR_OR_ITSELF, DSN_EXECUTES) ? DSN_EXEC_RECORD_LEFT
                                                                                      : DSN_EXEC_FILE_LEFT;
        }
        if (begun != DSN_EXEC_FILE_LEFT)
            dsn__survival_set_empty(1);
        free_late_records();
        dsn__signals_release(&signals);
    }
    *(enum dsn_exec *)result = begun;
    dsn__own_end(before);
}

enum dsn_exec dsn__exec_begin(void)
{
    enum dsn_exec begun = DSN_EXEC_COUNTS;

    if (dsn__is_on() && !is_another_process())
        dsn__with_stack(exec_on_stack, &begun);
    return begun;
}

/* The log has been written, but the process goes on: starts another one. Settings are kept, as in a forked child: reading
 * them again needs malloc, whose lock a thread of the parent may have held at the fork. What could be left only in the
 * survival file stays there. */
static void begin_again(void)
{
    struct dsn_inherited *inherited = dsn__inherit_save();
    const int is_child = dsn__state.process.is_child;

    if (!dsn__survival_detach(0)) {
        dsn__pages_free(inherited);
        return;
    }
    dsn__state.process.is_child = 1;
    dsn__origin->key = dsn_hash((const char *)&dsn__run->ended, sizeof dsn__run->ended,
                                dsn__origin->key); /* that name is the first log's */
    if (dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_restore(inherited, dsn__posix_inherit, dsn__mapped_inherit);
    } else {
        dsn__pages_free(inherited);
    }
    dsn__state.process.is_child = is_child;
}

static void exec_failed_on_stack(void *begun)
{
    const int before = dsn__own_begin();
    struct dsn_inherited *inherited;
    struct dsn_signals signals;

    dsn__signals_hold(&signals);
    switch (*(const enum dsn_exec *)begun) {
    case DSN_EXEC_ENDED:
        begin_again();
        if (process_has_threads()) /* they may have made calls meanwhile */
            atomic_fetch_add(&dsn__incomplete->missed, 1);
        break;
    case DSN_EXEC_NOTHING_LEFT:
        dsn__survival_set_empty(0);
        dsn__switch_back_on();
        break;
    case DSN_EXEC_RECORD_LEFT: /* counts from here on, which the reader adds to those before */
        inherited = dsn__inherit_save();
        if (dsn__start_anew()) {
            dsn__switch_on();
            dsn__inherit_restore(inherited, dsn__posix_inherit, dsn__mapped_inherit);
        } else {
            dsn__pages_free(inherited);
        }
        break;
    case DSN_EXEC_FILE_LEFT: /* nor is there room to begin anew: the survival file says that it is incomplete */
        atomic_fetch_add(&dsn__incomplete->missed, 1);
        dsn__stop();
        break;
    case DSN_EXEC_COUNTS:
        break;
    }
    dsn__signals_release(&signals);
    if (!is_another_process())
        dsn__survival_note_exec(0);
    dsn__own_end(before);
}

void dsn__exec_failed(enum dsn_exec begun)
{
    if (begun != DSN_EXEC_COUNTS)
        dsn__with_stack(exec_failed_on_stack, &begun);
    else if (!is_another_process())
        dsn__survival_note_exec(0);
}

/* ------------------------------------------------------------------ fork, clone, daemon */

/* It has run since it was forked, but as the root process of a log of its own, whose times begin with it. */
static void begin_at_fork(struct dsn_run *run)
{
    const int64_t second = 1000000000, late = dsn__clock->origin.ns + run->began - dsn__state.process.forked;
    const int64_t ns = run->start_nsec - late % second;

    if (dsn__is_root_process(dsn__member))
        return;
    run->began -= late;
    run->start_sec -= late / second + (ns < 0);
    run->start_nsec = ns + (ns < 0 ? second : 0);
}

static void begin_forked(void *unused)
{
    struct dsn_process *p = &dsn__state.process;

    (void)unused;
    if (dsn__start(0, NULL)) {
        dsn__switch_on();
        dsn__inherit_restore(p->inherited, dsn__posix_inherit, dsn__mapped_inherit);
        begin_at_fork(dsn__run);
    } else {
        dsn__pages_free(p->inherited);
    }
    p->inherited = NULL;
}

/* Called by the first call that counts, in any thread: others wait. A vfork child of this process is another. */
static bool end_waiting(void)
{
    const struct timespec nap = { 0, 100000 };
    const int64_t begin = dsn__now(), patience = 1000000000;
    const int error = errno, before = dsn__thread.inside;
    int waiting = DSN_WAITING;

    if (before == DSN_NOTING || before == DSN_OWN_WORK || dsn__sys_getpid() != dsn__switch.waiting_pid)
        return false;
    dsn__own_begin();
    if (atomic_compare_exchange_strong(&dsn__switch.mode, &waiting, DSN_BEGINNING))
        dsn__with_stack(begin_forked, NULL);
    while (atomic_load(&dsn__switch.mode) == DSN_BEGINNING && dsn__now() - begin < patience)
        nanosleep(&nap, NULL);
    dsn__own_end(before == DSN_NEW ? DSN_NEW : DSN_OUTSIDE);
    errno = error;
    return dsn__is_on();
}

/* The child goes on with records of its own, which become part of its parent's log, or of the log of the parent's
 * collector. What the parent has counted stays with the parent. */
static void child_on_stack(void *unused)
{
    const int before = dsn__own_begin();
    int was_on;

    (void)unused;
    dsn__thread.self = 0;                     /* the child's thread has another tid */
    atomic_store(&dsn__switch.mode, DSN_OFF); /* the kernel wipes it only since 4.14 */
    dsn__pages_forget();
    dsn__calls_forget(before == DSN_NOTING);
    dsn__sites_child_begins(dsn__state.process.had_threads);
    if (!dsn__survival_detach(before == DSN_NOTING)) {
        dsn__own_end(before);
        return;
    }
    dsn__times_forget(); /* from here on the state is its own */
    atomic_store(&dsn__io_time->can_overlap, 0);
    was_on = dsn__state.process.is_on;
    if (was_on)
        dsn__state.process.inherited = dsn__inherit_save();
    dsn__state.process.is_child = 1;
    dsn__state.process.has_forked = 0; /* the copy of the parent's flag may be set */
    dsn__state.process.forked = dsn__now();
    dsn__mpi_forget();
    if (was_on)
        dsn__stop();
    if (was_on && before == DSN_NOTING) { /* that note goes on with the parent's tables */
        begin_forked(NULL);
    } else {
        dsn__survival_unmap(); /* the child would keep the parent's survival file alive */
        if (was_on) {
            /* Most children execute another program at once: only one that does something else, or forks, needs
             * records. */
            dsn__switch.waiting_pid = dsn__sys_getpid();
            dsn__switch.end_waiting = end_waiting;
            atomic_store(&dsn__switch.mode, DSN_WAITING);
        }
    }
    dsn__own_end(before);
}

static __thread int becomes_daemon __attribute__((tls_model("initial-exec")));

void dsn__child_begins(void)
{
    const int error = errno;

    becomes_daemon = 0;
    if (dsn__state.process.is_filtered) /* no call may be made */
        return;
    dsn__drop_stderr();
    forget_exit();
    dsn__with_stack(child_on_stack, NULL);
    errno = error;
}

/* For a child's call sites alone, which this system call is worth. */
static void note_threads(void)
{
    if (dsn__config->call_sites)
        dsn__state.process.had_threads = process_has_threads();
}

bool dsn__parent_begins(void)
{
    if (!dsn__begin_if_waiting())
        return false;
    note_threads();
    dsn__state.process.has_forked = 1;
    dsn__fds_pass_on();
    return true;
}

/* Its child will need it as its parent. */
static void parent_will_fork(void)
{
    const int error = errno;

    dsn__begin_if_waiting();
    note_threads();
    errno = error;
}

/* The fork handler in the parent, called after a failed fork, too. */
static void parent_has_forked(void)
{
    const int error = errno;

    dsn__state.process.has_forked = 1;
    if (dsn__is_on())
        dsn__fds_pass_on();
    if (becomes_daemon)
        dsn__end_process();
    errno = error;
}

void dsn__daemon_begin(void)
{
    becomes_daemon = dsn__begin_if_waiting();
}

void dsn__daemon_failed(void)
{
    if (becomes_daemon && !dsn__is_on())
        begin_again();
    becomes_daemon = 0;
}

#ifdef DSN_PRELOAD
/* glibc's implementation of pthread_atfork(). Called without a library handle: handlers registered with one are dropped
 * when that library's destructors have run, and this process writes its log after those. */
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);
#endif

/* quick_exit runs no destructors; its handlers run last to first. */
void dsn__watch_forks(void)
{
    if (dsn__state.process.forks_watched)
        return;
    at_quick_exit(dsn__end_process);
#ifdef DSN_PRELOAD
    if (dsn__state.process.ends_last) {
        dsn__state.process.forks_watched =
            __register_atfork(parent_will_fork, parent_has_forked, dsn__child_begins, NULL) == 0;
        return;
    }
#endif
    dsn__state.process.forks_watched = pthread_atfork(parent_will_fork, parent_has_forked, dsn__child_begins) == 0;
}

/* ------------------------------------------------------------------ filters */

/* Value of DSN_TREE_VARIABLE for programs that this process executes. */
static const char under_filter[] = "sandbox";

static char tree_before[DSN_SURVIVAL_PATH_MAX + 64];

bool dsn__filter_begin(void)
{
    const char *tree;
    int before;

    if (!dsn__begin_if_waiting() || is_another_process())
        return false;
    before = dsn__own_begin();
    tree = getenv(DSN_TREE_VARIABLE);
    dsn__format(tree_before, sizeof tree_before, "%s", tree ? tree : "");
    dsn__environment_set(DSN_TREE_VARIABLE, under_filter);
    dsn__state.process.is_filtered = 1;
    atomic_fetch_add(&dsn__incomplete->missed, 1);
    dsn__own_end(before);
    end_process(INSTALLS_FILTER);
    return true;
}

void dsn__filter_failed(int ended)
{
    /* a rank has left what it has counted to the others, who expect no more of it */
    if (!ended || dsn__mpi->attached)
        return;
    dsn__state.process.is_filtered = 0;
    if (tree_before[0])
        dsn__environment_set(DSN_TREE_VARIABLE, tree_before);
    else
        unsetenv(DSN_TREE_VARIABLE);
    begin_again();
}

bool dsn__has_inherited_filter(void)
{
    for (int i = 0; i < DSN_NNAMINGS; i++) {
        const char *tree = secure_getenv(dsn__namings[i].tree_variable);

        if (tree && strcmp(tree, under_filter) == 0)
            return true;
    }
    return false;
}

/* state.c - begins, suspends and ends recording (enum dsn_mode), and composes the state
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/warn.h"
#include "base/zone.h"
#include "config/config.h"
#include "config/job.h"
#include "config/mounts.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "log/deflate.h"
#include "module/mpiio.h"
#include "module/shared/auxiliary.h"
#include "module/shared/calls.h"
#include "module/shared/phase.h"
#include "module/shared/sites.h"
#include "record/arena.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "record/finalize.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pending.h"
#include "record/record.h"
#include "record/span.h"
#include "record/times.h"
#include "survive/process-tree.h"
#include "survive/survival.h"

#define SMALLEST_ARENA (256 * 1024)
#define FEW            8192 /* arena bytes populated at start: enough for a process that opens no files */

_Alignas(DSN_PAGE) struct dsn_state dsn__state;

struct dsn_survival *const dsn__survival = &dsn__state.head.survival_file;
struct dsn_member *const dsn__member = &dsn__state.head.member;
struct dsn_origin *const dsn__origin = &dsn__state.head.origin;
struct dsn_clock *const dsn__clock = &dsn__state.head.clock;
struct dsn_incomplete *const dsn__incomplete = &dsn__state.incomplete;
struct dsn_call_sum *const dsn__recordless = dsn__state.recordless;
struct dsn_config *const dsn__config = &dsn__state.config;
struct dsn_run *const dsn__run = &dsn__state.run;
struct dsn_mpi_use *const dsn__mpi = &dsn__state.mpi;
struct dsn_arena *const dsn__arena = &dsn__state.arena;
struct dsn_auxiliary *const dsn__auxiliary = &dsn__state.auxiliary;
struct dsn_names *const dsn__names = &dsn__state.names;
struct dsn_io_time *const dsn__io_time = &dsn__state.io_time;
struct dsn_finalizing *const dsn__finalizing = &dsn__state.finalizing;
struct dsn_deflate **const dsn__deflate_work = &dsn__state.deflate;
char **const dsn__late_records = dsn__state.late_records;
struct dsn_exclusions *const dsn__exclusions = &dsn__state.exclusions;
struct dsn_file_systems *const dsn__file_systems = &dsn__state.file_systems;
struct dsn_lookup *const dsn__lookup = &dsn__state.lookup;
struct dsn_fds *const dsn__fds = &dsn__state.fds;
_Atomic(uint64_t) *const dsn__known = dsn__state.known;
struct dsn_mounts *const dsn__mounts = &dsn__state.mounts;
struct dsn_handle_map *const dsn__mpi_files = &dsn__state.mpi_files;
struct dsn_rings *const dsn__rings = &dsn__state.rings;
struct dsn_pending_table *const dsn__pending = &dsn__state.pending;
struct dsn_h5_handles *const dsn__h5 = &dsn__state.h5;
struct dsn_pnetcdf_handles *const dsn__pnetcdf = &dsn__state.pnetcdf;
struct dsn_daos_handles *const dsn__daos = &dsn__state.daos;
struct dsn_cufile_handles *const dsn__cufile = &dsn__state.cufile;

#define STATE_IN_FILE offsetof(struct dsn_state, config_text)

_Static_assert(STATE_IN_FILE % DSN_PAGE == 0, "the part of the state that is in a survival file is whole pages");
char *const dsn__survival_state = (char *)&dsn__state;
const size_t dsn__survival_state_size = STATE_IN_FILE;

const struct dsn_recording dsn__recording = { .names = &dsn__state.names,
                                              .incomplete = &dsn__state.incomplete,
                                              .recordless = dsn__state.recordless,
                                              .io_time = &dsn__state.io_time,
                                              .lbio = dsn__state.lbio,
                                              .arena = &dsn__state.arena,
                                              .auxiliary = &dsn__state.auxiliary,
                                              .finalizing = &dsn__state.finalizing,
                                              .clock = &dsn__state.head.clock,
                                              .run = &dsn__state.run,
                                              .config = &dsn__state.config,
                                              .member = &dsn__state.head.member,
                                              .origin = &dsn__state.head.origin };

const struct dsn_state_offsets dsn__state_offsets = { .whole = sizeof(struct dsn_state),
                                                      .incomplete = offsetof(struct dsn_state, incomplete),
                                                      .recordless = offsetof(struct dsn_state, recordless),
                                                      .io_time = offsetof(struct dsn_state, io_time),
                                                      .lbio = offsetof(struct dsn_state, lbio),
                                                      .config = offsetof(struct dsn_state, config),
                                                      .run = offsetof(struct dsn_state, run),
                                                      .arena = offsetof(struct dsn_state, arena),
                                                      .auxiliary = offsetof(struct dsn_state, auxiliary),
                                                      .names = offsetof(struct dsn_state, names),
                                                      .finalizing = offsetof(struct dsn_state, finalizing) };

static size_t whole_pages(size_t size)
{
    return (size + DSN_PAGE - 1) & ~(size_t)(DSN_PAGE - 1);
}

/* Sized for about as many files as the arena can hold, most of which are only opened and closed. */
static size_t table_of_names(const struct dsn_arena *a, size_t *most)
{
    *most = DSN_FEW_NAMES;
    while (*most < a->size / 512)
        *most *= 2;
    return whole_pages(*most * sizeof dsn__names->entry[0]);
}

static size_t at_most(size_t size, size_t most)
{
    const size_t modest = DSN_ARENA_FIRST;

    most = most > modest ? most : modest;
    return size < most ? size : most;
}

/* The limits of a program are for itself: of its address space it loses a small part at most, and a survival file that
 * is larger than a file may be could not be made. */
static size_t within_limits(size_t size, size_t beside)
{
    struct rlimit space, file;

    if (dsn__sys_getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        size = at_most(size, space.rlim_cur / 64);
    if (dsn__sys_getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur != RLIM_INFINITY)
        size = at_most(size, file.rlim_cur > beside ? file.rlim_cur - beside : 0);
    return size;
}

/* Makes the survival file, which from here on has the state and the arena in it (dsn__survival_map); without one both are
 * anonymous memory. It is address space, which becomes memory as it is used; under RLIMIT_AS, as much as there is. The
 * auxiliary buffers follow the arena. */
static bool make_state_and_arena(struct dsn_arena *a, size_t size)
{
    const size_t auxiliary = dsn__auxiliary_size();
    size_t most;

    a->base = NULL;
    size = within_limits(size, dsn__survival_state_size + auxiliary);
    for (a->wanted = size; size >= SMALLEST_ARENA && !a->base; size /= 2) {
        a->size = size & ~(size_t)(DSN_PAGE - 1);
        a->base = dsn__survival_map(a->size + auxiliary, table_of_names(a, &most), whole_pages(FEW));
    }
    if (a->size < a->wanted - DSN_PAGE)
        dsn__say("%s of the memory of DARSHAN_MODMEM and DARSHAN_NAMEMEM could be allocated",
                 a->base ? "only a part" : "nothing");
    if (!a->base)
        return false;
    a->first = table_of_names(a, &most);
    atomic_store(&a->in_file, a->size);
    atomic_store(&a->used, a->first);
    atomic_store(&a->present, a->first + whole_pages(FEW));
    dsn__arena_start(a);
    dsn__auxiliary_start(a->base + a->size, auxiliary);
    return true;
}

/* The table has room in the arena from the beginning, but few processes have enough names to use it. A note of a forked
 * child that goes on with its parent's pointers must find neither table in this process. */
static bool make_names(struct dsn_names *n, const struct dsn_arena *a, int is_within_note)
{
    table_of_names(a, &n->most);
    n->entry = dsn__lookup->few_names;
    n->nentries = DSN_FEW_NAMES;
    if (is_within_note && !dsn__names_to_arena())
        return false;
    n->is_filled = 1;
    n->entry[0] = 0; /* a store, because a page that is first read costs another fault */
    n->last = &n->first;
    for (int i = 0; i < DSN_NMODULES; i++)
        n->last_state[i] = &n->first_state[i];
    return true;
}

/* localtime_r as far as log names need it, from the UTC offset at program start. A forked child must not call the C
 * library: a thread of its parent may have held the time zone lock. Source of the calendar: Howard Hinnant,
 * "chrono-Compatible Low-Level Date Algorithms", civil_from_days */
static void local_time(int64_t seconds, int64_t from_utc, struct tm *t)
{
    const int64_t local = seconds + from_utc, days = local / 86400 + 719468; /* since March 1st of year 0 */
    const int in_day = (int)(local % 86400);
    const int in_era = (int)(days % 146097); /* 400-year cycles */
    const int year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const int in_year = in_era - (365 * year + year / 4 - year / 100);
    const int month = (5 * in_year + 2) / 153; /* counted from March */

    memset(t, 0, sizeof *t);
    t->tm_sec = in_day % 60;
    t->tm_min = in_day / 60 % 60;
    t->tm_hour = in_day / 3600;
    t->tm_mday = in_year - (153 * month + 2) / 5 + 1;
    t->tm_mon = (month + 2) % 12;
    t->tm_year = (int)(days / 146097) * 400 + year + (month >= 10) - 1900;
    t->tm_gmtoff = (long)from_utc;
}

static void find_local_start(void)
{
    const time_t start = dsn__run->start_sec;

    if (dsn__state.process.is_child || !dsn__is_root_process(dsn__member) ||
        dsn__from_utc(start, &dsn__member->from_utc)) {
        local_time(start, dsn__member->from_utc, &dsn__run->start_local);
    } else {
        localtime_r(&start, &dsn__run->start_local); /* now: at shutdown the process may be inside malloc */
        dsn__member->from_utc = dsn__run->start_local.tm_gmtoff;
    }
}

static void zero_range(char *from, const void *to)
{
    memset(from, 0, (size_t)((const char *)to - from));
}

/* Resets everything but the process's identity and its settings. */
static void forget_records(struct dsn_state *s, int keep)
{
    const struct dsn_survival survival_file = s->head.survival_file;
    const struct dsn_member member = s->head.member;
    const struct dsn_origin origin = s->head.origin;
    const struct dsn_process process = s->process;
    const struct dsn_mpi_use mpi = s->mpi;       /* MPI stays as it is when recording begins anew */
    const int matching = s->exclusions.matching; /* the expressions' lock is in the state in which the parent had it */

    dsn__times_forget();
    dsn__phase_forget();
    zero_range((char *)s, &s->config);
    zero_range((char *)(&s->config + 1), s->config_text);
    zero_range(s->config_text + sizeof s->config_text, &s->fds);
    dsn__fds_forget(keep);
    if (!keep)
        dsn__aggregated_free(&s->lookup.aggregated);
    zero_range((char *)s->known, s + 1);
    s->head.survival_file = survival_file;
    s->head.member = member;
    s->head.origin = origin;
    s->process = process;
    s->mpi = mpi;
    s->process.is_ending = 0;
    s->exclusions.matching = matching;
}

/* Frees what a forked child inherits; it has one thread. */
static void forget_life(struct dsn_state *s)
{
    struct dsn_survival *survival = &s->head.survival_file;
    const int keep = survival->keep;

    dsn__survival_unmap();
    forget_records(s, keep);
    zero_range((char *)survival, survival->directory);
    zero_range(survival->path, survival + 1);
}

/* `can_overlap`: other threads have made calls before. */
static void begin_times(int can_overlap)
{
    dsn__io_time->first = dsn__self();
    if (can_overlap)
        dsn__calls_overlap();
}

/* Populates the pages that nearly every process stores to, in one call instead of one fault each. With larger pages the
 * kernel refuses; they would be more than what is used. */
static void populate_pages(void *from, const void *to)
{
    const uintptr_t smallest = 4096;
    char *first = (char *)((uintptr_t)from & ~(smallest - 1));

    dsn__sys_madvise(first, (size_t)((const char *)to - first), MADV_POPULATE_WRITE);
}

/* Returns false if there is no memory, or the settings disable recording. */
static bool begin_recording(struct dsn_state *s, int argc, char **argv)
{
    const int can_overlap = atomic_load(&s->io_time.can_overlap), is_within_note = dsn__survival->keep;
    struct timespec now;
    int is_excluded;

    /* An empty state. A process that starts has nothing to free, and does not read pages that it is about to write. */
    s->process.is_excluded = 0;
    populate_pages(s, s->config_text);
    populate_pages(s->config_text + sizeof s->config_text, &s->fds.first_fds[16]);
    if (s->process.has_begun)
        forget_life(s);
    dsn__survival->magic = 0;
    atomic_store(&dsn__fds->first_fd_page, NULL);
    s->process.has_begun = 1;

    /* Times count from here, and the log says when that was. */
    dsn__clock_start(dsn__clock, 1);
    clock_gettime(CLOCK_REALTIME, &now);
    dsn__run->start_sec = now.tv_sec;
    dsn__run->start_nsec = now.tv_nsec;
    begin_times(can_overlap);
    dsn__run->pid = dsn__sys_getpid();
    dsn__process_used(dsn__run->used_before);
    dsn__run->rank = 0;
    dsn__run->nprocs = 1;

    /* Whether it records. A forked child keeps its parent's settings: files are read, and malloc is called, only when a
     * program starts. */
    if (!s->process.is_child || !dsn__config->loaded) {
        dsn__exclusions->matching = 0;
        dsn__config_free(dsn__config);
        dsn__config_load(dsn__config, s->config_text, sizeof s->config_text);
    }
    dsn__exe_load(argc, argv, dsn__run->exe, sizeof dsn__run->exe);
    is_excluded = dsn__config_skips_program(dsn__config, dsn__run->exe);
    if (dsn__config->disable || (is_excluded && !s->process.is_without_mpi) ||
        dsn__config_is_own_program(dsn__run->exe))
        return false;

    /* Whose process tree. If each process writes a log, each child is the root of one. */
    if (!s->process.is_child)
        dsn__origin_load(dsn__origin);
    else if (dsn__config->log_per_process)
        dsn__origin->key = dsn_hash((const char *)&dsn__run->pid, sizeof dsn__run->pid, dsn__origin->key);
    dsn__process_tree_join(s->process.is_child);
    if (dsn__origin->jobid_is_pid)
        dsn__origin->jobid = dsn__pid_of(dsn__member->root); /* one job, as its log will say */
    s->process.is_excluded = is_excluded && dsn__is_root_process(dsn__member);
    if (s->process.is_excluded)
        dsn__exclude_all();
    else if (is_excluded)
        return false;
    if (!dsn__is_root_process(dsn__member))
        dsn__file_systems_by_file();
    find_local_start();
    dsn__calls_start();

    if (make_state_and_arena(dsn__arena, (size_t)(dsn__config->record_memory + dsn__config->name_memory)) &&
        make_names(dsn__names, dsn__arena, is_within_note))
        return true;
    dsn__survival_drop();
    return false;
}

bool dsn__start(int argc, char **argv)
{
    int off = DSN_OFF, begun;

    if (atomic_load(&dsn__switch.mode) != DSN_BEGINNING &&
        !atomic_compare_exchange_strong(&dsn__switch.mode, &off, DSN_STARTING))
        return false;
    dsn__environment_note();
    begun = begin_recording(&dsn__state, argc, argv);
    dsn__environment_forget();
    if (!begun) {
        atomic_store(&dsn__switch.mode, DSN_OFF);
        return false;
    }
    if (dsn__survival->is_file)
        dsn__survival->magic = DSN_SURVIVAL_MAGIC;
    dsn__thread.number = 0;
    dsn__thread.traced = dsn__thread.pause = 0;
    return true;
}

void dsn__switch_on(void)
{
    dsn__state.process.is_on = 1;
    dsn__sites_start(dsn__config->call_sites);
    atomic_store(&dsn__switch.mode, DSN_ON);
    dsn__modules_start();
}

bool dsn__drain(void)
{
    int on = DSN_ON;

    if (!atomic_compare_exchange_strong(&dsn__switch.mode, &on, DSN_DRAINING))
        return false;
    atomic_store(&dsn__switch.drainer, dsn__self());
    dsn__calls_end();
    return true;
}

/* Waits until every lock has been released; notes that start later see that the library is off. */
void dsn__freeze_records(void)
{
    if (!dsn__spin(&dsn__names->lock))
        return;
    for (int i = 0; i < DSN_NMODULES; i++)
        for (struct dsn_record_state *state = dsn__names->first_state[i]; state; state = state->next)
            if (dsn__spin(&state->lock))
                dsn__unspin(&state->lock);
    dsn__unspin(&dsn__names->lock);
    dsn__times_flush();
}

bool dsn__start_anew(void)
{
    struct dsn_state *s = &dsn__state;
    const struct dsn_clock clock = s->head.clock;
    const struct dsn_run run = s->run;
    const struct dsn_arena arena = s->arena;
    const struct dsn_auxiliary auxiliary = s->auxiliary;
    const int can_overlap = atomic_load(&s->io_time.can_overlap);

    forget_records(s, 0);
    s->head.clock = clock;
    begin_times(can_overlap);
    s->run = run;
    s->run.names_job = 0;
    s->arena = arena;
    s->auxiliary = auxiliary;
    if (!s->process.has_forked) /* a child may still read the names in it: new ones are appended */
        dsn__arena_start(&s->arena);
    dsn__auxiliary_start_again();
    if (!dsn__is_root_process(dsn__member))
        dsn__file_systems_by_file();
    if (!make_names(dsn__names, dsn__arena, 0))
        return false;
    dsn__survival_begin_again();
    atomic_store(&dsn__switch.mode, DSN_STARTING);
    return true;
}

void dsn__switch_back_on(void)
{
    dsn__state.process.is_on = 1;
    dsn__sites_start(dsn__config->call_sites);
    atomic_store(&dsn__switch.mode, DSN_ON);
}

/* Another thread may be anywhere in a note and still follow pointers into the arena: all memory stays until the next
 * start. */
void dsn__stop(void)
{
    dsn__state.process.is_on = 0;
    atomic_store(&dsn__switch.mode, DSN_OFF);
}

bool dsn__has_started_processes(void)
{
    return dsn__state.process.has_forked || atomic_load(&dsn__fds->are_passed_on);
}

void dsn__mpi_forget(void)
{
    if (!dsn__mpi->table) /* a child does not store without need */
        return;
    dsn__mpi->table = NULL;
    dsn__mpi->attached = 0;
    dsn__mpi->waits = 0;
}

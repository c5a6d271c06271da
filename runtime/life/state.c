/* state.c - the library's life: off, on, draining, off
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/state.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "record/arena.h"
#include "base/environment.h"
#include "config/job.h"
#include "base/kernel.h"
#include "record/span.h"
#include "record/start.h"
#include "base/zone.h"
#include "darshan-log-format/hash.h"

#define SMALLEST_ARENA  (256 * 1024)
#define LINE            64   /* bytes of cache */
#define FEW             8192 /* bytes that are there from the beginning: what a process needs that opens no files */
#define KEPT_IN_SANDBOX 32768
#define MANY            65536 /* that are asked for at once, at most */

_Alignas(DSN_PAGE) struct dsn_state dsn__state;
struct dsn_switch dsn__switch;

int64_t dsn__now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static size_t whole_pages(size_t size)
{
    return (size + DSN_PAGE - 1) & ~(size_t)(DSN_PAGE - 1);
}

/* An entry for about as many files as the arena can hold, most of which are only opened and closed. */
static size_t table_of_names(const struct dsn_arena *a, size_t *most)
{
    *most = DSN_FEW_NAMES;
    while (*most < a->size / 512)
        *most *= 2;
    return whole_pages(*most * sizeof dsn__state.names.entry[0]);
}

/* Address space, which becomes memory as it is used; where there is not so much of it, as much as there is. Behind the
 * arena is the memory beside it. */
static int make_arena(struct dsn_arena *a, size_t size)
{
    const size_t side = dsn__side_size();
    size_t most;

    a->base = NULL;
    for (a->wanted = size; size >= SMALLEST_ARENA && !a->base; size /= 2) {
        a->size = size & ~(size_t)(DSN_PAGE - 1);
        a->base = dsn__image_map(a->size + side, table_of_names(a, &most), whole_pages(FEW));
    }
    if (a->size < a->wanted - DSN_PAGE)
        dsn__say("%s of the memory of DARSHAN_MODMEM and DARSHAN_NAMEMEM is to be had",
                 a->base ? "only a part" : "nothing");
    if (!a->base)
        return 0;
    atomic_store(&a->reserve, a->size / 16);
    atomic_store(&a->used, 0);
    atomic_store(&a->promised, 0);
    atomic_store(&a->present, 0);
    dsn__side_start(a->base + a->size, side);
    return 1;
}

/* Pages that come one by one, each at its first touch, are what a new file would cost most. Kernels that do not know
 * the request give them so all the same. Most processes need few: it is twice as many each time. Two threads may ask
 * for the same ones; nobody goes on before they are there. */
static void have_present(struct dsn_arena *a, size_t until)
{
    size_t from = atomic_load_explicit(&a->present, memory_order_acquire), more, to;

    if (until <= from)
        return;
    more = from - a->first;
    to = whole_pages(until + (more < MANY ? more : MANY));
    to = to < a->size ? to : a->size;
    dsn__image_have(a->base + from, to - from);
    while (from < to && !atomic_compare_exchange_weak(&a->present, &from, to))
        ;
}

/* There is what is present already. The last of it is for what further files are counted in together. */
static size_t in_sandbox(const struct dsn_arena *a, size_t limit)
{
    const size_t kept = limit < a->size ? KEPT_IN_SANDBOX : 0, present = atomic_load(&a->present);
    const size_t most = present > kept ? present - kept : 0;

    return limit < most ? limit : most;
}

/* `align` is a power of two. */
static void *take(struct dsn_arena *a, size_t size, size_t align, size_t limit)
{
    size_t used = atomic_load_explicit(&a->used, memory_order_relaxed), at;

    if (dsn__are_calls_barred())
        limit = in_sandbox(a, limit);
    do {
        at = (used + align - 1) & ~(align - 1);
        if (size > limit || at > limit - size)
            return NULL;
    } while (!atomic_compare_exchange_weak(&a->used, &used, at + size));
    have_present(a, at + size);
    return a->base + at;
}

/* What two threads may write at a time shares no line of cache; names and what else is small only lies there to be
 * read. */
static size_t align_of(size_t size)
{
    return size < 200 ? 8 : LINE;
}

void dsn__alloc_prepare(size_t size)
{
    struct dsn_arena *a = &dsn__state.arena;
    const size_t until = atomic_load(&a->used) + size;

    have_present(a, until < a->size ? until : a->size);
}

void *dsn__alloc(size_t size)
{
    return take(&dsn__state.arena, size, align_of(size), dsn__state.arena.size - dsn__state.arena.reserve);
}

/* Down to where what is kept begins. */
static void *take_free(struct dsn_arena *a, size_t size)
{
    return take(a, size, align_of(size), a->size - a->reserve - atomic_load(&a->promised));
}

void *dsn__alloc_file(size_t size)
{
    return take_free(&dsn__state.arena, size);
}

int dsn__alloc_promise(size_t size)
{
    struct dsn_arena *a = &dsn__state.arena;
    size_t promised = atomic_load(&a->promised);

    do {
        if (promised + size + LINE > a->size / 4)
            return 0;
    } while (!atomic_compare_exchange_weak(&a->promised, &promised, promised + size + LINE));
    return 1;
}

void *dsn__alloc_access(size_t size, int promised)
{
    struct dsn_arena *a = &dsn__state.arena;

    if (promised)
        atomic_fetch_sub(&a->promised, size + LINE);
    return take_free(a, size);
}

void *dsn__alloc_reserved(size_t size)
{
    struct dsn_arena *a = &dsn__state.arena;
    void *p = take(a, size, align_of(size), a->size);
    size_t reserve = atomic_load(&a->reserve), less;

    do
        less = reserve > size + LINE ? reserve - size - LINE : 0;
    while (p && !atomic_compare_exchange_weak(&a->reserve, &reserve, less));
    return p;
}

/* The table has its place in the arena from the beginning, but few processes have so many names that it is used. A note
 * that goes on with what the parent had must find neither in this process. */
static int make_names(struct dsn_names *n, struct dsn_arena *a)
{
    a->first = table_of_names(a, &n->most);
    atomic_store(&a->present, a->first + whole_pages(FEW));
    if (!dsn__alloc(a->first))
        return 0;
    n->entry = dsn__state.few_names;
    n->nentries = DSN_FEW_NAMES;
    if (dsn__state.image.keep && !dsn__names_to_arena())
        return 0;
    n->is_filled = 1;
    n->entry[0] = 0; /* a page that is read first costs twice */
    n->last = &n->first;
    for (int i = 0; i < DSN_NSLOTS; i++)
        n->live_last[i] = &n->live_first[i];
    return 1;
}

/* A forked child goes on with its parent's settings: a file is read, and malloc called, when a program starts only. */
static void load_settings(struct dsn_state *s)
{
    if (s->process.is_child && s->config.loaded)
        return;
    s->exclude.matching = 0;
    dsn__config_free(&s->config);
    dsn__config_load(&s->config, s->config_text, sizeof s->config_text);
}

/* What localtime_r makes of it, as far as log names need it, from how far local time was from UTC when the program
 * started. A forked child must not ask the C library: a thread of its parent may have held the lock of the time zone.
 * Source of the calendar: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days */
static void local_time(int64_t seconds, int64_t from_utc, struct tm *t)
{
    const int64_t local = seconds + from_utc, days = local / 86400 + 719468; /* since March 1st of the year 0 */
    const int in_day = (int)(local % 86400);
    const int in_era = (int)(days % 146097); /* 400 years */
    const int year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const int in_year = in_era - (365 * year + year / 4 - year / 100);
    const int month = (5 * in_year + 2) / 153; /* from March on */

    memset(t, 0, sizeof *t);
    t->tm_sec = in_day % 60;
    t->tm_min = in_day / 60 % 60;
    t->tm_hour = in_day / 3600;
    t->tm_mday = in_year - (153 * month + 2) / 5 + 1;
    t->tm_mon = (month + 2) % 12;
    t->tm_year = (int)(days / 146097) * 400 + year + (month >= 10) - 1900;
    t->tm_gmtoff = (long)from_utc;
}

static void note_start(struct dsn_state *s)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    s->start_sec = now.tv_sec;
    s->start_nsec = now.tv_nsec;
    if (s->process.is_child || s->family.host != s->family.pid || dsn__from_utc(now.tv_sec, &s->family.from_utc)) {
        local_time(now.tv_sec, s->family.from_utc, &s->start_local);
    } else {
        localtime_r(&now.tv_sec, &s->start_local); /* now: at the end it might be inside malloc */
        s->family.from_utc = s->start_local.tm_gmtoff;
    }
}

static void clear(char *from, const void *to)
{
    memset(from, 0, (size_t)((const char *)to - from));
}

/* Forgets a former life, of which only a forked child, with one thread, has any; but not its settings, and to whom it
 * belonged. */
static void forget_life(struct dsn_state *s)
{
    const struct dsn_image image = s->image;
    const struct dsn_family family = s->family;
    const struct dsn_origin origin = s->origin;
    const struct dsn_process process = s->process;
    const int matching = s->exclude.matching; /* the lock in an expression is as the parent's was */

    dsn__image_unmap();
    if (!image.keep)
        dsn__small_forget();
    clear((char *)s, &s->config);
    clear((char *)(&s->config + 1), s->config_text);
    clear(s->config_text + sizeof s->config_text, s->first_small);
    if (!image.keep)
        clear(s->first_small, s->known);
    s->pool.has_begun = s->pool.has_fds = image.keep;
    clear((char *)s->known, s + 1);
    memcpy(s->image.directory, image.directory, sizeof image.directory);
    s->family = family;
    s->origin = origin;
    s->process = process;
    s->exclude.matching = matching;
}

/* A process that starts has no life to forget, and does not look at pages for it that it is going to write to. */
static void forget(struct dsn_state *s)
{
    if (s->process.has_begun)
        forget_life(s);
    s->image.magic = 0;
    atomic_store(&s->first_fd_page, NULL);
    s->process.has_begun = 1;
}

/* In a family of its own each child has a log of its own, too. */
static void find_origin(struct dsn_state *s)
{
    if (!s->process.is_child)
        dsn__origin_load(&s->origin);
    else if (s->config.log_per_process)
        s->origin.key = dsn_hash((const char *)&s->pid, sizeof s->pid, s->origin.key);
}

/* Pages that nearly every process stores to, together: one by one, at the first store, they would cost more. A kernel
 * with larger pages refuses: they would be more than are stored to. */
static void have_pages(void *from, const void *to)
{
    const uintptr_t smallest = 4096;
    char *first = (char *)((uintptr_t)from & ~(smallest - 1));

    dsn__sys_madvise(first, (size_t)((const char *)to - first), MADV_POPULATE_WRITE);
}

/* 0: there is no memory, or the settings forbid it. */
static int begin(struct dsn_state *s, int argc, char **argv)
{
    have_pages(s, s->config_text);
    have_pages(s->config_text + sizeof s->config_text, &s->first_fds[16]);
    forget(s);
    dsn__clock_start(&s->clock, 1);
    s->pid = dsn__sys_getpid();
    s->rank = 0;
    s->nprocs = 1;
    load_settings(s);
    dsn__exe_load(argc, argv, s->exe, sizeof s->exe);
    if (s->config.disable || dsn__config_skips_program(&s->config, s->exe))
        return 0;
    find_origin(s);
    dsn__family_join(s->process.is_child);
    if (s->family.host != s->family.pid)
        dsn__file_systems_by_file();
    note_start(s);
    if (make_arena(&s->arena, (size_t)(s->config.record_memory + s->config.name_memory)) &&
        make_names(&s->names, &s->arena))
        return 1;
    dsn__image_drop();
    return 0;
}

int dsn__start(int argc, char **argv)
{
    struct dsn_state *s = &dsn__state;
    int off = DSN_OFF, begun;

    if (!atomic_compare_exchange_strong(&dsn__switch.mode, &off, DSN_STARTING))
        return 0;
    dsn__environment_note();
    begun = begin(s, argc, argv);
    dsn__environment_forget();
    if (!begun) {
        atomic_store(&dsn__switch.mode, DSN_OFF);
        return 0;
    }
    if (s->image.is_file)
        s->image.magic = DSN_IMAGE_MAGIC;
    dsn__thread.number = 0;
    if (!s->process.forks_watched)
        s->process.forks_watched = dsn__watch_forks();
    return 1;
}

void dsn__switch_on(void)
{
    dsn__state.process.is_on = 1;
    atomic_store(&dsn__switch.mode, DSN_ON);
    dsn__modules_start();
}

int dsn__drain(void)
{
    int on = DSN_ON;

    if (!atomic_compare_exchange_strong(&dsn__switch.mode, &on, DSN_DRAINING))
        return 0;
    atomic_store(&dsn__switch.drainer, dsn__self());
    return 1;
}

/* Whoever holds a lock finishes its note; whoever comes later sees that the library is not on. */
void dsn__freeze_records(void)
{
    if (!dsn__spin(&dsn__state.names.lock))
        return;
    for (int i = 0; i < DSN_NSLOTS; i++)
        for (struct dsn_live *l = dsn__state.names.live_first[i]; l; l = l->next)
            if (dsn__spin(&l->lock))
                dsn__unspin(&l->lock);
    dsn__unspin(&dsn__state.names.lock);
}

/* Another thread may be anywhere in a note and still follow pointers into the arena: everything stays as it is until
 * the library is started again. */
void dsn__stop(void)
{
    dsn__state.mpi = NULL;
    dsn__state.mpi_attached = 0;
    dsn__state.process.is_on = 0;
    atomic_store(&dsn__switch.mode, DSN_OFF);
}

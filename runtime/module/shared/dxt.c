/* dxt.c - traces: storage during the run, and conversion for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/dxt.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "config/job.h"
#include "config/settings.h"
#include "darshan-log-format/varying.h"
#include "module/shared/auxiliary.h"
#include "record/exclude.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/salvaged.h"
#include "record/span.h"

#define LENGTH_BITS   40
#define DURATION_BITS 24
#define MANTISSA_BITS 19 /* of a duration; above that a floating-point format */
#define THREAD_BITS   9
#define LENGTH_MOST   ((UINT64_C(1) << LENGTH_BITS) - 257) /* see STAMP */
#define PAUSE         1000000 /* ns after which CPU time is read. Source: spec analysis.md C0.2 */
#define CHUNK_LEAST   8
#define CHUNK_MOST    256

_Static_assert(DSN_TRACE_THREADS == 1 << THREAD_BITS, "threads");

struct entry {
    int64_t offset;
    uint64_t extent; /* length, then duration in the low bits */
    uint64_t when;   /* ticks from time zero to the start, then thread and direction */
};

/* An entry with a length that no operation has is a CPU time: that of a thread at the end of the operation that started
 * at `when`, in ns in `offset`; the low half of `extent` is the kernel thread id. */
#define STAMP ((uint64_t)UINT32_MAX << 32)

static bool is_stamp(const struct entry *e)
{
    return (e->extent & STAMP) == STAMP;
}

struct chunk {
    struct chunk *next;
    uint32_t n, room;
    struct entry entry[];
};

/* Guarded by the lock of the traced module's record. */
struct dsn_trace {
    struct dsn_record_state state;
    struct chunk *first, *last; /* `last` is being filled; those after it are empty */
    uint64_t seen, left_out;    /* numbers of operations */
    uint64_t mask;              /* every (mask + 1)th operation is kept */
    enum dsn_tracing interface;
    const struct dsn_dxt_segment *loaded; /* of another process: write segments, then read segments */
    int64_t nwrites, nreads;
    const struct dsn_cpu_stamp *stamps; /* after them */
    size_t nstamps;
    struct dsn_trace *more; /* traces of other processes that are merged into this one */
};

/* Sentinels for a record without a trace. */
static const struct dsn_trace excluded, no_memory;

static const enum dsn_module_index modules[DSN_NTRACES] = {
    [DSN_TRACE_POSIX] = DSN_INDEX_DXT_POSIX,
    [DSN_TRACE_MPIIO] = DSN_INDEX_DXT_MPIIO,
};

/* ------------------------------------------------------------------ finding a trace */

static struct dsn_trace *look_for(enum dsn_tracing interface, struct dsn_name *name)
{
    struct dsn_trace *t = (struct dsn_trace *)dsn__record_of_name(modules[interface], name);

    if (t)
        __atomic_store_n(&t->interface, interface, __ATOMIC_RELAXED); /* another thread may find it at the same time */
    else if (dsn__path_known_excluded(modules[interface], name->text))
        t = (struct dsn_trace *)&excluded; /* only compared, never dereferenced */
    else
        t = (struct dsn_trace *)&no_memory;
    return t;
}

struct dsn_trace *dsn__trace_find(enum dsn_tracing interface, dsn_trace_ref *ref, struct dsn_name *name)
{
    struct dsn_trace *t = atomic_load_explicit(ref, memory_order_acquire);

    if (__builtin_expect(t == NULL, 0)) {
        t = look_for(interface, name);
        atomic_store_explicit(ref, t, memory_order_release);
    }
    if (__builtin_expect(t == &excluded, 0))
        return NULL;
    if (__builtin_expect(t == &no_memory, 0)) {
        atomic_fetch_add_explicit(&dsn__auxiliary->untraced, 1, memory_order_relaxed);
        return NULL;
    }
    return t;
}

/* ------------------------------------------------------------------ adding */

/* Index of the thread in the table; pthread_self() may be reused after a thread has ended. 0: the table is full. */
static unsigned find_number(void)
{
    const uintptr_t self = (uintptr_t)pthread_self();

    for (unsigned i = 1; i < DSN_TRACE_THREADS; i++) {
        uintptr_t owner = 0;

        if (atomic_compare_exchange_strong(&dsn__auxiliary->thread[i], &owner, self) || owner == self)
            return i;
    }
    return 0;
}

static inline uint64_t thread_number(void)
{
    if (__builtin_expect(dsn__thread.number == 0, 0))
        dsn__thread.number = 1 + find_number();
    return dsn__thread.number - 1;
}

static inline uint64_t pack_duration(int64_t ticks)
{
    unsigned power = 0;

    if (__builtin_expect(ticks >> MANTISSA_BITS == 0, 1))
        return (uint64_t)ticks;
    power = 64u - (unsigned)__builtin_clzll((uint64_t)ticks) - MANTISSA_BITS;
    power = power < 1u << (DURATION_BITS - MANTISSA_BITS) ? power : (1u << (DURATION_BITS - MANTISSA_BITS)) - 1;
    return (uint64_t)power << MANTISSA_BITS | (((uint64_t)ticks >> power) & ((1u << MANTISSA_BITS) - 1));
}

static int64_t unpack_duration(uint64_t packed)
{
    return (int64_t)((packed & ((1u << MANTISSA_BITS) - 1)) << (packed >> MANTISSA_BITS));
}

/* Keeps every second operation and every second CPU time, compacting within the existing chunks. */
static void thin_trace(struct dsn_trace *t)
{
    struct chunk *to = t->first;
    uint32_t n = 0;
    unsigned nth[2] = { 0, 0 };

    for (struct chunk *from = t->first; from; from = from->next) {
        const uint32_t here = from->n;

        from->n = 0;
        for (uint32_t at = 0; at < here; at++) {
            const int stamp = is_stamp(&from->entry[at]);

            if (nth[stamp]++ % 2 != 0) {
                t->left_out += !stamp;
                continue;
            }
            if (n == to->room) {
                to->n = n;
                to = to->next;
                n = 0;
            }
            to->entry[n++] = from->entry[at];
        }
    }
    to->n = n;
    t->last = to;
    t->mask = t->mask * 2 + 1;
}

static struct chunk *new_chunk(struct dsn_auxiliary_pool *pool, uint32_t room, size_t keep)
{
    struct chunk *c = dsn__auxiliary_take(pool, sizeof *c + room * sizeof c->entry[0], keep);

    if (c)
        c->room = room;
    return c;
}

/* Ensures room for one more entry; returns false if there is none, after thinning the trace if that is possible. */
static bool extend(struct dsn_trace *t)
{
    struct dsn_auxiliary_pool *pool = &dsn__auxiliary->trace[__atomic_load_n(&t->interface, __ATOMIC_RELAXED)];
    struct chunk *c;

    if (!t->first) {
        t->first = t->last = new_chunk(pool, CHUNK_LEAST, 0);
        return t->first != NULL;
    }
    if (!t->last->next) {
        c = new_chunk(pool, t->last->room < CHUNK_MOST ? t->last->room * 2 : CHUNK_MOST, pool->size / 8);
        if (!c) {
            thin_trace(t);
            return false;
        }
        t->last->next = c;
    }
    t->last = t->last->next;
    return true;
}

static bool is_full(const struct dsn_trace *t)
{
    return !t->last || t->last->n == t->last->room;
}

/* Whether this operation is kept, given that `seen` preceded it. */
static inline bool is_kept(const struct dsn_trace *t)
{
    return (t->seen & t->mask) == 0;
}

static uint64_t moment(const struct dsn_span *s, uint64_t thread, enum dsn_direction d)
{
    const int64_t start = s->start - dsn__clock->origin.ticks;

    return (uint64_t)(start > 0 ? start : 0) << (THREAD_BITS + 1) | thread << 1 | (uint64_t)d;
}

/* Not for threads that share the number 0. */
static __attribute__((noinline, cold)) void add_stamp(struct dsn_trace *t, const struct dsn_span *s)
{
    const double rate = dsn__clock->rate;
    struct timespec used;

    dsn__thread.pause = (int64_t)(PAUSE * (rate > 0 ? rate : 1));
    if (thread_number() == 0 || (is_full(t) && !extend(t)) || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
        return;
    t->last->entry[t->last->n++] = (struct entry){ .offset = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec,
                                                   .extent = STAMP | (uint32_t)(dsn__self() / 2),
                                                   .when = moment(s, thread_number(), DSN_READ) };
}

void dsn__trace_add(struct dsn_trace *t, const struct dsn_span *s, enum dsn_direction d, int64_t offset, int64_t length)
{
    const int paused = s->start - dsn__thread.traced > dsn__thread.pause;
    struct entry *e;
    int kept = is_kept(t) && (uint64_t)length <= LENGTH_MOST;

    dsn__thread.traced = s->end;

    if (__builtin_expect(kept && is_full(t), 0) && !extend(t))
        kept = is_kept(t) && !is_full(t);
    t->seen++;
    if (__builtin_expect(!kept, 0)) {
        t->left_out++;
        return;
    }
    e = &t->last->entry[t->last->n++];
    e->offset = offset;
    e->extent = (uint64_t)length << DURATION_BITS | pack_duration(s->end - s->start);
    e->when = moment(s, thread_number(), d);
    if (__builtin_expect(paused, 0))
        add_stamp(t, s);
}

/* ------------------------------------------------------------------ triggers */

static int64_t sum(const struct dsn_rec *r, int first, int n)
{
    int64_t total = 0;

    for (int i = first; i < first + n; i++)
        total += r->v[i].i;
    return total;
}

/* Whether a file's share of small or unaligned accesses reaches the configured thresholds. A file without accesses
 * counted by POSIX passes. Source: spec runtime.md 4.1, 4.3 */
static bool is_triggered(const struct dsn_recording *r, const struct dsn_name *name)
{
    const struct dsn_config *c = r->config;
    const struct dsn_record_state *posix = dsn__name_record(name, DSN_INDEX_POSIX);
    int64_t all, small, unaligned;

    if (!posix || !(r->auxiliary->tracing & 1 << DSN_TRACE_POSIX))
        return true;
    all = posix->rec->v[POSIX_READS].i + posix->rec->v[POSIX_WRITES].i;
    small = sum(posix->rec, POSIX_SIZE_READ_0_100, 3) + sum(posix->rec, POSIX_SIZE_WRITE_0_100, 3);
    unaligned = posix->rec->v[POSIX_FILE_NOT_ALIGNED].i;
    return all == 0 ||
           ((double)small >= c->small_io * (double)all && (double)unaligned >= c->unaligned_io * (double)all);
}

static void apply_triggers(const struct dsn_recording *r, enum dsn_module_index module)
{
    struct dsn_record_state **link = &r->names->first_state[module];

    while (*link) {
        if (is_triggered(r, (*link)->name))
            link = &(*link)->next;
        else
            dsn__record_drop(r->names, module, link);
    }
}

static void drop_untriggered_posix(const struct dsn_recording *r)
{
    apply_triggers(r, DSN_INDEX_DXT_POSIX);
}

static void drop_untriggered_mpiio(const struct dsn_recording *r)
{
    apply_triggers(r, DSN_INDEX_DXT_MPIIO);
}

/* ------------------------------------------------------------------ records */

static enum dsn_direction direction_of(const struct entry *e)
{
    return (enum dsn_direction)(e->when & 1);
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct dsn_trace *t = (struct dsn_trace *)state;
    struct dsn_dxt_head *head = (struct dsn_dxt_head *)state->rec;

    dsn__host_name(head->host, sizeof head->host);
    head->left_out = (int64_t)t->left_out;
    for (const struct chunk *c = t->first; c; c = c->next)
        for (uint32_t i = 0; i < c->n; i++) {
            if (is_stamp(&c->entry[i]))
                continue;
            else if (direction_of(&c->entry[i]) == DSN_WRITE)
                head->nwrites++;
            else
                head->nreads++;
        }
    if (t->left_out > 0)
        atomic_fetch_or(&r->incomplete->partial, (unsigned long long)1 << dsn__modules[modules[t->interface]]->id);
}

static bool wanted(const struct dsn_rec *rec)
{
    const struct dsn_dxt_head *head = (const struct dsn_dxt_head *)rec;

    return head->nwrites > 0 || head->nreads > 0;
}

static double seconds_of(const struct dsn_clock *clock, int64_t ticks)
{
    const double steps = 1 << 26;

    return (double)(int64_t)(dsn__clock_seconds(clock, ticks) * steps + 0.5) / steps;
}

static struct dsn_dxt_segment segment_of(const struct dsn_recording *r, const struct entry *e)
{
    const int64_t start = (int64_t)(e->when >> (THREAD_BITS + 1));

    return (struct dsn_dxt_segment){
        .offset = e->offset,
        .length = (int64_t)(e->extent >> DURATION_BITS),
        .start = seconds_of(r->clock, start),
        .end = seconds_of(r->clock, start + unpack_duration(e->extent & ((1u << DURATION_BITS) - 1))),
        .thread = r->auxiliary->thread[e->when >> 1 & (DSN_TRACE_THREADS - 1)],
    };
}

/* Writes all segments of one direction at `out`; returns the end. */
static struct dsn_dxt_segment *put_segments(const struct dsn_trace *first, const struct dsn_recording *r,
                                            enum dsn_direction d, struct dsn_dxt_segment *out)
{
    for (const struct dsn_trace *t = first; t; t = t->more) {
        const int64_t from = d == DSN_WRITE ? 0 : t->nwrites, n = d == DSN_WRITE ? t->nwrites : t->nreads;

        for (const struct chunk *c = t->first; c; c = c->next)
            for (uint32_t i = 0; i < c->n; i++)
                if (!is_stamp(&c->entry[i]) && direction_of(&c->entry[i]) == d)
                    *out++ = segment_of(r, &c->entry[i]);
        for (int64_t i = 0; i < n; i++)
            *out++ = t->loaded[from + i];
    }
    return out;
}

static size_t tail(const struct dsn_record_state *state, const struct dsn_recording *r, void *out)
{
    const struct dsn_trace *t = (const struct dsn_trace *)state;
    const struct dsn_dxt_head *head = (const struct dsn_dxt_head *)state->rec;

    if (out)
        put_segments(t, r, DSN_READ, put_segments(t, r, DSN_WRITE, out));
    return (size_t)(head->nwrites + head->nreads) * sizeof(struct dsn_dxt_segment);
}

static struct dsn_cpu_stamp stamp_of(const struct dsn_recording *r, const struct entry *e)
{
    return (struct dsn_cpu_stamp){
        .thread = r->auxiliary->thread[e->when >> 1 & (DSN_TRACE_THREADS - 1)],
        .task = (int64_t)(e->extent & UINT32_MAX),
        .time = seconds_of(r->clock, (int64_t)(e->when >> (THREAD_BITS + 1))),
        .used = (double)e->offset / 1e9,
    };
}

static size_t stamps_of(const struct dsn_trace *first, const struct dsn_recording *r, struct dsn_cpu_stamp *out)
{
    size_t n = 0;

    for (const struct dsn_trace *t = first; t; t = t->more) {
        for (const struct chunk *c = t->first; c; c = c->next)
            for (uint32_t i = 0; i < c->n; i++)
                if (is_stamp(&c->entry[i])) {
                    if (out)
                        out[n] = stamp_of(r, &c->entry[i]);
                    n++;
                }
        if (out && t->nstamps > 0)
            memcpy(out + n, t->stamps, t->nstamps * sizeof *out);
        n += t->nstamps;
    }
    return n;
}

size_t dsn__trace_stamps(const struct dsn_record_state *first, const struct dsn_recording *r, struct dsn_cpu_stamp *out)
{
    size_t n = 0;

    for (const struct dsn_record_state *state = first; state; state = state->next)
        if (wanted(state->rec))
            n += stamps_of((const struct dsn_trace *)state, r, out ? out + n : NULL);
    return n;
}

/* Segments, then stamps. */
static size_t store(const struct dsn_record_state *state, const struct dsn_recording *r, void *out)
{
    const size_t segments = tail(state, r, out);

    return segments + stamps_of((const struct dsn_trace *)state, r, out ? (void *)((char *)out + segments) : NULL) *
                          sizeof(struct dsn_cpu_stamp);
}

static void load(struct dsn_record_state *state, const void *bytes, size_t size)
{
    struct dsn_trace *t = (struct dsn_trace *)state;
    struct dsn_dxt_head *head = (struct dsn_dxt_head *)state->rec;
    const int64_t most = (int64_t)(size / sizeof *t->loaded);

    if (head->nwrites < 0 || head->nreads < 0 || head->nwrites > most || head->nreads > most - head->nwrites)
        head->nwrites = head->nreads = 0;
    t->loaded = bytes;
    t->nwrites = head->nwrites;
    t->nreads = head->nreads;
    t->stamps = (const void *)(t->loaded + t->nwrites + t->nreads);
    t->nstamps = (size - (size_t)(t->nwrites + t->nreads) * sizeof *t->loaded) / sizeof *t->stamps;
    t->left_out = (uint64_t)head->left_out;
}

/* The chunk at `theirs` in the other process, shortened to the entries that the file has; NULL if it has none of it. */
static struct chunk *chunk_at(const struct dsn_salvaged *r, const struct chunk *theirs)
{
    struct chunk *c = dsn__salvaged_address(r, theirs, sizeof *c);
    const uint32_t most = c && c->n < c->room ? c->n : c ? c->room : 0;
    uint32_t n = 0;

    while (n < most && n < CHUNK_MOST && dsn__salvaged_address(r, &theirs->entry[n], sizeof c->entry[0]))
        n++;
    c = dsn__salvaged_claim(r, theirs, sizeof *c + n * sizeof c->entry[0]);
    if (c)
        c->n = n;
    return c;
}

/* Entries that cannot be found count as left out. */
static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    struct dsn_trace *t = (struct dsn_trace *)state;
    const uint64_t kept = t->seen - t->left_out;
    struct chunk **link = &t->first, *c;
    uint64_t left = 0;

    if ((t->interface != DSN_TRACE_POSIX && t->interface != DSN_TRACE_MPIIO) || !r->of.auxiliary->thread)
        return DSN_LOST;
    t->last = NULL;
    t->more = NULL;
    t->loaded = NULL;
    t->nwrites = t->nreads = 0;
    t->stamps = NULL;
    t->nstamps = 0;
    for (; left <= kept && (c = chunk_at(r, *link)); link = &c->next) {
        *link = c;
        for (uint32_t i = 0; i < c->n; i++)
            left += !is_stamp(&c->entry[i]);
    }
    *link = NULL;
    if (left < kept)
        t->left_out += kept - left;
    return left >= kept && !r->of.auxiliary->threads_are_anonymous ? DSN_WHOLE : DSN_IN_PART;
}

static void merge_traces(struct dsn_record_state *mine, struct dsn_record_state *theirs)
{
    struct dsn_dxt_head *head = (struct dsn_dxt_head *)mine->rec, *other = (struct dsn_dxt_head *)theirs->rec;
    struct dsn_trace *t = (struct dsn_trace *)mine;

    while (t->more)
        t = t->more;
    t->more = (struct dsn_trace *)theirs;
    head->nwrites += other->nwrites;
    head->nreads += other->nreads;
    head->left_out += other->left_out;
}

int64_t dsn__trace_left_out(const struct dsn_recording *r)
{
    int64_t n = atomic_load(&r->auxiliary->untraced);

    for (int interface = 0; interface < DSN_NTRACES; interface++)
        for (const struct dsn_record_state *state = r->names->first_state[modules[interface]]; state;
             state = state->next)
            n += (int64_t)((const struct dsn_trace *)state)->left_out;
    return n;
}

/* The record is created when the log is written, from memory for that. */
#define TRACES                                                                                                         \
    .state_size = sizeof(struct dsn_trace), .need_size = 1, .sharing = DSN_ALL_RANKS, .path_named = 1,                 \
    .is_never_aggregated = 1, .finalize = finalize, .salvage = salvage, .wanted = wanted, .tail = tail,                \
    .store = store, .load = load, .join = merge_traces

const struct dsn_module_info dsn__dxt_posix_module = { .id = DSN_DXT_POSIX_MODULE,
                                                       .choose = drop_untriggered_posix,
                                                       TRACES };
const struct dsn_module_info dsn__dxt_mpiio_module = { .id = DSN_DXT_MPIIO_MODULE,
                                                       .choose = drop_untriggered_mpiio,
                                                       TRACES };

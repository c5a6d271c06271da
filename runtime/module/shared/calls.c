/* calls.c - writes records of calls, one buffer per thread
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record is valid once the chunk's `used` covers it: one that was interrupted, because the process was killed or the
 * note was left by longjmp, does not exist. */
#include <config.h>

#include "module/shared/calls.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/settings.h"
#include "module/shared/calls-file.h"

#define PAUSE                                                                                                          \
    1000000                        /* ns without I/O after which the thread's CPU clock is read. Source: spec
                                    * analysis.md C0.2 */
#define PIECE   4096               /* bytes of a chunk that are populated first; then the amount doubles */
#define SLACK   INT64_C(250000000) /* ns of waiting for the kernel that a thread always accepts */
#define SHARE   20                 /* and beyond that, 1/SHARE of its time */
#define NO_ROOM INT64_C(100000000) /* ns to wait after a failure before the next attempt */
#define RINGS   4096               /* threads at the same time */
#define LOOKED  4                  /* rings of ended threads that are examined per search */

#define BROKEN INT64_MIN

/* A thread's write position. Other threads read `owner` only. */
struct dsn_calls_ring {
    _Alignas(64) dsn_lock owner; /* dsn__self() of the thread; 0: nobody */
    unsigned char *at, *end;     /* the next record's address, and the end of populated memory */
    unsigned char *chunk;        /* NULL: none */
    size_t has;                  /* populated bytes; the first of them contain the magic number and `used` */
    int64_t last;                /* ticks: end of the previous call */
    int64_t pause;               /* ticks; BROKEN: the delta base is unknown, so a timestamp record must come first */
    int64_t offset, length;      /* end of the previous read or write, and its length */
    uint32_t file;               /* file number of the previous call */
    int64_t retry;               /* ticks: until then no attempt to get memory */
    int64_t begun, held_up;      /* ns: when the thread started, and how long it has waited */
};

static struct {
    _Atomic(struct dsn_calls_ring *) rings; /* array of RINGS; NULL: not allocated yet */
    atomic_uint nrings;                     /* rings that have had an owner */
    atomic_uint look;                       /* where the search for an ended thread continues */
    atomic_uint files;                      /* last file number */
} here;

static double rate(void)
{
    const double r = dsn__clock->rate;

    return r > 0 ? r : 1;
}

/* ------------------------------------------------------------------ one ring per thread */

static struct dsn_calls_ring *all_rings(void)
{
    struct dsn_calls_ring *rings = atomic_load_explicit(&here.rings, memory_order_acquire), *none = NULL;
    void *p;

    if (rings)
        return rings;
    p = dsn__sys_mmap(NULL, RINGS * sizeof *rings, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&here.rings, &none, p))
        return p;
    dsn__sys_munmap(p, RINGS * sizeof *rings);
    return none;
}

static bool has_ended(uintptr_t owner)
{
    return owner != 0 && syscall(SYS_tgkill, dsn__run->pid, (pid_t)(owner / 2), 0) != 0 && errno == ESRCH;
}

/* Reuses the ring of a thread that has ended. Only a few are examined, so that the cost does not depend on the number
 * of threads. */
static struct dsn_calls_ring *reuse_ring(struct dsn_calls_ring *rings, unsigned n, unsigned looks)
{
    for (unsigned i = 0; i < looks && i < n; i++) {
        struct dsn_calls_ring *r = &rings[atomic_fetch_add_explicit(&here.look, 1, memory_order_relaxed) % n];
        uintptr_t owner = atomic_load_explicit(&r->owner, memory_order_acquire);

        if ((owner == dsn__self() || has_ended(owner)) &&
            atomic_compare_exchange_strong(&r->owner, &owner, dsn__self()))
            return r;
    }
    return NULL;
}

static struct dsn_calls_ring *new_ring(struct dsn_calls_ring *rings)
{
    unsigned n = atomic_load(&here.nrings);

    while (n < RINGS)
        if (atomic_compare_exchange_weak(&here.nrings, &n, n + 1)) {
            atomic_store(&rings[n].owner, dsn__self());
            return &rings[n];
        }
    return reuse_ring(rings, RINGS, RINGS);
}

static struct dsn_calls_ring *find_ring(void)
{
    struct dsn_calls_ring *rings = all_rings(), *r;

    if (!rings)
        return NULL;
    r = reuse_ring(rings, atomic_load(&here.nrings), LOOKED);
    if (!r)
        r = new_ring(rings);
    if (r) {
        r->retry = INT64_MIN;
        r->begun = dsn__now();
        r->held_up = 0;
        r->pause = BROKEN;
        dsn__thread.ring = r;
    }
    return r;
}

/* ------------------------------------------------------------------ memory */

/* Compiler barrier. A note can be left anywhere, by longjmp or the end of its thread; stores whose order matters to a
 * later reader are separated by this. */
static inline void in_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* Recovers the ring's position from its chunk, whatever was interrupted. The content is not trusted: other processes of
 * the same user may have changed the file. */
static void find_place(struct dsn_calls_ring *r)
{
    const struct dsn_calls_chunk *c = (const struct dsn_calls_chunk *)r->chunk;
    size_t used;

    r->at = r->end = NULL;
    if (!c || r->has == 0)
        return;
    used = le32toh(c->used);
    r->end = r->chunk + r->has;
    r->at = used <= r->has - sizeof *c ? r->chunk + sizeof *c + used : r->end;
}

static bool next_chunk(struct dsn_calls_ring *r)
{
    unsigned char *next;

    if (r->chunk)
        dsn__calls_let_go(r->chunk);
    next = dsn__calls_chunk();
    if (!next)
        return false;
    r->chunk = NULL;
    in_order();
    r->has = 0;
    in_order();
    r->chunk = next;
    return true;
}

/* Doubles the populated part of the chunk; if all of it is populated, takes another chunk. */
static bool ask_for_pages(struct dsn_calls_ring *r)
{
    struct dsn_calls_chunk *c;
    size_t more;

    if ((!r->chunk || r->has == DSN_CALLS_CHUNK) && !next_chunk(r))
        return false;
    c = (struct dsn_calls_chunk *)r->chunk;
    more = r->has > PIECE ? r->has : PIECE;
    if (!dsn__calls_populate(r->chunk + r->has, more))
        return false;
    if (r->has == 0)
        __atomic_store_n(&c->magic, htole32(DSN_CALLS_CHUNK_MAGIC), __ATOMIC_RELEASE);
    in_order();
    r->has += more;
    find_place(r);
    return true;
}

/* A moment of a thread, and how often it has given up its processor. */
struct moment {
    int64_t ns;
    struct rusage use;
};

static void read_moment(struct moment *m)
{
    memset(&m->use, 0, sizeof m->use);
    dsn__sys_getrusage(RUSAGE_THREAD, &m->use);
    m->ns = dsn__now();
}

/* The time between two moments, unless the thread was ready to run all the time, but its processor was given to others:
 * that would have happened without this library, too. */
static int64_t waited(const struct moment *from, const struct moment *to)
{
    const int is_preempted = to->use.ru_nivcsw != from->use.ru_nivcsw,
              has_slept = to->use.ru_nvcsw != from->use.ru_nvcsw;

    return is_preempted && !has_slept ? 0 : to->ns - from->ns;
}

/* Measures how long that took; a thread that has waited too long skips logging for as long as needed to make up for
 * it. */
static bool extend(struct dsn_calls_ring *r)
{
    struct moment before, after;
    int64_t over, wait;
    int done;

    read_moment(&before);
    done = ask_for_pages(r);
    read_moment(&after);
    wait = done ? 0 : NO_ROOM;
    r->held_up += waited(&before, &after);
    over = r->held_up - SLACK - (after.ns - r->begun) / SHARE;
    if (over > 0 && over * SHARE > wait)
        wait = over * SHARE;
    if (wait > 0)
        r->retry = dsn__ticks() + (int64_t)((double)wait * rate());
    return done;
}

static void put16(unsigned char *at, uint32_t v)
{
    const uint16_t bytes = htole16((uint16_t)v);

    memcpy(at, &bytes, sizeof bytes);
}

static void put32(unsigned char *at, uint32_t v)
{
    const uint32_t bytes = htole32(v);

    memcpy(at, &bytes, sizeof bytes);
}

static void put64(unsigned char *at, uint64_t v)
{
    const uint64_t bytes = htole64(v);

    memcpy(at, &bytes, sizeof bytes);
}

/* Makes the record that ends at `end` valid. */
static inline void commit(struct dsn_calls_ring *r, unsigned char *end)
{
    struct dsn_calls_chunk *c = (struct dsn_calls_chunk *)r->chunk;

    r->at = end;
    __atomic_store_n(&c->used, htole32((uint32_t)(end - r->chunk - (ptrdiff_t)sizeof *c)), __ATOMIC_RELEASE);
}

static uint64_t cpu_time(void)
{
    struct timespec t;

    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return DSN_CALLS_NO_CPU;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void stamp(struct dsn_calls_ring *r, const struct dsn_span *s)
{
    unsigned char *at = r->at;

    put16(at, DSN_CALLS_STAMP);
    put32(at + 2, (uint32_t)(dsn__self() / 2));
    put64(at + 6, cpu_time());
    put64(at + 14, (uint64_t)s->start);
    r->last = s->start;
    r->offset = r->length = 0;
    r->file = 0;
    commit(r, at + DSN_CALLS_STAMP_SIZE);
    in_order();
    r->pause = (int64_t)(PAUSE * rate());
    dsn__calls_moment();
}

/* Returns a ring with room for a record of `size` bytes and a timestamp before it; NULL: the call is not logged. */
static __attribute__((noinline, cold)) struct dsn_calls_ring *ready(const struct dsn_span *s, size_t size)
{
    struct dsn_calls_ring *r = dsn__thread.ring ? dsn__thread.ring : find_ring();

    if (!r)
        return NULL;
    r->pause = BROKEN;
    in_order();
    find_place(r);
    while ((size_t)(r->end - r->at) < size + DSN_CALLS_STAMP_SIZE)
        if (s->end < r->retry || !extend(r))
            return NULL;
    stamp(r, s);
    return r;
}

static inline struct dsn_calls_ring *ring_for(const struct dsn_span *s, size_t size)
{
    struct dsn_calls_ring *r = dsn__thread.ring;

    if (__builtin_expect(r != NULL && s->start - r->last < r->pause && (size_t)(r->end - r->at) >= size, 1))
        return r;
    return ready(s, size);
}

/* ------------------------------------------------------------------ records */

struct writing {
    unsigned char *at;
    uint32_t head;
};

/* Appends a number in 1, 2, 4 or 8 bytes. What is stored beyond it is zeros, or will be overwritten. */
static inline void put_time(struct writing *w, unsigned shift, uint64_t v)
{
    const unsigned code = (unsigned)(v > 0xff) + (v > 0xffff) + (v > 0xffffffff);

    put64(w->at, v);
    w->at += 1u << code;
    w->head |= code << shift;
}

/* Appends a number in 2, 4 or 8 bytes, or nothing if it is the expected one. */
static inline void put_place(struct writing *w, unsigned shift, int is_expected, uint64_t v)
{
    const unsigned code = is_expected ? 0 : 1 + (unsigned)(v > 0xffff) + (v > 0xffffffff);

    put64(w->at, v);
    w->at += (1u << code) & ~1u;
    w->head |= code << shift;
}

static inline void put_file(struct writing *w, int is_expected, uint32_t v)
{
    const unsigned code = is_expected ? 0 : 1 + (unsigned)(v > 0xff) + (v > 0xffff);

    put64(w->at, v);
    w->at += (1u << code) >> 1;
    w->head |= code << DSN_CALLS_FILE;
}

void dsn__calls_add(const struct dsn_span *s, enum dsn_call call, uint32_t file, int64_t offset, int64_t length)
{
    struct dsn_calls_ring *r = ring_for(s, DSN_CALLS_RECORD_MAX + 8);
    struct writing w;
    int64_t pause;

    if (__builtin_expect(!r, 0)) {
        dsn__calls_leave_out();
        return;
    }
    pause = r->pause;
    r->pause = BROKEN;
    in_order();
    w = (struct writing){ r->at + 2, 1 + (uint32_t)call };
    put_time(&w, DSN_CALLS_START, (uint64_t)(s->start - r->last));
    put_time(&w, DSN_CALLS_DURATION, (uint64_t)(s->end - s->start));
    put_file(&w, file == r->file, file);
    put_place(&w, DSN_CALLS_OFFSET, offset == r->offset, (uint64_t)offset);
    put_place(&w, DSN_CALLS_LENGTH, length == r->length, (uint64_t)length);
    put16(r->at, w.head | (dsn__thread.async ? 1u << DSN_CALLS_ASYNC : 0));
    r->last = s->end;
    r->file = file;
    if (call <= DSN_CALL_WRITE) {
        r->offset = offset + length;
        r->length = length;
    }
    commit(r, w.at);
    in_order();
    r->pause = pause;
}

uint32_t dsn__calls_number(const struct dsn_span *s, const char *name)
{
    const uint32_t number = (atomic_fetch_add_explicit(&here.files, 1, memory_order_relaxed) + 1) & 0x7fffffff;
    const size_t n = strnlen(name, DSN_CALLS_NAME_MAX);
    struct dsn_calls_ring *r = ring_for(s, DSN_CALLS_NAME_HEAD + n);

    if (r) {
        put16(r->at, DSN_CALLS_NAME);
        put32(r->at + 2, number);
        put16(r->at + 6, (uint32_t)n);
        memcpy(r->at + DSN_CALLS_NAME_HEAD, name, n);
        commit(r, r->at + DSN_CALLS_NAME_HEAD + n);
    }
    return number;
}

/* ------------------------------------------------------------------ life cycle */

void dsn__calls_start(void)
{
    dsn__switch.traces_calls = dsn__config->trace != NULL && dsn__config->trace[0] != '\0';
}

void dsn__calls_end(void)
{
    if (dsn__is_tracing_calls())
        dsn__calls_file_end();
}

void dsn__calls_forget(int noting)
{
    struct dsn_calls_ring *rings = atomic_load(&here.rings);

    if (rings && !noting)
        dsn__sys_munmap(rings, RINGS * sizeof *rings);
    memset(&here, 0, sizeof here);
    dsn__thread.ring = NULL;
    dsn__thread.closing = 0;
    dsn__thread.async = 0;
    dsn__calls_file_forget(noting);
}

/* heatmap.c - heat maps: bins over time, and their records
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * While the job runs there are 200 bins of 0.1 s, then 100 of 0.2 s, 100 of 0.4 s and so on, each hundred as long as
 * all before it together. So whatever bin width the log will have, each of its bins is a union of these, and bins are
 * updated without a lock. A record adds its bytes to a bin when it moves on to the next: at most ten times a second per
 * direction. */
#include <config.h>

#include "module/shared/heatmap.h"

#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/pages.h"
#include "config/job.h"
#include "module/shared/auxiliary.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/span.h"

#define BIN_NS  100000000.0 /* of the narrowest bins; times below are in this unit */
#define NARROW  200
#define WIDER   100
#define UNSURE  (INT64_C(1) << 22) /* ticks: used before the tick rate is known */
#define MAX_BIN (DSN_HEAT_BINS - 1)

/* A bin as passed to another process. */
struct stored {
    int64_t direction, bin, bytes;
};

struct heat_map {
    struct dsn_record_state state;
    enum dsn_heat_of of;
    int is_loaded; /* its bins are not this process's, but these: */
    const struct stored *stored;
    size_t nstored;
    struct heat_map *more; /* heat maps of other processes that are merged into this one */
};

static const char *const names[DSN_NHEATS] = {
    [DSN_HEAT_POSIX] = "heatmap:POSIX", [DSN_HEAT_MPIIO] = "heatmap:MPIIO", [DSN_HEAT_STDIO] = "heatmap:STDIO",
    [DSN_HEAT_DFS] = "heatmap:DFS",     [DSN_HEAT_DAOS] = "heatmap:DAOS",
};

_Static_assert(DSN_NHEATS > DSN_HEAT_GROUP && DSN_NHEATS <= 2 * DSN_HEAT_GROUP, "two groups");

/* ------------------------------------------------------------------ bins */

static double width_of(unsigned bin)
{
    return bin < NARROW ? 1 : (double)(UINT64_C(2) << (bin - NARROW) / WIDER);
}

static double begin_of(unsigned bin)
{
    return bin < NARROW ? bin : width_of(bin) * (WIDER + (bin - NARROW) % WIDER);
}

static unsigned bin_at(double time)
{
    unsigned level = 0;

    if (time < NARROW)
        return time > 0 ? (unsigned)time : 0;
    for (; time >= NARROW && level < DSN_HEAT_LEVELS; level++)
        time /= 2;
    return time >= NARROW ? MAX_BIN : NARROW + (level - 1) * WIDER + (unsigned)time - WIDER;
}

/* Of two groups of maps, the second lies behind the first. */
static bool is_behind(enum dsn_heat_of of)
{
    return of >= DSN_HEAT_GROUP;
}

static size_t first_page(enum dsn_heat_of of)
{
    return is_behind(of) ? DSN_HEAT_EACH : 0;
}

static _Atomic(int64_t) *bytes_in(const struct dsn_auxiliary *s, enum dsn_heat_of of, enum dsn_direction d,
                                  unsigned bin)
{
    const size_t page = first_page(of) + bin / DSN_HEAT_TOGETHER;
    const size_t row = ((size_t)of - (is_behind(of) ? DSN_HEAT_GROUP : 0)) * 2 + (size_t)d;

    return &s->heat[page * (DSN_PAGE / sizeof(int64_t)) + row * DSN_HEAT_TOGETHER + bin % DSN_HEAT_TOGETHER];
}

static int64_t bytes_at(const _Atomic(int64_t) *at)
{
    return atomic_load_explicit(at, memory_order_relaxed);
}

/* The first non-empty bin in [bin, end) within one page; most are empty. */
static unsigned next_in_page(const _Atomic(int64_t) *at, unsigned bin, unsigned end)
{
    for (; bin + 4 <= end && (bytes_at(at) | bytes_at(at + 1) | bytes_at(at + 2) | bytes_at(at + 3)) == 0; at += 4)
        bin += 4;
    for (; bin < end && bytes_at(at) == 0; at++)
        bin++;
    return bin;
}

/* The first non-empty bin from `bin` on; DSN_HEAT_BINS: none. Pages that were never written are skipped, because
 * reading them would allocate memory. */
static unsigned next_bin(const struct dsn_auxiliary *s, enum dsn_heat_of of, enum dsn_direction d, unsigned bin)
{
    const size_t first = first_page(of);

    while (bin < DSN_HEAT_BINS) {
        const size_t page = dsn__heat_next_had(s, first + bin / DSN_HEAT_TOGETHER);
        unsigned begin, end;

        if (page - first > MAX_BIN / DSN_HEAT_TOGETHER)
            break;
        begin = (unsigned)((page - first) * DSN_HEAT_TOGETHER);
        end = begin + DSN_HEAT_TOGETHER < DSN_HEAT_BINS ? begin + DSN_HEAT_TOGETHER : DSN_HEAT_BINS;
        bin = begin > bin ? begin : bin;
        bin = next_in_page(bytes_in(s, of, d, bin), bin, end);
        if (bin < end)
            return bin;
    }
    return DSN_HEAT_BINS;
}

static void add_to_bin(enum dsn_heat_of of, enum dsn_direction d, unsigned bin, int64_t n)
{
    if (n == 0)
        return;
    dsn__heat_populate(bytes_in(dsn__auxiliary, of, d, bin));
    atomic_fetch_add_explicit(bytes_in(dsn__auxiliary, of, d, bin), n, memory_order_relaxed);
}

/* ------------------------------------------------------------------ accesses */

/* Ticks in a narrow bin. Until the clock knows its rate, an estimate is made now. */
static double ticks_a_bin(void)
{
    const struct dsn_clock *c = dsn__clock;
    const double rate = atomic_load_explicit(&c->rate, memory_order_relaxed);
    int64_t ticks, ns;

    if (rate > 0)
        return rate * BIN_NS;
    ns = dsn__now() - c->origin.ns;
    ticks = dsn__ticks() - c->origin.ticks;
    return ns > 0 && ticks > 0 ? (double)ticks / (double)ns * BIN_NS : BIN_NS;
}

static void add_bytes(struct dsn_heat *h, enum dsn_heat_of of)
{
    for (int d = DSN_READ; d <= DSN_WRITE; d++) {
        add_to_bin(of, (enum dsn_direction)d, h->bin, h->bytes[d]);
        h->bytes[d] = 0;
    }
}

static void flush(_Atomic(int64_t) *bin, int64_t *bytes, int64_t *waiting, int64_t *reached)
{
    if (*reached == 0)
        *reached = atomic_load(bin) + *bytes + *waiting;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store(bin, *reached);
    *bytes = *waiting = 0;
    atomic_signal_fence(memory_order_seq_cst);
    *reached = 0;
}

void dsn__heat_flush(struct dsn_heat *h, enum dsn_heat_of of, const struct dsn_recording *r)
{
    int64_t none = 0;

    if (!r->auxiliary->heat || h->bin > MAX_BIN)
        return;
    for (enum dsn_direction d = DSN_READ; d <= DSN_WRITE; d++) {
        int64_t *waiting = d == DSN_WRITE ? &h->waiting : &none;

        if (h->bytes[d] != 0 || *waiting != 0 || h->reached[d] != 0) {
            _Atomic(int64_t) *bin = bytes_in(r->auxiliary, of, d, h->bin);

            if (r->memory)
                dsn__heat_note(r->auxiliary, bin);
            else
                dsn__heat_populate(bin);
            flush(bin, &h->bytes[d], waiting, &h->reached[d]);
        }
    }
}

/* Makes `bin` the record's current bin; without heat maps any time falls into it. */
static void go_to(struct dsn_heat *h, unsigned bin, double ticks, int64_t now)
{
    const int64_t origin = dsn__clock->origin.ticks;

    h->bin = bin;
    h->begin = origin + (int64_t)(begin_of(bin) * ticks) + 1;
    h->end = origin + (int64_t)((begin_of(bin) + width_of(bin)) * ticks);
    if (dsn__clock->rate <= 0 && h->end > now + UNSURE)
        h->end = now + UNSURE;
}

void dsn__heat_move(struct dsn_heat *h, enum dsn_heat_of of, enum dsn_direction d, const struct dsn_span *s, int64_t n)
{
    const int64_t origin = dsn__clock->origin.ticks;
    double ticks, start, end;
    int64_t done = 0;
    unsigned bin, last;

    if (!dsn__auxiliary->heat) {
        h->begin = INT64_MIN;
        h->end = INT64_MAX;
        return;
    }
    if (n == 0)
        return;
    ticks = ticks_a_bin();
    start = (double)(s->start - origin) / ticks;
    end = (double)(s->end - origin) / ticks;
    last = bin_at(end);
    add_bytes(h, of);
    for (bin = bin_at(start); bin < last; bin++) {
        int64_t until = (int64_t)((double)n * ((begin_of(bin + 1) - start) / (end - start)));

        until = until < done ? done : until > n ? n : until;
        add_to_bin(of, d, bin, until - done);
        done = until;
    }
    go_to(h, last, ticks, s->end);
    h->bytes[d] = n - done;
}

/* ------------------------------------------------------------------ running processes */

static const struct source {
    enum dsn_module_index module;
    int bytes[2]; /* counters */
} sources[DSN_NHEATS] = {
    [DSN_HEAT_POSIX] = { DSN_INDEX_POSIX, { POSIX_BYTES_READ, POSIX_BYTES_WRITTEN } },
    [DSN_HEAT_MPIIO] = { DSN_INDEX_MPIIO, { MPIIO_BYTES_READ, MPIIO_BYTES_WRITTEN } },
    [DSN_HEAT_STDIO] = { DSN_INDEX_STDIO, { STDIO_BYTES_READ, STDIO_BYTES_WRITTEN } },
    [DSN_HEAT_DFS] = { DSN_INDEX_DFS, { DFS_BYTES_READ, DFS_BYTES_WRITTEN } },
    [DSN_HEAT_DAOS] = { DSN_INDEX_DAOS, { DAOS_BYTES_READ, DAOS_BYTES_WRITTEN } },
};

static int64_t counted(const struct dsn_recording *r, enum dsn_heat_of of, enum dsn_direction d)
{
    int64_t n = 0;

    for (const struct dsn_record_state *state = r->names->first_state[sources[of].module]; state; state = state->next)
        n += state->rec ? state->rec->v[sources[of].bytes[d]].i : 0;
    return n;
}

static int64_t binned(const struct dsn_recording *r, enum dsn_heat_of of, enum dsn_direction d)
{
    const struct dsn_auxiliary *s = r->auxiliary;
    int64_t n = 0;

    for (unsigned bin = next_bin(s, of, d, 0); bin < DSN_HEAT_BINS; bin = next_bin(s, of, d, bin + 1))
        n += bytes_at(bytes_in(s, of, d, bin));
    return n;
}

void dsn__heat_catch_up(const struct dsn_recording *r, int64_t ended)
{
    const unsigned now = bin_at((double)ended / BIN_NS);

    for (enum dsn_heat_of of = 0; r->auxiliary->heat && of < DSN_NHEATS; of++)
        for (enum dsn_direction d = DSN_READ; d <= DSN_WRITE; d++) {
            const int64_t missing = counted(r, of, d) - binned(r, of, d);
            _Atomic(int64_t) *bin = bytes_in(r->auxiliary, of, d, now);

            if (missing <= 0)
                continue;
            dsn__heat_note(r->auxiliary, bin);
            atomic_fetch_add(bin, missing);
        }
}

/* ------------------------------------------------------------------ records */

static bool is_empty(const struct dsn_auxiliary *s, enum dsn_heat_of of)
{
    return next_bin(s, of, DSN_READ, 0) == DSN_HEAT_BINS && next_bin(s, of, DSN_WRITE, 0) == DSN_HEAT_BINS;
}

/* Returns the process's record; that of a salvaged process may exist already. */
static struct heat_map *find_or_make(const struct dsn_recording *r, enum dsn_heat_of of)
{
    for (struct dsn_record_state *state = r->names->first_state[DSN_INDEX_HEATMAP]; state; state = state->next)
        if (strcmp(state->name->text, names[of]) == 0)
            return (struct heat_map *)state;
    return (struct heat_map *)dsn__record_late(r, DSN_INDEX_HEATMAP, names[of]);
}

static void make_records(const struct dsn_recording *r)
{
    for (enum dsn_heat_of of = 0; r->auxiliary->heat && of < DSN_NHEATS; of++) {
        struct heat_map *m = is_empty(r->auxiliary, of) ? NULL : find_or_make(r, of);

        if (m)
            m->of = of;
    }
}

/* Width of a bin in the log, in narrow bins. */
static double width_until(int64_t ended)
{
    double w = 1;

    while ((double)ended > w * NARROW * BIN_NS)
        w *= 2;
    return w;
}

#define BIN_SECONDS (BIN_NS * 1e-9)

static void agreed(struct dsn_record_state *state, int64_t ended)
{
    const double w = width_until(ended), bins = (double)ended / BIN_NS / w;
    int64_t n = (int64_t)bins;

    n += (double)n < bins || n == 0;
    state->rec->v[HEATMAP_F_BIN_WIDTH_SECONDS].f = w * BIN_SECONDS; /* exact: w is a power of two */
    state->rec->v[HEATMAP_NBINS].i = n < NARROW ? n : NARROW;
}

/* An access may end slightly after the end of the run, because clocks differ: it counts in the last bin. */
static void add_to_log_bin(const struct dsn_record_state *state, int64_t *out, enum dsn_direction d, unsigned bin,
                           int64_t bytes)
{
    const int64_t n = state->rec->v[HEATMAP_NBINS].i;
    const double place = begin_of(bin) / (state->rec->v[HEATMAP_F_BIN_WIDTH_SECONDS].f / BIN_SECONDS);
    const int64_t at = place < (double)n ? (int64_t)place : n - 1;

    out[(d == DSN_READ ? n : 0) + at] += bytes;
}

static void put_own(const struct dsn_record_state *state, const struct dsn_auxiliary *s, enum dsn_heat_of of,
                    int64_t *out)
{
    for (enum dsn_direction d = DSN_READ; d <= DSN_WRITE; d++)
        for (unsigned bin = next_bin(s, of, d, 0); bin < DSN_HEAT_BINS; bin = next_bin(s, of, d, bin + 1))
            add_to_log_bin(state, out, d, bin, bytes_at(bytes_in(s, of, d, bin)));
}

static size_t tail(const struct dsn_record_state *state, const struct dsn_recording *r, void *out)
{
    const size_t size = (size_t)state->rec->v[HEATMAP_NBINS].i * 2 * sizeof(int64_t);

    if (out)
        memset(out, 0, size);
    for (const struct heat_map *m = (const struct heat_map *)state; m && out; m = m->more) {
        if (!m->is_loaded)
            put_own(state, r->auxiliary, m->of, out);
        for (size_t i = 0; i < m->nstored; i++)
            add_to_log_bin(state, out, (enum dsn_direction)m->stored[i].direction, (unsigned)m->stored[i].bin,
                           m->stored[i].bytes);
    }
    return size;
}

static size_t store(const struct dsn_record_state *state, const struct dsn_recording *r, void *out)
{
    const struct dsn_auxiliary *s = r->auxiliary;
    const struct heat_map *m = (const struct heat_map *)state;
    struct stored *to = out;
    size_t n = 0;

    for (enum dsn_direction d = DSN_READ; d <= DSN_WRITE; d++)
        for (unsigned bin = next_bin(s, m->of, d, 0); bin < DSN_HEAT_BINS; bin = next_bin(s, m->of, d, bin + 1), n++)
            if (to)
                to[n] = (struct stored){ d, bin, bytes_at(bytes_in(s, m->of, d, bin)) };
    return n * sizeof *to;
}

static void load(struct dsn_record_state *state, const void *bytes, size_t size)
{
    struct heat_map *m = (struct heat_map *)state;
    const struct stored *s = bytes;
    size_t n = 0;

    while (n < size / sizeof *s && s[n].bin >= 0 && s[n].bin < DSN_HEAT_BINS &&
           (s[n].direction == DSN_READ || s[n].direction == DSN_WRITE))
        n++;
    m->is_loaded = 1;
    m->stored = s;
    m->nstored = n;
}

static void merge_maps(struct dsn_record_state *mine, struct dsn_record_state *theirs)
{
    struct heat_map *m = (struct heat_map *)mine;

    while (m->more)
        m = m->more;
    m->more = (struct heat_map *)theirs;
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    struct heat_map *m = (struct heat_map *)state;

    (void)r;
    m->is_loaded = 0;
    m->stored = NULL;
    m->nstored = 0;
    m->more = NULL;
    return (unsigned)m->of < DSN_NHEATS ? DSN_WHOLE : DSN_LOST;
}

const struct dsn_module_info dsn__heatmap_module = {
    .id = DSN_HEATMAP_MODULE,
    .state_size = sizeof(struct heat_map),
    .sharing = DSN_ALL_RANKS,
    .is_last = true,
    .choose = make_records,
    .agreed = agreed,
    .salvage = salvage,
    .tail = tail,
    .store = store,
    .load = load,
    .join = merge_maps,
};

/* phase.c - phases that the program has named: what is called in each
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/phase.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/index.h"
#include "module/shared/beside.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/shards.h"

#define NAME_SIZE  ((PHASE_NAME_7 + 1 - PHASE_NAME) * sizeof(union dsn_val)) /* with its NUL */
#define MOST       64 /* names in a process; what comes later is in the last one */
#define REST       "(other phases)"
#define DEEPEST    16 /* phases that contain each other; deeper ones are REST */
#define STEPS      (64 * (PHASE_WHEN_7 + 1 - PHASE_WHEN))
#define FIRST_STEP (INT64_C(1) << 22) /* ticks: a few milliseconds */
#define EACH       (PHASE_STDIO_READS - PHASE_POSIX_READS)

_Static_assert(PHASE_DAOS_READS == PHASE_POSIX_READS + EACH * (int)DSN_LAYER_DAOS &&
                   PHASE_POSIX_METAS == PHASE_POSIX_READS + (int)DSN_CALL_IS_META &&
                   PHASE_POSIX_BYTES_WRITTEN == PHASE_POSIX_BYTES_READ + (int)DSN_CALL_IS_WRITE &&
                   PHASE_POSIX_F_META_TIME == PHASE_POSIX_F_READ_TIME + (int)DSN_CALL_IS_META,
               "in the order of the enums");

/* While threads are in it, their time so far is inside * now - begins, and that of the process now - since. */
struct phase {
    struct dsn_record_state state;
    int64_t inside; /* threads */
    int64_t begins; /* ticks: the sum of the times when they began */
    int64_t since;  /* ticks: when the first of them did */
};

/* Changes whenever records are forgotten: phases that a thread was in before are no more. */
static atomic_uint era;

static __thread struct {
    unsigned era;
    unsigned depth;        /* may be larger than DEEPEST */
    int64_t since;         /* ticks: when the innermost phase became that */
    struct phase *current; /* the innermost one that there is memory for; NULL: none */
    struct phase *rest;    /* what is deeper */
    uint64_t name[DEEPEST];
    struct phase *phase[DEEPEST]; /* NULL: there was no memory for it */
} mine __attribute__((tls_model("initial-exec")));

void dsn__phase_forget(void)
{
    atomic_fetch_add(&era, 1);
}

static void set_current(struct phase *p)
{
    mine.current = p;
    if (p)
        dsn__thread.beside |= DSN_BESIDE_PHASE;
    else
        dsn__thread.beside &= ~(unsigned)DSN_BESIDE_PHASE;
}

/* Whether what the thread has in `mine` is of the records that there are; else it begins anew. */
static bool is_of_now(void)
{
    const unsigned now = atomic_load_explicit(&era, memory_order_relaxed);

    if (mine.era == now)
        return true;
    mine.era = now;
    mine.depth = 0;
    set_current(NULL);
    return false;
}

/* ------------------------------------------------------------------ when */

/* Steps become twice as long. */
static void halve(union dsn_val *v)
{
    for (int i = 0; i < STEPS; i++) {
        const int from = 2 * i;
        const uint64_t two = from < STEPS ? (uint64_t)v[PHASE_WHEN + from / 64].i >> from % 64 & 3 : 0;
        const uint64_t bit = UINT64_C(1) << i % 64;
        int64_t *word = &v[PHASE_WHEN + i / 64].i;

        *word = (int64_t)(((uint64_t)*word & ~bit) | (two ? bit : 0));
    }
    v[PHASE_F_STEP].i *= 2;
}

/* Marks the steps of [from, to], in ticks of a clock. */
static void mark(union dsn_val *v, int64_t from, int64_t to, int64_t origin)
{
    from = from > origin ? dsn_plus(from, -origin) : 0;
    to = to > origin ? dsn_plus(to, -origin) : 0;
    if (v[PHASE_F_STEP].i <= 0)
        v[PHASE_F_STEP].i = FIRST_STEP;
    while (to / v[PHASE_F_STEP].i >= STEPS)
        halve(v);
    for (int64_t i = from / v[PHASE_F_STEP].i; i <= to / v[PHASE_F_STEP].i; i++)
        v[PHASE_WHEN + i / 64].i |= (int64_t)(UINT64_C(1) << i % 64);
}

/* ------------------------------------------------------------------ the module */

static struct phase *innermost(void);

/* The end of the program ends the phases of the thread that ends it. Others may have ended long ago, as the program of a
 * survival file may have: they were in it until the last call in it at least. What such a file has may be anything, and
 * wraps. */
static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct phase *p = (const struct phase *)state;
    const bool is_mine = r == &dsn__recording && is_of_now() && innermost() == p;
    union dsn_val *v = state->rec->v;
    const int64_t last = dsn_plus(v[PHASE_F_LAST_CALL].i, r->clock->origin.ticks), now = dsn__ticks();
    const int64_t others = dsn_plus(p->inside, -(int64_t)is_mine);
    const int64_t time =
        (int64_t)((uint64_t)others * (uint64_t)last - (uint64_t)p->begins + (is_mine ? (uint64_t)mine.since : 0));
    const int64_t end = is_mine ? now : last > p->since ? last : p->since;

    if (p->inside <= 0)
        return;
    mark(v, p->since, end, r->clock->origin.ticks);
    v[PHASE_F_TIME].i = dsn_plus(v[PHASE_F_TIME].i, (time > 0 ? time : 0));
    if (is_mine)
        v[PHASE_F_TIME].i += now - mine.since;
    v[PHASE_F_LONGEST_TIME].i = dsn_plus(v[PHASE_F_LONGEST_TIME].i, (int64_t)((uint64_t)end - (uint64_t)p->since));
    if (v[PHASE_F_LONGEST_TIME].i > v[PHASE_F_TIME].i)
        v[PHASE_F_TIME].i = v[PHASE_F_LONGEST_TIME].i;
}

const struct dsn_module_info dsn__phase_module = {
    .id = DSN_NO_MODULE,
    .state_size = sizeof(struct phase),
    .is_never_aggregated = 1,
    .may_use_reserve = 1,
    .times_add_up = 1,
    .finalize = finalize,
};

/* ------------------------------------------------------------------ begin and end */

/* The innermost phase changes: what its time is part of. */
static void leave(struct phase *p, int64_t now)
{
    union dsn_val *v;

    if (!p || !dsn__lock(&p->state))
        return;
    v = p->state.rec->v;
    v[PHASE_F_TIME].i += now - mine.since;
    p->begins -= mine.since;
    if (--p->inside == 0) {
        mark(v, p->since, now, dsn__clock->origin.ticks);
        v[PHASE_F_LONGEST_TIME].i += now - p->since;
    }
    dsn__unlock(&p->state);
}

static void enter(struct phase *p, int64_t now, bool is_begin)
{
    mine.since = now;
    set_current(p);
    if (!p || !dsn__lock(&p->state))
        return;
    p->state.rec->v[PHASE_ENTERED].i += is_begin;
    p->begins += now;
    if (p->inside++ == 0) {
        p->since = now;
        mark(p->state.rec->v, now, now, dsn__clock->origin.ticks);
    }
    dsn__unlock(&p->state);
}

static struct phase *innermost(void)
{
    return mine.depth > DEEPEST ? mine.rest : mine.depth > 0 ? mine.phase[mine.depth - 1] : NULL;
}

/* Whole characters of UTF-8, and no control characters: it goes into reports. */
static void clean_name(const char *name, char out[NAME_SIZE])
{
    size_t n = 0;

    for (; n < NAME_SIZE - 1 && name[n]; n++)
        out[n] = (unsigned char)name[n] < ' ' || name[n] == 0x7f ? '?' : name[n];
    while (name[n] && n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
        n--;
    out[n] = '\0';
    if (n == 0)
        dsn__format(out, NAME_SIZE, "(unnamed)");
}

/* NULL: there is no memory. */
static struct phase *find_phase(const char *clean)
{
    char key[sizeof "phase:" + NAME_SIZE];
    struct phase *p;

    dsn__format(key, sizeof key, "phase:%s", clean);
    p = (struct phase *)dsn__record_named_if_there(DSN_INDEX_PHASE, key);
    if (!p && dsn__names->count[DSN_INDEX_PHASE] >= MOST - 1 && strcmp(clean, REST) != 0)
        return find_phase(REST);
    if (!p)
        p = (struct phase *)dsn__record_named(DSN_INDEX_PHASE, key);
    if (p && p->state.rec->v[PHASE_NAME].i == 0 && dsn__lock(&p->state)) {
        memcpy(&p->state.rec->v[PHASE_NAME], clean, strlen(clean));
        dsn__unlock(&p->state);
    }
    return p;
}

static uint64_t id_of(const char *clean)
{
    return dsn_hash(clean, strlen(clean), 0);
}

void dsn__phase_begin(const char *name)
{
    char clean[NAME_SIZE] = "";
    struct dsn_span s;
    struct phase *outer;

    if (!name || !dsn__span_open(&s))
        return;
    dsn__span_before(&s);
    is_of_now();
    outer = innermost();
    if (mine.depth < DEEPEST) {
        clean_name(name, clean);
        mine.name[mine.depth] = id_of(clean);
        mine.phase[mine.depth] = find_phase(clean);
    } else if (mine.depth == DEEPEST) {
        mine.rest = find_phase(REST);
    }
    if (mine.depth++ <= DEEPEST) {
        leave(outer, s.start);
        enter(innermost(), s.start, true);
    }
    dsn__span_close(&s);
}

/* The place of the innermost phase with that id; `known`: there is none. */
static unsigned find_place(uint64_t id, unsigned known)
{
    for (unsigned i = known; i > 0; i--)
        if (mine.name[i - 1] == id)
            return i - 1;
    return known;
}

/* The place of the innermost phase of that name, or, for it may have been too deep to have one, of one without a name: DEEPEST
 * is the place of all that are deeper. mine.depth: the thread is in none. */
static unsigned place_of(const char *name)
{
    const unsigned known = mine.depth < DEEPEST ? mine.depth : DEEPEST;
    char clean[NAME_SIZE] = "";
    unsigned at;

    if (!name)
        return mine.depth > DEEPEST ? DEEPEST : mine.depth - 1;
    clean_name(name, clean);
    at = find_place(id_of(clean), known);
    return at < known || mine.depth > DEEPEST ? at : find_place(id_of(REST), known);
}

/* Ends the phase at a place, which others may be in. */
static void end_at(unsigned at, int64_t now)
{
    struct phase *const inner = innermost();
    const unsigned behind = (mine.depth < DEEPEST ? mine.depth : DEEPEST) - 1;

    if (at < DEEPEST) {
        memmove(&mine.phase[at], &mine.phase[at + 1], (behind - at) * sizeof mine.phase[0]);
        memmove(&mine.name[at], &mine.name[at + 1], (behind - at) * sizeof mine.name[0]);
        if (mine.depth > DEEPEST) { /* one of what is deeper has room now, but has lost its name */
            mine.phase[DEEPEST - 1] = mine.rest;
            mine.name[DEEPEST - 1] = id_of(REST);
        }
    }
    mine.depth--;
    if (innermost() != inner || at == mine.depth) {
        leave(inner, now);
        enter(innermost(), now, false);
    }
}

static void end_all(int64_t now)
{
    leave(innermost(), now);
    mine.depth = 0;
    enter(NULL, now, false);
}

static void end(const char *name, bool all)
{
    struct dsn_span s;
    unsigned at;

    if (!dsn__span_open(&s))
        return;
    dsn__span_before(&s);
    if (is_of_now() && mine.depth > 0) {
        at = place_of(name);
        if (all)
            end_all(s.start);
        else if (at < mine.depth)
            end_at(at, s.start);
    }
    dsn__span_close(&s);
}

void dsn__phase_end(const char *name)
{
    end(name, false);
}

void dsn__phase_end_all(void)
{
    end(NULL, true);
}

/* ------------------------------------------------------------------ calls */

void dsn__phase_add(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_span *s, int64_t bytes)
{
    struct dsn_record_state *const whole = is_of_now() && mine.current ? &mine.current->state : NULL, *state;
    const int of = kind == DSN_CALL_CONTINUES_READ    ? DSN_CALL_IS_READ
                   : kind == DSN_CALL_CONTINUES_WRITE ? DSN_CALL_IS_WRITE
                                                      : (int)kind;
    union dsn_val *v, *first;

    if (!whole)
        return;
    state = dsn__lock_uncontended(whole) ? whole : dsn__lock_shard(DSN_INDEX_PHASE, whole);
    if (!state)
        return;
    v = state->rec->v;
    first = &v[PHASE_POSIX_READS + EACH * (int)layer];
    first[of].i += of == (int)kind;
    if (of != DSN_CALL_IS_META)
        first[PHASE_POSIX_BYTES_READ - PHASE_POSIX_READS + of].i += bytes;
    if (s) {
        first[PHASE_POSIX_F_READ_TIME - PHASE_POSIX_READS + of].i += s->end - s->start;
        if (s->end - dsn__clock->origin.ticks > v[PHASE_F_LAST_CALL].i)
            v[PHASE_F_LAST_CALL].i = s->end - dsn__clock->origin.ticks;
    }
    dsn__unlock(state);
}

/* sites.c - which places of the program make its calls (DARSHAN_CALLSITES)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/sites.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "base/text.h"
#include "base/unwind.h"
#include "darshan-log-format/index.h"
#include "module/shared/beside.h"
#include "module/shared/call-stack.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/record.h"
#include "record/shards.h"
#include "record/span.h"

#define CHAINS     4096  /* chains of calls, by where on the stack they are */
#define PAIRS      16384 /* chains and what they use */
#define NEIGHBOURS 16    /* places in a table where an entry may be */
#define PLACES     2048  /* on the stack, */
#define SIDES      8     /* of which so many together; wrappers differ in how far their caller's address is away */
#define COMPARED   32    /* return addresses of a chain that are compared */

#define MOST_OF_FIRST   ((size_t)128 << 20) /* nothing else is mapped so near below the first thread's stack's end */
#define MOST_OF_THREAD  ((size_t)1 << 20)
#define REACH_OF_THREAD ((size_t)32 << 10)

#define MOST          4096 /* records of a process; what comes later counts as of other files, or as not looked at */
#define SHARE         4    /* of the memory for records: at most one in so many */
#define EXACT         1000 /* calls of a thread: from then on not all short ones are looked at */
#define EACH          16
#define SHORT         2000      /* ticks: about a microsecond */
#define COST_SHARE    33        /* walking takes at most one in so many parts of the time of calls, */
#define FREE_WALKS    2000      /* but so many are free, of a process, */
#define PATIENCE      100000000 /* ns; see take_tables */
#define FREE_OF_CHAIN 256       /* and so many looks at lines of Python, of a chain */

struct chain {
    uintptr_t frame; /* see struct dsn_thread */
    unsigned n;
    bool is_python;
    atomic_uint looks;
    _Atomic(struct dsn_record_state *) stack;             /* the record of its text; of Python: NULL */
    _Atomic(struct dsn_record_state *) rest[DSN_NLAYERS]; /* of files that have no record of their own here */
    uintptr_t address[COMPARED];
    uint32_t slot[COMPARED]; /* bytes from `frame`; 0: unknown */
};

/* What a chain uses. */
struct pair {
    const struct dsn_name *name;
    const struct chain *chain; /* NULL: it was not looked at */
    enum dsn_layer layer;
    _Atomic(struct dsn_record_state *) site; /* of Python: that of the last look */
    atomic_uint calls;                       /* of Python */
};

enum owner { FREE, TAKEN, LOST };

/* Entries are added, and never change or go: reading needs no lock. A table has numbers of entries, from 1 on. */
struct tables {
    _Atomic(uint64_t) place[PLACES]; /* of first return addresses on the stack: frame << 16 | words from there */
    _Atomic(uint16_t) chain_at[2 * CHAINS], pair_at[2 * PAIRS];
    atomic_uint nchains, npairs;
    _Atomic(struct dsn_record_state *) rest[DSN_NLAYERS]; /* the same of no chain */
    struct chain chain[CHAINS];
    struct pair pair[PAIRS];
    atomic_uint records;       /* but for the few of the rest; */
    atomic_size_t bytes;       /* and their size */
    atomic_uint walks;         /* that were free */
    _Atomic(enum owner) owner; /* of the following */
    struct dsn_call_stack stack;
    char name[sizeof DSN_STACK_NAME + DSN_STACK_TEXT];
};

static _Atomic(struct tables *)
    tables; /* dsn__pages; NULL: nothing is counted. Old ones stay: threads may be using them. */

static __thread struct {
    unsigned calls, skip;
    uint32_t random;
    int64_t in_calls, walking;                              /* ticks */
    enum { NEW_THREAD, FIRST_THREAD, OTHER_THREAD } thread; /* a forked child's stays what it was in the parent */
    uintptr_t stack_end;                                    /* of the stack that it began with */
    size_t reach;                /* in the call under way: bytes above the frame, on that stack */
    const struct tables *tables; /* that the next two are of: the last ones used */
    struct chain *chain;
    struct pair *pair;
} mine __attribute__((tls_model("initial-exec")));

/* Whatever has a record here has one of its own. */
static bool is_used(const struct dsn_record_state *state)
{
    (void)state;
    return false;
}

const struct dsn_module_info dsn__site_module = {
    .id = DSN_NO_MODULE,
    .state_size = sizeof(struct dsn_record_state),
    .is_never_aggregated = 1,
    .times_add_up = 1,
    .is_used = is_used,
};

void dsn__sites_start(bool is_asked_for)
{
    struct tables *t = is_asked_for && dsn__call_stack_start() ? dsn__pages(sizeof *t) : NULL;

    atomic_store(&tables, t);
    dsn__switch.beside = t ? DSN_BESIDE_SITE : 0;
    if (t)
        dsn__thread.beside |= DSN_BESIDE_SITE;
    else
        dsn__thread.beside &= ~(unsigned)DSN_BESIDE_SITE;
}

void dsn__sites_child_begins(bool had_threads)
{
    struct tables *const t = atomic_load(&tables);

    dsn__call_stack_child_begins(had_threads, t && atomic_load(&t->owner) != FREE);
}

static size_t mixed(uintptr_t a, uintptr_t b)
{
    const uint64_t x = (a ^ b << 23 ^ b >> 11) * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(x >> 32);
}

/* ------------------------------------------------------------------ chains of calls */

static size_t places_of(uintptr_t frame)
{
    return mixed(frame, 0) % (PLACES / SIDES) * SIDES;
}

/* Remembers where on the stack the first return address of a chain is. */
static void note_place(struct tables *t, const struct chain *c)
{
    const uint64_t place = (uint64_t)c->frame << 16 | c->slot[0] / sizeof c->frame;
    const size_t begin = places_of(c->frame), at = begin + place % SIDES;

    if (c->slot[0] == 0 || c->slot[0] % sizeof c->frame != 0 || c->slot[0] / sizeof c->frame > UINT16_MAX)
        return;
    for (size_t i = 0; i < SIDES; i++) {
        uint64_t none = 0;

        if (atomic_load(&t->place[begin + i]) == place ||
            atomic_compare_exchange_strong(&t->place[begin + i], &none, place))
            return;
    }
    atomic_store(&t->place[at], place);
}

static bool is_chain_of(const struct chain *c, const struct dsn_call_stack *s)
{
    for (unsigned i = 0; i < c->n; i++)
        if (i >= s->n || c->address[i] != s->address[i])
            return false;
    return c->n == (s->n < COMPARED ? s->n : COMPARED);
}

/* How far above a frame there is memory of the stack that the thread began with, as its place tells; 0: it is on another one. Where a
 * coroutine's stack was, a shorter one may be. */
static size_t find_reach(uintptr_t frame)
{
    size_t reach;

    if (mine.thread == NEW_THREAD) {
        mine.thread = (pid_t)(dsn__self() / 2) == dsn__sys_getpid() ? FIRST_THREAD : OTHER_THREAD;
        mine.stack_end = dsn__stack_end(mine.thread == FIRST_THREAD);
    }
    reach = frame < mine.stack_end ? mine.stack_end - frame : 0;
    if (mine.thread == FIRST_THREAD)
        return reach < MOST_OF_FIRST ? reach : 0;
    return reach >= MOST_OF_THREAD ? 0 : reach < REACH_OF_THREAD ? reach : REACH_OF_THREAD;
}

/* A handler's own stack may be too small for a walk. */
static bool is_on_signal_stack(void)
{
    stack_t now;

    return sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_ONSTACK);
}

/* Whether the return addresses are where they lay. */
static bool is_on_stack(const struct chain *c)
{
    for (unsigned i = 0; i < c->n; i++)
        if (c->slot[i] == 0 || c->slot[i] >= mine.reach || *(const uintptr_t *)(c->frame + c->slot[i]) != c->address[i])
            return false;
    return true;
}

/* The chain with that first return address, and the others, if `s` is not NULL, as there, else as they are on the stack. NULL: it
 * is not known. */
static struct chain *known_chain(struct tables *t, uintptr_t frame, uintptr_t first, const struct dsn_call_stack *s)
{
    for (size_t at = mixed(frame, first), i = 0; i < NEIGHBOURS; i++, at++) {
        const unsigned number = atomic_load_explicit(&t->chain_at[at % (2 * CHAINS)], memory_order_acquire);
        struct chain *const c = number ? &t->chain[number - 1] : NULL;

        if (!c)
            return NULL;
        if (c->frame == frame && c->address[0] == first && (s ? is_chain_of(c, s) : is_on_stack(c)))
            return c;
    }
    return NULL;
}

/* The number of a new entry, from 0 on; `most`: there is no room, neither in the pool nor in the table of `places` near `at`. */
static unsigned take_entry(atomic_uint *used, unsigned most, const _Atomic(uint16_t) *table, size_t places, size_t at)
{
    unsigned number = most;

    for (size_t i = 0; i < NEIGHBOURS && number == most; i++)
        if (atomic_load_explicit(&table[(at + i) % places], memory_order_relaxed) == 0)
            number = atomic_fetch_add(used, 1);
    if (number > most)
        atomic_store(used, most);
    return number < most ? number : most;
}

/* Makes an entry known. */
static void put_entry(_Atomic(uint16_t) *table, size_t places, size_t at, unsigned number)
{
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        uint16_t none = 0;

        if (atomic_compare_exchange_strong_explicit(&table[(at + i) % places], &none, (uint16_t)(number + 1),
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
}

static struct chain *add_chain(struct tables *t, uintptr_t frame, const struct dsn_call_stack *s)
{
    const size_t at = mixed(frame, s->address[0]);
    const unsigned number = take_entry(&t->nchains, CHAINS, t->chain_at, 2 * CHAINS, at);
    struct chain *c;

    if (number == CHAINS)
        return NULL;
    c = &t->chain[number];
    c->frame = frame;
    c->n = s->n < COMPARED ? s->n : COMPARED;
    c->is_python = dsn__call_stack_is_python();
    for (unsigned i = 0; i < c->n; i++) {
        c->address[i] = s->address[i];
        c->slot[i] = s->slot[i] > frame && s->slot[i] - frame <= UINT32_MAX ? (uint32_t)(s->slot[i] - frame) : 0;
    }
    put_entry(t->chain_at, 2 * CHAINS, at, number);
    return c;
}

/* The chain that the calling thread is in now; NULL: it is not known. */
static struct chain *chain_on_stack(struct tables *t, uintptr_t frame)
{
    const size_t begin = places_of(frame);
    struct chain *c = NULL;

    for (size_t i = 0; i < SIDES && !c; i++) {
        const uint64_t place = atomic_load_explicit(&t->place[begin + i], memory_order_relaxed);

        if (place >> 16 == (frame & UINT64_MAX >> 16) && (place & UINT16_MAX) < mine.reach / sizeof frame)
            c = known_chain(t, frame, ((const uintptr_t *)frame)[place & UINT16_MAX], NULL);
    }
    return c;
}

/* Whether the time that it takes is a small part of that of the thread's calls. */
static bool may_take_time(void)
{
    return mine.walking < mine.in_calls / COST_SHARE;
}

static bool may_walk(struct tables *t)
{
    return may_take_time() || (atomic_load_explicit(&t->walks, memory_order_relaxed) < FREE_WALKS &&
                               atomic_fetch_add_explicit(&t->walks, 1, memory_order_relaxed) < FREE_WALKS);
}

/* Another thread that walks needs some microseconds, or is not on a processor. It may never give them back, if a signal handler
 * left it by longjmp: then nobody waits for them again. */
static bool take_tables(struct tables *t)
{
    int64_t begin = 0;

    for (;;) {
        enum owner was = FREE;

        if (atomic_compare_exchange_strong(&t->owner, &was, TAKEN))
            return true;
        if (was == LOST)
            return false;
        sched_yield();
        if (begin == 0)
            begin = dsn__now();
        else if (dsn__now() - begin > PATIENCE)
            atomic_compare_exchange_strong(&t->owner, &was, LOST);
    }
}

static void give_tables_back(struct tables *t)
{
    atomic_store(&t->owner, FREE);
}

/* What the thread is in. NULL: that was not looked at. */
static struct chain *find_chain(struct tables *t)
{
    const uintptr_t frame = dsn__thread.frame / sizeof frame * sizeof frame; /* whatever variable that is of */
    struct chain *c = mine.chain;
    int64_t begin;

    mine.reach = find_reach(frame);
    if (c && c->frame == frame && is_on_stack(c))
        return c;
    c = chain_on_stack(t, frame);
    if (c || atomic_load_explicit(&t->nchains, memory_order_relaxed) >= CHAINS || !may_walk(t) ||
        is_on_signal_stack() || !take_tables(t))
        return c;
    begin = dsn__ticks();
    dsn__call_stack_walk((const void *)frame, &t->stack);
    if (t->stack.n > 0) {
        c = known_chain(t, frame, t->stack.address[0], &t->stack);
        if (!c)
            c = add_chain(t, frame, &t->stack);
        if (c)
            note_place(t, c);
    }
    give_tables_back(t);
    mine.walking += dsn__ticks() - begin;
    return c;
}

/* ------------------------------------------------------------------ records */

/* What a record is for: there always is one for calls that have none of their own, and there are more for chains than for files. */
enum purpose { OF_FILE, OF_CHAIN, OF_REST };

/* Whether there may be another record, with a name of so many bytes. */
static bool has_room(struct tables *t, enum purpose purpose, size_t name)
{
    const size_t size =
        sizeof(struct dsn_name) + name + sizeof(struct dsn_record_state) + dsn__record_size(DSN_INDEX_SITE);
    const unsigned more = purpose == OF_FILE ? 0 : 1; /* a fourth part */

    if (purpose == OF_REST)
        return true;
    if (atomic_load_explicit(&t->records, memory_order_relaxed) >= MOST + more * (MOST / 4) ||
        atomic_load_explicit(&t->bytes, memory_order_relaxed) + size >=
            dsn__arena->wanted / SHARE + more * (dsn__arena->wanted / SHARE / 4))
        return false;
    atomic_fetch_add_explicit(&t->records, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->bytes, size, memory_order_relaxed);
    return true;
}

static struct dsn_record_state *make_record(struct tables *t, enum purpose purpose, const char *name, uint64_t file,
                                            uint64_t stack, int64_t layer)
{
    struct dsn_record_state *state = dsn__record_named_if_there(DSN_INDEX_SITE, name);

    if (state || !has_room(t, purpose, strlen(name)))
        return state;
    state = dsn__record_named(DSN_INDEX_SITE, name);
    if (state && dsn__lock(state)) {
        state->rec->v[SITE_FILE].i = (int64_t)file;
        state->rec->v[SITE_STACK].i = (int64_t)stack;
        state->rec->v[SITE_LAYER].i = layer;
        dsn__unlock(state);
    }
    return state;
}

static struct dsn_record_state *site_of(struct tables *t, enum purpose purpose, const struct dsn_name *name,
                                        uint64_t stack, enum dsn_layer layer)
{
    const uint64_t id = name ? name->id : 0;
    char text[80];

    dsn__format(text, sizeof text, "site:%llx:%llx:%d", (unsigned long long)id, (unsigned long long)stack, (int)layer);
    return make_record(t, purpose, text, id, stack, layer);
}

/* The record of the text that says where the thread is, which it walks again: only the first return addresses are in the
 * chain. NULL: another thread is at it, or there is no memory. */
static struct dsn_record_state *look(struct tables *t, struct chain *c)
{
    struct dsn_record_state *state;
    int64_t begin;

    if (!take_tables(t))
        return NULL;
    begin = dsn__ticks();
    dsn__call_stack_walk((const void *)c->frame, &t->stack);
    memcpy(t->name, DSN_STACK_NAME, sizeof DSN_STACK_NAME);
    dsn__call_stack_text(&t->stack, c->is_python, t->name + sizeof DSN_STACK_NAME - 1);
    state = make_record(t, OF_CHAIN, t->name, 0, 0, -1);
    if (!c->is_python)
        atomic_store_explicit(&c->stack, state, memory_order_release);
    give_tables_back(t);
    mine.walking += dsn__ticks() - begin;
    return state;
}

static struct pair *known_pair(struct tables *t, const struct chain *c, const struct dsn_name *name,
                               enum dsn_layer layer)
{
    for (size_t at = mixed((uintptr_t)name + layer, (uintptr_t)c), i = 0; i < NEIGHBOURS; i++, at++) {
        const unsigned number = atomic_load_explicit(&t->pair_at[at % (2 * PAIRS)], memory_order_acquire);
        struct pair *const p = number ? &t->pair[number - 1] : NULL;

        if (!p || (p->name == name && p->chain == c && p->layer == layer))
            return p;
    }
    return NULL;
}

static void add_pair(struct tables *t, const struct chain *c, const struct dsn_name *name, enum dsn_layer layer,
                     struct dsn_record_state *site)
{
    const size_t at = mixed((uintptr_t)name + layer, (uintptr_t)c);
    const unsigned number = take_entry(&t->npairs, PAIRS, t->pair_at, 2 * PAIRS, at);

    if (number == PAIRS)
        return;
    t->pair[number] = (struct pair){ .name = name, .chain = c, .layer = layer, .site = site };
    put_entry(t->pair_at, 2 * PAIRS, at, number);
}

/* Whether to ask the interpreter again where it is: a script that has made a few calls has lines of its own for each of them,
 * one that has made many is in a loop. */
static bool shall_look(struct chain *c, struct pair *p)
{
    const unsigned calls = p ? atomic_fetch_add_explicit(&p->calls, 1, memory_order_relaxed) + 1 : 0;

    return may_take_time() || ((calls & (calls - 1)) == 0 && atomic_load(&c->looks) < FREE_OF_CHAIN &&
                               atomic_fetch_add(&c->looks, 1) < FREE_OF_CHAIN);
}

/* The record of calls on files that have none of their own here: of that chain, or, if there is no room for that, of all calls
 * that were not looked at. */
static struct dsn_record_state *find_rest(struct tables *t, struct chain *c, const struct dsn_record_state *stack,
                                          enum dsn_layer layer)
{
    _Atomic(struct dsn_record_state *) *const known = !stack ? &t->rest[layer] : c->is_python ? NULL : &c->rest[layer];
    struct dsn_record_state *site = known ? atomic_load_explicit(known, memory_order_acquire) : NULL;

    if (!site) {
        site = site_of(t, stack ? OF_CHAIN : OF_REST, NULL, stack ? stack->name->id : 0, layer);
        if (!site && stack)
            site = find_rest(t, c, NULL, layer);
        if (known)
            atomic_store_explicit(known, site, memory_order_release);
    }
    return site;
}

/* The record that the call counts in; NULL: there is no memory. */
static struct dsn_record_state *find_site(struct tables *t, struct chain *c, const struct dsn_name *name,
                                          enum dsn_layer layer)
{
    struct pair *p = mine.pair;
    struct dsn_record_state *stack = c && !c->is_python ? atomic_load(&c->stack) : NULL, *site = NULL;

    if (!p || p->chain != c || p->name != name || p->layer != layer)
        p = mine.pair = known_pair(t, c, name, layer);
    if (p && (!c || !c->is_python || !shall_look(c, p)))
        return atomic_load_explicit(&p->site, memory_order_relaxed);
    if (c && !stack && (p || !c->is_python || shall_look(c, NULL)))
        stack = look(t, c);
    if (p && !stack)
        return atomic_load_explicit(&p->site, memory_order_relaxed);
    if (atomic_load_explicit(&t->npairs, memory_order_relaxed) < PAIRS || p)
        site = site_of(t, OF_FILE, name, stack ? stack->name->id : 0, layer);
    if (!site)
        site = find_rest(t, c, stack, layer);
    if (p)
        atomic_store_explicit(&p->site, site, memory_order_relaxed);
    else if (stack || !c)
        add_pair(t, c, name, layer, site);
    return site;
}

/* ------------------------------------------------------------------ calls */

/* How many calls this one stands for; 0: it is not looked at. */
static unsigned weight_of(int64_t ticks)
{
    if (mine.calls < EXACT || ticks >= SHORT)
        return 1;
    if (mine.skip > 0) {
        mine.skip--;
        return 0;
    }
    if (mine.random == 0)
        mine.random = (uint32_t)(uintptr_t)&mine | 1;
    mine.random ^= mine.random << 13;
    mine.random ^= mine.random >> 17;
    mine.random ^= mine.random << 5;
    mine.skip = mine.random % (2 * EACH - 1); /* EACH - 1 on average */
    return EACH;
}

void dsn__site_add(enum dsn_layer layer, enum dsn_call_kind kind, const struct dsn_record_state *of,
                   const struct dsn_span *s, int64_t bytes)
{
    struct tables *const t = atomic_load_explicit(&tables, memory_order_acquire);
    const int64_t ticks = s ? s->end - s->start : 0;
    const int direction = kind == DSN_CALL_CONTINUES_READ    ? DSN_CALL_IS_READ
                          : kind == DSN_CALL_CONTINUES_WRITE ? DSN_CALL_IS_WRITE
                                                             : (int)kind;
    struct dsn_record_state *site, *state;
    unsigned weight;

    if (!t)
        return;
    if (mine.tables != t) {
        mine.tables = t;
        mine.chain = NULL;
        mine.pair = NULL;
    }
    mine.in_calls += ticks;
    weight = weight_of(ticks);
    if (weight == 0)
        return;
    mine.calls++;
    mine.chain = find_chain(t);
    site = find_site(t, mine.chain, of ? of->name : NULL, layer);
    state = !site ? NULL : dsn__lock_uncontended(site) ? site : dsn__lock_shard(DSN_INDEX_SITE, site);
    if (!state)
        return;
    if (direction == (int)kind)
        state->rec->v[SITE_READS + direction].i += weight;
    if (direction != DSN_CALL_IS_META)
        state->rec->v[SITE_BYTES_READ + direction].i += weight * bytes;
    state->rec->v[SITE_F_READ_TIME + direction].i += weight * ticks;
    state->rec->v[SITE_LOOKED_AT].i++;
    dsn__unlock(state);
}

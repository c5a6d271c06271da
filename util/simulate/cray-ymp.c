/* cray-ymp.c - the machine of the 1992 study
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model is described in cray-ymp.h; its rules are those of doc/simulate.md, which decides what the study leaves open.
 * Sums of seconds are computed in the order of that description, so that other programs that follow it get identical
 * figures. */
#include <config.h>
#include "cray-ymp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "util/lib/grow.h"

#define SSD_SETUP   10e-6
#define SSD_KIB     1e-6
#define TICK        1e-5 /* seconds: resolution of CPU times; shorter ones are fractions */
#define TICK_NS     10000.0
#define SOON        1e-12 /* differences up to this are the same time */
#define NOBODY      UINT32_MAX
#define MAX_BLOCKS  ((size_t)1 << 28)
#define MAX_SECONDS 10000000

const struct dsn_cray_ymp_options dsn_cray_ymp_defaults = { .cache = 32,
                                                            .block = 16384,
                                                            .read_ahead = 1,
                                                            .quantum = .1,
                                                            .far = .015,
                                                            .near = .002,
                                                            .rate = 1e8,
                                                            .context_switch = 20e-6,
                                                            .file_system = 30e-6,
                                                            .interrupt = 10e-6 };

/* A block that is, or was, in the cache. Cached blocks are in a list, ordered by last access. */
struct block {
    uint32_t newer, older, owner;
    int32_t writes; /* writes in progress, or waiting for their delay */
    uint8_t resident, arriving;
    uint8_t kept;     /* not to be evicted now */
    uint8_t delayed;  /* its write is delayed */
    uint32_t awaited; /* first of those that wait for it to be fetched, in machine.waiters; 0: nobody */
    double since;     /* start of its delay */
};

/* The blocks of a request, or of its read-ahead. */
struct range {
    uint32_t file, *number; /* per block */
    uint8_t *absent;        /* per block: not in the cache when it was looked up */
    size_t number_room, absent_room;
    uint64_t first, n, nabsent;
};

enum kind { FETCH, STORE, FLUSH };

/* A disk request to be completed, or delayed writes to be issued. */
struct pending {
    double time;
    uint64_t number; /* order of issue, for requests that complete at the same time */
    enum kind kind;
    uint32_t waiter, file;
    uint64_t first, n; /* blocks */
};

struct process {
    const struct dsn_load_op *op, *end;
    double left;     /* seconds of computing before the next request */
    int reached;     /* the request was issued, but there was no room */
    uint64_t waits;  /* number of blocks it waits for */
    uint64_t blocks; /* its blocks in the cache */
    int done, runs;
    uint64_t absent, arrivals; /* when there was no room: absent blocks of its request; arrivals of its file */
    uint32_t next;             /* in the queue */
};

struct queue {
    uint32_t head, tail;
};

/* A process that waits for a block, and the next one. */
struct waiter {
    uint32_t process, next; /* 0: none */
};

struct machine {
    const struct dsn_load *job;
    const struct dsn_cray_ymp_options *o;
    struct dsn_cray_ymp_result *r;
    double now, disk_free;
    uint64_t interrupts, numbers;
    uint64_t capacity, used, clean;
    uint32_t newest, oldest;
    struct dsn_blocks map;
    struct block *blocks;
    size_t block_room;
    uint64_t *base;            /* per file: number of its first block in the map */
    uint64_t *arrivals;        /* per file: blocks allocated so far */
    struct dsn__pairmap reads; /* (process, file) -> */
    uint64_t *ended;           /* end of its last read of the file, plus 1; 0: not read */
    size_t ended_room;
    struct waiter *waiters; /* the first is not used */
    size_t nwaiters, waiter_room;
    uint32_t free_waiter;
    struct process *processes;
    struct queue ready, room;
    struct range request, ahead;
    uint32_t head_file;
    uint64_t head_at;
    struct pending *heap;
    size_t nheap, heap_room;
    int failed;
};

static void fail(struct machine *m, const char *text)
{
    if (!m->failed)
        snprintf(m->r->err.text, sizeof m->r->err.text, "%s", text);
    m->failed = 1;
}

/* ------------------------------------------------------------------ queues of processes */

static void put(struct machine *m, struct queue *q, uint32_t i)
{
    m->processes[i].next = NOBODY;
    if (q->head == NOBODY)
        q->head = i;
    else
        m->processes[q->tail].next = i;
    q->tail = i;
}

static uint32_t take_first(struct machine *m, struct queue *q)
{
    const uint32_t i = q->head;

    q->head = m->processes[i].next;
    return i;
}

static void wake(struct machine *m, uint32_t i)
{
    if (--m->processes[i].waits == 0)
        put(m, &m->ready, i);
}

/* ------------------------------------------------------------------ the cache */

static int is_clean(const struct block *b)
{
    return b->resident && !b->writes && !b->arriving;
}

static void unlink_block(struct machine *m, uint32_t i)
{
    struct block *b = &m->blocks[i];

    *(b->newer == DSN_BLOCK_NONE ? &m->newest : &m->blocks[b->newer].older) = b->older;
    *(b->older == DSN_BLOCK_NONE ? &m->oldest : &m->blocks[b->older].newer) = b->newer;
}

static void link_newest(struct machine *m, uint32_t i)
{
    struct block *b = &m->blocks[i];

    b->newer = DSN_BLOCK_NONE;
    b->older = m->newest;
    *(m->newest == DSN_BLOCK_NONE ? &m->oldest : &m->blocks[m->newest].newer) = i;
    m->newest = i;
}

/* Accesses a block; a new one uses the space made by allocate(). */
static void access_block(struct machine *m, uint32_t owner, uint32_t file, uint32_t i)
{
    struct block *b = &m->blocks[i];

    if (b->resident) {
        unlink_block(m, i);
    } else {
        b->resident = 1;
        b->owner = owner;
        m->arrivals[file]++;
        m->clean++; /* until it is fetched or written, which follows immediately */
        m->processes[owner].blocks++;
    }
    link_newest(m, i);
}

static void evict(struct machine *m, uint32_t i)
{
    struct block *b = &m->blocks[i];

    unlink_block(m, i);
    b->resident = 0;
    m->clean--;
    m->used--;
    m->processes[b->owner].blocks--;
}

/* Evicts `n` clean blocks that are not kept, of one process or of all (NOBODY); none if there are fewer. */
static int evict_many(struct machine *m, uint64_t n, uint32_t of)
{
    uint64_t found = 0;

    if (of != NOBODY) {
        for (uint32_t i = m->oldest; i != DSN_BLOCK_NONE && found < n; i = m->blocks[i].newer)
            found += is_clean(&m->blocks[i]) && !m->blocks[i].kept && m->blocks[i].owner == of;
        if (found < n)
            return 0;
    }
    for (uint32_t i = m->oldest; i != DSN_BLOCK_NONE && n > 0;) {
        const uint32_t next = m->blocks[i].newer;

        if (is_clean(&m->blocks[i]) && !m->blocks[i].kept && (of == NOBODY || m->blocks[i].owner == of)) {
            evict(m, i);
            n--;
        }
        i = next;
    }
    return 1;
}

/* Makes room for `n` blocks of a process, without evicting those kept, of which `kept` are clean. */
static int allocate(struct machine *m, uint32_t owner, uint64_t n, uint64_t kept)
{
    const uint64_t limit = (uint64_t)m->o->limit, mine = m->processes[owner].blocks;

    if (limit > 0 && mine + n > limit && !evict_many(m, mine + n - limit, owner))
        return 0;
    if (n > m->capacity - m->used) {
        const uint64_t more = n - (m->capacity - m->used);

        if (m->clean - kept < more || !evict_many(m, more, NOBODY))
            return 0;
    }
    m->used += n;
    return 1;
}

/* The number of a block of a file, for which there is an entry in m->blocks afterwards. */
static uint32_t number_of(struct machine *m, uint32_t file, uint64_t block)
{
    const uint32_t i = dsn_blocks_add(&m->map, m->base[file] + block);

    if (i == DSN_BLOCK_NONE || !dsn_grow_zeroed(&m->blocks, &m->block_room, sizeof *m->blocks, i)) {
        fail(m, "has too many blocks for the memory");
        return DSN_BLOCK_NONE;
    }
    return i;
}

/* The number of a block used before. */
static uint32_t known(struct machine *m, uint32_t file, uint64_t block)
{
    return dsn_blocks_find(&m->map, m->base[file] + block);
}

/* ------------------------------------------------------------------ the disks */

static int earlier(const struct pending *a, const struct pending *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void push(struct machine *m, struct pending p)
{
    size_t i = m->nheap;

    if (!dsn_grow_zeroed(&m->heap, &m->heap_room, sizeof *m->heap, i)) {
        fail(m, "does not fit into memory");
        return;
    }
    m->nheap++;
    p.number = m->numbers++;
    for (; i > 0 && earlier(&p, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = p;
}

static struct pending pop(struct machine *m)
{
    const struct pending first = m->heap[0], last = m->heap[--m->nheap];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < m->nheap) {
        child += child + 1 < m->nheap && earlier(&m->heap[child + 1], &m->heap[child]);
        if (!earlier(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    if (m->nheap > 0)
        m->heap[i] = last;
    return first;
}

/* Totals of the current second. */
static struct dsn_cray_ymp_second *second(struct machine *m)
{
    static struct dsn_cray_ymp_second nowhere;
    struct dsn_cray_ymp_result *r = m->r;
    const size_t i = (size_t)m->now;

    if (!m->o->series || m->now >= MAX_SECONDS)
        return &nowhere;
    return dsn_grow_zeroed(&r->seconds, &r->nseconds, sizeof *r->seconds, i) ? &r->seconds[i] : &nowhere;
}

static void ask_disk(struct machine *m, uint32_t file, uint64_t at, uint64_t length, struct pending p)
{
    const double position = m->head_file != file ? m->o->far : m->head_at != at ? m->o->near : 0;
    const int is_write = p.kind == STORE;
    double begin = m->now;

    m->head_file = file;
    m->head_at = at + length;
    m->r->disk_reads += !is_write;
    m->r->disk_writes += is_write;
    m->r->disk_bytes[is_write] += length;
    second(m)->disk[is_write] += length;
    if (m->o->queue && m->disk_free > begin)
        begin = m->disk_free;
    p.time = begin + position + (double)length / m->o->rate;
    m->disk_free = p.time;
    p.file = file;
    push(m, p);
}

/* Fetches absent blocks, one request per contiguous run. */
static void fetch(struct machine *m, const struct range *g)
{
    const uint64_t size = (uint64_t)m->o->block;

    for (uint64_t k = 0; k < g->n;) {
        const uint64_t from = k;

        for (; k < g->n && g->absent[k]; k++) {
            m->blocks[g->number[k]].arriving = 1;
            m->clean--;
        }
        if (k > from)
            ask_disk(m, g->file, (g->first + from) * size, (k - from) * size,
                     (struct pending){ .kind = FETCH, .waiter = NOBODY, .first = g->first + from, .n = k - from });
        else
            k++;
    }
}

/* Writes the blocks of [first, first + n) whose delay ends by `now`. */
static void flush(struct machine *m, const struct pending *p, double now)
{
    const uint64_t size = (uint64_t)m->o->block;

    for (uint64_t b = p->first; b < p->first + p->n;) {
        const uint64_t from = b;

        for (; b < p->first + p->n; b++) {
            struct block *block = &m->blocks[known(m, p->file, b)];

            if (!block->delayed || block->since + m->o->delay > now + SOON)
                break;
            block->delayed = 0;
        }
        if (b > from)
            ask_disk(m, p->file, from * size, (b - from) * size,
                     (struct pending){ .kind = STORE, .waiter = NOBODY, .first = from, .n = b - from });
        else
            b++;
    }
}

/* Adds a process to those that wait for a block, as the last: they go on in this order. */
static void await(struct machine *m, uint32_t i, struct block *b)
{
    uint32_t at = m->free_waiter, *last = &b->awaited;

    if (at > 0) {
        m->free_waiter = m->waiters[at].next;
    } else if (dsn_grow(&m->waiters, &m->waiter_room, sizeof *m->waiters, m->nwaiters + 1)) {
        at = (uint32_t)++m->nwaiters;
    } else {
        fail(m, "does not fit into memory");
        return;
    }
    m->waiters[at] = (struct waiter){ i, 0 };
    while (*last > 0)
        last = &m->waiters[*last].next;
    *last = at;
    m->processes[i].waits++;
}

static void arrived(struct machine *m, struct block *b)
{
    b->arriving = 0;
    m->clean += b->writes == 0;
    while (b->awaited > 0) {
        struct waiter *w = &m->waiters[b->awaited];
        const uint32_t at = b->awaited;

        b->awaited = w->next;
        w->next = m->free_waiter;
        m->free_waiter = at;
        wake(m, w->process);
    }
}

static void written(struct machine *m, struct block *b)
{
    if (--b->writes == 0)
        m->clean += !b->arriving;
}

/* Processes completions up to the current time. */
static void complete(struct machine *m)
{
    while (m->nheap > 0 && m->heap[0].time <= m->now + SOON && !m->failed) {
        const struct pending p = pop(m);

        if (p.kind == FLUSH) {
            flush(m, &p, m->now);
            continue;
        }
        m->interrupts++;
        for (uint64_t b = p.first; b < p.first + p.n; b++) {
            struct block *block = &m->blocks[known(m, p.file, b)];

            if (p.kind == FETCH)
                arrived(m, block);
            else
                written(m, block);
        }
        if (p.kind == STORE && p.waiter != NOBODY)
            wake(m, p.waiter);
        while (m->room.head != NOBODY)
            put(m, &m->ready, take_first(m, &m->room));
    }
}

/* A process that waits for room cannot wait for delays: issues all delayed writes now. */
static void hurry(struct machine *m)
{
    struct pending *held = m->heap;
    const size_t n = m->nheap;

    m->heap = NULL;
    m->nheap = m->heap_room = 0;
    for (size_t i = 0; i < n; i++)
        if (held[i].kind != FLUSH)
            push(m, held[i]);
    for (size_t i = 0; i < n; i++)
        if (held[i].kind == FLUSH)
            flush(m, &held[i], INFINITY);
    free(held);
}

/* ------------------------------------------------------------------ the processor */

static void spend(struct machine *m, double seconds)
{
    m->now += seconds;
    m->r->system += seconds;
}

static void spend_interrupts(struct machine *m)
{
    spend(m, (double)m->interrupts * m->o->interrupt);
    m->interrupts = 0;
}

/* Looks up the blocks of bytes [from, to). A request of 0 bytes within a block uses that block. Returns 0 if they do
 * not fit into the cache together, or out of memory. */
static int look_up(struct machine *m, struct range *g, uint32_t file, uint64_t from, uint64_t to)
{
    const uint64_t size = (uint64_t)m->o->block, end = to == 0 ? 0 : (to - 1) / size + 1;

    g->file = file;
    g->first = from / size;
    g->n = end > g->first ? end - g->first : 0;
    g->nabsent = 0;
    if (g->n > m->capacity + 1) /* read-ahead may have one block more than the request */
        return 0;
    for (uint64_t k = 0; k < g->n; k++) {
        if (!dsn_grow_zeroed(&g->number, &g->number_room, sizeof *g->number, k) ||
            !dsn_grow_zeroed(&g->absent, &g->absent_room, sizeof *g->absent, k)) {
            fail(m, "does not fit into memory");
            return 0;
        }
        g->number[k] = number_of(m, file, g->first + k);
        if (m->failed)
            return 0;
        g->absent[k] = !m->blocks[g->number[k]].resident;
        g->nabsent += g->absent[k];
    }
    return 1;
}

/* Makes room for the absent blocks of a request without evicting its other blocks. */
static int allocate_keeping(struct machine *m, uint32_t owner, const struct range *g)
{
    uint64_t kept = 0;
    int ok;

    for (uint64_t k = 0; k < g->n; k++) {
        struct block *b = &m->blocks[g->number[k]];

        b->kept = 1;
        kept += is_clean(b);
    }
    ok = allocate(m, owner, g->nabsent, kept);
    for (uint64_t k = 0; k < g->n; k++)
        m->blocks[g->number[k]].kept = 0;
    return ok;
}

static void read_ahead(struct machine *m, uint32_t owner, const struct dsn_load_op *op)
{
    const uint64_t extent = m->job->files[op->file].extent, from = op->offset + op->length;
    const uint64_t to = op->length < extent - from ? from + op->length : extent;
    struct range *g = &m->ahead;
    const uint64_t before = m->r->disk_reads;

    if (to <= from)
        return;
    if (!look_up(m, g, op->file, from, to) || g->nabsent == 0 || !allocate(m, owner, g->nabsent, 0))
        return;
    for (uint64_t k = 0; k < g->n; k++)
        if (g->absent[k])
            access_block(m, owner, op->file, g->number[k]);
    fetch(m, g);
    m->r->read_ahead += m->r->disk_reads - before;
}

/* A read for which there is room. Returns whether its process waits. */
static int read_blocks(struct machine *m, uint32_t i, const struct dsn_load_op *op)
{
    struct process *p = &m->processes[i];
    const struct range *g = &m->request;
    uint32_t at;

    *(g->nabsent > 0 ? &m->r->misses : &m->r->hits) += 1;
    fetch(m, g);
    p->waits = 0;
    if (!(op->flags & DSN_LOAD_ASYNC))
        for (uint64_t k = 0; k < g->n; k++)
            if (m->blocks[g->number[k]].arriving)
                await(m, i, &m->blocks[g->number[k]]);
    at = dsn__pairmap_add(&m->reads, i, op->file, 0);
    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&m->ended, &m->ended_room, sizeof *m->ended, at)) {
        fail(m, "does not fit into memory");
        return 1;
    }
    if (m->o->read_ahead && (op->offset == 0 || m->ended[at] == op->offset + 1))
        read_ahead(m, i, op);
    m->ended[at] = op->offset + op->length + 1;
    return p->waits > 0;
}

/* Starts the delay of blocks that have no delayed write yet. */
static void delay_writes(struct machine *m)
{
    const struct range *g = &m->request;
    int begin = 0;

    for (uint64_t k = 0; k < g->n; k++) {
        struct block *b = &m->blocks[g->number[k]];

        if (b->delayed)
            continue;
        m->clean -= is_clean(b);
        b->writes++;
        b->delayed = 1;
        b->since = m->now;
        begin = 1;
    }
    if (!begin)
        return;
    push(m, (struct pending){
                .time = m->now + m->o->delay, .kind = FLUSH, .file = g->file, .first = g->first, .n = g->n });
}

/* A write for which there is room. Returns whether its process waits. */
static int write_blocks(struct machine *m, uint32_t i, const struct dsn_load_op *op)
{
    const struct range *g = &m->request;
    const int waits = !(m->o->write_behind || m->o->delay > 0 || op->flags & DSN_LOAD_ASYNC);

    if (m->o->delay > 0) {
        delay_writes(m);
        return 0;
    }
    for (uint64_t k = 0; k < g->n; k++) {
        struct block *b = &m->blocks[g->number[k]];

        m->clean -= is_clean(b);
        b->writes++;
    }
    m->processes[i].waits = waits;
    ask_disk(m, op->file, op->offset, op->length,
             (struct pending){ .kind = STORE, .waiter = waits ? i : NOBODY, .first = g->first, .n = g->n });
    return waits;
}

/* The next read or write of a process, and the time it computes before. The study's traces have no other operations. */
static void find_request(struct process *p)
{
    p->left = 0;
    for (; p->op < p->end; p->op++) {
        p->left += (double)p->op->cpu / TICK_NS * TICK;
        if (!(p->op->flags & DSN_LOAD_SYNC))
            break;
    }
}

static int wait_for_room(struct machine *m, uint32_t i)
{
    put(m, &m->room, i);
    if (m->o->delay > 0)
        hurry(m);
    return 1;
}

/* Whether there can be no room for a request that found none: too many blocks are absent even if all that arrived of
 * its file since are its own. Avoids repeated attempts of many waiting processes after each completion. */
static int is_hopeless(const struct machine *m, const struct process *p)
{
    const uint64_t came = m->arrivals[p->op->file] - p->arrivals, room = m->capacity - m->used + m->clean;

    return p->absent > came && p->absent - came > room && m->o->limit == 0;
}

/* Issues the process's request. Returns whether it waits then. */
static int request(struct machine *m, uint32_t i)
{
    struct process *p = &m->processes[i];
    const struct dsn_load_op *op = p->op;
    const int is_write = (op->flags & DSN_LOAD_WRITE) != 0;
    int waits;

    if (is_hopeless(m, p))
        return wait_for_room(m, i);
    if (!look_up(m, &m->request, op->file, op->offset, op->offset + op->length) || m->request.n > m->capacity) {
        fail(m, "has a request that is larger than the cache");
        return 1;
    }
    if (!allocate_keeping(m, i, &m->request)) {
        p->absent = m->request.nabsent;
        p->arrivals = m->arrivals[op->file];
        return wait_for_room(m, i);
    }
    p->absent = 0;
    for (uint64_t k = 0; k < m->request.n; k++)
        access_block(m, i, op->file, m->request.number[k]);
    second(m)->asked[is_write] += op->length;
    m->r->asked_bytes[is_write] += op->length;
    waits = is_write ? write_blocks(m, i, op) : read_blocks(m, i, op);
    p->reached = 0;
    p->op++;
    find_request(p);
    return waits;
}

/* Computes until the next request, or the end of the time slice. Returns whether the request was reached. */
static int compute(struct machine *m, uint32_t i, double *slice)
{
    struct process *p = &m->processes[i];
    const double run = p->left < *slice ? p->left : *slice;

    m->now += run;
    m->r->user += run;
    p->left -= run;
    *slice -= run;
    complete(m);
    if (p->left > SOON) {
        put(m, &m->ready, i);
        return 0;
    }
    p->reached = 1;
    spend_interrupts(m);
    spend(m, m->o->file_system);
    if (m->o->ssd)
        spend(m, SSD_SETUP + (double)p->op->length / 1024 * SSD_KIB);
    complete(m);
    return 1;
}

static void run_slice(struct machine *m, uint32_t i)
{
    struct process *p = &m->processes[i];
    double slice = m->o->quantum;

    spend_interrupts(m);
    while (!m->failed) {
        if (p->op == p->end) {
            p->done = 1;
            m->r->finish[i] = m->now;
            return;
        }
        if (!p->reached && !compute(m, i, &slice))
            return;
        if (request(m, i))
            return;
    }
}

/* ------------------------------------------------------------------ all of it */

static void run(struct machine *m)
{
    size_t left = m->job->nprocesses;
    uint32_t last = NOBODY;

    while (left > 0 && !m->failed) {
        uint32_t i;

        complete(m);
        if (m->ready.head == NOBODY) {
            if (m->nheap == 0) {
                fail(m, "has a request that never finds room in the cache");
                return;
            }
            m->r->idle += m->heap[0].time - m->now;
            m->now = m->heap[0].time;
            continue;
        }
        i = take_first(m, &m->ready);
        if (last != NOBODY && last != i)
            spend(m, m->o->context_switch);
        last = i;
        run_slice(m, i);
        left -= (size_t)m->processes[i].done;
    }
}

/* A file of a process whose files are initially in the cache. */
struct warm {
    uint32_t process, file;
    uint64_t id;
};

static int by_process_and_id(const void *a, const void *b)
{
    const struct warm *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Puts files of some traces into the cache, by their ids, as far as they fit. */
static void warm_up(struct machine *m)
{
    const struct dsn_load *job = m->job;
    const uint64_t size = (uint64_t)m->o->block;
    struct warm *files = calloc(job->nfiles, sizeof *files);
    size_t n = 0;

    if (!files) {
        fail(m, "does not fit into memory");
        return;
    }
    for (uint32_t i = 0; i < job->nprocesses; i++)
        for (size_t k = job->processes[i].first; k < job->processes[i].first + job->processes[i].n; k++)
            if (m->o->warm[job->processes[i].trace] && !m->arrivals[job->ops[k].file]) {
                m->arrivals[job->ops[k].file] = 1; /* counted once; set back below */
                files[n++] = (struct warm){ i, job->ops[k].file, job->files[job->ops[k].file].id };
            }
    qsort(files, n, sizeof *files, by_process_and_id);
    for (size_t k = 0; k < n; k++) {
        m->arrivals[files[k].file] = 0;
        for (uint64_t b = 0; b < (job->files[files[k].file].extent + size - 1) / size && m->used < m->capacity; b++) {
            const uint32_t number = number_of(m, files[k].file, b);

            if (number == DSN_BLOCK_NONE)
                break;
            access_block(m, files[k].process, files[k].file, number);
            m->used++;
        }
    }
    free(files);
}

static int prepare(struct machine *m)
{
    const struct dsn_load *job = m->job;
    const uint64_t size = (uint64_t)m->o->block;
    const double bytes = m->o->cache * 1048576;
    uint64_t at = 0;

    m->capacity = (uint64_t)((bytes - fmod(bytes, (double)size)) / (double)size);
    m->newest = m->oldest = DSN_BLOCK_NONE;
    m->ready = m->room = (struct queue){ NOBODY, NOBODY };
    m->head_file = NOBODY;
    dsn_blocks_init(&m->map, MAX_BLOCKS);
    m->base = calloc(job->nfiles, sizeof *m->base);
    dsn__pairmap_init(&m->reads);
    m->arrivals = calloc(job->nfiles, sizeof *m->arrivals);
    m->processes = calloc(job->nprocesses, sizeof *m->processes);
    m->r->finish = calloc(job->nprocesses, sizeof *m->r->finish);
    m->r->nfinish = job->nprocesses;
    if (!m->base || !m->arrivals || !m->processes || !m->r->finish) {
        fail(m, "does not fit into memory");
        return 0;
    }
    for (size_t i = 0; i < job->nfiles; i++) {
        m->base[i] = at;
        if (at > UINT64_MAX / 2) {
            fail(m, "has files that are too large together");
            return 0;
        }
        at += job->files[i].extent / size + 2;
    }
    for (uint32_t i = 0; i < job->nprocesses; i++) {
        struct process *p = &m->processes[i];

        p->op = job->ops + job->processes[i].first;
        p->end = p->op + job->processes[i].n;
        find_request(p);
        put(m, &m->ready, i);
    }
    if (m->o->warm)
        warm_up(m);
    return !m->failed;
}

int dsn_cray_ymp_run(const struct dsn_load *job, const struct dsn_cray_ymp_options *o, struct dsn_cray_ymp_result *r)
{
    struct machine m = { .job = job, .o = o, .r = r };

    *r = (struct dsn_cray_ymp_result){ 0 };
    if (prepare(&m))
        run(&m);
    r->elapsed = m.now;
    r->utilisation = m.now > 0 ? 1 - r->idle / m.now : 0;
    dsn_blocks_free(&m.map);
    free(m.blocks);
    free(m.base);
    free(m.ended);
    free(m.waiters);
    dsn__pairmap_free(&m.reads);
    free(m.arrivals);
    free(m.processes);
    free(m.request.number);
    free(m.request.absent);
    free(m.ahead.number);
    free(m.ahead.absent);
    free(m.heap);
    return !m.failed;
}

void dsn_cray_ymp_free(struct dsn_cray_ymp_result *r)
{
    free(r->finish);
    free(r->seconds);
}

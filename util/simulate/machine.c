/* machine.c - simulation of a current machine
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model is described in machine.h. An agenda orders the next events of each process (its next operation), the file
 * system, delays, and each node's link, burst buffer and page cache. A request waits for one or several of these, then
 * for a delay of its own, such as copying from a cache. */
#include <config.h>
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "share.h"
#include "util/lib/grow.h"

#define NS     1e-9
#define NOBODY UINT32_MAX
#define CHUNK  4194304.0 /* bytes written back at once */
#define PAGE   4096.     /* bytes */
#define LITTLE 1e-6      /* bytes below which nothing is left */
#define EVEN   1e-6      /* relative change of the inflow that is ignored */
/* Seconds by which a full or empty buffer is noticed late, because steps of zero length would never end. */
#define STEP 1e-9

enum purpose { OPERATION, WRITE_BACK, READ_AHEAD };

struct request {
    enum purpose purpose;
    uint32_t owner; /* process, or node of a write-back */
    uint32_t node;
    uint32_t next;   /* in the free list, and of waiting writers */
    uint32_t stream; /* of its read-ahead */
    uint32_t waiter; /* a request that waits for this read-ahead */
    uint32_t need;   /* number of servers that have to complete it */
    int is_write;
    double tail; /* delay afterwards */
    double began;
};

struct process {
    size_t at, end;       /* operations */
    uint32_t outstanding; /* in the current group */
    uint32_t next;        /* in the list of those waiting for a burst */
    double group_began, in_io, in_burst;
};

struct buffer {
    struct dsn_share share[2]; /* reads, writes */
    double level, since, staged;
    int full, draining;
};

struct node {
    struct buffer buffer;
    struct dsn_share link;
    struct dsn_pages pages;    /* the page cache */
    struct dsn_pages resident; /* content of the burst buffer */
    uint32_t stopped;          /* writers waiting for dirty blocks to be written */
    int writing_back, syncing;
    uint64_t chunk;
};

struct simulation {
    const struct dsn_load *load;
    const struct dsn_shape *shape;
    const struct dsn_machine *m;
    struct dsn_outcome *out;
    double now;
    struct dsn_agenda agenda;
    struct process *process;
    struct node *node;
    struct dsn_share fs[2], delay;
    uint32_t draining; /* nodes */
    struct request *request;
    size_t nrequests, request_room;
    uint32_t spare;
    uint64_t *key;       /* of each file's first block */
    unsigned char *kept; /* per file: it is read from the burst buffer after being written, or staged in */
    struct dsn__pairmap stream_map;
    struct dsn_stream *stream;
    size_t stream_room;
    uint32_t burst;    /* coupled: the current one */
    uint32_t *waiting; /* coupled: per burst, processes ready for it */
    uint32_t *expected, *left;
    double in_burst; /* coupled: maximum over processes in the current one */
    size_t processes_left;
};

/* ------------------------------------------------------------------ the agenda: who is which thing */

static uint32_t fs_thing(const struct simulation *s)
{
    return (uint32_t)s->load->nprocesses;
}

static uint32_t delay_thing(const struct simulation *s)
{
    return fs_thing(s) + 1;
}

enum { BUFFER_THING, LINK_THING, EXPIRY_THING, NODE_THINGS };

static uint32_t node_thing(const struct simulation *s, uint32_t node, int what)
{
    return delay_thing(s) + 1 + node * NODE_THINGS + (uint32_t)what;
}

/* ------------------------------------------------------------------ the file system */

static void set_fs(struct simulation *s)
{
    const double others = (double)(s->fs[0].n + s->fs[1].n + s->draining) - 1;
    double first = INFINITY;

    for (int d = 0; d < 2; d++) {
        s->fs[d].speed = 1 / (1 + s->m->fs.crowd[d] * (others > 0 ? others : 0));
        first = fmin(first, dsn_share_next(&s->fs[d]));
    }
    dsn_agenda_set(&s->agenda, fs_thing(s), first);
}

static void pass_fs(struct simulation *s)
{
    dsn_share_advance(&s->fs[0], s->now);
    dsn_share_advance(&s->fs[1], s->now);
}

static void set_link(struct simulation *s, uint32_t node)
{
    struct dsn_share *l = &s->node[node].link;

    l->speed = l->n > 0 ? s->m->fs.link / (double)l->n : 0;
    dsn_agenda_set(&s->agenda, node_thing(s, node, LINK_THING), dsn_share_next(l));
}

static void fail(struct simulation *s)
{
    s->out->failed = 1;
}

enum { ANY_FILE = -1 }; /* of write-back */

/* Seconds for moving a file's bytes, without other requests. */
static double transfer(const struct simulation *s, int64_t file, int is_write, double bytes)
{
    const double any = s->m->write_back > 0 ? s->m->write_back : 1;

    return bytes * s->m->fs.byte[is_write] * (!s->m->transfer ? 1 : file == ANY_FILE ? any : s->m->transfer[file]);
}

/* Sends a request to the file system. */
static void ask_fs(struct simulation *s, uint32_t i, int64_t file, int is_write, double bytes)
{
    struct request *r = &s->request[i];
    struct node *n = &s->node[r->node];

    pass_fs(s);
    if (!dsn_share_add(&s->fs[is_write], s->m->fs.latency[is_write] + transfer(s, file, is_write, bytes), i))
        fail(s);
    set_fs(s);
    r->need++;
    s->out->fs_bytes[is_write] += bytes;
    s->out->fs_requests[is_write]++;
    if (s->m->fs.link <= 0)
        return;
    dsn_share_advance(&n->link, s->now);
    if (!dsn_share_add(&n->link, bytes, i))
        fail(s);
    set_link(s, r->node);
    r->need++;
}

/* ------------------------------------------------------------------ burst buffers */

/* Records a constant inflow to a node's burst buffer between two times. Times without a change are omitted. */
static void record_inflow(struct simulation *s, uint32_t node, double begin, double end, double bytes)
{
    struct dsn_inflow *f = &s->out->inflow[node];
    const double so_far = f->n > 0 ? f->point[f->n - 1].bytes : 0;

    if (f->n > 1 && f->point[f->n - 1].time >= begin) {
        struct dsn_inflow_point *last = &f->point[f->n - 1];
        const double rate = (last->bytes - last[-1].bytes) / (last->time - last[-1].time);

        if (fabs(bytes - rate * (end - begin)) <= EVEN * bytes) {
            *last = (struct dsn_inflow_point){ end, so_far + bytes };
            return;
        }
    }
    if (!dsn_grow_zeroed(&f->point, &f->room, sizeof *f->point, f->n + 1)) {
        fail(s);
        return;
    }
    if (f->n == 0 || f->point[f->n - 1].time < begin)
        f->point[f->n++] = (struct dsn_inflow_point){ begin, so_far };
    f->point[f->n++] = (struct dsn_inflow_point){ end, so_far + bytes };
}

/* Advances a node's burst buffer to the current time. */
static void pass_buffer(struct simulation *s, uint32_t node)
{
    struct buffer *b = &s->node[node].buffer;
    const double dt = s->now - b->since, in = b->share[1].speed * (double)b->share[1].n * dt;
    const double out = fmin(b->level + in, s->m->buffer.drain * dt);

    if (s->m->record && in > 0)
        record_inflow(s, node, b->since, s->now, in);
    if (b->full)
        s->out->stalled += dt;
    else
        b->level += in - out;
    s->out->drained += b->full ? in : out;
    b->level = b->level < LITTLE ? 0 : fmin(b->level, s->m->buffer.size);
    if (b->level > s->out->peak)
        s->out->peak = b->level;
    b->since = s->now;
    dsn_share_advance(&b->share[0], s->now);
    dsn_share_advance(&b->share[1], s->now);
}

/* Sets the rates of a node's burst buffer, and the time of their next change. */
static void set_buffer(struct simulation *s, uint32_t node)
{
    const struct dsn_burst_buffer *about = &s->m->buffer;
    struct buffer *b = &s->node[node].buffer;
    const double readers = (double)b->share[0].n, writers = (double)b->share[1].n;
    const double each = readers + writers > 0 ? about->rate / (readers + writers) : 0;
    const int drains = about->drain > 0 && (b->level > 0 || writers > 0);
    const double step = STEP + s->now * 4e-15;
    double in = each * writers, first;

    b->full = in > about->drain && about->size - b->level <= LITTLE;
    if (b->full)
        in = about->drain;
    b->share[0].speed = each;
    b->share[1].speed = writers > 0 ? in / writers : 0;
    first = fmin(dsn_share_next(&b->share[0]), dsn_share_next(&b->share[1]));
    if (!b->full && in > about->drain && about->size < INFINITY)
        first = fmin(first, s->now + step + (about->size - b->level) / (in - about->drain));
    if (!b->full && in < about->drain && b->level > 0)
        first = fmin(first, s->now + step + b->level / (about->drain - in));
    dsn_agenda_set(&s->agenda, node_thing(s, node, BUFFER_THING), first);
    if (drains != b->draining) {
        pass_fs(s);
        b->draining = drains;
        s->draining += drains ? 1u : -1u;
        set_fs(s);
    }
}

static void ask_buffer(struct simulation *s, uint32_t i, int is_write, double bytes)
{
    struct request *r = &s->request[i];

    pass_buffer(s, r->node);
    if (!dsn_share_add(&s->node[r->node].buffer.share[is_write], bytes, i))
        fail(s);
    set_buffer(s, r->node);
    r->need++;
    r->tail += s->m->buffer.latency[is_write];
    s->out->buffer_bytes[is_write] += bytes;
}

/* Whether a node's burst buffer contains everything read; written data is added to it. */
static int in_buffer(struct simulation *s, uint32_t node, const struct dsn_load_op *op)
{
    struct dsn_pages *p = &s->node[node].resident;
    const uint64_t first = op->offset / p->block,
                   end = op->length ? (op->offset + op->length - 1) / p->block + 1 : first;
    const int is_write = (op->flags & DSN_LOAD_WRITE) != 0;
    int all = op->length > 0;

    if (!s->kept[op->file])
        return 0;
    for (uint64_t b = first; b < end; b++) {
        const uint32_t i = dsn_pages_number(p, s->key[op->file] + b);

        if (i == DSN_BLOCK_NONE) {
            fail(s);
            return 0;
        }
        if (is_write) {
            p->page[i].dirty = 1;
        } else if (!dsn_cache_has(&p->cache, i)) {
            if (!s->m->buffer.stage_in || p->page[i].dirty ||
                s->node[node].buffer.staged + (double)p->block > s->m->buffer.size) {
                all = 0;
                continue;
            }
            s->node[node].buffer.staged += (double)p->block;
            p->page[i].dirty = 1; /* it was staged in, which happens once */
        }
        dsn_cache_use(&p->cache, i, 0);
    }
    return all;
}

/* ------------------------------------------------------------------ requests */

static uint32_t new_request(struct simulation *s, enum purpose purpose, uint32_t owner, uint32_t node)
{
    uint32_t i = s->spare;

    if (i != NOBODY) {
        s->spare = s->request[i].next;
    } else {
        if (!dsn_grow_zeroed(&s->request, &s->request_room, sizeof *s->request, s->nrequests)) {
            fail(s);
            return NOBODY;
        }
        i = (uint32_t)s->nrequests++;
    }
    s->request[i] = (struct request){
        .purpose = purpose, .owner = owner, .node = node, .waiter = NOBODY, .next = NOBODY, .began = s->now
    };
    return i;
}

static void done(struct simulation *s, uint32_t i);

/* All servers have completed the request: only its delay is left. */
static void delay(struct simulation *s, uint32_t i)
{
    if (s->request[i].tail <= 0) {
        done(s, i);
        return;
    }
    dsn_share_advance(&s->delay, s->now);
    s->delay.speed = 1;
    if (!dsn_share_add(&s->delay, s->request[i].tail, i))
        fail(s);
    dsn_agenda_set(&s->agenda, delay_thing(s), dsn_share_next(&s->delay));
}

static void served(struct simulation *s, uint32_t i)
{
    if (s->request[i].need > 0 && --s->request[i].need > 0)
        return;
    delay(s, i);
}

/* ------------------------------------------------------------------ the page cache */

static void write_back(struct simulation *s, uint32_t node);

static double page_limit(const struct simulation *s, double share)
{
    return share * s->m->cache.size / s->m->block;
}

/* Writes dirty blocks if necessary, one chunk after another. */
static void write_back(struct simulation *s, uint32_t node)
{
    struct node *n = &s->node[node];
    const double oldest = dsn_pages_oldest(&n->pages);
    uint32_t i;

    if (n->writing_back)
        return;
    if (!n->syncing && (double)n->pages.ndirty <= page_limit(s, s->m->cache.background) &&
        oldest + s->m->cache.expiry > s->now) {
        dsn_agenda_set(&s->agenda, node_thing(s, node, EXPIRY_THING), oldest + s->m->cache.expiry);
        return;
    }
    dsn_agenda_set(&s->agenda, node_thing(s, node, EXPIRY_THING), INFINITY);
    n->chunk = dsn_pages_clean(&n->pages, (uint64_t)fmax(1, CHUNK / s->m->block));
    if (n->chunk == 0)
        return;
    i = new_request(s, WRITE_BACK, node, node);
    if (i == NOBODY)
        return;
    n->writing_back = 1;
    ask_fs(s, i, ANY_FILE, 1, (double)n->chunk * s->m->block);
}

/* Whether a writer, or a sync, must wait until fewer blocks are dirty. */
static int must_stop(const struct simulation *s, const struct node *n)
{
    const double dirty = (double)n->pages.ndirty + (n->writing_back ? (double)n->chunk : 0);

    return n->syncing ? dirty > 0 : dirty > page_limit(s, s->m->cache.limit);
}

static void stop(struct simulation *s, uint32_t i)
{
    struct node *n = &s->node[s->request[i].node];

    s->request[i].next = n->stopped;
    n->stopped = i;
}

static void written_back(struct simulation *s, uint32_t node)
{
    struct node *n = &s->node[node];

    n->writing_back = 0;
    n->chunk = 0;
    if (!must_stop(s, n)) {
        n->syncing = 0;
        while (n->stopped != NOBODY) {
            const uint32_t i = n->stopped;

            n->stopped = s->request[i].next;
            delay(s, i);
        }
    }
    write_back(s, node);
}

/* Dirty blocks that a cache evicted. */
static void write_out(struct simulation *s, uint32_t node, uint64_t blocks)
{
    uint32_t i;

    if (blocks == 0 || (i = new_request(s, READ_AHEAD, NOBODY, node)) == NOBODY)
        return;
    s->request[i].stream = NOBODY;
    ask_fs(s, i, ANY_FILE, 1, (double)blocks * s->m->block);
}

static struct dsn_stream *stream_of(struct simulation *s, uint32_t process, uint32_t file, uint32_t *number)
{
    *number = dsn__pairmap_add(&s->stream_map, process, file, 0);
    if (*number == DSN__PAIR_NONE || !dsn_grow_zeroed(&s->stream, &s->stream_room, sizeof *s->stream, *number)) {
        fail(s);
        return NULL;
    }
    return &s->stream[*number];
}

/* Fetches a read-ahead window asynchronously. */
static void fetch_ahead(struct simulation *s, uint32_t node, uint32_t file, uint32_t number,
                        const struct dsn_page_plan *plan)
{
    const uint32_t i = plan->ahead ? new_request(s, READ_AHEAD, NOBODY, node) : NOBODY;
    struct dsn_stream *t = &s->stream[number];

    if (i == NOBODY)
        return;
    s->request[i].stream = number;
    t->arriving = i + 1;
    t->arriving_first = plan->ahead_first;
    t->arriving_end = plan->ahead_end;
    ask_fs(s, i, file, 0, (double)plan->ahead * s->m->block);
}

/* Whole pages are fetched. If simulated blocks are larger, only the requested bytes are. */
static double fetched_bytes(const struct simulation *s, const struct dsn_load_op *op, const struct dsn_page_plan *plan)
{
    if (s->m->block <= PAGE)
        return (double)plan->fetch * s->m->block;
    return (double)op->length * (double)plan->misses / (double)(plan->hits + plan->misses) +
           (double)(plan->fetch - plan->misses) * s->m->block;
}

static void read_cached(struct simulation *s, uint32_t i, const struct dsn_load_op *op)
{
    struct node *n = &s->node[s->request[i].node];
    const uint64_t extent = s->load->files[op->file].extent;
    struct dsn_page_plan plan;
    struct request *arriving;
    struct dsn_stream *t;
    uint32_t number;

    t = stream_of(s, s->request[i].owner, op->file, &number);
    if (!t)
        return;
    plan = dsn_pages_read(&n->pages, t, s->key[op->file], (extent + n->pages.block - 1) / n->pages.block, op->offset,
                          op->length, (uint64_t)(s->m->cache.ahead / s->m->block));
    s->out->hits += plan.hits;
    s->out->misses += plan.misses;
    arriving = t->arriving ? &s->request[t->arriving - 1] : NULL;
    if (arriving && arriving->waiter == NOBODY && op->length > 0 && op->offset / n->pages.block < t->arriving_end &&
        (op->offset + op->length - 1) / n->pages.block >= t->arriving_first) {
        arriving->waiter = i;
        s->request[i].need++;
    }
    if (plan.misses > 0)
        s->request[i].tail *= (double)plan.hits / (double)(plan.hits + plan.misses);
    if (plan.fetch > 0)
        ask_fs(s, i, op->file, 0, fetched_bytes(s, op, &plan));
    if (plan.ahead > 0)
        fetch_ahead(s, s->request[i].node, op->file, number, &plan);
    write_out(s, s->request[i].node, plan.dirty_out);
    if (n->pages.failed)
        fail(s);
}

static void write_cached(struct simulation *s, uint32_t i, const struct dsn_load_op *op)
{
    struct node *n = &s->node[s->request[i].node];
    const struct dsn_page_plan plan = dsn_pages_write(&n->pages, s->key[op->file], op->offset, op->length, s->now);

    write_out(s, s->request[i].node, plan.dirty_out);
    write_back(s, s->request[i].node);
    if (n->pages.failed)
        fail(s);
}

/* ------------------------------------------------------------------ operations */

/* Determines what serves an operation that is issued. */
static void route(struct simulation *s, uint32_t i, const struct dsn_load_op *op)
{
    struct request *r = &s->request[i];
    const int is_write = (op->flags & DSN_LOAD_WRITE) != 0, has_place = !(op->flags & DSN_LOAD_NO_OFFSET);
    const int pinned = s->m->pinned && s->m->pinned[op->file];
    const double bytes = (double)op->length;

    if (op->flags & DSN_LOAD_SYNC) {
        struct node *n = &s->node[r->node];

        r->tail = s->m->cache.size > 0 && s->m->cache.write_back ? 0 : (double)op->duration * NS;
        if (s->m->cache.size > 0 && s->m->cache.write_back && n->pages.ndirty > 0) {
            n->syncing = 1;
            stop(s, i);
            write_back(s, r->node);
            return;
        }
        delay(s, i);
        return;
    }
    if (has_place && s->m->buffer.rate > 0 && (pinned || in_buffer(s, r->node, op) || is_write)) {
        if (pinned) {
            r->tail = s->m->buffer.latency[is_write] + bytes / s->m->buffer.rate;
            s->out->buffer_bytes[is_write] += bytes;
        } else {
            ask_buffer(s, i, is_write, bytes);
        }
    } else if (has_place && s->m->cache.size > 0 && (!is_write || s->m->cache.write_back)) {
        r->tail = s->m->cache.latency + bytes * s->m->cache.byte;
        if (is_write)
            write_cached(s, i, op);
        else
            read_cached(s, i, op);
        if (is_write && must_stop(s, &s->node[s->request[i].node])) {
            stop(s, i);
            return;
        }
    } else {
        if (has_place && s->m->cache.size > 0 && !s->m->cache.reads_only) { /* written through, but can be read */
            dsn_pages_write(&s->node[r->node].pages, s->key[op->file], op->offset, op->length, s->now);
            while (dsn_pages_clean(&s->node[r->node].pages, UINT64_MAX) > 0)
                continue;
        }
        ask_fs(s, i, op->file, is_write, bytes);
    }
    if (s->request[i].need == 0)
        delay(s, i);
}

/* Issues the process's next operation, when it is due. */
static void issue(struct simulation *s, uint32_t p)
{
    struct process *me = &s->process[p];
    const struct dsn_load_op *op = &s->load->ops[me->at];
    const uint32_t i = new_request(s, OPERATION, p, s->load->processes[p].node);

    if (i == NOBODY)
        return;
    s->request[i].is_write = (op->flags & DSN_LOAD_SYNC) ? 2 : (op->flags & DSN_LOAD_WRITE) != 0;
    if (s->shape->opens[me->at])
        me->group_began = s->now;
    me->outstanding++;
    me->at++;
    if (me->at < me->end && !s->shape->opens[me->at]) /* it overlapped with this one, and is delayed as much */
        dsn_agenda_set(&s->agenda, p, s->now + (double)(s->load->ops[me->at].start - op->start) * NS);
    else
        dsn_agenda_set(&s->agenda, p, INFINITY);
    route(s, i, op);
}

/* All processes that take part have completed the burst: the next one starts. */
static void end_burst(struct simulation *s)
{
    const double end = s->shape->ends[s->burst];

    s->out->visible += s->in_burst;
    s->in_burst = 0;
    s->burst++;
    if (s->burst == s->shape->nbursts)
        return;
    while (s->waiting[s->burst] != NOBODY) {
        const uint32_t p = s->waiting[s->burst];
        const double after = (double)s->load->ops[s->process[p].at].start * NS - end;

        s->waiting[s->burst] = s->process[p].next;
        dsn_agenda_set(&s->agenda, p, s->now + fmax(0, after));
    }
}

/* A process has completed a group, and computes, or has ended. */
static void go_on(struct simulation *s, uint32_t p)
{
    struct process *me = &s->process[p];
    const size_t at = me->at;
    double ended = 0;
    uint32_t was;

    me->in_io += s->now - me->group_began;
    me->in_burst += s->now - me->group_began;
    s->out->seconds += s->now - me->group_began;
    if (!s->m->coupled && me->in_io > s->out->visible)
        s->out->visible = me->in_io;
    if (at == me->end)
        s->processes_left--;
    was = s->shape->burst[at - 1];
    if (at < me->end && (!s->m->coupled || s->shape->burst[at] == was)) {
        for (size_t k = at; k-- > s->load->processes[p].first;) { /* end time of the group */
            const struct dsn_load_op *op = &s->load->ops[k];

            ended = fmax(ended, (double)(op->start + op->duration) * NS);
            if (s->shape->opens[k])
                break;
        }
        dsn_agenda_set(&s->agenda, p, s->now + fmax(0, (double)s->load->ops[at].start * NS - ended));
        return;
    }
    if (!s->m->coupled)
        return;
    s->in_burst = fmax(s->in_burst, me->in_burst);
    me->in_burst = 0;
    if (at < me->end) {
        me->next = s->waiting[s->shape->burst[at]];
        s->waiting[s->shape->burst[at]] = p;
    }
    if (--s->left[was] == 0)
        end_burst(s);
}

/* Completes a request. */
static void done(struct simulation *s, uint32_t i)
{
    const struct request r = s->request[i];

    s->request[i].next = s->spare;
    s->spare = i;
    switch (r.purpose) {
    case WRITE_BACK:
        written_back(s, r.node);
        return;
    case READ_AHEAD:
        if (r.stream != NOBODY && s->stream[r.stream].arriving == i + 1)
            s->stream[r.stream].arriving = 0;
        if (r.waiter != NOBODY)
            served(s, r.waiter);
        return;
    case OPERATION:
        if (r.is_write < 2)
            s->out->moving[r.is_write] += s->now - r.began;
        if (--s->process[r.owner].outstanding == 0 &&
            (s->process[r.owner].at == s->process[r.owner].end || s->shape->opens[s->process[r.owner].at]))
            go_on(s, r.owner);
    }
}

/* ------------------------------------------------------------------ what happens */

static void fs_happens(struct simulation *s)
{
    uint32_t i;

    pass_fs(s);
    for (int d = 0; d < 2; d++)
        while (dsn_share_take(&s->fs[d], &i))
            served(s, i);
    set_fs(s);
}

static void buffer_happens(struct simulation *s, uint32_t node)
{
    struct buffer *b = &s->node[node].buffer;
    uint32_t i;

    pass_buffer(s, node);
    for (int d = 0; d < 2; d++)
        while (dsn_share_take(&b->share[d], &i))
            served(s, i);
    set_buffer(s, node);
}

static void link_happens(struct simulation *s, uint32_t node)
{
    uint32_t i;

    dsn_share_advance(&s->node[node].link, s->now);
    while (dsn_share_take(&s->node[node].link, &i))
        served(s, i);
    set_link(s, node);
}

static void delay_happens(struct simulation *s)
{
    uint32_t i;

    dsn_share_advance(&s->delay, s->now);
    while (dsn_share_take(&s->delay, &i))
        done(s, i);
    dsn_agenda_set(&s->agenda, delay_thing(s), dsn_share_next(&s->delay));
}

static void happen(struct simulation *s, uint32_t thing)
{
    uint32_t k;

    if (thing < fs_thing(s)) {
        issue(s, thing);
    } else if (thing == fs_thing(s)) {
        fs_happens(s);
    } else if (thing == delay_thing(s)) {
        delay_happens(s);
    } else {
        k = thing - delay_thing(s) - 1;
        if (k % NODE_THINGS == BUFFER_THING)
            buffer_happens(s, k / NODE_THINGS);
        else if (k % NODE_THINGS == LINK_THING)
            link_happens(s, k / NODE_THINGS);
        else
            write_back(s, k / NODE_THINGS);
    }
}

/* ------------------------------------------------------------------ before and after */

uint64_t dsn_machine_block(const struct dsn_load *load, uint64_t most)
{
    for (uint64_t block = 4096;; block *= 2) {
        uint64_t uses = 0;

        for (size_t i = 0; i < load->nops && uses <= most; i++)
            uses += load->ops[i].length / block + 1;
        if (uses <= most || uses <= 2 * load->nops || block >= DSN_LOAD_REACH)
            return block;
    }
}

uint64_t *dsn_machine_keys(const struct dsn_load *load, uint64_t block)
{
    uint64_t *key = malloc(load->nfiles * sizeof *key), at = 0;

    for (size_t i = 0; key && i < load->nfiles; i++) {
        key[i] = at;
        at += load->files[i].extent / block + 2;
        if (at > UINT64_MAX / 2) {
            free(key);
            return NULL;
        }
    }
    return key;
}

/* Files that may be read from a burst buffer: those written and read in the run; with stage-in all that are read. */
static int find_kept(struct simulation *s)
{
    unsigned char *does = calloc(s->load->nfiles, 1);

    s->kept = does;
    s->key = dsn_machine_keys(s->load, (uint64_t)s->m->block);
    for (size_t i = 0; does && i < s->load->nops; i++)
        if (!(s->load->ops[i].flags & DSN_LOAD_SYNC))
            does[s->load->ops[i].file] |= s->load->ops[i].flags & DSN_LOAD_WRITE ? 2 : 1;
    for (size_t f = 0; does && f < s->load->nfiles; f++)
        does[f] = does[f] == 3 || (does[f] == 1 && s->m->buffer.stage_in);
    return does && s->key;
}

static uint64_t whole_blocks(double bytes, double block)
{
    return bytes / block < 1e18 ? (uint64_t)(bytes / block) : (uint64_t)1e18;
}

static void prepare_nodes(struct simulation *s)
{
    const uint64_t block = (uint64_t)s->m->block;

    for (uint32_t i = 0; i < s->load->nnodes; i++) {
        struct node *n = &s->node[i];

        n->stopped = NOBODY;
        dsn_pages_begin(&n->pages, s->m->cache.policy ? s->m->cache.policy : dsn_policy(0), block,
                        whole_blocks(s->m->cache.size, s->m->block));
        dsn_pages_begin(&n->resident, dsn_policy(0), block, whole_blocks(s->m->buffer.size, s->m->block));
    }
}

/* Counts the processes of each burst. */
static int prepare_bursts(struct simulation *s)
{
    const size_t n = s->shape->nbursts;

    s->waiting = malloc(n * sizeof *s->waiting);
    s->left = calloc(n, sizeof *s->left);
    if (!s->waiting || !s->left)
        return 0;
    for (size_t b = 0; b < n; b++)
        s->waiting[b] = NOBODY;
    for (size_t p = 0; p < s->load->nprocesses; p++) {
        const struct dsn_load_process *of = &s->load->processes[p];

        for (size_t i = of->first; i < of->first + of->n; i++)
            if (i == of->first || s->shape->burst[i] != s->shape->burst[i - 1])
                s->left[s->shape->burst[i]]++;
    }
    return 1;
}

static int prepare(struct simulation *s)
{
    const struct dsn_load *l = s->load;

    s->spare = NOBODY;
    dsn__pairmap_init(&s->stream_map);
    s->process = calloc(l->nprocesses, sizeof *s->process);
    s->node = calloc(l->nnodes, sizeof *s->node);
    s->out->inflow = calloc(l->nnodes, sizeof *s->out->inflow);
    s->out->nnodes = l->nnodes;
    if (!s->process || !s->node || !s->out->inflow ||
        !dsn_agenda_init(&s->agenda, l->nprocesses + 2 + (size_t)l->nnodes * NODE_THINGS) || !find_kept(s) ||
        !prepare_bursts(s))
        return 0;
    prepare_nodes(s);
    s->processes_left = l->nprocesses;
    for (uint32_t p = 0; p < l->nprocesses; p++) {
        const struct dsn_load_process *of = &l->processes[p];

        s->process[p] = (struct process){ .at = of->first, .end = of->first + of->n };
        if (!s->m->coupled || s->shape->burst[of->first] == 0) {
            dsn_agenda_set(&s->agenda, p, (double)l->ops[of->first].start * NS - s->shape->begin);
        } else {
            s->process[p].next = s->waiting[s->shape->burst[of->first]];
            s->waiting[s->shape->burst[of->first]] = p;
        }
    }
    return 1;
}

/* Sums up after the last process has ended. */
static void sum_up(struct simulation *s)
{
    s->out->elapsed = s->now;
    for (uint32_t i = 0; i < s->load->nnodes; i++) {
        struct node *n = &s->node[i];
        const double rate = s->m->buffer.rate > 0  ? s->m->buffer.drain
                            : s->m->fs.byte[1] > 0 ? 1 / s->m->fs.byte[1]
                                                   : INFINITY;
        double left;

        if (s->m->buffer.rate > 0)
            pass_buffer(s, i);
        left = n->buffer.level + (double)(n->pages.ndirty + n->chunk) * s->m->block;
        s->out->left += left;
        if (left > 0)
            s->out->draining = fmax(s->out->draining, rate > 0 ? left / rate : INFINITY);
    }
}

static void clean_up(struct simulation *s)
{
    for (uint32_t i = 0; s->node && i < s->load->nnodes; i++) {
        dsn_share_free(&s->node[i].link);
        dsn_share_free(&s->node[i].buffer.share[0]);
        dsn_share_free(&s->node[i].buffer.share[1]);
        dsn_pages_free(&s->node[i].pages);
        dsn_pages_free(&s->node[i].resident);
    }
    dsn_agenda_free(&s->agenda);
    dsn_share_free(&s->fs[0]);
    dsn_share_free(&s->fs[1]);
    dsn_share_free(&s->delay);
    dsn__pairmap_free(&s->stream_map);
    free(s->process);
    free(s->node);
    free(s->request);
    free(s->key);
    free(s->kept);
    free(s->stream);
    free(s->waiting);
    free(s->left);
}

int dsn_machine_run(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_outcome *out)
{
    struct simulation s = { .load = load, .shape = shape, .m = m, .out = out };

    *out = (struct dsn_outcome){ 0 };
    if (!prepare(&s))
        fail(&s);
    while (!out->failed && s.processes_left > 0) {
        const struct dsn_agenda_entry *first = dsn_agenda_first(&s.agenda);

        if (!first) {
            fail(&s); /* cannot happen: there is always something to wait for */
            break;
        }
        s.now = s.now > first->time ? s.now : first->time;
        out->events++;
        happen(&s, first->thing);
    }
    if (!out->failed)
        sum_up(&s);
    clean_up(&s);
    return !out->failed;
}

void dsn_outcome_free(struct dsn_outcome *out)
{
    for (uint32_t i = 0; out->inflow && i < out->nnodes; i++)
        free(out->inflow[i].point);
    free(out->inflow);
    out->inflow = NULL;
}

/* Maximum content of a bucket with this inflow and a constant outflow `rate`. */
static double bucket(const struct dsn_inflow *f, double rate)
{
    double level = 0, most = 0;

    for (size_t i = 1; i < f->n; i++) {
        level += f->point[i].bytes - f->point[i - 1].bytes - rate * (f->point[i].time - f->point[i - 1].time);
        level = level > 0 ? level : 0;
        most = level > most ? level : most;
    }
    return most;
}

double dsn_machine_drain(const struct dsn_outcome *out, double size)
{
    double needed = 0;

    for (uint32_t i = 0; i < out->nnodes; i++) {
        const struct dsn_inflow *f = &out->inflow[i];
        double low = needed, high = fmax(needed, 1);

        if (bucket(f, needed) <= size)
            continue;
        while (bucket(f, high) > size && high < 1e18)
            high *= 2;
        for (int k = 0; k < 24; k++) {
            const double middle = (low + high) / 2;

            *(bucket(f, middle) > size ? &low : &high) = middle;
        }
        needed = high;
    }
    return needed;
}

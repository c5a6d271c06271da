/* cufile.c - what calls of cuFile (GPUDirect Storage) count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data goes from storage to the GPU's memory without a POSIX call, or, in compatibility mode, by POSIX calls of the library:
 * these count for the file as any others do, and this record says which of its bytes they have. */
#include <config.h>

#include "module/cufile.h"

#include "darshan-log-format/extension.h"
#include "darshan-log-format/index.h"
#include "module/shared/access.h"
#include "module/shared/beside.h"
#include "record/inner.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/times.h"

#define MOST     1024               /* operations under way that are remembered; the end of others is not seen */
#define MOST_OPS (INT64_C(1) << 50) /* more is damage of a survival file */

struct cufile_record {
    struct dsn_record_state state;
    struct dsn_times times[2];
    struct dsn_time_sum meta;
};

static const struct rows {
    int ops, async_ops, batch_ops, queued_ops, compat_ops, bytes, queued, compat_bytes, compat_queued, unseen, size,
        of_posix;
    struct dsn_time_rows times;
} rows[2] = {
    [DSN_READ] = { .ops = CUFILE_READS,
                   .async_ops = CUFILE_ASYNC_READS,
                   .batch_ops = CUFILE_BATCH_READS,
                   .queued_ops = CUFILE_QUEUED_READS,
                   .compat_ops = CUFILE_COMPAT_READS,
                   .bytes = CUFILE_BYTES_READ,
                   .queued = CUFILE_QUEUED_READ,
                   .compat_bytes = CUFILE_COMPAT_BYTES_READ,
                   .compat_queued = CUFILE_COMPAT_QUEUED_READ,
                   .unseen = CUFILE_UNSEEN_READ,
                   .size = CUFILE_SIZE_READ_0_100,
                   .of_posix = POSIX_BYTES_READ,
                   .times = { -1, -1, CUFILE_F_READ_TIME, -1 } },
    [DSN_WRITE] = { .ops = CUFILE_WRITES,
                    .async_ops = CUFILE_ASYNC_WRITES,
                    .batch_ops = CUFILE_BATCH_WRITES,
                    .queued_ops = CUFILE_QUEUED_WRITES,
                    .compat_ops = CUFILE_COMPAT_WRITES,
                    .bytes = CUFILE_BYTES_WRITTEN,
                    .queued = CUFILE_QUEUED_WRITTEN,
                    .compat_bytes = CUFILE_COMPAT_BYTES_WRITTEN,
                    .compat_queued = CUFILE_COMPAT_QUEUED_WRITTEN,
                    .unseen = CUFILE_UNSEEN_WRITTEN,
                    .size = CUFILE_SIZE_WRITE_0_100,
                    .of_posix = POSIX_BYTES_WRITTEN,
                    .times = { -1, -1, CUFILE_F_WRITE_TIME, -1 } },
};

/* What is queued moves in threads of the library. Whether by POSIX calls follows from the synchronous calls on the file, and
 * if there are none, or some moved so, from what the record of POSIX has that they do not explain. That is final here. */
static int64_t find_compatible(const struct dsn_record_state *state, enum dsn_direction d)
{
    const struct dsn_record_state *posix = dsn__name_record(state->name, DSN_INDEX_POSIX);
    const union dsn_val *v = state->rec->v;
    const bool is_direct = (v[CUFILE_BYTES_READ].i | v[CUFILE_BYTES_WRITTEN].i) != 0 &&
                           (v[CUFILE_COMPAT_BYTES_READ].i | v[CUFILE_COMPAT_BYTES_WRITTEN].i) == 0;
    const int64_t beside = posix && posix->rec && !is_direct ? dsn_plus(posix->rec->v[rows[d].of_posix].i,
                                                                        (int64_t) - (uint64_t)v[rows[d].compat_bytes].i)
                                                             : 0;

    return beside < 0 ? 0 : beside < v[rows[d].queued].i ? beside : v[rows[d].queued].i;
}

static void choose(const struct dsn_recording *r)
{
    for (struct dsn_record_state *state = r->names->first_state[DSN_INDEX_CUFILE]; state; state = state->next)
        for (int d = DSN_READ; d <= DSN_WRITE; d++) {
            const int64_t by_posix = find_compatible(state, (enum dsn_direction)d);
            union dsn_val *v = state->rec->v;
            const int64_t all = v[rows[d].queued].i, ops = dsn_plus(v[rows[d].async_ops].i, v[rows[d].batch_ops].i);
            const double part = by_posix > 0 && ops > 0 && ops < MOST_OPS ? (double)by_posix / (double)all : 0;

            v[rows[d].compat_queued].i = by_posix;
            v[rows[d].queued].i = all - by_posix;
            v[rows[d].queued_ops].i = ops - (int64_t)(part * (double)ops);
        }
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    const struct cufile_record *f = (struct cufile_record *)state;

    (void)r;
    for (int d = DSN_READ; d <= DSN_WRITE; d++)
        dsn__publish_times(&f->times[d], &rows[d].times, state->rec->v);
    state->rec->v[CUFILE_F_META_TIME].i = f->meta.total;
}

const struct dsn_module_info dsn__cufile_module = {
    .id = DSN_NO_MODULE,
    .state_size = sizeof(struct cufile_record),
    .path_named = 1,
    .may_use_reserve = 1,
    .choose = choose,
    .finalize = finalize,
};

/* ------------------------------------------------------------------ the real call */

bool dsn__cufile_begins(struct dsn_cufile_call *c)
{
    if (dsn__thread.cufile - (uintptr_t)c < DSN_ONE_STACK)
        return false;
    c->outer = dsn__thread.cufile;
    dsn__thread.cufile = (uintptr_t)c;
    dsn__tally_begins();
    return true;
}

void dsn__cufile_ends(struct dsn_cufile_call *c)
{
    dsn__tally_ends(c->posix);
    dsn__thread.cufile = c->outer;
}

/* ------------------------------------------------------------------ files and buffers */

static struct cufile_record *record_of(void *handle)
{
    return handle ? dsn__handle_get(&dsn__cufile->files, (uintptr_t)handle) : NULL;
}

static void add_failure(struct cufile_record *f)
{
    if (f && dsn__lock(&f->state)) {
        f->state.rec->v[CUFILE_FAILED].i++;
        dsn__unlock(&f->state);
    }
}

void dsn__cufile_register(const struct dsn_span *s, struct dsn_cufile_error result, void *const *handle,
                          const struct dsn_cufile_descriptor *d)
{
    const struct dsn_description *o = d && d->type == DSN_CUFILE_IS_FD ? dsn__fd_identified(d->is.fd) : NULL;
    struct cufile_record *f =
        o ? (struct cufile_record *)dsn__record_of_name(DSN_INDEX_CUFILE, dsn__description_state(o)->name) : NULL;

    if (result.err != 0) {
        add_failure(f);
        return;
    }
    if (!f || !handle || !*handle) {
        if (handle && *handle) /* the number may have been another file's, whose end was not seen */
            dsn__handle_take(&dsn__cufile->files, (uintptr_t)*handle);
        return;
    }
    dsn__handle_set(&dsn__cufile->files, (uintptr_t)*handle, f);
    if (!dsn__lock(&f->state))
        return;
    f->state.rec->v[CUFILE_HANDLES].i++;
    dsn__add_time(&f->meta, s);
    dsn__unlock(&f->state);
}

struct dsn_record_state *dsn__cufile_release(void *handle)
{
    return handle ? dsn__handle_take(&dsn__cufile->files, (uintptr_t)handle) : NULL;
}

void dsn__cufile_released(const struct dsn_span *s, struct dsn_record_state *state)
{
    if (!state || !dsn__lock(state))
        return;
    dsn__add_time(&((struct cufile_record *)state)->meta, s);
    dsn__unlock(state);
}

void dsn__cufile_buffer(const struct dsn_span *s, struct dsn_cufile_error result, size_t size)
{
    struct cufile_record *f = (struct cufile_record *)dsn__record_named(DSN_INDEX_CUFILE, DSN_CUFILE_BUFFERS);

    if (result.err != 0) {
        add_failure(f);
        return;
    }
    if (!f || !dsn__lock(&f->state))
        return;
    f->state.rec->v[CUFILE_BUFFERS].i++;
    f->state.rec->v[CUFILE_BUFFER_BYTES].i += (int64_t)size;
    f->state.rec->v[CUFILE_F_BUFFER_TIME].i += s->end - s->start;
    dsn__unlock(&f->state);
}

void dsn__cufile_buffer_ends(const struct dsn_span *s, struct dsn_cufile_error result)
{
    struct dsn_record_state *state =
        result.err == 0 ? dsn__record_named_if_there(DSN_INDEX_CUFILE, DSN_CUFILE_BUFFERS) : NULL;

    if (!state || !dsn__lock(state))
        return;
    state->rec->v[CUFILE_F_BUFFER_TIME].i += s->end - s->start;
    dsn__unlock(state);
}

/* ------------------------------------------------------------------ reads and writes */

/* The caller holds the lock. */
static void add_operation(struct cufile_record *f, const struct dsn_span *s, enum dsn_direction d, int ops,
                          int64_t size)
{
    union dsn_val *v = f->state.rec->v;

    v[ops].i++;
    v[(unsigned)rows[d].size + dsn_size_bin(size)].i++;
    dsn__stamp(&v[CUFILE_F_START].i, &v[CUFILE_F_END].i, s);
}

void dsn__cufile_io(const struct dsn_span *s, const struct dsn_cufile_call *c, ssize_t result, void *handle,
                    enum dsn_direction d, size_t size)
{
    struct cufile_record *f = record_of(handle);
    union dsn_val *v;

    if (!f || !dsn__lock(&f->state))
        return;
    v = f->state.rec->v;
    if (result < 0) {
        v[CUFILE_FAILED].i++;
    } else {
        const int64_t by_posix = c->posix[d] < result ? c->posix[d] : result; /* it may have written its log, too */
        const bool is_compatible = by_posix == result && result > 0;

        add_operation(f, s, d, is_compatible ? rows[d].compat_ops : rows[d].ops, (int64_t)size);
        v[rows[d].bytes].i += result - by_posix;
        v[rows[d].compat_bytes].i += by_posix;
        if (!is_compatible)
            dsn__add_time(&f->times[d].sum, s);
    }
    dsn__unlock(&f->state);
}

static void add_queued(struct cufile_record *f, const struct dsn_span *s, enum dsn_direction d, int ops, int64_t size)
{
    add_operation(f, s, d, ops, size);
    f->state.rec->v[rows[d].queued].i += size;
    f->state.rec->v[rows[d].unseen].i += size;
}

void dsn__cufile_async(const struct dsn_span *s, struct dsn_cufile_error result, void *handle, enum dsn_direction d,
                       size_t size)
{
    struct cufile_record *f = record_of(handle);

    if (result.err != 0) {
        add_failure(f);
        return;
    }
    if (!f || !dsn__lock(&f->state))
        return;
    add_queued(f, s, d, rows[d].async_ops, (int64_t)size);
    dsn__unlock(&f->state);
}

/* ------------------------------------------------------------------ batches */

struct dsn_cufile_operation {
    struct dsn_cufile_operation *next;
    struct cufile_record *of;
    const void *batch, *cookie;
    uint64_t number;
    int64_t size;
    enum dsn_direction direction;
};

/* Of a request that is no read or write nothing is known. */
static struct cufile_record *record_of_request(const struct dsn_cufile_request *r)
{
    return r->opcode == DSN_READ || r->opcode == DSN_WRITE ? record_of(r->handle) : NULL;
}

static void remember(struct cufile_record *f, const void *batch, uint64_t number, const struct dsn_cufile_request *r)
{
    struct dsn_cufile_operation *o;

    if (dsn__cufile->n >= MOST || !(o = dsn__small_take(&dsn__cufile->free_operations, sizeof *o)))
        return;
    *o = (struct dsn_cufile_operation){ .next = dsn__cufile->under_way,
                                        .of = f,
                                        .batch = batch,
                                        .cookie = r->cookie,
                                        .number = number,
                                        .size = (int64_t)r->of.size,
                                        .direction = (enum dsn_direction)r->opcode };
    dsn__cufile->under_way = o;
    dsn__cufile->n++;
}

static void forget(struct dsn_cufile_operation **link)
{
    struct dsn_cufile_operation *o = *link;

    *link = o->next;
    dsn__cufile->n--;
    dsn__small_give(&dsn__cufile->free_operations, o);
}

uint64_t dsn__cufile_submits(const struct dsn_span *s, void *batch, unsigned n, const struct dsn_cufile_request *r)
{
    const uint64_t first = atomic_fetch_add(&dsn__cufile->numbers, n);

    for (unsigned i = 0; r && i < n; i++) {
        struct cufile_record *f = record_of_request(&r[i]);
        const enum dsn_direction d = r[i].opcode == DSN_READ ? DSN_READ : DSN_WRITE;

        if (!f || !dsn__lock(&f->state))
            continue;
        add_queued(f, s, d, rows[d].batch_ops, (int64_t)r[i].of.size);
        dsn__unlock(&f->state);
        if (dsn__spin(&dsn__cufile->lock)) {
            remember(f, batch, first + i, &r[i]);
            dsn__unspin(&dsn__cufile->lock);
        }
    }
    return first;
}

/* It has not been an operation. */
static void take_back(struct cufile_record *f, enum dsn_direction d, int64_t size)
{
    union dsn_val *v = f->state.rec->v;

    if (!dsn__lock(&f->state))
        return;
    v[rows[d].batch_ops].i--;
    v[(unsigned)rows[d].size + dsn_size_bin(size)].i--;
    v[rows[d].queued].i -= size;
    v[rows[d].unseen].i -= size;
    v[CUFILE_FAILED].i++;
    dsn__unlock(&f->state);
}

void dsn__cufile_submitted(const struct dsn_span *s, struct dsn_cufile_error result, uint64_t first, unsigned n,
                           const struct dsn_cufile_request *r)
{
    if (result.err != 0 && dsn__spin(&dsn__cufile->lock)) {
        for (struct dsn_cufile_operation **link = &dsn__cufile->under_way; *link;)
            if ((*link)->number - first < n)
                forget(link);
            else
                link = &(*link)->next;
        dsn__unspin(&dsn__cufile->lock);
    }
    for (unsigned i = 0; r && i < n; i++) {
        struct cufile_record *f = record_of_request(&r[i]);
        const enum dsn_direction d = r[i].opcode == DSN_READ ? DSN_READ : DSN_WRITE;

        if (!f)
            continue;
        if (result.err != 0) {
            take_back(f, d, (int64_t)r[i].of.size);
        } else if (dsn__lock(&f->state)) {
            dsn__stamp(&f->state.rec->v[CUFILE_F_START].i, &f->state.rec->v[CUFILE_F_END].i, s);
            dsn__unlock(&f->state);
        }
    }
}

/* The operation of a batch with that cookie, removed. Programs choose cookies as they like: if several have it, each of them
 * will do, unless they are of different files or directions. */
static bool take_operation(const void *batch, const void *cookie, struct dsn_cufile_operation *out)
{
    struct dsn_cufile_operation **found = NULL;

    for (struct dsn_cufile_operation **link = &dsn__cufile->under_way; *link; link = &(*link)->next) {
        if ((*link)->batch != batch || (*link)->cookie != cookie)
            continue;
        if (found && ((*found)->of != (*link)->of || (*found)->direction != (*link)->direction))
            return false;
        found = link; /* the earliest of them in the end */
    }
    if (!found)
        return false;
    *out = **found;
    forget(found);
    return true;
}

void dsn__cufile_events(struct dsn_cufile_error result, void *batch, const unsigned *n,
                        const struct dsn_cufile_event *events)
{
    const int failed = DSN_CUFILE_INVALID | DSN_CUFILE_CANCELED | DSN_CUFILE_TIMEOUT | DSN_CUFILE_FAILED;

    for (unsigned i = 0; result.err == 0 && n && events && i < *n; i++) {
        const struct dsn_cufile_event *e = &events[i];
        struct dsn_cufile_operation o;
        bool known;

        if (!(e->status & (DSN_CUFILE_COMPLETE | failed)) || !dsn__spin(&dsn__cufile->lock))
            continue;
        known = take_operation(batch, e->cookie, &o);
        dsn__unspin(&dsn__cufile->lock);
        if (!known)
            continue;
        if ((e->status & failed) || (ssize_t)e->bytes < 0) {
            take_back(o.of, o.direction, o.size);
        } else if (dsn__lock(&o.of->state)) {
            o.of->state.rec->v[rows[o.direction].queued].i += (int64_t)e->bytes - o.size;
            o.of->state.rec->v[rows[o.direction].unseen].i -= o.size;
            dsn__unlock(&o.of->state);
        }
    }
}

void dsn__cufile_forget_batch(void *batch)
{
    if (!dsn__spin(&dsn__cufile->lock))
        return;
    for (struct dsn_cufile_operation **link = &dsn__cufile->under_way; *link;)
        if ((*link)->batch == batch)
            forget(link);
        else
            link = &(*link)->next;
    dsn__unspin(&dsn__cufile->lock);
}

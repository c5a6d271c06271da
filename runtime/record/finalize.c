/* finalize.c - finalizes records for the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records are finalized in place, in the survival file: copying would touch more pages, and page faults dominate the
 * end of a process. So that the process may be killed at any time, each record is saved to `aside` while it is
 * modified, and the file says how far finalization has come. */
#include <config.h>

#include "record/finalize.h"

#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/pages.h"
#include "config/job.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/shards.h"

/* Converts ticks to seconds, at a resolution of 2^-22 s (0.24 us; tools print 1 us, and a Unix time in a double is no
 * finer): lower bits are noise, which does not compress. A time above 0 never becomes 0. */
double dsn__finalized_seconds(const struct dsn_clock *clock, int64_t ticks)
{
    const double quantum = 1.0 / (1 << 22), seconds = dsn__clock_seconds(clock, ticks);

    if (ticks <= 0)
        return 0;
    return seconds < quantum ? quantum : (double)(int64_t)(seconds / quantum + 0.5) * quantum;
}

/* Bytes of the module's own data that precede its record in the same block. */
static size_t in_front(enum dsn_module_index module)
{
    return (dsn__modules[module]->need_size + 7) & ~(size_t)7;
}

/* Falls back to memory outside of the arena if that is full; recovery does not find it there and creates it again. */
static char *room_for(const struct dsn_recording *r, enum dsn_module_index module, size_t size)
{
    char *room = NULL;

    if (size > 0)
        room = r->memory ? dsn__bump(r->memory, size) : dsn__alloc(size);
    if (size > 0 && !room && !r->memory)
        room = dsn__late_records[module] = dsn__pages(size);
    return room;
}

/* Allocates records that were never needed. If there is no memory, these files are not in the log. */
static void add_missing_records(const struct dsn_recording *r, enum dsn_module_index module)
{
    const size_t each = in_front(module) + dsn__record_size(module);
    struct dsn_record_state **at = &r->names->first_state[module];
    size_t n = 0;
    char *room;

    for (const struct dsn_record_state *state = *at; state; state = state->next)
        n += state->rec == NULL;
    room = room_for(r, module, n * each);
    while (*at) {
        struct dsn_record_state *state = *at;

        if (!state->rec && room) {
            state->rec = (struct dsn_rec *)(void *)(room + in_front(module));
            room += each;
        }
        if (state->rec) {
            at = &state->next;
            continue;
        }
        dsn__record_drop(r->names, module, at);
        atomic_fetch_add(&r->incomplete->missed, 1);
        atomic_fetch_or(&r->incomplete->partial, (unsigned long long)1 << dsn__modules[module]->id);
    }
}

/* ------------------------------------------------------------------ a record at a time */

void dsn__finalize_prepare(void)
{
    size_t most = 0;

    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        most = dsn__record_size(module) > most ? dsn__record_size(module) : most;
    dsn__finalizing->aside = dsn__alloc_reserved(most);
}

/* All records before this one are final. From here on nothing but this record changes: updates that were deferred are
 * already in place. */
static void save_record(struct dsn_finalizing *f, enum dsn_module_index module, struct dsn_record_state *state)
{
    atomic_store(&f->next, state);
    atomic_signal_fence(memory_order_seq_cst);
    if (!f->aside)
        return;
    f->module = (int)module; /* describes what `aside` is about to hold; its former content is no longer restored */
    memcpy(f->aside, state->rec, dsn__record_size(module));
    atomic_store(&f->is_aside, state);
    atomic_signal_fence(memory_order_seq_cst);
}

static void restore_record(const struct dsn_finalizing *f, const struct dsn_salvaged *r)
{
    const int module = f->module;
    const struct dsn_record_state *state;
    const char *aside;
    struct dsn_rec *rec;
    size_t size;

    if (atomic_load(&f->is_aside) != atomic_load(&f->next) || atomic_load(&f->is_done) || module < 0 ||
        module >= DSN_NMODULES)
        return;
    size = dsn__record_size((enum dsn_module_index)module);
    aside = dsn__salvaged_address(r, f->aside, size);
    state = dsn__salvaged_address(r, atomic_load(&f->is_aside), sizeof *state);
    rec = state ? dsn__salvaged_address(r, state->rec, size) : NULL;
    if (aside && rec)
        memcpy(rec, aside, size);
}

void dsn__finalize_put_back(struct dsn_finalizing *f, const struct dsn_salvaged *r)
{
    restore_record(f, r);
    f->aside = NULL;
    atomic_store(&f->next, (struct dsn_record_state *)dsn__salvaged_address(r, atomic_load(&f->next),
                                                                            sizeof(struct dsn_record_state)));
}

/* Work deferred until now: frequent values, conversion to seconds, and the rank, which was unknown before MPI_Init. A process
 * that was killed during it had come to `first`: the records before that are final; NULL: all are, if it had begun. */
void dsn__finalize_records(const struct dsn_recording *r)
{
    struct dsn_finalizing *f = r->finalizing;
    const bool is_done = atomic_load(&f->is_done);
    const struct dsn_record_state *first = is_done ? NULL : atomic_load(&f->next);
    bool is_passed = !is_done && (!atomic_load(&f->has_begun) || !first);

    if (!atomic_load(&f->has_begun))
        dsn__clock_end(r->clock);
    atomic_store(&f->has_begun, 1);
    for (int i = 0; i < 2 * DSN_NMODULES; i++) {
        const enum dsn_module_index module = (enum dsn_module_index)(i % DSN_NMODULES);
        const struct dsn_module_info *info = dsn__modules[module];
        const struct dsn_table *t = dsn__counted_table(module);

        if (info->is_last != (i >= DSN_NMODULES))
            continue;
        if (info->choose)
            info->choose(r);
        add_missing_records(r, module);
        for (struct dsn_record_state *state = r->names->first_state[module]; state; state = state->next) {
            is_passed |= first == state;
            if (!is_passed && state->rec->id == state->name->id) /* final, not just allocated */
                continue;
            if (info->flush)
                info->flush(state, r);
            save_record(f, module, state);
            state->rec->id = state->name->id;
            state->rec->rank = r->run->rank;
            if (info->finalize)
                info->finalize(state, r);
            for (unsigned k = 0; t && k < t->nrows; k++)
                if (t->rows[k].at >= 0 && t->rows[k].kind == DSN_F64)
                    state->rec->v[t->rows[k].at].f = dsn__finalized_seconds(r->clock, state->rec->v[t->rows[k].at].i);
        }
    }
    atomic_store(&f->is_done, 1);
    dsn__shards_join(r);
}

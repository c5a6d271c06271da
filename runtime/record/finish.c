/* finish.c - records made ready for the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is finished is a copy of the image as a rule (survive/image.h). A process that only leaves a spool finishes what is in
 * the image itself: copies are pages, and those are what most short processes would take longest for. So that it can be
 * killed at any time there, too, each record is put aside while it is being worked at, and the image says how far it has
 * come. */
#include <config.h>

#include "record/finish.h"

#include <string.h>

#include "base/clock.h"
#include "base/pages.h"
#include "config/job.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/remains.h"

/* Ticks become seconds, kept to a 2^-22nd (0.24 us; tools print 1 us, and a Unix time in a double is no finer): the
 * bits below that are noise, which no compressor can do anything about. What took any time at all does not become
 * nothing. */
double dsn__finish_seconds(int64_t ticks)
{
    const double quantum = 1.0 / (1 << 22), seconds = dsn__clock_seconds(dsn__clock, ticks);

    if (ticks <= 0)
        return 0;
    return seconds < quantum ? quantum : (double)(int64_t)(seconds / quantum + 0.5) * quantum;
}

static void finish_times(const struct dsn_table *t, struct dsn_rec *rec)
{
    for (unsigned i = 0; t && i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];

        if (row->at >= 0 && row->kind == DSN_F64)
            rec->v[row->at].f = dsn__finish_seconds(rec->v[row->at].i);
    }
}

/* Memory for the records that have taken none yet. Where there is none, these files are not in the log. */
static char *make_records(enum dsn_slot slot)
{
    const size_t each = dsn__record_size(slot);
    struct dsn_live **at = &dsn__names->live_first[slot];
    size_t n = 0;
    char *all, *bytes;

    for (const struct dsn_live *l = *at; l; l = l->next)
        n += l->rec == NULL;
    all = bytes = n > 0 ? dsn__pages(n * each) : NULL;
    while (*at) {
        struct dsn_live *l = *at;

        if (!l->rec && bytes) {
            l->rec = (struct dsn_rec *)bytes;
            bytes += each;
        }
        if (l->rec) {
            at = &l->next;
            continue;
        }
        dsn__record_drop(slot, at);
        atomic_fetch_add(&dsn__incomplete->missed, 1);
        atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << dsn__slots[slot]->id);
    }
    return all;
}

static void finish(enum dsn_slot slot, struct dsn_live *l)
{
    l->rec->id = l->file->id;
    l->rec->rank = dsn__run->rank;
    if (dsn__slots[slot]->finish)
        dsn__slots[slot]->finish(l);
    finish_times(dsn_table(dsn__slots[slot]->id), l->rec);
}

/* ------------------------------------------------------------------ in place */

/* Of those only it is known that all they change is the record and the module's struct around it. */
static int may_be_in_place(enum dsn_slot slot)
{
    return slot == DSN_SLOT_POSIX || slot == DSN_SLOT_STDIO || slot == DSN_SLOT_LUSTRE || slot == DSN_SLOT_HEATMAP;
}

/* Memory of the module's own that stands before its record, in one block with it. */
static size_t in_front(enum dsn_slot slot)
{
    return dsn__slots[slot]->need_size;
}

/* In the image, where no record may have its memory elsewhere. */
static int have_records(enum dsn_slot slot)
{
    for (struct dsn_live *l = dsn__names->live_first[slot]; l; l = l->next) {
        char *block = l->rec ? NULL : dsn__alloc_reserved(in_front(slot) + dsn__record_size(slot));

        if (block)
            l->rec = (struct dsn_rec *)(void *)(block + in_front(slot));
        if (!l->rec)
            return 0;
    }
    return 1;
}

static size_t most_aside(void)
{
    size_t most = 0;

    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        const size_t size = dsn__slots[slot]->live_size + in_front(slot) + dsn__record_size(slot);

        most = may_be_in_place(slot) && size > most ? size : most;
    }
    return most;
}

int dsn__finish_prepare_in_place(void)
{
    struct dsn_finishing *f = dsn__finishing;

    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++)
        if (dsn__names->live_first[slot] && !may_be_in_place(slot))
            return 0;
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        if (slot != DSN_SLOT_HEATMAP && dsn__slots[slot]->collect)
            dsn__slots[slot]->collect();
        if (!have_records(slot))
            return 0;
    }
    f->aside = dsn__alloc_reserved(most_aside());
    return f->aside != NULL;
}

/* All that comes before it is finished. */
static void put_aside(struct dsn_finishing *f, enum dsn_slot slot, struct dsn_live *l)
{
    const size_t live = dsn__slots[slot]->live_size;

    if (dsn__slots[slot]->settle)
        dsn__slots[slot]->settle(l);
    atomic_store(&f->next, l);
    atomic_signal_fence(memory_order_seq_cst);
    f->slot = (int)slot; /* of what will be aside: what is there now is not put back any more */
    memcpy(f->aside, l, live);
    memcpy(f->aside + live, (char *)l->rec - in_front(slot), in_front(slot) + dsn__record_size(slot));
    atomic_store(&f->is_aside, l);
    atomic_signal_fence(memory_order_seq_cst);
}

void dsn__finish_put_back(const struct dsn_remains *r)
{
    const struct dsn_finishing *f = dsn__finishing;
    struct dsn_live *l = atomic_load(&f->is_aside);
    const int slot = f->slot;
    size_t live, rest, front;

    if (!l || l != atomic_load(&f->next) || atomic_load(&f->is_done) || slot < 0 || slot >= DSN_NSLOTS)
        return;
    live = dsn__slots[slot]->live_size;
    front = in_front((enum dsn_slot)slot);
    rest = front + dsn__record_size((enum dsn_slot)slot);
    if (!dsn__remains(r, f->aside, live + rest) || !dsn__remains(r, l, live))
        return;
    memcpy(l, f->aside, live);
    if (dsn__remains(r, (char *)l->rec - front, rest))
        memcpy((char *)l->rec - front, f->aside + live, rest);
}

void dsn__finish_in_place(void)
{
    struct dsn_finishing *f = dsn__finishing;

    dsn__clock_end(dsn__clock);
    atomic_store(&f->is_in_place, 1);
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        if (slot == DSN_SLOT_HEATMAP)
            dsn__slots[slot]->collect();
        for (struct dsn_live *l = dsn__names->live_first[slot]; l; l = l->next) {
            put_aside(f, slot, l);
            finish(slot, l);
        }
    }
    atomic_store(&f->is_done, 1);
}

/* Whether the record was finished by the process that was killed. */
static int is_finished(struct dsn_finishing *f, const struct dsn_live *l)
{
    if (!atomic_load(&f->is_in_place) || atomic_load(&f->is_done))
        return atomic_load(&f->is_in_place);
    if (atomic_load(&f->next) == l)
        atomic_store(&f->is_in_place, 0); /* from here on all is to be done */
    return atomic_load(&f->is_in_place) && atomic_load(&f->next);
}

/* What could wait until now: frequent values and the like, seconds, and the rank, which was not known before
 * MPI_Init. */
void dsn__finish_records(void)
{
    struct dsn_finishing *f = dsn__finishing;

    if (!atomic_load(&f->is_in_place))
        dsn__clock_end(dsn__clock);
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        if (dsn__slots[slot]->collect)
            dsn__slots[slot]->collect();
        dsn__late_records[slot] = make_records(slot);
        for (struct dsn_live *l = dsn__names->live_first[slot]; l; l = l->next) {
            if (is_finished(f, l))
                continue;
            if (dsn__slots[slot]->settle)
                dsn__slots[slot]->settle(l);
            finish(slot, l);
        }
    }
}

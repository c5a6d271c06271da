/* shutdown.c - from counting to a log on disk
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Seven exchanges, whatever the number of modules and files: rank 0's ids and the agreement on which are shared (down,
 * up, down), the reduction of all modules' shared records (up), rows of facts (up), the word to go on (down), and each
 * rank's compressed part to rank 0. Waiting for the others to come is not limited, for a rank may enter MPI_Finalize
 * long before them; from the moment that all are known to be there, the setting DARSHAN_FINALIZE_TIMEOUT limits
 * everything. When that strikes, messages may still be under way: what they were sent from is never given back.
 *
 * Memory comes from dsn__pages, not from malloc, and the little that is needed to tell the others that there is none
 * from the stack. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/exclude.h"
#include "core/job.h"
#include "core/pages.h"
#include "core/signals.h"
#include "core/span.h"
#include "core/start.h"
#include "core/state.h"
#include "mpi/reduce.h"
#include "out/logname.h"
#include "out/part.h"
#include "out/timing.h"
#include "out/writer.h"

struct shutdown {
    struct dsn_tree tree;
    struct dsn_agreement agreement;
    struct dsn_block shared;
    struct dsn_part part;
    char *records[DSN_NSLOTS]; /* memory for what had no record until now: dsn__pages */
    struct dsn_log_file *file; /* rank 0 */
    struct dsn_part_row *rows; /* of this rank's subtree; of all ranks on rank 0 */
    int64_t begin, met;        /* all ranks had come */
    int participates;
    int file_open; /* rank 0: the log could be created */
};

static int is_root(const struct shutdown *d)
{
    return d->tree.rank == 0;
}

/* Ticks become seconds, kept to a 2^-23rd (0.12 us; tools print 1 us): the bits below that are noise, which no
 * compressor can do anything about. What took any time at all does not become nothing. */
static double seconds_of(int64_t ticks)
{
    const double quantum = 1.0 / (1 << 23), seconds = dsn__clock_seconds(&dsn__state.clock, ticks);

    if (ticks <= 0)
        return 0;
    return seconds < quantum ? quantum : (double)(int64_t)(seconds / quantum + 0.5) * quantum;
}

static void finish_times(const struct dsn_table *t, struct dsn_rec *rec)
{
    for (unsigned i = 0; t && i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];

        if (row->at >= 0 && row->kind == DSN_F64)
            rec->v[row->at].f = seconds_of(rec->v[row->at].i);
    }
}

/* Memory for the records that have taken none yet. Where there is none, these files are not in the log. */
static char *make_records(enum dsn_slot slot)
{
    const size_t each = dsn__record_size(slot);
    struct dsn_live **at = &dsn__state.names.live_first[slot];
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
        atomic_fetch_add(&dsn__state.missed, 1);
        atomic_fetch_or(&dsn__state.partial, (unsigned long long)1 << dsn__slots[slot]->id);
    }
    return all;
}

/* What could wait until now: frequent values and the like, seconds, and the rank, which was not known before
 * MPI_Init. */
static void finish_records(struct shutdown *d)
{
    dsn__clock_end(&dsn__state.clock);
    for (enum dsn_slot slot = 0; slot < DSN_NSLOTS; slot++) {
        if (dsn__slots[slot]->collect)
            dsn__slots[slot]->collect();
        d->records[slot] = make_records(slot);
        for (struct dsn_live *l = dsn__state.names.live_first[slot]; l; l = l->next) {
            l->rec->id = l->file->id;
            l->rec->rank = dsn__state.rank;
            if (dsn__slots[slot]->finish)
                dsn__slots[slot]->finish(l);
            finish_times(dsn_table(dsn__slots[slot]->id), l->rec);
        }
    }
}

static void warn_no_log(const struct shutdown *d, int error)
{
    const char *what_to_do = "DARSHAN_LOGPATH names another directory";

    if (error == ETIMEDOUT)
        what_to_do = "DARSHAN_FINALIZE_TIMEOUT allows more";
    dsn__warn("no log of this job: %s: %s (%s)", d->file ? d->file->path : "memory", strerror(error), what_to_do);
}

/* The log's name is taken only when all ranks are there: one that never comes leaves nothing behind. */
static void open_log(struct shutdown *d)
{
    int error = ENOMEM;

    d->file = dsn__pages(sizeof *d->file);
    if (d->file)
        error = dsn__log_create(d->file, dsn__job_id());
    d->file_open = error == 0;
    if (error) {
        warn_no_log(d, error);
        dsn__tree_give_up(&d->tree);
    }
}

static int meet(struct shutdown *d)
{
    if (is_root(d)) {
        d->agreement.head.reduce = d->tree.mpi && !dsn__state.config.no_reduction;
        if (d->tree.mpi && !dsn__candidates(&d->agreement))
            dsn__tree_give_up(&d->tree);
    }
    dsn__meet(&d->tree, &d->agreement, d->participates, dsn__state.ended);
    return d->tree.failed ? -1 : 0; /* one that has given up must come to the next step, to be told */
}

static int agree(struct shutdown *d)
{
    if (is_root(d) && d->tree.given_up)
        warn_no_log(d, ENOMEM); /* here, or on the rank that said so */
    else if (is_root(d))
        open_log(d);
    return dsn__agree(&d->tree, &d->agreement);
}

static int reduce(struct shutdown *d)
{
    if (!d->agreement.head.reduce)
        return 0;
    if (!dsn__block_make(&d->agreement, d->participates, &d->shared))
        dsn__tree_give_up(&d->tree);
    if (dsn__tree_reduce(&d->tree, d->shared.bytes, d->shared.size, dsn__block_merge, &d->agreement) != 0)
        return d->tree.failed ? -1 : 0;
    if (is_root(d))
        dsn__block_finish(&d->agreement, &d->shared);
    return 0;
}

static int pack(struct shutdown *d)
{
    dsn__state.ended = d->agreement.head.ended;
    if (!d->tree.given_up && !dsn__part_make(&d->part, &d->agreement, d->shared.bytes ? &d->shared : NULL))
        dsn__tree_give_up(&d->tree);
    return 0;
}

/* Ends with rank 0's word that all have got so far, without which nobody sends a part that nobody would take. */
static int gather(struct shutdown *d)
{
    static const int64_t go = 1; /* not on the stack: a send may be given up */
    void *word = (void *)&go;
    size_t size = sizeof go;

    d->rows = dsn__pages((size_t)dsn__tree_span(&d->tree) * sizeof d->rows[0]);
    if (!d->rows)
        dsn__tree_give_up(&d->tree);
    dsn__tree_gather(&d->tree, &d->part.row, sizeof d->part.row, d->rows);
    dsn__tree_bcast(&d->tree, &word, &size);
    if (!is_root(d))
        free(word);
    return d->tree.failed || d->tree.given_up ? -1 : 0;
}

/* To rank 0, if there is anything; it knows from the rows. */
static int send_part(struct shutdown *d)
{
    if (d->part.size > 0 && d->tree.mpi->send(d->part.bytes, d->part.size, 0, d->tree.deadline) != 0)
        d->tree.failed = 1;
    return d->tree.failed ? -1 : 0;
}

static int write_log(struct shutdown *d)
{
    int64_t seconds;
    int error;

    if (!is_root(d))
        return send_part(d);
    error = dsn__log_write(d->file, d->rows, d->tree.size, &d->part, d->tree.size > 1 ? &d->tree : NULL);
    seconds = (dsn__now() - d->begin) / 1000000000 + 1;
    if (error)
        dsn__log_discard(d->file);
    else
        error = dsn__log_finish(d->file, seconds);
    d->file_open = 0;
    if (error)
        warn_no_log(d, error);
    else
        dsn__say("log: %s", d->file->path);
    if (dsn__state.config.timing)
        dsn__timing_print(d->rows, d->tree.size, d->file, dsn__now() - d->met + d->file->took_open);
    return error ? -1 : 0;
}

static void run(struct shutdown *d)
{
    static const struct {
        const char *name;
        int (*step)(struct shutdown *d);
        int is_timed; /* all ranks are known to have come */
    } steps[] = {
        { "meeting", meet, 0 },
        { "agreeing on shared files", agree, 0 },
        { "reducing shared records", reduce, 1 },
        { "compressing", pack, 1 },
        { "gathering", gather, 1 },
        { "writing", write_log, 1 },
    };
    int failed = 0;

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && !failed; i++) {
        if (steps[i].is_timed && d->met == 0)
            d->met = dsn__now();
        if (steps[i].is_timed && d->tree.deadline == 0 && d->tree.mpi)
            d->tree.deadline = d->met + dsn__state.config.finalize_timeout * 1000000000;
        failed = steps[i].step(d) != 0;
        if (failed && d->file_open)
            dsn__warn("no log of this job: %s failed on rank %d%s", steps[i].name, d->tree.rank,
                      d->tree.failed ? ": another rank did not answer (DARSHAN_FINALIZE_TIMEOUT)" : ": out of memory");
    }
    if (d->file_open)
        dsn__log_discard(d->file);
}

/* Unless a message may still be under way. */
static void give_back(struct shutdown *d)
{
    if (d->tree.failed)
        return;
    dsn__pages_free(d->agreement.mask);
    dsn__pages_free(d->shared.bytes);
    dsn__pages_free(d->part.bytes);
    dsn__pages_free(d->rows);
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        dsn__pages_free(d->records[slot]);
    if (d->tree.mpi)
        d->tree.mpi->detach();
}

/* A process that was forked behind our back (by a bare system call) has a copy of its parent's records, not its own. */
static int is_another_process(void)
{
    return getpid() != dsn__state.pid;
}

void dsn__shutdown(void)
{
    struct dsn_state *s = &dsn__state;
    const int before = dsn__own_begin();
    struct dsn_signals signals;
    struct shutdown d = { .begin = dsn__now() };

    if (is_another_process() || (s->mpi ? !s->mpi_attached : !dsn__drain())) {
        dsn__own_end(before);
        return;
    }
    d.participates = s->mpi ? dsn__drain() : 1;
    d.tree = (struct dsn_tree){ .mpi = s->mpi, .rank = s->rank, .size = s->nprocs };
    dsn__freeze_records();
    dsn__exclude_late();
    s->ended = dsn__now() - s->clock.origin.ns;
    finish_records(&d);
    dsn__part_facts(&d.part, d.participates);
    dsn__signals_hold(&signals);
    run(&d);
    dsn__signals_release(&signals);
    give_back(&d);
    dsn__stop();
    dsn__own_end(before);
}

/* shutdown.c - from counting to a log on disk
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Five exchanges, whatever the number of modules and files: rank 0's ids and the agreement on which are shared (down,
 * up, down), the reduction of all modules' shared records (up), rows of facts (up), and each rank's compressed part to
 * rank 0. Waiting for the others to come is not limited, for a rank may enter MPI_Finalize long before them; from the
 * moment that all are known to be there, the setting DARSHAN_FINALIZE_TIMEOUT is. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/job.h"
#include "core/signals.h"
#include "core/span.h"
#include "core/start.h"
#include "core/state.h"
#include "mpi/reduce.h"
#include "out/logname.h"
#include "out/part.h"
#include "out/writer.h"

struct shutdown {
    struct dsn_tree tree;
    struct dsn_agreement agreement;
    struct dsn_block shared;
    struct dsn_part part;
    struct dsn_log_file file;
    struct dsn_part_row *rows; /* of this rank's subtree; of all ranks on rank 0 */
    int64_t begin;
    int participates;
    int file_open; /* rank 0: the log could be created */
};

static int is_root(const struct shutdown *d)
{
    return d->tree.rank == 0;
}

/* Times are kept to a 2^-23rd of a second (0.12 us; tools print 1 us): the bits below that are noise, which no
 * compressor can do anything about. What took any time at all does not become nothing. */
static void round_times(const struct dsn_table *t, struct dsn_rec *rec)
{
    const double quantum = 1.0 / (1 << 23);

    for (unsigned i = t->nints; i < t->nvalues; i++) {
        union dsn_val *v = &rec->v[i];

        if (v->f > 0)
            v->f = v->f < quantum ? quantum : (double)(int64_t)(v->f / quantum + 0.5) * quantum;
    }
}

/* What could wait until now: frequent values and the like; and the rank, which was not known before MPI_Init. */
static void finish_records(void)
{
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        for (struct dsn_live *l = dsn__state.names.live_first[slot]; l; l = l->next) {
            l->rec->rank = dsn__state.rank;
            round_times(dsn_table(dsn__slots[slot]->id), l->rec);
            if (dsn__slots[slot]->finish)
                dsn__slots[slot]->finish(l);
        }
}

static void open_log(struct shutdown *d)
{
    const int error = dsn__log_create(&d->file, dsn__job_id());

    if (error)
        dsn__warn("no log of this job: %s: %s (DARSHAN_LOGPATH names another directory)", d->file.path,
                  strerror(error));
    d->file_open = error == 0;
}

static int agree(struct shutdown *d)
{
    if (is_root(d)) {
        open_log(d);
        d->agreement.head.reduce = d->tree.mpi && !dsn__state.config.no_reduction;
        d->agreement.head.go = d->file_open;
        if (!dsn__candidates(&d->agreement))
            d->agreement.head.go = 0;
    }
    return dsn__agree(&d->tree, &d->agreement, d->participates);
}

static int reduce(struct shutdown *d)
{
    if (!d->agreement.head.reduce)
        return 0;
    if (!dsn__block_make(&d->agreement, d->participates, &d->shared))
        return -1;
    if (dsn__tree_reduce(&d->tree, d->shared.bytes, d->shared.size, dsn__block_merge, &d->agreement) != 0)
        return -1;
    if (is_root(d))
        dsn__block_finish(&d->agreement, &d->shared);
    return 0;
}

static int pack(struct shutdown *d)
{
    return dsn__part_make(&d->part, &d->agreement, d->shared.bytes ? &d->shared : NULL) ? 0 : -1;
}

static int gather(struct shutdown *d)
{
    d->rows = malloc((size_t)dsn__tree_span(&d->tree) * sizeof d->rows[0]);
    return d->rows ? dsn__tree_gather(&d->tree, &d->part.row, sizeof d->part.row, d->rows) : -1;
}

static int write_log(struct shutdown *d)
{
    int64_t seconds;
    int error;

    if (!is_root(d))
        return d->part.size == 0 ? 0 : d->tree.mpi->send(d->part.bytes, d->part.size, 0, d->tree.deadline);
    error = dsn__log_write(&d->file, d->rows, d->tree.size, &d->part, d->tree.size > 1 ? &d->tree : NULL);
    seconds = (dsn__now() - d->begin) / 1000000000 + 1;
    if (error)
        dsn__log_discard(&d->file);
    else
        error = dsn__log_finish(&d->file, seconds);
    d->file_open = 0;
    if (error)
        dsn__warn("no log of this job: %s: %s", d->file.path, strerror(error));
    else
        dsn__say("log: %s", d->file.path);
    return error ? -1 : 0;
}

static void run(struct shutdown *d)
{
    static const struct {
        const char *name;
        int (*step)(struct shutdown *d);
        int is_timed; /* all ranks are known to have come */
    } steps[] = {
        { "agreeing on shared files", agree, 0 },
        { "reducing shared records", reduce, 1 },
        { "compressing", pack, 1 },
        { "gathering", gather, 1 },
        { "writing", write_log, 1 },
    };
    int failed = 0;

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && !failed; i++) {
        if (steps[i].is_timed && d->tree.deadline == 0 && d->tree.mpi)
            d->tree.deadline = dsn__now() + dsn__state.config.finalize_timeout * 1000000000;
        failed = steps[i].step(d) != 0;
        if (failed && d->file_open)
            dsn__warn("no log of this job: %s failed on rank %d%s", steps[i].name, d->tree.rank,
                      d->tree.failed ? ": another rank did not answer (DARSHAN_FINALIZE_TIMEOUT)" : "");
    }
    if (d->file_open)
        dsn__log_discard(&d->file);
}

void dsn__shutdown(void)
{
    struct dsn_state *s = &dsn__state;
    const int before = dsn__own_begin();
    struct dsn_signals signals;
    struct shutdown *d;

    if (s->mpi ? !s->mpi_attached : !dsn__drain()) {
        dsn__own_end(before);
        return;
    }
    d = calloc(1, sizeof *d);
    if (d) {
        d->begin = dsn__now();
        d->participates = s->mpi ? dsn__drain() : 1;
        d->tree = (struct dsn_tree){ .mpi = s->mpi, .rank = s->rank, .size = s->nprocs };
        dsn__freeze_records();
        finish_records();
        dsn__part_facts(&d->part, d->participates);
        dsn__signals_hold(&signals);
        run(d);
        dsn__signals_release(&signals);
        free(d->agreement.mask);
        free(d->shared.bytes);
        free(d->part.bytes);
        free(d->rows);
        free(d);
    }
    if (s->mpi)
        s->mpi->detach();
    dsn__stop();
    dsn__own_end(before);
}

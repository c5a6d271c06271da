/* phases.c - what the job did in each phase that its program has named
 * SPDX-License-Identifier: BSD-3-Clause */
#include "phases.h"

#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "util/lib/idtable.h"

#define EACH (PHASE_STDIO_READS - PHASE_POSIX_READS)

_Static_assert(PHASE_DAOS_READS == PHASE_POSIX_READS + EACH * (int)DSN_OF_DAOS, "in the order of phase.def");

const char *dsn_phase_layer_name(enum dsn_phase_of layer)
{
    static const char *const name[] = { "POSIX", "STDIO", "MPI-IO", "HDF5", "PnetCDF", "DFS", "DAOS" };

    return name[layer];
}

double dsn_layers_time(const struct dsn_work at[DSN_PHASE_LAYERS])
{
    const double dfs = dsn_work_time(&at[DSN_OF_DFS]), daos = dsn_work_time(&at[DSN_OF_DAOS]);
    double most = dsn_work_time(&at[DSN_OF_POSIX]) + (dfs > daos ? dfs : daos);

    for (int i = DSN_OF_MPIIO; i <= DSN_OF_PNETCDF; i++)
        if (dsn_work_time(&at[i]) > most)
            most = dsn_work_time(&at[i]);
    return most + dsn_work_time(&at[DSN_OF_STDIO]);
}

double dsn_phase_io_time(const struct dsn_phase *p)
{
    return dsn_layers_time(p->at);
}

double dsn_phase_share(const struct dsn_phase *p)
{
    const double share = p->time > 0 ? dsn_phase_io_time(p) / p->time : 0;

    return share < 1 ? share : 1;
}

int dsn_phase_was(const struct dsn_phase *p, unsigned step)
{
    return (int)(p->when[step / 64] >> step % 64 & 1);
}

/* What a row has of a layer; returns its metadata calls. */
static int64_t work_in(const struct dsn_rec *row, int layer, struct dsn_work *w)
{
    const int at = PHASE_POSIX_READS + EACH * layer;

    *w = (struct dsn_work){ .reads = dsn__count(row, at),
                            .writes = dsn__count(row, at + 1),
                            .bytes_read = dsn__count(row, at + 3),
                            .bytes_written = dsn__count(row, at + 4),
                            .read = dsn__seconds(row, at + 5),
                            .write = dsn__seconds(row, at + 6),
                            .meta = dsn__seconds(row, at + 7) };
    return dsn__count(row, at + 2);
}

/* The slowest rank of a phase of all ranks is in its row. */
static void note_slowest(struct dsn_phase *p, const struct dsn_rec *row, double time)
{
    const double slowest = row->rank < 0 ? dsn__seconds(row, PHASE_F_SLOWEST_RANK_TIME) : time;

    if (slowest < p->slowest || (slowest <= p->slowest && p->processes > 0))
        return;
    p->slowest = slowest;
    p->slowest_rank = row->rank < 0 ? row->v[PHASE_SLOWEST_RANK].i : row->rank;
}

int dsn_layer_is_at_storage(const struct dsn_report *r, enum dsn_phase_of layer)
{
    return layer == DSN_OF_POSIX || layer == DSN_OF_STDIO || layer == DSN_OF_DFS ||
           (layer == DSN_OF_DAOS && darshan_reader_header(r->log)->mod[DSN_DFS_MODULE].len == 0);
}

static void add_row(const struct dsn_report *r, struct dsn_phase *p, const struct dsn_rec *row)
{
    const double longest = dsn__seconds(row, PHASE_F_LONGEST_TIME);
    double time = 0;

    p->id = row->id;
    p->name = darshan_reader_phase_name(row);
    for (int i = 0; i < DSN_PHASE_LAYERS; i++) {
        struct dsn_work w;

        p->metas[i] = dsn__plus(p->metas[i], work_in(row, i, &w));
        dsn_work_add(&p->at[i], &w);
        if (!dsn_layer_is_at_storage(r, (enum dsn_phase_of)i))
            continue;
        dsn_work_add(&p->work, &w);
        time += dsn_work_time(&w);
    }
    note_slowest(p, row, time);
    if (longest >= p->longest) {
        p->longest = longest;
        p->step = dsn__seconds(row, PHASE_F_STEP);
        for (int i = 0; i < 8; i++)
            p->when[i] = (uint64_t)row->v[PHASE_WHEN + i].i;
    }
    p->entered = dsn__plus(p->entered, dsn__count(row, PHASE_ENTERED));
    p->processes = dsn__plus(p->processes, row->rank < 0 ? r->f.nprocs : 1);
    p->time += dsn__seconds(row, PHASE_F_TIME);
}

static int by_time(const void *a, const void *b)
{
    const struct dsn_phase *x = a, *y = b;
    const double of_x = dsn_phase_io_time(x), of_y = dsn_phase_io_time(y);

    if (of_x < of_y || of_x > of_y)
        return of_x > of_y ? -1 : 1;
    if (x->time < y->time || x->time > y->time)
        return x->time > y->time ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int64_t rest(int64_t all, int64_t in_phases)
{
    return all > in_phases ? all - in_phases : 0;
}

int dsn_phases_make(const struct dsn_report *r, struct dsn_phases *out)
{
    struct dsn_work in = { 0 };
    struct dsn__idtable table;
    int fresh;

    memset(out, 0, sizeof *out);
    dsn__idtable_init(&table, sizeof(struct dsn_phase));
    for (size_t i = 0; !r->selection && i < darshan_reader_phases(r->log); i++) {
        const struct dsn_rec *row = darshan_reader_phase(r->log, i);
        struct dsn_phase *p = dsn__idtable_element(&table, row->id, &fresh);

        if (!p) {
            dsn__idtable_free(&table);
            return DSN_ERR_MEMORY;
        }
        add_row(r, p, row);
    }
    out->list = table.elements;
    out->n = table.n;
    table.elements = NULL;
    dsn__idtable_free(&table);
    if (out->n > 0)
        qsort(out->list, out->n, sizeof out->list[0], by_time);
    for (size_t i = 0; i < out->n; i++)
        dsn_work_add(&in, &out->list[i].work);
    out->outside = (struct dsn_work){ .bytes_read = rest(r->f.bytes_read, in.bytes_read),
                                      .bytes_written = rest(r->f.bytes_written, in.bytes_written),
                                      .reads = rest(r->f.reads, in.reads),
                                      .writes = rest(r->f.writes, in.writes) };
    return DSN_ERR_OK;
}

void dsn_phases_free(struct dsn_phases *p)
{
    free(p->list);
}

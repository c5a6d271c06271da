/* waits.c - time that ranks waited for I/O, at the highest layer they called
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/lib/grow.h"
#include "waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "layer.h"
#include "trust.h"

#define CLOSE 0.01 /* bounds of a rank's time: of what it is made is known then */

/* ------------------------------------------------------------------ what records say */

static int level_of(const struct dsn_report_layer *l)
{
    return l->is_bottom ? DSN_LEVEL_BOTTOM : l->table->id == DSN_MPIIO_MODULE ? DSN_LEVEL_MPIIO : DSN_LEVEL_LIBRARY;
}

static struct dsn_stack *stack_of(struct dsn_report *r, uint64_t id)
{
    uint32_t at;

    if (r->nstacks >= DSN_IDMAP_NONE - 1 || !dsn_grow(&r->stacks, &r->stacks_room, sizeof *r->stacks, r->nstacks))
        return NULL;
    at = dsn__idmap_add(&r->stack_index, id, (uint32_t)r->nstacks);
    if (at == DSN_IDMAP_NONE)
        return NULL;
    if (at == r->nstacks) {
        const uint32_t file = dsn__idmap_get(&r->file_index, id);

        memset(&r->stacks[at], 0, sizeof r->stacks[at]);
        r->stacks[at].id = id;
        r->stacks[at].file = file == DSN_IDMAP_NONE ? -1 : (int32_t)file;
        r->nstacks++;
    }
    return &r->stacks[at];
}

static int add_piece(struct dsn_report *r, const struct dsn_piece *piece)
{
    if (piece->rank < 0 || (uint64_t)piece->rank >= r->nranks || !(piece->most > 0 || piece->least > 0))
        return DSN_ERR_OK;
    if (!dsn_grow(&r->pieces, &r->pieces_room, sizeof *r->pieces, r->npieces))
        return DSN_ERR_MEMORY;
    r->pieces[r->npieces++] = *piece;
    return DSN_ERR_OK;
}

/* PnetCDF counts waiting for nonblocking requests separately, without a direction. */
static double waited(const struct dsn_report_layer *l, const struct dsn_rec *rec)
{
    return l->table->id == DSN_PNETCDF_FILE_MODULE ? dsn__seconds(rec, PNETCDF_FILE_F_WAIT_TIME) : 0;
}

/* Shared records of layers without extremes (files of HDF5 and PnetCDF) only give the sum over ranks as an upper
 * bound. */
static void extremes(const struct dsn_report_layer *l, const struct dsn_rec *rec, double time, double *least,
                     double *most)
{
    *least = l->at.fastest_time >= 0 ? dsn__seconds(rec, l->at.fastest_time) : 0;
    *most = l->at.slowest_time >= 0 ? dsn__seconds(rec, l->at.slowest_time) : time;
    *most = fmin(*most, time);
    *least = fmin(*least, *most);
}

static int64_t slowest_of(const struct dsn_report_layer *l, const struct dsn_rec *rec)
{
    return l->at.slowest_rank >= 0 && l->at.slowest_time >= 0 ? rec->v[l->at.slowest_rank].i : -1;
}

/* Adds a shared record of the bottom layer; records of one rank are in report.parts. Both are processed again once it
 * is known which files have upper layers. */
static int add_bottom(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec, uint64_t id,
                      double time)
{
    const int64_t rank = slowest_of(l, rec);
    double least, most;

    if (!dsn_grow(&r->reduced, &r->reduced_room, sizeof *r->reduced, r->nreduced))
        return DSN_ERR_MEMORY;
    extremes(l, rec, time, &least, &most);
    r->reduced[r->nreduced++] =
        (struct dsn_reduced){ .file = dsn__idmap_get(&r->file_index, id),
                              .rank = rank >= 0 && (uint64_t)rank < r->nranks ? (int32_t)rank : -1,
                              .least = (float)least,
                              .most = (float)most };
    return DSN_ERR_OK;
}

/* Who opens the file through MPI-IO, and which rank spends least there. */
static void note_openers(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                         double time, struct dsn_stack *s)
{
    const int is_shared = rec->rank < 0;
    const double least = is_shared ? dsn__seconds(rec, l->at.fastest_time) : time;

    s->opens_together = dsn__plus(s->opens_together, dsn__count(rec, MPIIO_COLL_OPENS));
    s->opens_alone = dsn__plus(s->opens_alone, dsn__count(rec, MPIIO_INDEP_OPENS));
    if (s->openers == 0 || least < s->fastest) {
        s->fastest = least;
        s->fastest_rank = is_shared ? rec->v[l->at.fastest_rank].i : rec->rank;
    }
    s->openers = is_shared ? r->f.nprocs : s->openers + 1;
}

/* What HDF5 adds to its datasets' bytes - metadata, chunks that are only partly asked for - the program has not asked for. */
static void note_asked(struct dsn_stack *s, unsigned module, const struct dsn_work *w)
{
    const int of_datasets = module == DSN_H5D_MODULE && dsn_work_bytes(w) > 0;

    if (!of_datasets && (module != DSN_MPIIO_MODULE || s->of_datasets))
        return;
    if (of_datasets && !s->of_datasets)
        s->asked_read = s->asked_written = 0;
    s->of_datasets = of_datasets;
    s->asked_read = dsn__plus(s->asked_read, w->bytes_read);
    s->asked_written = dsn__plus(s->asked_written, w->bytes_written);
}

static int add_upper(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec, uint64_t id,
                     const struct dsn_work *w)
{
    const int level = level_of(l);
    const double time = dsn_work_time(w) + waited(l, rec);
    struct dsn_stack *s = stack_of(r, id);
    double least, most;

    if (!s)
        return DSN_ERR_MEMORY;
    s->level[level].read += w->read;
    s->level[level].write += w->write + waited(l, rec);
    s->level[level].meta += w->meta;
    note_asked(s, l->table->id, w);
    if (level == DSN_LEVEL_MPIIO) {
        note_openers(r, l, rec, time, s);
        s->collective =
            dsn__plus(s->collective, dsn__count(rec, MPIIO_COLL_READS) + dsn__count(rec, MPIIO_COLL_WRITES) +
                                         dsn__count(rec, MPIIO_SPLIT_READS) + dsn__count(rec, MPIIO_SPLIT_WRITES));
    }
    if (rec->rank >= 0)
        return add_piece(r, &(struct dsn_piece){ .stack = (uint32_t)(s - r->stacks),
                                                 .rank = (int32_t)rec->rank,
                                                 .least = (float)time,
                                                 .most = (float)time,
                                                 .level = (uint8_t)level });
    extremes(l, rec, time, &least, &most);
    s->least[level] += (float)least;
    s->most[level] += (float)most;
    return add_piece(r, &(struct dsn_piece){ .stack = (uint32_t)(s - r->stacks),
                                             .rank = (int32_t)slowest_of(l, rec),
                                             .least = (float)(most - least),
                                             .most = 0,
                                             .level = (uint8_t)level });
}

int dsn__waits_add(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec, uint64_t own)
{
    struct dsn_work w;

    if (l->is_below || (l->is_bottom && rec->rank >= 0)) /* those are in report.parts */
        return DSN_ERR_OK;
    w = dsn__layer_work(l, rec);
    return l->is_bottom ? add_bottom(r, l, rec, own, dsn_work_time(&w)) : add_upper(r, l, rec, own, &w);
}

/* ------------------------------------------------------------------ all ranks together */

static double level_time(const struct dsn_stack *s, int level)
{
    return s->level[level].read + s->level[level].write + s->level[level].meta;
}

double dsn_stack_time(const struct dsn_stack *s, const struct dsn_work *below)
{
    double most = dsn_work_time(below);

    for (int i = DSN_LEVEL_BOTTOM + 1; i < DSN_NLEVELS; i++)
        most = fmax(most, level_time(s, i));
    return most;
}

const struct dsn_stack *dsn_stack_of(const struct dsn_report *r, uint64_t id)
{
    const uint32_t at = dsn__idmap_get(&r->stack_index, id);

    return at == DSN_IDMAP_NONE ? NULL : &r->stacks[at];
}

static int is_opened_together(const struct dsn_stack *s)
{
    return s->openers > 1 && s->opens_together > s->opens_alone;
}

/* Whether all calls below MPI-IO are known. If memory ran out, some ranks' records may be missing; a recovered log has all that
 * its ranks had, unless files were aggregated, and marks each module all the same. */
static int is_known_below(const struct dsn_report *r, const struct dsn_stack *s)
{
    const struct dsn_report_file *f = s->file >= 0 ? &r->files[s->file] : NULL;
    const int is_partial = darshan_reader_header(r->log)->partial >> DSN_POSIX_MODULE & 1;
    struct darshan_reader_metadata m;

    return f && f->opens > 0 &&
           (f->is_reduced || !is_partial || (r->f.aggregated_opens == 0 && dsn_recovered(r->log, &m)));
}

/* Seconds per rank that are not waiting for others: `storage`, and what even the fastest rank spends beyond it, up to a limit. */
static double needed(const struct dsn_stack *s, double storage)
{
    const double each = (double)s->opens_together / (double)s->openers;

    return fmin(fmax(s->fastest, storage), storage + dsn_thresholds.open_seconds * each);
}

/* The part of `meta`, the metadata time outside of any lower-layer call, that is waiting for other ranks. Metadata calls of
 * a library transfer data, too, such as headers: for these, all time at storage counts. */
static double waits_to_open(const struct dsn_report *r, const struct dsn_stack *s, double meta)
{
    const struct dsn_report_file *f = &r->files[s->file];
    const double mpiio = s->level[DSN_LEVEL_MPIIO].meta - (double)s->openers * needed(s, f->most_meta);
    const double library = s->level[DSN_LEVEL_LIBRARY].meta - (double)s->openers * needed(s, f->slowest);

    return fmin(fmax(fmax(mpiio, library), 0), meta);
}

/* Seconds in which a library worked by itself, if that is most of its time: it compresses, converts, copies. Where ranks
 * open a file together it may wait for others, too. */
static double library_time(const struct dsn_report *r, const struct dsn_stack *s, const struct dsn_work *below)
{
    const double all = level_time(s, DSN_LEVEL_LIBRARY);
    const double own = all - fmax(level_time(s, DSN_LEVEL_MPIIO), dsn_work_time(below));

    return is_opened_together(s) || s->collective > 0 || !is_known_below(r, s) || own <= dsn_thresholds.half * all
               ? 0
               : own;
}

/* Seconds that ranks spent in metadata calls of a library in reads and writes of MPI-IO: those for which its own data calls
 * have no time. */
static double transferred_as_metadata(const struct dsn_stack *s)
{
    const double asked = s->level[DSN_LEVEL_LIBRARY].read + s->level[DSN_LEVEL_LIBRARY].write;
    const double moved = s->level[DSN_LEVEL_MPIIO].read + s->level[DSN_LEVEL_MPIIO].write;

    return fmin(fmax(moved - asked, 0), s->level[DSN_LEVEL_LIBRARY].meta);
}

/* Distributes the time that ranks spent on one file over its layers: of each what it spends beyond the one below, whose calls
 * are inside of its own. A library's metadata calls read and write through MPI-IO, too: that is not metadata time. */
static void add_stack(const struct dsn_report *r, struct dsn_waits *to, struct dsn_stack *s,
                      const struct dsn_work *below)
{
    const double at_storage = dsn_work_time(below), at_mpiio = fmax(level_time(s, DSN_LEVEL_MPIIO), at_storage);
    const double mpiio = at_mpiio - at_storage, library = fmax(level_time(s, DSN_LEVEL_LIBRARY) - at_mpiio, 0);
    const double mpiio_meta = fmin(fmax(s->level[DSN_LEVEL_MPIIO].meta - below->meta, 0), mpiio);
    const int top =
        s->level[DSN_LEVEL_MPIIO].read + s->level[DSN_LEVEL_MPIIO].write > 0 ? DSN_LEVEL_MPIIO : DSN_LEVEL_LIBRARY;
    const double read = s->level[top].read, write = s->level[top].write;
    double meta = mpiio_meta + fmin(fmax(s->level[DSN_LEVEL_LIBRARY].meta - fmax(mpiio_meta, below->meta), 0), library);
    double rest = mpiio + library - meta;

    s->library = library_time(r, s, below);
    s->as_metadata = transferred_as_metadata(s);
    to->library += s->library;
    to->library_meta += fmin(s->library, meta);
    s->data = read + write > 0 ? fmax(rest - fmax(s->library - meta, 0), 0) : 0;
    if (is_opened_together(s) && is_known_below(r, s))
        s->wait_open = waits_to_open(r, s, meta);
    else if (is_opened_together(s))
        to->unsure += meta;
    meta -= s->wait_open;
    to->wait_open += s->wait_open;
    if (!(read + write > 0)) /* calls without a direction, such as a flush of HDF5 */
        meta += rest;
    else if (s->collective > 0 && s->file >= 0) {
        to->wait_read += rest * read / (read + write);
        to->wait_write += rest * write / (read + write);
    } else { /* a library adds little to the independent requests below it; without the calls below, nothing can be
              * separated */
        to->above.read += rest * read / (read + write);
        to->above.write += rest * write / (read + write);
    }
    to->above.meta += meta;
    to->read += below->read;
    to->write += below->write;
    to->meta += below->meta;
}

/* A part of a file whose file is not known: an old record of HDF5 whose name does not say it. */
static int is_lost(const struct dsn_report *r, const struct dsn_stack *s)
{
    return s->file < 0 && (s->id == 0 || s->id == UINT64_MAX) && r->nstacks > 1;
}

/* Its time is inside of calls on the files that the library has, and counts only as far as these have less. */
static void nest_lost(struct dsn_report *r)
{
    const struct dsn_work none = { 0 };
    struct dsn_stack *lost = NULL;
    double others = 0, share;

    for (size_t i = 0; i < r->nstacks; i++) {
        struct dsn_stack *s = &r->stacks[i];

        if (is_lost(r, s))
            lost = s;
        else
            others += dsn_stack_time(s, s->file >= 0 ? &r->files[s->file].work : &none);
    }
    if (!lost || !(level_time(lost, DSN_LEVEL_LIBRARY) > 0))
        return;
    share = fmax(1 - others / level_time(lost, DSN_LEVEL_LIBRARY), 0);
    lost->level[DSN_LEVEL_LIBRARY].read *= share;
    lost->level[DSN_LEVEL_LIBRARY].write *= share;
    lost->level[DSN_LEVEL_LIBRARY].meta *= share;
    lost->least[DSN_LEVEL_LIBRARY] *= (float)share;
    lost->most[DSN_LEVEL_LIBRARY] *= (float)share;
    for (size_t i = 0; i < r->npieces; i++)
        if (r->pieces[i].stack == (uint32_t)(lost - r->stacks)) {
            r->pieces[i].least *= (float)share;
            r->pieces[i].most *= (float)share;
        }
}

/* Ranks' totals have what no record has, such as a failed open. */
static void take_more(struct dsn_report *r)
{
    struct dsn_waits *to = &r->waits;
    struct dsn_work all = { 0 };

    for (size_t i = 0; r->f.exact && i < r->nranks; i++)
        dsn_work_add(&all, &r->ranks[i].work);
    to->read = fmax(to->read, all.read);
    to->write = fmax(to->write, all.write);
    to->meta = fmax(to->meta, all.meta);
}

static void sum_up(struct dsn_report *r)
{
    struct dsn_waits *to = &r->waits;
    const struct dsn_work none = { 0 };

    for (size_t i = 0; i < r->nlayers; i++)
        if (r->layer[i].is_bottom) {
            to->read += r->layer[i].work.read;
            to->write += r->layer[i].work.write;
            to->meta += r->layer[i].work.meta;
        }
    for (size_t i = 0; i < r->nfiles; i++)
        if (dsn_file_is_elsewhere(&r->files[i])) {
            to->read -= r->files[i].work.read;
            to->write -= r->files[i].work.write;
            to->meta -= r->files[i].work.meta;
            to->elsewhere += dsn_work_time(&r->files[i].work);
        }
    take_more(r);
    to->asked_read = r->f.bytes_read;
    to->asked_written = r->f.bytes_written;
    for (size_t i = 0; i < r->nstacks; i++) {
        struct dsn_stack *s = &r->stacks[i];
        const struct dsn_work *below = s->file >= 0 ? &r->files[s->file].work : &none;

        if (s->asked_read > 0 || s->asked_written > 0) {
            to->asked_read = dsn__limited(to->asked_read - below->bytes_read + s->asked_read);
            to->asked_written = dsn__limited(to->asked_written - below->bytes_written + s->asked_written);
        }
        to->read -= below->read;
        to->write -= below->write;
        to->meta -= below->meta;
        add_stack(r, to, s, below);
    }
    to->read = fmax(to->read, 0);
    to->write = fmax(to->write, 0);
    to->meta = fmax(to->meta, 0);
    to->read += to->above.read;
    to->write += to->above.write;
    to->meta += to->above.meta;
    for (size_t i = 0; i < r->nranks; i++) {
        to->names += r->ranks[i].names;
        to->map_syncs += r->ranks[i].map_syncs;
    }
    to->meta += to->names;
    to->write += to->map_syncs;
    to->all = to->read + to->write + to->meta + dsn_waiting(to);
}

/* ------------------------------------------------------------------ each rank */

/* Seconds of any rank without a piece of its own. */
struct common {
    double least, most;
};

static int by_stack(const void *a, const void *b)
{
    const struct dsn_piece *x = a, *y = b;

    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (int)x->level - (int)y->level;
}

static double most_of(const float v[DSN_NLEVELS])
{
    return fmax(v[0], fmax(v[1], v[2]));
}

/* Adds what one rank's pieces of one stack have in excess of the lower bound of all ranks. */
static void add_pieces(struct dsn_report *r, const struct dsn_piece *piece, size_t n)
{
    const struct dsn_stack *s = &r->stacks[piece->stack];
    float least[DSN_NLEVELS], most[DSN_NLEVELS];
    struct dsn_report_rank *rank = &r->ranks[piece->rank];

    memcpy(least, s->least, sizeof least);
    memcpy(most, s->most, sizeof most);
    for (size_t i = 0; i < n; i++) {
        least[piece[i].level] += piece[i].least;
        most[piece[i].level] += piece[i].most;
    }
    rank->least += most_of(least) - most_of(s->least);
    rank->most += most_of(most) - most_of(s->most);
}

static void add_all_pieces(struct dsn_report *r)
{
    size_t first = 0;

    if (r->npieces > 0)
        qsort(r->pieces, r->npieces, sizeof *r->pieces, by_stack);
    for (size_t i = 1; i <= r->npieces; i++)
        if (i == r->npieces || r->pieces[i].stack != r->pieces[first].stack ||
            r->pieces[i].rank != r->pieces[first].rank) {
            add_pieces(r, &r->pieces[first], i - first);
            first = i;
        }
}

/* Records of the bottom layer become pieces of the files with upper layers; others are added to ranks directly. */
static int add_bottoms(struct dsn_report *r, const uint32_t *stack, struct common *all)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < r->nparts && rc == DSN_ERR_OK; i++) {
        const struct dsn_report_part *p = &r->parts[i];

        if (dsn_file_is_elsewhere(&r->files[p->file]))
            continue;
        r->ranks[p->rank].longest = fmax(r->ranks[p->rank].longest, (double)p->longest);
        if (stack && stack[p->file] != DSN_NO_STACK) {
            rc = add_piece(r, &(struct dsn_piece){ stack[p->file], p->rank, p->seconds, p->seconds, DSN_LEVEL_BOTTOM });
            continue;
        }
        r->ranks[p->rank].least += p->seconds;
        r->ranks[p->rank].most += p->seconds;
    }
    for (size_t i = 0; i < r->nreduced && rc == DSN_ERR_OK; i++) {
        const struct dsn_reduced *p = &r->reduced[i];

        if (p->file >= r->nfiles || dsn_file_is_elsewhere(&r->files[p->file]))
            continue;
        if (stack && stack[p->file] != DSN_NO_STACK) {
            struct dsn_stack *s = &r->stacks[stack[p->file]];

            s->least[DSN_LEVEL_BOTTOM] += p->least;
            s->most[DSN_LEVEL_BOTTOM] += p->most;
            rc = add_piece(r, &(struct dsn_piece){ stack[p->file], p->rank, p->most - p->least, 0, DSN_LEVEL_BOTTOM });
            continue;
        }
        all->least += p->least;
        all->most += p->most;
        if (p->rank >= 0)
            r->ranks[p->rank].least += p->most - p->least;
    }
    return rc;
}

/* Index of the files with a stack; NULL: none, or no memory. */
static uint32_t *index_stacks(const struct dsn_report *r)
{
    uint32_t *stack = r->nstacks > 0 ? malloc((r->nfiles + 1) * sizeof *stack) : NULL;

    for (size_t i = 0; stack && i < r->nfiles; i++)
        stack[i] = DSN_NO_STACK;
    for (size_t i = 0; stack && i < r->nstacks; i++)
        if (r->stacks[i].file >= 0)
            stack[r->stacks[i].file] = (uint32_t)i;
    return stack;
}

/* The log's totals of ranks are those of the bottom layer: a lower bound, and exact if there is no layer above. If it says in how
 * much time there was any call, that is exact, and the bounds no more than a rank's calls. */
static void take_totals(struct dsn_report *r)
{
    for (size_t i = 0; i < r->nranks; i++) {
        struct dsn_report_rank *rank = &r->ranks[i];
        const double time = dsn_work_time(&rank->work);

        if (r->f.exact && (rank->overlap <= 1 || rank->passed > 0)) {
            rank->least = r->nstacks == 0 ? time : fmax(rank->least, time);
            rank->most = r->nstacks == 0 ? time : fmax(rank->most, time);
        }
        rank->least += rank->names + rank->map_syncs;
        rank->most += rank->names + rank->map_syncs;
        if (r->f.exact && rank->passed > 0)
            rank->least = rank->most = fmin(rank->passed, rank->most);
    }
}

/* No rank can wait for longer than it runs, nor longer than it is known to have been in calls. A sum that exceeds the run is one
 * over threads, which may have done all at the same time: then the longest of it is known to have passed, and the run is the
 * bound. */
static void keep_within_run(struct dsn_report *r)
{
    struct dsn_waits *w = &r->waits;
    const double run = r->f.runtime, before = w->all;
    double most = r->nranks > 0 ? 0 : run * (double)r->f.present, share;
    int is_known = r->nranks > 0;

    for (size_t i = 0; i < r->nranks; i++) {
        struct dsn_report_rank *rank = &r->ranks[i];

        if (run > 0 && rank->least > run)
            rank->least = fmin(rank->longest, run);
        if (run > 0)
            rank->most = fmin(rank->most, run);
        rank->most = fmax(rank->most, rank->least);
        is_known &= rank->passed > 0 || !(rank->most > 0);
        most += rank->most;
    }
    if (!(run > 0) || !(before > most * (1 + 1e-6)))
        return;
    w->is_bounded = !is_known;
    share = most / before;
    w->read *= share;
    w->write *= share;
    w->meta *= share;
    w->wait_read *= share;
    w->wait_write *= share;
    w->wait_open *= share;
    w->unsure *= share;
    w->above.read *= share;
    w->above.write *= share;
    w->above.meta *= share;
    w->library *= share;
    w->library_meta *= share;
    w->names *= share;
    w->map_syncs *= share;
    w->all *= share;
}

static void find_slowest(struct dsn_report *r)
{
    struct dsn_waits *w = &r->waits;
    size_t slowest = 0, most = 0;
    const double mean = w->all / (double)r->f.present, least = w->is_bounded ? 0 : mean;

    w->rank = -1;
    w->least = least;
    w->most = fmax(r->f.slowest_time, mean);
    for (size_t i = 0; i < r->nranks; i++) {
        slowest = r->ranks[i].least > r->ranks[slowest].least ? i : slowest;
        most = r->ranks[i].most > r->ranks[most].most ? i : most;
    }
    if (r->nranks == 0)
        return;
    w->least = fmax(r->ranks[slowest].least, least);
    w->most = fmax(r->ranks[most].most, w->least);
    if (w->most - w->least <= 1e-6 * w->most || slowest == most)
        w->rank = w->most > 0 ? (int64_t)slowest : -1;
}

void dsn__parts_of(const struct dsn_report *r, const struct dsn_report_rank *rank, double all,
                   struct dsn_wait_parts *to)
{
    const struct dsn_waits *w = &r->waits;
    const double above = w->above.read + w->above.write + w->above.meta + dsn_waiting(w);
    const double beyond = all - dsn_work_time(&rank->work) - rank->names - rank->map_syncs;
    double share = above > 0 ? fmax(beyond, 0) / above : 0;

    to->read = rank->work.read + share * w->above.read;
    to->write = rank->work.write + rank->map_syncs + share * w->above.write;
    to->meta = rank->work.meta + rank->names + share * w->above.meta;
    to->wait = share * dsn_waiting(w);
    to->library = share * w->library;
    share = to->read + to->write + to->meta + to->wait;
    share = share > all ? all / share : 1; /* names and threads: see keep_within_run() */
    to->read *= share;
    to->write *= share;
    to->meta *= share;
    to->wait *= share;
    to->library *= share;
}

/* How the slowest rank spent its time, if its records are known; with one rank, the totals. */
static void find_parts(struct dsn_report *r)
{
    struct dsn_waits *w = &r->waits;
    const struct dsn_report_rank *slowest = w->rank >= 0 && (uint64_t)w->rank < r->nranks ? &r->ranks[w->rank] : NULL;

    if (r->f.nprocs == 1) {
        w->parts_known = 1;
        w->slowest.read = w->read;
        w->slowest.write = w->write;
        w->slowest.meta = w->meta;
        w->slowest.wait = dsn_waiting(w);
        w->slowest.library = w->library;
        return;
    }
    if (!slowest || r->rank_times != DSN_EXACT || (w->most - w->least > CLOSE * w->most && slowest->overlap <= 1))
        return;
    w->parts_known = 1;
    dsn__parts_of(r, slowest, w->most, &w->slowest);
}

int dsn__waits_make(struct dsn_report *r)
{
    struct common all = { 0 };
    uint32_t *stack = index_stacks(r);
    int rc = DSN_ERR_OK;

    if (r->nstacks > 0 && !stack)
        return DSN_ERR_MEMORY;
    nest_lost(r);
    sum_up(r);
    if (r->nranks > 0)
        rc = add_bottoms(r, stack, &all);
    free(stack);
    if (rc != DSN_ERR_OK)
        return rc;
    add_all_pieces(r);
    for (size_t i = 0; i < r->nstacks; i++) {
        all.least += most_of(r->stacks[i].least);
        all.most += most_of(r->stacks[i].most);
    }
    for (size_t i = 0; i < r->nranks; i++) {
        r->ranks[i].least += all.least;
        r->ranks[i].most += all.most;
    }
    take_totals(r);
    keep_within_run(r);
    find_slowest(r);
    find_parts(r);
    return DSN_ERR_OK;
}

void dsn__waits_free(struct dsn_report *r)
{
    free(r->stacks);
    free(r->pieces);
    free(r->reduced);
    dsn__idmap_free(&r->stack_index);
}

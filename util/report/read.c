/* read.c - reads a log into the files, mounts and layers of a report, the records of each module once
 * SPDX-License-Identifier: BSD-3-Clause */
#include "read.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"
#include "cufile.h"
#include "darshan-log-format/extension.h"
#include "before-open.h"
#include "layer.h"
#include "mapped.h"
#include "program.h"
#include "ranks.h"
#include "special.h"
#include "turns.h"
#include "util/lib/grow.h"
#include "util/lib/processes.h"
#include "waits.h"

#define MOST_COLONS 64        /* of a name that are tried: bounds the time for crafted names */
#define MAX_RANKS   (1 << 20) /* no per-rank figures beyond this number, which usually means a damaged log */

/* ------------------------------------------------------------------ files */

static struct dsn_report_file *file_of(struct dsn_report *r, uint64_t id)
{
    uint32_t at;

    if (r->nfiles >= DSN_IDMAP_NONE - 1 || !dsn_grow(&r->files, &r->files_room, sizeof *r->files, r->nfiles))
        return NULL;
    at = dsn__idmap_add(&r->file_index, id, (uint32_t)r->nfiles);
    if (at == DSN_IDMAP_NONE)
        return NULL;
    if (at == r->nfiles) {
        memset(&r->files[at], 0, sizeof r->files[at]);
        r->files[at].id = id;
        r->files[at].kind = dsn_file_kind_of(r->log, darshan_reader_name(r->log, id));
        r->files[at].layout = -1;
        r->files[at].reader = r->files[at].writer = -1;
        r->nfiles++;
    }
    return &r->files[at];
}

/* The one rank that moved data, after a record with data: with `others` before it, `known` of one rank. */
static int64_t only_mover(int64_t others, int64_t known, int64_t rank)
{
    return others == 0 || known == rank ? rank : -1;
}

/* Number of ranks that moved data, the maximum over layers. To be called before note_ranks(), which sets the layer. */
static void note_movers(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                        const struct dsn_work *w, struct dsn_report_file *f)
{
    const struct dsn_rec *row = rec->rank < 0 ? darshan_reader_shared_of(r->log, l->table->id, rec->id) : NULL;

    if (w->bytes_read > 0)
        f->reader = only_mover(f->readers, f->reader, rec->rank);
    if (w->bytes_written > 0)
        f->writer = only_mover(f->writers, f->writer, rec->rank);
    if (f->counted != l->bit)
        f->count_readers = f->count_writers = 0;
    if (rec->rank < 0 && !row) {
        f->readers = f->writers = -1;
        return;
    }
    f->count_readers = dsn__plus(f->count_readers, row ? dsn__count(row, SHARED_READERS) : w->bytes_read > 0);
    f->count_writers = dsn__plus(f->count_writers, row ? dsn__count(row, SHARED_WRITERS) : w->bytes_written > 0);
    if (f->readers >= 0 && f->count_readers > f->readers)
        f->readers = f->count_readers;
    if (f->writers >= 0 && f->count_writers > f->writers)
        f->writers = f->count_writers;
}

/* Number of ranks with records of the file, the maximum over layers. */
static void note_ranks(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                       struct dsn_report_file *f)
{
    if (f->ranks == 0)
        f->rank = rec->rank;
    if (f->counted != l->bit)
        f->count = 0;
    f->counted = l->bit;
    f->count++;
    if (rec->rank < 0) {
        f->is_reduced = 1;
        f->rank = -1;
    }
    if (f->is_reduced || f->count > f->ranks)
        f->ranks = f->is_reduced ? r->f.nprocs : f->count;
}

/* How the slowest rank of a record spent its time. */
static void note_slowest_parts(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                               const struct dsn_work *w, struct dsn_report_file *f)
{
    const struct dsn_rec *row = rec->rank < 0 ? darshan_reader_shared_of(r->log, l->table->id, rec->id) : NULL;

    f->slowest_read = row ? dsn__seconds(row, SHARED_F_SLOWEST_READ_TIME) : rec->rank < 0 ? -1 : w->read;
    f->slowest_write = row ? dsn__seconds(row, SHARED_F_SLOWEST_WRITE_TIME) : rec->rank < 0 ? -1 : w->write;
    f->slowest_meta = row ? dsn__seconds(row, SHARED_F_SLOWEST_META_TIME) : rec->rank < 0 ? -1 : w->meta;
}

/* The most that a rank spent in metadata calls of one record. Of a shared one what its slowest rank spent beyond its part of
 * the data, by bytes; it is no less than the mean and no more than all. */
static double most_meta(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                        const struct dsn_work *w)
{
    const double bytes = dsn_work_bytes(w), slowest = dsn__seconds(rec, l->at.slowest_time);
    const double part = bytes > 0 ? (double)dsn__count(rec, l->at.slowest_bytes) / bytes : 0;

    if (rec->rank >= 0)
        return w->meta;
    return fmin(fmax(slowest - part * (w->read + w->write), w->meta / (double)r->f.nprocs), w->meta);
}

static void note_slowest(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                         const struct dsn_work *w, struct dsn_report_file *f)
{
    const int shared = rec->rank < 0;
    const double time = shared ? dsn__seconds(rec, l->at.slowest_time) : dsn_work_time(w);

    f->most_meta = fmax(f->most_meta, most_meta(r, l, rec, w));
    if (shared)
        f->fastest = dsn__seconds(rec, l->at.fastest_time);
    if (time <= f->slowest)
        return;
    f->slowest = time;
    f->slowest_rank = shared ? rec->v[l->at.slowest_rank].i : rec->rank;
    f->slowest_bytes = shared ? dsn__count(rec, l->at.slowest_bytes) : w->bytes_read + w->bytes_written;
    note_slowest_parts(r, l, rec, w, f);
}

static void note_span(const struct dsn_report_layer *l, const struct dsn_rec *rec, struct dsn_report_file *f)
{
    const double first = dsn__layer_f64(l, rec, DSN_FIRST_OPEN);

    if (first > 0 && (f->first_open <= 0 || first < f->first_open))
        f->first_open = first;
    for (unsigned i = 0; i < l->at.nrole[DSN_LAST_IO]; i++) {
        const double last = dsn__seconds(rec, l->at.role[DSN_LAST_IO][i]);

        f->last_io = last > f->last_io ? last : f->last_io;
    }
}

static int64_t more(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Requests that were not at a higher offset than the previous one; the first after an open does not count. If all lie within
 * a few requests' length, one place is written again and again, which is no random access. */
static int64_t at_random(int64_t calls, int64_t sequential, int64_t opens, int64_t bytes, int64_t highest)
{
    const double mean = calls > 0 ? fmax((double)bytes / (double)calls, 1) : 0;

    return (double)highest + 1 < 8 * mean ? 0 : more(calls - sequential - more(opens, 1), 0);
}

/* Of requests that were not at a higher offset than the previous one, those that had none: the first after each open. */
static int64_t first_of(int64_t calls, int64_t sequential, int64_t opens)
{
    const int64_t others = more(calls - sequential, 0), most = more(opens, 1);

    return others < most ? others : most;
}

/* Reads that returned no data, at the end of the file: known if the record's most frequent sizes are all of its requests with
 * data; else 0. */
static int64_t reads_at_end(const struct dsn_rec *r, const struct dsn_work *w)
{
    const int64_t tiny = dsn__count(r, POSIX_SIZE_READ_0_100);
    double bytes = 0, calls = 0, empty;

    for (int k = 0; k < 4; k++) {
        const int64_t size = dsn__count(r, POSIX_ACCESS1_ACCESS + k), n = dsn__count(r, POSIX_ACCESS1_COUNT + k);

        bytes += (double)size * (double)n;
        calls += size > 0 ? (double)n : 0;
    }
    empty = (double)w->reads + (double)w->writes - calls;
    return bytes == dsn_work_bytes(w) && empty > 0 && empty <= fmin((double)tiny, (double)w->reads) ? (int64_t)empty
                                                                                                    : 0;
}

static void note_posix(const struct dsn_rec *r, const struct dsn_work *w, struct dsn_report_file *f)
{
    const int64_t seq_reads = dsn__count(r, POSIX_SEQ_READS), seq_writes = dsn__count(r, POSIX_SEQ_WRITES);
    const int64_t again = dsn__plus(dsn__count(r, POSIX_FILENOS), dsn__count(r, POSIX_DUPS));
    const int64_t opens = more(dsn__count(r, POSIX_OPENS) - again, 0), ends = reads_at_end(r, w);

    f->opens = dsn__plus(f->opens, opens);
    f->renamed = dsn__plus(f->renamed, dsn__count(r, POSIX_RENAME_SOURCES));
    f->reads_at_end = dsn__plus(f->reads_at_end, ends);
    f->stats = dsn__plus(f->stats, dsn__count(r, POSIX_STATS));
    f->syncs = dsn__plus(f->syncs, dsn__count(r, POSIX_FSYNCS) + dsn__count(r, POSIX_FDSYNCS));
    f->consecutive = dsn__plus(f->consecutive, dsn__count(r, POSIX_CONSEC_READS) + dsn__count(r, POSIX_CONSEC_WRITES));
    f->sequential = dsn__plus(f->sequential, seq_reads + seq_writes);
    f->first_reads = dsn__plus(f->first_reads, first_of(w->reads, seq_reads, opens));
    f->first_writes = dsn__plus(f->first_writes, first_of(w->writes, seq_writes, opens));
    f->random_reads = dsn__plus(f->random_reads, at_random(w->reads - ends, seq_reads, opens, w->bytes_read,
                                                           dsn__count(r, POSIX_MAX_BYTE_READ)));
    f->random_writes = dsn__plus(f->random_writes, at_random(w->writes, seq_writes, opens, w->bytes_written,
                                                             dsn__count(r, POSIX_MAX_BYTE_WRITTEN)));
    f->unaligned = dsn__plus(f->unaligned, dsn__count(r, POSIX_FILE_NOT_ALIGNED));
    f->alignment = more(f->alignment, dsn__count(r, POSIX_FILE_ALIGNMENT));
    for (int i = 0; i < 4; i++) {
        f->small_reads = dsn__plus(f->small_reads, dsn__count(r, POSIX_SIZE_READ_0_100 + i));
        f->small_writes = dsn__plus(f->small_writes, dsn__count(r, POSIX_SIZE_WRITE_0_100 + i));
    }
    f->small_reads = more(f->small_reads - ends, 0);
    f->switches = dsn__plus(f->switches, dsn__count(r, POSIX_RW_SWITCHES));
    f->posix_calls = dsn__plus(f->posix_calls, w->reads + w->writes);
    f->seeks = dsn__plus(f->seeks, dsn__count(r, POSIX_SEEKS));
    f->mmaps = dsn__plus(f->mmaps, dsn__count(r, POSIX_MMAPS));
}

static int64_t extent(const struct dsn_report_layer *l, const struct dsn_rec *rec, enum dsn_role role, int64_t bytes)
{
    /* DFS and DAOS do not have the counters; a log without them has 0 */
    return bytes > 0 && l->at.nrole[role] > 0 && (dsn__layer_i64(l, rec, role) > 0 || bytes == 1)
               ? dsn__layer_i64(l, rec, role) + 1
               : 0;
}

static void note_file(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                      struct dsn_report_file *f)
{
    const struct dsn_work w = dsn__layer_work(l, rec);

    f->layers |= l->bit;
    if (l->table->id == DSN_MPIIO_MODULE) {
        f->mpi_collective =
            dsn__plus(f->mpi_collective, dsn__count(rec, MPIIO_COLL_READS) + dsn__count(rec, MPIIO_COLL_WRITES) +
                                             dsn__count(rec, MPIIO_SPLIT_READS) + dsn__count(rec, MPIIO_SPLIT_WRITES));
        f->mpi_independent =
            dsn__plus(f->mpi_independent, dsn__count(rec, MPIIO_INDEP_READS) + dsn__count(rec, MPIIO_INDEP_WRITES) +
                                              dsn__count(rec, MPIIO_NB_READS) + dsn__count(rec, MPIIO_NB_WRITES));
        if (dsn__count(rec, MPIIO_INDEP_READS) + dsn__count(rec, MPIIO_NB_READS) == 0)
            f->mpi_together = dsn__plus(f->mpi_together, w.bytes_read);
        if (dsn__count(rec, MPIIO_INDEP_WRITES) + dsn__count(rec, MPIIO_NB_WRITES) == 0)
            f->mpi_together = dsn__plus(f->mpi_together, w.bytes_written);
        f->mpi_read = dsn__plus(f->mpi_read, w.bytes_read);
        f->mpi_written = dsn__plus(f->mpi_written, w.bytes_written);
    }
    if (!l->is_bottom)
        return;
    dsn_work_add(&f->work, &w);
    note_movers(r, l, rec, &w, f);
    note_ranks(r, l, rec, f);
    note_slowest(r, l, rec, &w, f);
    note_span(l, rec, f);
    dsn_before_open_note(r, l, rec, f);
    f->read_extent = more(f->read_extent, extent(l, rec, DSN_R_EXTENT, w.bytes_read));
    f->write_extent = more(f->write_extent, extent(l, rec, DSN_W_EXTENT, w.bytes_written));
    if (l->table->id == DSN_POSIX_MODULE)
        note_posix(rec, &w, f);
    else if (l->table->id != DSN_STDIO_MODULE)
        f->opens = dsn__plus(f->opens, dsn__layer_i64(l, rec, DSN_OPENS));
    else {
        f->opens = dsn__plus(f->opens, more(dsn__count(rec, STDIO_OPENS) - dsn__count(rec, STDIO_FDOPENS), 0));
        dsn_work_add(&f->streams, &w);
        f->seeks = dsn__plus(f->seeks, dsn__count(rec, STDIO_SEEKS));
        f->flushes = dsn__plus(f->flushes, dsn__count(rec, STDIO_FLUSHES));
    }
}

static int add_part(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                    const struct dsn_report_file *f)
{
    const struct dsn_work w = dsn__layer_work(l, rec);

    if (rec->rank < 0 || (uint64_t)rec->rank >= r->nranks || !(dsn_work_time(&w) > 0))
        return DSN_ERR_OK;
    if (!dsn_grow(&r->parts, &r->parts_room, sizeof *r->parts, r->nparts))
        return DSN_ERR_MEMORY;
    r->parts[r->nparts++] = (struct dsn_report_part){ .file = (uint32_t)(f - r->files),
                                                      .rank = (int32_t)rec->rank,
                                                      .seconds = (float)dsn_work_time(&w),
                                                      .longest = (float)fmax(w.read, fmax(w.write, w.meta)) };
    return DSN_ERR_OK;
}

/* Work on what is no storage, by rank. Of a shared record that of its slowest rank is known, as a part of the whole. */
static void note_elsewhere(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec)
{
    struct dsn_work w = dsn__layer_work(l, rec);
    const double all = dsn_work_time(&w), bytes = dsn_work_bytes(&w);
    const int is_shared = rec->rank < 0;
    const int64_t owner = !is_shared ? rec->rank : l->at.slowest_rank >= 0 ? rec->v[l->at.slowest_rank].i : -1;
    const double share = !is_shared ? 1 : all > 0 ? fmin(dsn__seconds(rec, l->at.slowest_time) / all, 1) : 0;
    const double part = !is_shared ? 1 : bytes > 0 ? fmin((double)dsn__count(rec, l->at.slowest_bytes) / bytes, 1) : 0;

    if (owner < 0 || (uint64_t)owner >= r->nranks)
        return;
    w.read *= share;
    w.write *= share;
    w.meta *= share;
    w.bytes_read = (int64_t)((double)w.bytes_read * part);
    w.bytes_written = (int64_t)((double)w.bytes_written * part);
    dsn_work_add(&r->ranks[owner].elsewhere, &w);
}

/* The file that a record belongs to. Where a record of a part of a file does not say it, its name does: FILE:PART. */
static uint64_t owner_of(const struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec)
{
    const uint64_t owner = l->at.owner >= 0 ? (uint64_t)rec->v[l->at.owner].i : rec->id;
    const char *name =
        l->at.owner >= 0 && (owner == 0 || owner == UINT64_MAX) ? darshan_reader_name(r->log, rec->id) : NULL;
    int n = 0;

    for (const char *colon = name; n < MOST_COLONS && colon && (colon = strchr(colon, ':')) != NULL; colon++, n++) {
        const uint64_t id = dsn_hash(name, (size_t)(colon - name), 0);

        if (dsn__idmap_get(&r->file_index, id) != DSN_IDMAP_NONE ||
            dsn__idmap_get(&r->stack_index, id) != DSN_IDMAP_NONE)
            return id;
    }
    return owner;
}

/* Files are those with records of layers at the bottom (POSIX, STDIO, DFS, DAOS, cuFile); other layers add to them. */
static int add_file(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec, int *is_storage)
{
    const uint64_t id = owner_of(r, l, rec);
    struct dsn_report_file *f;

    if (l->is_bottom) {
        f = file_of(r, id);
        if (!f)
            return DSN_ERR_MEMORY;
    } else {
        const uint32_t at = dsn__idmap_get(&r->file_index, id);

        f = at == DSN_IDMAP_NONE ? NULL : &r->files[at];
    }
    if (f && dsn_record_is_channel(l->table->id, rec))
        f->kind = DSN_FILE_DEVICE;
    if (f)
        f->is_synchronous |= dsn_record_is_synchronous(l->table->id, rec);
    if (f)
        note_file(r, l, rec, f);
    *is_storage = !f || !dsn_file_is_elsewhere(f);
    if (l->is_bottom && !*is_storage)
        note_elsewhere(r, l, rec);
    if (l->is_bottom && add_part(r, l, rec, f) != DSN_ERR_OK)
        return DSN_ERR_MEMORY;
    return dsn__waits_add(r, l, rec, id);
}

/* ------------------------------------------------------------------ layers */

static int read_records(struct dsn_report *r, struct dsn_report_layer *l, struct dsn_figures_pass *pass,
                        struct darshan_reader_error *err)
{
    struct darshan_reader_records *it;
    const struct dsn_rec *rec;
    int rc = darshan_reader_begin(r->log, l->table->id, &it, err);

    if (rc != DSN_ERR_OK)
        return rc;
    while (rc == DSN_ERR_OK && (rec = darshan_reader_next(it, err)) != NULL) {
        int is_storage;

        rc = add_file(r, l, rec, &is_storage);
        if (rc == DSN_ERR_OK)
            rc = dsn__layer_add(l, rec, r->nranks, is_storage);
        if (rc == DSN_ERR_OK)
            rc = dsn_figures_add(pass, l->table, rec);
    }
    darshan_reader_end(it);
    return rc;
}

/* What cuFile has moved beside POSIX; the figures have it by themselves. */
static int read_cufile(struct dsn_report *r, struct dsn_report_layer *l)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < darshan_reader_cufile(r->log) && rc == DSN_ERR_OK; i++) {
        const struct dsn_rec *rec = darshan_reader_cufile_row(r->log, i);
        int is_storage;

        if (rec->id == dsn_cufile_buffers())
            continue;
        rc = add_file(r, l, rec, &is_storage);
        if (rc == DSN_ERR_OK)
            rc = dsn__layer_add(l, rec, r->nranks, is_storage);
    }
    return rc;
}

/* Damage is recorded, and does not end reading. */
static int read_layer(struct dsn_report *r, const struct dsn__layer_kind *kind, struct dsn_figures_pass *pass,
                      struct darshan_reader_error *damage)
{
    struct dsn_report_layer *l = &r->layer[r->nlayers];
    struct darshan_reader_error err = { 0 };
    const int is_cufile = kind->module == DSN_REPORT_CUFILE;
    int rc;

    if (is_cufile ? darshan_reader_cufile(r->log) == 0 : darshan_reader_header(r->log)->mod[kind->module].len == 0)
        return DSN_ERR_OK;
    r->nlayers++;
    if (!dsn__layer_init(l, kind, r->nranks))
        return DSN_ERR_MEMORY;
    l->bit = 1u << (r->nlayers - 1);
    l->is_below = l->is_bottom && !is_cufile && !dsn_figures_counts(r->log, kind->module);
    l->is_bottom &= !l->is_below;
    rc = is_cufile ? read_cufile(r, l) : read_records(r, l, pass, &err);
    if (rc == DSN_ERR_MEMORY)
        return rc;
    if (err.code != DSN_ERR_OK && damage->code == DSN_ERR_OK)
        *damage = err;
    dsn__layer_finish(l);
    return DSN_ERR_OK;
}

static int read_layers(struct dsn_report *r, int64_t nodes)
{
    struct dsn_figures_pass *pass = dsn_figures_begin(r->log);
    struct darshan_reader_error damage = { 0 };
    const struct dsn__layer_kind *kind;
    int rc = pass ? DSN_ERR_OK : DSN_ERR_MEMORY;

    for (size_t i = 0; rc == DSN_ERR_OK && (kind = dsn__layer_kind(i)) != NULL; i++)
        rc = read_layer(r, kind, pass, &damage);
    if (pass && dsn_figures_end(pass, nodes, &r->f) != DSN_ERR_OK)
        rc = DSN_ERR_MEMORY;
    if (r->f.damage.code == DSN_ERR_OK)
        r->f.damage = damage;
    return rc;
}

/* ------------------------------------------------------------------ names: mounts, standard streams */

static int make_mounts(struct dsn_report *r)
{
    const struct darshan_reader_mount *mounts;
    const size_t n = darshan_reader_mounts(r->log, &mounts);

    r->mounts = calloc(n + 3, sizeof *r->mounts);
    if (!r->mounts)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        r->mounts[i] = (struct dsn_report_mount){ .path = mounts[i].path, .type = mounts[i].type };
    r->mounts[n] = (struct dsn_report_mount){ .path = "(DAOS)", .type = "daos" };
    r->mounts[n + 1] = (struct dsn_report_mount){ .path = "UNKNOWN", .type = "UNKNOWN" };
    r->mounts[n + 2] = (struct dsn_report_mount){ .path = "(standard streams)", .type = "" };
    r->nmounts = n + 3;
    return DSN_ERR_OK;
}

/* Files of DFS and objects of DAOS: their names are no paths of this machine. */
static bool is_in_daos(const struct dsn_report *r, const struct dsn_report_file *f)
{
    for (size_t i = 0; i < r->nlayers; i++) {
        const unsigned id = r->layer[i].table->id;

        if ((id == DSN_DFS_MODULE || id == DSN_DAOS_MODULE) && f->layers & r->layer[i].bit)
            return true;
    }
    return false;
}

static int mount_of(const struct dsn_report *r, const char *name)
{
    const struct darshan_reader_mount *mounts, *m = darshan_reader_mount_of(r->log, name);
    const size_t n = darshan_reader_mounts(r->log, &mounts);

    return m >= mounts && m < mounts + n ? (int)(m - mounts) : (int)n + 1;
}

static void place_file(const struct dsn_report *r, struct dsn_report_file *f, const char *name)
{
    if (!is_in_daos(r, f))
        f->mount = dsn_is_standard(f) ? (int)r->nmounts - 1 : mount_of(r, name);
    f->is_aggregated = dsn_name_is_aggregated(name);
    f->is_exempt = f->kind != DSN_FILE_DATA && f->kind != DSN_FILE_CODE;
}

/* Classifies all names once, in the order in which they are stored. */
static int place_files(struct dsn_report *r)
{
    const size_t n = darshan_reader_names(r->log);

    if (make_mounts(r) != DSN_ERR_OK)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < r->nfiles; i++)
        r->files[i].mount = (int)r->nmounts - (is_in_daos(r, &r->files[i]) ? 3 : 2);
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(r->log, i, &id);
        const uint32_t at = dsn__idmap_get(&r->file_index, id);

        if (name && at != DSN_IDMAP_NONE)
            place_file(r, &r->files[at], name);
    }
    for (size_t i = 0; i < r->nfiles; i++) {
        struct dsn_report_mount *m = &r->mounts[r->files[i].mount];

        m->files += dsn_report_counts(&r->files[i]);
        dsn_work_add(&m->work, &r->files[i].work);
    }
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ striping */

static int read_layouts(struct dsn_report *r)
{
    struct darshan_reader_error err = { 0 };
    const int rc = dsn_layouts_read(&r->layouts, r->log, &err);

    if (rc == DSN_ERR_MEMORY)
        return rc;
    if (rc != DSN_ERR_OK && rc != DSN_ERR_MODVERSION && r->f.damage.code == DSN_ERR_OK)
        r->f.damage = err;
    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_layout *layout = dsn_layouts_get(&r->layouts, r->files[i].id);

        r->files[i].layout = layout ? (int32_t)(layout - dsn_layouts_at(&r->layouts, 0)) : -1;
    }
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ processes */

/* A moment at which one began (1) or ended (-1). */
struct change {
    double time;
    int by;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->by - y->by;
}

/* How many processes ran at once, and for how long all of them together. */
static int note_concurrency(struct dsn_report *r, const struct dsn_processes *all)
{
    struct change *change = all->n > 0 ? calloc(2 * all->n, sizeof *change) : NULL;
    size_t n = 0;
    int64_t now = 0;

    if (!change)
        return all->n == 0 ? DSN_ERR_OK : DSN_ERR_MEMORY;
    for (size_t i = 0; i < all->n; i++) {
        const struct dsn_listed_process *p = &all->list[i];

        if (p->end < p->begin)
            continue;
        change[n++] = (struct change){ p->begin, 1 };
        change[n++] = (struct change){ p->end, -1 };
        r->process_seconds += p->end - p->begin;
    }
    if (n > 0)
        qsort(change, n, sizeof *change, by_time);
    for (size_t i = 0; i < n; i++) {
        now += change[i].by;
        r->at_once = now > r->at_once ? now : r->at_once;
    }
    free(change);
    return DSN_ERR_OK;
}

static int runs_interpreter(const struct dsn_processes *all)
{
    const char *at = NULL, *command;
    size_t n;

    while ((command = dsn_process_command(all, &at, &n)) != NULL) {
        char copy[256] = "";

        memcpy(copy, command, n < sizeof copy - 1 ? n : sizeof copy - 1);
        if (dsn_is_interpreter(copy))
            return 1;
    }
    return 0;
}

static int read_processes(struct dsn_report *r)
{
    struct dsn_processes all;
    int rc = dsn_processes_read(r->log, &all);

    r->is_tree = all.is_tree;
    r->killed = all.killed;
    r->runs_interpreter |= runs_interpreter(&all);
    r->processes = (int64_t)all.n;
    r->processes_rank = all.n > 0 ? all.list[0].rank : -1;
    for (size_t i = 0; i < all.n; i++) {
        r->gone += all.list[i].is_gone;
        r->processes_rank = r->processes_rank == all.list[i].rank ? r->processes_rank : -1;
    }
    if (rc == DSN_ERR_OK)
        rc = note_concurrency(r, &all);
    if (rc == DSN_ERR_OK)
        rc = dsn_turns_make(&all, r->nranks, &r->turns.of, &r->turns.nof);
    dsn_processes_free(&all);
    return rc;
}

/* ------------------------------------------------------------------ the whole */

/* The mean rank at storage does not take longer than the run either. */
static void keep_within_run(struct dsn_figures *f)
{
    const double all = f->read_time + f->write_time + f->meta_time;
    const double most = fmin(f->slowest_time > 0 ? f->slowest_time : all, f->runtime) * (double)f->present;

    if (!(f->runtime > 0) || !(all > most))
        return;
    f->read_time *= most / all;
    f->write_time *= most / all;
    f->meta_time *= most / all;
}

int dsn_report_read(struct dsn_report *r, struct darshan_reader *log, int64_t nodes)
{
    const int64_t nprocs = darshan_reader_job(log)->nprocs;
    int rc;

    memset(r, 0, sizeof *r);
    r->log = log;
    dsn__idmap_init(&r->file_index);
    dsn__idmap_init(&r->stack_index);
    dsn_layouts_init(&r->layouts);
    r->f.nprocs = nprocs > 0 ? nprocs : 1; /* needed while records are read */
    r->nranks = nprocs <= 0 ? 1 : nprocs <= MAX_RANKS ? (size_t)nprocs : 0;
    r->ranks = calloc(r->nranks + 1, sizeof *r->ranks);
    rc = r->ranks ? read_layers(r, nodes) : DSN_ERR_MEMORY;
    if (rc == DSN_ERR_OK)
        rc = place_files(r);
    if (rc == DSN_ERR_OK)
        dsn_before_open_sum(r);
    if (rc == DSN_ERR_OK)
        rc = dsn_mapped_read(r);
    if (rc == DSN_ERR_OK)
        rc = dsn_cufile_read(r);
    if (rc == DSN_ERR_OK)
        rc = read_layouts(r);
    if (rc == DSN_ERR_OK)
        rc = dsn__special_read(r);
    r->runs_interpreter = dsn_is_interpreter(darshan_reader_exe(log));
    if (rc == DSN_ERR_OK)
        rc = read_processes(r);
    if (rc == DSN_ERR_OK)
        rc = dsn__report_ranks(r);
    if (rc == DSN_ERR_OK)
        rc = dsn__waits_make(r);
    if (rc == DSN_ERR_OK)
        dsn__turns_make(r);
    keep_within_run(&r->f);
    return rc;
}

void dsn_report_free(struct dsn_report *r)
{
    for (size_t i = 0; i < r->nlayers; i++)
        dsn__layer_free(&r->layer[i]);
    free(r->files);
    free(r->parts);
    free(r->mapped.of);
    free(r->cufile.of);
    free(r->mounts);
    free(r->ranks);
    free(r->turns.of);
    dsn__waits_free(r);
    dsn__idmap_free(&r->file_index);
    dsn_layouts_free(&r->layouts);
}

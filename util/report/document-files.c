/* document-files.c - JSON: files, mounts, reliability of the log, meaning of the counters
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "document-parts.h"
#include "before-open.h"
#include "json.h"
#include "cufile.h"
#include "mapped.h"
#include "trust.h"

/* ------------------------------------------------------------------ files */

/* A column of the table of files: a member of the struct, or computed by a function. */
struct column {
    const char *name;
    enum { OF_I64, OF_F64, OF_FUNCTION } kind;
    size_t at; /* offset of the member */
    json_t *(*of)(const struct dsn_report *r, const struct dsn_report_file *f);
};

static json_t *id_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_id(f->id);
}

static json_t *name_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    char room[DSN_NAME_ROOM];

    return dsn_json_text(dsn_report_name(r, f, room));
}

static json_t *mount_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    return dsn_json_text(r->mounts[f->mount].path);
}

static json_t *interface_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    return json_string(dsn_file_interface(r, f));
}

static json_t *class_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    static const char *const name[] = { "one", "some", "all" };

    return json_string(name[dsn_file_sharing(r, f)]);
}

static json_t *small_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return json_integer(f->small_reads + f->small_writes);
}

/* The highest offset read or written. */
static json_t *extent_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return json_integer(f->read_extent > f->write_extent ? f->read_extent : f->write_extent);
}

/* Storage targets of the widest component; null: not on Lustre, or unknown. */
static json_t *stripes_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;
    int64_t most = 0;

    for (size_t i = 0; layout && i < layout->ncomps; i++)
        most = layout->comps[i].stripe_count > most ? layout->comps[i].stripe_count : most;
    return layout ? json_integer(most) : json_null();
}

static json_t *stripe_size_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;

    return layout && layout->ncomps > 0 ? json_integer(layout->comps[0].stripe_size) : json_null();
}

static json_t *known_count(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *readers_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return known_count(f->readers);
}

static json_t *writers_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return known_count(f->writers);
}

static json_t *slowest_read_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->slowest_read);
}

static json_t *slowest_write_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->slowest_write);
}

static json_t *slowest_meta_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->slowest_meta);
}

static json_t *before_open_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const char *word = dsn_before_open_word(f->before_open);

    (void)r;
    return word ? json_string(word) : json_null();
}

static json_t *size_before_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    if (f->before_open == DSN_BEFORE_NOTHING) /* whatever later ranks see */
        return json_integer(0);
    return f->before_open == DSN_BEFORE_NOT_TOLD || (f->before_open == DSN_BEFORE_DROPPED && f->size_before == 0)
               ? json_null()
               : known_count(f->size_before);
}

static json_t *open_time_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->has_times_apart ? f->open_time : -1);
}

static json_t *close_time_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->has_times_apart ? f->close_time : -1);
}

static json_t *sync_time_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    (void)r;
    return dsn_json_known(f->has_times_apart ? f->sync_time : -1);
}

#define I64(name, member)                                                                                              \
    {                                                                                                                  \
        name, OF_I64, offsetof(struct dsn_report_file, member), NULL                                                   \
    }
#define F64(name, member)                                                                                              \
    {                                                                                                                  \
        name, OF_F64, offsetof(struct dsn_report_file, member), NULL                                                   \
    }
static const struct column columns[] = {
    { "id", OF_FUNCTION, 0, id_of },
    { "name", OF_FUNCTION, 0, name_of },
    { "mount", OF_FUNCTION, 0, mount_of },
    { "interface", OF_FUNCTION, 0, interface_of },
    { "shared_by", OF_FUNCTION, 0, class_of },
    I64("ranks", ranks),
    { "readers", OF_FUNCTION, 0, readers_of },
    { "writers", OF_FUNCTION, 0, writers_of },
    F64("slowest_seconds", slowest),
    I64("slowest_rank", slowest_rank),
    { "slowest_read_seconds", OF_FUNCTION, 0, slowest_read_of },
    { "slowest_write_seconds", OF_FUNCTION, 0, slowest_write_of },
    { "slowest_metadata_seconds", OF_FUNCTION, 0, slowest_meta_of },
    F64("read_seconds", work.read),
    F64("write_seconds", work.write),
    F64("metadata_seconds", work.meta),
    I64("bytes_read", work.bytes_read),
    I64("bytes_written", work.bytes_written),
    I64("reads", work.reads),
    I64("writes", work.writes),
    I64("opens", opens),
    I64("stats", stats),
    I64("seeks", seeks),
    I64("syncs", syncs),
    I64("posix_calls", posix_calls),
    I64("consecutive", consecutive),
    I64("sequential", sequential),
    I64("unaligned", unaligned),
    { "small", OF_FUNCTION, 0, small_of },
    I64("independent", mpi_independent),
    I64("collective", mpi_collective),
    I64("mpiio_bytes_read", mpi_read),
    I64("mpiio_bytes_written", mpi_written),
    { "extent", OF_FUNCTION, 0, extent_of },
    F64("first_open", first_open),
    F64("last_io", last_io),
    { "stripes", OF_FUNCTION, 0, stripes_of },
    { "stripe_size", OF_FUNCTION, 0, stripe_size_of },
    { "found", OF_FUNCTION, 0, before_open_of },
    { "size_before", OF_FUNCTION, 0, size_before_of },
    I64("deleted", deleted),
    { "open_seconds", OF_FUNCTION, 0, open_time_of },
    { "close_seconds", OF_FUNCTION, 0, close_time_of },
    { "sync_seconds", OF_FUNCTION, 0, sync_time_of },
};
#undef I64
#undef F64
#define NCOLUMNS (sizeof columns / sizeof columns[0])

static json_t *value_of(const struct column *c, const struct dsn_report *r, const struct dsn_report_file *f)
{
    const char *member = (const char *)f + c->at;
    int64_t i;
    double d;

    switch (c->kind) {
    case OF_I64:
        memcpy(&i, member, sizeof i);
        return json_integer((json_int_t)i);
    case OF_F64:
        memcpy(&d, member, sizeof d);
        return dsn_json_f64(d);
    default:
        return c->of(r, f);
    }
}

static json_t *row_of(const struct dsn_report *r, const struct dsn_report_file *f)
{
    json_t *row = json_array();

    for (size_t i = 0; i < NCOLUMNS; i++)
        json_array_append_new(row, value_of(&columns[i], r, f));
    return row;
}

json_t *dsn__written_part(const struct dsn_report *r)
{
    const struct dsn_written *w = &r->written;

    if (w->all == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I}}", "created",
                     (json_int_t)w->files[DSN_BEFORE_NOTHING], "overwritten", (json_int_t)w->files[DSN_BEFORE_DROPPED],
                     "perhaps_created", (json_int_t)w->files[DSN_BEFORE_UNKNOWN], "changed",
                     (json_int_t)w->files[DSN_BEFORE_CONTENT], "read_before_changed", (json_int_t)w->read_first,
                     "empty_before", (json_int_t)w->files[DSN_BEFORE_EMPTY], "opens_of_kinds",
                     (json_int_t)w->aggregated_opens, "temporary", "files", (json_int_t)w->temporary, "bytes_written",
                     (json_int_t)w->temporary_written, "bytes_read", (json_int_t)w->temporary_read);
}

#define MOST_MAPPED 100 /* files */

static json_t *mapped_figures(const struct dsn_mapped_file *f)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "mappings", (json_int_t)f->mappings, "bytes",
                     (json_int_t)f->bytes, "at_most_accessed", (json_int_t)f->touched, "at_most_written",
                     (json_int_t)f->writable, "at_least_written_back", (json_int_t)f->dirty, "not_examined",
                     (json_int_t)f->unexamined);
}

json_t *dsn__mapped_part(const struct dsn_report *r)
{
    const struct dsn_mapped *m = &r->mapped;
    json_t *all, *largest;

    if (m->n == 0)
        return json_null();
    all = mapped_figures(&m->all);
    largest = json_array();
    for (size_t i = 0; i < m->n && i < MOST_MAPPED; i++) {
        json_t *row = mapped_figures(&m->of[i]);

        json_object_set_new(row, "name", name_of(r, &r->files[m->of[i].file]));
        json_array_append_new(largest, row);
    }
    json_object_set_new(all, "files", json_integer((json_int_t)m->n));
    json_object_set_new(all, "may_be_most", json_boolean(dsn_mapped_may_be_most(r)));
    json_object_set_new(all, "largest", largest);
    return all;
}

#define MOST_CUFILE 100 /* files */

static json_t *cufile_way(const int64_t bytes[DSN_CUFILE_NBYTES])
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "synchronous", (json_int_t)bytes[DSN_CUFILE_DIRECT],
                     "synchronous_by_posix", (json_int_t)bytes[DSN_CUFILE_COMPAT], "queued",
                     (json_int_t)bytes[DSN_CUFILE_QUEUED], "queued_by_posix_at_most",
                     (json_int_t)bytes[DSN_CUFILE_COMPAT_QUEUED], "asked_for", (json_int_t)bytes[DSN_CUFILE_UNSEEN]);
}

static json_t *cufile_figures(const struct dsn_cufile_file *f)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:o}", "bytes", (json_int_t)dsn_cufile_bytes(f),
                     "bytes_by_posix", (json_int_t)dsn_cufile_by_posix(f), "read", cufile_way(f->read), "written",
                     cufile_way(f->written), "calls", (json_int_t)f->calls, "queued_operations", (json_int_t)f->queued,
                     "failed", (json_int_t)f->failed, "registrations", (json_int_t)f->handles, "seconds",
                     dsn_json_f64(f->seconds));
}

json_t *dsn__cufile_part(const struct dsn_report *r)
{
    const struct dsn_cufile *c = &r->cufile;
    json_t *all, *largest;

    if (darshan_reader_cufile(r->log) == 0)
        return json_null();
    all = cufile_figures(&c->all);
    largest = json_array();
    for (size_t i = 0; i < c->n && i < MOST_CUFILE; i++) {
        json_t *row = cufile_figures(&c->of[i]);

        json_object_set_new(row, "name", name_of(r, &r->files[c->of[i].file]));
        json_array_append_new(largest, row);
    }
    json_object_set_new(all, "files", json_integer((json_int_t)c->n));
    json_object_set_new(all, "compatibility_mode", json_boolean(dsn_cufile_is_compatible(r)));
    json_object_set_new(all, "buffers", json_integer((json_int_t)c->buffers));
    json_object_set_new(all, "buffer_bytes", json_integer((json_int_t)c->buffer_bytes));
    json_object_set_new(all, "buffer_seconds", dsn_json_f64(c->buffer_seconds));
    json_object_set_new(all, "largest", largest);
    return all;
}

json_t *dsn__traffic_part(const struct dsn_report *r)
{
    const struct dsn_storage_traffic *t = &r->f.traffic;

    if (!t->known)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "page_faults", (json_int_t)t->faults, "bytes_read", (json_int_t)t->read,
                     "bytes_dirtied", (json_int_t)t->dirtied);
}

json_t *dsn__times_apart_part(const struct dsn_report *r)
{
    const struct dsn_times_apart *t = &r->f.apart;

    if (!(t->meta + t->write > 0))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "open_seconds", dsn_json_f64(t->open), "close_seconds",
                     dsn_json_f64(t->close), "metadata_seconds", dsn_json_f64(t->meta), "sync_seconds",
                     dsn_json_f64(t->sync), "write_seconds", dsn_json_f64(t->write));
}

/* Files by their bytes up to the highest offset that was read or written, for a log has no sizes: seven classes, each up
 * to 16 times as large as the one before, and one for all that are larger. */
static json_t *size_classes(const struct dsn_report *r)
{
    enum { CLASSES = 8 };
    int64_t files[CLASSES] = { 0 }, unknown = 0, up_to = 4096;
    double extents[CLASSES] = { 0 };
    struct dsn_work work[CLASSES] = { { 0 } };
    json_t *all = json_array();

    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];
        const double extent = dsn_extent(f);
        double most = 4096;
        int at = 0;

        if (!dsn_report_counts(f))
            continue;
        if (!(extent > 0)) {
            unknown++;
            continue;
        }
        for (; at + 1 < CLASSES && extent > most; at++)
            most *= 16;
        files[at]++;
        extents[at] += extent;
        dsn_work_add(&work[at], &f->work);
    }
    for (int i = 0; i < CLASSES; i++, up_to *= 16)
        json_array_append_new(all, json_pack("{s:o, s:I, s:o, s:o}", "up_to",
                                             i + 1 < CLASSES ? json_integer(up_to) : json_null(), "files",
                                             (json_int_t)files[i], "bytes", dsn_json_f64(extents[i]), "work",
                                             dsn__work(&work[i])));
    return json_pack("{s:o, s:I}", "classes", all, "unknown", (json_int_t)unknown);
}

json_t *dsn__files_part(const struct dsn_report *r)
{
    json_t *names = json_array(), *rows = json_array();
    struct dsn_work rest = { 0 };
    size_t n, shown;
    const struct dsn_report_file **order = dsn_report_order(r, &n);

    if (!order) {
        json_decref(names);
        json_decref(rows);
        return NULL;
    }
    shown = n < DSN_DOCUMENT_FILES ? n : DSN_DOCUMENT_FILES;
    for (size_t i = 0; i < NCOLUMNS; i++)
        json_array_append_new(names, json_string(columns[i].name));
    for (size_t i = 0; i < shown; i++)
        json_array_append_new(rows, row_of(r, order[i]));
    for (size_t i = shown; i < n; i++)
        dsn_work_add(&rest, &order[i]->work);
    free(order);
    return json_pack("{s:o, s:o, s:I, s:{s:I, s:o}, s:o}", "columns", names, "rows", rows, "total", (json_int_t)n,
                     "rest", "files", (json_int_t)(n - shown), "work", dsn__work(&rest), "sizes", size_classes(r));
}

/* ------------------------------------------------------------------ mounts */

static json_t *mount_row(const struct dsn_report_mount *m)
{
    return json_pack("{s:o, s:o, s:I, s:o}", "path", dsn_json_text(m->path), "type", dsn_json_text(m->type), "files",
                     (json_int_t)m->files, "work", dsn__work(&m->work));
}

static json_t *targets_of(const struct dsn_report *r)
{
    int64_t files = 0, single = 0;

    for (size_t i = 0; i < r->layouts.table.n; i++) {
        const struct dsn_layout *layout = dsn_layouts_at(&r->layouts, i);
        int64_t most = 0;

        for (size_t k = 0; k < layout->ncomps; k++)
            most = layout->comps[k].stripe_count > most ? layout->comps[k].stripe_count : most;
        files++;
        single += most == 1;
    }
    return json_pack("{s:I, s:I}", "files_with_layout", (json_int_t)files, "of_one_target", (json_int_t)single);
}

/* Mounts with accessed files; only the number of the others. */
json_t *dsn__mounts_part(const struct dsn_report *r)
{
    json_t *all = json_array();
    int64_t unused = 0;

    for (size_t i = 0; i < r->nmounts; i++) {
        const struct dsn_report_mount *m = &r->mounts[i];

        if (m->files > 0 || dsn_work_time(&m->work) > 0 || dsn_work_bytes(&m->work) > 0)
            json_array_append_new(all, mount_row(m));
        else
            unused += i + 3 < r->nmounts;
    }
    return json_pack("{s:o, s:I, s:o}", "used", all, "unused", (json_int_t)unused, "lustre", targets_of(r));
}

/* ------------------------------------------------------------------ quality */

static json_t *confidence(const char *figure, enum dsn_confidence c, const char *why)
{
    return json_pack("{s:s, s:s, s:o}", "figure", figure, "confidence", dsn_confidence_name(c), "why",
                     dsn_json_text(why));
}

static json_t *confidences_of(const struct dsn_report *r)
{
    const char *cut = dsn_is_cut(r) ? "records are missing" : NULL;
    const enum dsn_confidence least = cut ? DSN_ESTIMATED : DSN_EXACT;
    const enum dsn_confidence slowest = dsn_slowest_confidence(r);
    json_t *all = json_array();

    json_array_append_new(all, confidence("sums of bytes, calls and seconds", least, cut));
    json_array_append_new(all, confidence("answer.seconds.slowest", cut ? DSN_ESTIMATED : slowest,
                                          cut                    ? cut
                                          : slowest == DSN_EXACT ? NULL
                                                                 : "an upper bound: adds the slowest times on each "
                                                                   "shared file"));
    json_array_append_new(all,
                          confidence("answer.share_of_run_time", cut || r->f.whole_seconds ? DSN_ESTIMATED : slowest,
                                     cut                  ? cut
                                     : r->f.whole_seconds ? "the run time is known to the second only"
                                                          : NULL));
    json_array_append_new(all, confidence("ranks, seconds", cut ? DSN_ESTIMATED : r->rank_times,
                                          cut                          ? cut
                                          : r->rank_times == DSN_EXACT ? NULL
                                                                       : "of shared files only the slowest rank's time "
                                                                         "is known, and that of the fastest"));
    json_array_append_new(all,
                          confidence("ranks, bytes", cut ? DSN_ESTIMATED : r->rank_bytes,
                                     cut                          ? cut
                                     : r->rank_bytes == DSN_EXACT ? NULL
                                                                  : "of shared files only the slowest rank's bytes "
                                                                    "are known, and those of the fastest"));
    return all;
}

static json_t *partial_of(const struct dsn_report *r)
{
    const uint64_t partial = darshan_reader_header(r->log)->partial;
    json_t *all = json_array();

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        if (partial >> i & 1 && i != DSN_NULL_MODULE && dsn_module_name(i))
            json_array_append_new(all, json_string(dsn_module_name(i)));
    return all;
}

/* What the job's metadata says about recovery of the log; null: it was not recovered. */
static json_t *recovered_of(const struct dsn_report *r)
{
    struct darshan_reader_metadata m;

    return dsn_recovered(r->log, &m) ? dsn_json_bytes(m.value, m.value_length) : json_null();
}

/* The tables' remarks on the module versions of this log. */
static json_t *remarks_of(const struct dsn_report *r)
{
    const struct dsn_header *h = darshan_reader_header(r->log);
    json_t *all = json_array();

    for (size_t i = 0; i < r->nlayers; i++) {
        const struct dsn_table *t = r->layer[i].table;

        for (unsigned k = 0; k < t->nnotes; k++)
            if (h->mod_version[t->id] >= t->notes[k].since &&
                (t->notes[k].until == 0 || h->mod_version[t->id] <= t->notes[k].until))
                json_array_append_new(all, json_string(t->notes[k].text));
    }
    if (dsn_thresholds_file())
        json_array_append_new(all, json_sprintf("thresholds of findings are those of %s", dsn_thresholds_file()));
    return all;
}

static json_t *aggregated_of(const struct dsn_figures *f)
{
    return json_pack("{s:I, s:o, s:b, s:I, s:o, s:o}", "uses", (json_int_t)f->aggregated_opens, "files",
                     f->aggregated_opens == 0  ? json_integer(0)
                     : f->aggregated_files > 0 ? json_integer(f->aggregated_files)
                                               : json_null(),
                     "files_are_exact", f->aggregated_opens == 0 || f->aggregated_files_exact, "by_max_records",
                     (json_int_t)f->limited, "enough_modmem_mib",
                     f->enough_memory > 0 ? json_integer((f->enough_memory - 1) / (1 << 20) + 1) : json_null(),
                     "enough_max_records", f->enough_records > 0 ? json_integer(f->enough_records) : json_null());
}

static json_t *warnings_of(const struct dsn_report *r)
{
    struct dsn_warning w[DSN_MAX_WARNINGS];
    const size_t n = dsn_warnings(r, w);
    json_t *all = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, json_pack("{s:s, s:o}", "what", w[i].label, "text", dsn_json_text(w[i].text)));
    return all;
}

static json_t *timed_calls(const struct dsn_timed_calls *b)
{
    return json_pack("{s:I, s:f}", "calls", (json_int_t)b->calls, "seconds", b->time);
}

json_t *dsn__quality_part(const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;

    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:{s:o, s:o, s:o, s:o}, s:b, s:o, s:o}", "warnings",
                     warnings_of(r), "killed_processes", (json_int_t)r->killed, "recovered", recovered_of(r), "damage",
                     f->damage.code != DSN_ERR_OK ? dsn_json_text(f->damage.text) : json_null(), "incomplete_modules",
                     partial_of(r), "folded", aggregated_of(f), "missed_calls", (json_int_t)f->missed,
                     "untraced_operations", (json_int_t)f->untraced, "calls_without_counters", "deletes",
                     timed_calls(&f->deletes), "renames", timed_calls(&f->renames), "other_metadata",
                     timed_calls(&f->other_metas), "map_syncs", timed_calls(&f->map_syncs), "past_posix",
                     dsn_is_past_posix(r->log), "remarks", remarks_of(r), "confidence", confidences_of(r));
}

/* ------------------------------------------------------------------ glossary */

/* The counters from which a figure is computed. */
static const struct term {
    const char *figure;
    unsigned module;
    unsigned counter;
} terms[] = {
    { "bytes_read", DSN_POSIX_MODULE, POSIX_BYTES_READ },
    { "bytes_written", DSN_POSIX_MODULE, POSIX_BYTES_WRITTEN },
    { "bytes_read", DSN_STDIO_MODULE, STDIO_BYTES_READ },
    { "bytes_written", DSN_STDIO_MODULE, STDIO_BYTES_WRITTEN },
    { "read_seconds", DSN_POSIX_MODULE, POSIX_F_READ_TIME },
    { "write_seconds", DSN_POSIX_MODULE, POSIX_F_WRITE_TIME },
    { "metadata_seconds", DSN_POSIX_MODULE, POSIX_F_META_TIME },
    { "read_seconds", DSN_STDIO_MODULE, STDIO_F_READ_TIME },
    { "write_seconds", DSN_STDIO_MODULE, STDIO_F_WRITE_TIME },
    { "metadata_seconds", DSN_STDIO_MODULE, STDIO_F_META_TIME },
    { "slowest_seconds", DSN_POSIX_MODULE, POSIX_F_SLOWEST_RANK_TIME },
    { "reads", DSN_POSIX_MODULE, POSIX_READS },
    { "writes", DSN_POSIX_MODULE, POSIX_WRITES },
    { "opens", DSN_POSIX_MODULE, POSIX_OPENS },
    { "seeks", DSN_POSIX_MODULE, POSIX_SEEKS },
    { "stats", DSN_POSIX_MODULE, POSIX_STATS },
    { "mmaps", DSN_POSIX_MODULE, POSIX_MMAPS },
    { "syncs", DSN_POSIX_MODULE, POSIX_FSYNCS },
    { "syncs", DSN_POSIX_MODULE, POSIX_FDSYNCS },
    { "consecutive", DSN_POSIX_MODULE, POSIX_CONSEC_READS },
    { "consecutive", DSN_POSIX_MODULE, POSIX_CONSEC_WRITES },
    { "sequential", DSN_POSIX_MODULE, POSIX_SEQ_READS },
    { "sequential", DSN_POSIX_MODULE, POSIX_SEQ_WRITES },
    { "switches", DSN_POSIX_MODULE, POSIX_RW_SWITCHES },
    { "not_aligned_in_file", DSN_POSIX_MODULE, POSIX_FILE_NOT_ALIGNED },
    { "not_aligned_in_memory", DSN_POSIX_MODULE, POSIX_MEM_NOT_ALIGNED },
    { "extent", DSN_POSIX_MODULE, POSIX_MAX_BYTE_READ },
    { "extent", DSN_POSIX_MODULE, POSIX_MAX_BYTE_WRITTEN },
    { "sizes", DSN_POSIX_MODULE, POSIX_SIZE_READ_0_100 },
    { "sizes", DSN_POSIX_MODULE, POSIX_SIZE_WRITE_0_100 },
    { "common", DSN_POSIX_MODULE, POSIX_ACCESS1_ACCESS },
    { "sizes", DSN_MPIIO_MODULE, MPIIO_SIZE_READ_AGG_0_100 },
    { "sizes", DSN_MPIIO_MODULE, MPIIO_SIZE_WRITE_AGG_0_100 },
    { "independent", DSN_MPIIO_MODULE, MPIIO_INDEP_READS },
    { "independent", DSN_MPIIO_MODULE, MPIIO_INDEP_WRITES },
    { "independent", DSN_MPIIO_MODULE, MPIIO_NB_READS },
    { "independent", DSN_MPIIO_MODULE, MPIIO_NB_WRITES },
    { "collective", DSN_MPIIO_MODULE, MPIIO_COLL_READS },
    { "collective", DSN_MPIIO_MODULE, MPIIO_COLL_WRITES },
    { "collective", DSN_MPIIO_MODULE, MPIIO_SPLIT_READS },
    { "collective", DSN_MPIIO_MODULE, MPIIO_SPLIT_WRITES },
    { "stripes", DSN_LUSTRE_MODULE, LUSTRE_NUM_STRIPES },
};

json_t *dsn__glossary_part(const struct dsn_report *r)
{
    json_t *all = json_array();

    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        const struct dsn_table *t = dsn_table(terms[i].module);
        const struct dsn_row *row = dsn_table_row(t, terms[i].counter);

        if (darshan_reader_header(r->log)->mod[terms[i].module].len > 0)
            json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s}", "figure", terms[i].figure, "counter",
                                                 row->name, "module", t->name, "meaning", row->doc));
    }
    return all;
}

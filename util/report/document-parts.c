/* document-parts.c - JSON: layers, ranks, sizes, access patterns and sharing
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document-parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "layer.h"
#include "ranks.h"
#include "units.h"

#define COMMON_SIZES  10
#define SLOWEST_RANKS 10
#define LORENZ_POINTS 101

json_t *dsn__work(const struct dsn_work *w)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "read_seconds", dsn_json_f64(w->read), "write_seconds",
                     dsn_json_f64(w->write), "metadata_seconds", dsn_json_f64(w->meta), "bytes_read",
                     (json_int_t)w->bytes_read, "bytes_written", (json_int_t)w->bytes_written, "reads",
                     (json_int_t)w->reads, "writes", (json_int_t)w->writes);
}

json_t *dsn__spread(const struct dsn_spread *s)
{
    const int known = s->n + s->zero > 0;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ranks",
                     known ? json_integer((json_int_t)s->n) : json_null(), "ranks_without",
                     known ? json_integer((json_int_t)s->zero) : json_null(), "min",
                     dsn_json_known(known ? s->min : -1), "q1", dsn_json_known(known ? s->q1 : -1), "median",
                     dsn_json_known(known ? s->median : -1), "q3", dsn_json_known(known ? s->q3 : -1), "max",
                     dsn_json_known(known ? s->max : -1), "mean", dsn_json_known(known ? s->mean : -1),
                     "slowest_over_mean", dsn_json_known(s->mean > 0 ? s->max / s->mean : -1), "gini",
                     dsn_json_known(known ? s->gini : -1));
}

/* ------------------------------------------------------------------ layers */

/* The time of a rank in one layer: exact, or with shared records a lower bound. */
static double known_of(const struct dsn_report_layer *l, size_t rank)
{
    return dsn_work_time(&l->rank[rank]) + l->least_time + l->extra[rank].time;
}

/* Seconds of ranks in one layer, if the log's records have them. */
static int layer_spread(const struct dsn_report *r, const struct dsn_report_layer *l, int is_known,
                        struct dsn_spread *out)
{
    double *v = malloc((r->nranks + 1) * sizeof *v);

    memset(out, 0, sizeof *out);
    if (!v)
        return 0;
    for (size_t i = 0; i < r->nranks; i++)
        v[i] = known_of(l, i);
    if (is_known)
        dsn_spread_make(v, r->nranks, out);
    free(v);
    return 1;
}

/* The rank with the highest known time. */
static size_t layer_slowest(const struct dsn_report *r, const struct dsn_report_layer *l, double *most)
{
    size_t slowest = 0;

    *most = 0;
    for (size_t i = 0; i < r->nranks; i++)
        if (known_of(l, i) > *most) {
            *most = known_of(l, i);
            slowest = i;
        }
    return slowest;
}

static json_t *layer_of(const struct dsn_report *r, const struct dsn_report_layer *l)
{
    struct dsn_spread spread;
    const enum dsn_confidence c = l->shared_records > 0 && r->nranks > 1 ? DSN_BOUNDED : DSN_EXACT;

    const double n = (double)r->f.present;
    double most;
    const size_t slowest = layer_slowest(r, l, &most);

    if (!layer_spread(r, l, c == DSN_EXACT, &spread))
        return NULL;
    return json_pack("{s:s, s:s, s:b, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "name", l->label, "module",
                     l->table->name, "counted_in_totals", l->is_bottom, "parts_of_files", l->of_objects, "records",
                     (json_int_t)l->records, "shared_records", (json_int_t)l->shared_records, "work",
                     dsn__work(&l->work), "seconds_per_rank", dsn__spread(&spread), "mean_seconds",
                     dsn_json_f64(dsn_work_time(&l->work) / n), "slowest_seconds_at_least", dsn_json_f64(most),
                     "slowest_rank", most > 0 ? json_integer((json_int_t)slowest) : json_null(), "confidence",
                     dsn_confidence_name(c));
}

json_t *dsn__layers_part(const struct dsn_report *r)
{
    json_t *all = json_array();

    for (size_t i = 0; i < r->nlayers; i++)
        json_array_append_new(all, layer_of(r, &r->layer[i]));
    return all;
}

/* ------------------------------------------------------------------ ranks */

/* A figure of ranks, one column of the table of bins. */
enum kind { OF_SECONDS, OF_BYTES, OF_BOUNDS }; /* present if the seconds or bytes of ranks are exact; always */
enum made { MEAN, MOST, LEAST };               /* over the ranks of a bin */

struct column {
    const char *name;
    double (*of)(const struct dsn_report_rank *rank);
    enum made made;
    enum kind kind;
};

static double of_read(const struct dsn_report_rank *k)
{
    return k->work.read;
}

static double of_write(const struct dsn_report_rank *k)
{
    return k->work.write;
}

static double of_meta(const struct dsn_report_rank *k)
{
    return k->work.meta;
}

static double of_time(const struct dsn_report_rank *k)
{
    return dsn_work_time(&k->work);
}

static double of_bytes(const struct dsn_report_rank *k)
{
    return dsn_work_bytes(&k->work);
}

static double of_bytes_read(const struct dsn_report_rank *k)
{
    return (double)k->work.bytes_read;
}

static double of_bytes_written(const struct dsn_report_rank *k)
{
    return (double)k->work.bytes_written;
}

static double of_least(const struct dsn_report_rank *k)
{
    return k->least;
}

static double of_most(const struct dsn_report_rank *k)
{
    return k->most;
}

static const struct column columns[] = {
    { "read_seconds", of_read, MEAN, OF_SECONDS },
    { "write_seconds", of_write, MEAN, OF_SECONDS },
    { "metadata_seconds", of_meta, MEAN, OF_SECONDS },
    { "slowest_seconds", of_time, MOST, OF_SECONDS },
    { "bytes_read", of_bytes_read, MEAN, OF_BYTES },
    { "bytes_written", of_bytes_written, MEAN, OF_BYTES },
    { "waited_at_least_seconds", of_least, LEAST, OF_BOUNDS },
    { "waited_at_most_seconds", of_most, MOST, OF_BOUNDS },
};

static int is_known(const struct dsn_report *r, enum kind kind)
{
    return kind == OF_BOUNDS || (kind == OF_SECONDS ? r->rank_times : r->rank_bytes) == DSN_EXACT;
}

static json_t *bins_of(const struct dsn_report *r, size_t per_bin, const struct column *c)
{
    json_t *all = json_array();

    for (size_t first = 0; first < r->nranks; first += per_bin) {
        const size_t end = first + per_bin < r->nranks ? first + per_bin : r->nranks;
        double sum = 0, most = 0, least = INFINITY;

        for (size_t i = first; i < end; i++) {
            const double v = c->of(&r->ranks[i]);

            sum += v;
            most = fmax(most, v);
            least = fmin(least, v);
        }
        json_array_append_new(all, !is_known(r, c->kind)
                                       ? json_null()
                                       : dsn_json_f64(c->made == MOST    ? most
                                                      : c->made == LEAST ? least
                                                                         : sum / (double)(end - first)));
    }
    return all;
}

/* Points of the Lorenz curve (share of ranks, share of the total), in ascending order. */
static json_t *lorenz_of(const struct dsn_report *r, double (*of)(const struct dsn_report_rank *), enum kind kind)
{
    double *v = malloc((r->nranks + 1) * sizeof *v), sum = 0, so_far = 0;
    const size_t absent = dsn__absent_ranks(r), n = r->nranks - absent;
    struct dsn_spread sorted;
    json_t *all = json_array();
    size_t next = 0;

    if (!v || !all) {
        free(v);
        json_decref(all);
        return NULL;
    }
    for (size_t i = 0; i < r->nranks; i++)
        sum += v[i] = of(&r->ranks[i]);
    dsn_spread_make(v, r->nranks, &sorted); /* sorts them */
    for (size_t i = 0; is_known(r, kind) && sum > 0 && n > 0 && i <= n; i++) {
        if (i * (LORENZ_POINTS - 1) >= next * n) {
            json_array_append_new(all,
                                  json_pack("[o, o]", dsn_json_f64((double)i / (double)n), dsn_json_f64(so_far / sum)));
            next = i * (LORENZ_POINTS - 1) / n + 1;
        }
        so_far += i < n ? v[absent + i] : 0;
    }
    free(v);
    return all;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Minimum to maximum in steps of a percent. Quantiles of bounds are bounds of the quantiles. */
static json_t *quantiles_of(const struct dsn_report *r, double (*of)(const struct dsn_report_rank *), enum kind kind)
{
    const size_t absent = dsn__absent_ranks(r);
    double *v = malloc((r->nranks + 1) * sizeof *v);
    json_t *all = json_array();

    if (!v || !all) {
        free(v);
        json_decref(all);
        return NULL;
    }
    for (size_t i = 0; i < r->nranks; i++)
        v[i] = of(&r->ranks[i]);
    qsort(v, r->nranks, sizeof *v, by_value);
    for (size_t i = 0; i <= 100 && r->nranks > absent && is_known(r, kind); i++)
        json_array_append_new(all, dsn_json_f64(v[absent + i * (r->nranks - absent - 1) / 100]));
    free(v);
    return all;
}

static json_t *all_quantiles(const struct dsn_report *r)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "seconds", quantiles_of(r, of_time, OF_SECONDS), "bytes",
                     quantiles_of(r, of_bytes, OF_BYTES), "waited_at_least_seconds",
                     quantiles_of(r, of_least, OF_BOUNDS), "waited_at_most_seconds",
                     quantiles_of(r, of_most, OF_BOUNDS));
}

static json_t *rank_of(const struct dsn_report *r, size_t i)
{
    const char *const *hosts;
    const size_t nhosts = darshan_reader_nodes(r->log, &hosts);
    const struct dsn_report_rank *k = &r->ranks[i];

    const int times = is_known(r, OF_SECONDS), bytes = is_known(r, OF_BYTES);

    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rank", (json_int_t)i, "host",
        k->node >= 0 && (uint64_t)k->node < nhosts ? dsn_json_text(hosts[k->node]) : json_null(), "seconds",
        dsn_json_f64(of_time(k)), "waited_at_least_seconds", dsn_json_f64(k->least), "waited_at_most_seconds",
        dsn_json_f64(k->most), "read_seconds", dsn_json_known(times ? k->work.read : -1), "write_seconds",
        dsn_json_known(times ? k->work.write : -1), "metadata_seconds", dsn_json_known(times ? k->work.meta : -1),
        "bytes_read", bytes ? json_integer(k->work.bytes_read) : json_null(), "bytes_written",
        bytes ? json_integer(k->work.bytes_written) : json_null());
}

/* The slowest ranks first, by the lower bounds of their times. */
static json_t *slowest_of(const struct dsn_report *r)
{
    size_t top[SLOWEST_RANKS], n = 0;
    json_t *all = json_array();

    for (size_t i = 0; i < r->nranks; i++) {
        const double v = of_least(&r->ranks[i]);
        size_t at = n;

        if (!(v > 0) || (n == SLOWEST_RANKS && v <= of_least(&r->ranks[top[n - 1]])))
            continue;
        if (n < SLOWEST_RANKS)
            n++;
        else
            at--;
        for (; at > 0 && v > of_least(&r->ranks[top[at - 1]]); at--)
            top[at] = top[at - 1];
        top[at] = i;
    }
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, rank_of(r, top[i]));
    return all;
}

json_t *dsn__ranks_part(const struct dsn_report *r)
{
    const size_t per_bin = r->nranks > DSN_DOCUMENT_BINS ? (r->nranks - 1) / DSN_DOCUMENT_BINS + 1 : 1;
    json_t *bins = json_object();

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        json_object_set_new(bins, columns[i].name, bins_of(r, per_bin, &columns[i]));
    return json_pack("{s:I, s:s, s:s, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ranks",
                     (json_int_t)r->nranks, "seconds_confidence", dsn_confidence_name(r->rank_times),
                     "bytes_confidence", dsn_confidence_name(r->rank_bytes), "at_storage",
                     r->movers > 0 ? json_integer(r->movers) : json_null(), "at_storage_confidence",
                     dsn_confidence_name(r->movers_confidence), "ranks_per_bin", (json_int_t)per_bin, "bins", bins,
                     "seconds_spread", dsn__spread(&r->time_spread), "bytes_spread", dsn__spread(&r->byte_spread),
                     "seconds_lorenz", lorenz_of(r, of_time, OF_SECONDS), "bytes_lorenz",
                     lorenz_of(r, of_bytes, OF_BYTES), "quantiles", all_quantiles(r), "slowest", slowest_of(r));
}

/* ------------------------------------------------------------------ sizes */

static json_t *direction_of(const struct dsn_sizes *s)
{
    json_t *calls = json_array(), *bytes = json_array();

    for (int i = 0; i < DSN_NSIZES; i++) {
        json_array_append_new(calls, json_integer(s->calls[i]));
        json_array_append_new(bytes, dsn_json_f64(s->bytes[i]));
    }
    return json_pack("{s:o, s:o, s:s}", "calls", calls, "bytes", bytes, "bytes_confidence",
                     dsn_confidence_name(s->confidence));
}

static json_t *commons_of(const struct dsn_report_layer *l)
{
    json_t *all = json_array();

    for (size_t i = 0; i < l->ncommon && i < COMMON_SIZES; i++)
        json_array_append_new(all, json_pack("{s:I, s:I, s:I, s:I}", "size", (json_int_t)l->common[i].size, "reads",
                                             (json_int_t)l->common[i].reads, "writes", (json_int_t)l->common[i].writes,
                                             "either", (json_int_t)l->common[i].either));
    return all;
}

json_t *dsn__sizes_part(const struct dsn_report *r)
{
    json_t *labels = json_array(), *all = json_array();

    for (int i = 0; i < DSN_NSIZES; i++)
        json_array_append_new(labels, json_string(dsn_size_label(i)));
    for (size_t i = 0; i < r->nlayers; i++) {
        const struct dsn_report_layer *l = &r->layer[i];
        const int64_t calls = l->work.reads + l->work.writes;

        if (l->at.read_sizes < 0)
            continue;
        json_array_append_new(all, json_pack("{s:s, s:o, s:o, s:o, s:s}", "layer", l->label, "reads",
                                             direction_of(&l->read_sizes), "writes", direction_of(&l->write_sizes),
                                             "common", commons_of(l), "common_confidence",
                                             dsn_confidence_name(l->common_calls >= calls ? DSN_EXACT : DSN_BOUNDED)));
    }
    return json_pack("{s:o, s:o}", "labels", labels, "layers", all);
}

/* ------------------------------------------------------------------ access */

/* Counters of the access pattern of POSIX; the same rows give the figures and the glossary. */
static json_t *pattern_of(const struct dsn_report *r, int64_t calls, int64_t first, unsigned consecutive,
                          unsigned sequential)
{
    const int64_t seq = dsn_layer_total(r, DSN_POSIX_MODULE, sequential);
    const int64_t consec = dsn_layer_total(r, DSN_POSIX_MODULE, consecutive);

    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "calls", (json_int_t)calls, "first", (json_int_t)first, "consecutive",
                     (json_int_t)consec, "sequential", (json_int_t)(seq > consec ? seq - consec : 0), "other",
                     (json_int_t)(calls - first > seq ? calls - first - seq : 0));
}

json_t *dsn__access_part(const struct dsn_report *r)
{
    const struct dsn_report_layer *l = dsn_report_layer(r, DSN_POSIX_MODULE);
    const int64_t syncs = dsn__plus(dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_FSYNCS),
                                    dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_FDSYNCS));
    int64_t random_reads = 0, random_writes = 0, first_reads = 0, first_writes = 0;
    double calls = 0, sequential = 0, bytes = 0, sequential_bytes = 0;

    if (!l)
        return json_null();
    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];
        const double share = f->posix_calls > 0 ? fmin((double)f->sequential / (double)f->posix_calls, 1) : 0;

        calls += (double)f->posix_calls;
        sequential += share * (double)f->posix_calls;
        bytes += f->posix_calls > 0 ? dsn_work_bytes(&f->work) : 0;
        sequential_bytes += share * dsn_work_bytes(&f->work);
        random_reads = dsn__plus(random_reads, r->files[i].random_reads);
        random_writes = dsn__plus(random_writes, r->files[i].random_writes);
        first_reads = dsn__plus(first_reads, f->first_reads);
        first_writes = dsn__plus(first_writes, f->first_writes);
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "layer", l->label,
                     "sequential_share_of_calls", dsn_json_known(calls > 0 ? sequential / calls : -1),
                     "sequential_share_of_bytes", dsn_json_known(bytes > 0 ? sequential_bytes / bytes : -1), "reads",
                     pattern_of(r, l->work.reads, first_reads, POSIX_CONSEC_READS, POSIX_SEQ_READS), "writes",
                     pattern_of(r, l->work.writes, first_writes, POSIX_CONSEC_WRITES, POSIX_SEQ_WRITES), "random_reads",
                     (json_int_t)random_reads, "random_writes", (json_int_t)random_writes, "switches",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_RW_SWITCHES), "not_aligned_in_file",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_FILE_NOT_ALIGNED), "not_aligned_in_memory",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_MEM_NOT_ALIGNED), "opens",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_OPENS), "seeks",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_SEEKS), "stats",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_STATS), "syncs", (json_int_t)syncs, "mmaps",
                     (json_int_t)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_MMAPS));
}

/* ------------------------------------------------------------------ sharing */

/* N:N, N:M or N:1, by the files or bytes of each class of sharing. */
static const char *pattern_name(const struct dsn_report *r, double one, double some, double all)
{
    const int64_t active = r->movers_confidence == DSN_EXACT ? r->movers : 0;

    if (r->f.nprocs == 1)
        return "serial";
    if (active == 1)
        return "one rank";
    if (all + some > one)
        return all >= some ? "N:1" : "N:M";
    return one > 0 ? "N:N" : "none";
}

json_t *dsn__sharing_part(const struct dsn_report *r)
{
    static const char *const name[] = { "of one rank", "of some ranks", "of all ranks" };
    const struct dsn_file_kinds *k = &r->f.files;
    struct dsn_work work[3] = { { 0 } };
    int64_t files[3] = { 0 };
    json_t *classes = json_array();

    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];

        if (!dsn_report_counts(f))
            continue;
        files[dsn_file_sharing(r, f)]++;
        dsn_work_add(&work[dsn_file_sharing(r, f)], &f->work);
    }
    for (int i = 0; i < 3; i++)
        json_array_append_new(classes, json_pack("{s:s, s:I, s:o}", "class", name[i], "files", (json_int_t)files[i],
                                                 "work", dsn__work(&work[i])));
    return json_pack("{s:s, s:s, s:o, s:{s:I, s:I, s:I, s:I, s:I}}", "pattern",
                     pattern_name(r, (double)k->unique, (double)k->partly_shared, (double)k->shared),
                     "pattern_by_bytes",
                     pattern_name(r, dsn_work_bytes(&work[0]), dsn_work_bytes(&work[1]), dsn_work_bytes(&work[2])),
                     "classes", classes, "files", "total", (json_int_t)r->f.files.total, "read_only",
                     (json_int_t)r->f.files.read_only, "write_only", (json_int_t)r->f.files.write_only, "read_write",
                     (json_int_t)r->f.files.read_write, "without_data", (json_int_t)r->f.files.untouched);
}

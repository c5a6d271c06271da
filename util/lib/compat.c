/* compat.c - the interface used by PyDarshan, on top of log.h
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "compat.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accum.h"
#include "grow.h"
#include "log.h"

#define EXE_ROOM         4096
#define SEGMENTS_AT_ONCE 4096

/* ------------------------------------------------------------------ handle */

struct handle {
    char version[8]; /* read directly by consumers, so it comes first */
    struct darshan_reader *log;
    struct darshan_reader_records *records[DSN_KNOWN_MODULES]; /* opened by the first request */
    struct darshan_dxt *traces[DSN_KNOWN_MODULES];
    int has_header; /* APMPI: the header was returned */
    struct darshan_reader_error err;
};

char *darshan_log_get_lib_version(void)
{
    static char version[] = DSN_COMPAT_RELEASE;

    return version;
}

void *darshan_log_open(const char *path)
{
    struct handle *h = path ? calloc(1, sizeof *h) : NULL;
    int rc;

    if (!path)
        errno = EINVAL;
    if (!h)
        return NULL;
    errno = 0;
    rc = darshan_reader_open(path, &h->log, &h->err);
    if (rc != DSN_ERR_OK) {
        const int why = errno;

        free(h);
        errno = rc == DSN_ERR_MEMORY ? ENOMEM : rc == DSN_ERR_OPEN && why ? why : EINVAL;
        return NULL;
    }
    memcpy(h->version, darshan_reader_header(h->log)->version, sizeof h->version - 1);
    darshan_reader_damage(h->log, &h->err);
    return h;
}

void darshan_log_close(void *fd)
{
    struct handle *h = fd;

    if (!h)
        return;
    for (unsigned i = 0; i < DSN_KNOWN_MODULES; i++) {
        darshan_reader_end(h->records[i]);
        darshan_dxt_end(h->traces[i]);
    }
    darshan_reader_close(h->log);
    free(h);
}

const char *darshan_log_get_error(void *fd)
{
    const struct handle *h = fd;

    if (!h)
        return "no log is open";
    return h->err.code == DSN_ERR_OK ? dsn_err_text(DSN_ERR_OK) : h->err.text;
}

static int fail(struct handle *h, int code, const char *text)
{
    h->err.code = code;
    snprintf(h->err.text, sizeof h->err.text, "%s", text);
    return -1;
}

static int no_memory(struct handle *h)
{
    return fail(h, DSN_ERR_MEMORY, dsn_err_text(DSN_ERR_MEMORY));
}

void darshan_free(void *ptr)
{
    free(ptr);
}

/* ------------------------------------------------------------------ job, mounts, modules, names */

int darshan_log_get_job(void *fd, struct darshan_job *job)
{
    const struct dsn_job *from;

    if (!fd || !job)
        return -1;
    from = darshan_reader_job(((struct handle *)fd)->log);
    _Static_assert(sizeof job->metadata == sizeof from->metadata, "copied whole");
    *job = (struct darshan_job){
        .uid = from->uid,
        .start_time_sec = from->start_sec,
        .start_time_nsec = from->start_nsec,
        .end_time_sec = from->end_sec,
        .end_time_nsec = from->end_nsec,
        .nprocs = from->nprocs,
        .jobid = from->jobid,
    };
    memcpy(job->metadata, from->metadata, sizeof job->metadata);
    return 0;
}

int darshan_log_get_job_runtime(void *fd, struct darshan_job job, double *runtime)
{
    const struct dsn_job times = {
        .start_sec = job.start_time_sec,
        .start_nsec = job.start_time_nsec,
        .end_sec = job.end_time_sec,
        .end_nsec = job.end_time_nsec,
    };

    if (runtime)
        *runtime = 0;
    if (!fd || !runtime)
        return -1;
    *runtime = dsn_job_runtime(darshan_reader_header(((struct handle *)fd)->log), &times);
    return 0;
}

/* Copies a string, truncated to `room` bytes with its NUL. */
static void copy_text(char *to, size_t room, const char *from)
{
    const size_t length = strnlen(from, room - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

int darshan_log_get_exe(void *fd, char *buf)
{
    if (buf)
        buf[0] = '\0';
    if (!fd || !buf)
        return -1;
    copy_text(buf, EXE_ROOM, darshan_reader_exe(((struct handle *)fd)->log));
    return 0;
}

/* Clears the results of a function that returns an array. False if an argument is NULL. */
#define HAND_OUT(fd, array, count)                                                                                     \
    ((array) ? (void)(*(array) = NULL) : (void)0, (count) ? (void)(*(count) = 0) : (void)0, (fd) && (array) && (count))

int darshan_log_get_mounts(void *fd, struct darshan_mnt_info **mnt_data_array, int *count)
{
    struct handle *h = fd;
    const struct darshan_reader_mount *mounts;
    struct darshan_mnt_info *out;
    size_t n;

    if (!HAND_OUT(fd, mnt_data_array, count))
        return -1;
    n = darshan_reader_mounts(h->log, &mounts);
    out = calloc(n + 1, sizeof *out);
    if (!out)
        return no_memory(h);
    *mnt_data_array = out;
    for (size_t i = 0; i < n; i++) {
        copy_text(out[i].mnt_type, sizeof out[i].mnt_type, mounts[i].type);
        copy_text(out[i].mnt_path, sizeof out[i].mnt_path, mounts[i].path);
    }
    *count = (int)n; /* limited by the size of the job region */
    return 0;
}

void darshan_log_get_modules(void *fd, struct darshan_mod_info **mods, int *count)
{
    struct handle *h = fd;
    const struct dsn_header *header;
    struct darshan_mod_info *out;

    if (!HAND_OUT(fd, mods, count))
        return;
    header = darshan_reader_header(h->log);
    out = calloc(DSN_KNOWN_MODULES, sizeof *out);
    if (!out) {
        no_memory(h);
        return;
    }
    *mods = out;
    for (int i = 1; i < DSN_KNOWN_MODULES; i++) {
        if (header->mod[i].len == 0)
            continue;
        out[(*count)++] = (struct darshan_mod_info){
            .name = dsn_module_name((unsigned)i),
            .len = header->mod[i].len > INT_MAX ? INT_MAX : (int)header->mod[i].len,
            .ver = (int)header->mod_version[i],
            .idx = i,
            .partial_flag = header->partial >> i & 1,
        };
    }
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Copies the names of the `n` sorted ids, or all names if `ids` is NULL. */
static void copy_names(struct handle *h, const uint64_t *ids, size_t n, struct darshan_name_record **out, int *count)
{
    const size_t known = darshan_reader_names(h->log);
    struct darshan_name_record *names = malloc((known + 1) * sizeof *names);

    *out = names;
    *count = 0;
    for (size_t i = 0; names && i < known && *count < INT_MAX; i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(h->log, i, &id);
        char *copy;

        if (ids && !bsearch(&id, ids, n, sizeof id, compare_ids))
            continue;
        copy = strdup(name);
        if (!copy)
            break;
        names[(*count)++] = (struct darshan_name_record){ .id = id, .name = copy };
    }
    if (!names || (!ids && (size_t)*count < known))
        no_memory(h);
}

void darshan_log_get_name_records(void *fd, struct darshan_name_record **name_records, int *count)
{
    if (HAND_OUT(fd, name_records, count))
        copy_names(fd, NULL, 0, name_records, count);
}

void darshan_log_get_filtered_name_records(void *fd, struct darshan_name_record **name_records, int *count,
                                           uint64_t *ids, int n)
{
    const size_t nids = n > 0 && ids ? (size_t)n : 0;
    uint64_t *sorted;

    if (!HAND_OUT(fd, name_records, count))
        return;
    sorted = malloc((nids + 1) * sizeof *sorted);
    if (!sorted) {
        no_memory(fd);
        return;
    }
    if (nids > 0)
        memcpy(sorted, ids, nids * sizeof *sorted);
    qsort(sorted, nids, sizeof *sorted, compare_ids);
    copy_names(fd, sorted, nids, name_records, count);
    free(sorted);
}

int darshan_log_get_namehash(void *fd, void **hash)
{
    if (hash)
        *hash = NULL;
    return fd ? fail(fd, DSN_ERR_MODVERSION, "has no hash table of names for programs") : -1;
}

/* ------------------------------------------------------------------ records */

/* The record and its arrays in one allocation. */
static void *copy_lustre(const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t ncomps = tail->ncomps * sizeof(struct darshan_lustre_component), nosts = tail->n * sizeof(int64_t);
    struct darshan_lustre_record *out = malloc(sizeof *out + ncomps + nosts);

    if (!out)
        return NULL;
    *out = (struct darshan_lustre_record){
        .base_rec = { r->id, r->rank },
        .num_comps = (int64_t)tail->ncomps,
        .num_stripes = (int64_t)tail->n,
        .comps = (struct darshan_lustre_component *)(void *)(out + 1),
    };
    out->ost_ids = (int64_t *)(void *)((char *)(out + 1) + ncomps);
    if (ncomps > 0)
        memcpy(out->comps, tail->comps, ncomps);
    if (nosts > 0)
        memcpy(out->ost_ids, tail->values[0], nosts);
    return out;
}

static void *copy_heatmap(const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t bytes = tail->n * sizeof(int64_t);
    struct darshan_heatmap_record *out = malloc(sizeof *out + 2 * bytes);

    if (!out)
        return NULL;
    *out = (struct darshan_heatmap_record){
        .base_rec = { r->id, r->rank },
        .bin_width_seconds = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f,
        .nbins = (int64_t)tail->n,
        .write_bins = (int64_t *)(void *)(out + 1),
        .read_bins = (int64_t *)(void *)(out + 1) + tail->n,
    };
    if (bytes > 0) {
        memcpy(out->write_bins, tail->values[0], bytes);
        memcpy(out->read_bins, tail->values[1], bytes);
    }
    return out;
}

static void *copy_mdhim(const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t servers = tail->n * sizeof(int64_t), values = offsetof(struct darshan_mdhim_record, server_ops);
    struct darshan_mdhim_record *out = calloc(1, sizeof *out + servers);

    if (!out)
        return NULL;
    memcpy(out, r, values);
    if (servers > 0)
        memcpy((char *)out + values, tail->values[0], servers);
    return out;
}

static void *copy_record(const struct dsn_table *t, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    void *out;

    if (t->id == DSN_LUSTRE_MODULE)
        return copy_lustre(r, tail);
    if (t->id == DSN_HEATMAP_MODULE)
        return copy_heatmap(r, tail);
    if (t->id == DSN_MDHIM_MODULE)
        return copy_mdhim(r, tail);
    out = malloc(dsn_rec_size(t));
    if (out)
        memcpy(out, r, dsn_rec_size(t));
    return out;
}

/* The header that precedes APMPI's records. */
static int next_header(struct handle *h, void **buf)
{
    const struct dsn_apmpi_header *header = darshan_reader_apmpi(h->records[DSN_APMPI_MODULE], &h->err);

    if (!header)
        return h->err.code == DSN_ERR_OK ? 0 : -1;
    *buf = malloc(sizeof *header);
    if (!*buf)
        return no_memory(h);
    memcpy(*buf, header, sizeof *header);
    h->has_header = 1;
    return 1;
}

static int next_record(struct handle *h, unsigned module, void **buf)
{
    const struct dsn_rec *r;

    if (!h->records[module] && darshan_reader_begin(h->log, module, &h->records[module], &h->err) != DSN_ERR_OK)
        return -1;
    if (module == DSN_APMPI_MODULE && !h->has_header)
        return next_header(h, buf);
    r = darshan_reader_next(h->records[module], &h->err);
    if (!r)
        return h->err.code == DSN_ERR_OK ? 0 : -1;
    *buf = copy_record(dsn_table(module), r, darshan_reader_tail(h->records[module]));
    return *buf ? 1 : no_memory(h);
}

/* Appends all segments of the current record to `out`. Their number in the record's head is not trusted: the allocation
 * grows as they are read. Returns the record, or NULL (h->err). */
static struct darshan_dxt_file *add_segments(struct handle *h, struct darshan_dxt *it, struct darshan_dxt_file *out)
{
    const uint64_t all = (uint64_t)out->write_count + (uint64_t)out->read_count;
    size_t n = 0, room = 0, got = 1;

    while (got > 0 && n < all) {
        if (n == room) {
            const size_t more = room ? 2 * room : SEGMENTS_AT_ONCE;

            room = more < all ? more : (size_t)all;
            if (!dsn_resize(&out, sizeof *out + room * sizeof(struct darshan_dxt_segment), 1)) {
                no_memory(h);
                break;
            }
        }
        got = darshan_dxt_segments(it, (struct dsn_dxt_segment *)(void *)(out + 1) + n, room - n, &h->err);
        n += got;
    }
    if (n == all)
        return out;
    free(out);
    return NULL;
}

static int next_trace(struct handle *h, unsigned module, void **buf)
{
    const struct dsn_dxt_head *head;
    struct darshan_dxt_file *out;

    if (!h->traces[module] && darshan_dxt_begin(h->log, module, &h->traces[module], &h->err) != DSN_ERR_OK)
        return -1;
    head = darshan_dxt_next(h->traces[module], &h->err);
    if (!head)
        return h->err.code == DSN_ERR_OK ? 0 : -1;
    out = malloc(sizeof *out);
    if (!out)
        return no_memory(h);
    *out = (struct darshan_dxt_file){
        .base_rec = { head->id, head->rank },
        .write_count = head->nwrites,
        .read_count = head->nreads,
    };
    memcpy(out->hostname, head->host, sizeof out->hostname - 1);
    *buf = add_segments(h, h->traces[module], out);
    return *buf ? 1 : -1;
}

/* The next call starts over: consumers read a module again when they need it again. */
static void rewind_module(struct handle *h, unsigned module)
{
    darshan_reader_end(h->records[module]);
    darshan_dxt_end(h->traces[module]);
    h->records[module] = NULL;
    h->traces[module] = NULL;
    if (module == DSN_APMPI_MODULE)
        h->has_header = 0;
}

int darshan_log_get_record(void *fd, int mod_idx, void **buf)
{
    struct handle *h = fd;
    const unsigned module = mod_idx < 0 ? DSN_MODULE_SLOTS : (unsigned)mod_idx;
    int rc;

    if (buf)
        *buf = NULL;
    if (!fd || !buf)
        return -1;
    if (module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE)
        rc = next_trace(h, module, buf);
    else if (dsn_table(module))
        rc = next_record(h, module, buf);
    else
        return fail(h, DSN_ERR_MODVERSION, "has a module that this interface has no structure for");
    if (rc == 0)
        rewind_module(h, module);
    return rc;
}

/* ------------------------------------------------------------------ sums over records */

struct darshan_accumulator_st {
    struct dsn_accum sums;
};

int darshan_accumulator_create(int mod_id, int64_t nprocs, darshan_accumulator *out)
{
    (void)nprocs; /* the records say which ranks there are */
    if (!out)
        return -1;
    *out = NULL;
    if (mod_id != DSN_POSIX_MODULE && mod_id != DSN_MPIIO_MODULE && mod_id != DSN_STDIO_MODULE &&
        mod_id != DSN_DFS_MODULE && mod_id != DSN_DAOS_MODULE)
        return -1;
    *out = malloc(sizeof **out);
    if (!*out)
        return -1;
    dsn_accum_init(&(*out)->sums, dsn_table((unsigned)mod_id),
                   DSN_ACCUM_TOTAL | DSN_ACCUM_FILES | DSN_ACCUM_PERF | DSN_ACCUM_PROCESSES);
    return 0;
}

int darshan_accumulator_inject(darshan_accumulator acc, void *records, int n)
{
    const char *p = records;
    size_t size;
    union dsn_any_rec aligned; /* `records` may be unaligned */

    if (!acc || (!records && n > 0))
        return -1;
    size = dsn_rec_size(acc->sums.table);
    for (int i = 0; i < n; i++, p += size) {
        memcpy(&aligned, p, size);
        if (dsn_accum_add(&acc->sums, &aligned.rec) != DSN_ERR_OK)
            return -1;
    }
    return 0;
}

static int derive(struct dsn_accum *sums, struct darshan_derived_metrics *out)
{
    struct dsn_file_count files[DSN_NCATEGORIES];
    int64_t processes[DSN_NCATEGORIES];
    struct dsn_perf perf;

    _Static_assert(DSN_NCATEGORIES == 7 && DSN_READ_ONLY == 1 && DSN_WRITE_ONLY == 2 && DSN_READ_WRITE == 3 &&
                       DSN_UNIQUE == 4 && DSN_SHARED == 5 && DSN_PARTLY_SHARED == 6,
                   "the order is the same");
    dsn_accum_perf(sums, NULL, 0, &perf);
    dsn_accum_files(sums, files);
    if (dsn_accum_processes(sums, processes) != DSN_ERR_OK)
        return -1;
    *out = (struct darshan_derived_metrics){
        .total_bytes = perf.bytes,
        .unique_io_total_time_by_slowest = perf.unique_io,
        .unique_rw_only_time_by_slowest = perf.unique_rw,
        .unique_md_only_time_by_slowest = perf.unique_meta,
        .unique_io_slowest_rank = (int)perf.unique_rank,
        .shared_io_total_time_by_slowest = perf.shared_io,
        .agg_perf_by_slowest = perf.mib_per_second,
        .agg_time_by_slowest = perf.io,
    };
    for (int i = 0; i < DSN_NCATEGORIES; i++)
        out->category_counters[i] = (struct darshan_file_category_counters){
            .count = files[i].files,
            .total_read_volume_bytes = files[i].bytes_read,
            .total_write_volume_bytes = files[i].bytes_written,
            .max_read_volume_bytes = files[i].most_read,
            .max_write_volume_bytes = files[i].most_written,
            .total_max_offset_bytes = files[i].extents,
            .max_offset_bytes = files[i].extent,
            .nprocs = processes[i],
        };
    return 0;
}

int darshan_accumulator_emit(darshan_accumulator acc, struct darshan_derived_metrics *metrics, void *summary_record)
{
    if (!acc || (metrics && derive(&acc->sums, metrics) != 0))
        return -1;
    if (summary_record)
        memcpy(summary_record, dsn_accum_total(&acc->sums), dsn_rec_size(acc->sums.table));
    return 0;
}

int darshan_accumulator_destroy(darshan_accumulator acc)
{
    if (acc)
        dsn_accum_free(&acc->sums);
    free(acc);
    return 0;
}

/* records.c - the records of a module, one by one
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

struct darshan_reader_records {
    const struct dsn_table *table;
    struct dsn__window window;
    unsigned version;
    int swap;
    int as_is;        /* same layout in memory as on disk: no need to copy records out of the window */
    int varies;       /* records have tails */
    int as_written;   /* do not adjust the bins of HEATMAP */
    int broken;       /* enum dsn_err: damage that makes it impossible to find the next record */
    size_t disk_size; /* of a record without its tail; 0: the module has no data */
    uint64_t nread;
    struct dsn_rec *converted;
    struct dsn_tail tail;
    int has_apmpi; /* the header was read */
    struct dsn_apmpi_header apmpi;
    double bin_width; /* of HEATMAP's first record, to which the others are adjusted */
    int64_t nbins;
    int64_t *bins; /* room for two extended arrays */
};

static int fail(const struct darshan_reader_records *it, struct darshan_reader_error *err, int code)
{
    char what[80];

    snprintf(what, sizeof what, "%s module, after %llu records", it->table->name, (unsigned long long)it->nread);
    return dsn__fail(err, code, what);
}

static int prepare(struct darshan_reader *log, const struct dsn_table *t, struct darshan_reader_records *it)
{
    const struct dsn_map region = log->header.mod[t->id];

    it->table = t;
    it->version = log->header.mod_version[t->id];
    it->swap = log->header.swap;
    it->varies = dsn_table_varies(t);
    it->as_is = it->version == t->version && !it->swap && !it->varies;
    if (region.len == 0)
        return DSN_ERR_OK;
    it->disk_size = dsn_rec_disk_size(t, it->version);
    if (it->disk_size == 0)
        return DSN_ERR_MODVERSION;
    it->converted = malloc(dsn_rec_size(t));
    if (!it->converted)
        return DSN_ERR_MEMORY;
    return dsn__window_begin(&it->window, &log->file, region);
}

int darshan_reader_begin(struct darshan_reader *log, unsigned module, struct darshan_reader_records **out,
                         struct darshan_reader_error *err)
{
    const struct dsn_table *t = dsn_table(module);
    struct darshan_reader_records *it;
    int rc;

    *out = NULL;
    if (!t)
        return dsn__fail(err, DSN_ERR_MODVERSION, dsn_module_name(module));
    it = calloc(1, sizeof *it);
    if (!it)
        return dsn__fail(err, DSN_ERR_MEMORY, NULL);
    rc = prepare(log, t, it);
    if (rc != DSN_ERR_OK) {
        darshan_reader_end(it);
        return dsn__fail(err, rc, rc == DSN_ERR_MODVERSION ? t->name : NULL);
    }
    *out = it;
    return dsn__fail(err, DSN_ERR_OK, NULL);
}

/* Sets the error that ended the iteration. */
static const struct dsn_rec *why(struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    const int rc = it->broken ? it->broken : dsn__window_error(&it->window);

    if (rc == DSN_ERR_OK)
        dsn__fail(err, rc, NULL);
    else
        fail(it, err, rc);
    return NULL;
}

/* ------------------------------------------------------------------ HEATMAP */

/* The ranks' end times may differ by one bin. All records are adjusted to the first: an additional bin is dropped, a
 * missing one is 0. Returns 0 if out of memory. */
static int level_bins(struct darshan_reader_records *it)
{
    struct dsn_rec *r = it->converted;
    struct dsn_tail *tail = &it->tail;
    const int64_t n = r->v[HEATMAP_NBINS].i;

    if (it->nread == 0) {
        it->bin_width = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;
        it->nbins = n;
    }
    if (r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f != it->bin_width || (n != it->nbins + 1 && n != it->nbins - 1))
        return 1;
    if (n < it->nbins) {
        if (!it->bins)
            it->bins = malloc(2 * (size_t)it->nbins * sizeof *it->bins);
        if (!it->bins)
            return 0;
        for (int k = 0; k < 2; k++) {
            int64_t *longer = it->bins + k * it->nbins;

            memcpy(longer, tail->values[k], (size_t)n * sizeof *longer);
            longer[n] = 0;
            tail->values[k] = longer;
        }
    }
    r->v[HEATMAP_NBINS].i = it->nbins;
    tail->n = (size_t)it->nbins;
    return 1;
}

/* ------------------------------------------------------------------ next */

/* A record with arrays. */
static const struct dsn_rec *next_varying(struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    const struct dsn_table *t = it->table;
    unsigned char *disk = dsn__window_peek(&it->window, it->disk_size);
    size_t tail_size;
    int damaged;

    if (!disk)
        return why(it, err);
    dsn_rec_load(t, it->version, it->swap, disk, it->converted);
    tail_size = dsn_tail_size(t, it->version, it->converted, &damaged);
    disk = damaged ? NULL : dsn__window_peek(&it->window, it->disk_size + tail_size);
    if (damaged || (disk && !dsn_tail_load(t, it->version, it->swap, disk, it->converted, &it->tail)))
        it->broken = DSN_ERR_RECORD;
    else if (disk && t->id == DSN_HEATMAP_MODULE && !it->as_written && !level_bins(it))
        it->broken = DSN_ERR_MEMORY;
    if (!disk || it->broken)
        return why(it, err);
    dsn__window_skip(&it->window, it->disk_size + tail_size);
    it->nread++;
    return it->converted;
}

const struct dsn_rec *darshan_reader_next(struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    if (it->broken || it->disk_size == 0)
        return why(it, err);
    if (it->table->id == DSN_APMPI_MODULE && !darshan_reader_apmpi(it, err))
        return NULL;
    if (it->varies)
        return next_varying(it, err);
    for (;;) {
        const unsigned char *disk = dsn__window_peek(&it->window, it->disk_size);

        if (!disk)
            return why(it, err);
        dsn__window_skip(&it->window, it->disk_size);
        it->nread++;
        if (it->as_is)
            return (const struct dsn_rec *)(const void *)disk;
        if (dsn_rec_load(it->table, it->version, it->swap, disk, it->converted) == DSN_LOADED)
            return it->converted;
    }
}

const struct dsn_tail *darshan_reader_tail(const struct darshan_reader_records *it)
{
    return &it->tail;
}

void darshan_reader_as_written(struct darshan_reader_records *it)
{
    it->as_written = 1;
}

const struct dsn_apmpi_header *darshan_reader_apmpi(struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    const unsigned char *disk;

    if (it->table->id != DSN_APMPI_MODULE || it->broken || it->disk_size == 0) {
        why(it, err);
        return NULL;
    }
    if (!it->has_apmpi) {
        disk = dsn__window_peek(&it->window, sizeof it->apmpi);
        if (!disk || !dsn_apmpi_load(it->swap, disk, &it->apmpi)) {
            it->broken = disk ? DSN_ERR_RECORD : dsn__window_error(&it->window);
            why(it, err);
            return NULL;
        }
        dsn__window_skip(&it->window, sizeof it->apmpi);
        it->has_apmpi = 1;
    }
    dsn__fail(err, DSN_ERR_OK, NULL);
    return &it->apmpi;
}

void darshan_reader_end(struct darshan_reader_records *it)
{
    if (!it)
        return;
    dsn__window_end(&it->window);
    free(it->bins);
    free(it->converted);
    free(it);
}

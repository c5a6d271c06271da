/* records.c - the records of a module, one by one
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_SIZE ((size_t)128 << 10)

struct darshan_reader_records {
    const struct dsn_table *table;
    struct dsn__zio *z; /* NULL: the module has no data */
    unsigned version;
    int swap;
    int as_is;        /* on disk as in memory: records need not be copied out of the window */
    size_t disk_size; /* of one record */
    size_t start, end;
    uint64_t nread;
    struct dsn_rec *converted;
    unsigned char *window; /* aligned as malloc does; sizes of records are multiples of 8, so records are, too */
};

static int fail(const struct darshan_reader_records *it, struct darshan_reader_error *err, int code)
{
    char what[80];

    snprintf(what, sizeof what, "%s module, after %llu records", it->table->name, (unsigned long long)it->nread);
    return dsn__fail(err, code, what);
}

/* Everything that `it` needs to be read from. */
static int prepare(struct darshan_reader *log, const struct dsn_table *t, struct darshan_reader_records *it)
{
    const struct dsn_map region = log->header.mod[t->id];

    it->table = t;
    it->version = log->header.mod_version[t->id];
    it->swap = log->header.swap;
    it->as_is = it->version == t->version && !it->swap;
    if (region.len == 0)
        return DSN_ERR_OK;
    it->disk_size = dsn_rec_disk_size(t, it->version);
    if (it->disk_size == 0)
        return DSN_ERR_MODVERSION;
    it->converted = malloc(dsn_rec_size(t));
    it->window = malloc(WINDOW_SIZE);
    if (!it->converted || !it->window)
        return DSN_ERR_MEMORY;
    return dsn__zio_begin(&log->file, region, &it->z);
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

/* Fills the window behind what is left of it. Returns whether it holds a whole record then. */
static int refill(struct darshan_reader_records *it)
{
    if (!it->z)
        return 0;
    memmove(it->window, it->window + it->start, it->end - it->start);
    it->end -= it->start;
    it->start = 0;
    it->end += dsn__zio_read(it->z, it->window + it->end, WINDOW_SIZE - it->end);
    return it->end >= it->disk_size;
}

/* Why there are no more records. */
static int why(const struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    int rc = it->z ? dsn__zio_error(it->z) : DSN_ERR_OK;

    if (rc == DSN_ERR_OK && it->start < it->end)
        rc = DSN_ERR_RECORD; /* part of a record stands at the region's end */
    return rc == DSN_ERR_OK ? dsn__fail(err, rc, NULL) : fail(it, err, rc);
}

const struct dsn_rec *darshan_reader_next(struct darshan_reader_records *it, struct darshan_reader_error *err)
{
    for (;;) {
        const unsigned char *disk;

        if (it->end - it->start < it->disk_size || it->disk_size == 0)
            if (!refill(it)) {
                why(it, err);
                return NULL;
            }
        disk = it->window + it->start;
        it->start += it->disk_size;
        it->nread++;
        if (it->as_is)
            return (const struct dsn_rec *)disk;
        if (dsn_rec_load(it->table, it->version, it->swap, disk, it->converted) == DSN_LOADED)
            return it->converted;
    }
}

void darshan_reader_end(struct darshan_reader_records *it)
{
    if (!it)
        return;
    dsn__zio_end(it->z);
    free(it->window);
    free(it->converted);
    free(it);
}

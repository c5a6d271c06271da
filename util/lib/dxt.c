/* dxt.c - traces, segment by segment
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

/* The number of threads must be known before the first segment is returned. Up to this many bytes of segments (a
 * million and a half) are buffered and scanned twice; longer records are decompressed twice, by a second reader of the
 * same region. */
#define HELD_BYTES ((size_t)64 << 20)

struct darshan_dxt {
    struct darshan_reader *log;
    unsigned module, version;
    int swap;
    int broken;          /* enum dsn_err */
    size_t segment_size; /* on disk; 0: the module has no data */
    struct dsn__window window;
    struct dsn_dxt_head head;  /* of the current record */
    uint64_t left;             /* its segments not yet read */
    uint64_t nread;            /* records, including the current one */
    struct darshan_dxt *ahead; /* the second reader; NULL: not needed so far */
};

static int fail(struct darshan_dxt *it, struct darshan_reader_error *err, int code)
{
    char what[80];

    it->broken = code;
    snprintf(what, sizeof what, "%s module, record %llu", dsn_module_name(it->module), (unsigned long long)it->nread);
    return dsn__fail(err, code, what);
}

int darshan_dxt_begin(struct darshan_reader *log, unsigned module, struct darshan_dxt **out,
                      struct darshan_reader_error *err)
{
    const struct dsn_map none = { 0, 0 }, region = module < DSN_MODULE_SLOTS ? log->header.mod[module] : none;
    const unsigned version = module < DSN_MODULE_SLOTS ? log->header.mod_version[module] : 0;
    struct darshan_dxt *it;
    int rc;

    *out = NULL;
    if (dsn_dxt_segment_size(module, 1) == 0 || (region.len > 0 && dsn_dxt_segment_size(module, version) == 0))
        return dsn__fail(err, DSN_ERR_MODVERSION, dsn_module_name(module));
    it = calloc(1, sizeof *it);
    if (!it)
        return dsn__fail(err, DSN_ERR_MEMORY, NULL);
    it->log = log;
    it->module = module;
    it->version = version;
    it->swap = log->header.swap;
    it->segment_size = region.len > 0 ? dsn_dxt_segment_size(module, version) : 0;
    rc = dsn__window_begin(&it->window, &log->file, region);
    if (rc != DSN_ERR_OK) {
        darshan_dxt_end(it);
        return dsn__fail(err, rc, NULL);
    }
    *out = it;
    return dsn__fail(err, DSN_ERR_OK, NULL);
}

void darshan_dxt_end(struct darshan_dxt *it)
{
    if (!it)
        return;
    darshan_dxt_end(it->ahead);
    dsn__window_end(&it->window);
    free(it);
}

int darshan_dxt_has_threads(const struct darshan_dxt *it)
{
    return dsn_dxt_has_threads(it->module, it->version);
}

/* Number of buffered segments, at most `max`, at least one if any are left. 0: no more can be read; it->broken says
 * why. */
static size_t in_sight(struct darshan_dxt *it, size_t max, const unsigned char **disk, struct darshan_reader_error *err)
{
    const size_t fit = DSN_WINDOW_SIZE / it->segment_size;
    size_t n = max < fit ? max : fit;

    n = n < it->left ? n : (size_t)it->left;
    *disk = dsn__window_peek(&it->window, n * it->segment_size);
    if (!*disk) {
        n = dsn__window_left(&it->window) / it->segment_size;
        *disk = it->window.bytes + it->window.start;
        if (n == 0) {
            const int rc = dsn__window_error(&it->window);

            fail(it, err, rc == DSN_ERR_OK ? DSN_ERR_RECORD : rc);
        }
    }
    return n;
}

static void skip_in_sight(struct darshan_dxt *it, size_t n)
{
    dsn__window_skip(&it->window, n * it->segment_size);
    it->left -= n;
}

/* Skips the rest of the current record. 0: it is incomplete. */
static int skip_segments(struct darshan_dxt *it, struct darshan_reader_error *err)
{
    while (it->left > 0) {
        const unsigned char *disk;
        const size_t n = in_sight(it, SIZE_MAX, &disk, err);

        if (n == 0)
            return 0;
        skip_in_sight(it, n);
    }
    return 1;
}

const struct dsn_dxt_head *darshan_dxt_next(struct darshan_dxt *it, struct darshan_reader_error *err)
{
    const unsigned char *disk;
    int rc;

    if (it->broken) {
        fail(it, err, it->broken);
        return NULL;
    }
    if (!skip_segments(it, err))
        return NULL;
    disk = dsn__window_peek(&it->window, sizeof it->head);
    if (!disk) {
        rc = dsn__window_error(&it->window);
        if (rc == DSN_ERR_OK)
            dsn__fail(err, rc, NULL);
        else
            fail(it, err, rc);
        return NULL;
    }
    it->nread++;
    if (!dsn_dxt_head_load(it->swap, disk, &it->head)) {
        fail(it, err, DSN_ERR_RECORD);
        return NULL;
    }
    dsn__window_skip(&it->window, sizeof it->head);
    it->left = (uint64_t)it->head.nwrites + (uint64_t)it->head.nreads;
    dsn__fail(err, DSN_ERR_OK, NULL);
    return &it->head;
}

size_t darshan_dxt_segments(struct darshan_dxt *it, struct dsn_dxt_segment *out, size_t max,
                            struct darshan_reader_error *err)
{
    const unsigned char *disk;
    size_t n;

    dsn__fail(err, DSN_ERR_OK, NULL);
    if (it->broken) {
        fail(it, err, it->broken);
        return 0;
    }
    if (it->left == 0 || max == 0)
        return 0;
    n = in_sight(it, max, &disk, err);
    if (n == 0)
        return 0;
    dsn_dxt_segments_load(it->module, it->version, it->swap, disk, n, out);
    skip_in_sight(it, n);
    return n;
}

/* ------------------------------------------------------------------ threads */

struct threads {
    struct dsn__idmap seen;
    uint64_t last;
};

/* 0: no memory. */
static int add_thread(struct threads *t, uint64_t id)
{
    if (t->seen.used > 0 && id == t->last) /* usually */
        return 1;
    t->last = id;
    return dsn__idmap_add(&t->seen, id, 0) != DSN_IDMAP_NONE;
}

/* Adds the threads of n segments in file format. 0: no memory. */
static int add_threads(const struct darshan_dxt *it, struct threads *t, const unsigned char *disk, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!add_thread(t, dsn_dxt_thread(it->swap, disk + i * it->segment_size)))
            return 0;
    return 1;
}

/* Does not consume the segments. 0: no memory. */
static int count_in_sight(struct darshan_dxt *it, struct threads *t)
{
    const size_t bytes = (size_t)it->left * it->segment_size;
    const size_t there = dsn__window_peek(&it->window, bytes) ? bytes : dsn__window_left(&it->window);

    return add_threads(it, t, it->window.bytes + it->window.start, there / it->segment_size);
}

/* With the second reader, which advances to the end of the same record or to damage in it. 0: no memory. */
static int count_ahead(struct darshan_dxt *it, struct threads *t)
{
    const unsigned char *disk;
    struct darshan_dxt *ahead;
    size_t n;

    if (!it->ahead)
        darshan_dxt_begin(it->log, it->module, &it->ahead, NULL);
    ahead = it->ahead;
    if (!ahead)
        return 0;
    while (ahead->nread < it->nread && darshan_dxt_next(ahead, NULL))
        ;
    while (ahead->left > 0 && (n = in_sight(ahead, SIZE_MAX, &disk, NULL)) > 0) {
        if (!add_threads(ahead, t, disk, n))
            return 0;
        skip_in_sight(ahead, n);
    }
    return 1;
}

int64_t darshan_dxt_threads(struct darshan_dxt *it, struct darshan_reader_error *err)
{
    struct threads t = { .last = 0 };
    int64_t n;
    int ok;

    dsn__fail(err, DSN_ERR_OK, NULL);
    if (!darshan_dxt_has_threads(it) || it->left == 0 || it->broken)
        return 1;
    dsn__idmap_init(&t.seen);
    if (it->left <= HELD_BYTES / it->segment_size)
        ok = count_in_sight(it, &t);
    else
        ok = count_ahead(it, &t);
    n = (int64_t)t.seen.used;
    dsn__idmap_free(&t.seen);
    if (!ok) {
        dsn__fail(err, DSN_ERR_MEMORY, NULL);
        return -1;
    }
    return n > 0 ? n : 1;
}

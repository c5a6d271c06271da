/* names.c - the name table: record ids and the names behind them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts: spec container.md 8. The table is taken in pieces; only names that are new are kept: in memory, or if they
 * are many in a temporary file. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WINDOW      ((size_t)2 << 20) /* no entry is longer */
#define MIN_WINDOW      ((size_t)64 << 10)
#define ID_SIZE         sizeof(uint64_t)
#define OLD_PREFIX_SIZE (ID_SIZE + sizeof(uint32_t))

/* Names of one job are alike and compress well, but not without bound. */
#define FREE_BYTES (64 << 20)
#define MAX_RATIO  200
#define ENTRY_COST 16 /* bytes, besides the text */

#define MOST_MEMORY (3 << 20) /* bytes, about; more goes to a file */
#define INDEX_COST  20        /* bytes in memory, besides the text */

#define EMPTY 0 /* in the pool */

/* Bytes of the table that have been decompressed but not yet understood. */
struct window {
    struct dsn__zio *z;
    unsigned char *bytes;
    size_t start, end, size;
};

struct entry {
    uint64_t id;
    const char *text;
    size_t length, size; /* of the text; of the whole entry in the table */
};

static uint64_t get64(const unsigned char *p, int swap)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

static uint32_t get32(const unsigned char *p, int swap)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

static struct dsn__pool *new_pool(void)
{
    struct dsn__pool *pool = calloc(1, sizeof *pool);

    if (!pool || dsn__pool_add(pool, "", 0))
        return pool;
    dsn__pool_free(pool);
    free(pool);
    return NULL;
}

static void free_memory(struct dsn__names *names)
{
    if (names->pool)
        dsn__pool_free(names->pool);
    free(names->pool);
    names->pool = NULL;
    dsn__idmap_free(&names->index);
}

/* Moves the names to a file, if there can be one. */
static int store(struct dsn__names *names)
{
    names->stored = dsn__stored_new();
    names->stays = !names->stored;
    if (names->stays)
        return DSN_ERR_OK;
    for (size_t i = 0; i < names->index.used; i++) {
        const char *text = dsn__pool_get(names->pool, names->index.values[i]);

        if (!dsn__stored_add(names->stored, names->index.keys[i], text, strlen(text)))
            return DSN_ERR_WRITE;
    }
    free_memory(names);
    return DSN_ERR_OK;
}

/* The first name of an id wins, unless it is empty: spec container.md 8.3. */
static int keep(struct dsn__names *names, const struct entry *e, size_t length)
{
    const size_t number = names->pool->n;
    uint32_t known;

    if (number >= DSN_IDMAP_NONE - 1 || names->index.used >= DSN_IDMAP_NONE - 1)
        return DSN_ERR_NAMES;
    known = dsn__idmap_add(&names->index, e->id, length > 0 ? (uint32_t)number : EMPTY);
    if (known == DSN_IDMAP_NONE)
        return DSN_ERR_MEMORY;
    if (length > 0 && (known == EMPTY || known == number)) {
        if (!dsn__pool_add(names->pool, e->text, length))
            return DSN_ERR_MEMORY; /* ends the opening of the log, so that what is half done here is not seen */
        names->bytes += length + 1;
        dsn__idmap_set(&names->index, e->id, (uint32_t)number);
    }
    if (!names->stays && names->pool->used + names->index.used * INDEX_COST > MOST_MEMORY)
        return store(names);
    return DSN_ERR_OK;
}

/* Returns DSN_ERR_OK, NAMES or MEMORY; WRITE: there is no room for names in a file. */
static int add(struct dsn__names *names, const struct entry *e)
{
    const size_t length = strnlen(e->text, e->length);
    const size_t n = names->stored ? dsn__stored_count(names->stored) : names->index.used;

    if (names->bytes + n * ENTRY_COST > names->max_bytes)
        return DSN_ERR_NAMES;
    if (!names->stored)
        return keep(names, e, length);
    if (!dsn__stored_add(names->stored, e->id, e->text, length))
        return DSN_ERR_WRITE;
    names->bytes += dsn__stored_count(names->stored) > n ? length + 1 : 0;
    return DSN_ERR_OK;
}

/* The entry at the window's start. 0: it is not all there. */
static int next_entry(const struct darshan_reader *log, const struct window *w, struct entry *e)
{
    const unsigned char *p = w->bytes + w->start;
    const size_t left = w->end - w->start;
    const unsigned char *nul;

    if (log->header.minor == DSN_OLD_NAMES_VERSION) {
        if (left < OLD_PREFIX_SIZE)
            return 0;
        e->text = (const char *)p + OLD_PREFIX_SIZE;
        e->length = get32(p + ID_SIZE, log->header.swap);
        e->size = OLD_PREFIX_SIZE + e->length;
        if (left < e->size)
            return 0;
    } else {
        nul = left > ID_SIZE ? memchr(p + ID_SIZE, '\0', left - ID_SIZE) : NULL;
        if (!nul)
            return 0;
        e->text = (const char *)p + ID_SIZE;
        e->length = (size_t)(nul - p) - ID_SIZE;
        e->size = ID_SIZE + e->length + 1;
    }
    e->id = get64(p, log->header.swap);
    return 1;
}

static int grow(struct window *w)
{
    const size_t size = w->size ? 2 * w->size : MIN_WINDOW;
    unsigned char *bigger = realloc(w->bytes, size);

    if (!bigger)
        return DSN_ERR_MEMORY;
    w->bytes = bigger;
    w->size = size;
    return DSN_ERR_OK;
}

/* Moves what is left to the front and adds to it. *got: whether there is more. Returns DSN_ERR_OK or MEMORY. */
static int refill(struct window *w, int *got)
{
    const size_t left = w->end - w->start;
    int rc = DSN_ERR_OK;
    size_t n;

    if (left == w->size && w->size < MAX_WINDOW)
        rc = grow(w);
    if (rc != DSN_ERR_OK)
        return rc;
    memmove(w->bytes, w->bytes + w->start, left);
    n = dsn__zio_read(w->z, w->bytes + left, w->size - left);
    w->start = 0;
    w->end = left + n;
    *got = n > 0;
    return DSN_ERR_OK;
}

static int read_entries(struct darshan_reader *log, struct window *w)
{
    struct entry e;
    int rc = DSN_ERR_OK, more = 1;

    while (rc == DSN_ERR_OK && more) {
        if (next_entry(log, w, &e)) {
            rc = log->names.is_skimmed ? DSN_ERR_OK : add(&log->names, &e);
            w->start += e.size;
        } else {
            rc = refill(w, &more);
        }
    }
    if (rc != DSN_ERR_OK)
        return rc;
    rc = dsn__zio_error(w->z);
    if (rc == DSN_ERR_RANGE || rc == DSN_ERR_MEMORY || rc == DSN_ERR_READ)
        return rc;
    return rc != DSN_ERR_OK || w->start < w->end ? DSN_ERR_NAMES : DSN_ERR_OK;
}

static int read_table(struct darshan_reader *log)
{
    struct window w = { 0 };
    int rc = dsn__zio_begin(&log->file, log->header.names, &w.z);

    if (rc != DSN_ERR_OK)
        return rc;
    rc = grow(&w);
    if (rc == DSN_ERR_OK && !log->names.is_skimmed) {
        log->names.pool = new_pool();
        rc = log->names.pool ? DSN_ERR_OK : DSN_ERR_MEMORY;
    }
    if (rc == DSN_ERR_OK)
        rc = read_entries(log, &w);
    free(w.bytes);
    dsn__zio_end(w.z);
    return rc;
}

int dsn__names_read(struct darshan_reader *log)
{
    struct dsn__names *names = &log->names;
    int rc;

    if (log->header.names.len == 0)
        return DSN_ERR_OK;
    names->max_bytes =
        FREE_BYTES + MAX_RATIO * (log->header.names.len < log->file.size ? log->header.names.len : log->file.size);
    rc = read_table(log);
    if (rc == DSN_ERR_MEMORY || !names->stored || (rc != DSN_ERR_WRITE && dsn__stored_finish(names->stored)))
        return rc;
    dsn__names_free(names); /* once more, with all names in memory */
    names->bytes = 0;
    names->stays = 1;
    return read_table(log);
}

void dsn__names_free(struct dsn__names *names)
{
    free_memory(names);
    dsn__stored_free(names->stored);
    names->stored = NULL;
}

const char *darshan_reader_name(const struct darshan_reader *log, uint64_t id)
{
    uint32_t number;

    if (log->names.stored)
        return dsn__stored_get(log->names.stored, id);
    number = dsn__idmap_get(&log->names.index, id);
    return number == DSN_IDMAP_NONE ? NULL : dsn__pool_get(log->names.pool, number);
}

size_t darshan_reader_names(const struct darshan_reader *log)
{
    return log->names.stored ? dsn__stored_count(log->names.stored) : log->names.index.used;
}

const char *darshan_reader_name_at(const struct darshan_reader *log, size_t i, uint64_t *id)
{
    if (log->names.stored)
        return dsn__stored_at(log->names.stored, i, id);
    *id = log->names.index.keys[i];
    return dsn__pool_get(log->names.pool, log->names.index.values[i]);
}

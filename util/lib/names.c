/* names.c - the name table: record ids and the names behind them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts: spec container.md 8. The table is taken in pieces; only names that are new are kept. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_SIZE     ((size_t)2 << 20) /* no entry is longer */
#define BLOCK_SIZE      ((size_t)256 << 10)
#define ID_SIZE         sizeof(uint64_t)
#define OLD_PREFIX_SIZE (ID_SIZE + sizeof(uint32_t))

/* Names of one job are alike and compress well, but not without bound. */
#define FREE_BYTES (64 << 20)
#define MAX_RATIO  200

struct dsn__block {
    struct dsn__block *next;
    size_t used, size;
    char text[];
};

/* Bytes of the table that have been decompressed but not yet understood. */
struct window {
    struct dsn__zio *z;
    unsigned char *bytes;
    size_t start, end;
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

/* A copy of a name, NUL-terminated. NULL: no memory. */
static const char *keep(struct dsn__names *names, const char *text, size_t length)
{
    struct dsn__block *b = names->blocks;
    char *copy;

    if (!b || b->size - b->used <= length) {
        const size_t size = length < BLOCK_SIZE ? BLOCK_SIZE : length + 1;

        b = malloc(sizeof *b + size);
        if (!b)
            return NULL;
        b->next = names->blocks;
        b->used = 0;
        b->size = size;
        names->blocks = b;
    }
    copy = b->text + b->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    b->used += length + 1;
    names->bytes += length + 1;
    return copy;
}

static int add(struct dsn__names *names, const struct entry *e)
{
    struct dsn__name *known;
    uint32_t at;

    if (names->n == DSN_IDMAP_NONE - 1 || names->bytes + names->n * sizeof *known > names->max_bytes)
        return DSN_ERR_NAMES;
    if (names->n == names->room) {
        const size_t room = names->room ? 2 * names->room : 256;
        struct dsn__name *bigger = realloc(names->entry, room * sizeof *bigger);

        if (!bigger)
            return DSN_ERR_MEMORY;
        names->entry = bigger;
        names->room = room;
    }
    at = dsn__idmap_add(&names->index, e->id, (uint32_t)names->n);
    if (at == DSN_IDMAP_NONE)
        return DSN_ERR_MEMORY;
    known = &names->entry[at];
    if (at < names->n && (known->text[0] != '\0' || e->length == 0))
        return DSN_ERR_OK; /* the first one wins, unless it is empty: spec container.md 8.3 */
    known->id = e->id;
    known->text = keep(names, e->text, e->length);
    if (!known->text)
        return DSN_ERR_MEMORY; /* ends the opening of the log, so that what is half done here is not seen */
    if (at == names->n)
        names->n++;
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

/* Moves what is left to the front and adds to it. 0: there is no more. */
static int refill(struct window *w)
{
    size_t got;

    memmove(w->bytes, w->bytes + w->start, w->end - w->start);
    w->end -= w->start;
    w->start = 0;
    got = dsn__zio_read(w->z, w->bytes + w->end, WINDOW_SIZE - w->end);
    w->end += got;
    return got > 0;
}

static int read_entries(struct darshan_reader *log, struct window *w)
{
    struct entry e;
    int rc = DSN_ERR_OK;

    while (rc == DSN_ERR_OK) {
        if (next_entry(log, w, &e)) {
            rc = log->names.is_skimmed ? DSN_ERR_OK : add(&log->names, &e);
            w->start += e.size;
        } else if (!refill(w)) {
            break;
        }
    }
    if (rc != DSN_ERR_OK)
        return rc;
    rc = dsn__zio_error(w->z);
    if (rc == DSN_ERR_RANGE || rc == DSN_ERR_MEMORY || rc == DSN_ERR_READ)
        return rc;
    return rc != DSN_ERR_OK || w->start < w->end ? DSN_ERR_NAMES : DSN_ERR_OK;
}

int dsn__names_read(struct darshan_reader *log)
{
    struct window w = { 0 };
    int rc;

    if (log->header.names.len == 0)
        return DSN_ERR_OK;
    log->names.max_bytes =
        FREE_BYTES + MAX_RATIO * (log->header.names.len < log->file.size ? log->header.names.len : log->file.size);
    rc = dsn__zio_begin(&log->file, log->header.names, &w.z);
    if (rc != DSN_ERR_OK)
        return rc;
    w.bytes = malloc(WINDOW_SIZE);
    rc = w.bytes ? read_entries(log, &w) : DSN_ERR_MEMORY;
    free(w.bytes);
    dsn__zio_end(w.z);
    return rc;
}

void dsn__names_free(struct dsn__names *names)
{
    while (names->blocks) {
        struct dsn__block *next = names->blocks->next;

        free(names->blocks);
        names->blocks = next;
    }
    free(names->entry);
    dsn__idmap_free(&names->index);
}

const char *darshan_reader_name(const struct darshan_reader *log, uint64_t id)
{
    const uint32_t at = dsn__idmap_get(&log->names.index, id);

    return at == DSN_IDMAP_NONE ? NULL : log->names.entry[at].text;
}

size_t darshan_reader_names(const struct darshan_reader *log)
{
    return log->names.n;
}

const char *darshan_reader_name_at(const struct darshan_reader *log, size_t i, uint64_t *id)
{
    *id = log->names.entry[i].id;
    return log->names.entry[i].text;
}

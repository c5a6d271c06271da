/* names.c - the name table: maps record ids to names
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts: spec container.md 8. In memory, each id maps to the offset of its name in one buffer. */
#include "grow.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "window.h"

#define MAX_ENTRY       ((size_t)2 << 20)
#define ID_SIZE         sizeof(uint64_t)
#define OLD_PREFIX_SIZE (ID_SIZE + sizeof(uint32_t))

/* Names of one job are similar and compress well, but there is a limit. */
#define FREE_BYTES (64 << 20)
#define MAX_RATIO  200
#define ENTRY_COST 48 /* bytes of the table per name; it may just have doubled */

#define EMPTY 0 /* offset of the empty name */

struct entry {
    uint64_t id;
    const char *text;
    size_t length, size; /* of the text; of the whole entry on disk */
};

/* Appends to the buffer; sets *at to the offset. 0: no memory. */
static int append_text(struct dsn__names *names, const char *text, size_t length, size_t *at)
{
    if (!dsn_grow(&names->texts, &names->room, 1, names->used + length))
        return 0;
    memcpy(names->texts + names->used, text, length);
    names->texts[names->used + length] = '\0';
    *at = names->used;
    names->used += length + 1;
    return 1;
}

/* The first name of an id is kept, unless it is empty: spec container.md 8.3. Returns DSN_ERR_OK, NAMES or MEMORY. */
static int keep_name(struct dsn__names *names, const struct entry *e)
{
    const size_t length = strnlen(e->text, e->length);
    size_t *at;
    int fresh;

    if (names->used + names->table.n * ENTRY_COST > names->max_bytes || names->table.n >= DSN_IDMAP_NONE - 1)
        return DSN_ERR_NAMES;
    at = dsn__idtable_element(&names->table, e->id, &fresh);
    if (!at)
        return DSN_ERR_MEMORY;
    if (*at != EMPTY || length == 0)
        return DSN_ERR_OK;
    return append_text(names, e->text, length, at) ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

/* Parses the entry at the start of the window. 0: it is incomplete. */
static int next_entry(const struct darshan_reader *log, const struct dsn__window *w, struct entry *e)
{
    const unsigned char *p = w->bytes + w->start;
    const size_t left = dsn__window_left(w);
    const unsigned char *nul;

    if (log->header.minor == DSN_OLD_NAMES_VERSION) {
        if (left < OLD_PREFIX_SIZE)
            return 0;
        e->text = (const char *)p + OLD_PREFIX_SIZE;
        e->length = dsn_u32_at(p + ID_SIZE, log->header.swap);
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
    e->id = dsn_u64_at(p, log->header.swap);
    return 1;
}

static int read_entries(struct darshan_reader *log, struct dsn__window *w)
{
    struct entry e;
    int rc = DSN_ERR_OK, more = 1;

    while (rc == DSN_ERR_OK && more) {
        if (next_entry(log, w, &e)) {
            rc = log->names.is_skimmed ? DSN_ERR_OK : keep_name(&log->names, &e);
            dsn__window_skip(w, e.size);
        } else {
            more = dsn__window_left(w) < MAX_ENTRY && dsn__window_peek(w, dsn__window_left(w) + 1);
        }
    }
    if (rc != DSN_ERR_OK)
        return rc;
    rc = dsn__window_error(w);
    return rc == DSN_ERR_OK || rc == DSN_ERR_RANGE || rc == DSN_ERR_MEMORY || rc == DSN_ERR_READ ? rc : DSN_ERR_NAMES;
}

int dsn__names_read(struct darshan_reader *log)
{
    const uint64_t stored = log->header.names.len < log->file.size ? log->header.names.len : log->file.size;
    struct dsn__names *names = &log->names;
    struct dsn__window w;
    size_t at;
    int rc;

    if (log->header.names.len == 0)
        return DSN_ERR_OK;
    names->max_bytes = FREE_BYTES + MAX_RATIO * stored;
    if (!append_text(names, "", 0, &at)) /* at offset EMPTY */
        return DSN_ERR_MEMORY;
    rc = dsn__window_begin(&w, &log->file, log->header.names);
    if (rc == DSN_ERR_OK)
        rc = read_entries(log, &w);
    dsn__window_end(&w);
    return rc;
}

void dsn__names_free(struct dsn__names *names)
{
    dsn__idtable_free(&names->table);
    free(names->texts);
}

const char *darshan_reader_name(const struct darshan_reader *log, uint64_t id)
{
    const size_t *at = dsn__idtable_find(&log->names.table, id);

    return at ? log->names.texts + *at : NULL;
}

size_t darshan_reader_names(const struct darshan_reader *log)
{
    return log->names.table.n;
}

const char *darshan_reader_name_at(const struct darshan_reader *log, size_t i, uint64_t *id)
{
    *id = log->names.table.index.keys[i];
    return log->names.texts + ((const size_t *)log->names.table.elements)[i];
}

/* mapped.c - files that were mapped into memory: bounds of what loads and stores moved
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mapped.h"

#include <stdlib.h>

#include "layer.h"

#define LARGEST_UNIT (2 << 20) /* bytes of the page cache that become dirty together: a huge page */

/* What calls have written may still be dirty: at most their bytes, and for each call a unit of the page cache at either end. */
static int64_t dirty_by_calls(const struct dsn_work *w)
{
    const int64_t most = INT64_MAX / (4 * LARGEST_UNIT);

    return dsn__plus(w->bytes_written, INT64_C(2) * LARGEST_UNIT * (w->writes < most ? w->writes : most));
}

/* Rows of one file follow each other: of ranks, or one of all. */
static size_t add_file(struct dsn_mapped *m, const struct dsn_report *r, size_t i, size_t n)
{
    const uint64_t id = darshan_reader_mapped_row(r->log, i)->id;
    const uint32_t at = dsn__idmap_get(&r->file_index, id);
    const struct dsn_report_file *file = at != DSN_IDMAP_NONE ? &r->files[at] : NULL;
    struct dsn_mapped_file f = { .file = at };
    int64_t dirty = 0;

    for (; i < n && darshan_reader_mapped_row(r->log, i)->id == id; i++) {
        const struct dsn_rec *row = darshan_reader_mapped_row(r->log, i);
        const int64_t bytes = dsn__count(row, MAPPED_BYTES);

        f.mappings = dsn__plus(f.mappings, dsn__count(row, MAPPED_MAPPINGS));
        f.bytes = bytes > f.bytes ? bytes : f.bytes;
        f.touched = dsn__plus(f.touched, dsn__count(row, MAPPED_TOUCHED));
        f.writable = dsn__plus(f.writable, dsn__count(row, MAPPED_WRITABLE));
        f.unexamined = dsn__plus(f.unexamined, dsn__count(row, MAPPED_UNEXAMINED));
        dirty = dsn__count(row, MAPPED_DIRTY) > dirty ? dsn__count(row, MAPPED_DIRTY) : dirty;
    }
    if (!file || file->kind != DSN_FILE_DATA)
        return i;
    dirty -= dirty_by_calls(&file->work);
    f.dirty = dirty > 0 ? dirty : 0;
    m->of[m->n++] = f;
    m->all.mappings = dsn__plus(m->all.mappings, f.mappings);
    m->all.bytes = dsn__plus(m->all.bytes, f.bytes);
    m->all.touched = dsn__plus(m->all.touched, f.touched);
    m->all.writable = dsn__plus(m->all.writable, f.writable);
    m->all.dirty = dsn__plus(m->all.dirty, f.dirty);
    m->all.unexamined = dsn__plus(m->all.unexamined, f.unexamined);
    return i;
}

static int by_touched(const void *a, const void *b)
{
    const struct dsn_mapped_file *x = a, *y = b;

    if (x->touched != y->touched)
        return x->touched > y->touched ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

int dsn_mapped_read(struct dsn_report *r)
{
    const size_t n = darshan_reader_mapped(r->log);

    r->mapped.of = malloc((n + 1) * sizeof r->mapped.of[0]);
    if (!r->mapped.of)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n;)
        i = add_file(&r->mapped, r, i, n);
    qsort(r->mapped.of, r->mapped.n, sizeof r->mapped.of[0], by_touched);
    return DSN_ERR_OK;
}

int dsn_mapped_may_be_most(const struct dsn_report *r)
{
    return (double)r->mapped.all.touched > (double)r->f.bytes_read + (double)r->f.bytes_written;
}

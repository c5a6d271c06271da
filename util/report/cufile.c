/* cufile.c - files that GPUDirect Storage accesses: what of it went by POSIX calls, and what is not known
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cufile.h"

#include <stdlib.h>

#include "darshan-log-format/extension.h"
#include "layer.h"

static void add_row(struct dsn_cufile_file *f, const struct dsn_rec *row)
{
    static const int read[] = { CUFILE_BYTES_READ, CUFILE_COMPAT_BYTES_READ, CUFILE_QUEUED_READ,
                                CUFILE_COMPAT_QUEUED_READ, CUFILE_UNSEEN_READ };
    static const int written[] = { CUFILE_BYTES_WRITTEN, CUFILE_COMPAT_BYTES_WRITTEN, CUFILE_QUEUED_WRITTEN,
                                   CUFILE_COMPAT_QUEUED_WRITTEN, CUFILE_UNSEEN_WRITTEN };
    static const int calls[] = { CUFILE_READS, CUFILE_WRITES, CUFILE_COMPAT_READS, CUFILE_COMPAT_WRITES };
    static const int queued[] = { CUFILE_ASYNC_READS, CUFILE_ASYNC_WRITES, CUFILE_BATCH_READS, CUFILE_BATCH_WRITES };

    for (int i = 0; i < DSN_CUFILE_NBYTES; i++) {
        f->read[i] = dsn__plus(f->read[i], dsn__count(row, read[i]));
        f->written[i] = dsn__plus(f->written[i], dsn__count(row, written[i]));
    }
    for (int i = 0; i < 4; i++) {
        f->calls = dsn__plus(f->calls, dsn__count(row, calls[i]));
        f->queued = dsn__plus(f->queued, dsn__count(row, queued[i]));
    }
    f->failed = dsn__plus(f->failed, dsn__count(row, CUFILE_FAILED));
    f->handles = dsn__plus(f->handles, dsn__count(row, CUFILE_HANDLES));
    f->seconds += dsn__seconds(row, CUFILE_F_READ_TIME) + dsn__seconds(row, CUFILE_F_WRITE_TIME);
}

static int64_t sum_of(const struct dsn_cufile_file *f, enum dsn_cufile_bytes what)
{
    return dsn__plus(f->read[what], f->written[what]);
}

int64_t dsn_cufile_bytes(const struct dsn_cufile_file *f)
{
    return dsn__plus(dsn__plus(sum_of(f, DSN_CUFILE_DIRECT), sum_of(f, DSN_CUFILE_QUEUED)), dsn_cufile_by_posix(f));
}

int64_t dsn_cufile_by_posix(const struct dsn_cufile_file *f)
{
    return dsn__plus(sum_of(f, DSN_CUFILE_COMPAT), sum_of(f, DSN_CUFILE_COMPAT_QUEUED));
}

int64_t dsn_cufile_unseen(const struct dsn_cufile_file *f)
{
    return sum_of(f, DSN_CUFILE_UNSEEN);
}

int dsn_cufile_is_compatible(const struct dsn_report *r)
{
    return sum_of(&r->cufile.all, DSN_CUFILE_COMPAT) > 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct dsn_cufile_file *x = a, *y = b;
    const int64_t of_x = dsn_cufile_bytes(x), of_y = dsn_cufile_bytes(y);

    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

/* Rows of one file follow each other: of ranks, or one of all. */
int dsn_cufile_read(struct dsn_report *r)
{
    const size_t n = darshan_reader_cufile(r->log);
    struct dsn_cufile *c = &r->cufile;

    c->of = calloc(n + 1, sizeof c->of[0]);
    if (!c->of)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *row = darshan_reader_cufile_row(r->log, i);
        const uint32_t at = dsn__idmap_get(&r->file_index, row->id);

        if (row->id == dsn_cufile_buffers()) {
            c->buffers = dsn__plus(c->buffers, dsn__count(row, CUFILE_BUFFERS));
            c->buffer_bytes = dsn__plus(c->buffer_bytes, dsn__count(row, CUFILE_BUFFER_BYTES));
            c->buffer_seconds += dsn__seconds(row, CUFILE_F_BUFFER_TIME);
            c->all.failed = dsn__plus(c->all.failed, dsn__count(row, CUFILE_FAILED));
            continue;
        }
        add_row(&c->all, row);
        if (at == DSN_IDMAP_NONE)
            continue;
        if (c->n == 0 || c->of[c->n - 1].file != at)
            c->of[c->n++].file = at;
        add_row(&c->of[c->n - 1], row);
    }
    qsort(c->of, c->n, sizeof c->of[0], by_bytes);
    return DSN_ERR_OK;
}

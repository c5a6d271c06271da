/* before-open.c - what was in files before they were opened for writing
 * SPDX-License-Identifier: BSD-3-Clause */
#include "before-open.h"

#include <string.h>

#include "layer.h"

const char *dsn_before_open_word(enum dsn_before_open before)
{
    static const char *const word[DSN_NBEFORE] = { [DSN_BEFORE_NOT_TOLD] = NULL,
                                                   [DSN_BEFORE_CONTENT] = "changed",
                                                   [DSN_BEFORE_EMPTY] = "empty before",
                                                   [DSN_BEFORE_DROPPED] = "overwritten",
                                                   [DSN_BEFORE_UNKNOWN] = "perhaps created",
                                                   [DSN_BEFORE_NOTHING] = "created" };

    return word[before];
}

/* A process that opens what another one has just created finds what is there, so that the rarer case is the job's. */
static enum dsn_before_open before_open_of(const struct dsn_rec *row)
{
    if (dsn__count(row, FILE_CREATED) > 0)
        return DSN_BEFORE_NOTHING;
    if (dsn__count(row, FILE_UNKNOWN) > 0)
        return DSN_BEFORE_UNKNOWN;
    if (dsn__count(row, FILE_TRUNCATED) > 0)
        return DSN_BEFORE_DROPPED;
    if (dsn__count(row, FILE_FOUND_EMPTY) > 0)
        return DSN_BEFORE_EMPTY;
    return dsn__count(row, FILE_WRITE_OPENS) > 0 ? DSN_BEFORE_CONTENT : DSN_BEFORE_NOT_TOLD;
}

/* Opens of files that share a record, each as a file. */
static void add_opens(struct dsn_written *w, const struct dsn_rec *row)
{
    const int64_t opens = dsn__count(row, FILE_WRITE_OPENS), created = dsn__count(row, FILE_CREATED),
                  unknown = dsn__count(row, FILE_UNKNOWN), dropped = dsn__count(row, FILE_TRUNCATED),
                  empty = dsn__count(row, FILE_FOUND_EMPTY), told = created + unknown + dropped + empty;

    w->aggregated_opens = dsn__plus(w->aggregated_opens, opens);
    w->files[DSN_BEFORE_NOTHING] = dsn__plus(w->files[DSN_BEFORE_NOTHING], created);
    w->files[DSN_BEFORE_UNKNOWN] = dsn__plus(w->files[DSN_BEFORE_UNKNOWN], unknown);
    w->files[DSN_BEFORE_DROPPED] = dsn__plus(w->files[DSN_BEFORE_DROPPED], dropped);
    w->files[DSN_BEFORE_EMPTY] = dsn__plus(w->files[DSN_BEFORE_EMPTY], empty);
    w->files[DSN_BEFORE_CONTENT] = dsn__plus(w->files[DSN_BEFORE_CONTENT], opens > told ? opens - told : 0);
}

static void earlier(float *first, double time)
{
    if (time > 0 && (*first <= 0 || time < (double)*first))
        *first = (float)time;
}

static void note_first_accesses(const struct dsn_report_layer *l, const struct dsn_rec *rec, struct dsn_report_file *f)
{
    const int is_posix = l->table->id == DSN_POSIX_MODULE;

    earlier(&f->first_read, dsn__seconds(rec, is_posix ? POSIX_F_READ_START_TIMESTAMP : STDIO_F_READ_START_TIMESTAMP));
    earlier(&f->first_write,
            dsn__seconds(rec, is_posix ? POSIX_F_WRITE_START_TIMESTAMP : STDIO_F_WRITE_START_TIMESTAMP));
}

/* What the log tells of a record: its row, or that of an ordinary one. NULL: it does not tell. */
static const struct dsn_rec *row_of(const struct dsn_report *r, const struct dsn_report_layer *l,
                                    const struct dsn_rec *rec, union dsn_any_rec *ordinary)
{
    const struct dsn_rec *row =
        darshan_reader_tells_files(r->log) ? darshan_reader_file_of(r->log, l->table->id, rec) : NULL;

    if (row || !darshan_reader_tells_files(r->log))
        return row;
    memset(ordinary, 0, sizeof ordinary->rec + FILE_NVALUES * sizeof(union dsn_val));
    if (dsn__layer_i64(l, rec, DSN_W_BYTES) > 0)
        ordinary->rec.v[FILE_WRITE_OPENS].i = ordinary->rec.v[FILE_CREATED].i = 1;
    return &ordinary->rec;
}

void dsn_before_open_note(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec,
                          struct dsn_report_file *f)
{
    const unsigned module = l->table->id;
    union dsn_any_rec ordinary;
    const struct dsn_rec *row;
    enum dsn_before_open before;

    if (module != DSN_POSIX_MODULE && module != DSN_STDIO_MODULE)
        return;
    note_first_accesses(l, rec, f);
    row = row_of(r, l, rec, &ordinary);
    if (!row)
        return;
    before = before_open_of(row);
    if (before != DSN_BEFORE_NOT_TOLD &&
        (f->before_open == DSN_BEFORE_NOT_TOLD || row->v[FILE_SIZE_BEFORE].i < f->size_before))
        f->size_before = row->v[FILE_SIZE_BEFORE].i;
    if (before > f->before_open)
        f->before_open = before;
    f->created = dsn__plus(f->created, dsn__count(row, FILE_CREATED));
    f->deleted = dsn__plus(f->deleted, dsn__count(row, FILE_DELETED));
    f->has_times_apart = 1;
    f->open_time += dsn__seconds(row, FILE_F_OPEN_TIME);
    f->close_time += dsn__seconds(row, FILE_F_CLOSE_TIME);
    f->sync_time += dsn__seconds(row, FILE_F_SYNC_TIME);
    if (dsn_name_is_aggregated(darshan_reader_name(r->log, rec->id)))
        add_opens(&r->written, row);
}

void dsn_before_open_sum(struct dsn_report *r)
{
    struct dsn_written *w = &r->written;

    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];

        if (!dsn_report_counts(f) || f->is_aggregated || f->before_open == DSN_BEFORE_NOT_TOLD)
            continue;
        w->files[f->before_open]++;
        w->read_first += dsn_file_is_read_first(f);
        if (!dsn_file_is_temporary(f))
            continue;
        w->temporary++;
        w->temporary_written = dsn__plus(w->temporary_written, f->work.bytes_written);
        w->temporary_read = dsn__plus(w->temporary_read, f->work.bytes_read);
    }
    for (int i = 0; i < DSN_NBEFORE; i++)
        w->all = dsn__plus(w->all, w->files[i]);
}

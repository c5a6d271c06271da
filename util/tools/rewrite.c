/* rewrite.c - copies the records of a module from a reader to a writer
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "rewrite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lookup3.h"
#include "util/command/common.h"

#define NSEGMENTS 256

int dsn_rewrite_can(unsigned module)
{
    return dsn_table(module) != NULL || dsn_dxt_segment_size(module, 1) > 0;
}

void dsn_hash_text(char *text, size_t size, uint32_t key)
{
    const size_t n = strnlen(text, size);
    const uint32_t hash = dsn_lookup3(text, n, key);

    memset(text, 0, size);
    snprintf(text, size, "%" PRIu32, hash);
}

void dsn_rewrite_complain(const char *command, const char *in, const char *out, const struct darshan_writer *w,
                          const struct darshan_reader_error *err)
{
    const int writing = err->code == DSN_ERR_WRITE || (w && darshan_writer_error(w, NULL) != DSN_ERR_OK);

    dsn_warn(command, writing ? out : in, "%s; nothing was written", err->text);
}

static int has(const struct dsn__idmap *ids, uint64_t id)
{
    return ids && dsn__idmap_get(ids, id) != DSN_IDMAP_NONE;
}

static int is_taken(struct dsn_rewrite *how, uint64_t id, int64_t rank)
{
    if ((how->only != 0 && id != how->only) || (how->keep && !has(how->keep, id)) || has(how->leave_out, id) ||
        (rank < 0 && has(how->leave_shared, id)))
        return 0;
    how->taken++;
    return 1;
}

/* ------------------------------------------------------------------ tables */

void dsn_rewrite_move(const struct dsn_table *t, double later, int64_t ranks_before, struct dsn_rec *r)
{
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];

        if (row->at < 0 || row->until > 0)
            continue;
        if (row->unit == DSN_TIMESTAMP && r->v[row->at].f > 0)
            r->v[row->at].f += later;
        if (row->unit == DSN_RANK && r->rank < 0 && r->v[row->at].i >= 0)
            r->v[row->at].i = dsn_plus(r->v[row->at].i, ranks_before);
    }
    if (r->rank >= 0)
        r->rank = dsn_plus(r->rank, ranks_before);
}

static void write_record(const struct dsn_rec *r, const struct dsn_tail *tail, unsigned module,
                         const struct dsn_rewrite *how, struct darshan_writer *w)
{
    const struct dsn_table *t = dsn_table(module);
    union dsn_any_rec copy;

    memcpy(&copy, r, dsn_rec_size(t));
    dsn_rewrite_move(t, how->later, how->ranks_before, &copy.rec);
    if (module == DSN_APMPI_MODULE && how->hash_hosts) /* the processor name is a host name */
        dsn_hash_text((char *)&copy.rec.v[MPI_PROCESSOR_NAME], DSN_APMPI_NAME_SIZE, how->key);
    darshan_writer_record(w, module, &copy.rec, tail);
}

static int write_records(struct darshan_reader_records *it, unsigned module, struct dsn_rewrite *how,
                         struct darshan_writer *w, struct darshan_reader_error *err)
{
    const struct dsn_apmpi_header *header = NULL;
    const struct dsn_rec *r;

    if (module == DSN_APMPI_MODULE)
        header = darshan_reader_apmpi(it, err); /* NULL: there is no record either; err has any damage */
    darshan_reader_as_written(it);
    while (darshan_writer_error(w, err) == DSN_ERR_OK && (r = darshan_reader_next(it, err)) != NULL) {
        if (!is_taken(how, r->id, r->rank))
            continue;
        if (header && !how->has_header) {
            darshan_writer_apmpi(w, how->header ? how->header : header);
            how->has_header = 1;
        }
        write_record(r, darshan_reader_tail(it), module, how, w);
    }
    return err->code;
}

/* ------------------------------------------------------------------ traces */

static int write_segments(struct darshan_dxt *it, const struct dsn_dxt_head *head, double later,
                          struct darshan_writer *w, struct darshan_reader_error *err)
{
    struct dsn_dxt_segment segments[NSEGMENTS];
    const uint64_t all = (uint64_t)head->nwrites + (uint64_t)head->nreads;
    uint64_t done = 0;
    size_t n;

    while (done < all && (n = darshan_dxt_segments(it, segments, NSEGMENTS, err)) > 0) {
        for (size_t i = 0; i < n; i++) {
            segments[i].start += later;
            segments[i].end += later;
        }
        if (darshan_writer_segments(w, segments, n) != DSN_ERR_OK)
            return darshan_writer_error(w, err);
        done += n;
    }
    return done < all ? err->code : DSN_ERR_OK;
}

static int write_traces(struct darshan_dxt *it, unsigned module, struct dsn_rewrite *how, struct darshan_writer *w,
                        struct darshan_reader_error *err)
{
    const struct dsn_dxt_head *head;

    while (darshan_writer_error(w, err) == DSN_ERR_OK && (head = darshan_dxt_next(it, err)) != NULL) {
        struct dsn_dxt_head copy = *head;

        if (!is_taken(how, head->id, head->rank))
            continue;
        copy.rank += copy.rank >= 0 ? how->ranks_before : 0;
        if (how->hash_hosts)
            dsn_hash_text(copy.host, sizeof copy.host, how->key);
        darshan_writer_trace(w, module, &copy);
        if (write_segments(it, &copy, how->later, w, err) != DSN_ERR_OK)
            break;
    }
    return err->code;
}

int dsn_rewrite_module(struct darshan_reader *log, unsigned module, struct dsn_rewrite *how, struct darshan_writer *w,
                       struct darshan_reader_error *err)
{
    struct darshan_reader_records *it;
    struct darshan_dxt *dxt;
    int rc;

    how->taken = 0;
    if (dsn_table(module)) {
        rc = darshan_reader_begin(log, module, &it, err);
        if (rc == DSN_ERR_OK)
            rc = write_records(it, module, how, w, err);
        darshan_reader_end(it);
    } else {
        rc = darshan_dxt_begin(log, module, &dxt, err);
        if (rc == DSN_ERR_OK)
            rc = write_traces(dxt, module, how, w, err);
        darshan_dxt_end(dxt);
    }
    return rc == DSN_ERR_OK ? darshan_writer_error(w, err) : rc;
}

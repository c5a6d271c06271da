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

static int is_taken(struct dsn_rewrite *how, uint64_t id)
{
    if ((how->only != 0 && id != how->only) || (how->leave_out && dsn__idmap_get(how->leave_out, id) != DSN_IDMAP_NONE))
        return 0;
    how->taken++;
    return 1;
}

/* ------------------------------------------------------------------ tables */

/* APMPI: the processor name is a host name. */
static void write_apmpi(const struct dsn_rec *r, const struct dsn_rewrite *how, struct darshan_writer *w)
{
    union dsn_any_rec copy;

    memcpy(&copy, r, dsn_rec_size(dsn_table(DSN_APMPI_MODULE)));
    if (how->hash_hosts)
        dsn_hash_text((char *)&copy.rec.v[MPI_PROCESSOR_NAME], DSN_APMPI_NAME_SIZE, how->key);
    darshan_writer_record(w, DSN_APMPI_MODULE, &copy.rec, NULL);
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
        if (!is_taken(how, r->id))
            continue;
        if (header && !how->has_header) {
            darshan_writer_apmpi(w, how->header ? how->header : header);
            how->has_header = 1;
        }
        if (header)
            write_apmpi(r, how, w);
        else
            darshan_writer_record(w, module, r, darshan_reader_tail(it));
    }
    return err->code;
}

/* ------------------------------------------------------------------ traces */

static int write_segments(struct darshan_dxt *it, const struct dsn_dxt_head *head, struct darshan_writer *w,
                          struct darshan_reader_error *err)
{
    struct dsn_dxt_segment segments[NSEGMENTS];
    const uint64_t all = (uint64_t)head->nwrites + (uint64_t)head->nreads;
    uint64_t done = 0;
    size_t n;

    while (done < all && (n = darshan_dxt_segments(it, segments, NSEGMENTS, err)) > 0) {
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

        if (!is_taken(how, head->id))
            continue;
        if (how->hash_hosts)
            dsn_hash_text(copy.host, sizeof copy.host, how->key);
        darshan_writer_trace(w, module, &copy);
        if (write_segments(it, &copy, w, err) != DSN_ERR_OK)
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

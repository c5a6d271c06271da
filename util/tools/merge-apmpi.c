/* merge-apmpi.c - variances over the ranks of several logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "merge-apmpi.h"

static void add_header(struct dsn_apmpi_merge *m, const struct dsn_apmpi_header *h)
{
    if (m->nlogs++ == 0)
        m->header = *h;
    m->header.sync = m->header.sync && h->sync;
}

int dsn_apmpi_merge_add(struct dsn_apmpi_merge *m, struct darshan_reader *log, struct darshan_reader_error *err)
{
    const struct dsn_apmpi_header *header;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(log, DSN_APMPI_MODULE, &it, err);

    if (rc != DSN_ERR_OK)
        return rc;
    header = darshan_reader_apmpi(it, err);
    if (header)
        add_header(m, header);
    while (header && (r = darshan_reader_next(it, err)) != NULL) {
        dsn_spread_add(&m->comm, r->v[MPI_TOTAL_COMM_TIME].f);
        dsn_spread_add(&m->sync, r->v[MPI_TOTAL_COMM_SYNC_TIME].f);
    }
    darshan_reader_end(it);
    return err->code;
}

const struct dsn_apmpi_header *dsn_apmpi_merge_header(struct dsn_apmpi_merge *m)
{
    if (m->nlogs == 0)
        return NULL;
    if (m->nlogs > 1) {
        m->header.comm_variance = dsn_spread_variance(&m->comm);
        m->header.sync_variance = m->header.sync ? dsn_spread_variance(&m->sync) : 0;
    }
    return &m->header;
}

/* waited.c - time that a log's ranks waited for I/O, and which ranks moved data
 * SPDX-License-Identifier: BSD-3-Clause */
#include "waited.h"

#include "util/report/report.h"
#include "util/report/read.h"

/* The bytes known for a rank may be less than it moved. */
static void note_bytes(const struct dsn_report *r, struct dsn_waited *out)
{
    double most = 0;

    for (size_t i = 0; i < r->nranks; i++) {
        const double bytes = dsn_work_bytes(&r->ranks[i].work);

        most = bytes > most ? bytes : most;
    }
    out->busiest_bytes = most < 9e18 ? (int64_t)most : INT64_MAX;
    out->ranks_with_bytes = r->movers > 0 || (r->f.bytes_read == 0 && r->f.bytes_written == 0) ? r->movers : -1;
}

int dsn_waited_read(struct darshan_reader *log, struct dsn_figures *figures, struct dsn_waited *out)
{
    struct dsn_report r;
    const int rc = dsn_report_read(&r, log, 0);

    if (rc == DSN_ERR_OK) {
        *figures = r.f;
        *out = (struct dsn_waited){ .time = r.waits.all,
                                    .wait = dsn_waiting(&r.waits),
                                    .meta = r.waits.meta,
                                    .slowest_at_least = r.waits.least,
                                    .slowest = r.waits.most };
        note_bytes(&r, out);
    }
    dsn_report_free(&r);
    return rc;
}

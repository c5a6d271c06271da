/* wrap-cufile-batch.c - wrappers of the calls of cuFile for batches
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "wrap/wrap-cufile.h"

#include "wrap/cufile-batch.wrap"

DSN_REAL_DECL(struct dsn_cufile_error, cuFileBatchIOSubmit,
              (void *batch, unsigned n, struct dsn_cufile_request *requests, unsigned flags))
DSN_EXPORT struct dsn_cufile_error DSN_SYM(cuFileBatchIOSubmit)(void *batch, unsigned n,
                                                                struct dsn_cufile_request *requests, unsigned flags);
DSN_EXPORT struct dsn_cufile_error DSN_SYM(cuFileBatchIOSubmit)(void *batch, unsigned n,
                                                                struct dsn_cufile_request *requests, unsigned flags)
{
    struct dsn_cufile_error ret;
    struct dsn_cufile_call c;
    struct dsn_span s;
    uint64_t first;

    if (!DSN_REAL_FIND(cuFileBatchIOSubmit))
        return MISSING;
    if (!dsn__span_open(&s) || !dsn__cufile_begins(&c))
        return DSN_REAL(cuFileBatchIOSubmit)(batch, n, requests, flags);
    s.end = s.start;
    dsn__span_before(&s);
    first = dsn__cufile_submits(&s, batch, n, requests);
    dsn__span_close(&s);
    ret = DSN_REAL(cuFileBatchIOSubmit)(batch, n, requests, flags);
    dsn__cufile_ends(&c);
    dsn__span_returned(&s);
    dsn__cufile_submitted(&s, ret, first, n, requests);
    dsn__span_close(&s);
    return ret;
}

DSN_REAL_DECL(void, cuFileBatchIODestroy, (void *batch))
DSN_EXPORT void DSN_SYM(cuFileBatchIODestroy)(void *batch);
DSN_EXPORT void DSN_SYM(cuFileBatchIODestroy)(void *batch)
{
    struct dsn_span s;

    if (!DSN_REAL_FIND(cuFileBatchIODestroy))
        return;
    if (dsn__span_open(&s)) {
        dsn__span_before(&s);
        dsn__cufile_forget_batch(batch);
        dsn__span_close(&s);
    }
    DSN_REAL(cuFileBatchIODestroy)(batch);
}

/* wrap-cufile.c - wrappers of the calls of cuFile (GPUDirect Storage) that all of its versions have
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Members of the archive of their own, for programs linked with cuFile. A program that looks the functions up with dlsym in the
 * library that it has loaded gets that library's. */
#include <config.h>

#include "wrap/wrap-cufile.h"

#include "wrap/cufile.wrap"

DSN_REAL_DECL(void, cuFileHandleDeregister, (void *handle))
DSN_EXPORT void DSN_SYM(cuFileHandleDeregister)(void *handle);
DSN_EXPORT void DSN_SYM(cuFileHandleDeregister)(void *handle)
{
    struct dsn_record_state *state;
    struct dsn_span s;

    if (!DSN_REAL_FIND(cuFileHandleDeregister))
        return;
    if (!dsn__span_open(&s)) {
        DSN_REAL(cuFileHandleDeregister)(handle);
        return;
    }
    dsn__span_before(&s);
    state = dsn__cufile_release(handle);
    dsn__span_close(&s);
    DSN_REAL(cuFileHandleDeregister)(handle);
    dsn__span_returned(&s);
    dsn__cufile_released(&s, state);
    dsn__span_close(&s);
}

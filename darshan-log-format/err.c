/* err.c - messages of the error codes
 * SPDX-License-Identifier: BSD-3-Clause */
#include "err.h"

const char *dsn_err_text(int code)
{
    static const char *const text[DSN_NERRORS] = {
#define X(code, text) text,
        DSN_ERR_MAP(X)
#undef X
    };

    return code >= 0 && code < DSN_NERRORS ? text[code] : "failed for an unknown reason";
}

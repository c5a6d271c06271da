/* accounting.c - error messages about the database, for all parts of darshan-accounting
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "accounting.h"

#include "util/command/common.h"

int dsn_db_complain(const struct dsn_accounting *a)
{
    dsn_warn(DSN_ACCOUNTING, dsn_db_name(a->db), "%s", dsn_db_error(a->db) ? dsn_db_error(a->db) : "out of memory");
    return 1;
}

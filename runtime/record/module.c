/* module.c - sizes of records
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/module.h"

#include "darshan-log-format/varying.h"

size_t dsn__record_size(enum dsn_module_index module)
{
    const struct dsn_table *t = dsn_table(dsn__modules[module]->id);

    return t ? dsn_rec_size(t) : sizeof(struct dsn_dxt_head);
}

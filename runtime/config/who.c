/* who.c - numbers that tell logs and runs of programs apart
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/who.h"

#include "darshan-log-format/hash.h"

uint64_t dsn__process_tree_log_key(const struct dsn_member *member, uint64_t key)
{
    return member->is_mpi || dsn__is_root_process(member)
               ? key
               : dsn_hash((const char *)&member->number, sizeof member->number, key);
}

uint64_t dsn__run_of(const struct dsn_member *member, const struct dsn_origin *o)
{
    const int64_t step[] = { o->jobid, o->step, o->restart, member->nranks };

    if (member->is_mpi)
        return o->key;
    return member->nranks > 0 && !o->jobid_is_pid ? dsn_hash((const char *)step, sizeof step, 0) : 0;
}

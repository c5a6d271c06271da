/* who.c - numbers that tell logs and runs of programs apart
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/who.h"

#include "darshan-log-format/hash.h"

uint64_t dsn__process_tree_log_key(const struct dsn_process_tree *tree, uint64_t key)
{
    return tree->is_mpi || tree->root == tree->pid ? key : dsn_hash((const char *)&tree->pid, sizeof tree->pid, key);
}

uint64_t dsn__run_of(const struct dsn_process_tree *tree, const struct dsn_origin *o)
{
    const int64_t step[] = { o->jobid, o->step, o->restart, tree->nranks };

    if (tree->is_mpi)
        return o->key;
    return tree->nranks > 0 && !o->jobid_is_pid ? dsn_hash((const char *)step, sizeof step, 0) : 0;
}

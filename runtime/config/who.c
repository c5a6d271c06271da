/* who.c - the key in a log's name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/who.h"

#include "darshan-log-format/hash.h"

uint64_t dsn__process_tree_log_key(const struct dsn_process_tree *f, uint64_t key)
{
    return f->is_mpi || f->root == f->pid ? key : dsn_hash((const char *)&f->pid, sizeof f->pid, key);
}

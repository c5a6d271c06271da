/* writer.h - the log file itself, written by rank 0
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRITER_H
#define DSN_WRITER_H

#include "mpi/tree.h"
#include "out/logname.h"
#include "out/part.h"

/* Writes the whole log: header, job, names, modules, extension. `rows` are all ranks' rows in rank order; `mine` is
 * rank 0's own part; the other ranks' parts are received through `t` (NULL: there are none), one at a time and in
 * order, so that memory is bounded by the largest. All parts are received even if writing fails, so that no rank waits
 * for ever. Returns 0 or an errno. */
int dsn__log_write(struct dsn_log_file *f, struct dsn_part_row *rows, int nranks, const struct dsn_part *mine,
                   struct dsn_tree *t);

#endif

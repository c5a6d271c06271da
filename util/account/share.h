/* share.h - ingest by several processes, on any number of nodes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A launcher (mpirun, srun) starts the command several times; each process gets its rank and their number from the
 * environment. An SQLite file has one writer, on one node, so each rank ingests its share of the logs into a database
 * of its own beside it, a part, and rank 0 merges the parts. All ranks look up known logs in the database, which is not
 * written meanwhile: rank 0 creates a file ".go" once that is so, and all other ranks wait for it. A part left behind
 * by an interrupted run is merged by the next one. */
#ifndef DSN_SHARE_H
#define DSN_SHARE_H

#include "accounting.h"

/* Rank and size according to the launcher's environment; otherwise rank 0 of 1. */
void dsn_share_find(struct dsn_usage_share *s);

/* Whether a log belongs to this rank's share. */
int dsn_share_has(const struct dsn_usage_share *s, const char *path);

/* Call before opening the database: rank 0 removes the ".go" of a killed run; other ranks wait for this run's. Returns
 * 0 if it does not appear, which was reported. */
int dsn_share_enter(const struct dsn_accounting *a);

/* The URI to open the database read-only while it is not written. The caller frees it; NULL: no memory. */
char *dsn_share_frozen(const char *file);

/* Merges parts left behind into the database. Returns 1, or 0 (dsn_db_error()). */
int dsn_share_absorb(struct dsn_accounting *a);

/* One pass shared by all ranks: `pass` ingests this rank's share into a->db. Returns the exit status. */
int dsn_share_ingest(struct dsn_accounting *a, int (*pass)(struct dsn_accounting *a), int (*stopped)(void));

#endif

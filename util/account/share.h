/* share.h - ingest by many processes, on as many nodes as there are
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A launcher (mpirun, srun) starts the command several times; each finds its rank and their number in the environment.
 * SQLite's file has one writer, on one node, so each rank takes its share of the logs into a database of its own beside
 * it, a part, and rank 0 puts the parts together. What is known already all look up in the database, which nobody
 * writes meanwhile: rank 0 says when it is at rest (a file "go" beside it), and all other ranks wait for that. A part
 * that was left behind by whatever ended a run is put in by the next one. */
#ifndef DSN_SHARE_H
#define DSN_SHARE_H

#include "accounting.h"

/* What the launcher says; without one, rank 0 of 1. */
void dsn_share_find(struct dsn_share *s);

/* Whether a log is this rank's to take. */
int dsn_share_has(const struct dsn_share *s, const char *path);

/* To be called before the database is opened: rank 0 withdraws what a run that was killed has left; other ranks wait
 * for this one's go. Returns 0 if it does not come, which is said. */
int dsn_share_enter(const struct dsn_accounting *a);

/* What opens the database for looking only, while it is at rest. To be freed; NULL: no memory. */
char *dsn_share_frozen(const char *file);

/* Puts parts that were left behind into the database. Returns 1, or 0 (dsn_db_error()). */
int dsn_share_absorb(struct dsn_accounting *a);

/* One pass, shared by all ranks: `pass` takes this rank's share into a->db. Returns the exit status. */
int dsn_share_ingest(struct dsn_accounting *a, int (*pass)(struct dsn_accounting *a), int (*stopped)(void));

#endif

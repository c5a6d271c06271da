/* make-log.h - the log of a process, of all ranks, or of what others have left
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_MAKE_LOG_H
#define DSN_LIFE_MAKE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dsn_log_identity;
struct dsn_participants;

/* Makes the log of this process, whose records are finalized, and of those that have left it something; in a rank that is
 * attached to MPI, of all ranks, which call it together. What it was made from is removed when it is on disk. `begin`: of
 * dsn__now(), when the end began; `participates`: 0 in a rank that has no records. */
void dsn__make_log_of_job(int participates, int64_t begin);

/* Instead, in a rank that has left its records otherwise: tells the others that there will be no log of all ranks. */
void dsn__refuse_log_of_job(void);

/* Makes a log of everything that the ranks of this node have left, unless some of them still run: one of those will be
 * the last. */
void dsn__make_log_of_ended_ranks(void);

/* Writes a log of these participants; a dsn_log_maker of survive/recover.h. */
bool dsn__make_log(struct dsn_participants *participants, const struct dsn_log_identity *identity, char *path,
                   size_t size);

#endif

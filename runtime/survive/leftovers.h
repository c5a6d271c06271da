/* leftovers.h - what killed processes have left, taken for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_LEFTOVERS_H
#define DSN_SURVIVE_LEFTOVERS_H

struct dsn_participants;

/* What is in the survival file at `path` becomes one of the exit records of `m`; the survival file stays until dsn__participants_remove. 0: it cannot be
 * read. */
int dsn__leftover_take(const char *path, struct dsn_participants *m);

/* Whether killed processes have left anything to this one. */
int dsn__leftovers_are_there(void);

/* Takes what they have left, as above. */
void dsn__leftovers_take(struct dsn_participants *m);

#endif

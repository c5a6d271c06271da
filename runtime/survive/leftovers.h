/* leftovers.h - survival files of killed processes that become part of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_LEFTOVERS_H
#define DSN_SURVIVE_LEFTOVERS_H

#include <stdbool.h>

struct dsn_participants;

/* Adds the records of a survival file as an exit record; with `runs`, those of a running process. The file is kept
 * until dsn__participants_remove. Returns false if it cannot be read. */
bool dsn__leftover_add(const char *path, struct dsn_participants *participants, int runs);

/* Whether this process is the collector of any killed process. */
bool dsn__leftovers_find_mine(void);

/* Adds the records of all of them, as above. */
void dsn__leftovers_add_mine(struct dsn_participants *participants);

#endif

/* add-participants.h - adds what other processes have left to the participants of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_ADD_PARTICIPANTS_H
#define DSN_SURVIVE_ADD_PARTICIPANTS_H

#include <stdbool.h>

#include "log/participants.h"

/* Adds an exit record packed from a survival file (dsn__exit_record_pack). Returns false if it is invalid, or there is no
 * memory. */
bool dsn__participants_add_survival_file(struct dsn_participants *participants, const char *survival_file,
                                         const void *packed, size_t size);

/* Removes survival files that were added, once their log is on disk: that of process `pid`, or all others. */
void dsn__participants_remove(const struct dsn_participants *participants, int64_t pid, int others);

/* Adds the exit records in a file. */
void dsn__participants_add_exit_records(struct dsn_participants *participants, const char *path);

/* Sorts everything added by the processes' start times, and drops duplicates. */
void dsn__participants_sort(struct dsn_participants *participants);

#endif

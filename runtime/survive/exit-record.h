/* exit-record.h - what an ended process has counted, packed, until the log is made
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Exit records stand in files one after the other, each appended in one piece. One that was cut short, or that says of itself
 * what cannot be, is passed over: the process that was killed there has left a survival file. */
#ifndef DSN_SURVIVE_EXIT_RECORD_H
#define DSN_SURVIVE_EXIT_RECORD_H

#include <stddef.h>

#include "base/pages.h"
#include "config/who.h"
#include "log/participants.h"
#include "record/recording.h"

/* Memory of the caller's that a process's exit record is made in if it opens few files. */
struct dsn_exit_record_room {
    _Alignas(8) char bytes[20 * 1024];
};

/* How a process came to its end, and when what it has left was begun (struct dsn_survival). */
struct dsn_end {
    enum dsn_ending how;
    int64_t created;
};

/* Of records that are finished: *size bytes to be appended to a file; NULL if there is no memory. */
void *dsn__exit_record_make(const struct dsn_recording *r, const struct dsn_end *end, struct dsn_exit_record_room *here,
                            size_t *size);

/* Gives it back. */
void dsn__exit_record_free(void *exit_record, const struct dsn_exit_record_room *here);

/* All exit records in these bytes, in the order in which they stand there, at the end of the list `*last`; returns the new end.
 * What is not one is passed over. They are made of `memory`. */
struct dsn_exit_record **dsn__exit_records_of(const char *bytes, size_t size, struct dsn_exit_record **last,
                                              struct dsn_bump *memory);

/* Those of a file. */
struct dsn_exit_record **dsn__exit_records_read(const char *path, struct dsn_exit_record **last,
                                                struct dsn_bump *memory);

/* Whose recording it is. */
void dsn__who(struct dsn_who *w, const struct dsn_recording *r, int64_t created);

#endif

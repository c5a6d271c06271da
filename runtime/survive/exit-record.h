/* exit-record.h - what an ended process has counted, packed, until the log is made
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * struct dsn_exit_record, in log/participants.h, is an unpacked one. A file of exit records is a sequence of packed ones, each
 * appended in one piece. A reader skips one that is truncated or damaged: a process that was killed while it wrote has
 * left its survival file. */
#ifndef DSN_SURVIVE_EXIT_RECORD_H
#define DSN_SURVIVE_EXIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pages.h"
#include "config/who.h"
#include "log/participants.h"
#include "record/recording.h"

/* Room on the caller's stack, enough for a process with few files. */
struct dsn_exit_record_room {
    _Alignas(8) char bytes[20 * 1024];
};

/* How a process ended, and when its survival file was created (struct dsn_survival). */
struct dsn_end {
    enum dsn_ending how;
    int64_t created;
};

/* Packs records that are finalized: *size bytes to be appended to a file; NULL if there is no memory. */
void *dsn__exit_record_pack(const struct dsn_recording *r, const struct dsn_end *end, struct dsn_exit_record_room *here,
                            size_t *size);

/* Frees it. */
void dsn__exit_record_free(void *packed, const struct dsn_exit_record_room *here);

/* Unpacks all exit records in these bytes, in their order, and appends them to the list that ends in `*last`; returns
 * its new end. Anything else is skipped. They live as long as `memory`. */
struct dsn_exit_record **dsn__exit_records_of(const char *bytes, size_t size, struct dsn_exit_record **last,
                                              struct dsn_bump *memory);

/* The same with the contents of a file, if there is one. Returns false if it could not be read, as without memory. */
bool dsn__exit_records_read(const char *path, struct dsn_exit_record **last, struct dsn_bump *memory);

/* Whether a file begins with an exit record of a release with other structs: nothing of it can be read here. */
bool dsn__exit_records_are_foreign(int dir, const char *name);

/* Turns this process's records, which are finalized, into an exit record for its collector, or for itself, to be found by
 * whoever comes later. Returns false if there is no collector, or no room. */
enum dsn_exit_record_for { DSN_FOR_COLLECTOR, DSN_FOR_ITSELF, DSN_FOR_COLLECTOR_OR_ITSELF };
bool dsn__exit_record_write(enum dsn_exit_record_for to, enum dsn_ending ending);

/* The identity of the process that a recording is of. */
void dsn__who(struct dsn_who *w, const struct dsn_recording *r, int64_t created);

#endif

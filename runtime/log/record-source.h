/* record-source.h - the names and finalized records that one process adds to the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_RECORD_SOURCE_H
#define DSN_LOG_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "record/module.h"
#include "record/recording.h"

struct dsn_record_source {
    const struct dsn_recording *of; /* NULL: from an exit record */
    struct dsn_name *first;
    struct dsn_record_state *first_state[DSN_NMODULES];
    int64_t rank;
    const char *states, *states_end; /* address range of the recording's record states */
    int must_not_change;             /* they may be in a survival file, as they are to be recovered */
    int leads;                       /* the lowest rank, which writes the shared records */
    struct dsn_name **by_id;         /* ascending; NULL: this process's table of names has them all */
    size_t nby_id, by_id_room;
};

/* The source of a recording whose records are finalized. */
void dsn__record_source_of(struct dsn_record_source *s, const struct dsn_recording *r);

/* Finds a name by its id; NULL: it has none. */
struct dsn_name *dsn__record_source_find(const struct dsn_record_source *s, uint64_t id);

/* Sorts the names by their ids; false if there is no memory. */
bool dsn__record_source_index(struct dsn_record_source *s, struct dsn_bump *memory);

/* Merges the records of `child` into those of `s`, as if one process had done all of it. `child` must live as long as
 * `s`. False if there is no memory. */
bool dsn__record_source_adopt(struct dsn_record_source *s, struct dsn_record_source *child, struct dsn_bump *memory);

#endif

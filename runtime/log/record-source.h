/* record-source.h - what one process adds to the log: names and finished records, of this process or of one that has ended
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_RECORD_SOURCE_H
#define DSN_LOG_RECORD_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "record/module.h"
#include "record/recording.h"

struct dsn_record_source {
    const struct dsn_recording *of; /* NULL: it was left by another process */
    struct dsn_file *first;
    struct dsn_record_state *first_state[DSN_NMODULES];
    int64_t rank;
    const char *states, *states_end; /* between them are the modules' structs of this process's own records */
    int is_in_file;                  /* these are in its survival file, whose contents do not change any more */
    int leads;                       /* it is the lowest rank: what is shared by all is written with it */
    struct dsn_file **by_id;         /* ascending; NULL: the core's table of names has them all */
    size_t nby_id, by_id_room;
};

/* Of a process whose records are finished. */
void dsn__record_source_of(struct dsn_record_source *s, const struct dsn_recording *r);

/* The name with an id, or NULL. */
struct dsn_file *dsn__record_source_find(const struct dsn_record_source *s, uint64_t id);

/* Sorts the names by their ids; 0 if there is no memory. */
int dsn__record_source_index(struct dsn_record_source *s, struct dsn_bump *memory);

/* What `child` has counted becomes part of what `s` has, as if one process had done all of it. `child` shall live as
 * long as `s`. 0 if there is no memory. */
int dsn__record_source_adopt(struct dsn_record_source *s, struct dsn_record_source *child, struct dsn_bump *memory);

#endif

/* counted.h - what one process adds to the log: names and finished records, of this process or of one that has ended
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COUNTED_H
#define DSN_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "record/core.h"
#include "survive/family.h"
#include "config/origin.h"
#include "base/pages.h"

/* What the extension section says of a process (darshan-log-format/extension.h). */
struct dsn_who {
    struct dsn_family family;
    int64_t created;               /* ns of CLOCK_BOOTTIME */
    int64_t start_sec, start_nsec; /* Unix time */
    int64_t local_start[6];        /* year (from 1900), month (from 0), day, hour, minute, second: local time */
    int64_t uid;
    int64_t was_killed;       /* it was found in an image */
    int64_t goes_on;          /* the process has executed another program since; 2: the job goes by this one's name */
    struct dsn_origin origin; /* texts come last */
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];
};

struct dsn_counted {
    struct dsn_file *first;
    struct dsn_live *live_first[DSN_NSLOTS];
    int64_t rank;
    int leads;               /* it is the lowest rank: what is shared by all is written with it */
    struct dsn_file **by_id; /* ascending; NULL: the core's table of names has them all */
    size_t nby_id, by_id_room;
};

/* This process's, which is finished. */
void dsn__counted_own(struct dsn_counted *s, int64_t rank);

/* The name with an id, or NULL. */
struct dsn_file *dsn__counted_find(const struct dsn_counted *s, uint64_t id);

/* Sorts the names by their ids; 0 if there is no memory. */
int dsn__counted_index(struct dsn_counted *s, struct dsn_bump *memory);

/* What `child` has counted becomes part of what `s` has, as if one process had done all of it. `child` shall live as
 * long as `s`. 0 if there is no memory. */
int dsn__counted_adopt(struct dsn_counted *s, struct dsn_counted *child, struct dsn_bump *memory);

#endif

/* aggregated.h - the files that are aggregated, and the settings that would have avoided that
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file without a record of its own is looked up again at each open. So that it counts once, a hash of its name is kept: the set
 * takes memory only once a file is aggregated, outside of the survival file, and at most DSN_AGGREGATED_MOST of them. */
#ifndef DSN_RECORD_AGGREGATED_H
#define DSN_RECORD_AGGREGATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DSN_AGGREGATED_MOST 98304 /* three quarters of a MiB of hashes */

struct dsn_aggregated {
    int64_t files;   /* different ones */
    int64_t unknown; /* times that a file was none of the known ones when the set was full: new, or not */
    int64_t bytes;   /* bytes of records and names of the files for which there was no memory */
    int64_t limited; /* opens that failed because of a module's MAX_RECORDS */
    int64_t beyond;  /* files among these */
    int64_t limit;   /* the largest MAX_RECORDS that was reached */
};

/* The hashes, each with a bit a module; local to this process, not in the survival file. */
struct dsn_aggregated_set {
    uint64_t *entry; /* dsn__pages; 0 is free */
    size_t n, used;  /* a power of two */
};

enum dsn_aggregated_news { DSN_OLD, DSN_NEW_IN_MODULE, DSN_NEW_FILE, DSN_UNKNOWN };

/* Adds the file of name `id`, which a module (by index, below 16) has no record for. */
enum dsn_aggregated_news dsn__aggregated_add(struct dsn_aggregated_set *set, uint64_t id, int module);
bool dsn__aggregated_has(const struct dsn_aggregated_set *set, uint64_t id); /* in any module */
void dsn__aggregated_free(struct dsn_aggregated_set *set);

/* The values of DARSHAN_MODMEM (bytes, `present` is today's) and MAX_RECORDS that would have been enough. Rather too
 * high than too low; 0: the present one is enough. */
int64_t dsn__aggregated_memory(const struct dsn_aggregated *f, int64_t present);
int64_t dsn__aggregated_records(const struct dsn_aggregated *f);

#endif

/* snapshot.h - consistent copies of a running process's records
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner of a survival file goes on counting while it is read, and waits for nobody. All that belongs to one record
 * (its state, counters, tables) is copied twice from the mapped file; if both copies are identical and the record's
 * lock was free, no call was counted in between. Which memory belongs to a record becomes known as it is salvaged
 * (record/salvaged.h): it is salvaged again from the copies. If the process never pauses, `tries` copies may not be
 * enough: then each value is a true one, but two of them may be some calls apart, and `unsteady` counts such records.
 */
#ifndef DSN_RECORD_SNAPSHOT_H
#define DSN_RECORD_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DSN_SNAPSHOT_PIECES 256
#define DSN_SNAPSHOT_ROOM   65536
#define DSN_SNAPSHOT_TRIES  100000

struct dsn_snapshot {
    const char *map; /* the owner's mapping: the file, mapped here, behind the state */
    uint64_t size;
    uint64_t *present; /* a bit per page of the map that is in the file: others are not touched */
    int is_taking;     /* claimed bytes belong to a record */
    int has_grown;     /* something was claimed that has no copy yet */
    unsigned npieces;
    struct dsn_snapshot_piece {
        const char *theirs;
        void *here; /* destination */
        size_t size, at;
    } piece[DSN_SNAPSHOT_PIECES]; /* of the record; the first is its state */
    size_t used;
    unsigned tries;    /* DSN_SNAPSHOT_TRIES, or as many as time permits */
    int only_steady;   /* records without a consistent copy are left out */
    unsigned unsteady; /* records without a consistent copy */
    _Alignas(8) char room[DSN_SNAPSHOT_ROOM];
};

/* Marks the bytes [begin, end) of the map as present in the file. */
void dsn__snapshot_has(struct dsn_snapshot *s, uint64_t begin, uint64_t end);

/* Words of `present` for a map of `size` bytes. */
size_t dsn__snapshot_words(uint64_t size);

/* Starts a record: its state of `size` bytes lies `at` bytes from the base, and in this process at `here`. */
void dsn__snapshot_begin(struct dsn_snapshot *s, uint64_t at, void *here, size_t size);

/* Fills `here` with `size` bytes of the record, `at` bytes from the base: from the copy, or, if there is none yet, from
 * the owner's memory. */
void dsn__snapshot_fill(struct dsn_snapshot *s, uint64_t at, void *here, size_t size);

/* Tries to copy all known parts of the record consistently. Returns false if that failed. */
bool dsn__snapshot_copy(struct dsn_snapshot *s);

#endif

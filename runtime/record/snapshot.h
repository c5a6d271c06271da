/* snapshot.h - records of a process that runs: copies during which nothing changed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner of a survival file counts while it is read, and waits for nobody. What belongs to one record (its state, its
 * counters, its tables) is copied twice from the mapped file; where both copies are alike and the record's lock was
 * free, no call was counted in between. Which memory belongs to a record is learned as it is salvaged
 * (record/salvaged.h): it is salvaged again from the copies. A process that counts without any pause may not give such
 * a moment in `tries` copies: then each value is as it was at a moment, but two of them may be some calls
 * apart, and `unsteady` says of how many records. */
#ifndef DSN_RECORD_SNAPSHOT_H
#define DSN_RECORD_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#define DSN_SNAPSHOT_PARTS 256
#define DSN_SNAPSHOT_ROOM  65536
#define DSN_SNAPSHOT_TRIES 100000

struct dsn_snapshot {
    const char *map; /* the mapping of its owner: the file, mapped here, behind the state */
    uint64_t size;
    uint64_t *present; /* a bit for each page of the map that the file has: others are not touched */
    int is_taking;     /* what is claimed belongs to a record */
    int has_grown;     /* something was claimed of which there is no copy yet */
    unsigned nparts;
    struct dsn_snapshot_part {
        const char *theirs;
        void *here; /* where it goes */
        size_t size, at;
    } part[DSN_SNAPSHOT_PARTS]; /* of the record; the first one is its state */
    size_t used;
    unsigned tries;    /* DSN_SNAPSHOT_TRIES, or as many as there is time for */
    int only_steady;   /* a record that was never seen in a moment is none this time */
    unsigned unsteady; /* records */
    _Alignas(8) char room[DSN_SNAPSHOT_ROOM];
};

/* These bytes of the map, from `begin` to `end`, are in the file. */
void dsn__snapshot_has(struct dsn_snapshot *s, uint64_t begin, uint64_t end);

/* Words of `present` for a map of so many bytes. */
size_t dsn__snapshot_words(uint64_t size);

/* A record begins, whose state of `size` bytes lies `at` bytes from the base, and here at `here`. */
void dsn__snapshot_begin(struct dsn_snapshot *s, uint64_t at, void *here, size_t size);

/* `size` bytes that belong to the record, `at` bytes from the base, are about to be used `here`: they become what the
 * copy has, or, where there is none yet, what the owner has now. */
void dsn__snapshot_fill(struct dsn_snapshot *s, uint64_t at, void *here, size_t size);

/* Copies all that is known of the record in one moment. 0: there was none. */
int dsn__snapshot_copy(struct dsn_snapshot *s);

#endif

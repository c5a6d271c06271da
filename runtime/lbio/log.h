/* log.h - writes the log of this process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Callers serialize calls (only lbio__log_data may be called concurrently). Nothing here waits. */
#ifndef LBIO_LOG_H
#define LBIO_LOG_H

#include <stdint.h>
#include <sys/types.h>

#include "lbio/record.h"

#define LBIO_SEGMENTS 64

/* A data file and a meta file, removed when all of their writes are in the files. */
struct lbio_segment {
    int64_t start, size; /* position of the first byte; bytes reserved */
    int64_t meta_size;
    int64_t pending; /* writes not yet in their files */
    uint64_t serial; /* no two have the same */
    int data, meta;  /* descriptors */
};

struct lbio_log {
    int is_open;
    int map; /* descriptor of the map, which holds the lock */
    int64_t map_size;
    int64_t most;          /* limit of the log in bytes */
    int64_t segment_size;  /* size at which a new segment is started */
    uint64_t number;       /* of the last record */
    uint32_t files;        /* file numbers assigned */
    uint64_t segments;     /* made so far */
    unsigned first, count; /* of segments: a ring */
    struct lbio_segment segment[LBIO_SEGMENTS];
    int64_t end;        /* position after the last reserved byte */
    int64_t used, high; /* bytes of data, now and at most */
    char directory[LBIO_PATH_MAX / 2];
};

/* Creates the directory and its map in `parent`, for at most `most` bytes of data. 0, or -1 and errno. */
int lbio__log_open(struct lbio_log *l, const char *parent, const char *job, int rank, int64_t most);

/* Reserves `n` bytes: returns their position, and their segment with `pending` incremented. -1 and errno: EAGAIN if
 * there is no space until something is released, else that of the failed call. */
int64_t lbio__log_reserve(struct lbio_log *l, int64_t n, struct lbio_segment **segment);

/* Writes to a reserved position. Returns like write. */
ssize_t lbio__log_data(const struct lbio_segment *s, const void *bytes, size_t n, int64_t pos);

/* Appends a record after setting its number and checksum; `s`: the segment of its data, or NULL. 0, or -1 and errno. */
int lbio__log_record(struct lbio_log *l, struct lbio_segment *s, struct lbio_record *r);

/* Assigns the next file number, and records the file. 0 and errno: it could not be written. */
uint32_t lbio__log_file(struct lbio_log *l, uint64_t dev, uint64_t ino, const char *path);

/* `n` writes of the segment are in their files. Removes segments without pending writes, oldest first. */
void lbio__log_release(struct lbio_log *l, struct lbio_segment *s, int64_t n);

/* Removes everything if no write is pending. Returns whether it did. */
int lbio__log_empty(struct lbio_log *l);

/* The segment of a position; valid as long as a write in it is pending. NULL: none. */
const struct lbio_segment *lbio__log_find(const struct lbio_log *l, int64_t pos);

/* Makes everything written so far durable. 0, or -1 and errno. */
int lbio__log_sync(struct lbio_log *l);

/* Closes the log, and removes it if `remove`; else it can be recovered. */
void lbio__log_close(struct lbio_log *l, int remove);

#endif

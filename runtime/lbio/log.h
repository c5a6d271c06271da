/* log.h - the log of this process: written
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The caller keeps threads apart (lbio__log_data alone may be called by many). Nothing here waits. */
#ifndef LBIO_LOG_H
#define LBIO_LOG_H

#include <stdint.h>
#include <sys/types.h>

#include "lbio/record.h"

#define LBIO_SEGMENTS 64

/* A pair of files, data and meta, that goes when all of its writes are in their files. */
struct lbio_segment {
    int64_t start, size; /* positions; bytes that have been given out */
    int64_t meta_size;
    int64_t pending; /* writes that are not in their files yet */
    int data, meta;  /* descriptors */
};

struct lbio_log {
    int is_open;
    int map; /* its descriptor, which holds the lock */
    int64_t map_size;
    int64_t most;          /* bytes that may be in use */
    int64_t segment_size;  /* from which on there is another segment */
    uint64_t number;       /* of the last record */
    uint32_t files;        /* numbers given out */
    unsigned first, count; /* of segments: a ring */
    struct lbio_segment segment[LBIO_SEGMENTS];
    int64_t end;        /* position behind all that was given out */
    int64_t used, high; /* bytes of data, and the most that there ever were */
    char directory[LBIO_PATH_MAX / 2];
};

/* Makes the directory and its map below `parent`, for at most `most` bytes of data. 0, or -1 and errno: there is none. */
int lbio__log_open(struct lbio_log *l, const char *parent, const char *job, int rank, int64_t most);

/* Position for `n` bytes, and the segment that they are in: its `pending` counts them. -1: with errno EAGAIN if there
 * is no room before something is released, else that of the call that failed. */
int64_t lbio__log_reserve(struct lbio_log *l, int64_t n, struct lbio_segment **segment);

/* Bytes to a position that was reserved. Returns how many were written, as write does. */
ssize_t lbio__log_data(const struct lbio_segment *s, const void *bytes, size_t n, int64_t pos);

/* Appends a record, of which number and sum are filled in; `s`: where its data are, or NULL. 0, or -1 and errno. */
int lbio__log_record(struct lbio_log *l, struct lbio_segment *s, struct lbio_record *r);

/* The next number of a file, with what it is. 0: it could not be written, errno says why. */
uint32_t lbio__log_file(struct lbio_log *l, uint64_t dev, uint64_t ino, const char *path);

/* `n` writes of the segment are in their files. Segments of which that holds for all writes go, the oldest first. */
void lbio__log_release(struct lbio_log *l, struct lbio_segment *s, int64_t n);

/* Removes all of it, if no write is pending: whether it did. */
int lbio__log_empty(struct lbio_log *l);

/* The segment that a position is in; it stays while a write of it is pending. NULL: there is none. */
const struct lbio_segment *lbio__log_find(const struct lbio_log *l, int64_t pos);

/* Makes all that was written before durable. 0, or -1 and errno. */
int lbio__log_sync(struct lbio_log *l);

/* Closes it. Removes it if `remove`, else it stays, to be recovered. */
void lbio__log_close(struct lbio_log *l, int remove);

#endif

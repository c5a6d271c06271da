/* saved.h - the log of an ended process: read, written to its files, removed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The directory may contain anything. Replaying it again, even after an interrupted attempt, results in the same files:
 * pending writes are first combined to one state per file, and only that is written. */
#ifndef LBIO_SAVED_H
#define LBIO_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include "lbio/record.h"
#include "lbio/tree.h"

struct lbio_saved_file {
    uint64_t dev, ino;
    char *path; /* NULL: unused number */
    struct lbio_tree tree;
    int64_t size; /* of a truncation that may not have been completed; -1: none */
    int is_left_known, is_sending;
    int64_t left_size, left_time; /* the file as its process left it last, ns; size < 0: anything */
    struct lbio_extent sent;      /* what replay had begun to write since then, at `sent_time` */
    int64_t sent_time;
};

struct lbio_saved_part {
    int64_t start, size;
    int64_t meta_size; /* of its whole records; -1: it has none */
    int data;
};

struct lbio_saved {
    char directory[LBIO_PATH_MAX];
    struct lbio_map_header header;
    int dir, map, is_owned;       /* its process is alive */
    int is_of_earlier_boot;       /* of this node: data that was not synced may be missing, and is ignored */
    struct lbio_saved_file *file; /* by number, starting at 1 */
    size_t files;
    struct lbio_saved_part *part; /* by position */
    size_t parts;
    uint64_t last;     /* number of the last record */
    uint64_t unsynced; /* writes ignored for that reason */
    uint64_t absent;   /* writes ignored because their data is not in the log */
};

/* NULL if it is not a log or cannot be read: errno, EPERM if it is not this user's, or EBADMSG if its content is
 * invalid. The log of a live process is read as it is. */
struct lbio_saved *lbio__saved_open(const char *directory);
void lbio__saved_close(struct lbio_saved *l);

/* Pending bytes of file `number`. */
int64_t lbio__saved_pending(const struct lbio_saved *l, size_t number);

enum lbio_saved_result {
    LBIO_WRITTEN,   /* all data is in the file, and synced */
    LBIO_CHANGED,   /* the file is not as its process left it: the data is beside it, in another one */
    LBIO_NOT_THERE, /* neither the file nor a place for its data was found: the log is still needed */
    LBIO_FAILED     /* see errno; the log is still needed */
};

/* Writes the pending data of a file, and removes this log's line from its marker. Not for the log of a live process.
 * `where`, of LBIO_PATH_MAX bytes: the path of what was written; NULL: nothing is written beside the file. */
enum lbio_saved_result lbio__saved_write(struct lbio_saved *l, size_t number, char *where);

/* For a program that opens the file at `path`: writes what the log of an ended process has for it, and removes the log if that
 * was all. 0; 1: another process does so now; -1: it cannot be written. A file that has been changed since is left to lbio
 * recover. */
int lbio__saved_complete(const char *directory, const char *path);

/* Whether nothing has been logged in the directory: it has just been removed, or its process is about to write to it, or was
 * killed before (then it is removed if that may be). */
int lbio__saved_is_empty(const char *directory, int may_remove);

/* Removes the log after recovery. 0, or -1 and errno. */
int lbio__saved_remove(struct lbio_saved *l);

#endif

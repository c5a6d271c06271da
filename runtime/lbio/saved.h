/* saved.h - a log that a process has left: read, written to its files, removed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is in the directory may be anything. To write it to the files again, or after an end in the middle of that,
 * gives the same files: pending writes are played to one state of each file first, and only that is written. */
#ifndef LBIO_SAVED_H
#define LBIO_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include "lbio/record.h"
#include "lbio/tree.h"

struct lbio_saved_file {
    uint64_t dev, ino;
    char *path; /* NULL: no file has this number */
    struct lbio_tree tree;
    int64_t size; /* of a truncation whose end is not known; -1: none */
};

struct lbio_saved_part {
    int64_t start, size;
    int data;
};

struct lbio_saved {
    char directory[LBIO_PATH_MAX];
    struct lbio_map_header header;
    int map, is_owned;            /* its process is still there */
    int is_of_earlier_boot;       /* of this node: what was not synced then may be missing, and is not believed */
    struct lbio_saved_file *file; /* by number; [0] is none */
    size_t files;
    struct lbio_saved_part *part; /* by position */
    size_t parts;
    uint64_t unsynced; /* writes that are not believed */
};

/* NULL if it is not a log or cannot be read: errno, or EBADMSG if its content is invalid. An owned one is read as it
 * stands. */
struct lbio_saved *lbio__saved_open(const char *directory);
void lbio__saved_close(struct lbio_saved *l);

/* Bytes of file `number` that are pending. */
int64_t lbio__saved_pending(const struct lbio_saved *l, size_t number);

enum lbio_saved_result {
    LBIO_WRITTEN,  /* all bytes are in the file, and synced */
    LBIO_REMOVED,  /* the file has been removed: nothing is to be done */
    LBIO_REPLACED, /* another file has its name, or nobody can say: the log is still needed */
    LBIO_FAILED    /* errno says why: the log is still needed */
};

/* Writes what is pending of a file, and takes this log's line from its marker. Not for an owned log. */
enum lbio_saved_result lbio__saved_write(struct lbio_saved *l, size_t number);

/* A directory that its process made and wrote nothing into, before it was killed, goes. 0: it did; -1: it is none, and
 * stays. */
int lbio__saved_remove_empty(const char *directory);

/* Without a log there is nothing to be recovered. 0, or -1 and errno. */
int lbio__saved_remove(struct lbio_saved *l);

#endif

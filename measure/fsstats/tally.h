/* tally.h - the statistics of darshan-fsstats
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every thread has its own; they are added at the end. A file with several hard links counts once per link. */
#ifndef DSN_TALLY_H
#define DSN_TALLY_H

#include <stdint.h>
#include <sys/stat.h>

#include "util/lib/idmap.h"

#define DSN_NBINS 65

enum dsn_histogram {
#define H(symbol, name, title, unit) DSN_H_##symbol,
#include "histograms.def"
#undef H
    DSN_NHISTOGRAMS
};

struct dsn_bin {
    int64_t count, bytes; /* files (or other things), and the sum of their sizes */
};

struct dsn_owner_sum {
    uint32_t id;
    int64_t files, bytes;
};

struct dsn_owners {
    struct dsn__idmap index;
    struct dsn_owner_sum *owners;
    size_t n, room;
};

struct dsn_tally {
    int64_t now;                          /* seconds since 1970, reference for ages */
    int64_t files, directories, others;   /* others: links, pipes, devices, sockets */
    int64_t bytes, space;                 /* of files: sizes, and space on the device */
    int64_t linked;                       /* links to files that have several */
    int64_t mounts, vanished, unreadable; /* not entered; removed meanwhile; other errors */
    struct dsn_bin bin[DSN_NHISTOGRAMS][DSN_NBINS];
    struct dsn_owners users, groups, projects; /* projects: of quotas; files without one are in none */
    int64_t largest;                           /* size of the largest file; -1: there is none */
    uint32_t largest_owner;
    char largest_path[4096];    /* below the directory */
    char unreadable_path[4096]; /* of the first */
    int unreadable_error;
};

void dsn_tally_init(struct dsn_tally *t, int64_t now);
void dsn_tally_free(struct dsn_tally *t);

/* Adds a file by its statx() result, its project (0: none), and its name in a directory. Returns 0 if out of memory. */
int dsn_tally_file(struct dsn_tally *t, const struct statx *s, uint32_t project, const char *directory,
                   const char *name);

/* Adds a value to a histogram without bytes. */
void dsn_tally_value(struct dsn_tally *t, enum dsn_histogram h, uint64_t value);

/* Records an error below `path`. */
void dsn_tally_unreadable(struct dsn_tally *t, const char *path, int error);

/* Adds `from` to `to`. Returns 0 if out of memory. */
int dsn_tally_add(struct dsn_tally *to, const struct dsn_tally *from);

#endif

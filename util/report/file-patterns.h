/* file-patterns.h - files whose names differ only in numbers, or that only share directory and suffix, taken together
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern is shown as a name in which # stands for a number and * for random letters that differ between its files (name-parts.h).
 * Files of one directory and suffix whose names differ otherwise are one pattern, DIRECTORY/[any]SUFFIX, if there are at least three of
 * them; so is what has no record of its own. Numbers in names of directories count as those in names of files. Memory, while they are
 * made: 300 bytes a pattern, of at most 2 * 32,768, and 4 bytes a file. */
#ifndef DSN_FILE_PATTERNS_H
#define DSN_FILE_PATTERNS_H

#include "report.h"

#define DSN_PATTERNS_LISTED 200

/* Who reads, or who writes, the files of a pattern. */
struct dsn_pattern_users {
    int64_t files;       /* that are read, or written */
    int64_t unknown;     /* of these, files of which the log does not know the number of ranks; of the others: */
    int64_t least, most; /* ranks of a file */
    int64_t rank;        /* the only one of all files; -1: they are several, or it is not known */
    int64_t ranks;       /* different ones of files that one rank each uses; 0: unknown */
    int64_t unnamed;     /* files that one rank uses, but it is not known which */
};

struct dsn_file_pattern {
    uint32_t first;     /* one of its files, index into report.files */
    uint64_t differ;    /* parts of that file's name that differ between files */
    int is_kind;        /* whatever their names: */
    int is_of_suffix;   /* all have this file's suffix, to the letter */
    int64_t files;      /* with a record of their own */
    int64_t aggregated; /* records of further files of the kind: their number is not known */
    int64_t opens, mapped;
    struct dsn_work work;
    /* Sizes: bytes up to the highest offset that was read or written, for a log has no sizes. */
    int64_t sized; /* files of which it is known */
    double least, most, sizes;
    /* Of files that were read, whose size is known, and that were not mapped: */
    int64_t timed;
    double timed_read, timed_size;
    struct dsn_pattern_users readers, writers;
};

struct dsn_file_patterns {
    struct dsn_file_pattern *list; /* those whose files ranks spend most time on, summed; then by bytes */
    size_t n;
    size_t of;       /* number of patterns, of which `n` are in the list; one file may be a pattern */
    size_t multiple; /* patterns of more than one file */
    int64_t rest_files;
    struct dsn_work rest; /* of the others */
    int64_t left_files; /* files in no pattern: they have no name or a number for it, or there were too many patterns */
    struct dsn_work left;
};

/* Makes them. Returns DSN_ERR_OK or MEMORY; to be released in any case. */
int dsn_file_patterns_make(const struct dsn_report *r, struct dsn_file_patterns *out);
void dsn_file_patterns_free(struct dsn_file_patterns *p);

/* Whether it stands for more than one file. */
static inline int dsn_pattern_is_multiple(const struct dsn_file_pattern *p)
{
    return p->files + p->aggregated > 1 || p->aggregated > 0;
}

/* Its name. */
void dsn_pattern_name(const struct dsn_report *r, const struct dsn_file_pattern *p, char to[DSN_NAME_ROOM]);

/* Bytes read by the sizes of the files that were read: how often they were, on average. -1: unknown. */
double dsn_pattern_times(const struct dsn_file_pattern *p);

/* "all 64 ranks", "rank 0", "one rank each, 64 in all", "1-8 ranks each", "some or all of 64 ranks"; "" in a job of one process, or if
 * nobody does. */
void dsn_pattern_users_text(const struct dsn_report *r, const struct dsn_pattern_users *u, char to[96]);

#endif

/* unit.h - shared by the unit tests: running a suite, and logs built byte by byte
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs and records are built here from the numbers in the format's specification, without a line of the code that is
 * tested. */
#ifndef DSN_UNIT_H
#define DSN_UNIT_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

/* Check notes in a file where each assertion that holds is, for a crash behind it. In loops of millions of them this takes
 * most of a test's time; a crash says where it is by a debugger or a sanitizer. */
#define _mark_point(file, line) ((void)0)

/* Check's list of functions, ended by NULL; returns the exit status. */
struct unit_test {
    const char *name;
    const TTest *test;
    int loops; /* 0: once */
};
int unit_run(const char *suite, const struct unit_test *tests);

/* Growing bytes in one byte order. */
struct unit_bytes {
    unsigned char *p;
    size_t n;
    int big; /* numbers are put big-endian */
};
void unit_put(struct unit_bytes *b, const void *bytes, size_t n);
void unit_put64(struct unit_bytes *b, uint64_t v);
void unit_put32(struct unit_bytes *b, uint32_t v);
void unit_put_double(struct unit_bytes *b, double v);

/* Whether `big` is the other byte order than this machine's. */
int unit_is_foreign(int big);

/* What stands on disk in a record of a module's version behind id and rank: indexes of values (counted as in the newest
 * version), -1 for one that the newest version does not have. Returns how many. */
#define UNIT_VALUES 652 /* no record has more */
unsigned unit_layout(unsigned module, unsigned version, int at[UNIT_VALUES]);

/* What a value is: 'i' an integer, 'f' a double, 'r' 8 raw bytes. */
char unit_kind(unsigned module, int at);

/* The record on disk: value `at` is unit_i64/unit_f64(at, seed), one that is gone is `gone`. */
int64_t unit_i64(int at, int seed);
double unit_f64(int at, int seed);
void unit_put_record(struct unit_bytes *b, unsigned module, unsigned version, uint64_t id, int64_t rank, int seed,
                     int64_t gone);

/* A log with a job of 4 ranks, three mounts, names[], and records of POSIX (3, in two streams), MPI-IO and STDIO
 * (one each). */
struct unit_log {
    const char *version; /* "3.41", "3.21", "3.10", "3.00" */
    int big;
    int compression;              /* enum dsn_compression */
    unsigned posix, mpiio, stdio; /* format versions */
    uint64_t partial;             /* by today's module ids */
    const char *metadata;
    int extension; /* with parts "nodes" (2) and "ranks" (4) */
};
extern const char *const unit_names[3];
struct unit_bytes unit_make_log(const struct unit_log *spec);

/* End of the last region of a log made by unit_make_log(), without the extension. */
extern size_t unit_log_end;

/* The same log, but with these modules instead, in ascending order of their ids. */
struct unit_region {
    unsigned module, version;
    struct unit_bytes raw; /* decompressed */
};
struct unit_bytes unit_make_regions(const struct unit_log *spec, const struct unit_region *regions, size_t n);

/* All that the reader gets out of a log, as a digest. */
struct unit_found {
    int records, segments;
    int error;       /* some code other than OK was given */
    uint64_t digest; /* of all that was read */
};
struct unit_found unit_read_everything(const char *path);

/* Puts the bytes into a file "unit.darshan" in the present directory and returns that name. */
const char *unit_write_file(const struct unit_bytes *b);

#endif

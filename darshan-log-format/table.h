/* table.h - the structure of a module's records: rows, tables, records, and the operations on them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A module (POSIX, STDIO, ...) is a table; a counter is a row of it. Rows are defined in <module>.def, the only
 * description of a counter that is maintained by hand; index.h turns them into an enum, tables.c into const data, and
 * everything else (layout on disk in every version, byte order, reduction over ranks, totals, printed names,
 * documentation) is a loop over the rows.
 *
 * Nothing here allocates, prints, or keeps state; all functions are thread-safe.
 */
#ifndef DSN_TABLE_H
#define DSN_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DSN_MODULE_SLOTS 64  /* slots in a log file's header */
#define DSN_MAX_VALUES   652 /* no record has more values than this (pinned in tables.c) */

/* A value of a record: the row's kind says which member. */
union dsn_val {
    int64_t i;
    double f;
};

#if defined __cplusplus && defined __GNUC__ /* v[] is an extension there */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

/* A record in memory: the newest version's layout, native byte order, every row present. On disk the newest version has
 * the same bytes. v[] is indexed by the enum of index.h (POSIX_OPENS, ...) and has table->nvalues entries. In some
 * modules arrays of varying length follow: see varying.h. */
struct dsn_rec {
    uint64_t id;  /* dsn_hash() of the record's name */
    int64_t rank; /* rank that owns the record, or -1: reduced over all ranks (a shared record) */
    union dsn_val v[];
};

/* Room for a record of any table. */
union dsn_any_rec {
    struct dsn_rec rec;
    uint64_t room[2 + DSN_MAX_VALUES];
};

#if defined __cplusplus && defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* Counters of a damaged log may have any value: sums wrap instead of being undefined. */
static inline int64_t dsn_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Integers of a file, at any address; `swap`: of the other byte order. */
static inline uint64_t dsn_u64_at(const void *p, int swap)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t dsn_u32_at(const void *p, int swap)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

enum dsn_kind {
    DSN_I64,
    DSN_U64, /* an integer printed as unsigned */
    DSN_F64,
    DSN_RAW /* 8 bytes of text or of a UUID: independent of byte order */
};

/* The unit of a value. Determines how it is printed and what "not available" is in logs that are too old to have the
 * row: 0 for RECID, -1 for everything else. */
enum dsn_unit {
    DSN_OPS,   /* operations */
    DSN_COUNT, /* other countable things */
    DSN_BYTES,
    DSN_SECONDS,
    DSN_TIMESTAMP, /* seconds since initialisation of the library in the process; 0: never */
    DSN_RANK,
    DSN_RECID,    /* a record id; printed as unsigned */
    DSN_BITS,     /* a bit mask, such as a file mode */
    DSN_SECONDS2, /* variance of seconds */
    DSN_BYTES2    /* variance of bytes */
};

/* How the values of two ranks (or of two records of one file) are reduced. */
enum dsn_reduction {
    DSN_SUM,
    DSN_SUM_ABSENT, /* sum; a negative result means "not available" and is stored as -1 */
    DSN_MAX,
    DSN_MIN_NZ, /* smallest positive value; 0 if there is none */
    DSN_KEEP,   /* the incoming record's value: any rank's will do */
    DSN_ANY1,   /* 1 if either is 1 */
    DSN_LEAST,  /* the smaller; DSN_FOLLOW rows with this row as leader go with it */
    DSN_MOST,   /* the larger, likewise */
    DSN_FOLLOW, /* the value of the record that won the leader row (a DSN_MAX, DSN_LEAST or DSN_MOST row) */
    DSN_TOP,    /* first row of a group of 4 * width values and 4 counts: the most frequent values */
    DSN_PART,   /* the other rows of such a group */
    DSN_SPREAD  /* population variance over ranks of total time (SECONDS2) or total bytes (BYTES2) */
};

/* The meaning of a value to code that handles all modules alike. If several rows of a table have the same role, its
 * value is their sum. */
enum dsn_role {
    DSN_NONE,
    DSN_OPENS,
    DSN_R_OPS,
    DSN_W_OPS,
    DSN_R_BYTES,
    DSN_W_BYTES,
    DSN_R_EXTENT, /* highest byte offset read */
    DSN_W_EXTENT,
    DSN_R_TIME,
    DSN_W_TIME,
    DSN_M_TIME,
    DSN_FIRST_OPEN, /* timestamp of the start of the first open */
    DSN_LAST_IO,    /* timestamps of the end of the last read and of the last write */
    DSN_OWNER,      /* record id of the file that contains the object: first on disk, printed last, not a counter */
    DSN_PLACE,      /* identity or layout of the record; not a counter, and not printed as one */
    DSN_SYNC,       /* APMPI: measured only if the header of its records says so */
    DSN_NROLES
};

/* What happens to the value of a row that exists only in old versions. */
enum dsn_fate {
    DSN_LIVES,           /* the row still exists */
    DSN_ARRAY,           /* not a value but an array after the values: name and meaning of its elements */
    DSN_DROP,            /* dropped */
    DSN_ADD,             /* added to the row `leader`, which starts from 0 */
    DSN_SKIP_IF_POSITIVE /* a positive value means that the record belongs to another module: skip it */
};

struct dsn_row {
    const char *name; /* as printed; users grep for it. This and all text: NULL in the runtime */
    const char *doc;  /* one line of documentation; neighbours that share it are described together */
    uint8_t kind;     /* enum dsn_kind */
    uint8_t unit;     /* enum dsn_unit */
    uint8_t red;      /* enum dsn_reduction */
    uint8_t role;     /* enum dsn_role */
    uint8_t fate;     /* enum dsn_fate */
    uint8_t width;    /* DSN_TOP: values in one entry of the group */
    uint8_t since;    /* first format version with the row */
    uint8_t until;    /* first format version without it; 0: still present */
    int16_t at;       /* index into dsn_rec.v; -1 if dropped, or an array */
    int16_t leader;   /* DSN_FOLLOW, DSN_ADD: index of the other row; else -1 */
};

/* A remark for readers of a log whose module version is in [since, until]; until 0: no end. */
struct dsn_note {
    uint8_t since, until;
    const char *text;
};

struct dsn_table {
    const char *name; /* the module's printed name: "MPI-IO" */
    const char *key;  /* the prefix of its counters: "MPIIO" */
    uint8_t id;       /* slot in the log's header */
    uint8_t version;  /* newest format version: the one that we write */
    uint16_t nrows;   /* rows, including dropped ones, in their order on disk */
    uint16_t nvalues; /* values of a dsn_rec */
    uint16_t nnotes;
    const struct dsn_row *rows;
    const struct dsn_note *notes;
};

/* The table of module `id` (0..63), or NULL if the module has none: unknown, or without counters (DXT). Tables are
 * constant. */
const struct dsn_table *dsn_table(unsigned id);

/* The same while records are being counted: where the extension part "files" tells more of the module's records, their
 * values are followed by those of dsn_files_table. Only the log stores them apart. Its tables have no names. */
const struct dsn_table *dsn_counted_table(unsigned id);

/* Whether arrays follow the values of records; see varying.h. */
int dsn_table_varies(const struct dsn_table *t);

/* The table's array number `i` (from 0), in the order of its rows; NULL if there are fewer. */
const struct dsn_row *dsn_table_array(const struct dsn_table *t, unsigned i);

/* Whether a row is a counter: a number that is printed, summed and compared. */
int dsn_row_is_counter(const struct dsn_row *row);

/* The row of value `at` in the table's records (0 <= at < nvalues). May take linear time. */
const struct dsn_row *dsn_table_row(const struct dsn_table *t, unsigned at);

/* Stores the indexes of all rows with `role`, at most `max`, in `at`. Returns their number. */
unsigned dsn_role_rows(const struct dsn_table *t, enum dsn_role role, uint16_t *at, unsigned max);

/* The sum of all values with `role` in a record: integers, or doubles as the second form. Rows that are "not
 * available" (-1) count as 0. */
int64_t dsn_rec_role_i64(const struct dsn_table *t, const struct dsn_rec *r, enum dsn_role role);
double dsn_rec_role_f64(const struct dsn_table *t, const struct dsn_rec *r, enum dsn_role role);

/* Bytes of a record, without arrays: on disk in format version `version` (1..t->version; 0 for an unknown version), and
 * in memory (the newest version's size). */
size_t dsn_rec_disk_size(const struct dsn_table *t, unsigned version);
size_t dsn_rec_size(const struct dsn_table *t);

enum dsn_loaded { DSN_LOADED, DSN_SKIPPED };

/* Reads a record of format version `version` (one for which dsn_rec_disk_size is not 0) from `disk` into `out`
 * (dsn_rec_size(t) bytes): swaps bytes first (`swap`), then converts to the newest version. DSN_SKIPPED: the record
 * does not belong to this module (streams in POSIX version 1), `out` is undefined. `disk` need not be aligned. */
enum dsn_loaded dsn_rec_load(const struct dsn_table *t, unsigned version, int swap, const void *disk,
                             struct dsn_rec *out);

/* How groups of most frequent values of two records are merged. */
enum dsn_top_rule {
    DSN_TOP_MERGE, /* the four most frequent of both, ordered by count, then value, descending (the runtime's rule) */
    DSN_TOP_FOLD   /* the rule of printed totals (spec parser-output.md 3.4); these have no variances, so SPREAD rows
                    * are left alone */
};

/* Prepares a rank's own record for reduction over all ranks: its LEAST and MOST rows (and followers) describe this
 * rank, and its rank becomes -1. */
void dsn_rec_prepare(const struct dsn_table *t, struct dsn_rec *r, int64_t rank);

/* inout := reduction of in and inout, row by row. `in_ranks` and `inout_ranks` are the numbers of ranks that each
 * stands for (needed by DSN_SPREAD: during the reduction, such a row holds the running sum of squares). The order of
 * operands matters only for KEEP rows and for ties. Ids and ranks are left alone; `in` is only read. */
void dsn_rec_reduce(const struct dsn_table *t, const struct dsn_rec *in, int64_t in_ranks, struct dsn_rec *inout,
                    int64_t inout_ranks, enum dsn_top_rule rule);

/* The same with DSN_TOP_MERGE for many records of one table. */
struct dsn_reducer;
void dsn_reducer_init(const struct dsn_table *t, struct dsn_reducer *r);
void dsn_reduce(const struct dsn_reducer *r, const struct dsn_rec *in, int64_t in_ranks, struct dsn_rec *inout,
                int64_t inout_ranks);

/* The same with DSN_TOP_FOLD for many records of one table: the steps are determined once, and each handles a run of
 * rows with the same reduction. */
struct dsn_step {
    uint8_t red, kind, unit, width, leader_red; /* as in dsn_row */
    uint16_t at, n;                             /* values from `at` on */
    uint16_t leader;
};

/* Fills `steps`, returns how many there are. */
unsigned dsn_fold_steps(const struct dsn_table *t, struct dsn_step steps[DSN_MAX_VALUES]);
void dsn_fold(const struct dsn_step *steps, unsigned n, const struct dsn_rec *in, struct dsn_rec *inout);

struct dsn_reducer {
    struct dsn_step step[DSN_MAX_VALUES];
    uint16_t time[8], bytes[8];         /* rows that make up total time and total bytes */
    uint16_t time_spread, bytes_spread; /* their variances */
    unsigned nsteps, ntimes, nbytes;
    int has_time_spread, has_bytes_spread;
};

/* After the last dsn_rec_reduce over `ranks` ranks: converts running sums of squares to population variances. */
void dsn_rec_finish(const struct dsn_table *t, struct dsn_rec *r, int64_t ranks);

/* Puts (value, count) into the four published slots of a group of `width`-tuples: `slots` is the group's first
 * value (4 * width values, then 4 counts). Ordered by count, then first element, descending; a tuple whose first
 * element is 0 is never published; an older entry of the same tuple is replaced. Source: spec modules-io.md 2.5. */
void dsn_top_publish(union dsn_val *slots, unsigned width, const int64_t *value, int64_t count);

/* Sum of squared deviations of the union of two sets, from their sizes, sums and sums of squared deviations. */
double dsn_spread(double n1, double t1, double s1, double n2, double t2, double s2);

/* Index of the histogram bin (0..9) of an access of `bytes`; upper bounds, inclusive: 100, 1 KiB, 10 KiB, 100 KiB, 1
 * MiB, 4 MiB, 10 MiB, 100 MiB, 1 GiB. */
static inline unsigned dsn_size_bin(int64_t bytes)
{
    if (bytes <= 1 << 20)
        return (unsigned)((bytes > 100) + (bytes > 1 << 10) + (bytes > 10 << 10) + (bytes > 100 << 10));
    return (unsigned)(5 + (bytes > 4 << 20) + (bytes > 10 << 20) + (bytes > 100 << 20) + (bytes > 1 << 30));
}

#endif

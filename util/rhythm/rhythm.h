/* rhythm.h - the rhythm of a program's I/O: bursts, the cycles in which they recur, and an estimate by the spectrum
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct dsn_rhythm_input *in = dsn_rhythm_input_new(0);
 *     struct dsn_rhythm r;
 *
 *     while (...)
 *         dsn_rhythm_take(in, &event);                 of a trace, in the order in which they come
 *     if (dsn_rhythm_find(in, &options, &r))
 *         ...                                          r.verdict says whether there is a rhythm, and why not
 *     dsn_rhythm_free(&r);
 *     dsn_rhythm_input_free(in);
 *
 * Reads and writes are ordered by time. Long pauses belong between bursts, short ones into them: what is long is found
 * where the sorted pauses have their widest jump. A burst's signature says which operations, files and sizes it is made
 * of; bursts that recur in the same order at least three times are a cycle, and a cycle whose period is steady is a
 * rhythm. That three bursts are as far from each other as the next three happens by chance, too: how often it would in
 * random I/O is computed and told, and what is likely by chance is no rhythm. Private to util. */
#ifndef DSN_RHYTHM_H
#define DSN_RHYTHM_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/trace/trace.h"

#define DSN_RHYTHM_LEAST_GAP  1000u             /* ns; shorter ones are noise of clocks */
#define DSN_RHYTHM_MAX_PERIOD 64                /* bursts of a cycle */
#define DSN_RHYTHM_MOST       ((size_t)4 << 20) /* operations that are kept one by one: 192 MiB */
#define DSN_RHYTHM_ATTEMPTS   16

/* What time is. */
enum dsn_rhythm_clock {
    DSN_CLOCK_AUTO, /* CPU time if the trace has it, is of one process, and it is most of the run; else wall time */
    DSN_CLOCK_WALL,
    DSN_CLOCK_CPU
};

/* When bursts are alike, the strictest first. */
enum dsn_rhythm_likeness {
    DSN_LIKE_IN_ORDER, /* the same operations, files and sizes in the same order, counts within 2 % */
    DSN_LIKE_FILES,    /* the same in any order: of several processes, what is done at once comes in any */
    DSN_LIKE_NAMES,    /* likewise; names of files may differ in their numbers: step-0001, step-0002 */
    DSN_LIKE_BYTES,    /* they read and write about as many bytes */
    DSN_NLIKENESSES
};

struct dsn_rhythm_burst {
    uint64_t start, end; /* ns */
    uint64_t takes;      /* ns of run time */
    size_t first, n;     /* of the operations, as sorted */
    uint64_t ops;        /* n, but for operations that were put together */
    uint64_t bytes[2];   /* read, written */
    uint32_t signature;  /* number of the first burst that it is like */
    uint32_t cycle;      /* number of the cycle that it is in, from 1 on; 0: none */
    uint32_t place;      /* in the cycle: 0 ... period - 1 */
    int is_partial;      /* of a repeat that is not whole: the last of its stretch */
};

/* `period` different bursts, one after the other, again and again. */
struct dsn_rhythm_cycle {
    size_t first, period;   /* first: burst */
    size_t repeats;         /* whole ones */
    size_t last;            /* burst, of a partial repeat perhaps */
    size_t missing;         /* repeats that were left out, as the steps tell */
    size_t interruptions;   /* something else came between two repeats */
    uint64_t start, end;    /* ns */
    double mean, deviation; /* seconds from one repeat's beginning to the next one's; a missing one is no longer step */
    uint64_t ops, bytes[2]; /* of the whole repeats */
    double chance;          /* that random I/O would look like it; at most 1 */
    int is_regular;         /* its period is steady: it is a rhythm */
    int is_stream;          /* operations go on steadily, without pauses that are worth the name: it is none */
};

struct dsn_rhythm_spectrum {
    int is_known;       /* a period was found */
    double period;      /* seconds */
    double strength;    /* power of the peak over the mean power */
    double chance;      /* that noise has such a peak */
    double correlation; /* of the series with itself, a period later */
    double support;     /* share of the periods in which there was I/O at about the same time */
    double confidence;  /* 0 ... 1: correlation times support */
    double from;        /* seconds: the series' part that it was found in begins there, and goes on to the end */
    double width;       /* seconds of a bin of the series that it was found in */
    size_t bins;
    double next; /* seconds: when the next burst would be at its height */
};

/* What was found in the operations of the job, or of one process. */
struct dsn_rhythm_part {
    uint64_t ops, bytes[2];
    uint64_t start, end; /* ns: of the first operation, and when the last one ended */
    double threshold;    /* seconds: pauses from here on separate bursts; 0: there are none */
    enum dsn_rhythm_likeness likeness;
    struct dsn_rhythm_burst *bursts;
    size_t nbursts;
    struct dsn_rhythm_cycle *cycles;
    size_t ncycles;
    double regularity;        /* share of the operations that is in cycles */
    double steadiness;        /* share of operations or bytes, the larger, that is in regular cycles */
    uint32_t rhythm;          /* the regular cycle that has most of them, from 1 on; 0: there is no rhythm */
    size_t anchors;           /* bursts in which the same file, operation and size moves about as much as it does at
                                * most: the number of cycles, even if the first or the last one is cut */
    double interval;          /* median of the seconds between their beginnings; 0: there is one only */
    int next_known;           /* the last cycle goes on to the end */
    double next, next_within; /* seconds: when the next burst would begin, and a standard deviation of that */
    uint32_t next_place;      /* which burst of the cycle it is */
    size_t alike;             /* bursts of the signature that most of them have */
    double score; /* 0 ... 1: how much of the operations and of the time regular cycles have; 0: no rhythm */
    double span;  /* share of the time from the first operation to the last that regular cycles take */
};

enum dsn_rhythm_verdict {
    DSN_RHYTHM_EXACT,        /* cycles of the job */
    DSN_RHYTHM_OF_PROCESSES, /* of most processes, each by itself */
    DSN_RHYTHM_SPECTRAL,     /* no cycle recurs exactly, but the amount of I/O does */
    DSN_RHYTHM_NOTHING,      /* no reads and writes; from here on: no rhythm, and why */
    DSN_RHYTHM_ONE_OPERATION,
    DSN_RHYTHM_ONE_BURST,
    DSN_RHYTHM_TWO_BURSTS,
    DSN_RHYTHM_STREAM,   /* operations follow each other steadily, or nearly without pauses */
    DSN_RHYTHM_BRIEF,    /* what recurs is a small part of the run */
    DSN_RHYTHM_UNSTEADY, /* bursts recur, but not at a steady pace */
    DSN_RHYTHM_UNLIKE    /* no sequence of bursts recurs */
};

struct dsn_rhythm_process {
    uint64_t id, ops, bytes;
    double period, deviation; /* seconds; 0: no rhythm */
    double score;
    size_t repeats, bursts; /* of a repeat */
};

/* Amounts over time. */
struct dsn_rhythm_series {
    uint64_t width; /* ns of a bin */
    size_t n;
    uint64_t (*ops)[2], (*bytes)[2]; /* read, written; an operation counts where it begins */
};

/* A kind of operations, and a file. */
struct dsn_rhythm_kind {
    uint64_t size;
    uint32_t file;
    uint8_t is_write;
};
struct dsn_rhythm_file {
    const char *path; /* NULL: not known */
    uint64_t id;      /* as the trace has it */
    uint64_t process; /* that id is of; without a meaning if there is a path */
    uint32_t name;    /* number of its name with the numbers left out */
    int is_device;
};

/* An operation, or several of one kind and process that followed each other closely. */
struct dsn_rhythm_op {
    uint64_t start, end;       /* ns; of CPU time, if that is the clock: `end` is when the last of them began */
    uint64_t other, other_end; /* the same by the other clock */
    uint32_t kind, process, n;
};

struct dsn_rhythm_input;

struct dsn_rhythm_options {
    enum dsn_rhythm_clock clock;
    double pause;    /* seconds that separate bursts; 0: to be found */
    double bin;      /* seconds of a bin of the series; 0: 1 s */
    int per_process; /* processes are looked at even if the job has a rhythm */
};

struct dsn_rhythm {
    enum dsn_rhythm_verdict verdict;
    const char *source;          /* what it was found in, "dxt", "HEATMAP" */
    double resolution;           /* seconds of a heat map's bin; 0: operations, which are exact */
    enum dsn_rhythm_clock clock; /* WALL or CPU */
    int cpu;                     /* enum darshan_trace_cpu of the trace */
    double cpu_share;         /* CPU time over run time until the last operation, of the only process; 0: of several */
    uint64_t epoch;           /* ns since 1970 at which time is 0; 0: not known, or it is CPU time */
    uint64_t others, failed;  /* events that are no reads and writes; failed ones */
    uint64_t left_out;        /* operations that there was no room for */
    uint64_t resolution_lost; /* ns: operations of one kind that are closer are taken as one; 0: none are */
    size_t nprocesses;
    struct dsn_rhythm_part job;
    struct dsn_rhythm_part process; /* that stands for the others; if the verdict is OF_PROCESSES */
    uint64_t process_id;
    struct dsn_rhythm_process *processes; /* that were looked at, most bytes first */
    size_t nlooked_at, nagreeing;         /* with the one that stands for them */
    struct dsn_rhythm_spectrum spectrum;
    struct dsn_rhythm_series wall, used; /* over time, and over CPU time: n is 0 if there is none */
    const struct dsn_rhythm_op *ops;     /* that the bursts of `job` count */
    const struct dsn_rhythm_op *process_ops;
    const struct dsn_rhythm_input *input; /* kinds, files, and process ids by number */
    struct dsn_rhythm_op *storage;        /* that process_ops are in */
};

/* `most`: operations that are kept; 0: DSN_RHYTHM_MOST. NULL: there is no memory. */
struct dsn_rhythm_input *dsn_rhythm_input_new(size_t most);
void dsn_rhythm_input_free(struct dsn_rhythm_input *in);

/* Events that move no data are counted only. 0: there is no memory. */
int dsn_rhythm_take(struct dsn_rhythm_input *in, const struct darshan_trace_event *e);

/* All events of a trace; `cpu`, epoch and the source are taken from it. Returns 1; 0: there is no memory; -1: the trace
 * is damaged (err), and what came before was taken. */
int dsn_rhythm_take_trace(struct dsn_rhythm_input *in, struct darshan_trace *t, struct darshan_trace_error *err);

/* To be given to dsn_rhythm_free(), before `in` is freed. `options` NULL: as usual. 0: there is no memory, and nothing
 * is to be freed. May be called once. */
int dsn_rhythm_find(struct dsn_rhythm_input *in, const struct dsn_rhythm_options *options, struct dsn_rhythm *out);
void dsn_rhythm_free(struct dsn_rhythm *r);

/* Fills `in` with the stretches of a heat map's bins in which data was moved, of the layer that moved most: a burst
 * each. Returns the name of the layer; NULL: there is none, or damage (err->code), or no memory (DSN_ERR_MEMORY). */
const char *dsn_rhythm_take_heat(struct dsn_rhythm_input *in, struct darshan_reader *log,
                                 struct darshan_reader_error *err);

/* Those of the log at `path`, open as `log`: of its traces, or where it has none, of its heat map. err->code tells of
 * damage; what came before it was taken. 0: there is no memory. */
int dsn_rhythm_take_log(struct dsn_rhythm_input *in, const char *path, struct darshan_reader *log,
                        struct darshan_reader_error *err);

/* How many operations are there to be looked at. */
size_t dsn_rhythm_taken(const struct dsn_rhythm_input *in);

const struct dsn_rhythm_kind *dsn_rhythm_kind(const struct dsn_rhythm_input *in, uint32_t number);
const struct dsn_rhythm_file *dsn_rhythm_file(const struct dsn_rhythm_input *in, uint32_t number);
uint64_t dsn_rhythm_process_id(const struct dsn_rhythm_input *in, uint32_t number);

/* "order", "files", "names", "bytes" */
const char *dsn_rhythm_likeness_name(enum dsn_rhythm_likeness likeness);

/* ------------------------------------------------------------------ output */

/* One of the bursts that a cycle is made of, on the average of its repeats. */
struct dsn_rhythm_member {
    double pause, pause_deviation; /* seconds before it; NaN: it has none that is known */
    double lasts;                  /* seconds */
    double takes;                  /* seconds of run time, whatever the clock is */
    double between;                /* seconds from the beginning of one operation to the next one's; 0: it has one */
    double ops, bytes[2];
};

/* Operations of one kind in a burst: of one file, or of files whose names differ in their numbers. */
struct dsn_rhythm_item {
    uint64_t n, size, bytes; /* size: of each; UINT64_MAX: they differ */
    size_t files;
    int is_write;
    uint32_t file; /* the first of them */
};

struct dsn_rhythm_member dsn_rhythm_member(const struct dsn_rhythm_part *p, uint32_t cycle, size_t place);

/* What burst number `burst` of a part is made of, in the order in which it begins: up to `room` items. Returns how many
 * there are; SIZE_MAX: there is no memory. `ops`: those of the part. */
size_t dsn_rhythm_items(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                        const struct dsn_rhythm_part *p, size_t burst, struct dsn_rhythm_item *items, size_t room);

/* The name of an item's file, safe to show: "step-#.h5" if the item is of several or names differ (`by_name`: the
 * likeness is NAMES or BYTES), "file 5" where there is no name. */
#define DSN_RHYTHM_NAME 240
void dsn_rhythm_item_name(const struct dsn_rhythm_input *in, const struct dsn_rhythm_item *item, int by_name,
                          char to[DSN_RHYTHM_NAME]);

/* The answer as a sentence or two; and when the next burst is expected, or "". */
#define DSN_RHYTHM_SENTENCE 512
void dsn_rhythm_say(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE]);
void dsn_rhythm_say_next(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE]);

/* "exact", "processes", "spectral", "one burst", ... */
const char *dsn_rhythm_verdict_name(enum dsn_rhythm_verdict verdict);

/* "12.5 MiB", "4.17 ms": at most 31 bytes. */
const char *dsn_rhythm_bytes(char to[32], double bytes);
const char *dsn_rhythm_seconds(char to[32], double seconds);
const char *dsn_rhythm_variation(char to[32], double deviation, double mean); /* "4.6 %" */

/* All of it as members of a JSON object, without the braces; `series`: with amounts over time. 0: there is no
 * memory. */
int dsn_rhythm_write(struct dsn_text *out, const struct dsn_rhythm *r, int series);

#endif

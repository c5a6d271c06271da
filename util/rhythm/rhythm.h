/* rhythm.h - the rhythm of a program's I/O: bursts, the cycles in which they recur, and an estimate by the spectrum
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct dsn_rhythm_input *in = dsn_rhythm_input_new(0);
 *     struct dsn_rhythm r;
 *
 *     while (...)
 *         dsn_rhythm_take(in, &event);                 the events of a trace, in order
 *     if (dsn_rhythm_find(in, &options, &r))
 *         ...                                          r.verdict: whether there is a rhythm, or why not
 *     dsn_rhythm_free(&r);
 *     dsn_rhythm_input_free(in);
 *
 * Reads and writes are ordered by time. Long pauses separate bursts, short ones are within bursts: the threshold is
 * where the sorted pauses have the widest gap. A burst's signature consists of its operations, files and sizes; bursts
 * that recur in the same order at least three times are a cycle, and a cycle with a regular period is a rhythm. Random
 * I/O may look regular, too: the probability of that is computed and reported, and what is likely by chance is not a
 * rhythm. Private to util. */
#ifndef DSN_RHYTHM_H
#define DSN_RHYTHM_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/trace/trace.h"

#define DSN_RHYTHM_LEAST_GAP  1000u             /* ns; shorter ones are noise of clocks */
#define DSN_RHYTHM_MAX_PERIOD 64                /* bursts of a cycle */
#define DSN_RHYTHM_MOST       ((size_t)3 << 19) /* operations kept individually: 72 MiB, and as much to find bursts */
#define DSN_RHYTHM_ATTEMPTS   16

/* Which clock is used. */
enum dsn_rhythm_clock {
    DSN_CLOCK_AUTO, /* CPU time if the trace has it, of a single process, and it is most of the run time; otherwise wall
                     * time */
    DSN_CLOCK_WALL,
    DSN_CLOCK_CPU
};

/* How bursts are compared, the strictest first. */
enum dsn_rhythm_likeness {
    DSN_LIKE_IN_ORDER, /* the same operations, files and sizes in the same order, counts within 2 % */
    DSN_LIKE_FILES,    /* the same in any order: concurrent operations of several processes have none */
    DSN_LIKE_NAMES,    /* likewise; file names may differ in numbers: step-0001, step-0002 */
    DSN_LIKE_BYTES,    /* similar numbers of bytes read and written */
    DSN_LIKE_ANY,      /* all bursts, whatever they move */
    DSN_NLIKENESSES
};

struct dsn_rhythm_burst {
    uint64_t start, end; /* ns */
    uint64_t takes;      /* ns of run time */
    size_t first, n;     /* index and number of operations, as sorted */
    uint64_t ops;        /* the same without merging operations */
    uint64_t bytes[2];   /* read, written */
    uint32_t signature;  /* index of the first similar burst */
    uint32_t cycle;      /* number of its cycle, starting at 1; 0: none */
    uint32_t place;      /* in the cycle: 0 ... period - 1 */
    int is_partial;      /* of an incomplete repeat at the end */
};

/* `period` different bursts, repeated. */
struct dsn_rhythm_cycle {
    size_t first, period; /* first: index of a burst */
    size_t repeats;       /* complete ones */
    size_t last;          /* burst, possibly of an incomplete repeat */
    size_t missing;       /* missing repeats, according to the steps */
    uint32_t inside;      /* number of the cycle within which this one recurs `per` times; 0: none */
    size_t per;
    size_t interruptions;   /* between repeats */
    uint64_t start, end;    /* ns */
    double mean, deviation; /* seconds from the start of a repeat to that of the next; steps with missing repeats were
                             * divided */
    double trend[2]; /* seconds: the period grows or shrinks from the first to the second, the next one; 0: no trend */
    double threshold;
    enum dsn_rhythm_likeness likeness;
    double even_bytes; /* of its own bytes, those that it explains: of a burst at most EVENLY times the median */
    uint64_t own_ops, own_bytes[2]; /* of the complete repeats */
    uint64_t ops, bytes[2];         /* the same, with those of the cycles inside */
    double chance;                  /* probability that random I/O looks like this; at most 1 */
    int is_regular;                 /* its period is regular: it is a rhythm */
    int is_stream;                  /* steady operations without notable pauses: not a rhythm */
};

struct dsn_rhythm_spectrum {
    int is_known;       /* a period was found */
    double period;      /* seconds */
    double strength;    /* power of the peak over the mean power */
    double chance;      /* probability of such a peak in noise */
    double correlation; /* autocorrelation of the series at the period */
    double support;     /* share of the periods with I/O at about the same phase */
    double confidence;  /* 0 ... 1: correlation times support */
    double from;        /* seconds: start of the part of the series in which it was found, which extends to the end */
    double width;       /* seconds per bin of the series in which it was found */
    size_t bins;
    double next; /* seconds: expected maximum of the next burst */
};

/* Result for the operations of the job, or of one process. */
struct dsn_rhythm_part {
    uint64_t ops, bytes[2];
    uint64_t start, end; /* ns: start of the first operation, end of the last one */
    double threshold;    /* seconds: shortest pause that separates bursts; 0: none */
    enum dsn_rhythm_likeness likeness;
    struct dsn_rhythm_burst *bursts;
    size_t nbursts;
    struct dsn_rhythm_cycle *cycles;
    size_t ncycles;
    double regularity;        /* share of the operations in cycles */
    double steadiness;        /* share of the bytes in regular cycles; of the operations, if they move none */
    uint32_t rhythm;          /* the regular cycle with the most bytes, starting at 1; 0: no rhythm */
    uint32_t recurring;       /* without a rhythm: the cycle that is most of it, at irregular times; 0: none */
    size_t anchors;           /* bursts in which the file, operation and size with the most data moves about its
                               * maximum: the number of cycles, even if the first or the last one is incomplete */
    double interval;          /* median of the seconds between their starts; 0: only one */
    int next_known;           /* the last cycle continues to the end */
    double next, next_within; /* seconds: expected start of the next burst, and its standard deviation */
    uint32_t next_place;      /* its place in the cycle */
    size_t alike;             /* bursts with the most frequent signature */
    double score;             /* 0 ... 1: share of bytes and time in regular cycles; 0: no rhythm */
    double span;              /* share of the time from the first to the last operation that regular cycles take */
    int is_by_class;          /* cycles are bursts of one signature, whatever comes between; otherwise sequences */
    size_t nstreams;          /* kinds of files whose bursts were separated by themselves; 0: all together */
};

enum dsn_rhythm_verdict {
    DSN_RHYTHM_EXACT,        /* cycles of the job */
    DSN_RHYTHM_OF_PROCESSES, /* of most processes, each considered separately */
    DSN_RHYTHM_SPECTRAL,     /* no exact cycle, but the amount of I/O is periodic */
    DSN_RHYTHM_NOTHING,      /* no reads and writes; from here on: no rhythm, and the reason */
    DSN_RHYTHM_ONE_OPERATION,
    DSN_RHYTHM_ONE_BURST,
    DSN_RHYTHM_TWO_BURSTS,
    DSN_RHYTHM_STREAM,   /* steady operations, or almost no pauses */
    DSN_RHYTHM_BRIEF,    /* cycles are a small part of the run */
    DSN_RHYTHM_UNSTEADY, /* bursts recur, but irregularly */
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
    uint64_t (*ops)[2], (*bytes)[2]; /* read, written; an operation counts at its start */
};

/* Sums of bytes end at INT64_MAX. */
static inline uint64_t dsn_rhythm_sum(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b || b > INT64_MAX ? INT64_MAX : a + b;
}

/* A kind of operations, and a file. */
struct dsn_rhythm_kind {
    uint64_t size;
    uint32_t file;
    uint8_t is_write;
};
struct dsn_rhythm_file {
    const char *path; /* NULL: unknown */
    uint64_t id;      /* as in the trace */
    uint64_t process; /* process of the id; undefined if there is a path */
    uint32_t name;    /* number of its name without numbers */
    int is_device;
};

/* An operation, or several consecutive ones of one kind and process, merged. */
struct dsn_rhythm_op {
    uint64_t start, end;       /* ns; of CPU time if that is the clock: then `end` is the start of the last one */
    uint64_t other, other_end; /* the same on the other clock */
    uint32_t kind, process, n;
};

struct dsn_rhythm_input;

struct dsn_rhythm_options {
    enum dsn_rhythm_clock clock;
    double pause;    /* seconds that separate bursts; 0: automatic */
    double bin;      /* seconds per bin of the series; 0: 1 s */
    int per_process; /* analyse processes even if the job has a rhythm */
};

struct dsn_rhythm {
    enum dsn_rhythm_verdict verdict;
    const char *source;          /* source of the data, "dxt", "HEATMAP" */
    double resolution;           /* seconds per bin of a heat map; 0: operations, which are exact */
    enum dsn_rhythm_clock clock; /* WALL or CPU */
    int is_by_other;             /* the clock that is tried first found no rhythm */
    int cpu;                     /* enum darshan_trace_cpu of the trace */
    double cpu_share;            /* CPU time over run time until the last operation, of a single process; 0: several */
    uint64_t epoch;              /* ns since 1970 of time 0; 0: unknown, or CPU time */
    uint64_t others, failed;     /* events other than reads and writes of files; failed ones */
    uint64_t left_out;           /* operations dropped for lack of memory */
    uint64_t resolution_lost;    /* ns: closer operations of one kind were merged; 0: none */
    size_t nprocesses;
    struct dsn_rhythm_part job;
    struct dsn_rhythm_part process; /* the representative one, if the verdict is OF_PROCESSES */
    uint64_t process_id;
    struct dsn_rhythm_process *processes; /* those analysed, descending by bytes */
    size_t nlooked_at, nagreeing;         /* number analysed, and agreeing with the representative one */
    struct dsn_rhythm_spectrum spectrum;
    struct dsn_rhythm_series wall, used; /* over run time, and over CPU time; n is 0 if there is none */
    const struct dsn_rhythm_op *ops;     /* of the bursts of `job` */
    const struct dsn_rhythm_op *process_ops;
    const struct dsn_rhythm_input *input; /* numbered kinds, files, and process ids */
    struct dsn_rhythm_op *storage;        /* owns process_ops */
};

/* `most`: limit of operations; 0: DSN_RHYTHM_MOST. NULL: no memory. */
struct dsn_rhythm_input *dsn_rhythm_input_new(size_t most);
void dsn_rhythm_input_free(struct dsn_rhythm_input *in);

/* Before events are added: of these only those that begin while the program was in that phase (darshan_reader_phase()), as far as the
 * steps of its row tell. Times of events are from the start of the log. */
void dsn_rhythm_only(struct dsn_rhythm_input *in, const struct dsn_rec *phase);

/* Adds an event. Events that move no data are only counted. 0: no memory. */
int dsn_rhythm_take(struct dsn_rhythm_input *in, const struct darshan_trace_event *e);

/* Adds all events of a trace, and takes `cpu`, epoch and the source from it. Returns 1; 0: no memory; -1: the trace is
 * damaged (err); earlier events were added. */
int dsn_rhythm_take_trace(struct dsn_rhythm_input *in, struct darshan_trace *t, struct darshan_trace_error *err);

/* Finds the rhythm. Free it by dsn_rhythm_free(), before `in`. `options` may be NULL. 0: no memory, and nothing to
 * free. May be called once. */
int dsn_rhythm_find(struct dsn_rhythm_input *in, const struct dsn_rhythm_options *options, struct dsn_rhythm *out);
void dsn_rhythm_free(struct dsn_rhythm *r);

/* Fills `in` with a heat map's sequences of bins with data, of the layer with the most: each is a burst. Returns the
 * name of the layer; NULL: none, or damage (err->code), or no memory (DSN_ERR_MEMORY). */
const char *dsn_rhythm_take_heat(struct dsn_rhythm_input *in, struct darshan_reader *log,
                                 struct darshan_reader_error *err);

/* Adds the operations of the log at `path`, open as `log`: of its traces, which have `operations`, otherwise of its heat
 * map. More than are kept are not put in order of time first, and have no estimated CPU times. err->code: damage, before
 * which everything was added. 0: no memory. */
int dsn_rhythm_take_log(struct dsn_rhythm_input *in, const char *path, struct darshan_reader *log, int64_t operations,
                        struct darshan_reader_error *err);

/* Number of operations added. */
size_t dsn_rhythm_taken(const struct dsn_rhythm_input *in);

const struct dsn_rhythm_kind *dsn_rhythm_kind(const struct dsn_rhythm_input *in, uint32_t number);
const struct dsn_rhythm_file *dsn_rhythm_file(const struct dsn_rhythm_input *in, uint32_t number);
uint64_t dsn_rhythm_process_id(const struct dsn_rhythm_input *in, uint32_t number);

/* "order", "files", "names", "bytes", "any" */
const char *dsn_rhythm_likeness_name(enum dsn_rhythm_likeness likeness);

/* ------------------------------------------------------------------ output */

/* A burst of a cycle, averaged over the repeats. */
struct dsn_rhythm_member {
    double pause, pause_deviation; /* seconds before it; NaN: unknown */
    double lasts;                  /* seconds */
    double takes;                  /* seconds of run time, whatever the clock */
    double between;                /* seconds from the start of an operation to that of the next; 0: only one */
    double ops, bytes[2];
};

/* Operations of one kind in a burst: of one file, or of files whose names differ in numbers. */
struct dsn_rhythm_item {
    uint64_t n, size, bytes; /* size: of each; UINT64_MAX: they differ */
    size_t files;
    int is_write;
    uint32_t file; /* the first of them */
};

struct dsn_rhythm_member dsn_rhythm_member(const struct dsn_rhythm_part *p, uint32_t cycle, size_t place);

/* Lists the operations of burst `burst` of a part, by their first start: up to `room` items. Returns their number;
 * SIZE_MAX: no memory. `ops`: those of the part. */
size_t dsn_rhythm_items(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                        const struct dsn_rhythm_part *p, size_t burst, struct dsn_rhythm_item *items, size_t room);

/* The name of an item's file, safe to display: "step-#.h5" if the item has several or names may differ (`by_name`: the
 * comparison is NAMES or BYTES), "file 5" without a name. */
#define DSN_RHYTHM_NAME 240
void dsn_rhythm_item_name(const struct dsn_rhythm_input *in, const struct dsn_rhythm_item *item, int by_name,
                          char to[DSN_RHYTHM_NAME]);

/* The files with most of the bytes of a cycle; "" if they have no name. `ops`: those of the part. */
void dsn_rhythm_cycle_files(const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                            const struct dsn_rhythm_part *p, uint32_t cycle, char to[DSN_RHYTHM_NAME]);

/* The result in one or two sentences; and when the next burst is expected, or "". */
#define DSN_RHYTHM_SENTENCE 1536
void dsn_rhythm_say(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE]);
void dsn_rhythm_say_next(const struct dsn_rhythm *r, char to[DSN_RHYTHM_SENTENCE]);

/* "exact", "processes", "spectral", "one burst", ... */
const char *dsn_rhythm_verdict_name(enum dsn_rhythm_verdict verdict);

/* "12.5 MiB", "4.17 ms": at most 31 bytes. */
const char *dsn_rhythm_bytes(char to[32], double bytes);
const char *dsn_rhythm_seconds(char to[32], double seconds);
const char *dsn_rhythm_variation(char to[32], double deviation, double mean); /* "4.6 %" */

/* Writes everything as members of a JSON object, without the braces; `series`: including amounts over time. 0: no
 * memory. */
int dsn_rhythm_write(struct dsn_text *out, const struct dsn_rhythm *r, int series);

#endif

/* trace.h - traces of I/O, every call or request an event: the public interface of libdarshan-trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct darshan_trace *trace;
 *     struct darshan_trace_event e;
 *     struct darshan_trace_error err;
 *     int rc;
 *
 *     if (!darshan_trace_open("job.trace", NULL, &trace, &err))
 *         ...                                                    err.text says what is wrong
 *     while ((rc = darshan_trace_next(trace, &e, &err)) > 0)
 *         printf("%llu %llu\n", (unsigned long long)e.start, (unsigned long long)e.length);
 *     if (rc < 0)
 *         ...                                                    damaged from here on; what came before is right
 *     darshan_trace_close(trace);
 *
 * Events of every format look the same and come in the order of their start, of the same start by process. Times are
 * nanoseconds, offsets and lengths bytes. A trace is not trusted: whatever it says is checked, and a damaged one gives
 * all events before the damage, then an error that names the line or byte. Names are bytes as they stand in the trace,
 * with any control character in them, and are for the caller to make safe before showing them.
 *
 * Nothing here prints, exits or keeps state outside of the handles. One handle is for one thread at a time; different
 * handles are independent. Memory is bounded by the processes and files that the trace has, not by its events: where
 * these have to be put in order, those beyond `memory` bytes wait in temporary files without a name, in $TMPDIR, else
 * in /tmp. */
#ifndef DARSHAN_TRACE_H
#define DARSHAN_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was done. Only the first two move data; `offset` and `length` of a truncation are the new size and 0, of a seek
 * the new position and 0. */
enum darshan_trace_op {
    DARSHAN_TRACE_READ,
    DARSHAN_TRACE_WRITE,
    DARSHAN_TRACE_OPEN,
    DARSHAN_TRACE_CLOSE,
    DARSHAN_TRACE_SEEK,
    DARSHAN_TRACE_SYNC,
    DARSHAN_TRACE_TRUNCATE,
    DARSHAN_TRACE_DISCARD,
    DARSHAN_TRACE_NOPS
};

/* On whose behalf. */
enum darshan_trace_class {
    DARSHAN_TRACE_DATA,
    DARSHAN_TRACE_METADATA,   /* of the file system: indirect blocks and the like */
    DARSHAN_TRACE_READ_AHEAD, /* by the file system, before it was asked for */
    DARSHAN_TRACE_PAGING,
    DARSHAN_TRACE_NCLASSES
};

/* Bits of an event's `flags`. */
#define DARSHAN_TRACE_PHYSICAL   0x01u /* a request to a device: `file` is the device, `offset` a place on it */
#define DARSHAN_TRACE_ASYNC      0x02u /* the process went on before it was done */
#define DARSHAN_TRACE_MISS       0x04u /* the cache did not have it */
#define DARSHAN_TRACE_AHEAD_HIT  0x08u /* the cache had it because it was read ahead */
#define DARSHAN_TRACE_FAILED     0x10u /* the call returned an error; length 0 */
#define DARSHAN_TRACE_NO_OFFSET  0x20u /* a pipe, a socket, or the trace does not tell: offset is 0 */
#define DARSHAN_TRACE_UNFINISHED 0x40u /* the trace ends before the call does: duration is 0 */

struct darshan_trace_event {
    uint64_t start;          /* ns since the trace began */
    uint64_t duration;       /* ns, as the process saw it; of a request: from issue to completion */
    uint64_t cpu;            /* ns of CPU time that the process had used when it started (darshan_trace_info.cpu) */
    uint64_t offset, length; /* bytes that were moved */
    uint64_t file;           /* of a call: unique per open within the process; of a request: the device */
    uint64_t process;        /* process id, or rank where the trace has ranks */
    uint64_t call;           /* the call that it belongs to; 0: not known */
    uint8_t op;              /* enum darshan_trace_op */
    uint8_t kind;            /* enum darshan_trace_class */
    uint16_t flags;
    uint32_t batch;   /* darshan_trace_info.batch at that place: what came first of what began at the same time */
    const char *path; /* of the file; NULL: not known. Lives until the next event is asked for */
    const char *host; /* of the process, likewise */
};

/* Where CPU times are from. */
enum darshan_trace_cpu {
    DARSHAN_TRACE_CPU_NONE,     /* nowhere: requests to a device */
    DARSHAN_TRACE_CPU_RECORDED, /* the trace has them */
    DARSHAN_TRACE_CPU_ESTIMATED /* the time between calls of the process */
};

struct darshan_trace_info {
    const char *format; /* "seed" */
    int base;           /* seed text: 10 or 16 */
    uint32_t tick_us;   /* seed text: what a unit of time stands for */
    int physical;       /* the trace has requests to devices, as far as the first MiB tells */
    int cpu;            /* enum darshan_trace_cpu */
    int thinned;        /* operations are missing: the collector ran out of memory */
    int directives;     /* seed text: it has lines such as `ff !tick_us 1` */
    uint64_t left_out;  /* how many, as far as it tells */
    uint64_t epoch;     /* ns since 1970 at which the trace began; 0: not known */
    uint32_t batch;     /* seed text: number of the batch that it is; 0: none */
    uint64_t bytes;     /* of the trace, as read so far */
};

struct darshan_trace_error {
    char text[240]; /* without subject and full stop: "line 7 has 6 values after the two bit sets, 7 are required" */
};

/* Zeros, or NULL for all of it, mean: as the trace says, else as usual. */
struct darshan_trace_options {
    const char *format; /* instead of recognising it */
    int base;           /* seed text: 10 or 16 */
    uint32_t tick_us;   /* seed text */
    int figure;         /* seed text: nine fields, file before operation, no CPU time, as the study's figure draws it */
    size_t memory;      /* for events that wait for their turn (64 MiB) */
    int as_found;       /* of one trace: events as they stand in it, which need not be the order of their starts */
};

struct darshan_trace;

/* Opens a trace; "-" is standard input. Returns 1; 0 with err->text if it cannot be read, is of no known format, or is
 * damaged at its very start. On success *out is to be given to darshan_trace_close(). `err` may be NULL everywhere. */
int darshan_trace_open(const char *path, const struct darshan_trace_options *options, struct darshan_trace **out,
                       struct darshan_trace_error *err);

/* Several at once as one, such as one per process or batches of one run, in any order: the events are the same,
 * whatever the order. Traces whose clocks are known are put on one clock, the others begin together. Ids of files stay
 * unless two names have the same. */
int darshan_trace_open_many(const char *const *paths, size_t n, const struct darshan_trace_options *options,
                            struct darshan_trace **out, struct darshan_trace_error *err);
void darshan_trace_close(struct darshan_trace *trace);

/* The next event. Returns 1; 0 at the end; -1 if the trace is damaged from here on, with err->text. */
int darshan_trace_next(struct darshan_trace *trace, struct darshan_trace_event *out, struct darshan_trace_error *err);

/* Valid as long as the handle; thinned, left_out, epoch and bytes grow true as it is read. */
const struct darshan_trace_info *darshan_trace_info(const struct darshan_trace *trace);

/* Notes for the user, to be printed once, at the end: anomalies, and what the format cannot represent. Returns their
 * number; text i is valid as long as the handle. */
size_t darshan_trace_notes(const struct darshan_trace *trace);
const char *darshan_trace_note(const struct darshan_trace *trace, size_t i);

/* ------------------------------------------------------------------ writing */

struct darshan_trace_writer;

/* Writes events in `format` to a descriptor, which stays the caller's. `info`: that of the trace they are from, or what
 * of it matters; NULL: CPU times recorded, ticks of 10 us. `prefix`: formats that want a file per process write
 * PREFIX.<process> instead; may be NULL where there is but one process. */
int darshan_trace_create(int fd, const char *format, const char *prefix, const struct darshan_trace_info *info,
                         struct darshan_trace_writer **out, struct darshan_trace_error *err);

/* Compresses all that is written to the descriptor by zstd; to be asked for before the first event. Returns 0 if this build
 * cannot, or there is no memory. */
int darshan_trace_compress(struct darshan_trace_writer *w, struct darshan_trace_error *err);

/* Events are to come in the order of their start; one that is late is written as if it began with the last one. */
int darshan_trace_put(struct darshan_trace_writer *w, const struct darshan_trace_event *e,
                      struct darshan_trace_error *err);

/* Writes what is left; w is to be freed after it all the same. `info`: the trace's once more, which may know by now
 * what it lacks; NULL: as it was. Returns 0 if not all could be written. */
int darshan_trace_finish(struct darshan_trace_writer *w, const struct darshan_trace_info *info,
                         struct darshan_trace_error *err);
void darshan_trace_free(struct darshan_trace_writer *w);

/* As of a trace: what of the events the format could not say, and how many it was. */
size_t darshan_trace_writer_notes(const struct darshan_trace_writer *w);
const char *darshan_trace_writer_note(const struct darshan_trace_writer *w, size_t i);

/* ------------------------------------------------------------------ formats */

struct darshan_trace_format {
    const char *name, *title;
    int reads, writes; /* whether it can be read, written */
    const char *lost;  /* what it cannot say; NULL: nothing */
};

/* Format i = 0, 1, ...; NULL when there are no more. */
const struct darshan_trace_format *darshan_trace_format(size_t i);

/* "read"; NULL if there is no such operation or class. */
const char *darshan_trace_op_name(unsigned op);
const char *darshan_trace_class_name(unsigned kind);

#ifdef __cplusplus
}
#endif

#endif

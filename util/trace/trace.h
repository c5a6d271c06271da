/* trace.h - traces of I/O with every call or request as an event: the public interface of libdarshan-trace
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
 *         ...                                                    damaged from here on; earlier events are valid
 *     darshan_trace_close(trace);
 *
 * Events of all formats have the same form, and are ordered by start, then by process. Times are in nanoseconds,
 * offsets and lengths in bytes. Traces are untrusted: everything is checked, and a damaged one gives all events before the
 * damage, then an error with the line or offset. Names are bytes as in the trace, possibly with control characters, and
 * must be made safe by the caller before printing them.
 *
 * Nothing here prints, exits or keeps state outside of the handles. A handle is not thread-safe; different handles are
 * independent. Memory depends on the number of processes and files in the trace, not of events: if these have to be
 * sorted, those beyond `memory` bytes are kept in unnamed temporary files, in $TMPDIR or /tmp. */
#ifndef DARSHAN_TRACE_H
#define DARSHAN_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operation. Only the first two move data; `offset` and `length` of a truncation are the new size and 0, of a seek
 * the new offset and 0. */
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

/* The purpose of the data. */
enum darshan_trace_class {
    DARSHAN_TRACE_DATA,
    DARSHAN_TRACE_METADATA,   /* of the file system: indirect blocks etc. */
    DARSHAN_TRACE_READ_AHEAD, /* read in advance by the file system */
    DARSHAN_TRACE_PAGING,
    DARSHAN_TRACE_NCLASSES
};

/* Bits of an event's `flags`. */
#define DARSHAN_TRACE_PHYSICAL   0x01u /* a request to a device: `file` is the device, `offset` is on the device */
#define DARSHAN_TRACE_ASYNC      0x02u /* the process did not wait for it */
#define DARSHAN_TRACE_MISS       0x04u /* cache miss */
#define DARSHAN_TRACE_AHEAD_HIT  0x08u /* cache hit due to read-ahead */
#define DARSHAN_TRACE_FAILED     0x10u /* the call returned an error; length 0 */
#define DARSHAN_TRACE_NO_OFFSET  0x20u /* a pipe, a socket, or not in the trace: offset is 0 */
#define DARSHAN_TRACE_UNFINISHED 0x40u /* the trace ends before the call: duration is 0 */

struct darshan_trace_event {
    uint64_t start;          /* ns since the trace began */
    uint64_t duration;       /* ns, as seen by the process; for a request: from issue to completion */
    uint64_t cpu;            /* ns of CPU time used by the process before the start (darshan_trace_info.cpu) */
    uint64_t offset, length; /* bytes moved */
    uint64_t file;           /* of a call: unique per open within the process; of a request: the device */
    uint64_t process;        /* process id, or rank if the trace has ranks */
    uint64_t call;           /* number of the call it belongs to; 0: unknown */
    uint8_t op;              /* enum darshan_trace_op */
    uint8_t kind;            /* enum darshan_trace_class */
    uint16_t flags;
    uint32_t batch;   /* darshan_trace_info.batch at this event: orders events with the same start */
    const char *path; /* of the file; NULL: unknown. Valid until the next event is read */
    const char *host; /* of the process, likewise */
};

/* Source of the CPU times. */
enum darshan_trace_cpu {
    DARSHAN_TRACE_CPU_NONE,     /* none: device requests */
    DARSHAN_TRACE_CPU_RECORDED, /* recorded in the trace */
    DARSHAN_TRACE_CPU_ESTIMATED /* estimated: the time between calls of the process */
};

struct darshan_trace_info {
    const char *format; /* "miller" */
    int base;           /* Miller text: 10 or 16 */
    uint32_t tick_us;   /* Miller text: unit of time */
    int physical;       /* the trace has device requests, according to the first MiB, or (options.whole) to all of it */
    int cpu;            /* enum darshan_trace_cpu */
    int thinned;        /* operations are missing: the collector ran out of memory */
    int directives;     /* Miller text: it has directives such as `ff !tick_us 1` */
    uint64_t left_out;  /* their number, if known */
    uint64_t epoch;     /* start of the trace in ns since 1970; 0: unknown */
    uint32_t batch;     /* Miller text: number of the batch; 0: none */
    uint64_t bytes;     /* of the trace, read so far */
};

struct darshan_trace_error {
    char text[240]; /* without subject and full stop: "line 7 has 6 values after the two bit sets, 7 are required" */
};

/* Zero, or NULL for the whole struct, means: as the trace says, otherwise the default. */
struct darshan_trace_options {
    const char *format; /* instead of recognising it */
    int base;           /* Miller text: 10 or 16 */
    uint32_t tick_us;   /* Miller text */
    int figure;    /* Miller text: nine fields, file before operation, no CPU time, as drawn in the study's figure */
    size_t memory; /* for sorting events (64 MiB) */
    int whole;     /* device requests are looked for in all of the file before it is read, if it is one: for writing
                    * Miller text, which links calls to them */
    int as_found;  /* one trace only: events in the order of the trace, which may differ from that of their
                         * starts */
};

struct darshan_trace;

/* Opens a trace; "-" is standard input. Returns 1; 0 with err->text if it cannot be read, is of an unknown format, or
 * is damaged at the start. On success close *out by darshan_trace_close(). `err` may be NULL everywhere. */
int darshan_trace_open(const char *path, const struct darshan_trace_options *options, struct darshan_trace **out,
                       struct darshan_trace_error *err);

/* Merges several traces, such as one per process or batches of one run: the events do not depend on the order of the
 * paths. Traces with known clocks are put on one clock, the others start together. File ids are kept unless two names
 * have the same. */
int darshan_trace_open_many(const char *const *paths, size_t n, const struct darshan_trace_options *options,
                            struct darshan_trace **out, struct darshan_trace_error *err);
void darshan_trace_close(struct darshan_trace *trace);

/* The next event. Returns 1; 0 at the end; -1 if the trace is damaged from here on, with err->text. */
int darshan_trace_next(struct darshan_trace *trace, struct darshan_trace_event *out, struct darshan_trace_error *err);

/* Valid as long as the handle; thinned, left_out, epoch and bytes are updated as the trace is read. */
const struct darshan_trace_info *darshan_trace_info(const struct darshan_trace *trace);

/* Notes for the user, to be printed once, at the end: anomalies, and what the format cannot represent. Returns their
 * number; text i is valid as long as the handle. */
size_t darshan_trace_notes(const struct darshan_trace *trace);
const char *darshan_trace_note(const struct darshan_trace *trace, size_t i);

/* Comments of Miller text, apart from its directives, read so far: those before an event are there when it is. At most 4
 * MiB are kept. Returns their number; text i is valid as long as the handle. */
size_t darshan_trace_comments(const struct darshan_trace *trace);
const char *darshan_trace_comment(const struct darshan_trace *trace, size_t i);

/* ------------------------------------------------------------------ writing */

struct darshan_trace_writer;

/* Writes events in `format` to a descriptor, which remains the caller's. `info`: that of the source trace, or its
 * relevant members; NULL: CPU times recorded, ticks of 10 us. `prefix`: formats with a file per process write
 * PREFIX.<process> instead; may be NULL for a single process. */
int darshan_trace_create(int fd, const char *format, const char *prefix, const struct darshan_trace_info *info,
                         struct darshan_trace_writer **out, struct darshan_trace_error *err);

/* Compresses the output by zstd; call it before the first event. Returns 0 if this build cannot, or there is no
 * memory. */
int darshan_trace_compress(struct darshan_trace_writer *w, struct darshan_trace_error *err);

/* Writes an event. Events must be ordered by start; one that is late is written with the start of the previous one. */
int darshan_trace_put(struct darshan_trace_writer *w, const struct darshan_trace_event *e,
                      struct darshan_trace_error *err);

/* Writes a comment, in formats that have any: Miller text and lists. Others note that they have not. */
void darshan_trace_remark(struct darshan_trace_writer *w, const char *text);

/* Writes buffered events; w must be freed afterwards in any case. `info`: the source's again, which may be more
 * complete now; NULL: unchanged. Returns 0 if not everything could be written. */
int darshan_trace_finish(struct darshan_trace_writer *w, const struct darshan_trace_info *info,
                         struct darshan_trace_error *err);
void darshan_trace_free(struct darshan_trace_writer *w);

/* Like those of a trace: what the format cannot represent, and how often. */
size_t darshan_trace_writer_notes(const struct darshan_trace_writer *w);
const char *darshan_trace_writer_note(const struct darshan_trace_writer *w, size_t i);

/* ------------------------------------------------------------------ formats */

struct darshan_trace_format {
    const char *name, *title;
    int reads, writes; /* whether it can be read, written */
    const char *lost;  /* what it cannot represent; NULL: nothing */
};

/* Format i = 0, 1, ...; NULL at the end. */
const struct darshan_trace_format *darshan_trace_format(size_t i);

/* "read"; NULL if there is no such operation or class. */
const char *darshan_trace_op_name(unsigned op);
const char *darshan_trace_class_name(unsigned kind);

#ifdef __cplusplus
}
#endif

#endif

/* calls.h - files of calls: every call of a process, as DARSHAN_TRACE leaves them on disk
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is of one process. Its first 4096 bytes are the head below; chunks of 64 KiB follow, each of one thread, in the
 * order in which the threads have taken them. All numbers are little-endian. The process has the file mapped: what was
 * stored is there whatever ends the process, and the file of one that was killed goes on with a hole.
 *
 * A chunk begins with struct dsn_calls_chunk; zeros are a chunk that was never begun. `used` bytes of records follow. A
 * record begins with 16 bits, of which the lowest four say what it is:
 *
 *     1 + enum dsn_call   a call. Fields follow in this order, of as many bytes as their two bits of those 16 say:
 *                            start       bits 4, 5     1 2 4 8   ticks since the end of the call before; it may be negative,
 *                                                                of 8 bytes
 *                            duration    bits 6, 7     1 2 4 8   ticks
 *                            file        bits 8, 9     0 1 2 4   its number; 0 bytes: that of the call before
 *                            offset      bits 10, 11   0 2 4 8   0 bytes: where the last read or write ended
 *                            length      bits 12, 13   0 2 4 8   0 bytes: that of the last read or write
 *                         The offset of a seek is the new position, that of a truncation the new size; neither changes
 *                         where the last read or write ended. Bit 14: the program did not wait for it.
 *     DSN_CALLS_NAME      a file: its number (4 bytes), the length of its path (2), the path
 *     DSN_CALLS_STAMP     a thread's number (4 bytes), whose calls follow; ns of CPU time of that thread (8 bytes; 2^64 - 1:
 *                         not known); ticks (8 bytes). What follows is relative to a call that ended at these ticks, of file
 *                         0, and a read at place 0, of length 0. A chunk begins with one; others come before a call that was
 *                         made after a pause of a millisecond (CPU time is that at its end), where there was to be more room,
 *                         where a thread goes on in the chunk of one that has ended, and where it was torn out of a record
 *
 * Numbers of files are given in the order of opening, within the process, to each open anew. Ticks are those that the counters
 * of the log are made of (runtime/base/clock.h); how long one is, the two moments of the head tell. */
#ifndef DSN_CALLS_H
#define DSN_CALLS_H

#include <stdint.h>

#define DSN_CALLS_MAGIC       UINT64_C(0x534c4c41434e5344) /* "DSNCALLS" */
#define DSN_CALLS_VERSION     1
#define DSN_CALLS_HEAD        4096
#define DSN_CALLS_CHUNK       65536
#define DSN_CALLS_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define DSN_CALLS_NO_CPU      UINT64_MAX

enum dsn_call {
    DSN_CALL_READ,
    DSN_CALL_WRITE,
    DSN_CALL_OPEN,
    DSN_CALL_CLOSE,
    DSN_CALL_SEEK,
    DSN_CALL_SYNC,
    DSN_CALL_TRUNCATE,
    DSN_NCALLS
};

enum { DSN_CALLS_NAME = 1 + DSN_NCALLS, DSN_CALLS_STAMP };

/* Positions of the fields in the 16 bits. */
enum {
    DSN_CALLS_START = 4,
    DSN_CALLS_DURATION = 6,
    DSN_CALLS_FILE = 8,
    DSN_CALLS_OFFSET = 10,
    DSN_CALLS_LENGTH = 12,
    DSN_CALLS_ASYNC = 14
};

#define DSN_CALLS_RECORD_MAX (2 + 8 + 8 + 4 + 8 + 8)
#define DSN_CALLS_NAME_HEAD  (2 + 4 + 2)
#define DSN_CALLS_NAME_MAX   4096 /* bytes of a path */
#define DSN_CALLS_STAMP_SIZE (2 + 4 + 8 + 8)

struct dsn_calls_moment {
    uint64_t ticks, ns; /* ns of CLOCK_MONOTONIC */
};

struct dsn_calls_head {
    uint64_t magic;
    uint32_t version, head_size, chunk_size, unused;
    uint64_t process;                    /* pid, in its own PID namespace */
    int64_t rank;                        /* -1: not an MPI rank */
    uint64_t nprocs;                     /* ranks of the job */
    uint64_t jobid;                      /* as in the log */
    uint64_t key;                        /* identical in all processes of a job, and in no other job */
    uint64_t epoch;                      /* ns since 1970 at `first` */
    struct dsn_calls_moment first, last; /* the earliest and the latest known */
    uint64_t taken;                      /* chunks in use: what follows them is invalid */
    uint64_t left_out;                   /* calls not logged, for lack of space or because the disk was too slow */
    uint64_t ended;                      /* 1: the file is complete */
    char host[64], program[128];         /* NUL-terminated */
};

struct dsn_calls_chunk {
    uint32_t magic, used;
};

#ifndef __cplusplus
_Static_assert(sizeof(struct dsn_calls_head) == 320 && sizeof(struct dsn_calls_chunk) == 8, "as on disk");
#endif

#endif

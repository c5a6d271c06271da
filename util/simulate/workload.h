/* workload.h - what a trace says, in the form that the simulators want it: the operations of each process, one after another
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Made of one or several traces of libdarshan-trace. Only reads, writes and syncs of file data that did not fail are
 * kept; what was left out is counted. Memory: 56 bytes an operation, while it is made twice that. Private to util. */
#ifndef DSN_SIMULATE_WORKLOAD_H
#define DSN_SIMULATE_WORKLOAD_H

#include "util/lib/striping.h"
#include "util/trace/pairmap.h"
#include "util/trace/trace.h"

enum { DSN_LOAD_WRITE = 1, DSN_LOAD_ASYNC = 2, DSN_LOAD_SYNC = 4, DSN_LOAD_NO_OFFSET = 8 };

/* No operation reaches beyond this offset: sums of offsets and lengths do not overflow. */
#define DSN_LOAD_REACH ((uint64_t)1 << 60)

struct dsn_load_op {
    uint64_t start, duration; /* ns since the trace began */
    uint64_t cpu;             /* ns of CPU time since the process's operation before */
    uint64_t offset, length;
    uint32_t file;
    uint16_t flags;
    uint16_t spare;
};

struct dsn_load_file {
    uint64_t id;     /* as the trace has it */
    uint64_t extent; /* largest offset that an operation ends at */
    char *path;      /* NULL: not known */
    uint64_t record; /* key of its layout in dsn_load.layouts, */
    int is_striped;  /* if it has one */
    double bytes;    /* read and written */
};

struct dsn_load_process {
    uint64_t id;         /* as the trace has it */
    uint32_t trace;      /* number of the trace that it is from */
    uint32_t node;       /* processes on one host have the same */
    size_t first, n;     /* its operations in dsn_load.ops */
    uint64_t cpu, spare; /* used while it is made: CPU time at the operation before; operations placed */
};

struct dsn_load {
    struct dsn_load_op *ops; /* by process, then by start */
    size_t nops;
    size_t *order;                      /* numbers of operations, all of them by start */
    struct dsn_load_process *processes; /* in the order of their first operation */
    size_t nprocesses;
    struct dsn_load_file *files;
    size_t nfiles;
    uint32_t nnodes;
    int hosts_known;            /* the nodes are from the trace; else all processes are on one */
    int cpu;                    /* enum darshan_trace_cpu */
    int thinned;                /* operations are missing */
    uint64_t left_out;          /* how many, as far as the trace tells */
    uint64_t requests;          /* requests to devices, failed and unfinished operations: not taken */
    uint64_t last_end;          /* ns: the end of the operation that ended last */
    uint64_t bytes[2];          /* read, written */
    struct dsn_layouts layouts; /* of files on Lustre, as logs have them */
    struct darshan_trace_error err;

    /* while it is made */
    size_t room, process_room, file_room, node_room;
    uint32_t *process_of; /* of each operation */
    struct dsn__pairmap process_map, file_map, node_map;
};

void dsn_load_init(struct dsn_load *j);
void dsn_load_free(struct dsn_load *j);

/* Takes all events of a trace. `which`: its number; processes of different numbers are different, and their files, too,
 * if `apart`. Returns 0 with j->err if the trace is damaged or there is no memory. */
int dsn_load_take(struct dsn_load *j, struct darshan_trace *t, uint32_t which, int apart);

/* Notes the layouts of files, if `name` is a log with records of Lustre. After the operations were taken. Returns 0 if there
 * is no memory. */
int dsn_load_layouts(struct dsn_load *j, const char *name);

/* Puts the operations of each process together. Returns 0 with j->err if there is no memory, or nothing to simulate. */
int dsn_load_end(struct dsn_load *j);

#endif

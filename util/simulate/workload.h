/* workload.h - the operations of a trace, in order for each process, as input of the simulators
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Made from one or several traces of libdarshan-trace. Only successful reads, writes and syncs of file data are kept;
 * others are counted. Memory: 56 bytes per operation, twice that during construction. Private to util. */
#ifndef DSN_SIMULATE_WORKLOAD_H
#define DSN_SIMULATE_WORKLOAD_H

#include "util/lib/striping.h"
#include "util/trace/pairmap.h"
#include "util/trace/trace.h"

enum { DSN_LOAD_WRITE = 1, DSN_LOAD_ASYNC = 2, DSN_LOAD_SYNC = 4, DSN_LOAD_NO_OFFSET = 8 };

/* No operation extends beyond this offset, so that sums of offsets and lengths do not overflow. */
#define DSN_LOAD_REACH ((uint64_t)1 << 60)

struct dsn_load_op {
    uint64_t start, duration; /* ns since the start of the trace */
    uint64_t cpu;             /* ns of CPU time since the process's previous operation */
    uint64_t offset, length;
    uint32_t file;
    uint16_t flags;
    uint16_t spare;
};

struct dsn_load_file {
    uint64_t id;     /* as in the trace */
    uint64_t extent; /* maximum end offset of an operation */
    char *path;      /* NULL: unknown */
    uint64_t record; /* key of its layout in dsn_load.layouts, */
    int is_striped;  /* if it has one */
    double bytes;    /* read and written */
};

struct dsn_load_process {
    uint64_t id;         /* as in the trace */
    uint32_t trace;      /* number of its trace */
    uint32_t node;       /* the same for processes on the same host */
    size_t first, n;     /* its operations in dsn_load.ops */
    uint64_t cpu, spare; /* during construction: CPU time at the previous operation; operations placed */
};

struct dsn_load {
    struct dsn_load_op *ops; /* by process, then by start */
    size_t nops;
    size_t *order;                      /* indexes of operations, sorted by start */
    struct dsn_load_process *processes; /* by their first operation */
    size_t nprocesses;
    struct dsn_load_file *files;
    size_t nfiles;
    uint32_t nnodes;
    int hosts_known;            /* nodes are those in the trace; otherwise all processes are on one */
    int cpu;                    /* enum darshan_trace_cpu */
    int thinned;                /* operations are missing */
    uint64_t left_out;          /* their number, if known */
    uint64_t requests;          /* device requests, failed and unfinished operations: ignored */
    uint64_t last_end;          /* ns: end of the operation that ended last */
    uint64_t bytes[2];          /* read, written */
    struct dsn_layouts layouts; /* of files on Lustre, from logs */
    struct darshan_trace_error err;

    /* during construction */
    size_t room, process_room, file_room, node_room;
    uint32_t *process_of; /* of each operation */
    struct dsn__pairmap process_map, file_map, node_map;
};

void dsn_load_init(struct dsn_load *j);
void dsn_load_free(struct dsn_load *j);

/* Adds all events of a trace. `which`: its number; processes of different numbers are different, and so are their files
 * if `apart`. Returns 0 with j->err if the trace is damaged or out of memory. */
int dsn_load_take(struct dsn_load *j, struct darshan_trace *t, uint32_t which, int apart);

/* Reads the layouts of files, if `name` is a log with records of Lustre. Call it after adding operations. Returns 0 if
 * out of memory. */
int dsn_load_layouts(struct dsn_load *j, const char *name);

/* Groups the operations by process. Returns 0 with j->err if out of memory, or if there is nothing to simulate. */
int dsn_load_end(struct dsn_load *j);

#endif

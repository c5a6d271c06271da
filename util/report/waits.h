/* waits.h - how long ranks waited for their I/O, at the highest layer that they called
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that has records of several layers was used through the highest of them: HDF5 or PnetCDF above MPI-IO above
 * POSIX, STDIO and DFS. Time of a lower layer lies inside a call of the upper one and is counted once: of each file
 * the layer with most seconds counts. Where the program called two layers for the same file by itself that is less than
 * it waited, never more. Time in collective reads and writes that is not in the calls below is waiting: for other
 * ranks, and for data to be exchanged with them. In files that are opened collectively, metadata time of MPI-IO is
 * waiting, too, if it exceeds the metadata time at storage of the rank with most of it (waiting for the rank that opens a
 * file for all is time of the file system) and what even the fastest rank spends, which may be MPI's own time, up to a
 * limit. Private to util/report. */
#ifndef DSN_WAITS_H
#define DSN_WAITS_H

#include "report.h"

enum { DSN_LEVEL_BOTTOM, DSN_LEVEL_MPIIO, DSN_LEVEL_LIBRARY, DSN_NLEVELS };

/* A file with records above POSIX, STDIO and DFS. */
struct dsn_stack {
    uint64_t id;
    int32_t file; /* index into report.files; -1: no lower layer has a record of it */
    struct {
        double read, write, meta; /* seconds, summed over ranks */
    } level[DSN_NLEVELS];
    int64_t collective;                  /* data requests of MPI-IO */
    int64_t opens_together, opens_alone; /* opens in MPI-IO, collective and independent */
    int64_t openers;                     /* ranks with records in MPI-IO */
    double fastest;                      /* least seconds of one of them there, */
    int64_t fastest_rank;                /* that rank; -1: unknown */
    double wait_open;                    /* waiting in collective opens and closes, summed over ranks */
    double library;                      /* in HDF5 or PnetCDF but in no call below, if that is most of it */
    double as_metadata;                  /* in reads and writes of MPI-IO made by a library's metadata calls */
    double data;                         /* in calls that move data but in no call below, nor in `library` */
    int64_t asked_read, asked_written;   /* bytes requested: of HDF5's datasets, if there are any, or of MPI-IO */
    int of_datasets;                     /* whether they are that */
    float least[DSN_NLEVELS], most[DSN_NLEVELS]; /* bounds of any rank's seconds on shared records */
};

/* One rank's seconds in one layer of one file according to a record: added to both bounds. */
struct dsn_piece {
    uint32_t stack; /* DSN_NO_STACK: only bottom layers have records of the file */
    int32_t rank;
    float least, most;
    uint8_t level;
};
#define DSN_NO_STACK UINT32_MAX

/* Adds a record, whose file is known already if a bottom layer has one. `own`: the file it belongs to. Returns
 * DSN_ERR_OK or MEMORY. */
int dsn__waits_add(struct dsn_report *r, const struct dsn_report_layer *l, const struct dsn_rec *rec, uint64_t own);

/* Seconds of all ranks on a file, in the layer with most of them. */
double dsn_stack_time(const struct dsn_stack *s, const struct dsn_work *below);

/* The stack of that id; NULL: there is none. */
const struct dsn_stack *dsn_stack_of(const struct dsn_report *r, uint64_t id);

/* How a rank spent these seconds, all of its I/O. What is above the bottom layer is divided like that of all ranks. */
void dsn__parts_of(const struct dsn_report *r, const struct dsn_report_rank *rank, double all,
                   struct dsn_wait_parts *to);

/* Computes report.waits and the bounds of each rank, after all records and the ranks' totals have been read. Returns
 * DSN_ERR_OK or MEMORY. */
int dsn__waits_make(struct dsn_report *r);

void dsn__waits_free(struct dsn_report *r);

#endif

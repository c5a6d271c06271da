/* mpi.h - interface between darshan-sweep and the MPI program that it starts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program is called as
 *
 *     sweep-mpi-<MPI> DIRECTORY REQUEST SIZE SAMPLES WANTED RESERVE
 *
 * DIRECTORY is used by this program only. SAMPLES 0: measure nothing. WANTED: bit 0 reads, bit 1 writes. Rank 0 prints
 * "ranks <n>" first, then a line per sample: "<mode> <write> <bytes> <seconds> <resident>".
 *
 * With bit 2 of WANTED it measures what it is asked for instead, with processes on all nodes. Rank 0 prints a line per
 * node, "host <processes> <file system> <name>", and "ready". Then it reads points (dsn_mpi_point_write) until its
 * standard input ends, and answers each with the shares of the nodes that took part, "share <index of the node> <bytes>
 * <seconds> <resident>", and "done". Private to measure/sweep. */
#ifndef DSN_SWEEP_MPI_H
#define DSN_SWEEP_MPI_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* In the order of dsn_mode_row(), from DSN_NMODES_POSIX on. */
enum dsn_mpi_mode {
    DSN_MPI_INDEPENDENT,
    DSN_MPI_ATOMIC,
    DSN_MPI_NONBLOCKING,
    DSN_MPI_COLLECTIVE,
    DSN_MPI_SHARED,
    DSN_MPI_ORDERED,
    DSN_NMODES_MPI
};

#define DSN_MPI_WANTS_NODES 4

struct dsn_mpi_point {
    int is_write, is_each, processes;
    uint64_t request;
    double seconds; /* maximum */
};

static inline int dsn_mpi_point_write(char *line, size_t room, const struct dsn_mpi_point *p)
{
    return snprintf(line, room, "%d %d %d %" PRIu64 " %.6f\n", p->is_write, p->is_each, p->processes, p->request,
                    p->seconds);
}

static inline int dsn_mpi_point_read(const char *line, struct dsn_mpi_point *p)
{
    return sscanf(line, "%d %d %d %" SCNu64 " %lf", &p->is_write, &p->is_each, &p->processes, &p->request,
                  &p->seconds) == 5 &&
           p->processes > 0 && p->request > 0;
}

/* Serves points over all nodes (sweep-nodes.c). */
void dsn_mpi_serve(const char *directory, uint64_t size, uint64_t reserve);

#endif

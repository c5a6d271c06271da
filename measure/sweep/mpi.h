/* mpi.h - interface between darshan-sweep and the MPI program that it starts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program is called as
 *
 *     sweep-mpi-<MPI> DIRECTORY REQUEST SIZE SAMPLES WANTED RESERVE
 *
 * DIRECTORY is used by this program only. SAMPLES 0: measure nothing. WANTED: bit 0 reads, bit 1 writes. Rank 0 prints
 * "ranks <n>" first, then a line per sample: "<mode> <write> <bytes> <seconds> <resident>". Private to util. */
#ifndef DSN_SWEEP_MPI_H
#define DSN_SWEEP_MPI_H

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

#endif

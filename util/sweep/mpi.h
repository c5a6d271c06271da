/* mpi.h - what darshan-sweep and the program of MPI that it starts agree on
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program is called as
 *
 *     sweep-mpi-<MPI> DIRECTORY REQUEST SIZE SAMPLES WANTED RESERVE
 *
 * DIRECTORY is its own. SAMPLES 0: nothing is measured. WANTED: bit 0 reads, bit 1 writes. Its rank 0 prints "ranks <n>" first, then a line a sample: "<mode> <write> <bytes>
 * <seconds> <resident>". Private to util. */
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

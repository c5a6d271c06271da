/* parallel.h - one rank's part in a log that several ranks write, through MPI-IO
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PARALLEL_H
#define DSN_PARALLEL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/plan.h"
#include "mpi/shim.h"
#include "out/region.h"

/* In dsn__pages: when the time limit has struck MPI may still use it, so that it is never given back then. */
struct dsn_parallel {
    const struct dsn_mpi *mpi;
    const char *path, *hints;
    char own_hints[64];                 /* where these are not a setting */
    int every;                          /* every so-manieth rank takes part */
    struct dsn_piece piece[DSN_NPARTS]; /* by ascending place in the file */
    size_t n;
    int result;
    atomic_int is_done;
};

/* The pieces of names and modules of `r`, of which `begins` says where they go. */
void dsn__parallel_pieces(struct dsn_parallel *p, const struct dsn_regions *r, const uint64_t *begins);

/* Collective over these ranks, though each waits for MPI-IO, which knows no time limit, only until `deadline`
 * (dsn__now(); 0: for ever): it is called in a thread of its own. Past the deadline it has failed, but is waited for
 * `grace` ns more, for what MPI does when it is called by another thread meanwhile, MPI_Finalize above all, is not
 * defined.
 * What MPI-IO has written is read again, and written with plain calls where it is not there: pieces that were left out
 * have been seen. Returns 0; -1 on error; DSN_LATE past the deadline; DSN_GONE if another rank is gone meanwhile, for which
 * MPI-IO would wait for ever. */
#define DSN_LATE (-2)
int dsn__parallel_write(struct dsn_parallel *p, int64_t deadline, int64_t grace);

#endif

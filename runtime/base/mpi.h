/* mpi.h - the few calls that the runtime makes to MPI, one table of them for each MPI
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The runtime itself names no MPI: the shim is the one source that includes mpi.h, compiled once for each MPI that
 * configure found. In libdarshan.so the core loads the one that fits when the application calls MPI_Init; in
 * libdarshan.a it is linked. All of it goes through PMPI_ names, so that other tools do not see it, on a communicator
 * of our own that returns errors instead of aborting. */
#ifndef DSN_BASE_MPI_H
#define DSN_BASE_MPI_H

#include <stddef.h>
#include <stdint.h>

#include "base/mpi-abi.h"

struct dsn_mpi {
    const char *name; /* "Open MPI" */

    /* Collective over MPI_COMM_WORLD: a communicator of our own. 0, or -1 on error, or when not all ranks have come
     * before `deadline`; then there is none and nothing else may be called. */
    int (*attach)(int *rank, int *size, int64_t deadline);
    void (*detach)(void);

    /* Facts about the application's handles; no communication. */
    int (*comm_size)(dsn_handle comm);     /* 1 if it cannot be told */
    int64_t (*type_size)(dsn_handle type); /* bytes; 0 if it cannot be told */
    int (*info_given)(dsn_handle info);    /* 1 unless it is MPI_INFO_NULL */
    int (*comm_rank)(dsn_handle comm);     /* 0 if it cannot be told */
    int (*comm_peers)(dsn_handle comm);    /* ranks of the other group, or of the only one; 0 if it cannot be told */
    int64_t (*sizes)(const void *counts, size_t each, const void *types, int n); /* bytes of counts[i] of types[i] */
    void (*processor)(char name[128]);                                           /* where this rank runs; NUL-padded */
    const void *in_place;                                                        /* MPI_IN_PLACE */
    int proc_null;                                                               /* MPI_PROC_NULL */

    /* The ranks of a communicator of the application's come together. */
    void (*barrier)(dsn_handle comm);

    /* The byte of the file that `offset` of the view is, or, with DSN_AT_POSITION, that the individual file pointer
     * stands at; -1 if it cannot be told. */
    int64_t (*byte_of)(dsn_handle file, int64_t offset);

    /* From now on a rank that has waited for a peer for a second asks `is_dead`, and again every second, whether that
     * one will never come. */
    void (*watch)(int (*is_dead)(int peer));

    /* Point to point with rank `peer`. Both wait until done, or until dsn-clock nanoseconds (CLOCK_MONOTONIC) pass
     * `deadline`; 0 means no limit. They return 0, or -1 on error or time-out: then communication is over for good; or
     * DSN_DEAD if the peer is: then it goes on with the others, but what was to be sent must stay where it is. recv
     * allocates what it returns with malloc; the caller frees it. Where there is no memory that is nothing, NULL and 0
     * bytes. */
    int (*send)(const void *data, size_t size, int peer, int64_t deadline);
    int (*recv)(void **data, size_t *size, int peer, int64_t deadline);
};

#define DSN_DEAD            (-3)
#define DSN_AT_POSITION     INT64_MIN
#define DSN_MPI_SHIM_SYMBOL "dsn_mpi_shim" /* the name under which a loaded shim exports its table */

/* What becomes of the calls that the APMPI module counts: decided once. */
enum dsn_calls_are { DSN_CALLS_UNDECIDED, DSN_CALLS_PASSED_ON, DSN_CALLS_COUNTED };

/* The application's MPI. */
struct dsn_mpi_use {
    const struct dsn_mpi
        *_Atomic table; /* NULL: one process, or the library is off: a thread that comes back from MPI then has
                                          * nothing to ask */
    int attached;       /* it has its communicator: shutdown is collective */
    int calls;          /* enum dsn_calls_are */
    int waits;          /* all ranks come together before collective calls, which all of them want */
};

/* Part of what life/state.h composes. */
extern struct dsn_mpi_use *const dsn__mpi __attribute__((visibility("hidden")));

#endif

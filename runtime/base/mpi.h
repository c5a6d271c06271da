/* mpi.h - the MPI calls that the runtime makes: one table of functions per MPI implementation
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only the shim includes MPI's header; it is compiled once for each MPI that configure found. libdarshan.so loads the
 * matching one when the application calls MPI_Init; in libdarshan.a it is linked in. It calls PMPI_ names, so that
 * other tools do not see it, on a communicator of its own that returns errors instead of aborting. */
#ifndef DSN_BASE_MPI_H
#define DSN_BASE_MPI_H

#include <stddef.h>
#include <stdint.h>

#include "base/mpi-abi.h"

enum dsn_peer_life { DSN_PEER_UNKNOWN, DSN_PEER_DEAD, DSN_PEER_ALIVE };

struct dsn_mpi {
    const char *name; /* "Open MPI" */

    /* Collective over MPI_COMM_WORLD: creates our communicator. Returns 0, or -1 on error or if not all ranks have
     * arrived before `deadline`; then there is no communicator, and no other function may be called. */
    int (*attach)(int *rank, int *size, int64_t deadline);
    void (*detach)(void);

    /* Receives, and drops, what others are still sending to a rank that has given up, so that MPI_Finalize finds no
     * message half way: UCX ends the process then ("region->refcount == 0 failed"). */
    void (*take_what_comes)(void);

    /* Queries on the application's handles; no communication. */
    int (*comm_size)(dsn_handle comm);     /* 1 if unknown */
    int64_t (*type_size)(dsn_handle type); /* bytes; 0 if unknown */
    int (*info_given)(dsn_handle info);    /* 0 if it is MPI_INFO_NULL, else 1 */
    int (*comm_rank)(dsn_handle comm);     /* 0 if unknown */
    int (*comm_peers)(dsn_handle comm);    /* ranks of the remote group, of an intracommunicator: of its group; 0 if
                                            * unknown */
    int64_t (*sizes)(const void *counts, size_t each, const void *types, int n); /* bytes: the sum of counts[i] times
                                                                                  * the size of types[i] */
    void (*processor)(char name[128]);                                           /* MPI_Get_processor_name,
                                                                                  * NUL-padded */
    const void *in_place;                                                        /* MPI_IN_PLACE */
    int proc_null;                                                               /* MPI_PROC_NULL */

    /* MPI_Barrier on a communicator of the application. */
    void (*barrier)(dsn_handle comm);

    /* Byte offset in the file of `offset` in the view, or, for DSN_AT_POSITION, of the individual file pointer; -1 if
     * unknown. */
    int64_t (*byte_of)(dsn_handle file, int64_t offset);

    /* From now on a rank that has waited for a peer for a second calls `life`, and again every second, to learn whether
     * that peer has died. While it waits without a deadline, it gives signs of life to the `n` ranks `peers` (which must
     * stay in memory), and a peer that has given none for `patience` ns counts as dead if `life` knows nothing of it. */
    void (*watch)(enum dsn_peer_life (*life)(int peer), int64_t patience, const int *peers, int n);

    /* Point-to-point with rank `peer`. Both block until done, or until CLOCK_MONOTONIC passes `deadline` (ns; 0: no
     * limit). They return 0; -1 on error or time-out, after which no more communication is possible; or DSN_DEAD if the
     * peer has died: communication with others goes on, but the send buffer must not be freed or reused. recv receives
     * into *data, a malloced buffer or NULL, which it reallocates and the caller frees; NULL and 0 bytes if there is no
     * memory. If it does not return 0, the buffer is no longer the caller's: a late message may still arrive in it. */
    int (*send)(const void *data, size_t size, int peer, int64_t deadline);
    int (*recv)(void **data, size_t *size, int peer, int64_t deadline);
};

#define DSN_DEAD            (-3)
#define DSN_AT_POSITION     INT64_MIN
#define DSN_MPI_SHIM_SYMBOL "dsn_mpi_shim" /* the symbol of a loaded shim's table */

/* What wrappers of the calls that the APMPI module counts do: decided once. */
enum dsn_calls_are { DSN_CALLS_UNDECIDED, DSN_CALLS_PASSED_ON, DSN_CALLS_COUNTED };

/* The MPI that the application uses. */
struct dsn_mpi_use {
    const struct dsn_mpi *_Atomic table; /* NULL: no MPI, or the library is disabled */
    int attached;                        /* our communicator exists: shutdown is collective */
    int calls;                           /* enum dsn_calls_are */
    int waits; /* whether APMPI's wrappers put a barrier before collective calls; all ranks must agree */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_mpi_use *const dsn__mpi __attribute__((visibility("hidden")));

#endif

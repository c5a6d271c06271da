/* apmpi.h - what MPI calls count: calls, times and bytes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes are what the calling rank's own arguments say it sends or receives: of point-to-point and one-sided calls the
 * message, 0 if the peer is MPI_PROC_NULL; of MPI_Sendrecv the part sent; of a collective call its own contribution, or
 * what it receives (a block of a gather or scatter, the whole vector of a reduction, what goes to all ranks in an
 * all-to-all), 0 if the root is MPI_PROC_NULL. Arguments that are not significant on this rank are not read. */
#ifndef DSN_MODULE_APMPI_H
#define DSN_MODULE_APMPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/varying.h"
#include "record/span.h"

#define DSN_APMPI_NO_BYTES (-1) /* the call counts and is timed, but moves no bytes */

/* Called once MPI is initialised: creates the process's record, unless the module is disabled. */
void dsn__apmpi_start(void);

/* Counts a successful call; `calls` is the row of its CALL_COUNT, `times` that of its TOTAL_TIME. */
void dsn__apmpi_count(const struct dsn_span *s, unsigned calls, unsigned times, int64_t bytes);

/* Before a blocking collective call, if enabled: a barrier on the communicator, whose time is added to `row`. */
void dsn__apmpi_wait(struct dsn_span *s, dsn_handle comm, unsigned row);

static inline void dsn__apmpi_meet(struct dsn_span *s, dsn_handle comm, unsigned row)
{
    if (__builtin_expect(dsn__mpi->waits, 0))
        dsn__apmpi_wait(s, comm, row);
}

int64_t dsn__apmpi_bytes(int64_t count, dsn_handle type);
int64_t dsn__apmpi_to_peer(int peer, int64_t count, dsn_handle type);
bool dsn__apmpi_in_place(const void *buf);
int64_t dsn__apmpi_peers(dsn_handle comm);

/* Bytes from an array of counts (`each` bytes wide), one per rank: this rank's; the sum over its own group; the sum
 * over all peers. */
int64_t dsn__apmpi_own(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_vector(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_to_all(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_of_types(const void *counts, size_t each, dsn_handle comm, const void *types);

/* Writes the header that precedes the first record, from the variances of the ranks' times; `waits`: barriers were
 * measured. */
#define DSN_APMPI_HEADER_NAME "darshan-apmpi-header"
void dsn__apmpi_header(double comm_variance, double sync_variance, int waits, struct dsn_apmpi_header *out);

#endif

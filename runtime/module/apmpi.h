/* apmpi.h - what the calls to MPI mean: how often, how long, how many bytes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes are those that the calling rank says it sends, or receives, by the call's own arguments: of point-to-point and
 * one-sided calls its message, none where the peer is MPI_PROC_NULL, of MPI_Sendrecv what it sends; of a collective call
 * its own contribution, or what it is given (a block of a gather or scatter, the whole vector of a reduction, what goes
 * to all ranks in an all-to-all). Arguments that do not count for this rank are not looked at. */
#ifndef DSN_MODULE_APMPI_H
#define DSN_MODULE_APMPI_H

#include <stddef.h>
#include <stdint.h>

#include "base/mpi.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/varying.h"
#include "record/span.h"

#define DSN_APMPI_NO_BYTES (-1) /* the call has a count and times only */

/* MPI is there: the process's record, or none if the module is off. */
void dsn__apmpi_start(void);

/* A call that has succeeded; `calls` is the row of its CALL_COUNT, `times` that of its TOTAL_TIME. */
void dsn__apmpi_count(const struct dsn_span *s, unsigned calls, unsigned times, int64_t bytes);

/* Before a blocking collective call, where that is asked for: all ranks of the communicator come together, and the time
 * until they have is added to `row`. */
void dsn__apmpi_wait(struct dsn_span *s, dsn_handle comm, unsigned row);

static inline void dsn__apmpi_meet(struct dsn_span *s, dsn_handle comm, unsigned row)
{
    if (__builtin_expect(dsn__mpi->waits, 0))
        dsn__apmpi_wait(s, comm, row);
}

int64_t dsn__apmpi_bytes(int64_t count, dsn_handle type);
int64_t dsn__apmpi_to_peer(int peer, int64_t count, dsn_handle type);
int dsn__apmpi_in_place(const void *buf);
int64_t dsn__apmpi_peers(dsn_handle comm);

/* Of counts of `each` bytes, one for each rank: this rank's, those of all ranks of its own group, those of all peers;
 * in bytes. */
int64_t dsn__apmpi_own(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_vector(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_to_all(const void *counts, size_t each, dsn_handle comm, dsn_handle type);
int64_t dsn__apmpi_of_types(const void *counts, size_t each, dsn_handle comm, const void *types);

/* What stands in front of the first record, from the variances of the ranks' times; `waits`: waiting was measured. */
#define DSN_APMPI_HEADER_NAME "darshan-apmpi-header"
void dsn__apmpi_header(double comm_variance, double sync_variance, int waits, struct dsn_apmpi_header *out);

#endif

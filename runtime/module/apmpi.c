/* apmpi.c - counters of the APMPI module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One record per rank. While the program runs its times are ticks. */
#include <config.h>

#include "module/apmpi.h"

#include <stdbool.h>
#include <string.h>

#include "base/mpi.h"
#include "config/job.h"
#include "config/settings.h"
#include "darshan-log-format/hash.h"
#include "record/inner.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"

#define TIMES_EACH 3 /* TOTAL_TIME, MIN_TIME, MAX_TIME */

static unsigned size_bin(int64_t bytes)
{
    static const int64_t most[] = { 256, 1 << 10, 8 << 10, 256 << 10, 1 << 20 };
    unsigned bin = 0;

    while (bin < sizeof most / sizeof most[0] && bytes > most[bin])
        bin++;
    return bin;
}

/* The rank's only record. */
static struct dsn_record_state *record(void)
{
    return dsn__names->first_state[DSN_INDEX_APMPI];
}

void dsn__apmpi_start(void)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;
    struct dsn_record_state *state = NULL;

    _Static_assert(MPI_PROCESSOR_NAME_15 - MPI_PROCESSOR_NAME == DSN_APMPI_NAME_SIZE / sizeof(union dsn_val) - 1,
                   "as long as the shim makes it");
    if (mpi && !(dsn__config->disabled >> DSN_APMPI_MODULE & 1))
        state = dsn__record_named(DSN_INDEX_APMPI, "APMPI");
    if (state)
        mpi->processor((char *)&state->rec->v[MPI_PROCESSOR_NAME]);
    dsn__mpi->calls = state || dsn__mpi->waits ? DSN_CALLS_COUNTED : DSN_CALLS_PASSED_ON;
}

static void finalize(struct dsn_record_state *state, const struct dsn_recording *r)
{
    union dsn_val *v = state->rec->v;
    int64_t calls = 0, waits = 0;

    (void)r;
    for (unsigned i = MPI_SEND_TOTAL_TIME; i < MPI_BARRIER_TOTAL_SYNC_TIME; i += TIMES_EACH)
        calls += v[i].i;
    for (unsigned i = MPI_BARRIER_TOTAL_SYNC_TIME; i < MPI_TOTAL_COMM_TIME; i++)
        waits += v[i].i;
    v[MPI_TOTAL_COMM_TIME].i = calls + waits;
    v[MPI_TOTAL_COMM_SYNC_TIME].i = waits;
}

const struct dsn_module_info dsn__apmpi_module = {
    .id = DSN_APMPI_MODULE,
    .state_size = sizeof(struct dsn_record_state),
    .sharing = DSN_ALL_RANKS,
    .is_never_aggregated = 1,
    .finalize = finalize,
};

void dsn__apmpi_count(const struct dsn_span *s, unsigned calls, unsigned times, int64_t bytes)
{
    const int64_t lasted = s->end - s->start;
    struct dsn_record_state *state = record();
    union dsn_val *v;

    if (!state || !dsn__lock(state))
        return;
    v = &state->rec->v[calls];
    v[0].i++;
    if (bytes != DSN_APMPI_NO_BYTES) {
        v[1].i += bytes;
        v[2 + size_bin(bytes)].i++;
    }
    v = &state->rec->v[times];
    v[0].i += lasted;
    if (v[1].i == 0 || lasted < v[1].i)
        v[1].i = lasted > 0 ? lasted : 1;
    if (lasted > v[2].i)
        v[2].i = lasted;
    dsn__unlock(state);
}

/* A rank that is excluded from recording takes part: the others would wait for it forever. */
__attribute__((noinline)) void dsn__apmpi_wait(struct dsn_span *s, dsn_handle comm, unsigned row)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;
    const int is_counted = dsn__span_open(s);
    struct dsn_record_state *state = record();

    if (mpi)
        mpi->barrier(comm);
    if (!is_counted)
        return;
    dsn__span_returned(s);
    if (state && dsn__lock(state)) {
        state->rec->v[row].i += s->end - s->start;
        dsn__unlock(state);
    }
    dsn__span_close(s);
}

/* Here and below the table may be NULL: the library may have been disabled while the thread was in MPI. */
int64_t dsn__apmpi_bytes(int64_t count, dsn_handle type)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi && count > 0 ? count * mpi->type_size(type) : 0;
}

int64_t dsn__apmpi_to_peer(int peer, int64_t count, dsn_handle type)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi && peer != mpi->proc_null ? dsn__apmpi_bytes(count, type) : 0;
}

bool dsn__apmpi_in_place(const void *buf)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi && buf == mpi->in_place;
}

int64_t dsn__apmpi_peers(dsn_handle comm)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi ? mpi->comm_peers(comm) : 0;
}

static int64_t count_at(const void *counts, size_t each, int64_t i)
{
    const int *small = counts;
    const int64_t *large = counts;

    return each == sizeof *small ? small[i] : large[i];
}

static int64_t sum_of(const void *counts, size_t each, int64_t n)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += count_at(counts, each, i);
    return sum;
}

int64_t dsn__apmpi_own(const void *counts, size_t each, dsn_handle comm, dsn_handle type)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi ? dsn__apmpi_bytes(count_at(counts, each, mpi->comm_rank(comm)), type) : 0;
}

int64_t dsn__apmpi_vector(const void *counts, size_t each, dsn_handle comm, dsn_handle type)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi ? dsn__apmpi_bytes(sum_of(counts, each, mpi->comm_size(comm)), type) : 0;
}

int64_t dsn__apmpi_to_all(const void *counts, size_t each, dsn_handle comm, dsn_handle type)
{
    return dsn__apmpi_bytes(sum_of(counts, each, dsn__apmpi_peers(comm)), type);
}

int64_t dsn__apmpi_of_types(const void *counts, size_t each, dsn_handle comm, const void *types)
{
    const struct dsn_mpi *mpi = dsn__mpi->table;

    return mpi ? mpi->sizes(counts, each, types, mpi->comm_peers(comm)) : 0;
}

void dsn__apmpi_header(double comm_variance, double sync_variance, int waits, struct dsn_apmpi_header *out)
{
    *out = (struct dsn_apmpi_header){ .id = dsn_hash(DSN_APMPI_HEADER_NAME, strlen(DSN_APMPI_HEADER_NAME), 0),
                                      .magic = DSN_APMPI_MAGIC,
                                      .sync = waits != 0,
                                      .comm_variance = comm_variance,
                                      .sync_variance = sync_variance };
}

/* wrap-apmpi.h - expands a row of apmpi.wrap to two wrappers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An exported function jumps to one of two: the next function of its name, or the one here that counts the call. The
 * choice is made once MPI_Init has been called, and is final: a call that is not counted costs an extra load and jump.
 *
 * Calls made inside other calls are not counted: PMPI_X from MPI_X, messages of a collective call or of MPI-IO, and MPI
 * calls of HDF5 and PnetCDF. Their time belongs to the outer call. */
#ifndef DSN_WRAP_WRAP_APMPI_H
#define DSN_WRAP_WRAP_APMPI_H

#include "base/mpi.h"
#include "module/apmpi.h"
#include "record/inner.h"
#include "wrap/wrap.h"

/* Expressions for bytes in the rows. */
#define BYTES(count, type)        dsn__apmpi_bytes(count, type)
#define PEER(peer, count, type)   dsn__apmpi_to_peer(peer, count, type)
#define ROOTED(root, count, type) PEER(root, count, type) /* the root's group has MPI_ROOT, or MPI_PROC_NULL */
#define BLOCK(root, buf, n, type, n2, type2)                                                                           \
    ((root) < 0 ? 0 : dsn__apmpi_in_place(buf) ? BYTES(n2, type2) : BYTES(n, type))
#define BLOCK_OF(root, buf, n, type, counts, type2)                                                                    \
    ((root) < 0 ? 0 : dsn__apmpi_in_place(buf) ? dsn__apmpi_own(counts, sizeof(COUNT), comm, type2) : BYTES(n, type))
#define VECTOR(counts, type) dsn__apmpi_vector(counts, sizeof(COUNT), comm, type)
#define BLOCKS(buf, n, type, n2, type2)                                                                                \
    dsn__apmpi_peers(comm) * (dsn__apmpi_in_place(buf) ? BYTES(n2, type2) : BYTES(n, type))
#define BLOCKS_OF(buf, counts, type, counts2, type2)                                                                   \
    (dsn__apmpi_in_place(buf) ? dsn__apmpi_to_all(counts2, sizeof(COUNT), comm, type2)                                 \
                              : dsn__apmpi_to_all(counts, sizeof(COUNT), comm, type))
#define BLOCKS_OF_TYPES(buf, counts, types, counts2, types2)                                                           \
    (dsn__apmpi_in_place(buf) ? dsn__apmpi_of_types(counts2, sizeof(COUNT), comm, types2)                              \
                              : dsn__apmpi_of_types(counts, sizeof(COUNT), comm, types))
#define NONE DSN_APMPI_NO_BYTES

#define APMPI_CALL(name, op, p, args, meet, bytes)                                                                     \
    DSN_REAL_DECL(int, name, p)                                                                                        \
    static int(*target_##name) p;                                                                                      \
    __attribute__((noinline)) static int counted_##name p                                                              \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        int ret;                                                                                                       \
                                                                                                                       \
        if (dsn__is_inner_call(&s))                                                                                    \
            return DSN_REAL(name) args;                                                                                \
        dsn__outer_begins(&s);                                                                                         \
        meet;                                                                                                          \
        if (!dsn__span_open(&s)) {                                                                                     \
            ret = DSN_REAL(name) args;                                                                                 \
            dsn__outer_ends(0);                                                                                        \
            return ret;                                                                                                \
        }                                                                                                              \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__outer_ends(0);                                                                                            \
        dsn__span_returned(&s);                                                                                        \
        if (ret == DSN_MPI_SUCCESS)                                                                                    \
            dsn__apmpi_count(&s, MPI_##op##_CALL_COUNT, MPI_##op##_TOTAL_TIME, bytes);                                 \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }                                                                                                                  \
    /* Used for the first call, and calls before MPI_Init. */                                                          \
    __attribute__((noinline)) static int first_##name p                                                                \
    {                                                                                                                  \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (dsn__mpi->calls == DSN_CALLS_UNDECIDED)                                                                    \
            return DSN_REAL(name) args;                                                                                \
        __atomic_store_n(&target_##name, dsn__mpi->calls == DSN_CALLS_COUNTED ? counted_##name : DSN_REAL(name),       \
                         __ATOMIC_RELAXED);                                                                            \
        return target_##name args;                                                                                     \
    }                                                                                                                  \
    DSN_EXPORT int DSN_SYM(name) p;                                                                                    \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        int(*next) p = __atomic_load_n(&target_##name, __ATOMIC_RELAXED);                                              \
                                                                                                                       \
        if (__builtin_expect(next != NULL, 1))                                                                         \
            return next args;                                                                                          \
        return first_##name args;                                                                                      \
    }

/* `name` is expanded before it is pasted. */
#define APMPI_PAIR(name, op, p, args, meet, bytes)                                                                     \
    APMPI_CALL(MPI_##name, op, p, args, meet, bytes)                                                                   \
    APMPI_CALL(PMPI_##name, op, p, args, meet, bytes)

#define X(name, op, p, args, bytes) APMPI_PAIR(name, op, p, args, (void)0, bytes)
#define G(name, op, p, args, bytes)                                                                                    \
    APMPI_PAIR(name, op, p, args, dsn__apmpi_meet(&s, comm, MPI_##op##_TOTAL_SYNC_TIME), bytes)

#endif

/* calls.c - every wrapped call and its note, for the preprocessor alone: rows of the page of calls
 * SPDX-License-Identifier: BSD-3-Clause */
#define DSN_EVERY_PROCESSOR                                    /* the page is the same on all of them */
#define W(r, name, p, args, fail, when, note)                  CALL name #note
#define L(r, name, p, args, fail, when, note)                  CALL name #note
#define WO(r, name, p, args, fail, when, note, is_own, own)    CALL name #note
#define S(r, name, p, args, fail, f, direction, bytes, served) CALL name NOTE_##direction
#define SL                                                     S
#define NOTE_DSN_READ                                          "dsn__stdio_read"
#define NOTE_DSN_WRITE                                         "dsn__stdio_io"
#define U(r, name, p, args, fail, hands_in)                    CALL name "dsn__uring"
#define R(r, name, p, args, fail, note)                        CALL name #note
#define V(name)                                                CALL name "by hand"
#define H(r, name, p, args, fail, note)                        CALL name #note
#define P(name, p, args, note)                                 CALL name #note
#define F(name)                                                CALL name "by hand"
#define D(name, p, args, ahead, note)                          CALL name #note
#define B(name, p, args, ahead, note)                          CALL name #note
#define K(r, name, p, args, fail, note)                        CALL name #note
#define M(name, p, args, note)                                 CALL MPI_##name #note
#define A(name, p, args, note)                                 CALL MPI_##name #note
#define N(name)                                                CALL MPI_##name "by hand"
#define C(name)                                                CALL MPI_##name "by hand"
/* The name is expanded before it is pasted. */
#define X(name, op, p, args, bytes) COUNTED(name, #bytes)
#define G(name, op, p, args, bytes) COUNTED(name, #bytes)
#define COUNTED(name, bytes)        CALL MPI_##name bytes
#include "runtime/wrap/posix.wrap"
#include "runtime/wrap/aio.wrap"
#include "runtime/wrap/libaio.wrap"
#include "runtime/wrap/uring.wrap"
#include "runtime/wrap/uring-2.2.wrap"
#include "runtime/wrap/stdio.wrap"
#include "runtime/wrap/wide.wrap"
#include "runtime/wrap/mpi.wrap"
#include "runtime/wrap/mpi-session.wrap"
#include "runtime/wrap/apmpi.wrap"
#include "runtime/wrap/apmpi-c.wrap"
#include "runtime/wrap/mpiio.wrap"
#include "runtime/wrap/mpiio-c.wrap"
#include "runtime/wrap/h5.wrap"
#include "runtime/wrap/pnetcdf.wrap"
#include "runtime/wrap/dfs.wrap"
#include "runtime/wrap/daos.wrap"
#include "runtime/wrap/cufile.wrap"
#include "runtime/wrap/cufile-async.wrap"
#include "runtime/wrap/cufile-batch.wrap"

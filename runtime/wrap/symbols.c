/* symbols.c - lists the names of all wrapped functions; preprocessed only
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `$(CPP) -P` turns each row into a line "SYMBOL name". The export map, the linker's --wrap options and the list that
 * tests compare with the library are made from these lines. */
#define W(r, name, p, args, fail, when, note)                  SYMBOL name
#define L(r, name, p, args, fail, when, note)                  SYMBOL name
#define WO(r, name, p, args, fail, when, note, is_own, own)    SYMBOL name
#define S(r, name, p, args, fail, f, direction, bytes, served) SYMBOL name
#define SL                                                     S
#define U(r, name, p, args, fail, hands_in)                    SYMBOL name
#define R(r, name, p, args, fail, note)                        SYMBOL name
#define V(name)                                                SYMBOL name
#define H(r, name, p, args, fail, note)                        SYMBOL name
#define P(name, p, args, note)                                 SYMBOL name
#define F(name)                                                SYMBOL name
#define D(name, p, args, ahead, note)                          SYMBOL name
#define B(name, p, args, ahead, note)                          SYMBOL name
#define K(r, name, p, args, fail, note)                        SYMBOL name
#define M(name, p, args, note)                                 SYMBOL MPI_##name SYMBOL PMPI_##name
#define A(name, p, args, note)                                 SYMBOL MPI_##name SYMBOL PMPI_##name
#define N(name)                                                SYMBOL MPI_##name SYMBOL PMPI_##name
#define C(name)                                                SYMBOL MPI_##name SYMBOL PMPI_##name
/* The name is expanded before it is pasted. */
#define X(name, op, p, args, bytes) SYMBOLS(name)
#define G(name, op, p, args, bytes) SYMBOLS(name)
#define SYMBOLS(name)               SYMBOL MPI_##name SYMBOL PMPI_##name
#include "aio.wrap"
#include "apmpi-c.wrap"
#include "apmpi.wrap"
#include "daos.wrap"
#include "dfs.wrap"
#include "cufile-async.wrap"
#include "cufile-batch.wrap"
#include "cufile.wrap"
#include "h5.wrap"
#include "libaio.wrap"
#include "mpi-session.wrap"
#include "mpi.wrap"
#include "mpiio-c.wrap"
#include "mpiio.wrap"
#include "pnetcdf.wrap"
#include "posix.wrap"
#include "stdio.wrap"
#include "uring-2.2.wrap"
#include "uring.wrap"
#include "wide.wrap"

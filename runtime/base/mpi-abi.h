/* mpi-abi.h - argument types that fit every MPI implementation
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A wrapper of an MPI call passes its arguments on unchanged. Handles are pointers in Open MPI and ints in MPICH and
 * its derivatives. In the calling conventions of all 64-bit Linux systems either occupies one argument slot, and the
 * callee ignores the upper half of an int's. So one wrapper serves both. */
#ifndef DSN_BASE_MPI_ABI_H
#define DSN_BASE_MPI_ABI_H

#include <stdint.h>

typedef intptr_t dsn_handle; /* MPI_Comm, MPI_Info, MPI_Datatype, MPI_File by value */
typedef int64_t dsn_offset;  /* MPI_Offset */

_Static_assert(sizeof(dsn_handle) == 8, "only 64-bit systems");

#define DSN_MPI_SUCCESS   0
#define DSN_MPI_ERR_OTHER 16 /* MPI_ERR_OTHER of Open MPI; other implementations take any non-zero value as an error */

#endif

/* wrap-mpiio-c.c - wrappers of MPI-IO calls with large counts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of libdarshan.a, only for programs that use these calls: not every MPI has them to link with. */
#include <config.h>

#include "wrap/wrap-mpiio.h"

#include "wrap/mpiio-c.wrap"

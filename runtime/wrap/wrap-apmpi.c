/* wrap-apmpi.c - wrappers of the MPI calls that the APMPI module counts
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "wrap/wrap-apmpi.h"

#include "wrap/apmpi.wrap"
